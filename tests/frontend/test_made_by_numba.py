"""Functions that call what Numba's decorators make of others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad, jvp
from s2sad.errors import UnsupportedError
from tests.codegen.numba.comparing import differences

numba = pytest.importorskip("numba")


@numba.njit
def square(x):
    return x * x


@numba.vectorize
def softened(x):
    if x > 0:
        return math.log(1.0 + x)
    return 0.5 * x


@numba.vectorize(["float64(float64, float64)"], nopython=True)
def wave(x, y):
    return square(x) * math.sin(y)


@numba.vectorize(["float32(float32)"])
def single(x):
    return x * x


@numba.guvectorize(["void(float64[:], float64[:])"], "(n)->()")
def total(x, out):
    out[0] = x[0]


@numba.stencil
def neighbours(x):
    return x[-1] + x[1]


FOLLOWED = [
    lambda x: np.sum(square(x)),
    lambda x: np.sum(softened(x) * x),
    lambda x: np.sum(softened(np.outer(x, x))),
    lambda x: softened(x[1]) * wave(x[0], 2.0),
    lambda x: np.sum(wave(x, 0.3)),
    lambda x: np.sum(wave(x[:, None], x) * x),
    lambda x: np.sum(wave(2.0, x)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", FOLLOWED)
def test_elements_are_computed_as_numbers_are(function):
    x = np.array([0.5, -1.0, 2.0])
    (wanted,) = differences(function, (x,), (0,))
    np.testing.assert_allclose(grad(function)(x), wanted, rtol=1e-6, atol=1e-7)
    value, tangent = jvp(function, (x,), (np.ones(3),))
    np.testing.assert_allclose(value, function(x))
    np.testing.assert_allclose(tangent, np.sum(wanted), rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (total, "numba.guvectorize writes its results into an argument"),
        (neighbours, "numba.stencil has a meaning of its own for indices"),
        (single, "single computes in single precision"),
    ],
)
def test_what_is_not_followed_is_refused_by_name(function, words):
    with pytest.raises(UnsupportedError, match=words):
        grad(lambda x: np.sum(function(x)))(np.ones(3))


def test_keywords_of_ufuncs_are_refused():
    with pytest.raises(UnsupportedError, match="called with where="):
        grad(lambda x: np.sum(softened(x, where=x > 0)))(np.ones(3))
