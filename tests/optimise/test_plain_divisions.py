"""Quotients are plain where the function divided by the same number, and only there."""

from __future__ import annotations

import math

import pytest

from s2sad import grad, hvp, vjp
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

OFF = {"plain_divisions": False}


def field(x, y):
    return grad(lambda a: 1.0 / math.sqrt(a * a + y * y) + y / a)(x)


def field_in_a_loop(x, y):
    total = 0.0
    for k in range(3):
        x = x + 0.1 * field(x, y) + 0.1 * k
        total = total + x
    return total


def of_a_logarithm(x, y):
    total = 0.0
    for _ in range(2):
        root = math.sqrt(x * y)
        total = total + math.log(root) * root
        x = x * y
    return total


PLAIN = (field, field_in_a_loop, of_a_logarithm)


def root(x, y):
    return math.sqrt(x) * y


def root_of_some(x, y):
    total = 0.0
    for k in range(2):
        root = math.sqrt(x * k)
        if k > 0:
            total = total + 1.0 / root
        total = total + root * y
    return total


def other_value(x, y):
    root = math.sqrt(x)
    z = y / (root + 1.0)
    root = math.sqrt(x * y)
    return z + root


def caught(x, y):
    root = math.sqrt(x)
    try:
        z = y / root
    except ZeroDivisionError:
        z = y
    return z + root


GUARDED = (root, root_of_some, other_value, caught)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", PLAIN + GUARDED)
def test_quotients(function):
    text = grad(function, (0, 1)).source_for(0.7, 1.3)
    plain = grad(function, (0, 1), optimise=OFF)
    assert "quotient(" in plain.source_for(0.7, 1.3)
    assert ("quotient(" in text) == (function in GUARDED)
    found = grad(function, (0, 1))(0.7, 1.3)
    assert_trees_close(found, plain(0.7, 1.3), rtol=1e-13)
    assert_trees_close(vjp(function, 0.7, 1.3)[1](1.0), found, rtol=1e-14)
    twice = hvp(function)(0.7, 1.3, 1.0)
    assert_trees_close(twice, hvp(function, optimise=OFF)(0.7, 1.3, 1.0), rtol=1e-12)
    if function is not root_of_some:  # the derivative of the root is infinite at 0
        assert check_grads(function, (0.7, 1.3), wrt=(0, 1)).passed


@pytest.mark.parametrize("function", [root, root_of_some, caught])
def test_nothing_raises_where_the_function_does_not(function):
    x = 0.0 if function is not root_of_some else 0.5
    function(x, 0.5)
    found = grad(function)(x, 0.5)
    expected = grad(function, optimise=False)(x, 0.5)
    assert found == expected or math.isnan(found) == math.isnan(expected)
