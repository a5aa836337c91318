"""A caller's defaultdict is read by keys that it has."""

from __future__ import annotations

import contextlib
from collections import defaultdict

import pytest

from s2sad import value_and_grad
from s2sad.errors import UnsupportedError

WEIGHTS = {f"w{k}": float(k) for k in range(100)}


def caught(d, x):
    try:
        v = d["none"]
    except KeyError:
        v = 5.0
    return v * x


def suppressed(d, x):
    v = 5.0
    with contextlib.suppress(KeyError):
        v = d["none"]
    return v * x


def read(d, key, n):
    return read(d, key, n - 1) if n > 0 else d[key]


def caught_around_a_recursion(d, x):
    u = read(d, "w1", 2 if x > 0 else 3)
    try:
        v = read(d, "none", 2 if x > 0 else 3)
    except LookupError:
        v = 5.0
    return v * x + u


@pytest.mark.parametrize("function", [caught, suppressed, caught_around_a_recursion])
def test_a_key_that_may_be_caught_is_refused(function):
    weights = defaultdict(float, WEIGHTS)
    with pytest.raises(UnsupportedError, match="inside of a try"):
        value_and_grad(function, wrt=("d", "x"))(weights, 2.0)
    assert weights == WEIGHTS


def finished(d, x):
    try:
        v = read(d, "w3", 2 if x > 0 else 3)
    finally:
        x = 2.0 * x
    return v * x


def test_what_only_finishes_catches_nothing():
    weights = defaultdict(float, WEIGHTS)
    value, (gradient, slope) = value_and_grad(finished, wrt=("d", "x"))(weights, 2.0)
    assert (value, gradient["w3"], slope) == (12.0, 4.0, 6.0)


def looked_up(d, key):
    return d[key] ** 2


def test_a_key_that_is_not_there_is_not_added():
    weights = defaultdict(float, WEIGHTS)
    value, gradient = value_and_grad(looked_up)(weights, "w7")
    assert value == 49.0 and gradient["w7"] == 14.0
    with pytest.raises(KeyError, match="adds no 'none'"):
        value_and_grad(looked_up)(weights, "none")
    assert weights == WEIGHTS
