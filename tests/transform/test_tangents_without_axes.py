"""Tangents that np.where chooses are arrays without axes: nothing may be added to them
in place while another name holds them."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import jvp

CHOSEN = {
    "minimum": np.minimum,
    "maximum": np.maximum,
    "fmin": np.fmin,
    "fmax": np.fmax,
    "where": lambda x, y: np.where(x < 1.0, x, y)[()],
    "clip": lambda x, y: np.clip(x, 0.1, y),
    "abs": lambda x, y: np.abs(x) * y,
    "hypot": np.hypot,
}


@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("o", [0, 1])
def test_two_names_of_one_tangent(name, k, o):
    choose = CHOSEN[name]

    def program(x, y, v, k, o):
        x = 0.5 if o else choose(x, y)
        total = x
        for _ in range(3):
            total = total + y
        x += total
        if k:
            y = v
        return np.sum(y + x)

    point, step = (0.3, 0.8, np.ones(3), k, o), 1e-6
    _, tangent = jvp(program, point, (1.0, 0.5, np.ones(3), None, None))
    moved = (0.3 + step, 0.8 + step / 2, np.ones(3) + step, k, o)
    slope = (program(*moved) - program(*point)) / step
    assert tangent == pytest.approx(slope, rel=1e-4)
