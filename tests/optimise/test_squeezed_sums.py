"""Squeezed sums: the adjoints of arrays with axes added."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hvp
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

W = np.array([0.5, -1.0, 2.0])
X = np.linspace(-1.0, 1.0, 12).reshape(3, 4)

FUNCTIONS = [
    lambda w, x: np.sum((w[:, None] * x) ** 2),
    lambda w, x: np.sum(w[:, None] / (2.0 + np.sin(x))),
    lambda w, x: np.sum(w[:, None] * x + w[None, :, None] * x[:, None, :1]),
    lambda w, x: np.sum(np.exp(w[..., None] - x) * np.expand_dims(w, -1)),
    lambda w, x: np.sum(-3.0 * (w[None, :] * w[:, None]) @ x),
    lambda w, x: np.max(np.where(x > 0, w[:, np.newaxis] * x, 0.0)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients(function):
    assert check_grads(function, (W, X), order=2).passed
    found = grad(function, (0, 1))(W, X)
    for off in (False, {"squeezed_sums": False}):
        assert_trees_close(
            found, grad(function, (0, 1), optimise=off)(W, X), rtol=1e-12
        )
    assert found[0].base is None
    single = grad(function)(W.astype("float32"), X.astype("float32"))
    assert single.dtype == np.float32
    assert_trees_close(single, found[0].astype("float32"), rtol=1e-4, atol=1e-5)
    product = hvp(function)(W, X, W)
    assert_trees_close(product, hvp(function, optimise=False)(W, X, W), atol=1e-12)


def test_nothing_is_kept():
    text = grad(FUNCTIONS[0]).source_for(W, X)
    assert "keepdims" not in text and "squeeze" not in text and "zeros" not in text


def test_other_shapes():
    """Axes of length 1, empty ones and arrays without axes keep their shapes."""
    for shape in ((1,), (0,)):
        w = np.ones(shape)
        assert grad(FUNCTIONS[0])(w, np.ones((1, 4))).shape == shape
    number = grad(lambda w: np.sum(w[None] * np.abs(X)))(np.array(2.0))
    assert_trees_close(number, np.array(np.sum(np.abs(X))), rtol=1e-12)
    assert_trees_close(grad(lambda w: np.sum(w[None]))(W), np.ones(3))
    assert_trees_close(grad(lambda w: np.mean(w[:, None]))(W), np.ones(3) / 3)


def test_of_pairs():
    """The distances of all pairs: the sum with the other sign, too."""

    def of_pairs(x):
        d = x[:, None] - x[None, :]
        return np.sum(np.exp(d) * d)

    x = np.array([0.3, -0.7, 1.1])
    text = grad(of_pairs).source_for(x)
    assert "x_bar = np.sum(d_bar, axis=1) - np.sum(d_bar, axis=0)" in text
    found, plain = grad(of_pairs)(x), grad(of_pairs, optimise=False)(x)
    assert_trees_close(found, plain, rtol=1e-12)
