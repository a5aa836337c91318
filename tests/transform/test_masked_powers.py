"""Powers and quotients of masked values: zeros by selection are guarded where a partial
derivative may be infinite, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, jvp
from tests.support.finite_differences import assert_trees_close

X = np.array([0.0, 1.0, 2.0])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.max((x[:, None] - x) ** 2, axis=1)),
        lambda x: np.sum(np.where(x > 0.5, x, 0.0) ** 3 / 2.0),
        lambda x: np.sum(np.where(x > 0.5, x**2, 0.0)),
    ],
)
def test_finite_partials_are_not_guarded(function):
    assert "== 0" not in grad(function).source_for(X)
    plain = grad(function, optimise=False)
    assert_trees_close(grad(function)(X), plain(X), rtol=1e-14)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.where(x > 0, np.log(x), -np.inf) ** 2,
        lambda x: np.where(x > 0, 1 / x, np.inf) / 2.0,
        lambda x: np.where(x > 0, x, 0.0) ** 0.5,
        lambda x: np.where(x > 0, (1 / x) ** 3, 1.0),
    ],
)
def test_infinite_partials_are_guarded(function):
    with np.errstate(all="ignore"):
        slopes = grad(lambda x: np.sum(function(x)))(X)
        tangent = jvp(function, (X,), (np.ones(3),))[1]
    assert slopes[0] == tangent[0] == 0.0
    assert_trees_close(tangent, slopes, rtol=1e-14)
