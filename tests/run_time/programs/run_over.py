"""Expressions and loops that run over lists which what they call may change."""

from __future__ import annotations

from functools import reduce
from itertools import accumulate, chain, islice, takewhile

from tests.run_time.programs.kept_lists import Branch, branches, tanks
from tests.run_time.programs.table import number, program, springs_of


def grown(n, x):
    if len(n.children) < 5:
        n.children.append(Branch(x * n.value, []))
    return n.value


def replaced(n, x, k):
    if len(n.children) < 5:
        n.children.append(Branch(x * n.value, []))
    if k + 1 < len(n.children):
        n.children[k + 1] = Branch(n.children[k + 1].value * x + 1.0, [])
    return n.value


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def sum_while_it_grows(ns, x):
    total = 0.0
    for n in ns:
        total += sum(grown(n, x) * c.value for c in n.children)
    return total + sum(c.value**2 for n in ns for c in n.children)


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def recursion_over_children(ns, x):
    def grow(node, depth):
        if depth < 2:
            node.children.append(Branch(node.value * x, []))
        return node.value + x * sum(grow(c, depth + 1) for c in node.children)

    return sum(grow(n, 0) for n in ns)


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def list_while_it_grows(ns, x):
    total = 0.0
    for n in ns:
        values = [grown(n, x) * c.value for c in n.children]
        total += sum(values) * values[-1] * len(values)
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def any_while_it_shrinks(ns, x):
    def cut(n):
        if len(n.children) > 1:
            n.value += n.children.pop().value * x
        return n.value

    total = 0.0
    for n in ns:
        if any(cut(n) > 1.5 for c in n.children):
            total += n.value**2
        if all(c.value * cut(n) > 0.1 for c in n.children):
            total += x * n.value
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def filtered_while_it_grows(ns, x):
    total = 0.0
    for n in ns:
        total += sum(c.value * x for c in n.children if grown(n, x) > 0.8)
        best = max(grown(n, x) * c.value for c in n.children)
        total += best
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def with_places(ns, x):
    total = 0.0
    for n in ns:
        total += sum(grown(n, x) * c.value * k for k, c in enumerate(n.children))
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def side_by_side(ns, x):
    total = 0.0
    for n in ns:
        total += sum(
            grown(n, x) * c.value * v for c, v in zip(n.children, [1.0, x, 2.0, x])
        )
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def nested_fors(ns, x):
    return sum(grown(n, x) * c.value * grown(c, x) for n in ns for c in n.children)


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def dict_while_it_grows(ns, x):
    total = 0.0
    for n in ns:
        d = {len(n.children): grown(n, x) * c.value for c in n.children}
        total += sum(d.values())
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def of_another_of_the_sort(ns, x):
    total = 0.0
    for k, n in enumerate(ns):
        other = ns[k - 1]
        total += sum(c.value * grown(other, x) for c in n.children)
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def by_map(ns, x):
    def f(c):
        grown(ns[0], x)
        return c.value * x

    total = 0.0
    for n in ns:
        total += sum(map(f, n.children)) + sum(map(lambda c: f(c) * 2.0, ns))
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def read_while_items_change(ns, x):
    def f(n):
        n.children[-1] = Branch(x * n.value, [])
        n.children.reverse()
        return n.value

    total = 0.0
    for n in ns:
        total += sum(c.value * f(n) for c in n.children)
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def zip_sees_new_items(ns, x):
    total = 0.0
    for n in ns:
        total += sum(
            replaced(n, x, k) * c.value * v
            for k, (c, v) in enumerate(zip(n.children, [1.0, x, 2.0, x, 3.0, x, x]))
        )
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def enumerate_sees(ns, x):
    total = 0.0
    for n in ns:
        total += sum(c.value * replaced(n, x, k) for k, c in enumerate(n.children))
        total += sum(
            replaced(n, x, k) for k, c in enumerate(n.children) if c.value > 0.7
        )
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def for_over_zip(ns, x):
    total = 0.0
    for n in ns:
        k = 0
        for c, v in zip(n.children, [1.0, x, 2.0, x, 3.0, x, x]):
            total += c.value * v * replaced(n, x, k)
            k += 1
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def chained(ns, x):
    total = 0.0
    for n in ns:
        total += sum(
            c.value * replaced(n, x, 0) for c in chain(n.children, ns[0].children)
        )
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def sliced(ns, x):
    total = 0.0
    for n in ns:
        total += sum(c.value * replaced(n, x, 0) for c in islice(n.children, 2))
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def sorted_of(ns, x):
    total = 0.0
    for n in ns:
        best = sorted((c.value * replaced(n, x, 0) for c in n.children), reverse=True)
        total += best[0] + x * best[-1]
        first = next(c for c in n.children if replaced(n, x, 0) > 0.0)
        total += first.value
    return total


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def generator_function(ns, x):
    def values(n):
        for c in n.children:
            yield c.value * replaced(n, x, 0)

    return sum(v * v for n in ns for v in values(n))


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def with_a_break(ns, x):
    def first(n):
        for c in (b for b in n.children if replaced(n, x, 0) > 0.9):
            if c.value > 0.8:
                return c.value * x
        return x

    return sum(first(n) for n in ns) + sum(c.value for n in ns for c in n.children)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def numbers_that_grow(ts, x):
    def f(t):
        if len(t.levels) < 6:
            t.levels.append(x * t.gain)
            t.levels[0] *= x
        return t.gain

    total = 0.0
    for t in ts:
        total += sum(v * f(t) for v in t.levels)
        total += sum(accumulate(v * f(t) for v in t.levels))
        total += sum(takewhile(lambda v: v < f(t), t.levels))
    return total


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def reduced(ts, x):
    def f(a, v):
        if len(ts[0].levels) < 6:
            ts[0].levels.append(x * v)
        return a * 0.9 + v

    total = 0.0
    for t in ts:
        total += reduce(f, t.levels, x)
    return total


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def generator_made_before(ts, x):
    total = 0.0
    for t in ts:
        squares = (v * v for v in t.levels)
        t.levels.append(x)
        t.levels[0] = x * t.gain
        total += sum(squares)
    return total


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def shrinking(ts, x):
    def f(t):
        if len(t.levels) > 1:
            t.levels.pop(0)
        return t.gain

    total = 0.0
    for t in ts:
        total += sum(v * f(t) for v in t.levels)
    return total + sum(v for t in ts for v in t.levels)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def in_a_try_statement(ts, x):
    def f(t, v):
        if len(t.levels) > 5:
            raise ValueError
        t.levels.append(x * v)
        return t.gain

    total = 0.0
    for t in ts:
        try:
            total += sum(v * f(t, v) for v in t.levels)
        except ValueError:
            total += sum(t.levels)
    return total


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def cleared_meanwhile(ts, x):
    def f(t, v):
        if v > 0.9:
            t.levels.clear()
            t.levels.append(v * x)
        return t.gain

    total = 0.0
    for t in ts:
        total += sum(v * f(t, v) for v in t.levels)
        total += len([f(t, v) for v in t.levels]) * x
    return total + sum(v for t in ts for v in t.levels)


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def recursion_with_lists(ns, x):
    def grow(node, depth):
        if depth == 0:
            return [node.value]
        if len(node.children) < 3:
            node.children.append(Branch(node.value * x, []))
        parts = [sum(grow(c, depth - 1)) for c in node.children]
        return [p * x for p in parts if p > 0.5] + [node.value]

    return sum(sum(grow(n, 2)) for n in ns)


@program(lambda n: (branches(n), 0.7), ("ns", "x"))
def outer_list_is_changed(ns, x):
    def f(n):
        if len(ns) < 12:
            ns.append(Branch(n.value * x, [n]))
        return n.value

    return sum(f(n) ** 2 for n in ns) + sum(len(n.children) * n.value for n in ns)


@program(lambda n: ([number() for _ in range(n)], 0.7), ("xs", "x"))
def own_list_grows(xs, x):
    ys = [x]

    def f(v):
        if len(ys) < 9:
            ys.append(v * x)
        return v

    total = sum(f(v) for v in ys)
    total += sum(f(v) * k for k, v in enumerate(ys))
    zs = [f(v) * x for v in ys]
    return total + sum(zs) + sum(v * v for v in xs)


@program(lambda n: ([number() for _ in range(n)], 0.7), ("xs", "x"))
def argument_grows(xs, x):
    def f(v):
        if len(xs) < 70:
            xs.append(v * x)
        return v

    total = sum(f(v) for v in xs)
    return total + sum(v * v for v in xs)


@program(lambda n: (springs_of(n), 0.7), ("ss", "x"))
def argument_of_objects_shrinks(ss, x):
    def f(s):
        if len(ss) > 3:
            s.k += ss.pop().k
        return s.k * x

    total = sum(f(s) for s in ss)
    return total + sum(s.k * s.rest for s in ss)


@program(lambda n: (5, 0.7), ("x",))
def worklist(n, x):
    tasks = [(x, 0)]

    def work(value, depth):
        if depth < n:
            tasks.append((value * x, depth + 1))
        return value**2

    return sum(work(value, depth) for value, depth in tasks)


def first_above(t, x):
    for v in t.levels:
        if len(t.levels) < 6:
            t.levels.append(v * x)
        if v > 1.0:
            return v * x
    return x


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def else_and_continue(ts, x):
    total = 0.0
    for t in ts:
        for k, v in enumerate(t.levels):
            if v < 0.7:
                continue
            if len(t.levels) < 6:
                t.levels.append(v * x)
            if v > 1.4:
                total += k
                break
            total = 0.9 * total + v
        else:
            total += t.gain
            t.levels.append(total)
        total += v * k
    return total + sum(v for t in ts for v in t.levels)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def return_inside(ts, x):
    return sum(first_above(t, x) for t in ts) + sum(len(t.levels) * t.gain for t in ts)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def nested_loops_over_one(ts, x):
    total = 0.0
    for t in ts:
        for v in t.levels:
            for w in t.levels:
                if len(t.levels) < 6:
                    t.levels.append(v * w * x)
                total += v * w
    return total


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def try_finally(ts, x):
    total = 0.0
    for t in ts:
        for v in t.levels:
            try:
                if v > 1.2:
                    raise ValueError
                total += v
            except ValueError:
                if len(t.levels) < 6:
                    t.levels.append(v * x)
            finally:
                total *= 0.9
    return total


@program(lambda n: ([number() for _ in range(n)], 0.7), ("xs", "x"))
def own_list_else(xs, x):
    ys = [x, x * x]
    total = 0.0
    for y in ys:
        if len(ys) < 7:
            ys.append(y * x)
            continue
        total += y
        if total > 100.0:
            break
    else:
        total += sum(ys)
    for y in ys:
        if len(ys) > 2:
            ys.pop()
        total += y * xs[0]
    return total + y
