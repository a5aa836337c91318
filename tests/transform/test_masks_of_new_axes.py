"""An index that only adds axes selects nothing: no mask is needed behind it."""

from __future__ import annotations

import numpy as np

from s2sad import grad, vjp
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

X = np.linspace(0.5, 2.0, 3)
M = np.linspace(-1.0, 1.0, 6).reshape(3, 2)


def spread(x, m):
    return np.sum(m * (x**-1.5)[:, None])


def chosen(x, m):
    roots = np.sqrt(x)
    return np.sum(np.where(x > 0.0, roots, 0.0)[:, None] * m)


def read_in_part(x, m):
    roots = np.sqrt(x)
    return np.sum(roots[1:, None] * m[1:])


def test_no_mask_behind_new_axes():
    assert check_grads(spread, (X, M), wrt=(0, 1), order=2).passed
    assert "where" not in grad(spread, (0, 1)).source_for(X, M)
    assert "where" not in vjp(spread, X, M)[1].source


def test_masks_stay_masks():
    """What isn't chosen, or isn't read, has a cotangent of 0, also where the derivative
    of the root is infinite."""
    x = np.array([0.0, 1.0, 4.0])
    expected = np.sum(M, axis=1) * [0.0, 0.5, 0.25]
    for function in (chosen, read_in_part):
        with np.errstate(all="ignore"):
            assert_trees_close(grad(function)(x, M), expected, rtol=1e-14)
            assert_trees_close(vjp(function, x, M)[1](1.0)[0], expected, rtol=1e-14)
        assert check_grads(function, (X, M), order=2).passed
