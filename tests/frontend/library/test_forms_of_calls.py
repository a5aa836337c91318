"""Calls with parameters that the derivative of a function doesn't take: the refusal
names the parameter, and the calls that have a derivative."""

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from s2sad import UnsupportedError, grad

REFUSED = [
    (lambda p: optimize.minimize_scalar(lambda x: x * p, options={}).x, "'options'"),
    (lambda p: integrate.quad(lambda x: x * p, 0, 1, points=[0.5])[0], "'points'"),
    (
        lambda p: optimize.brentq(lambda x: x - p, 0, 3, full_output=True)[0],
        "'full_output'",
    ),
    (lambda p: optimize.brentq(lambda x: x - p, 0, 3, (), 1e-9, 1e-9, 9, True), "many"),
    (lambda p: optimize.least_squares(lambda x: x - p, [1.0], bounds=(0, 3)).x[0], "b"),
    (
        lambda p: (
            integrate.solve_ivp(lambda t, y: -y * p, (0, 1), [1.0], dense_output=False)
        ).y[0, -1],
        "'dense_output'",
    ),
    (lambda p: optimize.fsolve(lambda x: x - p, [1.0], band=(1, 1))[0], "'band'"),
    (lambda p: stats.skew(np.array([p, 2.0, 5.0]), nan_policy="omit"), "'nan_policy'"),
    (lambda p: np.nansum(np.array([p, 2.0]), initial=1.0), "'initial'"),
]


@pytest.mark.parametrize("function, word", REFUSED)
def test_the_parameter_is_named(function, word):
    with pytest.raises(UnsupportedError) as caught:
        grad(function)(2.0)
    said = str(caught.value)
    assert "can't be differentiated" in said and word in said
    assert "the supported form is " in said and ": Any" not in said
    assert "no derivative rule" not in said


def test_functions_without_a_derivative_are_told_from_those():
    with pytest.raises(UnsupportedError, match="fixed_quad, which has no derivative"):
        grad(lambda p: integrate.fixed_quad(lambda x: x * p, 0, 1)[0])(2.0)


def test_such_calls_on_data_are_made_as_they_stand():
    def f(p):
        skewed = stats.skew(np.array([1.0, np.nan, 2.0, 5.0]), nan_policy="omit")
        root = optimize.brentq(np.cos, 0, 3, full_output=True)[0]
        return p * p * skewed + root * p

    skewed = stats.skew([1.0, 2.0, 5.0])
    assert grad(f)(2.0) == pytest.approx(4.0 * skewed + np.pi / 2)
