"""Functions at kinks, ties and borders of their domain, and what their derivatives are
there.

docs/conventions.md says the same in words. Each case is a function, its arguments and
the gradient of the sum of its results. ``second`` is the product of the second
derivative with a vector of ones.
"""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats
from scipy.spatial import distance

inf, nan = math.inf, math.nan
ANY = object()
"""A second derivative that no convention settles; it is finite where the first is."""
NONE = object()
"""A second derivative that isn't finite, although the first is."""


@dataclass(frozen=True)
class ConventionCase:
    """A function at a point, and its derivatives there."""

    about: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    gradient: tuple[Any, ...]
    second: Any = 0.0
    """For each argument, or one number for all elements of all arguments."""


CASES: list[ConventionCase] = []


def case(about, function, *arguments, gradient, second=0.0):
    """Put a case into the table. One argument has a bare gradient."""
    gradient = gradient if isinstance(gradient, tuple) else (gradient,)
    CASES.append(ConventionCase(about, function, arguments, gradient, second))


def at(*numbers):
    """An array of floats."""
    return np.array(numbers, dtype=float)


# ------------------------------------------------------- ties share evenly

case("max, tie", lambda x, y: max(x, y), 2.0, 2.0, gradient=(0.5, 0.5))
case("min, tie", lambda x, y: min(x, y), 2.0, 2.0, gradient=(0.5, 0.5))
case("max, tie of three", lambda x, y, z: max(x, y, z), 2.0, 2.0, 2.0, gradient=(1 / 3,) * 3)
case("min, tie of two of three", lambda x, y, z: min(x, y, z), 2.0, 3.0, 2.0, gradient=(0.5, 0.0, 0.5))
case("max of array, tie", lambda v: max(v), at(1, 3, 3), gradient=at(0, 0.5, 0.5))
case("min of list, tie", lambda v: min([v[0], v[1], v[2]]), at(1, 3, 1), gradient=at(0.5, 0, 0.5))
case("max of squares, tie", lambda x, y: max(x * x, y * y), 2.0, -2.0, gradient=(2.0, -2.0), second=(1.0, 1.0))
case("maximum of numbers", lambda x, y: np.maximum(x, y), 2.0, 2.0, gradient=(0.5, 0.5))
case("maximum", lambda x, y: np.maximum(x, y), at(1, 2), at(1, 3), gradient=(at(0.5, 0), at(0.5, 1)))
case("minimum", lambda x, y: np.minimum(x, y), at(1, 2), at(1, 3), gradient=(at(0.5, 1), at(0.5, 0)))
case("fmax", lambda x, y: np.fmax(x, y), at(1, 2), at(1, 3), gradient=(at(0.5, 0), at(0.5, 1)))
case("fmin", lambda x, y: np.fmin(x, y), at(1, 2), at(1, 3), gradient=(at(0.5, 1), at(0.5, 0)))
case("maximum against 2.0", lambda x: np.maximum(x, 2.0), at(1, 2, 3), gradient=at(0, 0.5, 1))
case("max against 2.0", lambda x: max(x, 2.0), 2.0, gradient=0.5)
case("np.max", lambda x: np.max(x), at(3, 1, 3), gradient=at(0.5, 0, 0.5))
case("np.min", lambda x: np.min(x), at(1, 1, 1, 3), gradient=at(1 / 3, 1 / 3, 1 / 3, 0))
case("np.max, axis", lambda x: np.max(x, axis=0), np.array([[1.0, 2.0], [1.0, 3.0]]), gradient=np.array([[0.5, 0.0], [0.5, 1.0]]))
case("np.min, axis, keepdims", lambda x: x - np.min(x, axis=1, keepdims=True), np.array([[1.0, 1.0], [4.0, 3.0]]), gradient=np.array([[0.0, 0.0], [1.0, -1.0]]))
case("np.max of squares", lambda x: np.max(x * x), at(2, -2), gradient=at(2, -2), second=(at(1, 1),))
case("np.ptp of equal", lambda x: np.ptp(x), at(2, 2), gradient=at(0, 0))
case("sort, tie", lambda x: np.sort(x) * np.arange(3.0), at(5, 1, 5), gradient=at(1.5, 0, 1.5))
case("sort, no tie", lambda x: np.sort(x) * np.arange(3.0), at(5, 1, 4), gradient=at(2, 0, 1))
case("sort, axis, tie", lambda x: np.sort(x, axis=0) * np.array([[0.0], [1.0]]), np.array([[5.0, 2.0], [5.0, 1.0]]), gradient=np.array([[0.5, 1.0], [0.5, 0.0]]))
case("sort, axis=None, tie", lambda x: np.sort(x, axis=None) * np.arange(4.0), np.array([[5.0, 2.0], [5.0, 1.0]]), gradient=np.array([[2.5, 1.0], [2.5, 0.0]]))
case("partition, tie", lambda x: np.partition(x, 1)[1:] * np.arange(1.0, 3.0), at(5, 1, 5), gradient=at(1.5, 0, 1.5))
case("sorted keeps the order", lambda x, y: sorted([x, y])[0] * 3.0, 2.0, 2.0, gradient=(3.0, 0.0))
case("sorted, of an array", lambda v: sorted(v)[0] * 3.0, at(2, 2, 4), gradient=at(3, 0, 0))
case("sort method, tie", lambda x: _sorted_in_place(x), at(5, 1, 5), gradient=at(1.5, 0, 1.5))
case("median of singular", lambda x: np.median(np.sqrt(x)), at(0, 4, 9), gradient=at(0, 0.25, 0), second=(at(0, -1 / 32, 0),))
case("median, odd, tie", lambda x: np.median(x), at(1, 1, 3, 0, 4), gradient=at(0.5, 0.5, 0, 0, 0))
case("median, even, tie", lambda x: np.median(x), at(2, 2, 2, 2), gradient=at(0.25, 0.25, 0.25, 0.25))
case("median, half tie", lambda x: np.median(x), at(1, 2, 3, 3), gradient=at(0, 0.5, 0.25, 0.25))
case("median, axis, tie", lambda x: np.median(x, axis=0), np.array([[1.0, 1.0], [1.0, 2.0], [4.0, 0.0]]), gradient=np.array([[0.5, 1.0], [0.5, 0.0], [0.0, 0.0]]))
case("quantile, tie", lambda x: np.quantile(x, 0.4), at(1, 2, 2, 2, 0.5), gradient=at(0.4, 0.2, 0.2, 0.2, 0))
case("nanmedian, tie", lambda x: np.nanmedian(x), at(1, nan, 1, 3, 0, 4), gradient=at(0.5, 0, 0.5, 0, 0, 0))
case("nanmax, tie", lambda x: np.nanmax(x), at(3, nan, 3), gradient=at(0.5, 0, 0.5))
case("unique, tie", lambda x: np.unique(x) * at(1, 2), at(3, 1, 3), gradient=at(1, 1, 1))
case("unique_counts, tie", lambda x: np.unique_counts(x).values * at(1, 2), at(3, 1, 3), gradient=at(1, 1, 1))
case("intersect1d", lambda x, y: np.intersect1d(x, y), at(3, 1), at(1, 2), gradient=(at(0, 0.5), at(0.5, 0)))
case("union1d, tie", lambda x, y: np.union1d(x, y), at(3, 1), at(1, 2), gradient=(at(1, 0.5), at(0.5, 1)))
case("setdiff1d", lambda x: np.setdiff1d(x, at(1, 2)), at(3, 1), gradient=at(1, 0))
case("running maximum, tie", lambda x: np.maximum.accumulate(x), at(1, 3, 3, 2), gradient=at(1, 3, 0, 0))
case("argmax is constant", lambda x: x[np.argmax(x)], at(3, 1, 3), gradient=at(1, 0, 0))
case("argmin is constant", lambda x: x * np.argmin(x), at(3, 1, 1), gradient=at(1, 1, 1))
case("argsort is constant", lambda x: x[np.argsort(x, kind="stable")[0]], at(1, 1), gradient=at(1, 0))
case("quantile-like index", lambda x: np.sort(x)[1], at(1, 1, 3), gradient=at(0.5, 0.5, 0))
case("chosen by comparison", lambda x, y: x if x >= y else y, 1.0, 1.0, gradient=(1.0, 0.0))

def _sorted_in_place(x):
    y = 1.0 * x
    y.sort()
    return y * np.arange(3.0)


# ------------------------------------------------------- relu

case("relu, max", lambda x: max(x, 0.0), 0.0, gradient=0.0)
case("relu, max, int 0", lambda x: max(0, x), 0.0, gradient=0.0)
case("relu, maximum of a float", lambda x: np.maximum(x, 0.0), 0.0, gradient=0.0)
case("relu", lambda x: np.maximum(x, 0.0), at(-1, 0, -0.0, 2), gradient=at(0, 0, 0, 1))
case("relu, int 0", lambda x: np.maximum(0, x), at(-1, 0, 2), gradient=at(0, 0, 1))
case("minimum of 0", lambda x: np.minimum(x, 0.0), at(-1, 0, 2), gradient=at(1, 0, 0))
case("min of 0", lambda x: min(x, 0.0), 0.0, gradient=0.0)
case("relu squared", lambda x: np.maximum(x, 0.0) ** 2, at(-1, 0, 2), gradient=at(0, 0, 4), second=(at(0, 0, 2),))
case("relu by where", lambda x: np.where(x > 0, x, 0.0), at(-1, 0, 2), gradient=at(0, 0, 1))
case("relu by product", lambda x: x * (x > 0), at(-1, 0, 2), gradient=at(0, 0, 1))
case("log1p of relu", lambda x: np.log1p(np.maximum(x, 0.0)), at(-1, 0, 1), gradient=at(0, 0, 0.5), second=ANY)
case("root of a mask in a loop", lambda x: _rooted_in_loop(x), at(0, 16), gradient=at(0, 0.03125), second=ANY)
case("math.sqrt of max", lambda x: math.sqrt(max(x, 0.0)), -1.0, gradient=0.0)
case("power of relu", lambda x: np.maximum(x, 0.0) ** 0.5, at(-1, 0, 4), gradient=at(0, 0, 0.25), second=ANY)
case("sqrt of clip", lambda x: np.sqrt(np.clip(x, 0.0, 9.0)), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=ANY)
case("sqrt of where", lambda x: np.sqrt(np.where(x > 0, x, 0.0)), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=ANY)
case("sqrt of relu", lambda x: np.sqrt(np.maximum(x, 0.0)), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=ANY)

def _rooted_in_loop(x):
    y = x
    for _ in range(2):
        y = np.sqrt(np.maximum(y, 0.0))
    return y


# ------------------------------------------------------- abs and norms

case("abs", lambda x: abs(x), 0.0, gradient=0.0)
case("abs of -0.0", lambda x: abs(x), -0.0, gradient=0.0)
case("abs of array", lambda x: abs(x), at(0, -0.0, -2), gradient=at(0, 0, -1))
case("np.abs", lambda x: np.abs(x), at(0, -0.0, -2), gradient=at(0, 0, -1))
case("np.abs of number", lambda x: np.abs(x), 0.0, gradient=0.0)
case("fabs", lambda x: np.fabs(x), at(0, -0.0, -2), gradient=at(0, 0, -1))
case("math.fabs", lambda x: math.fabs(x), -0.0, gradient=0.0)
case("square root of square", lambda x: np.abs(x) ** 2, at(0, -2), gradient=at(0, -4), second=(at(0, 2),))
case("copysign at 0", lambda x: np.copysign(x, -2.0), at(0, 3), gradient=at(0, -1))
case("math.copysign at 0", lambda x: math.copysign(x, -2.0), 0.0, gradient=0.0)
case("hypot", lambda x, y: np.hypot(x, y), 0.0, 0.0, gradient=(0.0, 0.0), second=ANY)
case("hypot of arrays", lambda x, y: np.hypot(x, y), at(0, 3), at(0, 4), gradient=(at(0, 0.6), at(0, 0.8)), second=ANY)
case("math.hypot", lambda x, y: math.hypot(x, y), 0.0, 0.0, gradient=(0.0, 0.0), second=ANY)
case("math.hypot of three", lambda x, y, z: math.hypot(x, y, z), 0.0, -0.0, 0.0, gradient=(0.0,) * 3, second=ANY)
case("math.dist", lambda x, y: math.dist((x, y), (1.0, 2.0)), 1.0, 2.0, gradient=(0.0, 0.0), second=ANY)
case("norm", lambda x: np.linalg.norm(x), at(0, 0), gradient=at(0, 0), second=ANY)
case("norm, axis", lambda x: np.linalg.norm(x, axis=1), np.array([[0.0, 0.0], [3.0, 4.0]]), gradient=np.array([[0.0, 0.0], [0.6, 0.8]]), second=ANY)
case("norm, axis, keepdims", lambda x: np.linalg.norm(x, axis=1, keepdims=True), np.array([[0.0, 0.0], [3.0, 4.0]]), gradient=np.array([[0.0, 0.0], [0.6, 0.8]]), second=ANY)
case("norm, matrix", lambda x: np.linalg.norm(x), np.zeros((2, 2)), gradient=np.zeros((2, 2)), second=ANY)
case("norm, fro", lambda x: np.linalg.norm(x, "fro"), np.zeros((2, 2)), gradient=np.zeros((2, 2)), second=ANY)
case("norm, ord 1", lambda x: np.linalg.norm(x, 1), at(0, -2), gradient=at(0, -1))
case("norm, ord inf, tie", lambda x: np.linalg.norm(x, np.inf), at(2, -2), gradient=at(0.5, -0.5))
case("norm, ord inf, 0", lambda x: np.linalg.norm(x, np.inf), at(0, 0), gradient=at(0, 0))
case("norm, ord -inf, 0", lambda x: np.linalg.norm(x, -np.inf), at(0, 1), gradient=at(0, 0))
case("norm, ord 0", lambda x: np.linalg.norm(x, 0), at(0, 1), gradient=at(0, 0))
case("norm, ord 3, 0", lambda x: np.linalg.norm(x, 3), at(0, 0), gradient=at(0, 0), second=ANY)
case("norm, ord 3, one 0", lambda x: np.linalg.norm(x, 3), at(0, 2), gradient=at(0, 1), second=ANY)
case("norm, ord 1.5, one 0", lambda x: np.linalg.norm(x, 1.5), at(0, 2), gradient=at(0, 1), second=NONE)
case("norm, ord 0.5, 0", lambda x: np.linalg.norm(x, 0.5), at(0, 0), gradient=at(0, 0), second=NONE)
case("norm, matrix, ord 1", lambda x: np.linalg.norm(x, 1), np.zeros((2, 2)), gradient=np.zeros((2, 2)))
case("norm, matrix, ord inf, tie", lambda x: np.linalg.norm(x, np.inf), np.array([[1.0, 2.0], [3.0, 0.0]]), gradient=np.array([[0.5, 0.5], [0.5, 0.0]]))
case("norm, matrix, ord 2, 0", lambda x: np.linalg.norm(x, 2), np.zeros((2, 2)), gradient=np.zeros((2, 2)), second=NONE)
case("normalised", lambda x: x / (np.linalg.norm(x) + 1.0), at(0, 0), gradient=at(1, 1), second=ANY)
case("square of norm", lambda x: np.linalg.norm(x) ** 2, at(0, 0), gradient=at(0, 0), second=ANY)
case("std of a constant", lambda x: np.std(x), at(2, 2, 2), gradient=at(0, 0, 0), second=ANY)
case("nanstd of a constant", lambda x: np.nanstd(x), at(2, nan, 2), gradient=at(0, 0, 0), second=ANY)
case("std of a constant, where", lambda x: np.std(x, where=x > 1.0), at(2, 0, 2), gradient=at(0, 0, 0), second=ANY)
case("std, axis, ddof", lambda x: np.std(x, axis=0, ddof=1), np.ones((3, 2)), gradient=np.zeros((3, 2)), second=ANY)
case("var of a constant", lambda x: np.var(x), at(2, 2, 2), gradient=at(0, 0, 0))
case("std of squares", lambda x: np.std(x * x), at(2, -2), gradient=at(0, 0), second=ANY)

# ------------------------------------------------------- what is masked away

case("where, sqrt", lambda x: np.where(x > 0, np.sqrt(x), 0.0), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 32),))
case("where, sqrt, number", lambda x: np.where(x > 0, np.sqrt(x), 0.0), 0.0, gradient=0.0)
case("where, log", lambda x: np.where(x > 0, np.log(x), 0.0), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 16),))
case("where, x log x", lambda x: np.where(x > 0, x * np.log(x), 0.0), at(0, 1), gradient=at(0, 1), second=(at(0, 1),))
case("where, division", lambda x: np.where(x != 0, 1.0 / x, 0.0), at(0, 2), gradient=at(0, -0.25), second=(at(0, 0.25),))
case("where, quotient", lambda x, y: np.where(y != 0, x / y, 0.0), at(1, 1), at(0, 2), gradient=(at(0, 0.5), at(0, -0.25)), second=(at(0, -0.25), at(0, 0)))
case("where, power", lambda x: np.where(x > 0, x**0.5, 0.0), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 32),))
case("where, negative power", lambda x: np.where(x > 0, x**-1.0, 0.0), at(0, 2), gradient=at(0, -0.25), second=(at(0, 0.25),))
case("where, np.power", lambda x, y: np.where(x > 0, np.power(x, y), 0.0), at(-1, 0, 4), at(0.5, 0.5, 0.5), gradient=(at(0, 0, 0.25), at(0, 0, 2 * np.log(4))), second=ANY)
case("where, exp", lambda x: np.where(x < 700, np.exp(x), 0.0), at(1000, 0), gradient=at(0, 1), second=(at(0, 1),))
case("where, arccos", lambda x: np.where(x < 1, np.arccos(x), 0.0), at(1, 0), gradient=at(0, -1))
case("where, arctan2", lambda y, x: np.where(x * x + y * y > 0, np.arctan2(y, x), 0.0), at(0, 1), at(0, 1), gradient=(at(0, 0.5), at(0, -0.5)), second=ANY)
case("where, norm by hand", lambda x, y: np.where(x * x + y * y > 0, np.sqrt(x * x + y * y), 0.0), at(0, 3), at(0, 4), gradient=(at(0, 0.6), at(0, 0.8)), second=ANY)
case("where, sqrt of square", lambda x: np.where(x != 0, np.sqrt(x * x), 0.0), at(0, -3), gradient=at(0, -1), second=0.0)
case("where, through a product", lambda x: np.where(x > 0, 2.0 * np.sqrt(x) * x, 0.0), at(0, 4), gradient=at(0, 6), second=(at(0, 0.75),))
case("where, through a sum and a mean", lambda x: np.mean(np.where(x > 0, np.sqrt(x) + np.log(x), 0.0)), at(0, 4), gradient=at(0, 0.25), second=ANY)
case("where, product with nan", lambda x: np.where(x > 0, x * np.sqrt(x), 0.0), at(-1, 0, 4), gradient=at(0, 0, 3), second=(at(0, 0, 0.375),))
case("where, abs of nan", lambda x: np.where(x > 0, abs(np.log(x)), 0.0), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 16),))
case("where, sine of inf", lambda x: np.where(x > 0, np.sin(1.0 / x), 0.0), at(0, 0.5), gradient=at(0, -4 * math.cos(2)), second=ANY)
case("where, norm of nan", lambda x: np.where(x > 0, np.hypot(np.log(x), 1.0), 0.0), at(-1, 1), gradient=at(0, 0), second=ANY)
case("where, sum of nan", lambda x: np.where(x[:, 0] > 0, np.sum(np.log(x) ** 2, axis=1), 0.0), np.array([[0.0, 1.0], [1.0, 1.0]]), gradient=np.zeros((2, 2)), second=ANY)
case("where, missing data", lambda w, y: np.where(np.isnan(y), 0.0, (y - w * w) ** 2), at(2, 2), at(nan, 1), gradient=(at(0, 24), at(0, -6)), second=ANY)
case("relu of log times", lambda w, x: np.maximum(w * np.log(x), 0.0), at(2, 2), at(0, math.e), gradient=(at(0, 1), at(0, 2 / math.e)), second=ANY)
case("log of a mask", lambda x: np.where(x > 1, np.log(np.where(x > 0, x, 0.0)), 0.0), at(0, 2), gradient=at(0, 0.5), second=(at(0, -0.25),))
case("where, later product", lambda x: 3.0 * np.where(x > 0, np.sqrt(x), 0.0), at(0, 4), gradient=at(0, 0.75), second=(at(0, -3 / 32),))
case("where, later square", lambda x: np.where(x > 0, np.sqrt(x), 0.0) ** 2, at(0, 4), gradient=at(0, 1))
case("where nested", lambda x: np.where(x > 0, np.where(x > 1, np.sqrt(x), 1.0 / x), 0.0), at(0, 4, 0.5), gradient=at(0, 0.25, -4), second=(at(0, -1 / 32, 16),))
case("where nested, one condition", lambda x: np.where(x < 0, 0.0, np.where(x > 0, np.log(x), 0.0)), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 16),))
case("where of a name", lambda x: _masked_by_name(x), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 32),))
case("safe argument", lambda x: np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 32),))
case("select", lambda x: np.select([x > 1, x > 0], [np.sqrt(x), 1.0 / x], 0.0), at(0, 4, 0.5), gradient=at(0, 0.25, -4), second=(at(0, -1 / 32, 16),))
case("mask, store", lambda x: _masked_store(x), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 32),))
case("mask, overwritten", lambda x: _masked_overwritten(x), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 32),))
case("mask, read", lambda x: np.sqrt(x)[x > 0], at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 32),))
case("mask, read first", lambda x: np.sqrt(x[x > 0]), at(-1, 0, 4), gradient=at(0, 0, 0.25), second=(at(0, 0, -1 / 32),))
case("slice of singular", lambda x: np.sqrt(x)[1:], at(0, 4), gradient=at(0, 0.25), second=(at(0, -1 / 32),))
case("element of singular", lambda x: np.sqrt(x)[1], at(0, 4), gradient=at(0, 0.25), second=(at(0, -1 / 32),))
case("maximum of singular", lambda x: np.maximum(np.sqrt(x), 1.0), at(0, 4), gradient=at(0, 0.25), second=(at(0, -1 / 32),))
case("np.max of singular", lambda x: np.max(np.sqrt(x)), at(0, 4), gradient=at(0, 0.25), second=(at(0, -1 / 32),))
case("max of singular", lambda x: max(math.sqrt(x), 1.0), 0.0, gradient=0.0)
case("clip of singular", lambda x: np.clip(np.log(x), -5.0, 5.0), at(0, 1), gradient=at(0, 1), second=(at(0, -1),))
case("singular of clip", lambda x: np.log(np.clip(x, 0.5, 2.0)), at(0, 1), gradient=at(0, 1), second=(at(0, -1),))
case("branch", lambda x: math.sqrt(x) if x > 0 else 0.0, 0.0, gradient=0.0)
case("loop with masks", lambda x: _masked_in_loop(x), at(0, 16), gradient=at(0, 0.03125), second=ANY)
case("nan_to_num of singular", lambda x: np.nan_to_num(np.log(x), neginf=0.0), at(0, 4), gradient=at(0, 0.25), second=(at(0, -1 / 16),))


def _masked_by_name(x):
    root = np.sqrt(x)
    positive = x > 0
    return np.where(positive, root, 0.0)


def _masked_store(x):
    y = np.zeros_like(x)
    m = x > 0
    y[m] = np.sqrt(x[m])
    return y


def _masked_overwritten(x):
    y = np.sqrt(x)
    y[~(x > 0)] = 0.0
    return y


def _masked_in_loop(x):
    y = x
    for _ in range(2):
        y = np.where(y > 0, np.sqrt(y), 0.0)
    return y


# ------------------------------------------------------- products with zeros

case("prod, one 0", lambda x: np.prod(x), at(0, 2, 3), gradient=at(6, 0, 0), second=(at(5, 3, 2),))
case("prod, two 0", lambda x: np.prod(x), at(0, 0, 3), gradient=at(0, 0, 0), second=(at(3, 3, 0),))
case("prod, three 0", lambda x: np.prod(x), at(0, 0, 0), gradient=at(0, 0, 0))
case("prod, axis", lambda x: np.prod(x, axis=1), np.array([[0.0, 2.0], [3.0, 4.0], [0.0, 0.0]]), gradient=np.array([[2.0, 0.0], [4.0, 3.0], [0.0, 0.0]]), second=1.0)
case("cumprod, one 0", lambda x: np.cumprod(x), at(0, 2, 3), gradient=at(9, 0, 0), second=(at(6, 4, 2),))
case("cumprod, two 0", lambda x: np.cumprod(x), at(2, 0, 0, 3), gradient=at(1, 2, 0, 0), second=(at(1, 9, 8, 0),))
case("cumprod, axis", lambda x: np.cumprod(x, axis=0), np.array([[0.0, 2.0], [3.0, 0.0]]), gradient=np.array([[4.0, 1.0], [0.0, 2.0]]), second=1.0)
case("math.prod, one 0", lambda x, y, z: math.prod((x, y, z)), 0.0, 2.0, 3.0, gradient=(6.0, 0.0, 0.0), second=(5.0, 3.0, 2.0))
case("math.prod, two 0", lambda x, y, z: math.prod((x, y, z)), 0.0, 0.0, 3.0, gradient=(0.0, 0.0, 0.0), second=(3.0, 3.0, 0.0))
case("multiply.reduce-like loop", lambda x: x[0] * x[1] * x[2], at(0, 2, 3), gradient=at(6, 0, 0), second=(at(5, 3, 2),))

# ------------------------------------------------------- powers

case("x**0", lambda x: x**0, 0.0, gradient=0.0)
case("x**0.0", lambda x: x**0.0, 0.0, gradient=0.0)
case("x**0 of array", lambda x: x**0, at(0, 2), gradient=at(0, 0))
case("x**1", lambda x: x**1, 0.0, gradient=1.0)
case("x**2", lambda x: x**2, 0.0, gradient=0.0, second=2.0)
case("x**2.0", lambda x: x**2.0, 0.0, gradient=0.0, second=2.0)
case("x**2 of array", lambda x: x**2, at(0, 3), gradient=at(0, 6), second=2.0)
case("x**3", lambda x: x**3, at(0, 1), gradient=at(0, 3), second=(at(0, 6),))
case("x**1.5", lambda x: x**1.5, at(0, 4), gradient=at(0, 3), second=(at(inf, 0.375),))
case("x**0.5", lambda x: x**0.5, 0.0, gradient=inf, second=ANY)
case("x**0.5 of array", lambda x: x**0.5, at(0, 4), gradient=at(inf, 0.25), second=ANY)
case("0.0**0.0", lambda x, y: x**y, 0.0, 0.0, gradient=(0.0, 0.0), second=ANY)
case("0.0**1.0", lambda x, y: x**y, 0.0, 1.0, gradient=(1.0, 0.0), second=ANY)
case("0.0**2.0", lambda x, y: x**y, 0.0, 2.0, gradient=(0.0, 0.0), second=(2.0, 0.0))
case("0.0**0.5", lambda x, y: x**y, 0.0, 0.5, gradient=(inf, 0.0), second=ANY)
case("0.0**3, int", lambda x, k: x**k, 0.0, 3, gradient=(0.0, None))
case("0.0**1, int", lambda x, k: x**k, 0.0, 1, gradient=(1.0, None))
case("0.0**0, int", lambda x, k: x**k, 0.0, 0, gradient=(0.0, None))
case("(-2.0)**3, int", lambda x, k: x**k, -2.0, 3, gradient=(12.0, None), second=(-12.0, None))
case("0**y", lambda y: 0.0**y, 2.0, gradient=0.0)
case("0**y of array", lambda y: 0.0**y, at(1, 2), gradient=at(0, 0))
case("0**y at 0", lambda y: 0.0**y, 0.0, gradient=0.0)
case("1**y", lambda y: 1.0**y, 3.0, gradient=0.0)
case("(-2.0)**2.0", lambda x, y: x**y, -2.0, 2.0, gradient=(-4.0, nan), second=ANY)
case("powers of arrays", lambda x, y: x**y, at(0, 0, 0), at(0, 1, 2), gradient=(at(0, 1, 0), at(0, 0, 0)), second=ANY)
case("np.power", lambda x, y: np.power(x, y), at(0, 0, 0), at(0, 1, 2), gradient=(at(0, 1, 0), at(0, 0, 0)), second=ANY)
case("np.power of numbers", lambda x, y: np.power(x, y), 0.0, 0.0, gradient=(0.0, 0.0), second=ANY)
case("np.power, exponent 2", lambda x: np.power(x, 2), at(0, 1), gradient=at(0, 2), second=2.0)
case("float_power", lambda x, y: np.float_power(x, y), at(0, 0, 0), at(0, 1, 2), gradient=(at(0, 1, 0), at(0, 0, 0)), second=ANY)
case("math.pow", lambda x, y: math.pow(x, y), 0.0, 0.0, gradient=(0.0, 0.0), second=ANY)
case("math.pow, 1", lambda x, y: math.pow(x, y), 0.0, 1.0, gradient=(1.0, 0.0), second=ANY)
case("math.pow, 2", lambda x, y: math.pow(x, y), 0.0, 2.0, gradient=(0.0, 0.0), second=(2.0, 0.0))
case("math.pow, exponent 2", lambda x: math.pow(x, 2), 0.0, gradient=0.0, second=2.0)
case("pow", lambda x, y: pow(x, y), 0.0, 2.0, gradient=(0.0, 0.0), second=(2.0, 0.0))
case("np.square", lambda x: np.square(x), at(0, 1), gradient=at(0, 2), second=2.0)
case("power of where", lambda x, y: np.where(y > 0, x**y, 1.0), at(0, 0), at(2, 0), gradient=(at(0, 0), at(0, 0)), second=ANY)

# ------------------------------------------------------- logaddexp and its like

case("logaddexp(-inf, -inf)", lambda x, y: np.logaddexp(x, y), -inf, -inf, gradient=(0.0, 0.0))
case("logaddexp of arrays", lambda x, y: np.logaddexp(x, y), at(-inf, -inf, 0), at(-inf, 1, 0), gradient=(at(0, 0, 0.5), at(0, 1, 0.5)))
case("logaddexp2", lambda x, y: np.logaddexp2(x, y), at(-inf, -inf, 0), at(-inf, 1, 0), gradient=(at(0, 0, 0.5), at(0, 1, 0.5)))
case("logaddexp(inf, 0)", lambda x, y: np.logaddexp(x, y), inf, 0.0, gradient=(nan, 0.0), second=ANY)
case("softplus", lambda x: np.logaddexp(0.0, x), at(-1000, 0, 1000), gradient=at(0, 0.5, 1), second=(at(0, 0.25, 0),))
case("softplus by math", lambda x: np.logaddexp(0.0, x), -800.0, gradient=0.0)
case("logsumexp by hand", lambda x: _logsumexp(x), at(1000, 1000), gradient=at(0.5, 0.5), second=0.0)
case("logsumexp with -inf", lambda x: _logsumexp(x), at(-inf, 0), gradient=at(0, 1), second=0.0)
case("logsumexp, axis", lambda x: _logsumexp_of_rows(x), np.array([[0.0, 0.0], [-inf, 3.0]]), gradient=np.array([[0.5, 0.5], [0.0, 1.0]]), second=0.0)
case("logaddexp in a loop", lambda x: _logaddexp_in_loop(x), at(0, 0, 0), gradient=at(1 / 3, 1 / 3, 1 / 3), second=0.0)


def _logsumexp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def _logsumexp_of_rows(x):
    top = np.max(x, axis=1, keepdims=True)
    return top[:, 0] + np.log(np.sum(np.exp(x - top), axis=1))


def _logaddexp_in_loop(x):
    total = -np.inf
    for value in x:
        total = np.logaddexp(total, value)
    return total


# ------------------------------------------------------- steps

case("sign", lambda x: np.sign(x), at(-1, 0, 2), gradient=at(0, 0, 0))
case("sign of number", lambda x: x * np.sign(x), 0.0, gradient=0.0)
case("floor", lambda x: np.floor(x), at(0, 1, 1.5), gradient=at(0, 0, 0))
case("math.floor", lambda x: x * math.floor(x), 1.0, gradient=1.0)
case("math.ceil", lambda x: x + math.ceil(x), 1.0, gradient=1.0)
case("ceil", lambda x: np.ceil(x), at(0, 1, 1.5), gradient=at(0, 0, 0))
case("trunc", lambda x: np.trunc(x), at(0, 1, 1.5), gradient=at(0, 0, 0))
case("rint", lambda x: np.rint(x), at(0.5, 1.5), gradient=at(0, 0))
case("round", lambda x: x + round(x), 0.5, gradient=1.0)
case("round, digits", lambda x: round(x, 1), 0.25, gradient=0.0)
case("np.round", lambda x: np.round(x, 1), at(0.25, 1), gradient=at(0, 0))
case("int", lambda x: x * int(x), 2.0, gradient=2.0)
case("floor division", lambda x: x // 1.0, at(1, 1.5), gradient=at(0, 0))
case("floor division of numbers", lambda x, y: x // y, 3.0, 1.5, gradient=(0.0, 0.0))
case("heaviside", lambda x: np.heaviside(x, 0.5), at(-1, 0, 1), gradient=at(0, 0, 0))
case("heaviside, value", lambda x, y: np.heaviside(x, y), at(-1, 0, 1), at(2, 2, 2), gradient=(at(0, 0, 0), at(0, 1, 0)))
case("mod at a multiple", lambda x, y: x % y, 3.0, 1.5, gradient=(1.0, -2.0))
case("mod of arrays", lambda x, y: x % y, at(3, 4), at(1.5, 1.5), gradient=(at(1, 1), at(-2, -2)))
case("remainder", lambda x, y: np.remainder(x, y), at(3, -4), at(1.5, 1.5), gradient=(at(1, 1), at(-2, 3)))
case("fmod", lambda x, y: np.fmod(x, y), at(3, -4), at(1.5, 1.5), gradient=(at(1, 1), at(-2, 2)))
case("math.fmod", lambda x, y: math.fmod(x, y), 3.0, 1.5, gradient=(1.0, -2.0))
case("math.remainder", lambda x, y: math.remainder(x, y), 3.0, 1.5, gradient=(1.0, -2.0))
case("comparison", lambda x: (x > 0) * 2.0, at(0, 1), gradient=at(0, 0))
case("nextafter", lambda x: np.nextafter(x, 3.0), at(3, 0), gradient=at(1, 1))
case("math.modf", lambda x: math.modf(x)[0], 2.0, gradient=1.0)
case("divmod", lambda x, y: divmod(x, y)[1], 3.0, 1.5, gradient=(1.0, -2.0))

# ------------------------------------------------------- bounds

case("clip at its bounds", lambda x: np.clip(x, -1.0, 1.0), at(-1, 0, 1, 2), gradient=at(0, 1, 0, 0))
case("clip at bounds of the run", lambda x, a, b: np.clip(x, a, b), at(-1, 0, 1, 2), -1.0, 1.0, gradient=(at(0.5, 1, 0.5, 0), 0.5, 1.5))
case("clip method", lambda x: x.clip(0.0, 1.0), at(0, 0.5, 1), gradient=at(0, 1, 0))
case("clip, equal bounds", lambda x, a, b: np.clip(x, a, b), at(1, 1), 1.0, 1.0, gradient=(at(0.25, 0.25), 0.5, 1.0))
case("clip by max and min", lambda x: min(max(x, -1.0), 1.0), 1.0, gradient=0.5)
case("nanmean", lambda x: np.nanmean(x), at(nan, 1, 3), gradient=at(0, 0.5, 0.5))
case("counts of a histogram", lambda x: np.histogram(x, 2, (0.0, 2.0))[0] * 1.0, at(0, 1, 2), gradient=at(0, 0, 0))
case("whole part", lambda x: np.modf(x)[1], at(-1, 0, 1.5), gradient=at(0, 0, 0))
case("nan_to_num", lambda x: np.nan_to_num(x), at(nan, inf, 1), gradient=at(0, 0, 1))

# ------------------------------------------------------- borders of the domain, as NumPy

case("sqrt(0)", lambda x: np.sqrt(x), at(0, 4), gradient=at(inf, 0.25), second=(at(-inf, -1 / 32),))
case("sqrt(0) of number", lambda x: np.sqrt(x), 0.0, gradient=inf, second=-inf)
case("math.sqrt(0)", lambda x: math.sqrt(x), 0.0, gradient=inf, second=-inf)
case("cbrt(0)", lambda x: np.cbrt(x), at(0, 8), gradient=at(inf, 1 / 12), second=ANY)
case("math.cbrt(0)", lambda x: math.cbrt(x), 0.0, gradient=inf, second=ANY)
case("log(0)", lambda x: np.log(x), at(0, 4), gradient=at(inf, 0.25), second=(at(-inf, -1 / 16),))
case("log1p(-1)", lambda x: np.log1p(x), at(-1, 0), gradient=at(inf, 1), second=(at(-inf, -1),))
case("log2(0)", lambda x: np.log2(x), at(0, 1), gradient=at(inf, 1 / math.log(2)), second=(at(-inf, -1 / math.log(2)),))
case("log10(0)", lambda x: np.log10(x), at(0, 1), gradient=at(inf, 1 / math.log(10)), second=(at(-inf, -1 / math.log(10)),))
case("1/x at 0", lambda x: 1.0 / x, at(0, 2), gradient=at(-inf, -0.25), second=(at(inf, 0.25),))
case("x/0", lambda x, y: x / y, at(1, 1), at(0, 2), gradient=(at(inf, 0.5), at(-inf, -0.25)), second=ANY)
case("0/0", lambda x, y: x / y, at(0), at(0), gradient=(at(inf), at(nan)), second=ANY)
case("np.divide by 0", lambda x, y: np.divide(x, y), 1.0, 0.0, gradient=(inf, -inf), second=ANY)
case("reciprocal of 0", lambda x: np.reciprocal(x), at(0, 2), gradient=at(-inf, -0.25), second=(at(inf, 0.25),))
case("arctan2(0, 0)", lambda y, x: np.arctan2(y, x), 0.0, 0.0, gradient=(nan, nan), second=ANY)
case("arctan2 of arrays", lambda y, x: np.arctan2(y, x), at(0, 1), at(0, 0), gradient=(at(nan, 0), at(nan, -1)), second=ANY)
case("math.atan2(0, 0)", lambda y, x: math.atan2(y, x), 0.0, 0.0, gradient=(nan, nan), second=ANY)
case("arcsin(1)", lambda x: np.arcsin(x), at(1, 0), gradient=at(inf, 1), second=(at(inf, 0),))
case("arccos(1)", lambda x: np.arccos(x), at(1, 0), gradient=at(-inf, -1), second=(at(-inf, 0),))
case("math.asin(1)", lambda x: math.asin(x), 1.0, gradient=inf, second=inf)
case("math.acos(-1)", lambda x: math.acos(x), -1.0, gradient=-inf, second=inf)
case("arctanh(1)", lambda x: np.arctanh(x), at(1, 0), gradient=at(inf, 1), second=(at(inf, 0),))
case("arccosh(1)", lambda x: np.arccosh(x), at(1, 2), gradient=at(inf, 1 / math.sqrt(3)), second=ANY)
case("math.acosh(1)", lambda x: math.acosh(x), 1.0, gradient=inf, second=ANY)
case("sinc(0)", lambda x: np.sinc(x), at(0, 1), gradient=at(0, -1), second=(at(-math.pi**2 / 3, 2),))
case("sinc(0) of number", lambda x: np.sinc(x), 0.0, gradient=0.0, second=-math.pi**2 / 3)
case("tan far off", lambda x: np.tan(x), math.pi / 4, gradient=2.0, second=4.0)

# ------------------------------------------------------- one triangle is read

case("eigh, equal", lambda a: np.linalg.eigh(a)[1][0, 0] ** 2, np.eye(2), gradient=np.array([[np.nan, 0.0], [np.nan, np.nan]]), second=NONE)
case("svd, equal, others", lambda a: np.linalg.svd(a)[0][1, 0], np.diag([3.0, 1.0, 1.0]), gradient=np.array([[0.0, 0.125, 0.0], [0.375, 0.0, 0.0], [0.0, 0.0, 0.0]]), second=NONE)
case("svd, 0", lambda a: np.linalg.svd(a)[1], np.diag([2.0, 0.0]), gradient=np.diag([1.0, 0.0]), second=NONE)
case("eigvalsh", lambda a: np.linalg.eigvalsh(a) ** 2, np.array([[4.0, 9.0], [1.0, 3.0]]), gradient=np.array([[8.0, 0.0], [4.0, 6.0]]), second=(np.array([[2.0, 0.0], [4.0, 2.0]]),))
case("eigvalsh, upper", lambda a: np.linalg.eigvalsh(a, UPLO="U") ** 2, np.array([[4.0, 1.0], [9.0, 3.0]]), gradient=np.array([[8.0, 4.0], [0.0, 6.0]]), second=(np.array([[2.0, 4.0], [0.0, 2.0]]),))

# ------------------------------------------------------- SciPy

case("logsumexp of nothing", lambda a: np.exp(special.logsumexp(a)), at(-inf, -inf), gradient=at(0, 0))
case("xlogy, both 0", lambda y: special.xlogy(np.zeros(2), y), at(0, 2), gradient=at(0, 0))
case("xlog1py, both singular", lambda y: special.xlog1py(np.zeros(2), y), at(-1, 2), gradient=at(0, 0))
case("rel_entr, both 0", lambda y: special.rel_entr(np.zeros(2), y), at(0, 2), gradient=at(0, 0))
case("kl_div, both 0", lambda y: special.kl_div(np.zeros(2), y), at(0, 2), gradient=at(1, 1))
case("logpdf outside", lambda x, s: np.where(x > 0, stats.gamma.logpdf(x, 2.0, scale=s), 0.0), at(-1, -2), 1.5, gradient=(at(0, 0), 0.0))
case("pdf outside", lambda x, s: stats.gamma.pdf(x, 2.0, scale=s), at(-1, -2), 1.5, gradient=(at(0, 0), 0.0))
case("i0e at 0", lambda x: special.i0e(x), 0.0, gradient=0.0, second=ANY)
case("huber at delta", lambda d, r: special.huber(d, r), 1.0, 1.0, gradient=(0.0, 1.0), second=ANY)
case("cdist of equal points", lambda a: distance.cdist(a, a), at([1.0, 2.0], [1.0, 2.0]), gradient=at([0, 0], [0, 0]))
case("euclidean of equal points", lambda a, b: distance.euclidean(a, b), at(1, 2), at(1, 2), gradient=(at(0, 0), at(0, 0)), second=ANY)
