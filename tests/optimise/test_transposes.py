"""Transposes that cancel, and transposes of products."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hessian
from s2sad.testing import check_grads


def turned(h, p):
    return np.sum((h @ p @ h.T) ** 2)


def twice(h, p):
    return np.sum(h.T.T @ p @ np.transpose(h)) * h[0, 0]


def read_elsewhere(h, p):
    left = h.T
    return np.sum((p @ left) ** 2) + np.sum(left * left) + np.trace(left.T @ left)


def of_vectors(h, p):
    return np.sum((p.T @ h[0]) * (h @ p)[1]) + h[0] @ p @ h[1].T


def stacked(h, p):
    pile = np.stack([p, p @ p])
    return np.sum((pile @ h.T) ** 2) + np.sum(pile.T**3)


def in_a_loop(h, p):
    total = 0.0
    for k in range(3):
        p = 0.1 * (p @ h.T @ h) + k
        total += np.sum(p.T @ p)
    return total


@pytest.mark.sampled(6)
@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize(
    "program", [turned, twice, read_elsewhere, of_vectors, stacked, in_a_loop]
)
def test_gradients(program, dtype):
    generator = np.random.default_rng(2)
    h, p = generator.normal(size=(2, 3)), generator.normal(size=(3, 3))
    h, p = h.astype(dtype), p.astype(dtype)
    gradients = grad(program, (0, 1))(h, p)
    plain = grad(program, (0, 1), optimise={"transposes": False})(h, p)
    for one, other in zip(gradients, plain):
        assert one.dtype == dtype and not np.shares_memory(one, h)
        np.testing.assert_allclose(one, other, rtol=1e-11 if dtype is float else 1e-4)
    if dtype is float:
        check_grads(program, (h, p), order=2)
        without = hessian(program, optimise=False)(h, p)
        np.testing.assert_allclose(hessian(program)(h, p), without, rtol=1e-9)


def test_no_transpose_is_transposed():
    text = grad(turned, (0, 1)).source_for(np.ones((2, 3)), np.ones((3, 3)))
    assert "np.transpose" not in text and ".T.T" not in text
