"""Arrays without axes, of which NumPy's results are numbers, and numbers: derivatives
of first and second order, each of the type of its argument."""

import bisect
import math

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, value_and_grad
from s2sad.testing import check_grads


def itself(x):
    return x


def linear(x):
    return 3 * x


def whole_part(x):
    return math.floor(x) * x


def sine(x):
    return np.sin(x)


def chosen(x):
    return x if x > 0 else -x


def flattened(x):
    return np.sum(3 * x.flatten())


def cast(x):
    return np.sum((3 * x).astype(np.float64))


def squared(x):
    return x * x


# The first and second derivative at 2.5.
SLOPES = {
    itself: (1.0, 0.0),
    linear: (3.0, 0.0),
    whole_part: (2.0, 0.0),
    sine: (math.cos(2.5), -math.sin(2.5)),
    chosen: (1.0, 0.0),
    flattened: (3.0, 0.0),
    cast: (3.0, 0.0),
    squared: (5.0, 2.0),
}
ARRAYS = [np.array(2.5, np.float32), np.array(2.5)]
NUMBERS = [2.5, np.float32(2.5), np.float64(2.5)]
CASES = [
    (function, point)
    for function in SLOPES
    for point in (*ARRAYS, *NUMBERS)
    if not (type(point) is float and function in (flattened, cast))
]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("function, point", CASES)
def test_first_and_second_derivatives(function, point):
    first, second = SLOPES[function]
    one = np.ones_like(point) if isinstance(point, np.ndarray) else type(point)(1.0)
    gradient = grad(function)(point)
    if isinstance(point, np.ndarray):
        assert isinstance(gradient, np.ndarray) and gradient.dtype == point.dtype
        assert gradient is not point and gradient.base is None
    else:
        assert isinstance(gradient, float | np.floating)
    assert gradient == pytest.approx(first, rel=1e-6)
    assert value_and_grad(function)(point)[1] == gradient
    assert jvp(function, (point,), (one,))[1] == pytest.approx(first, rel=1e-6)
    for found in (hvp(function)(point, one), grad(grad(function))(point)):
        assert found == pytest.approx(second, rel=1e-6)
        assert np.shape(found) == ()


# Data that is a number, of a kind known only when the program runs.


def counted(w, x):
    return w * bisect.bisect([1, 2, 3], x)


def test_a_gradient_is_a_float_where_the_factor_is_a_whole_number():
    gradient = grad(counted)(2.0, 2.5)
    assert type(gradient) is float and gradient == 2.0


# Products of arrays by Python's function.


def product(v):
    return math.prod(v)


def product_from_start(v, start):
    return math.prod(v * v, start=start) + np.sum(v)


@pytest.mark.parametrize("v", [np.array([2.0, 3.0, -1.5]), np.array([0.0, 2.0, 0.5])])
def test_products_of_arrays(v):
    check_grads(product, (v,))
    check_grads(product_from_start, (v, 1.5))
    assert np.array_equal(grad(product)(v), grad(lambda v: np.prod(v))(v))
