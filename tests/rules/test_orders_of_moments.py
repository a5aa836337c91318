"""``scipy.stats.moment`` of several orders."""

import numpy as np
import pytest
from scipy import stats

from s2sad import UnsupportedError, grad
from s2sad.testing import check_grads

SAMPLES = np.array([1.0, 2.1, 4.0, 3.3])
PROGRAMS = [
    lambda x: stats.moment(x, [2, 3]),
    lambda x: stats.moment(x, (1, 2)),
    lambda x: stats.moment(x, [3], center=x[0]),
    lambda x: stats.moment(x[:, None] * x, [2, 1, 0], axis=None),
    lambda x: stats.moment(x[:, None] * x, [2, 4], axis=1, keepdims=True),
    lambda x: stats.moment(x, list(range(1, 7))),
]


@pytest.mark.parametrize("function", PROGRAMS)
def test_moments_are_along_the_first_axis(function):
    def energy(x):
        return np.sum(np.sin(function(x)))

    check_grads(energy, (SAMPLES,))
    plain = grad(energy, optimise=False)(SAMPLES)
    np.testing.assert_allclose(grad(energy)(SAMPLES), plain)


def test_orders_in_an_array_are_refused():
    with pytest.raises(UnsupportedError, match="pass a list of them"):
        grad(lambda x: np.sum(stats.moment(x, np.array([2, 3]))))(SAMPLES)
