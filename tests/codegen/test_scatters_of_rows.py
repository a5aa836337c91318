"""``np.add.at`` reads beyond a value that has fewer axes than an index array."""

import numpy as np

from s2sad import grad


def gathered(x, w):
    places = np.array([[0, 1, 2], [0, 3, 4]])
    return np.sum(x[places].sum(axis=0) * w)


def test_cotangents_of_sums_over_gathered_rows():
    found = grad(gathered)(np.arange(5.0), np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(found, [2.0, 2.0, 3.0, 2.0, 3.0])
