"""Values that may be None, linked lists and trees walked by loops."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tests.run_time.programs.table import (
    number,
    program,
)


class Link:
    def __init__(self, w, nxt):
        self.w = w
        self.nxt = nxt


def chain_of(n):
    c = None
    for i in range(n):
        c = Link(number(), c)
    return c


@program(lambda n: (chain_of(n), 0.5), ("node", "x"))
def chain(node, x):
    while node is not None:
        x = math.sin(node.w * x)
        node = node.nxt
    return x


@program(lambda n: (chain_of(n), 0.5), ("node", "x"))
def chain_truth(node, x):
    while node:
        x = math.sin(node.w * x)
        node = node.nxt
    return x


@program(lambda n: (chain_of(n),))
def chain_last(node):
    total = 0.0
    while True:
        total += node.w**2
        if node.nxt is None:
            break
        node = node.nxt
    return total


@dataclass
class Tree:
    value: float
    left: object = None
    right: object = None


def tree_of(n):
    if n == 0:
        return None
    return Tree(number(), tree_of((n - 1) // 2), tree_of(n - 1 - (n - 1) // 2))


@program(lambda n: (tree_of(n),))
def tree_stack(root):
    stack = [root]
    total = 0.0
    while stack:
        n = stack.pop()
        total += n.value**2
        if n.left is not None:
            stack.append(n.left)
        if n.right:
            stack.append(n.right)
    return total


@program(lambda n: (tree_of(n),))
def tree_rec(root):
    def go(n):
        if n is None:
            return 1.0
        return n.value * go(n.left) + 0.1 * go(n.right)

    return go(root)


@dataclass
class Obs:
    x: float
    y: object
    note: object = None


@program(
    lambda n: ([Obs(number(), None if k % 3 == 0 else number()) for k in range(n)],)
)
def optional_numbers(obs):
    t = 0.0
    for o in obs:
        if o.y is not None:
            t += o.x * o.y
        else:
            t += o.x**2
        if o.note is not None:
            t += 1.0
    return t


@program(
    lambda n: (
        [None if k % 3 == 0 else [number() for _ in range(k % 3)] for k in range(n)],
        0.7,
    ),
    ("rows", "x"),
)
def lists_or_none_matched(rows, x):
    found = 0.0
    for row in rows:
        match row:
            case [a, b]:
                found += a * b
            case [a, *_]:
                found += a * a * x
            case None:
                found += x
    return found


@program(lambda n: ([number() for _ in range(n)], 0.5), ("xs", "t"))
def lists_or_none(xs, t):
    rows = [[x, t] if x > 0.8 else None for x in xs]
    return sum(row[0] * row[1] for row in rows if row is not None) + t * xs[0]


@program(lambda n: ([number() for _ in range(n)], 0.5), ("xs", "t"))
def dicts_or_none(xs, t):
    found = []
    for x in xs:
        found.append({"x": x * t} if x > 0.8 else None)
    total = t * xs[0]
    for d in found:
        if d:
            d["x"] *= t
            total += d["x"]
    return total


@program(lambda n: ([number() for _ in range(n)], 0.5), ("xs", "t"))
def lists_appended_or_none(xs, t):
    rows = []
    for x in xs:
        row = None
        if x > 0.8:
            row = [x, t]
        rows.append(row)
    for row in rows:
        if row is not None:
            row.append(row[0] * row[1])
    return sum(sum(row) for row in rows if row is not None) + t * xs[0]


class Branch:
    def __init__(self, w, kids):
        self.w = w
        self.kids = kids


def branches(n):
    return [
        Branch(number(), None if i % 3 == 0 else [Branch(number(), None)] * (i % 3 - 1))
        for i in range(n)
    ]


@program(lambda n: (branches(n), 0.5), ("nodes", "t"))
def truth_of_what_grows(nodes, t):
    total = 0.0
    for node in nodes:
        if not node.kids:
            node.kids = [Branch(t * node.w, None)]
        elif len(node.kids) > 1 or node.kids[0].w > 1.0:
            node.kids.append(Branch(node.w, None))
        while node.kids and node.kids[-1].w > 1.2:
            total += node.kids.pop().w * node.w
        total += sum(kid.w for kid in node.kids) if node.kids else t
    return total


@program(lambda n: ([number() for _ in range(n)], 0.5), ("xs", "t"))
def list_or_none_asked(xs, t):
    last = None
    total = t
    for x in xs:
        if last:
            total += last[0] * last[-1]
        if x > 0.8:
            last = last or []
            last.append(x * t)
    return total
