"""Derivatives don't raise where the function does not: a partial derivative that
Python's own arithmetic would refuse is inf or nan, as in NumPy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, vjp

POINTS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, 170.0, 709.5, -745.0),
    *(5e-324, -5e-324, 1e-310, 1e-200, -1e-200, 1e200, -1e200, 1.7e308, -1.7e308),
    *(1.0 - 2**-53, -1.0 + 2**-53, 1.0 + 2**-52, math.inf, -math.inf, math.nan),
)
EXPONENTS = (0, 1, 2, 3, -1, -2, 400, -400)
ONE = {
    "exp": lambda x: math.exp(x),
    "expm1": lambda x: math.expm1(x),
    "exp2": lambda x: math.exp2(x),
    "log": lambda x: math.log(x),
    "log, base": lambda x: math.log(x, 3.0),
    "log1p": lambda x: math.log1p(x),
    "log2": lambda x: math.log2(x),
    "log10": lambda x: math.log10(x),
    "sqrt": lambda x: math.sqrt(x),
    "cbrt": lambda x: math.cbrt(x),
    "sin": lambda x: math.sin(x),
    "cos": lambda x: math.cos(x),
    "tan": lambda x: math.tan(x),
    "asin": lambda x: math.asin(x),
    "acos": lambda x: math.acos(x),
    "atan": lambda x: math.atan(x),
    "sinh": lambda x: math.sinh(x),
    "cosh": lambda x: math.cosh(x),
    "tanh": lambda x: math.tanh(x),
    "asinh": lambda x: math.asinh(x),
    "acosh": lambda x: math.acosh(x),
    "atanh": lambda x: math.atanh(x),
    "erf": lambda x: math.erf(x),
    "erfc": lambda x: math.erfc(x),
    "gamma": lambda x: math.gamma(x),
    "lgamma": lambda x: math.lgamma(x),
    "fabs": lambda x: math.fabs(x),
    "abs": lambda x: abs(x),
    "degrees": lambda x: math.degrees(x),
    "modf": lambda x: math.modf(x)[0],
    "frexp": lambda x: math.frexp(x)[0],
    "reciprocal": lambda x: 1.0 / x,
    "reciprocal, int": lambda x: 1 / x,
    "square": lambda x: x**2,
    "cube": lambda x: x**3.0,
    "x**-1": lambda x: x**-1,
    "x**-2.5": lambda x: x**-2.5,
    "2**x": lambda x: 2.0**x,
    "0**x": lambda x: 0.0**x,
    "2**x, int": lambda x: 2**x,
    "pow": lambda x: math.pow(x, 0.5),
    "x*x*x": lambda x: x * x * x,
    "quotient": lambda x: x / (1.0 + x),
    "x % 3": lambda x: x % 3.0,
    "3 % x": lambda x: 3.0 % x,
    "ldexp": lambda x: math.ldexp(x, 3),
    "floor": lambda x: x * math.floor(x),
    "np.log": lambda x: np.log(x),
    "np.exp": lambda x: np.exp(x),
    "np.sqrt": lambda x: np.sqrt(x),
    "np.power": lambda x: np.power(x, -0.5),
    "np.reciprocal": lambda x: np.reciprocal(x),
    "np.arctanh": lambda x: np.arctanh(x),
    "np.cosh": lambda x: np.cosh(x),
}
TWO = {
    "x / y": lambda x, y: x / y,
    "x**y": lambda x, y: x**y,
    "pow": lambda x, y: pow(x, y),
    "math.pow": lambda x, y: math.pow(x, y),
    "log": lambda x, y: math.log(x, y),
    "x % y": lambda x, y: x % y,
    "x // y": lambda x, y: x * (x // y),
    "fmod": lambda x, y: math.fmod(x, y),
    "remainder": lambda x, y: math.remainder(x, y),
    "atan2": lambda x, y: math.atan2(x, y),
    "hypot": lambda x, y: math.hypot(x, y),
    "dist": lambda x, y: math.dist((x,), (y,)),
    "copysign": lambda x, y: math.copysign(x, y),
    "max": lambda x, y: max(x, y),
    "np.divide": lambda x, y: np.divide(x, y),
    "np.power": lambda x, y: np.power(x, y),
    "np.arctan2": lambda x, y: np.arctan2(x, y),
    "np.logaddexp": lambda x, y: np.logaddexp(x, y),
}


@pytest.fixture(autouse=True)
def quiet():
    with np.errstate(all="ignore"):
        yield


def runs(function, *arguments):
    """Whether the function itself gives a real number."""
    try:
        return not isinstance(function(*arguments), complex)
    except ArithmeticError:
        return False
    except ValueError:
        return False


def assert_nothing_raises(function, wrt, points):
    gradient, product = grad(function, wrt), hvp(function, wrt)
    names = wrt if isinstance(wrt, tuple) else (wrt,)
    for point in points:
        if not runs(function, *point):
            continue
        direction = tuple(1.0 if k in names else None for k in range(len(point)))
        gradient(*point)
        jvp(function, point, direction)
        vjp(function, *point)[1](1.0)
        product(*point, (1.0,) * len(names) if isinstance(wrt, tuple) else 1.0)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_number(name):
    assert_nothing_raises(ONE[name], 0, [(x,) for x in POINTS])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_numbers(name):
    assert_nothing_raises(TWO[name], (0, 1), itertools.product(POINTS, POINTS))


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_powers_with_integer_exponents(exponent):
    def power(x, k):
        return x**k

    assert_nothing_raises(power, 0, [(x, exponent) for x in POINTS])


@pytest.mark.parametrize("base", [0, 1, 2, 10**20])
def test_powers_with_integer_bases(base):
    def power(x, k):
        return k**x

    assert_nothing_raises(power, 0, [(x, base) for x in POINTS])


def test_the_partials_are_those_of_numpy():
    """Where Python's arithmetic would raise: 0.0 ** -0.5, 1.0 / 0.0, 1e-200 ** -2."""
    root = grad(lambda x: x**0.5)
    assert root(0.0) == math.inf and grad(ONE["sqrt"])(0.0) == math.inf
    assert grad(ONE["x**-1"])(1e-200) == -math.inf
    assert grad(ONE["asin"])(1.0) == math.inf and grad(ONE["acos"])(1.0) == -math.inf
    assert hvp(ONE["sqrt"])(0.0, 1.0) == -math.inf
    assert grad(TWO["x**y"], 1)(0.0, 2.0) == 0.0
