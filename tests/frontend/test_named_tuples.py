"""NamedTuples wherever a tuple may stand, and methods of their own where Python asks
these."""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

CLASSES = """
from collections import namedtuple
from typing import NamedTuple
class Q(NamedTuple):
    x: float
    y: float = 2.0
P = namedtuple("P", "x y")
class Vector(NamedTuple):
    a: float
    b: float
    def __add__(self, other):
        return Vector(self.a + other.a, self.b * other.b)
class Turned(NamedTuple):
    a: float
    b: float
    def __iter__(self):
        return iter((self.b, self.a, self.a))
def three(a, b, c=1.0, d=2.0):
    return a * b * c * d
"""
EXPRESSIONS = {
    "joined": "sum(Q(x) + (x, x)) * sum((x, y) + Q(x)) + sum(Q(x, y) + P(x * y, y))",
    "sums_of_tuples": "sum((Q(x, y), P(x, x * y)), start=())[3] * (Q(x)[1:] + (y,))[1]",
    "repeated": "sum(Q(x, y) * 3) + (2 * P(x, y))[2] * y",
    "arrays": "np.sum(np.array(Q(x, y)) ** 2) + np.dot(Q(x, y), P(y, x))",
    "arrays_of_rows": "np.sum(np.array([Q(x, y), P(y, x)]) @ np.array([1.0, y]))",
    "joined_arrays": "np.sum(np.stack(Q(np.ones(2) * x, np.ones(2) * y)) ** 2)",
    "beside_arrays": "np.sum(np.ones(2) * Q(x, y) - P(y, x)) * np.mean(P(x, y))",
    "axes": "np.transpose(np.array([[x, y], [y, y * x]]), Q(1, 0))[P(0, 1)] * y",
    "keys": "{Q(1, 2): x, P(2, 3): y}[1, 2] * y",
    "keys_run_over": "sum(v * k.y for k, v in {Q(1, 2): x, Q(2, 3): y}.items())",
    "found": "Q(x, 9.0).index(9.0) * x + Q(y, 8.0).count(8.0) * y",
    "made": "P._make([x, y]).y * Q._make(v * x for v in (x, y)).x",
    "own_operators": "(Vector(x, y) + Vector(y, x)).b * sum(Q(x) + P(y, x))",
    "own_iteration": "sum([*Turned(x, y)]) * three(*Turned(x, y)) + max(*Turned(x, y))",
}
LOOPS = {
    "shifted": """
        t = Q(x, y)
        for i in range(k):
            t = t[1:] + (x * t[0],)
        return sum(t)
    """,
    "in_place": """
        m = np.ones((2, 2))
        m += Q(x, y)
        m *= [x, k]
        m[0] = Q(y, x)
        m[:, 1] -= P(x, y)
        return np.sum(m ** 2)
    """,
    "of_any_length": """
        return sum(Q(x, y) * (k + 1)) + sum(v * v for v in (k + 2) * P(y, x))
    """,
    "added_up": """
        q = Q(x, y)
        for i in range(k):
            q = Q(*(a * b for a, b in zip(q, q + q)))
            q += ()
            q = Q._make(q)
        return q.x * q.y
    """,
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_they_are_tuples(name):
    text = f"{CLASSES}def program(x, y):\n    return {EXPRESSIONS[name]}\n"
    assert_differentiated(text, seeds=range(2))


@pytest.mark.parametrize("name", LOOPS)
def test_they_are_tuples_in_loops(name):
    assert_differentiated(f"{CLASSES}def program(x, y, k):{LOOPS[name]}")


class Own(namedtuple("Base", "a b")):
    def __new__(cls, a, b):
        return super().__new__(cls, 2.0 * a, b)


class Turned(NamedTuple):
    a: float
    b: float

    def __iter__(self):
        return iter((self.b, self.a, self.a))


class AsArray(NamedTuple):
    a: float
    b: float

    def __array__(self, dtype=None, copy=None):
        return np.array([self.b, 3.0 * self.a])


@pytest.mark.parametrize(
    "function, message",
    (
        (lambda x: Own(x, x).a, "Own is made by more than __init__"),
        (lambda x: np.sum(np.array(Turned(x, x))), "by its own __iter__"),
        (lambda x: np.dot([AsArray(x, x)], np.ones(2))[0], "by its own __array__"),
    ),
)
def test_refused(function, message):
    with pytest.raises(UnsupportedError, match=message):
        grad(function)(2.0)
