"""Reductions along an axis in loops that give a name its value: its cotangent is the
number 0.0 in all turns but one, and an array in that."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, jvp

G = np.random.default_rng(0).uniform(0.5, 2.0, (4, 4))
WEIGHTS = np.array([0.3, -1.2])

REDUCTIONS = {
    "sum": lambda g: np.sum(g, axis=1),
    "mean": lambda g: np.mean(g, axis=1),
    "var": lambda g: np.var(g, axis=1),
    "std": lambda g: np.std(g, axis=1, ddof=1),
    "prod": lambda g: np.prod(g, axis=1),
    "max": lambda g: np.max(g, axis=1),
    "median": lambda g: np.median(g, axis=1),
    "average": lambda g: np.average(g, axis=1, weights=np.array([1.0, 3.0])),
    "nanmean": lambda g: np.nanmean(g, axis=1),
    "quantile": lambda g: np.quantile(g, 0.3, axis=1),
    "ptp": lambda g: np.ptp(g, axis=1),
    "norm": lambda g: np.linalg.norm(g, axis=1),
    "a quotient": lambda g: 2.0 / g[:, 0],
    "a quotient by a number": lambda g: g[:, 1] / 3.0,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_each_row_has_its_own_cotangent(name, optimise):
    reduction = REDUCTIONS[name]

    def last(g, k):
        for i in range(k):
            z = reduction(g[:k, i : i + k])
        return np.sum(z * WEIGHTS)

    step = 1e-6
    found = grad(last, optimise=optimise)(G, 2)
    for place in np.ndindex(G.shape):
        h = np.zeros_like(G)
        h[place] = step
        slope = (last(G + h, 2) - last(G - h, 2)) / (2 * step)
        assert found[place] == pytest.approx(slope, abs=1e-6), place
    direction = np.cos(np.arange(16.0)).reshape(4, 4)
    _, tangent = jvp(last, (G, 2), (direction, None))
    assert tangent == pytest.approx(np.sum(found * direction))
