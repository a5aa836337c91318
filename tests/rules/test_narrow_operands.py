"""The other operand is of a narrow dtype: rules compute in that of the result, as the
function itself does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import signal, special, stats

from s2sad import grad, value_and_grad
from s2sad.testing import check_gradient, check_grads

X = np.array([0.3, 1.1, 1.7])
WHOLE = (np.uint8, np.int8, np.int16, np.uint16, np.int32, np.uint64)
DTYPES = (*WHOLE, np.float16, np.bool_)
LARGE = {np.int8: (100, 50, 7), np.int32: (100000, 90000, 7), np.bool_: (1, 0, 1)}


def large(dtype):
    return np.array(LARGE.get(dtype, (200, 100, 7))).astype(dtype)


def small(dtype):
    return np.array((0, 1, 2)).astype(dtype)


CALLS = {
    "arctan2, first": lambda x, k, e: np.arctan2(k, x),
    "arctan2, second": lambda x, k, e: np.arctan2(x, k),
    "arctan2, all pairs": lambda x, k, e: np.arctan2.outer(k, x),
    "atan2": lambda x, k, e: math.atan2(k[0], x[0]),
    "hypot": lambda x, k, e: np.hypot(k, x),
    "power": lambda x, k, e: (1000.0 * x) ** e,
    "power, the function": lambda x, k, e: np.power(x, e),
    "power of all pairs": lambda x, k, e: np.power.outer(x, e),
    "power of a number": lambda x, k, e: x[1] ** e[0] + x[0] ** e[1],
    "base": lambda x, k, e: k**x,
    "base, a number": lambda x, k, e: k[0] ** x + k[2] ** x[0],
    "base, in floats": lambda x, k, e: np.float_power(k, x),
    "base, in Python": lambda x, k, e: math.pow(k[0], x[0]),
    "logaddexp": lambda x, k, e: np.logaddexp(k, x) + np.logaddexp2(x, k),
    "interp, values": lambda x, k, e: np.interp(x, [0.0, 1.0, 2.0], k),
    "interp, places": lambda x, k, e: np.interp(1.3 * x, e, [1.0, 2.0, 5.0]),
    "quotient": lambda x, k, e: x / (k + 1.0) + k / x,
    "copysign": lambda x, k, e: np.copysign(x, e),
    "xlogy": lambda x, k, e: special.xlogy(k, x) + special.xlogy(x, k + 1.0),
    "rel_entr": lambda x, k, e: special.rel_entr(k, x) + special.kl_div(k, x),
    "huber": lambda x, k, e: special.huber(e, 5.0 * x),
    "betaln": lambda x, k, e: special.betaln(1.0 + x, np.maximum(e, e[1])),
    "distribution": lambda x, k, e: stats.norm.logcdf(x, 0.3, e + e[1]),
    "boxcox": lambda x, k, e: special.boxcox(x, e),
}
OF_WHOLE_NUMBERS = {
    "remainder": lambda x, k, e: (50.0 * x) % k + np.fmod(40.0 * x, k),
    "legendre": lambda x, k, e: special.eval_legendre(e, 0.5 * x),
    "bessel": lambda x, k, e: special.jv(e, x),
    "gradient": lambda x, k, e: np.gradient(x, e * e * 30),
    "gradient of data": lambda x, k, e: np.gradient(k, x),
    "cross": lambda x, k, e: np.cross(k, x),
    "mean": lambda x, k, e: stats.gmean(k, weights=x),
    "filled around": lambda x, k, e: signal.convolve2d(
        k[None], x[None], boundary="fill", fillvalue=0.3
    ),
}
CASES = [(call, dtype) for call in CALLS for dtype in DTYPES]
CASES += [(call, dtype) for call in OF_WHOLE_NUMBERS for dtype in WHOLE]


def program_of(call, dtype):
    function = {**CALLS, **OF_WHOLE_NUMBERS}[call]
    k, e = large(dtype), small(dtype)
    weights = np.arange(1.0, 1.0 + np.size(function(X, k, e)))

    def program(x):
        return np.sum(np.ravel(function(x, k, e)) * weights)

    return program


@pytest.mark.sampled(8)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("call", "dtype"), CASES)
def test_is_computed_in_the_dtype_of_the_result(call, dtype):
    program = program_of(call, dtype)
    with np.errstate(all="ignore"):
        for optimise in (True, False):
            value, _ = value_and_grad(program, optimise=optimise)(X)
            assert value == pytest.approx(program(X))
        assert check_gradient(program, X).passed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", ["arctan2, first", "power", "base", "huber"])
def test_so_are_other_derivatives(call):
    with np.errstate(all="ignore"):
        assert check_grads(program_of(call, np.uint8), (X,), order=2).passed


MASKS = {
    "power": lambda x: np.sum(x ** (x > 0.5)),
    "arctan2": lambda x: np.sum(np.arctan2(x > 0.5, x)),
    "interp": lambda x: np.sum(np.interp(x, [0, 2], [False, True])),
}


@pytest.mark.parametrize("program", MASKS.values(), ids=list(MASKS))
def test_masks_that_are_computed_are_numbers(program):
    assert check_gradient(program, X).passed


def test_texts_that_compute_nothing_of_an_operand_stay_as_they_are():
    k = large(np.uint8)

    def program(x):
        kept = np.where(x > 0.5, x, k) * (x > 0.1) - k
        return np.sum(k * kept + x / k + np.maximum(x, k))

    assert "float64" not in grad(program).source_for(X)


def test_operands_of_the_dtype_of_the_result_stay_as_they_are():
    def program(x, y):
        return np.sum(np.arctan2(x, y) ** y)

    for dtype in (np.float16, np.float32, np.float64):
        text = grad(program).source_for(X.astype(dtype), X.astype(dtype))
        assert "astype" not in text
