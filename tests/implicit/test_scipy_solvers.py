"""``scipy.optimize``: values as SciPy gives them, derivatives of roots and minima in
both modes, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

from s2sad import UnsupportedError, grad, value_and_grad
from s2sad.testing import check_grads

T = np.linspace(0.0, 1.0, 8)
W = np.array([[0.2, -0.3], [0.1, 0.4]])


def cubic(x, a):
    return x**3 + a * x - 2.0


def cubic_slope(x, a):
    return 3 * x**2 + a


def cubic_curvature(x, a):
    return 6.0 * x


def pair(x, a):
    return [x[0] * a + x[1] - 3.0, x[0] * x[1] - 1.5 * a]


def pair_jacobian(x, a):
    return np.array([[a, 1.0], [x[1], x[0]]])


def valley(x, a):
    return (1 - x[0]) ** 2 + 5.0 * a * (x[1] - x[0] ** 2) ** 2 + a * np.sum(x)


def valley_slope(x, a):
    steep = 10.0 * a * (x[1] - x[0] ** 2)
    return np.array([-2 * (1 - x[0]) - 2 * x[0] * steep + a, steep + a])


def captured(a):
    rate = 0.5 * a
    return optimize.brentq(lambda x: np.cos(x) - rate * x, 0.0, 2.0)


def layer(w):
    def residual(z):
        return z - np.tanh(w @ z + 1.0)

    return np.sum(optimize.root(residual, np.zeros(2)).x ** 2)


def minimum(a, **words):
    found = optimize.minimize(valley, [0.5, 0.5], args=(a,), tol=1e-9, **words)
    return np.sum(found.x**2) + found.fun


def with_gradient(a):
    found = optimize.minimize(valley, [0.5, 0.5], args=a, jac=valley_slope, tol=1e-10)
    return np.sum(found.x**2) + found.fun


def valley_and_slope(x, a):
    return valley(x, a), valley_slope(x, a)


def of_value_and_gradient(a):
    found = optimize.minimize(
        valley_and_slope, [0.5, 0.5], (a,), jac=True, options={"gtol": 1e-11}
    )
    return np.sum(found.x**2) + found.fun


def by_quasi_newton(a):
    found = optimize.minimize(
        valley, np.array([0.5, 0.5]), (a,), "L-BFGS-B", jac=valley_slope, tol=1e-14
    )
    return np.sum(found.x**3)


def fitted(a):
    def rest(p):
        return p[0] * np.exp(-p[1] * T) - np.exp(-a * T * T)

    found = optimize.least_squares(rest, np.ones(2), xtol=1e-12, ftol=1e-14)
    return np.sum(found.x**2) + found.cost + np.sum(found.fun**3)


def curve(t, height, rate):
    return height * np.exp(-rate * t)


def with_covariance(a):
    values = np.exp(-T * T) + a * T**2
    found, covariance = optimize.curve_fit(curve, T, values, [1.0, 1.0])
    return found[0] * found[1] + np.sum(covariance * np.array([[1.0, 2.0], [0.0, 1.0]]))


def with_deviations(a):
    values = np.exp(-T * T) + a * T**2
    found, covariance = optimize.curve_fit(
        curve, T, values, p0=(1, 1), sigma=1.0 + a * T, absolute_sigma=True
    )
    return found[0] * found[1] + np.sum(covariance)


def by_leastsq(a):
    def rest(p):
        return curve(T, p[0], p[1]) - np.exp(-a * T * T)

    found, _ = optimize.leastsq(rest, [1.0, 1.0], xtol=1e-13, ftol=1e-14)
    return np.sum(found)


def of_number(a):
    found = optimize.minimize_scalar(lambda x: np.exp(x - a) - a * x, tol=1e-10)
    return found.x * found.fun


PROGRAMS = {
    "captured": captured,
    "brentq": lambda a: optimize.brentq(cubic, 0.0, 3.0, args=(a,)),
    "brenth": lambda a: optimize.brenth(cubic, 0, 3, (a,)),
    "ridder": lambda a: optimize.ridder(cubic, 0.0, 3.0, args=a, xtol=1e-13),
    "bisect": lambda a: optimize.bisect(cubic, 0.0, 3.0, args=(a,), xtol=1e-13),
    "toms748": lambda a: optimize.toms748(cubic, 0.0, 3.0, args=(a,)),
    "secant": lambda a: optimize.newton(cubic, 1.5, args=(a,), tol=1e-12),
    "newton": lambda a: optimize.newton(cubic, 1.5, cubic_slope, (a,)),
    "halley": lambda a: optimize.newton(
        cubic, 1.5, cubic_slope, (a,), fprime2=cubic_curvature
    ),
    "in a bracket": lambda a: optimize.root_scalar(cubic, (a,), bracket=[0, 3]).root,
    "from a guess": lambda a: (
        optimize.root_scalar(cubic, (a,), x0=1.5, fprime=cubic_slope, xtol=1e-12).root
    ),
    "fsolve": lambda a: optimize.fsolve(pair, [1.0, 2.0], args=(a,))[0],
    "fsolve by a Jacobian": lambda a: optimize.fsolve(
        pair, np.array([1.0, 2.0]), (a,), pair_jacobian
    )[1],
    "root": lambda a: optimize.root(pair, [1.0, 2.0], (a,), "lm", tol=1e-12).x[0],
    "minimize with its gradient": with_gradient,
    "minimize of value and gradient": of_value_and_gradient,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_solutions(name):
    check_grads(PROGRAMS[name], (1.2,))


def test_a_system_of_a_layer():
    check_grads(layer, (W,))


APPROXIMATE = (minimum, fitted, of_number, by_quasi_newton)
FITS = (with_covariance, with_deviations, by_leastsq)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", [*APPROXIMATE, *FITS])
def test_minima_that_differences_find(program):
    """SciPy finds them to some 1e-8, too coarse for differences with small steps."""
    value, slope = value_and_grad(program)(1.2)
    assert value == pytest.approx(program(1.2), rel=1e-5)
    step = 3e-3
    expected = (program(1.2 + step) - program(1.2 - step)) / (2 * step)
    assert slope == pytest.approx(expected, rel=1e-4)


def test_methods_without_gradients():
    def by_simplex(a):
        options = {"xatol": 1e-9, "fatol": 1e-13}
        found = optimize.minimize(
            valley, [0.5, 0.5], (a,), "Nelder-Mead", options=options
        )
        return np.sum(found.x)

    def by_gradient(a):
        found = optimize.minimize(valley, [0.5, 0.5], (a,), jac=valley_slope, tol=1e-10)
        return np.sum(found.x)

    assert grad(by_simplex)(1.2) == pytest.approx(grad(by_gradient)(1.2), rel=1e-6)


def test_what_is_not_found_raises():
    def nowhere(a):
        return optimize.root(lambda x: x**2 + a, np.ones(1)).x[0]

    with pytest.raises(RuntimeError, match=r"scipy\.optimize\.root"):
        grad(nowhere)(1.0)

    def given_up(a):
        found = optimize.minimize(valley, [0.5, 0.5], (a,), options={"maxiter": 1})
        return found.x[0]

    with pytest.raises(RuntimeError, match="doesn't hold"):
        grad(given_up)(1.0)

    def with_a_kink(a):
        return optimize.minimize_scalar(lambda x: np.abs(x - a) + x**2, (-1, 2)).x

    with pytest.raises(RuntimeError, match="doesn't hold"):
        grad(with_a_kink)(0.2)


def test_a_jump_is_no_root():
    def jump(a):
        return optimize.brentq(lambda x: np.sign(x - a) + 0.5, -1.0, 3.0)

    with pytest.raises(RuntimeError, match="doesn't hold"):
        grad(jump)(0.2)


REFUSED = {
    "bounds": lambda a: optimize.minimize(
        valley, [0.5, 0.5], (a,), bounds=[(0, 1)] * 2
    ),
    "constraints": lambda a: optimize.minimize(
        valley, [0.5, 0.5], (a,), constraints=()
    ),
    "full_output": lambda a: optimize.brentq(cubic, 0.0, 3.0, (a,), full_output=True),
    "bounded": lambda a: optimize.minimize_scalar(lambda x: x * a, bounds=(0.0, 1.0)).x,
    "callback": lambda a: optimize.root(pair, [1.0, 2.0], (a,), callback=print).x[0],
    "curve_fit": lambda a: optimize.curve_fit(lambda x, p: p * x, T, a * T)[0][0],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    with pytest.raises(UnsupportedError):
        grad(REFUSED[name])(1.2)


def test_data_is_found_by_scipy_itself():
    def scaled(x):
        level = optimize.brentq(cubic, 0.0, 3.0, args=(1.0,))
        return level * x**2

    text = grad(scaled).source_for(2.0)
    assert "root_in_bracket" not in text
    assert grad(scaled)(2.0) == pytest.approx(4.0)
