"""Interpolants that a module holds."""

import numpy as np
import pytest
from scipy import interpolate

import s2sad
from s2sad import grad, jacobian
from s2sad.testing import check_grads

T = np.linspace(0.0, 3.0, 8)
Y = np.sin(T)
X = np.array([[0.3, 1.2], [2.9, 0.7]])
CUBIC = interpolate.CubicSpline(T, Y)
MONOTONE = interpolate.PchipInterpolator(T, Y)
B_SPLINE = interpolate.make_interp_spline(T, Y, k=5)
FITTED = interpolate.UnivariateSpline(T, Y, s=0.01, k=4)
LINES = interpolate.interp1d(T, Y)
FILLED = interpolate.interp1d(T, Y, bounds_error=False, fill_value=0.5)
EXTENDED = interpolate.interp1d(T, Y, fill_value="extrapolate")
WIDE = interpolate.CubicSpline(T, np.stack([Y, Y], axis=1))
ROUGH = interpolate.interp1d(T, Y, kind="cubic")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(CUBIC(x) ** 2),
        lambda x: np.sum(x * MONOTONE(x)),
        lambda x: np.sum(B_SPLINE(x, 1) * B_SPLINE(x + 5.0)),
        lambda x: np.sum(FITTED(x) * FITTED(x, nu=1)),
        lambda x: np.sum(LINES(x) ** 2),
        lambda x: np.sum(FILLED(2.0 * x) ** 2),
        lambda x: np.sum(EXTENDED(2.0 * x) ** 2),
        lambda x: CUBIC(x[0, 0]) * LINES(x[1, 0]),
    ],
)
def test_interpolants(function):
    check_grads(function, (X,))


def test_the_derivative_is_that_of_the_spline():
    def f(x):
        return np.sum(CUBIC(x))

    np.testing.assert_array_equal(grad(f)(X), CUBIC(X, 1))
    assert "spline_at(CUBIC, x, 1, None)" in grad(f).source_for(X)
    np.testing.assert_array_equal(jacobian(lambda x: CUBIC(x))(T), np.diag(CUBIC(T, 1)))


def test_at_a_knot_the_line_on_the_right_counts():
    slope = grad(lambda x: LINES(x))
    assert slope(T[2]) == pytest.approx((Y[3] - Y[2]) / (T[3] - T[2]))
    assert grad(lambda x: FILLED(x))(5.0) == 0.0


def test_data_stays_as_it_is():
    assert grad(lambda x: x * CUBIC(1.5))(2.0) == CUBIC(1.5)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: np.sum(WIDE(x)), "arrays"),
        (lambda x: np.sum(ROUGH(x)), "straight lines"),
        (lambda x: np.sum(interpolate.CubicSpline(T, x[0, 0] * Y)(T)), "CubicSpline"),
    ],
)
def test_others_are_refused(function, words):
    with pytest.raises(s2sad.UnsupportedError, match=words):
        grad(function)(X)
