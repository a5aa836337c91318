"""The cotangent of ``np.where`` may only broadcast to the shape of the result."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from s2sad.testing import check_grads

X = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.8]])


def test_a_number_is_chosen_as_it_is():
    def mean(x):
        missing = np.isnan(x)
        return np.sum(np.where(missing, 0.0, x)) / np.sum(~missing)

    text = grad(mean).source_for(X)
    assert "x_bar = np.where(missing, 0.0, 1.0 / np.sum(~missing))" in text
    assert grad(mean)(X.astype(np.float32)).dtype == np.float32


@pytest.mark.sampled(6)
@pytest.mark.parametrize("condition", [X > 0, X[:1] > 0, X[:, :1] > 0, X[0] > 0, True])
@pytest.mark.parametrize("other", [X[1], X[:, 1:2], np.array(0.5), 2.0, X * X])
def test_broadcasting(condition, other):
    def chosen(x, y, scale):
        return np.sum(np.where(condition, x, y)) * scale

    assert check_grads(chosen, (X, other, 1.5), order=2).passed
    assert check_grads(lambda y, x: chosen(x, y, 0.7), (other, X[0]), order=2).passed
