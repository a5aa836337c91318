"""Views that the reverse sweep takes again are no residuals."""

from __future__ import annotations

import numpy as np

from s2sad import vjp
from tests.support.finite_differences import assert_trees_close


def _parts(x, k):
    left, right = x[:, :2], x[:, 2]
    first = np.tanh(left) * right[:, None]
    some = x[k]
    return np.sum(first.T * left.T, axis=0) * some[:3] ** 2


def _written(x, k):
    part = x[0]
    y = np.exp(part)
    x[0] = y * part
    return np.sum(x * x[k], axis=1)


X = np.arange(12.0).reshape(3, 4) / 7.0
BAR = np.array([1.0, -2.0, 0.5])


def test_views_of_what_is_kept_are_not_kept():
    _, pullback = vjp(_parts, X, 1)
    forward, reverse = pullback.source.split("_parts_reverse")
    assert "x_kept" in forward and "left_kept" not in forward
    assert "item_kept" not in forward and "right_kept" not in forward
    assert "x[:, 2]" in reverse


def test_pullbacks_may_be_called_again():
    for function in (_parts, _written):
        x = X.copy()
        _, pullback = vjp(function, x, 1)
        first = pullback(BAR)[0]
        x[:] = np.nan  # the residuals are the pullback's own
        assert_trees_close(pullback(BAR)[0], first, rtol=0.0)
        expected = np.zeros_like(X)
        for place in np.ndindex(X.shape):
            step = np.zeros_like(X)
            step[place] = 1e-6
            change = function(X + step, 1) - function(X - step, 1)
            expected[place] = change @ BAR / 2e-6
        assert_trees_close(first, expected, rtol=1e-6, atol=1e-8)
