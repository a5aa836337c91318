"""Derivatives that are data of the module."""

import numpy as np

from s2sad import hvp

GAIN = 0.8
WEIGHTS = np.array([1.0, 2.0])


def test_the_second_derivative_of_a_linear_function_is_zero():
    assert hvp(lambda x: GAIN * x)(2.0, 1.0) == 0.0
    v = np.ones(2)
    np.testing.assert_array_equal(hvp(lambda v: np.sum(WEIGHTS * v))(v, v), [0.0, 0.0])
