"""Reverse functions by themselves: what they are given has a name of its own."""

from __future__ import annotations

import numpy as np

from s2sad import grad, linearize, vjp


def test_a_variable_may_be_called_as_what_is_handed_on():
    def program(v):
        rows = [v * v for _ in v]
        for residuals in rows:
            residuals += np.dot(residuals, residuals)
        rows.append(np.ones(3))
        return np.sum(rows[0])

    v = np.array([0.5, 1.5, 2.0])
    value, pullback = vjp(program, v)
    assert value == program(v)
    np.testing.assert_allclose(pullback(1.0)[0], grad(program)(v), rtol=1e-14)
    _, linear = linearize(program, v)
    np.testing.assert_allclose(linear(np.ones(3)), np.sum(grad(program)(v)), rtol=1e-14)
