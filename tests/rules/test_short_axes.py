"""Arrays that are as short as what is asked of them, or shorter: what is left has no
elements, or isn't a number."""

import numpy as np
import pytest
from scipy import linalg, signal

from s2sad import grad, jvp
from s2sad.testing import check_grads

LINE = np.array([1.0, 2.1, 4.0, 3.3, 0.7])


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def check(function, *args):
    """Both modes against differences; the gradient with no rewrites, and for arrays
    that are longer and shorter than those it was compiled for."""
    check_grads(function, args)
    both = tuple(range(len(args)))
    found = grad(function, both)(*args)
    plain = grad(function, both, optimise=False)(*args)
    for value, one, other in zip(args, found, plain, strict=True):
        assert np.shape(one) == np.shape(other) == np.shape(value)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


# ------------------------------------------------------------------ differences

DIFFERENCES = [
    lambda y: np.diff(y, n=2),
    lambda y: np.diff(y, 3),
    lambda y: np.diff(y[1:], 2),
    lambda y: np.diff(y, 2, prepend=y[:1] * 2.0),
    lambda y: np.diff(y[:, None] * y, 3, axis=0),
    lambda y: np.diff(y * y[:, None], 4),
    lambda y: np.diff(np.diff(y), 2),
]


@pytest.mark.parametrize("function", DIFFERENCES)
@pytest.mark.parametrize("length", [0, 1, 2, 3, 5])
def test_higher_differences(function, length):
    check(
        lambda y: np.sum(np.sin(function(y))) + np.sum(y * y),
        LINE[:length],
    )


@pytest.mark.parametrize("shape", [(1, 3), (3, 1), (2, 2), (0, 2)])
@pytest.mark.parametrize("axis", [0, 1, -2])
def test_higher_differences_along_an_axis(shape, axis):
    y = np.resize(LINE, shape)
    check(lambda y: np.sum(np.diff(y, 3, axis) ** 2) + np.sum(y * y), y)


def test_second_differences_of_two_and_more_need_no_part():
    text = grad(lambda y: np.sum(np.diff(y, 2) ** 2)).source_for(LINE)
    assert "[:" not in text


# ------------------------------------------------------------------ covariances

COVARIANCES = [
    np.cov,
    np.corrcoef,
    lambda y: np.cov(y, y * y),
    lambda y: np.corrcoef(y, y * y),
    lambda y: np.cov(y[::2]),
    lambda y: np.cov(y, ddof=2),
    lambda y: np.cov(y, ddof=2, fweights=np.ones(len(y), int)),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", COVARIANCES[:-1])
def test_covariances_of_nothing_and_of_one_observation(function):
    for length in (0, 1):
        y = LINE[:length]
        assert np.isnan(function(y)).all()
        for switches in ({}, {"optimise": False}):
            gradient = grad(lambda y: np.sum(function(y)), **switches)(y)
            assert gradient.shape == y.shape and np.isnan(gradient).all()
        value, tangent = jvp(lambda y: np.sum(function(y)), (y,), (np.ones(length),))
        assert np.isnan(value) and np.isnan(tangent)


@pytest.mark.filterwarnings("ignore")
def test_no_degrees_of_freedom_are_left():
    for function in COVARIANCES[-2:]:
        value, _ = jvp(function, (LINE[:2],), (np.ones(2),))
        assert np.isinf(function(LINE[:2])) and np.isinf(value)
        value, _ = jvp(function, (LINE[:1],), (np.ones(1),))
        assert np.isnan(function(LINE[:1])) and np.isnan(value)


@pytest.mark.parametrize("function", COVARIANCES)
def test_covariances_of_several_observations(function):
    check(lambda y: np.sum(np.cos(function(y))), LINE)


# ------------------------------------------------------------------ no elements


def total(found, k):
    return np.sum(np.sin(found)) + np.sum(k * k)


NOTHING = [
    lambda y, k: total(signal.fftconvolve(y, k), k),
    lambda y, k: total(signal.fftconvolve(y, k, "same"), k),
    lambda y, k: total(signal.fftconvolve(k, y, "same"), k),
    lambda y, k: total(signal.fftconvolve(y, k, mode="valid"), k),
    lambda y, k: total(signal.fftconvolve(y, y), k),
    lambda y, k: total(signal.oaconvolve(y, k, "same"), k),
    lambda y, k: total(signal.oaconvolve(k, y), k),
    lambda y, k: total(signal.convolve(y, k, "same"), k),
    lambda y, k: total(signal.correlate(y, k, "same"), k),
    lambda y, k: total(linalg.toeplitz(y, k), k),
    lambda y, k: total(linalg.toeplitz(k, y), k),
    lambda y, k: total(linalg.toeplitz(y), k),
    lambda y, k: total(linalg.hankel(y, k), k),
    lambda y, k: total(linalg.hankel(k, y), k),
    lambda y, k: total(linalg.hankel(y), k),
    lambda y, k: total(linalg.circulant(y), k),
]


@pytest.mark.parametrize("function", NOTHING)
def test_of_no_elements_and_of_some(function):
    check(function, LINE[:0], LINE[:3])
    check(function, LINE, LINE[:3])


def test_shapes_of_matrices_without_elements():
    empty, k = LINE[:0], LINE[:3]
    for made in (linalg.toeplitz, linalg.hankel):
        for y, other in ((empty, k), (k, empty), (empty, empty)):
            value, tangent = jvp(lambda y, k: made(y, k), (y, other), (y, other))
            assert value.shape == tangent.shape == made(y, other).shape
