"""Generators that call themselves, and what runs over them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np

from tests.run_time.programs.table import number, program


@dataclass
class Node:
    v: float
    children: list[Node] = field(default_factory=list)


def tree(n):
    nodes = [Node(number()) for _ in range(max(n, 1))]
    for k in range(1, n):
        nodes[(k - 1) // 3].children.append(nodes[k])
    return nodes[0]


@dataclass
class Pair:
    v: float
    left: Pair | None = None
    right: Pair | None = None

    def __iter__(self):
        if self.left is not None:
            yield from self.left
        yield self.v
        if self.right is not None:
            yield from self.right


def binary(n):
    if n == 0:
        return None
    return Pair(number(), binary(n // 2), binary(n - n // 2 - 1))


def values(node):
    yield node.v
    for child in node.children:
        yield from values(child)


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def summed_in_a_loop(root, x):
    total = 0.0
    for v in values(root):
        total += math.sin(v * x)
    return total


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def handed_to_consumers(root, x):
    listed = [v * x for v in values(root)]
    total = sum(values(root)) + max(values(root)) * x + sorted(values(root))[0]
    for k, v in enumerate(values(root)):
        total += k * v
    return total + listed[-1] ** 2 + len(listed)


@program(lambda n: (tree(n), tree(n), 0.9), wrt=("a", "b", "x"))
def two_of_them_in_turns(a, b, x):
    return sum(u * v * x for u, v in zip(values(a), values(b), strict=True))


def in_order(node):
    if node is not None:
        yield from in_order(node.left)
        yield node
        yield from in_order(node.right)


@program(lambda n: (binary(n + 1), 0.5), wrt=("root", "x"))
def nodes_in_order(root, x):
    total = 1.0
    for node in in_order(root):
        total = total * x + node.v**2
    return total


@program(lambda n: (binary(n + 1), 0.5), wrt=("root", "x"))
def own_method(root, x):
    total = 1.0
    for v in root:
        total = math.cos(total * x) * v
    return total


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def left_early(root, x):
    total = 1.0
    for v in values(root):
        if v > 1.3:
            break
        total = total * x + v
    return total * next(v for v in values(root) if v > 0.1)


def leaves(node, rate):
    if not node.children:
        yield node.v
    for child in node.children:
        for v in leaves(child, rate):
            yield v * rate


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def changed_on_the_way_up(root, x):
    return sum(v * v for v in leaves(root, x))


def orders(xs):
    if len(xs) <= 1:
        yield xs
        return
    for k in range(len(xs)):
        for rest in orders(xs[:k] + xs[k + 1 :]):
            yield [xs[k]] + rest


@program(lambda n: ([number() for _ in range(min(n, 5))],))
def permutations(xs):
    total = 0.0
    for order in orders(xs):
        level = 1.0
        for v in order:
            level = level * v + 0.1
        total += level
    return total


def products(xs, k):
    if k == len(xs):
        yield 1.0
        return
    for rest in products(xs, k + 1):
        yield rest
        yield rest * xs[k]


@program(lambda n: ([number() for _ in range(min(n, 8))],))
def subsets(xs):
    return sum(p * p for p in products(xs, 0))


def chosen(xs, k, taken):
    if k == len(xs):
        yield taken[:]
        return
    taken.append(xs[k])
    yield from chosen(xs, k + 1, taken)
    taken.pop()
    yield from chosen(xs, k + 1, taken)


@program(lambda n: ([number() for _ in range(min(n, 8))],))
def there_and_back(xs):
    return sum(sum(taken) ** 2 for taken in chosen(xs, 0, []))


def named(node, depth, name):
    yield depth, name, node.v
    for k, child in enumerate(node.children):
        yield from named(child, depth + 1, f"{name}/{k}")


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def tuples_of_unlike_items(root, x):
    total = 0.0
    for depth, name, v in named(root, 1, ""):
        total += v * x**depth * len(name)
    return total


def depths(node):
    deepest = 0
    yield node.v
    for child in node.children:
        depth = yield from depths(child)
        deepest = max(deepest, depth)
    return deepest + 1


def with_depth(node):
    depth = yield from depths(node)
    yield float(depth)


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def what_it_returns(root, x):
    total = 1.0
    for v in with_depth(root):
        total = total * x + v
    return total


def even(xs, k):
    if k < len(xs):
        yield xs[k]
        yield from odd(xs, k + 1)


def odd(xs, k):
    if k < len(xs):
        yield 2.0 * xs[k]
        yield from even(xs, k + 1)


@program(lambda n: ([number() for _ in range(n)], 0.9), wrt=("xs", "x"))
def in_each_other(xs, x):
    total = 0.0
    for v in even(xs, 0):
        total = total * x + v
    return total


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def of_a_closure(root, x):
    rates = [x * x, x]

    def scaled(node, k):
        yield node.v * rates[k % 2]
        for child in node.children:
            yield from scaled(child, k + 1)

    return sum(scaled(root, 0))


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def stored_before_and_behind(root, x):
    root.v = root.v * x
    total = 0.0
    for _ in range(3):
        for v in values(root):
            total += v * v
        root.v = root.v * x + 0.01 * total
    return total


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def put_into_lists_and_dicts(root, x):
    log = []
    by_place = {}
    for k, v in enumerate(values(root)):
        log.append(v * x)
        by_place[k % 3] = by_place.get(k % 3, 0.0) + v
    return sum(v * v for v in log) + sum(v**3 for v in by_place.values())


@dataclass
class Layer:
    w: np.ndarray
    inner: list[Layer] = field(default_factory=list)


def layers(n):
    made = [Layer(np.array([number(), number()])) for _ in range(max(n, 1))]
    for k in range(1, n):
        made[(k - 1) // 2].inner.append(made[k])
    return made[0]


def weights(layer):
    yield layer.w
    yield from itertools.chain.from_iterable(map(weights, layer.inner))


@program(lambda n: (layers(n), 0.9), wrt=("layer", "x"))
def arrays(layer, x):
    return sum(np.sum(np.sin(w * x)) for w in weights(layer))


def moves(n, a, b, c):
    if n > 0:
        yield from moves(n - 1, a, c, b)
        yield n, a, c
        yield from moves(n - 1, b, a, c)


@program(lambda n: ([number() for _ in range(7)], min(n, 6)), wrt=("costs",))
def towers(costs, n):
    return sum(costs[k] * a + costs[k] ** 2 * c for k, a, c in moves(n, 0, 1, 2))
