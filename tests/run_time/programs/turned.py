"""Lists, dicts and deques that stand in what a program is given, changed as a whole:
cleared, turned, given out from the end."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from tests.run_time.programs.table import Spring, number, program, springs_of


@dataclass
class Shelf:
    rates: dict
    gain: float


@dataclass
class Filter:
    past: deque
    gain: float


@dataclass
class Branch:
    value: float
    children: list = field(default_factory=list)


@dataclass
class Tank:
    levels: list
    gain: float


@dataclass
class Held:
    parts: dict
    gain: float


class Ring:
    def __init__(self, items):
        self.items = items

    def step(self, k):
        self.items.rotate(k)

    def head(self):
        return self.items[0]


def branches(n):
    return [
        Branch(number(), [Branch(number()) for _ in range(1 + k % 3)]) for k in range(n)
    ]


def tanks(n):
    return [Tank([number() for _ in range(2 + k % 3)], number()) for k in range(n)]


def shelves(n):
    return [
        Shelf({f"k{j}": number() for j in range(2 + k % 3)}, number()) for k in range(n)
    ]


def filters(n):
    limits = (None, 3, 2)
    return [
        Filter(deque([number(), number()], limits[k % 3]), number()) for k in range(n)
    ]


def parts_by_name(n):
    def parts(count):
        return {f"a{j}": Spring(number(), number()) for j in range(count)}

    return [Held(parts(2 + k % 3), number()) for k in range(n)]


def deques_of_arrays(n):
    def rows(count):
        return deque(np.array([number(), number()]) for _ in range(count))

    return [Filter(rows(2 + k % 3), number()) for k in range(n)]


@program(lambda n: (shelves(n), 0.7))
def dict_cleared(ss, x):
    total = 0.0
    for s in ss:
        total = 0.9 * total + sum(s.rates.values()) * x
        s.rates.clear()
        s.rates["k1"] = total * s.gain
        s.rates["new"] = x
    return total + sum(v * v * s.gain for s in ss for v in s.rates.values())


@program(lambda n: (shelves(n), 0.7))
def dict_popitem(ss, x):
    total = 0.0
    for s in ss:
        while len(s.rates) > 1:
            key, v = s.rates.popitem()
            total = 0.9 * total + math.sin(v * x) * len(key)
        s.rates["k1"] = total
    return total + sum(v * v * s.gain for s in ss for v in s.rates.values())


@program(lambda n: (filters(n), 0.7))
def deque_turned(fs, x):
    total = 0.0
    for k, f in enumerate(fs):
        f.past.rotate(k % 3 - 1)
        f.past[0] = f.past[0] * x
        f.past.rotate()
        total = 0.9 * total + f.past[0] * f.gain
        f.past.reverse()
        f.past.append(total)
    return total + sum(v * (j + 1) * f.gain for f in fs for j, v in enumerate(f.past))


@program(lambda n: (filters(n), 0.7))
def deque_cleared(fs, x):
    total = 0.0
    for k, f in enumerate(fs):
        total = 0.9 * total + f.past[0] * f.gain
        f.past.clear()
        f.past.append(total)
        f.past.append(x)
    return total + sum(v * (j + 1) * f.gain for f in fs for j, v in enumerate(f.past))


@program(lambda n: (branches(n), 0.7))
def children_turned(ns, x):
    total = 0.0
    for n in ns:
        n.children.reverse()
        n.children[0].value *= x
        total = 0.9 * total + n.children[-1].value
    return total + sum(
        c.value * (j + 1) * n.value for n in ns for j, c in enumerate(n.children)
    )


@program(lambda n: (tanks(n), 0.7))
def levels_turned(ts, x):
    total = 0.0
    for t in ts:
        t.levels.reverse()
        t.levels[0] = t.levels[0] * x
        total = 0.9 * total + t.levels[-1]
    return total + sum(v * (j + 1) * t.gain for t in ts for j, v in enumerate(t.levels))


@program(lambda n: (branches(n), 0.7))
def children_cleared(ns, x):
    total = 0.0
    for n in ns:
        total = 0.9 * total + n.children[-1].value * x
        c = n.children[0]
        n.children.clear()
        c.value *= total
        n.children.append(c)
    return total + sum(
        c.value * (j + 1) * n.value for n in ns for j, c in enumerate(n.children)
    )


@program(lambda n: (deque(number() for _ in range(n)), 0.7))
def argument_turned(d, x):
    total = 0.0
    for k in range(len(d)):
        total = 0.5 * total + d[0] * x * (k + 1)
        d[0] = total
        d.rotate(-2)
    d.reverse()
    return total + sum(v * (k + 1) for k, v in enumerate(d))


@program(lambda n: (tanks(n), 0.7))
def shared_list(ts, x):
    ts[0].levels = ts[1].levels
    ts[0].levels.reverse()
    ts[1].levels[0] *= x
    ts[1].levels.append(ts[0].gain)
    ts[0].levels.reverse()
    s = sum(v * (k + 1) * t.gain for k, t in enumerate(ts) for v in t.levels)
    ts[0].levels.clear()
    ts[1].levels.append(s)
    return s * x + ts[0].levels[0] ** 2


@program(lambda n: (tanks(n), 0.7))
def in_try(ts, x):
    total = 0.0
    for t in ts:
        try:
            t.levels.reverse()
            t.levels[0] = t.levels[0] * x
            if t.levels[0] > 0.6:
                raise ValueError
            t.levels.clear()
            t.levels.append(t.gain)
        except ValueError:
            t.levels.append(t.levels[0] * x)
            t.levels.reverse()
        total += sum(t.levels) * t.levels[0]
    return total


@program(lambda n: (shelves(n), 0.7))
def loop_that_breaks(ss, x):
    total = 0.0
    for s in ss:
        for k in range(4):
            if not s.rates:
                break
            key, v = s.rates.popitem()
            if v > 1.2:
                s.rates.clear()
                s.rates[key] = v * x
            else:
                s.rates["k0"] = v * v * x
                if k == 2:
                    break
            total = 0.5 * total + v
    return total + sum(v * v * s.gain for s in ss for v in s.rates.values())


@program(lambda n: (shelves(n), 0.7))
def popitem_of_empty(ss, x):
    total = 0.0
    for s in ss:
        try:
            while True:
                key, v = s.rates.popitem()
                total = 0.5 * total + v * x
        except KeyError:
            s.rates["e"] = total
    return total + sum(v * v * s.gain for s in ss for v in s.rates.values())


@program(lambda n: (parts_by_name(n), 0.7))
def dict_of_objects(hs, x):
    total = 0.0
    for h in hs:
        key, s = h.parts.popitem()
        s.k *= x
        first = h.parts["a0"]
        h.parts.clear()
        h.parts[key] = first
        h.parts["z"] = s
        first.rest = s.k
        h.parts["z"].k *= 2.0
        total += sum(p.k * p.rest * h.gain for p in h.parts.values())
        s.k = x
    return total + sum(p.k * p.rest * h.gain for h in hs for p in h.parts.values())


@program(lambda n: (deques_of_arrays(n), 0.7))
def arrays_in_deques(hs, x):
    total = 0.0
    for k, h in enumerate(hs):
        h.past.rotate(k)
        total += (h.past[0] * h.past[-1]).sum() * x
        h.past.append(h.past[0] * x)
        h.past.reverse()
        a = h.past[0]
        if k % 2:
            h.past.clear()
            h.past.append(a)
            h.past.append(a * h.gain)
    return total + sum((v**2).sum() * h.gain for h in hs for v in h.past)


@program(lambda n: ([Branch(number()) for _ in range(n)], 0.7))
def all_empty(ns, x):
    for n in ns:
        n.children.clear()
        n.children.reverse()
        n.children.append(Branch(n.value * x, []))
        n.children.append(ns[0])
        n.children.reverse()
    return sum(
        c.value * (j + 1) * n.value for n in ns for j, c in enumerate(n.children)
    )


@program(lambda n: ([Branch(number()) for _ in range(n)], 0.7))
def all_empty_kept_empty(ns, x):
    for n in ns:
        n.children.clear()
        n.children.reverse()
    return sum(n.value**2 * x for n in ns) + sum(
        c.value for n in ns for c in n.children
    )


@program(lambda n: (Ring(deque(springs_of(n))), 0.7))
def ring_of_objects(ring, x):
    total = 0.0
    for k in range(8):
        ring.step(k * 3 % 5 - 2)
        s = ring.head()
        s.k = s.k * x + total * 0.1
        total += s.k * s.rest
        if k == 5:
            ring.items.reverse()
    ring.items[0], ring.items[1] = ring.items[1], ring.items[0]
    ring.items.rotate()
    return total + ring.head().k ** 2


@program(lambda n: (branches(n), 0.7))
def recursion_in_a_loop(ns, x):
    def turn(node, depth):
        node.children.reverse()
        total = node.value * x**depth
        for c in node.children:
            total = total * 0.9 + turn(c, depth + 1)
        if depth == 1:
            node.children.clear()
        return total

    total = 0.0
    for n in ns:
        total += turn(n, 1) + turn(n, 0)
    return total


@program(lambda n: (branches(n), 0.7))
def recursion_that_grows_in_a_loop(ns, x):
    def grow(node, depth):
        if depth < 2:
            node.children.append(Branch(node.value * x, []))
            for c in node.children:
                grow(c, depth + 1)

    for n in ns:
        grow(n, 0)

    def read(node):
        return node.value + x * sum(read(c) ** 2 for c in node.children)

    return sum(read(n) for n in ns)
