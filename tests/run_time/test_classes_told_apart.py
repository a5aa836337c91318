"""Attributes that some of the classes have of which a value may be: flags of classes,
cases of a ``match`` and the like tell them apart, which the compiler doesn't follow."""

from __future__ import annotations

import pytest

from s2sad import grad, value_and_grad
from tests.frontend.whole_programs import assert_differentiated

CLASSES = """
        class Leaf:
            is_leaf = True
            def __init__(self, w):
                self.w = w

        class Split:
            is_leaf = False
            def __init__(self, t, low, high):
                self.t, self.low, self.high = t, low, high

        def made(v, k):
            node = Leaf(v[0])
            for i in range(k):
                node = Split(v[i % 3], node, Leaf(v[(i + 1) % 3]))
            return node
"""
PROGRAMS = {
    "a flag of the class, in calls": """
        def total(node, x):
            if node.is_leaf:
                return node.w * x
            return node.t * total(node.low, x) + total(node.high, x * node.t)
        def program(x, v, k):
            return total(made(v, k), x)
    """,
    "a flag of the class, on a stack": """
        def program(x, v, k):
            total, stack = 0.0, [made(v, k)]
            while stack:
                node = stack.pop()
                if node.is_leaf:
                    total += node.w**2 * x
                    continue
                node.t *= x
                stack.extend((node.low, node.high))
                total += node.t
            return total
    """,
    "the attribute itself, by its error": """
        def total(node, x):
            try:
                return node.w * x
            except AttributeError:
                return node.t * total(node.low, x) + total(node.high, x)
        def program(x, v, k):
            return total(made(v, k), x)
    """,
    "a pattern, and whatever else": """
        def total(node, x):
            match node:
                case Leaf(w=w):
                    return w * x
                case _:
                    return node.t * total(node.low, x) + total(node.high, x)
        def program(x, v, k):
            return total(made(v, k), x)
    """,
    "patterns for all there are, in an array": """
        def total(node, x):
            match node:
                case Leaf(w=w):
                    return w * x
                case Split(t=t, low=low, high=high):
                    return t * total(low, x) + total(high, x)
        def program(x, v, k):
            node, sums = made(v, k), np.zeros(3)
            sums += np.array([total(node, e * x) for e in v])
            return np.sum(sums * v)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_classes_that_something_else_tells_apart(name):
    assert_differentiated(CLASSES + PROGRAMS[name], seeds=range(3))


class Leaf:
    def __init__(self, w):
        self.w = w


class Split:
    def __init__(self, t, low, high):
        self.t, self.low, self.high = t, low, high


class Joint:
    def __init__(self, angle):
        self.angle = angle


def size_of(nodes, sorts):
    total = 0.0
    for node, sort in zip(nodes, sorts):
        if sort == 0:
            total += node.w
        elif sort == 1:
            total += node.t
        else:
            total += node.angle**2
    return total


def test_classes_that_this_data_lacks():
    leaf = Leaf(3.0)
    nodes, sorts = [leaf, Split(2.0, leaf, leaf)] * 50, [0, 1] * 50
    assert value_and_grad(size_of)(nodes, sorts)[0] == 250.0
    with pytest.raises(AttributeError, match="no attribute 'angle'"):
        grad(size_of)(nodes, [*sorts[:-1], 2])
    found = grad(size_of)([*nodes, Joint(0.5)], [*sorts, 2])
    assert found[-1].angle == 1.0


def lowest(node):
    return node.t * node.low.w


def test_classes_known_by_their_place():
    leaf = Leaf(3.0)
    tree = Split(2.0, leaf, Split(0.5, leaf, leaf))
    value, gradient = value_and_grad(lowest)(tree)
    assert (value, gradient.t, gradient.low.w) == (6.0, 3.0, 2.0)
    with pytest.raises(AttributeError, match="no attribute 'w'"):
        grad(lowest)(Split(2.0, Split(0.5, leaf, leaf), leaf))
