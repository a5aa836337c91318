"""Quotients of cotangents whose rank only the run knows: such a one may be a number of
Python's, whose operators raise where NumPy's give inf."""

import math

import numpy as np
import pytest

from s2sad import grad


class Named(float):
    """A number with an operator of its own: what kind negating it gives isn't known."""

    def __mul__(self, other):
        return None


NAMED = Named(2.0)

SINGULAR = {
    "asin": (lambda x: math.asin(1.0 - x), 0.0),
    "acos": (lambda x: math.acos(1.0 - x), 0.0),
    "acosh": (lambda x: math.acosh(1.0 + x), 0.0),
    "sqrt": (lambda x: math.sqrt(x), 0.0),
    "power": (lambda x: x**0.5, 0.0),
    "hypot": (lambda x: math.hypot(x, 0.0), 0.0),
}


@pytest.mark.parametrize("name", SINGULAR)
@pytest.mark.parametrize("chosen", [True, False])
def test_nothing_raises_where_the_function_does_not(name, chosen):
    singular, at = SINGULAR[name]

    def f(x, bound):
        return max(singular(x), bound) + -NAMED

    value = singular(at)
    found = grad(f)(at, value - 1.0 if chosen else value + 1.0)
    if not chosen:
        assert found == 0.0
    else:
        assert abs(found) == np.inf or found == grad(singular)(at)
