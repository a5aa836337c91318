"""Gradients by arrays in single precision are in single precision, whatever path they
take: through sums in loops, lists, and numbers that paths bring together."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad

OPERATIONS = {
    "matmul": lambda p: p.T @ p,
    "outer": lambda p: np.outer(p[0], p[1]),
    "cumsum": lambda p: np.cumsum(p, axis=0),
    "einsum": lambda p: np.einsum("ij,jk->ik", p, p),
    "solve": lambda p: np.linalg.solve(p + 3 * np.eye(3, dtype=p.dtype), p),
    "sort": lambda p: np.sort(p, axis=0),
    "max": lambda p: np.max(p, axis=0),
    "where": lambda p: np.where(p > 0, p, 0),
    "clip": lambda p: np.clip(p, -1, 1),
    "mean": np.mean,
    "std": lambda p: np.std(p, axis=1),
    "take": lambda p: p[[0, 0, 1]],
    "stack": lambda p: np.stack([p, p * p]),
    "det": np.linalg.det,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_precision(operation):
    def plain(p):
        return np.sum(operation(p))

    def summed_in_a_loop(p):
        total = 0.0
        for k in range(2):
            p = 0.5 * p + k
            total += np.sum(operation(p))
        return total

    def listed(p):
        parts = []
        for k in range(2):
            parts.append(operation(p) * k)
        return sum([np.sum(part) for part in parts])

    def branched(p, k=1):
        result = operation(p)
        if k > 0:
            result = result * 2
        return np.sum(result) * 1.5

    p = np.random.default_rng(0).normal(size=(3, 3)).astype(np.float32)
    for program in (plain, summed_in_a_loop, listed, branched):
        gradient = grad(program)(p)
        assert gradient.dtype == np.float32, program.__name__
        exact = grad(program)(p.astype(float))
        np.testing.assert_allclose(gradient, exact, rtol=2e-3, atol=2e-3)
