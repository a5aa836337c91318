"""Integrals of samples whose places or distances are broadcast against the samples."""

import numpy as np
import pytest
from scipy import integrate

from s2sad import grad, jvp
from s2sad.testing import check_grads

RNG = np.random.default_rng(4)
LINE, GRID, BLOCK = (RNG.normal(size=s) for s in ((4,), (4, 3), (2, 4, 3)))
STEPS, PLACES = np.array([0.1, 0.2, 0.3]), np.array([0.0, 0.4, 1.0, 1.7])
FAMILY = [np.trapezoid, integrate.trapezoid, integrate.cumulative_trapezoid]


def squares(values):
    """Unequal weights, so that no two elements have the same derivative."""
    weights = np.reshape(np.arange(1.0, 1.0 + np.size(values)), np.shape(values))
    return np.sum(weights * values * values)


def check(function, *args):
    check_grads(function, args)
    both = tuple(range(len(args)))
    found = grad(function, both)(*args)
    plain = grad(function, both, optimise=False)(*args)
    for value, one, other in zip(args, found, plain, strict=True):
        assert np.shape(one) == np.shape(other) == np.shape(value)
        np.testing.assert_allclose(one, other)


DISTANCES = [
    (LINE, STEPS, -1),
    (LINE, STEPS[:1], 0),
    (LINE, np.array(0.3), -1),
    (LINE[:2], STEPS, -1),
    (LINE, RNG.random((2, 3)), -1),
    (GRID, STEPS[:, None], 0),
    (GRID, STEPS[:2], -1),
    (GRID, RNG.random((4, 2)), 1),
    (BLOCK, RNG.random((3, 1)), 1),
]


@pytest.mark.parametrize("function", FAMILY)
@pytest.mark.parametrize("y, steps, axis", DISTANCES)
def test_each_interval_has_a_length(function, y, steps, axis):
    check(lambda y, h: squares(function(y, dx=h, axis=axis)), y, steps)


def test_the_derivative_by_each_length_is_the_height():
    gradient = grad(lambda y, h: np.trapezoid(y, dx=h), 1)
    found = gradient(np.array([1.0, 2.0, 4.0, 8.0]), STEPS)
    np.testing.assert_allclose(found, [1.5, 3.0, 6.0])


def test_lengths_in_a_list():
    check(lambda y, h: np.trapezoid(y, dx=[h[0], h[1] * h[0], 2.0]), LINE, STEPS)


PLACES_OF_SAMPLES = [
    (FAMILY, GRID, PLACES[:, None], 0),
    (FAMILY, BLOCK, PLACES[None, :, None], 1),
    (FAMILY, BLOCK, np.cumsum(RNG.random((2, 4, 1)), 1), 1),
    (FAMILY[:2], BLOCK, np.cumsum(RNG.random((4, 3)), 0), -2),
    (FAMILY[1:2], BLOCK, np.cumsum(RNG.random((4, 3)), 0), 1),
    (FAMILY[:1], GRID[:, :1], np.cumsum(RNG.random((4, 3)), 0), 0),
]


@pytest.mark.parametrize(
    "function, y, x, axis",
    [(f, *rest) for functions, *rest in PLACES_OF_SAMPLES for f in functions],
)
def test_places_are_broadcast(function, y, x, axis):
    check(lambda y, x: squares(function(y, x, axis=axis)), y, x)


@pytest.mark.parametrize("y, x", [(GRID, PLACES), (LINE, PLACES)])
def test_places_along_the_axis_need_no_sums_over_what_was_broadcast(y, x):
    text = grad(lambda y, x: np.sum(np.trapezoid(y, x, axis=0)), (0, 1))
    assert "sum_to_shape_of" not in text.source_for(y, x)


def test_the_first_sums_beside_lengths():
    def f(y, h):
        return squares(integrate.cumulative_trapezoid(y, dx=h, initial=0))

    check(f, LINE, STEPS)
    check(f, LINE, RNG.random((2, 3)))


@pytest.mark.parametrize("y", [GRID[:3], np.concatenate((GRID, GRID))[:6], LINE])
@pytest.mark.parametrize("steps", [STEPS, STEPS[:1], np.array(0.3)])
def test_simpson_multiplies_by_distances(y, steps):
    check(lambda y, h: squares(integrate.simpson(y, dx=h, axis=0)), y, steps)


@pytest.mark.parametrize("shape, axis", [((1,), -1), ((1, 3), 0), ((3, 1), 1)])
@pytest.mark.parametrize("initial", [None, 0])
def test_one_sample_has_no_interval(shape, axis, initial):
    def f(y, x):
        found = integrate.cumulative_trapezoid(y, x, axis=axis, initial=initial)
        return np.sum(found) + np.sum(y * y * x)

    check(f, np.resize(LINE, shape), np.resize(PLACES, shape) + 1.0)


def test_one_tangent_beside_none():
    def f(y, x):
        return np.sum(integrate.cumulative_trapezoid(y, x, initial=0)) + y[0] * x[0]

    values = LINE[:1], PLACES[1:2]
    _, tangent = jvp(f, values, (np.ones(1), None))
    np.testing.assert_allclose(tangent, PLACES[1])
    _, tangent = jvp(f, values, (None, np.ones(1)))
    np.testing.assert_allclose(tangent, LINE[0])
