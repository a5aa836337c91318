"""Cotangents and tangents that are absent stay so through calls: what is zero by
structure is 0 times inf, too, and what is zero by chance is nan, as where the calls
are written out."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hessian, jacfwd, jacrev

KEPT = {"inlining": False}
X = np.array([0.0, 1.0, 2.0])


def logarithm(x):
    return np.log(x)


def root(x):
    return np.sqrt(x)


def square(x):
    return x * x


def total_of_squares(x):
    return np.sum(x * x)


def inverse(x):
    return 1.0 / x


def sums(x):
    return np.sum(np.log(x)), np.sum(x * x)


def logarithms(x):
    total = 0.0
    for i in range(len(x)):
        total = total + np.log(x[i])
    return total


def of_logarithms(x):
    return np.sum(logarithm(x))


def of_inverses(x):
    return np.sum(inverse(x))


def of_a_pair(x):
    return sums(x)[0]


def of_a_loop(x):
    return logarithms(x) + logarithms(2.0 * x)


def on_a_path(x):
    if x[1] > 0.0:
        return np.sum(root(x))
    return np.sum(x)


def twice(x):
    return np.sum(root(x) * 2.0) + np.sum(root(x)[1:])


POLES = (of_logarithms, of_inverses, of_a_pair, of_a_loop, on_a_path, twice)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", POLES, ids=lambda f: f.__name__)
def test_second_derivatives_beside_a_pole_are_zero(function):
    gradient = grad(function, optimise=KEPT)
    with np.errstate(all="ignore"):
        expected = hessian(function)(X)
        assert np.isinf(expected[0, 0]) and not np.isnan(expected).any()
        np.testing.assert_allclose(hessian(function, optimise=KEPT)(X), expected)
        np.testing.assert_allclose(jacfwd(gradient, optimise=KEPT)(X), expected)
        np.testing.assert_allclose(jacrev(gradient, optimise=KEPT)(X), expected)


def by_a_call(x):
    y = root(x)

    def total():
        return np.sum(y * y)

    return total() if x[1] > -1.0 else x[0]


def in_a_call(x):
    y = np.sqrt(x)
    return total_of_squares(y) if x[1] > -1.0 else x[0]


def of_a_number(x):
    y = np.sqrt(x[0])
    return square(y) if x[1] > -1.0 else x[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [None, KEPT], ids=str)
@pytest.mark.parametrize("function", [by_a_call, in_a_call, of_a_number])
def test_zeros_by_chance_are_not_absent(function, optimise):
    """The root's cotangent is 0 at 0, though the root is used."""
    with np.errstate(all="ignore"):
        assert np.isnan(grad(function, optimise=optimise)(X)[0])
        assert np.isnan(jacrev(function, optimise=optimise)(X)[0])


def length(x, y):
    return np.sqrt(x * x + y * y)


def of_lengths(x):
    return length(x[0], x[0]) + length(x[1], x[2])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [None, KEPT], ids=str)
def test_tangents_that_are_zero_by_chance_are_not_absent(optimise):
    """A length has no derivative at 0; beside it nothing is lost."""
    with np.errstate(all="ignore"):
        found = jacfwd(of_lengths, optimise=optimise)(X)
        assert np.isnan(found[0])
        np.testing.assert_allclose(found[1:], X[1:] / np.sqrt(5.0))
        second = hessian(of_lengths, optimise=optimise)(X)
        assert np.isnan(second[0, 0])
        np.testing.assert_allclose(second[1:, 0], 0.0)


def elementwise(x):
    return np.sqrt(x * x)


@pytest.mark.parametrize("optimise", [None, KEPT], ids=str)
def test_elements_without_a_tangent_keep_none(optimise):
    with np.errstate(all="ignore"):
        found = jacfwd(elementwise, optimise=optimise)(X)
    assert np.isnan(found[0, 0])
    assert not found[~np.eye(3, dtype=bool)].any()


def carried(x):
    """The tangent that ``last`` is made of is another turn's."""
    total, last = 0.0, x[1]
    for i in range(3):
        y = x[2 - i] * 1.0
        if i > 0:
            total = total + np.sqrt(last)
        last = y * y
    return total


@pytest.mark.parametrize("optimise", [None, KEPT], ids=str)
def test_tangents_of_another_turn(optimise):
    x = np.array([0.0, 1.5, 2.0])
    with np.errstate(all="ignore"):
        found = jacfwd(carried, optimise=optimise)(x)
    np.testing.assert_allclose(found, [0.0, 1.0, 1.0])


def mean(x):
    return np.mean(x)


def of_an_empty_mean(x, n):
    return mean(x[:n]) * mean(x)


@pytest.mark.filterwarnings("ignore")
def test_a_seed_may_be_a_number_of_pythons():
    """Divided by a length that is 0 it is inf or nan, as NumPy's are."""
    assert grad(mean)(np.zeros(0)).shape == (0,)

    def program(x):
        return mean(x) * 1.0

    assert grad(program, optimise=KEPT)(np.zeros(0)).shape == (0,)
    found = grad(of_an_empty_mean, wrt="x", optimise=KEPT)(X, 0)
    assert np.isnan(found).all()


def nested_rows(rows):
    return [[row] for row in rows], rows[0][0]


def of_nested_rows(rows):
    made, first = nested_rows(rows)
    return first * len(made)


def test_lists_of_kept_lists_have_no_zeros():
    rows = [[1.5] * (k + 1) for k in range(7)]
    off = {"scalar_replacement": False, "unrolling": False, "dead_code": False}
    derivative = grad(of_nested_rows, optimise={**KEPT, **off})
    assert derivative(rows)[:2] == [[7.0], [0.0, 0.0]]
