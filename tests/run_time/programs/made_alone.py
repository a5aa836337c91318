"""Programs that make all their objects and lists, of which only the run can tell which
one a name means."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.run_time.programs.table import number, program


class Link:
    def __init__(self, x, after):
        self.x, self.after = x, after


class Tree:
    def __init__(self, x):
        self.x = x
        self.low = None
        self.high = None

    def put(self, x):
        if x < self.x:
            if self.low is None:
                self.low = Tree(x)
            else:
                self.low.put(x)
        elif self.high is None:
            self.high = Tree(x)
        else:
            self.high.put(x)


class Knot:
    def __init__(self, x):
        self.x = x
        self.near = []
        self.name = "knot"


@dataclass
class Cell:
    at: np.ndarray
    mass: float
    parent: Cell | None = None


class Spring:
    def __init__(self, rate):
        self.rate = rate

    def pull(self, x):
        return self.rate * math.sin(x)


class Damper(Spring):
    def pull(self, x):
        return self.rate * x**2


def numbers(n):
    return [number() for _ in range(n)]


@program(lambda n: (numbers(n), 0.4))
def chained(xs, t):
    head = None
    for x in xs:
        head = Link(x * t, head)
    total, link = 0.0, head
    while link is not None:
        total = 0.7 * total + link.x**2
        link.x *= t
        if link.after is not None:
            link.after.x += t * link.x
        link = link.after
    return total + head.x


@program(lambda n: (numbers(n), 0.4))
def chain_turned_round(xs, t):
    head = None
    for x in xs:
        head = Link(x, head)
    before = None
    while head is not None:
        head.after, before, head = before, head, head.after
    total = 0.0
    while before:
        total = t * total + math.sin(before.x)
        before = before.after
    return total


@program(lambda n: (numbers(n), 0.4))
def search_tree(xs, t):
    root = Tree(0.5 * t)
    for x in xs[:40]:
        root.put(x)
    total, waiting = 0.0, [root]
    while waiting:
        tree = waiting.pop()
        total = 0.9 * total + tree.x**2
        for below in (tree.low, tree.high):
            if below is not None:
                below.x += t * tree.x
                waiting.append(below)
    return total


@program(lambda n: (numbers(n), 0.4))
def knots_in_a_ring(xs, t):
    knots = [Knot(x) for x in xs]
    for before, knot in zip(knots, knots[1:] + knots[:1]):
        knot.near.append(before)
        before.near.append(knot)
        if before.x > 0.5:
            before.name = "far"
    for _ in range(2):
        for knot in knots:
            for other in knot.near:
                knot.x += 0.1 * t * (other.x - knot.x)
    return sum(k.x**2 * (2.0 if k.name == "far" else 1.0) for k in knots)


@program(lambda n: (numbers(n), 0.4))
def best_and_worst(xs, t):
    springs = [Spring(x * t) for x in xs]
    best = springs[0]
    for spring in springs:
        if spring.rate > best.rate:
            best = spring
    worst = min(springs, key=lambda s: s.rate)
    best.rate, worst.rate = t * worst.rate, 0.5 * best.rate
    springs.append(best)
    springs.sort(key=lambda s: s.rate)
    return sum((k % 3) * s.pull(t) for k, s in enumerate(springs))


@program(lambda n: (numbers(n), 0.4))
def cells_with_parents(xs, t):
    cells = [Cell(np.array([xs[0], t]), 1.0)]
    for k, x in enumerate(xs):
        parent = cells[k // 2]
        cells.append(Cell(np.array([x, t * x]), x * x, parent))
    total = 0.0
    for cell in reversed(cells):
        if cell.parent is not None:
            cell.parent.mass += 0.3 * cell.mass * t
            total = 0.9 * total + np.sum(cell.at * cell.parent.at) * cell.mass
    return total + cells[0].mass


@program(lambda n: (numbers(n), 0.4))
def two_names_of_one(xs, t):
    shelf = [Spring(x) for x in xs]
    twice = shelf + shelf[:2]
    for spring in twice:
        spring.rate *= 1.0 + t
    held = {k % 5: spring for k, spring in enumerate(shelf)}
    held[0].rate += t
    return sum(s.rate**2 for s in shelf) + sum(s.rate for s in held.values())


@program(lambda n: (numbers(n), 0.4))
def of_two_classes(xs, t):
    parts = [Spring(x) if x > 0.4 else Damper(x * t) for x in xs]
    last = parts[-1]
    for part in parts:
        part.rate += 0.1 * last.rate
    return sum(part.pull(t + k % 4) for k, part in enumerate(parts))


@program(lambda n: (Spring(0.7), numbers(n), 0.4))
def among_one_that_is_given(given, xs, t):
    springs = [given]
    for x in xs:
        springs.append(springs[-1] if x < 0.3 else Spring(x * t))
    for spring in springs:
        spring.rate *= 0.9
    return sum(s.pull(t) * (k % 3) for k, s in enumerate(springs)) + given.rate


@program(lambda n: (numbers(n), 0.4))
def rows_that_are_shared(xs, t):
    best, row, rows = None, [t], []
    for k, x in enumerate(xs):
        rows.append(row)
        if best is None or sum(row) > sum(best):
            best = row
        row = row + [x * t] if k % 7 else [x]
    best[0] *= t
    for k, other in enumerate(rows):
        other[-1] += 0.01 * rows[k - 1][0]
    return sum(r[0] * r[-1] for r in rows) + best[0]


@program(lambda n: (numbers(n), 0.4))
def swapped_rows(xs, t):
    rows = [[x, t * x] for x in xs]
    first = rows[0]
    rows[0], rows[-1] = rows[-1], rows[0]
    rows.append(first)
    rows.sort(key=lambda r: r[0])
    last = rows.pop()
    last.append(t)
    first.insert(0, t * t)
    return sum(r[0] * r[1] * len(r) for r in rows) + last[-1] * first[0]


def grown(x, depth, t):
    tree = Tree(x)
    if depth > 0:
        tree.low = grown(x * t, depth - 1, t)
        tree.high = grown(math.sin(x), depth - 1, t)
    return tree


def weight(tree):
    if tree is None:
        return 0.0
    return tree.x**2 + 0.5 * weight(tree.low) * weight(tree.high) + 0.1 * tree.x


@program(lambda n: (numbers(n)[:5], 0.4))
def forest_by_recursion(xs, t):
    forest = [grown(x, int(2 + x), t) for x in xs]
    forest[0].low.x *= t
    shared = forest[-1]
    shared.high.low = forest[0].low
    return sum(weight(tree) for tree in forest)


@program(lambda n: (numbers(n), np.array([number(), number()]), 0.4))
def one_array_for_all(xs, start, t):
    cells = [Cell(start, x) for x in xs]
    cells.append(cells[0])
    cells[0].mass *= t
    for before, cell in zip(cells, cells[1:]):
        if before.mass > 0.8:
            cell.at = start
        else:
            cell.at = 0.9 * before.at + t
    return sum(np.sum(cell.at**2) * cell.mass for cell in cells)


def links(n):
    chain = None
    for _ in range(n):
        chain = Link(number(), chain)
    return chain


def squared(link):
    return None if link is None else Link(link.x**2, squared(link.after))


@program(lambda n: (links(n),))
def another_chain_by_recursion(chain):
    total, link = 0.0, squared(chain)
    while link is not None:
        total = 0.5 * total + link.x * link.x
        link = link.after
    return total


def scaled(link, t):
    if link is None:
        return None
    link.x *= link.x * t
    scaled(link.after, t)
    return link


@program(lambda n: (links(n + 1), 0.8))
def the_same_chain_by_recursion(chain, t):
    chain = scaled(scaled(chain, t), t)
    return chain.x * chain.after.x


def put_last(link, x):
    if link is None:
        return Link(x, None)
    link.after = put_last(link.after, x)
    return link


@program(lambda n: (numbers(n), 0.8))
def put_last_by_recursion(xs, t):
    chain = None
    for x in xs:
        chain = put_last(chain, x * x * t)
    total, link = 0.0, chain
    while link is not None:
        total = 0.7 * total + link.x**2
        link = link.after
    return total
