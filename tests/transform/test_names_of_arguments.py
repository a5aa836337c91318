"""Arguments and what a reverse function is given have names of their own."""

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


def test_an_argument_that_is_bound_again_is_read_as_it_was_given():
    def program(a, b, items):
        state = a * 1.0
        items = [item + state for item in items]
        return items[0] + b

    given = (0.5, 1.5, [2.0, np.ones(2)])
    for optimise in (True, False):
        found = grad(program, wrt=("a", "b", "items"), optimise=optimise)(*given)
        assert found[:2] == (1.0, 1.0) and found[2][0] == 1.0
        np.testing.assert_array_equal(found[2][1], np.zeros(2))
