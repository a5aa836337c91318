"""Structures whose sorts are told by what they raise."""

from __future__ import annotations

import numpy as np

from tests.run_time.programs.table import number, program


def nested(n):
    t = [number(), [number(), number()]]
    for k in range(n):
        t = [number(), t, [number()]] if k % 2 else [[number(), number()], t]
    return (t,)


@program(nested)
def iterators_of_numbers_raise(t):
    try:
        it = iter(t)
    except TypeError:
        return t * t
    total = 0.0
    for v in it:
        total += 0.9 * iterators_of_numbers_raise(v)
    return total


@program(nested)
def loops_over_numbers_raise(t):
    total = 0.0
    try:
        for v in t:
            total += 0.9 * loops_over_numbers_raise(v)
    except TypeError:
        total = np.sin(1.0) * t * t
    return total


@program(nested)
def products_of_lists_raise(t):
    try:
        return t * t
    except TypeError:
        return sum(0.8 * products_of_lists_raise(v) for v in t)


@program(nested)
def flattened_by_exceptions(t):
    total = 1.0
    for k, v in enumerate(leaves(t)):
        total = 0.5 * total + v * v * (1 + k % 2)
    return total


def leaves(t):
    try:
        it = iter(t)
    except TypeError:
        yield t
    else:
        for v in it:
            yield from leaves(v)


@program(nested)
def lists_of_numbers_raise(t):
    try:
        items = list(t)
    except TypeError:
        return t * t
    return sum(lists_of_numbers_raise(v) for v in items) / len(items)


@program(lambda n: (*nested(n), 1.3))
def counted_by_exceptions(t, w):
    try:
        return sum(counted_by_exceptions(v, 0.5 * w + k) for k, v in enumerate(t))
    except TypeError:
        return w * t


@program(nested)
def followed_step_by_step(t):
    try:
        it = iter(t)
    except TypeError:
        return 0.5 * t
    product = 1.0
    while True:
        try:
            product *= followed_step_by_step(next(it))
        except StopIteration:
            return product


class Node:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right


def tree(n):
    made = None
    for k in range(n):
        made = Node(number(), made, Node(number()) if k % 3 else None)
    return (made,)


@program(tree)
def no_node_has_no_attribute(node):
    try:
        below = no_node_has_no_attribute(node.left)
        return 0.7 * below + node.value**2 + no_node_has_no_attribute(node.right)
    except AttributeError:
        return 0.1
