"""Context managers that are generators: the body stands where they yield."""

from __future__ import annotations

import math
from contextlib import contextmanager, nullcontext

import pytest

from s2sad import grad, hvp
from s2sad.errors import UnsupportedError


@contextmanager
def scaled(x, factor=2.0):
    z = x * factor
    try:
        yield z
    finally:
        print("closed")


@contextmanager
def twice(x):
    for _ in range(2):
        yield x
    yield x


def nested(x):
    with scaled(x) as s, scaled(s, 3.0) as t:
        u = s * t
    return u * x


def left_early(x):
    @contextmanager
    def shifted(a):
        yield a * x

    for i in range(3):
        with shifted(x + i) as v:
            if v > 3.0:
                break
            x = x + v
    return x


def returned_from(x):
    with scaled(x) as s:
        if s > 1.0:
            return s * math.sin(x)
    return x


def given_a_value(x):
    with (
        nullcontext(enter_result=x * 3.0) as y,
        nullcontext(x) as z,
        nullcontext() as n,
    ):
        w = y * z
    return w if n is None and y is not None else x


FUNCTIONS = [
    (given_a_value, 0.7),
    (nested, 1.2),
    (left_early, 0.3),
    (returned_from, 0.8),
    (returned_from, 0.1),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function, at", FUNCTIONS)
def test_what_a_manager_gives_is_differentiated(function, at):
    h = 1e-6
    expected = (function(at + h) - function(at - h)) / (2 * h)
    assert grad(function)(at) == pytest.approx(expected, rel=1e-7)
    slope = grad(function)
    second = (slope(at + h) - slope(at - h)) / (2 * h)
    assert hvp(function)(at, 1.0) == pytest.approx(second, rel=1e-6, abs=1e-6)


def test_a_manager_that_yields_at_two_places_is_refused():
    def wrong(x):
        with twice(x) as y:
            z = y * y
        return z

    with pytest.raises(UnsupportedError, match="yields once"):
        grad(wrong)(1.0)


def test_managers_of_one_local_function_keep_variables_of_their_own():
    def program(x):
        @contextmanager
        def doubled(items):
            before = items[0]
            items[0] = 2.0 * before
            yield items
            items[0] = before + items[1]

        items = [x, 1.0]
        with doubled(items), doubled(items) as inner:
            inner[1] = items[0]
        return items[0] * items[1]

    # (x + 4 * x) * 4 * x
    assert grad(program)(1.5) == 40.0 * 1.5
