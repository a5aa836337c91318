"""Guards are differentiated again: a cotangent that is zero by chance varies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad, hessian, hvp, jacfwd, jacrev
from tests.support.finite_differences import assert_trees_close


def _squared_log(x):
    return np.sum(np.where(x > 0, np.log(x), 0.0) ** 2)


def _in_a_loop(x):
    total = 0.0
    for k in range(len(x)):
        total = total + np.where(x[k] > 0, np.log(x[k]), 0.0) ** 2
    return total


def _slopes(x):
    """First, second and third derivative of the squared logarithm."""
    log = math.log(x)
    return 2 * log / x, (2 - 2 * log) / x**2, (4 * log - 6) / x**3


X = np.array([1.0, 2.0, 0.5])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [_squared_log, _in_a_loop])
@pytest.mark.parametrize("optimise", [None, False])
def test_second_derivatives_where_the_first_is_zero(function, optimise):
    expected = np.diag([_slopes(x)[1] for x in X])
    first = grad(function, optimise=optimise)
    assert_trees_close(first(X), np.array([_slopes(x)[0] for x in X]), rtol=1e-12)
    v = np.array([1.0, -2.0, 3.0])
    product = hvp(function, optimise=optimise)(X, v)
    assert_trees_close(product, expected @ v, rtol=1e-10, atol=1e-12)
    for whole in (jacfwd(first), jacrev(first), hessian(function)):
        assert_trees_close(whole(X), expected, rtol=1e-10, atol=1e-12)


def test_of_numbers():
    def function(x):
        return max(math.log(x), -9.0) ** 2 if x > 0 else 0.0

    first = grad(function)
    for x in (1.0, 2.0):
        assert_trees_close(jacfwd(first)(x), _slopes(x)[1], rtol=1e-10)
        assert_trees_close(jacrev(first)(x), _slopes(x)[1], rtol=1e-10)


def test_third_derivatives():
    first = grad(lambda x: np.where(x > 0, np.log(x), 0.0) ** 2)
    for x in (1.0, 3.0):
        for second in (jacfwd(first), jacrev(first)):
            third = jacfwd(second)(np.float64(x))
            assert_trees_close(third, _slopes(x)[2], rtol=1e-10)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [_squared_log, _in_a_loop])
def test_what_a_selection_made_zero_stays_zero(function):
    x = np.array([0.0, 2.0, -1.0])
    expected = [0.0, _slopes(2.0)[1], 0.0]
    with np.errstate(all="ignore"):
        first = grad(function)
        assert_trees_close(first(x), np.array([0.0, _slopes(2.0)[0], 0.0]), rtol=1e-12)
        assert_trees_close(hvp(function)(x, np.ones(3)), np.array(expected), rtol=1e-12)
        for whole in (jacfwd(first), jacrev(first)):
            assert_trees_close(whole(x), np.diag(expected), rtol=1e-12)


def test_a_users_own_guard_is_the_users():
    """At 0 the branch that ran is differentiated: it is constant."""

    def function(x):
        return np.sum(np.where(x == 0.0, 0.0, np.sin(x) * 3.0))

    x = np.array([0.0, 1.0])
    assert_trees_close(grad(function)(x), np.array([0.0, 3 * np.cos(1.0)]))
    expected = np.array([0.0, -3 * np.sin(1.0)])
    assert_trees_close(hvp(function)(x, np.ones(2)), expected, rtol=1e-12)
    assert_trees_close(np.diag(jacrev(grad(function))(x)), expected, rtol=1e-12)
