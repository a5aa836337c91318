"""Sets of whole numbers known only when the program runs, and the truth of lists."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a set of whole numbers": """
def program(v, k):
    small = {i for i, x in enumerate(v) if x < 0.3}
    total = v[0] * v[1]
    for i in small:
        total += v[i] ** 2 * (i + 1)
    if small:
        total = total * 1.5
    if k in small:
        total += v[0]
    if not small:
        total = total * 2.0
    return total * len(small) + sum(small) + sum(v[i] for i in sorted(small))
""",
    "a set of each": """
def program(v, k):
    parts = {(i * k) % 3 for i in (0, 1, 2)}
    places = [v[i] for i in parts]
    return sum(x * x for x in places) * len(parts) + max(parts)
""",
    "set of a list": """
def program(v, k):
    parts = set([(i * i) % (k + 2) for i in range(k + 2)])
    total = v[0]
    for i in parts:
        total += v[i % 3] * v[0]
    return total + len(frozenset(i // 2 for i in range(k)))
""",
    "truth of rows": """
def program(v, a):
    rows = [(x, x * x) for x in v if x > 0.7]
    total = a * a
    if rows:
        total = total * 3.0
    if not rows:
        total = total * a
    y = a if rows else v[0]
    return total * y + (2.0 * a if bool(rows) else 0.0)
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_sets(name):
    assert_differentiated(PROGRAMS[name], range(5))


def union(v, k):
    parts = {i for i in range(k)} | {1}
    return v[0] * len(parts)


def equal(v, k):
    parts = {i for i in range(k)}
    return v[0] if parts == {0, 1} else v[1]


def of_floats(v, k):
    return sum({x * x for x in v if x > 0.0})


def rows_as_a_value(v, k):
    rows = [(x, x * x) for x in v if x > 0.0]
    return v[0] if rows == [] else v[1]


@pytest.mark.parametrize(("function", "found"), [(union, [2, 0]), (equal, [1, 0])])
def test_operators(function, found):
    assert grad(function)(np.array([1.0, -2.0]), 2).tolist() == found


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (of_floats, "a number that varies and was"),
        (rows_as_a_value, "a list of structures"),
    ],
)
def test_refuses(function, reason):
    with pytest.raises(UnsupportedError, match=reason):
        grad(function)(np.array([1.0, -2.0]), 2)
