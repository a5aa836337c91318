"""Lists that are put into what a program is given, several times or from afar."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass

import numpy as np

from tests.run_time.programs.kept_lists import (
    branches,
    grids,
    tanks,
    tanks_of_arrays,
)
from tests.run_time.programs.table import number, program


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def filtered(ts, x):
    for t in ts:
        t.levels = [v * x for v in t.levels if v > 0.8]
    return sum(v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def filtered_items(ts, x):
    for t in ts:
        t.levels[:] = [v * x for v in t.levels if v > 0.8]
    return sum(v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def copied_and_summed(ts, x):
    xs = [v * x for v in ts[0].levels if v > 0.2]
    ts[1].levels = list(xs)
    ts[2].levels = list(xs)
    ts[3].levels = xs.copy()
    return sum(
        v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    ) + sum(xs)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def filled_twice(ts, x):
    xs = [v * x for v in ts[0].levels if v > 0.2]
    ts[1].levels[:] = xs
    ts[2].levels[:] = xs
    xs.append(x)
    return sum(
        v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    ) + sum(xs)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def filled_twice_2(ts, x):
    xs = [v * x for v in ts[0].levels]
    for t in ts:
        t.levels[:] = xs
    return sum(
        v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    ) + sum(xs)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def repeated(ts, x):
    xs = [v * x for v in ts[0].levels]
    for t in ts:
        t.levels = xs + t.levels
        t.levels = t.levels * 2
    return sum(
        v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    ) + sum(xs)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def copied_twice(ts, x):
    xs = [v * x for v in ts[0].levels]
    ts[1].levels = list(xs)
    ts[2].levels = list(xs)
    return sum(v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks_of_arrays(n), 0.7), ("ts", "x"))
def arrays_filled_twice(ts, x):
    xs = [v * x for v in ts[0].levels]
    ts[1].levels[:] = xs
    ts[2].levels[:] = xs
    return sum(
        (v * v).sum() * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    )


@program(lambda n: (tanks_of_arrays(n), 0.7), ("ts", "x"))
def arrays_kept_from_few(ts, x):
    xs = [ts[0].gain * np.ones(2), x * np.ones(2)]
    ts[1].levels = xs
    xs.append(ts[0].levels[0] * x)
    ts[2].levels = xs
    xs[0] = xs[1] * ts[2].gain
    return sum(
        (v * v).sum() * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    )


@program(lambda n: (tanks_of_arrays(n), 0.7), ("ts", "x"))
def arrays_sorted(ts, x):
    for t in ts:
        t.levels.sort(key=lambda v: -v[0])
        t.levels[1:] = [v * x for v in t.levels if v[1] > 0.7]
    return sum(
        (v * v).sum() * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    )


def new_list(x):
    return [x]


def gain_of(ts, k):
    return ts[k].gain


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def helper_used_twice(ts, x):
    a = new_list(x)
    ts[0].levels = a
    a.append(2.0 * x)
    b = new_list(3.0 * x)
    b.append(ts[1].gain)
    c = new_list([x])
    c.append([1.0])
    return sum(a) * sum(b) + sum(t.levels[0] for t in ts) + c[0][0] * len(c)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def numbers_used_as_arrays(ts, x):
    a = [x, 2.0 * x]
    ts[0].levels = a
    a.append(ts[1].gain)
    v = np.array(a)
    m = np.mean(a) + max(a) + min(a) + math.fsum(a) + np.dot(a, a)
    a[1] = m
    a.sort()
    b = sorted(a)
    c = a + b
    d = a[::-1]
    return (
        float(v.sum() * m)
        + sum(c) * c[0]
        + d[0] * d[-1]
        + sum(k * w for k, w in enumerate(reversed(a)))
    )


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def swapped_between(ts, x):
    for k in range(len(ts) - 1):
        a, b = ts[k].levels, ts[k + 1].levels
        ts[k].levels, ts[k + 1].levels = b, a
        a.append(x)
        b[0] *= x
        new = a[:]
        ts[k].levels = new
        new[0] = b[0]
        new.append(a[-1] * gain_of(ts, k))
    return sum(v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def nested_closure(ts, x):
    buf = []

    def push(v):
        buf.append(v)
        return v

    ts[0].levels = buf
    for t in ts:
        push(t.gain * x)

    def flush():
        total = sum(buf)
        buf.clear()
        return total

    total = flush()
    push(x)
    return total * sum(ts[0].levels)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def in_a_tuple(ts, x):
    pair = ([x], [2.0 * x])
    ts[0].levels = pair[0]
    pair[0].append(ts[1].gain)
    pair[1].append(x)
    ts[1].levels = pair[1]
    ts[1].levels.append(pair[0][0])
    return sum(v * v * t.gain for t in ts for v in t.levels) + sum(pair[0]) * sum(
        pair[1]
    )


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def in_a_dict(ts, x):
    d = {"a": [x], "b": []}
    ts[0].levels = d["a"]
    d["a"].append(ts[1].gain)
    d["b"].append(x)
    total = sum(d["a"])
    d["a"] = [x * x]
    d["a"].append(total)
    return total * sum(ts[0].levels) + sum(d["a"]) + sum(d["b"])


@dataclass
class Layer:
    weights: list
    cache: list
    name: str


def layers(n):
    def weights():
        return [[number(), number()] for _ in range(2)]

    return [Layer(weights(), [0.0], f"l{k}") for k in range(n)], [0.5, 0.7]


@program(layers, ("ls", "x"))
def forward_with_cache(ls, x):
    values = [v for v in x]
    for l in ls:
        l.cache = values
        out = []
        for row in l.weights:
            s = sum(w * v for w, v in zip(row, values))
            out.append(s if s > 0.2 else 0.1 * s)
        values = out
    total = sum(values)
    for l in reversed(ls):
        total += sum(v * v for v in l.cache)
        l.name = l.name + "!"
        l.cache = []
    return total


@program(lambda n: (grids(n), 0.7), ("gs", "x"))
def snapshot(gs, x):
    for g in gs:
        old = [row[:] for row in g.rows]
        for i, row in enumerate(g.rows):
            for j in range(len(row)):
                left = old[i - 1][j]
                row[j] = 0.5 * (row[j] + left * x)
        new = []
        for row in old:
            new.append([v * g.gain for v in row])
        g.rows = new
        new[0][0] *= x
        g.rows[-1].append(x)
    return sum(
        v * v * (k + 1) * g.gain for g in gs for k, r in enumerate(g.rows) for v in r
    )


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def breadth_first(ns, x):
    queue = list(ns)
    order = []
    while queue:
        node = queue.pop(0)
        order.append(node)
        for c in node.children:
            queue.append(c)
        node.children = []
    total = 0.0
    for k, node in enumerate(order):
        node.children.append(order[k - 1])
        total = 0.9 * total + node.value * x
    return total + sum(c.value * n.value for n in order for c in n.children)


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def partitioned(ns, x):
    for n in ns:
        low, high = [], []
        for c in n.children:
            (low if c.value < 1.0 else high).append(c)
        n.children = low + high
        low.append(n)
    return sum(
        c.value * n.value * (k + 1) for n in ns for k, c in enumerate(n.children)
    )


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def partitioned_kept(ns, x):
    for n in ns:
        low, high = [], []
        for c in n.children:
            if c.value < 1.0:
                low.append(c)
            else:
                high.append(c)
        n.children = low
        low.extend(high)
        if high:
            high[0].value *= x
    return sum(
        c.value * n.value * (k + 1) for n in ns for k, c in enumerate(n.children)
    )


@program(lambda n: ([[number() for _ in range(n + 1)] for _ in range(n)],))
def transposed_and_changed(rows):
    columns = [list(column) for column in zip(*rows)]
    columns[0][0] *= 2.0
    columns[1].append(columns[0][0] * rows[0][0])
    turned = list(map(list, zip(*rows[::-1])))
    for row in turned:
        row[0] = row[0] * row[-1]
    total = 0.0
    for k, row in enumerate(columns):
        total = 0.9 * total + sum(v * v for v in row) * (k + 1)
    return total * sum(row[0] * row[1] for row in turned)


@program(lambda n: ([number() for _ in range(n)],))
def lists_of_tuples(xs):
    squares = tuple(x * x for x in xs)
    copy = list(squares)
    copy.append(3.0)
    copy[0] *= 2.0
    pairs = tuple((x, k) for k, x in enumerate(xs))
    others = list(pairs)
    others[-1] = (xs[0] ** 2, 2)
    total = sum(copy) * squares[0] + isinstance(copy, list) - (squares == copy)
    return total + sum(x * k for x, k in others) + sum(x * x for x, _ in pairs)


class Tagged:
    def __init__(self, weight, tags):
        self.weight, self.tags = weight, tags


@program(lambda n: ([Tagged(number(), [1.0] * (k % 3)) for k in range(n + 3)], 0.8))
def deep_copies_of_objects_made(items, rate):
    made = [Tagged(item.weight * rate, list(item.tags)) for item in items]
    made[1] = made[2]
    made[2].weight += 1.0
    other = copy.deepcopy(made)
    other[1].weight *= 2.0
    other[2].tags.append(rate)
    tags = sum(sum(item.tags) for item in other) + sum(len(i.tags) for i in made)
    return sum(item.weight for item in made) + other[2].weight * rate + tags
