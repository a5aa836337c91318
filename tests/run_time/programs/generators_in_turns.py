"""Generators that call themselves and what runs over them, where one of the two sees
what the other does."""

from __future__ import annotations

import math

import numpy as np

from tests.run_time.programs.recursive_generators import tree, values
from tests.run_time.programs.table import number, program


def noted(node, seen):
    seen.append(node.v)
    yield node.v
    for child in node.children:
        yield from noted(child, seen)


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def reads_what_it_appends(root, x):
    seen = []
    total = 0.0
    for v in noted(root, seen):
        total = total * x + v * len(seen)
    return total


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def leaves_where_it_has_enough(root, x):
    seen = []
    total = 0.0
    for v in noted(root, seen):
        total = total * x + v * seen[-1]
        if total > 4.0:
            break
    else:
        total = total * 2.0
    return total + len(seen) * x


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def returns_out_of_the_loop(root, x):
    seen = []
    total = 0.0
    for v in noted(root, seen):
        total = total * x + v * len(seen)
        if total > 5.0:
            return total * sum(seen)
    return total + x


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def stores_into_what_comes_next(root, x):
    total = 0.0
    for v in values(root):
        total = total * x + v
        root.v = total * 0.1
    return total + root.v


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def log_of_a_closure(root, x):
    log = []

    def scaled(node):
        log.append(node.v * x)
        yield node.v
        for child in node.children:
            yield from scaled(child)
        log.append(x)

    total = 0.0
    for v in scaled(root):
        total += v * log[-1] + len(log)
    return total + sum(log)


def weighed(node, w):
    w[0] = w[0] * 0.9 + node.v
    yield node.v * w[1]
    for child in node.children:
        yield from weighed(child, w)
    w[1] += 0.1 * node.v


@program(lambda n: (tree(n), np.array([0.5, 1.2])), wrt=("root", "w"))
def writes_into_an_array(root, w):
    return sum(v * v for v in weighed(root, w))


def summed(node, seen):
    total = node.v * 3.0
    seen.append(total)
    v = total + 1.0
    yield total
    for child in node.children:
        result = yield from summed(child, seen)
        total = total + v * result
    seen.append(total)
    yield total * v
    result = total * 0.1
    return result


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def names_that_both_have(root, x):
    seen = []
    total = 1.0
    for v in summed(root, seen):
        result = v * 2.0
        total = total * 0.1 * x + result + 0.1 * len(seen)
    return total + 0.001 * sum(seen)


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def in_consumers(root, x):
    seen = []
    rows = [(v * x, len(seen)) for v in noted(root, seen)]
    total = sum(v * len(seen) for v in noted(root, seen))
    first = next((v for v in noted(root, seen) if v > 1.2), 0.3)
    return total + first * len(seen) + sum(a * k for a, k in rows)


def weighted(node, seen, x):
    last = x
    for v in noted(node, seen):
        yield v * last
        last = v * x


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def through_another_generator(root, x):
    seen = []
    total = 0.0
    for v in weighted(root, seen, x):
        total = total * 0.9 + v * len(seen)
        if total > 8.0:
            break
    return total


def logarithms(node, low):
    if node.v < low:
        raise ValueError(node.v)
    yield math.log(node.v)
    for child in node.children:
        yield from logarithms(child, low)


@program(lambda n: (tree(n), 0.9), wrt=("root", "x"))
def raises_on_the_way(root, x):
    total = x
    try:
        for v in logarithms(root, 0.6):
            total = total * 0.9 + v * x
    except ValueError:
        total = total * 2.0
    return total


def queens(n, board):
    if len(board) == n:
        yield board
        return
    for c in range(n):
        if all(c != b and abs(c - b) != len(board) - r for r, b in enumerate(board)):
            board.append(c)
            yield from queens(n, board)
            board.pop()


@program(lambda n: ([number() for _ in range(n)], 0.9), wrt=("xs", "x"))
def one_list_for_all_that_is_found(xs, x):
    total = sum(xs)
    for board in queens(5, []):
        total += sum(x**c * (r + 1) for r, c in enumerate(board))
        if total > 30.0:
            break
    return total
