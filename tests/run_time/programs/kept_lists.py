"""Lists and dicts that a program makes, puts into what it is given, and goes on to use
under their own names."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.run_time.programs.table import number, program


@dataclass
class Branch:
    value: float
    children: list = field(default_factory=list)


@dataclass
class Tank:
    levels: list
    gain: float


@dataclass
class Shelf:
    rates: dict
    gain: float


@dataclass
class Grid:
    rows: list
    gain: float


def branches(n):
    return [
        Branch(number(), [Branch(number()) for _ in range(1 + k % 3)]) for k in range(n)
    ]


def tanks(n):
    return [Tank([number() for _ in range(2 + k % 3)], number()) for k in range(n)]


def tanks_of_arrays(n):
    def levels(count):
        return [np.array([number(), number()]) for _ in range(count)]

    return [Tank(levels(2 + k % 3), number()) for k in range(n)]


def shelves(n):
    return [
        Shelf({f"k{j}": number() for j in range(2 + k % 3)}, number()) for k in range(n)
    ]


def grids(n):
    def rows(count):
        return [[number(), number()] for _ in range(count)]

    return [Grid(rows(1 + k % 3), number()) for k in range(n)]


def table(n):
    return [[number() for _ in range(1 + k % 3)] for k in range(n)]


def filled(row, x, k):
    for j in range(k + 1):
        row.append(x * j + 1.0)
    return row


def put(tank, levels):
    tank.levels = levels
    return levels


@program(lambda n: (table(n), 0.7), ("rows", "x"))
def row_put_then_filled(rows, x):
    row = []
    rows.append(row)
    for k in range(3):
        row.append(x * rows[k][0])
    return sum(v * v * (k + 1) for k, r in enumerate(rows) for v in r)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def levels_put_then_filled(ts, x):
    for t in ts:
        made = []
        t.levels = made
        for k in range(3):
            made.append(x * t.gain * (k + 1))
        made[0] *= x
    return sum(v * v * t.gain for t in ts for v in t.levels)


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def children_put_then_filled(ns, x):
    for n in ns:
        made = [n.children[0]]
        n.children = made
        made.append(Branch(n.value * x, []))
        made.append(ns[0])
    return sum(
        c.value * n.value * (k + 1) for n in ns for k, c in enumerate(n.children)
    )


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def one_list_in_two(ts, x):
    shared = [x, x * x]
    ts[0].levels = shared
    ts[1].levels = shared
    shared.append(ts[2].gain)
    ts[1].levels[0] *= 2.0
    return sum(v * (k + 1) * t.gain for k, t in enumerate(ts) for v in t.levels) + sum(
        shared
    )


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def read_behind(ts, x):
    shared = [t.gain * x for t in ts]
    ts[0].levels = shared
    ts[0].levels.append(x)
    return sum(shared) * shared[-1] + ts[1].gain


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def put_on_one_path(ts, x):
    total = 0.0
    for t in ts:
        made = [x]
        if t.gain > 1.0:
            t.levels = made
        made.append(t.gain)
        made[0] = x * t.gain
        total += sum(made) * made[0]
    return total + sum(v * v * t.gain for t in ts for v in t.levels)


@program(lambda n: (shelves(n), 0.7), ("ss", "x"))
def dict_put_then_filled(ss, x):
    for s in ss:
        made = {"a": x}
        s.rates = made
        made["b"] = x * s.gain
        made["a"] *= 2.0
        s.rates["c"] = made["a"]
    return sum(v * v * s.gain for s in ss for v in s.rates.values())


@program(lambda n: ({f"k{k}": [number()] for k in range(n)}, 0.7), ("d", "x"))
def groups(d, x):
    for k in range(4):
        row = []
        d[f"k{k}"] = row
        for j in range(k + 1):
            row.append(x * j + 1.0)
    return sum(v * v * (k + 1) for k, r in enumerate(d.values()) for v in r)


@program(lambda n: (table(n), 0.7), ("rows", "x"))
def filled_by_a_function(rows, x):
    for k in range(4):
        row = []
        rows.append(row)
        again = filled(row, x, k)
        again[0] = x * again[-1]
    return sum(v * v * (k + 1) for k, r in enumerate(rows) for v in r)


@program(lambda n: (table(n), 0.7), ("rows", "x"))
def history(rows, x):
    state = [1.0, 0.5]
    for k in range(5):
        rows.append(state)
        state = [x * state[0], state[1] + x * rows[0][0]]
    state.append(x)
    return sum(v * v * (k + 1) for k, r in enumerate(rows) for v in r) + sum(state)


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def tree_built(ns, x):
    def build(node, depth):
        made = []
        node.children = made
        if depth > 0:
            for k in range(2):
                child = Branch(node.value * x, [])
                made.append(child)
                build(child, depth - 1)
        return len(made)

    def read(node):
        total = node.value**2
        for c in node.children:
            total += x * read(c)
        return total

    for n in ns:
        build(n, 2)
    total = 0.0
    for n in ns:
        total += read(n)
    return total


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def in_a_try(ts, x):
    total = 0.0
    for t in ts:
        made = []
        try:
            t.levels = made
            made.append(x * t.gain)
            if t.gain > 1.0:
                raise ValueError
            made.append(x)
        except ValueError:
            made[0] *= 2.0
        total += sum(made) * t.levels[0]
    return total


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def same_is_asked(ts, x):
    made = [x]
    ts[0].levels = made
    made.append(2.0 * x)
    total = 0.0
    for t in ts:
        if t.levels is made:
            total += sum(made)
        else:
            total += t.gain
    return total


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def same_list(ts, x):
    ts[0].levels = ts[1].levels
    ts[0].levels.append(x)
    total = 0.0
    for t in ts:
        if t.levels is ts[1].levels:
            total += t.gain * 2.0
        if t.levels is not ts[2].levels:
            total += t.gain * t.levels[-1]
    return total


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def one_or_the_other(ts, x):
    total = 0.0
    for t in ts:
        if t.gain > 1.0:
            xs = t.levels
        else:
            xs = [x, t.gain]
        xs.append(x * t.gain)
        xs[0] = x
        total += sum(xs) * xs[-1]
    return total + sum(v * v * t.gain for t in ts for v in t.levels)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def read_one_or_the_other(ts, x):
    total = 0.0
    for t in ts:
        if t.gain > 1.0:
            xs = t.levels
        else:
            xs = [x, t.gain]
        t.levels.append(x)
        total += sum(xs) * xs[-1]
    return total + sum(v * v * t.gain for t in ts for v in t.levels)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def bound_before(ts, x):
    xs = [x, x]
    total = 0.0
    for t in ts:
        xs.append(t.gain)
        total += sum(xs)
        xs = t.levels
    return total + sum(v * v * t.gain for t in ts for v in t.levels)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def by_or(ts, x):
    total = 0.0
    for t in ts:
        xs = t.levels if t.gain > 1.0 else [x]
        xs.append(x)
        total += sum(xs) + sum(t.levels)
    return total


@program(lambda n: (grids(n), 0.7), ("gs", "x"))
def two_levels(gs, x):
    for g in gs:
        table = []
        g.rows = table
        for k in range(3):
            row = []
            table.append(row)
            for j in range(k + 1):
                row.append(x * g.gain * (j + 1))
    return sum(
        v * v * (k + 1) * g.gain for g in gs for k, r in enumerate(g.rows) for v in r
    )


@program(lambda n: (grids(n), 0.7), ("gs", "x"))
def inner_first(gs, x):
    for g in gs:
        table = []
        for k in range(3):
            row = []
            table.append(row)
            for j in range(k + 1):
                row.append(x * g.gain * (j + 1))
        g.rows = table
        row.append(x)
        table[0].append(g.gain)
    return sum(
        v * v * (k + 1) * g.gain for g in gs for k, r in enumerate(g.rows) for v in r
    )


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def made_object_holds_it(ns, x):
    for n in ns:
        kids = []
        n.children.append(Branch(x, kids))
        for k in range(2):
            kids.append(Branch(n.value * x, []))
        kids[0].value *= 2.0
    return sum(
        c.value * n.value + sum(b.value**2 for b in c.children)
        for n in ns
        for c in n.children
    )


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def put_by_a_function(ts, x):
    for t in ts:
        xs = list(t.levels)
        ys = put(t, xs)
        xs.append(x)
        ys.append(x * x)
        ys[0] = xs[-1] * t.gain
    return sum(v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def a_slice_put(ts, x):
    for k, t in enumerate(ts):
        xs = t.levels[:-1]
        ts[k - 1].levels = xs
        xs.append(x * t.gain)
        xs.reverse()
    return sum(v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def a_comprehension_put(ts, x):
    for t in ts:
        xs = [v * x for v in t.levels if v > 0.8]
        t.levels = xs
        xs.append(t.gain)
        ys = sorted(xs)
        ts[0].levels = ys
        ys.insert(0, x)
    return sum(v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def loop_that_breaks(ts, x):
    total = 0.0
    for t in ts:
        xs = []
        while True:
            xs.append(x * len(xs) + t.gain)
            if len(xs) == 2:
                t.levels = xs
            if sum(xs) > 4.0 or len(xs) > 5:
                break
        total += sum(xs) * t.levels[-1]
    return total


@program(lambda n: (shelves(n), 0.7), ("ss", "x"))
def dict_of_a_loop(ss, x):
    for s in ss:
        made = {}
        for key, v in s.rates.items():
            made[key] = v * x
        s.rates = made
        made["z"] = s.gain
        made.pop("k0")
    return sum(
        v * v * (k + 1) * s.gain for s in ss for k, v in enumerate(s.rates.values())
    )


@program(lambda n: (shelves(n), 0.7), ("ss", "x"))
def dict_by_comprehension(ss, x):
    for s in ss:
        made = {key: v * x for key, v in s.rates.items() if v > 0.7}
        s.rates = made
        made["z"] = s.gain
    return sum(
        v * v * (k + 1) * s.gain for s in ss for k, v in enumerate(s.rates.values())
    )


@program(
    lambda n: ({f"k{k}": [number()] for k in range(n)}, [number() for k in range(n)]),
    ("d", "xs"),
)
def grouped(d, xs):
    for k, v in enumerate(xs):
        key = f"k{k % 5}"
        if key not in d:
            d[key] = []
        group = d[key]
        group.append(v)
        d.setdefault(f"n{k % 3}", []).append(v * v)
    return sum(v * v * (k + 1) for k, r in enumerate(d.values()) for v in r)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def swapped_names(ts, x):
    a, b = [x], [x * x]
    for t in ts:
        t.levels = a
        a.append(t.gain)
        a, b = b, a
    a[0] = b[-1]
    return sum(
        v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    ) + sum(a) * sum(b)


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def or_an_empty_one(ns, x):
    total = 0.0
    for n in ns:
        kids = n.children or []
        if len(kids) > 1:
            kids.append(ns[0])
        for c in kids:
            total += c.value * x
        grand = n.children[0].children or [n]
        total += grand[0].value ** 2
    return total


@program(lambda n: ([[number(), 2 + k % 2] for k in range(n)], number()))
def compared_with_displays(rows, x):
    total = x
    for row in rows:
        if row == [row[0], 2]:
            total += x * row[0]
        if row != [x, 3] and [x, 2] < row:
            total += 0.5 * x * row[1]
        row[0] = x * row[0]
        if [row[0], 3] == row:
            total *= 0.9
    return total if [x, 2] in rows else total * rows[0][0]
