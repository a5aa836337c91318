"""Reverse lines read what the function has computed, where that still holds."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hvp, vjp
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=3)
A = np.eye(3) + 0.3 * GENERATOR.normal(size=(3, 3))


def turned(x):
    cosine, sine = np.cos(x), np.sin(x)
    return np.sum(cosine * sine**2)


def turned_later(x):
    sine = np.sin(x)
    cosine = np.cos(x)
    return np.sum(cosine * sine**2)


def overwritten(x):
    cosine = np.cos(x)
    total = np.sum(cosine * x)
    cosine = cosine * 2.0
    return total + np.sum(cosine * np.sin(x))


def in_a_loop(x):
    for _ in range(3):
        cosine = np.cos(x)
        x = x + cosine * np.sin(x)
    return np.sum(x)


def of_the_last_round(x):
    cosine = np.ones_like(x)
    for _ in range(3):
        change = cosine * np.sin(x)
        cosine = np.cos(x)
        x = x + change
    return np.sum(x * cosine)


def on_one_path(x):
    cosine = x
    if x[0] > 0:
        cosine = np.cos(x)
    return np.sum(cosine * np.sin(x))


def written_into(x):
    cosine = np.cos(x)
    cosine[0] = 5.0
    return np.sum(cosine * np.sin(x))


def of_a_written_argument(x):
    y = x * 2.0
    cosine = np.cos(y)
    y[0] = 5.0
    return np.sum(cosine * np.sin(y) * x)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function",
    [
        *(turned, turned_later, overwritten, in_a_loop, of_the_last_round),
        *(on_one_path, written_into, of_a_written_argument),
    ],
)
def test_gradients(function):
    for x in (X, -X):
        assert check_grads(function, (x,), order=2).passed
        found = grad(function)(x)
        for off in (False, {"results_at_hand": False}):
            plain = grad(function, optimise=off)(x)
            assert_trees_close(found, plain, rtol=1e-12, atol=1e-14)
        value, pullback = vjp(function, x)
        assert value == function(x)
        assert_trees_close(pullback(1.0)[0], found, rtol=1e-12, atol=1e-14)
        assert grad(function)(x.astype("float32")).dtype == np.float32


def lines(function, x, **words):
    text = grad(function, **words).source_for(x)
    return "\n".join(s for s in text.splitlines() if not s.strip().startswith("#"))


def test_sine_and_cosine_are_taken_once():
    for function in (turned, turned_later):
        assert lines(function, X).count("np.cos(") == 1
        assert lines(function, X).count("np.sin(") == 1
        off = lines(function, X, optimise={"results_at_hand": False})
        assert off.count("np.cos(") == 2
    assert lines(in_a_loop, X).count("np.cos(") == 1
    for function in (of_the_last_round, on_one_path):
        assert lines(function, X).count("np.cos(") == 2
    _, pullback = vjp(turned, X)
    assert pullback.source.count("np.cos(") == pullback.source.count("np.sin(") == 2


def normal(a):
    inverse = np.linalg.inv(a)
    return np.log(np.linalg.det(a)) + np.sum(inverse**2)


def determinant_first(a):
    determinant = np.linalg.det(a)
    return np.log(determinant) + np.sum(np.linalg.inv(a) ** 2)


def determinant_alone(a):
    return np.sin(np.linalg.det(a)) + np.sum(a**2)


def determinant_twice(a):
    inverse = np.linalg.inv(a)
    determinant = np.linalg.det(a)
    return determinant**2 + np.sum(inverse) / determinant


def determinants_in_a_loop(a):
    total = 0.0
    for _ in range(3):
        inverse = np.linalg.inv(a)
        total += np.log(np.linalg.det(a))
        a = a + 0.1 * inverse
    return total


def of_another_matrix(a):
    inverse = np.linalg.inv(a)
    a = a * 0.5
    return np.log(np.linalg.det(a)) + np.sum(inverse**2)


def sign_and_logarithm(a):
    inverse = np.linalg.inv(a)
    return np.linalg.slogdet(a)[1] + np.sum(inverse**2)


def of_batches(a):
    inverse = np.linalg.inv(a[None])
    return np.sum(np.log(np.linalg.det(a[None]))) + np.sum(inverse**2)


DETERMINANTS = {
    normal: False,
    determinant_first: True,
    determinant_alone: True,
    determinant_twice: False,
    determinants_in_a_loop: False,
    of_another_matrix: True,
    sign_and_logarithm: False,
    of_batches: True,
}
"""With each: whether the cofactors are computed."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", DETERMINANTS)
def test_determinants(function):
    assert check_grads(function, (A,), order=2).passed
    found = grad(function)(A)
    for off in (False, {"results_at_hand": False}):
        assert_trees_close(found, grad(function, optimise=off)(A), rtol=1e-10)
    text = grad(function).source_for(A)
    assert ("cofactors" in text) == DETERMINANTS[function]
    assert "inverse_or_nan" not in text
    assert_trees_close(
        hvp(function)(A, A), hvp(function, optimise=False)(A, A), rtol=1e-8, atol=1e-10
    )


def test_a_determinant_that_is_inverted_cancels():
    """Also where it is too small for a number, although the matrix can be inverted."""
    text = lines(normal, A)
    assert "np.linalg.det" not in text and "inverse.T" in text
    small = 1e-120 * A
    assert np.linalg.det(small) == 0.0

    def scaled(a):
        inverse = np.linalg.inv(a)
        return np.log(np.linalg.det(a)) + 1e-300 * np.sum(inverse)

    with np.errstate(all="ignore"):
        found = grad(scaled)(small)
    assert_trees_close(found, np.linalg.inv(small).T, rtol=1e-12)


def test_singular_matrices_have_cofactors():
    found = grad(determinant_alone)(np.diag([1.0, 2.0, 0.0]))
    assert_trees_close(found, np.diag([2.0, 4.0, 2.0]), rtol=1e-12, atol=1e-14)
