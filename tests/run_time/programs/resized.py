"""Programs that change how many items the lists have that stand in what they are
given."""

from __future__ import annotations

import math
from collections import deque
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


class Vertex:
    def __init__(self, mass):
        self.mass = mass
        self.near = []


def branches(n):
    return [
        Branch(number(), [Branch(number()) for _ in range(1 + k % 3)]) for k in range(n)
    ]


def grown_tree(n):
    root = Branch(number())
    all_of_them = [root]
    for k in range(1, n):
        all_of_them.append(Branch(number()))
        all_of_them[k // 2].children.append(all_of_them[k])
    return root


def tanks(n):
    return [Tank([number() for _ in range(2 + k % 3)], number()) for k in range(n)]


def ring(n):
    made = [Vertex(number()) for _ in range(n)]
    for k, v in enumerate(made):
        v.near = [made[k - 1], made[(k + 1) % n]]
    return made


@program(lambda n: (branches(n), 0.7))
def children_added(ns, x):
    for n in ns:
        for k in range(2):
            n.children.append(Branch(n.value * x * (k + 1), []))
    total = 0.0
    for n in ns:
        for c in n.children:
            total += c.value**2 * n.value
    return total


@program(lambda n: (branches(n), 0.7))
def last_to_front(ns, x):
    for n in ns:
        c = n.children.pop()
        n.value = n.value * c.value
        n.children.insert(0, c)
    total = 0.0
    for n in ns:
        total += n.children[0].value * n.value * x + len(n.children)
    return total


@program(lambda n: (branches(n), 0.7))
def handed_to_the_next(ns, x):
    for k in range(len(ns) - 1):
        while len(ns[k].children) > 1:
            ns[k + 1].children.append(ns[k].children.pop(0))
            ns[k + 1].value += 0.1 * x
    return sum(c.value * n.value for n in ns for c in n.children)


@program(lambda n: (tanks(n), 0.8))
def numbers_pushed_through(ts, x):
    for t in ts:
        t.levels.append(x * t.gain)
        first = t.levels.pop(0)
        t.gain += first * first
    return sum(v * v * t.gain for t in ts for v in t.levels)


@program(lambda n: (tanks(n), 0.8))
def numbers_arranged(ts, x):
    for t in ts:
        t.levels.append(x * t.gain)
        t.levels.sort()
        t.levels.reverse()
        t.levels[1:3] = [t.gain * x]
        del t.levels[0]
        t.levels.extend([x, x * x])
        t.levels += [t.gain]
    total = 0.0
    for t in ts:
        for k, v in enumerate(t.levels):
            total += (k + 1) * v * v * t.gain
    return total


@program(lambda n: (tanks(n), 0.8))
def emptied(ts, x):
    total = 0.0
    for t in ts:
        while t.levels:
            total = 0.9 * total + math.sin(t.levels.pop() * x)
        t.levels.append(total)
    return total + sum(t.levels[-1] * t.gain for t in ts)


@program(lambda n: (tanks(n), 0.8))
def cleared(ts, x):
    carried = x
    for t in ts:
        carried = carried * sum(t.levels)
        carried = math.tanh(carried)
        t.levels.clear()
        t.levels.append(carried * t.gain)
        t.levels.insert(0, x)
        t.levels.insert(-1, carried)
    return sum(v * v * (k + 1) for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks(n), 0.8))
def the_greatest_removed(ts, x):
    total = 0.0
    for t in ts:
        greatest = max(t.levels)
        t.levels.remove(greatest)
        total += greatest * x * len(t.levels)
    return total + sum(t.gain * v for t in ts for v in t.levels)


@program(lambda n: (grown_tree(n), 0.6))
def tree_that_grows(root, x):
    def grow(node, depth):
        for c in list(node.children):
            grow(c, depth + 1)
        if not node.children:
            node.children.append(Branch(node.value * x, []))

    def read(node):
        total = node.value**2
        for c in node.children:
            total += x * read(c)
        return total

    grow(root, 0)
    return read(root)


@program(lambda n: (grown_tree(n), 0.6))
def tree_without_leaves(root, x):
    def cut(node):
        kept = []
        for c in node.children:
            if c.children:
                cut(c)
                kept.append(c)
            else:
                node.value += x * c.value
        node.children[:] = kept

    def read(node):
        return node.value**2 + x * sum(read(c) for c in node.children)

    cut(root)
    return read(root)


@program(lambda n: (ring(max(n, 5)), 0.6))
def edges_added_and_cut(vs, x):
    n = len(vs)
    for k in range(n):
        vs[k].near.append(vs[(k + 2) % n])
        if k % 2:
            del vs[k].near[0]
    total = 0.0
    for v in vs:
        for w in v.near:
            total += x * v.mass * w.mass**2
    return total


@program(lambda n: ({f"k{k}": [k, (k + 1) % n] for k in range(n)}, tanks(n)), ("ts",))
def links_counted(links, ts):
    for name in links:
        links[name].append(links[name][0])
    return sum(
        ts[j].gain * (k + 1) ** 2 for name in links for k, j in enumerate(links[name])
    )


@program(lambda n: ([[number() for _ in range(3)] for _ in range(n)], 0.3))
def rows_that_grow(rows, x):
    for row in rows:
        row.append(x * row[0])
        row.pop(1)
    return sum(v**3 for row in rows for v in row)


@program(lambda n: ({f"k{k}": [number(), number()] for k in range(n)}, 0.3))
def histories_by_name(seen, x):
    for name, history in seen.items():
        for _ in range(3):
            history.append(x * history[-1] + history[-2])
    return sum(h[-1] * h[0] for h in seen.values())


@program(lambda n: (tanks(n), 0.8))
def until_one_is_found(ts, x):
    total = 0.0
    for t in ts:
        for v in t.levels:
            total += v * x
            if v > 1.0:
                t.levels.append(v * v)
                break
    return total + sum(v * t.gain for t in ts for v in t.levels)


@program(lambda n: (tanks(n), 0.8))
def run_over_while_it_grows(ts, x):
    total = 0.0
    for t in ts:
        for v in t.levels:
            total += v * v
            if v > 0.2:
                t.levels.append(v * 0.3 * x)
    return total + sum(len(t.levels) * t.gain for t in ts)


@program(lambda n: ([Tank([np.ones(2) * number()], number()) for _ in range(n)], 0.8))
def arrays_pushed_through(ts, x):
    for t in ts:
        t.levels.append(t.levels[0] * x * t.gain)
        t.levels.append(t.levels[-1] * t.levels[0])
        first = t.levels.pop(0)
        t.gain += first.sum()
    return sum((v**2).sum() * t.gain for t in ts for v in t.levels)


@program(lambda n: (branches(n), 0.7))
def values_before_and_after(ns, x):
    def weight(n):
        return sum(c.value for c in n.children) * n.value

    before = sum(weight(n) for n in ns)
    for n in ns:
        if len(n.children) > 1:
            n.value = x * n.children.pop().value
    return before * x + sum(weight(n) for n in ns)


@program(lambda n: ([Vertex(number()) for _ in range(n)], 0.7))
def edges_where_none_were(vs, x):
    for k, v in enumerate(vs):
        v.near.append(vs[k - 1])
        if k % 2:
            v.near.append(vs[0])
    total = 0.0
    for v in vs:
        for w in v.near:
            total += x * v.mass * w.mass**2
    return total


@program(lambda n: ([Tank([], number()) for _ in range(n)], 0.7))
def levels_where_none_were(ts, x):
    carried = x
    for t in ts:
        if t.levels:
            carried += t.levels.pop()
        carried = 0.9 * carried + t.gain
        t.levels.insert(0, carried * x)
        t.levels.append(carried)
    return sum(v * t.gain for t in ts for v in t.levels)


@program(lambda n: (branches(n), 0.7))
def chosen_children(ns, x):
    for n in ns:
        n.children = [c for c in n.children if c.value > 0.8]
        n.children.append(Branch(x * n.value, []))
        n.children.sort(key=lambda c: -c.value)
    return sum(
        c.value * n.value * (k + 1) for n in ns for k, c in enumerate(n.children)
    )


@program(lambda n: (tanks(n), 0.8))
def lists_put_together(ts, x):
    for t in ts:
        head = t.levels[:1]
        t.levels[:0] = [x, x * t.gain]
        del t.levels[1:2]
        t.levels = t.levels + head
        t.levels.append(head[0] * x)
    return sum(v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks(n), 0.8))
def until_it_fails(ts, x):
    total = 0.0
    for t in ts:
        try:
            while True:
                total += t.levels.pop() * x
                if total > 3.0:
                    t.levels.append(total * t.gain)
                    raise KeyError("full")
        except IndexError:
            t.levels.append(total)
        except KeyError:
            total = total * 0.5
    return total + sum(v * v * t.gain for t in ts for v in t.levels)


@program(lambda n: (tanks(n), 0.8))
def one_list_in_two(ts, x):
    ts[0].levels = ts[1].levels
    ts[0].levels.append(x * 2.0)
    ts[1].levels[0] *= x
    ts[1].levels.append(ts[0].levels[-1] * 3.0)
    return sum(v * (k + 1) * t.gain for k, t in enumerate(ts) for v in t.levels)


class Stack:
    def __init__(self, items):
        self.items = items

    def push(self, v):
        self.items.append(v)

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)


@program(lambda n: (Stack([number() for _ in range(n)]), 0.8))
def stack_machine(stack, x):
    for k in range(5):
        stack.push(x * (k + 1))
    total = 0.0
    while len(stack) > 1:
        a, b = stack.pop(), stack.pop()
        stack.push(math.tanh(a * b + x))
        total = total * 0.5 + a
    return total + stack.pop()


@dataclass
class Filter:
    past: deque
    gain: float


def filters(n):
    limits = (None, 3, 2)
    return [
        Filter(deque([number(), number()], limits[k % 3]), number()) for k in range(n)
    ]


@program(lambda n: (filters(n), [number() for _ in range(6)]), ("fs", "xs"))
def moving_windows(fs, xs):
    total = 0.0
    for f in fs:
        for x in xs:
            f.past.append(x * f.gain)
            total = 0.9 * total + math.sin(sum(f.past)) * f.past[0]
        f.past.appendleft(total)
    return total + sum(v * f.gain for f in fs for v in f.past)


@program(lambda n: (deque(number() for _ in range(n)), 0.7))
def turned_on(queue, x):
    total = 0.0
    for _ in range(2 * len(queue)):
        first = queue.popleft()
        total = 0.5 * total + first * x
        queue.append(math.tanh(first + total))
        if len(queue) > 3 and total > 1.0:
            total -= queue.pop() ** 2
    return total + sum(queue)


@program(lambda n: (branches(n), 0.7))
def looked_for(ns, x):
    for n in ns:
        first = n.children[0]
        n.children.append(first)
        place = n.children.index(first)
        if first in n.children:
            n.value += x * (place + 1) * n.children.count(first)
        n.children.remove(first)
        first.value = 1.5 * x
    return sum(
        n.value**2 + sum(c.value * (k + 1) for k, c in enumerate(n.children))
        for n in ns
    )
