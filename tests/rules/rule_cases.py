"""Calls at which the rules are tested: one line a call.

Every function with a derivative has one. Smooth cases are compared with central
differences. Where the function has a kink or its derivative is a matter of convention,
``expected`` gives the gradient (for a cotangent of ones). Arrays are drawn away from kinks.
"""

# ruff: noqa: E501
from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.ops.numerics.special import (
    digamma,
    modified_bessel,
    polygamma,
    sinc_derivative,
)
from s2sad.ops.runtime.scalars import log_of_base, power, quotient


class LiteralFloat(float):
    """A float that stands in the source of the call, not in a variable."""


class LiteralInt(int):
    """An int that stands in the source of the call, not in a variable."""


@dataclass(frozen=True)
class RuleCase:
    """One call of a function and the positional arguments to differentiate by."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    wrt: tuple[int, ...]
    """Positions of the arguments to differentiate by; () where there is no derivative."""
    keywords: dict[str, Any] = field(default_factory=dict)
    note: str = ""
    expected: tuple[Any, ...] | None = None
    """The gradient for each of ``wrt`` at a singular point; None: central differences."""

    @property
    def name(self) -> str:
        module = getattr(self.function, "__module__", None) or "numpy"
        shapes = ",".join(
            type(a).__name__ if np.ndim(a) == 0 else "x".join(map(str, np.shape(a)))
            for a in self.arguments
            if not isinstance(a, tuple)
        )
        name = f"{module.strip('_')}.{self.function.__name__}({shapes})"
        return f"{name} {self.note}".rstrip()


_random = np.random.default_rng(20240917)
ANY = _random.uniform(0.2, 1.8, (3, 4)) * _random.choice([-1.0, 1.0], (3, 4))
ROW = _random.uniform(0.3, 1.6, (1, 4)) * _random.choice([-1.0, 1.0], (1, 4))
COLUMN = _random.uniform(0.3, 1.6, (3, 1)) * _random.choice([-1.0, 1.0], (3, 1))
VECTOR = _random.uniform(0.3, 1.6, 4) * _random.choice([-1.0, 1.0], 4)
POSITIVE = _random.uniform(0.3, 2.5, (3, 4))
INSIDE = _random.uniform(0.1, 0.9, (3, 4)) * _random.choice([-1.0, 1.0], (3, 4))
ABOVE_ONE = _random.uniform(1.2, 3.0, (3, 4))
INTS = _random.integers(1, 5, (3, 4))
EMPTY = np.zeros((0, 4))
STRIDED = _random.uniform(0.3, 2.5, (8, 3)).T[:, ::2]
MASK = ANY > 0.4
ZERO = LiteralFloat(0.0)
_0, _1 = (0,), (0, 1)


def _case(function, *arguments, wrt=None, note="", expected=None, **keywords):
    if wrt is None:
        wrt = tuple(k for k, a in enumerate(arguments) if _is_real(a))
    return RuleCase(function, arguments, wrt, keywords, note, expected)


def _is_real(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_is_real, value))
    if isinstance(value, LiteralFloat):
        return False
    return isinstance(value, float) or np.issubdtype(
        getattr(value, "dtype", np.int64), np.floating
    )


def _unary(function: Any, domain: np.ndarray) -> list[RuleCase]:
    """Arrays of several layouts, a NumPy scalar and Python floats from the domain."""
    return [
        _case(function, domain),
        _case(function, domain.T[::2], note="strided"),
        _case(function, domain[:0], note="empty"),
        _case(function, domain[0, 0]),
        _case(function, float(domain[1, 1])),
    ]


def _scalar(function: Any, domain: np.ndarray) -> list[RuleCase]:
    return [_case(function, float(x)) for x in domain[:2, 1]]


def _binary(function: Any, x: np.ndarray, y: np.ndarray) -> list[RuleCase]:
    """Every way to broadcast, and numbers with arrays."""
    return [
        _case(function, x, y),
        _case(function, x, y[:1], note="row"),
        _case(function, x[:, :1], y, note="column"),
        _case(function, x[:, :1], y[1], note="outer"),
        _case(function, x[0], y, note="vector"),
        _case(function, x, float(y[0, 1])),
        _case(function, float(x[1, 1]), y),
        _case(function, x[0, 0], y[0, 0]),
        _case(function, float(x[2, 1]), float(y[2, 1])),
        _case(function, x[:0], y[:0], note="empty"),
    ]


GAMMA_DOMAIN = np.array([[0.4, 2.7], [-0.6, -2.3], [5.5, -7.25]])

OPERATORS = [
    *(c for f in (operator.add, np.add) for c in _binary(f, ANY, POSITIVE)),
    *(c for f in (operator.sub, np.subtract) for c in _binary(f, ANY, POSITIVE)),
    *(c for f in (operator.mul, np.multiply) for c in _binary(f, ANY, POSITIVE)),
    *(c for f in (operator.truediv, np.divide) for c in _binary(f, ANY, -POSITIVE)),
    *(c for f in (operator.pow, pow, np.power) for c in _binary(f, POSITIVE, ANY)),
    *_binary(np.float_power, POSITIVE, ANY),
    *_binary(operator.mod, ANY * 7, POSITIVE),
    *_binary(np.remainder, ANY * 7, -POSITIVE),
    *_binary(np.fmod, ANY * 7, POSITIVE),
    *(c for f in (operator.neg, np.negative) for c in _unary(f, ANY)),
    *(c for f in (operator.pos, np.positive) for c in _unary(f, ANY)),
    *_unary(np.square, ANY),
    *_unary(np.reciprocal, ANY),
    _case(operator.mul, ANY, LiteralInt(3)),
    _case(operator.mul, INTS, ANY),
    _case(operator.truediv, ANY, LiteralInt(3)),
    _case(operator.truediv, 1.5, 4),
    _case(operator.truediv, LiteralFloat(1.0), 0.7),
    _case(
        operator.truediv,
        np.zeros(2),
        0.0,
        wrt=_0,
        note="by 0",
        expected=([np.inf] * 2,),
    ),
    _case(operator.truediv, np.float64(1.0), 0, note="by 0", expected=(np.inf,)),
    _case(np.divide, 1.0, 0.0, wrt=_0, note="by 0", expected=(np.inf,)),
    _case(operator.pow, ANY, LiteralInt(2)),
    _case(operator.pow, ANY, LiteralInt(3)),
    _case(operator.pow, ANY, LiteralInt(1)),
    _case(operator.pow, ANY, LiteralInt(0)),
    _case(operator.pow, ANY, LiteralInt(-2)),
    _case(operator.pow, POSITIVE, LiteralFloat(0.5)),
    _case(operator.pow, POSITIVE, LiteralFloat(1.5)),
    _case(operator.pow, ANY, 3),
    _case(operator.pow, ANY, INTS),
    _case(operator.pow, INTS, ANY),
    _case(operator.pow, LiteralFloat(2.0), ANY),
    _case(operator.pow, 3, ANY),
    _case(operator.pow, -1.7, 3),
    _case(operator.pow, -1.7, -3),
    _case(operator.pow, 0.0, 0, note="0**0", expected=(0.0,)),
    _case(operator.pow, 0.0, 1, note="0**1", expected=(1.0,)),
    _case(operator.pow, 0.0, 2, note="0**2", expected=(0.0,)),
    _case(operator.pow, 0.0, 0.5, wrt=_1, note="0**0.5", expected=(np.inf, 0.0)),
    _case(operator.pow, 1e-200, -1, note="no overflow", expected=(-np.inf,)),
    _case(
        operator.pow,
        np.zeros(3),
        np.array([0.0, 1.0, 2.0]),
        note="0**y",
        expected=([0.0, 1.0, 0.0], [0.0] * 3),
    ),
    _case(operator.pow, np.zeros(3), LiteralInt(0), note="0**0", expected=([0.0] * 3,)),
    _case(
        operator.pow,
        np.zeros(2),
        LiteralFloat(0.5),
        note="sqrt of 0",
        expected=([np.inf] * 2,),
    ),
    _case(np.power, 0.0, 0, note="0**0", expected=(0.0,)),
    _case(np.reciprocal, 0.0, note="of 0", expected=(-np.inf,)),
]

BUILTINS = [
    *_unary(abs, ANY),
    _case(abs, np.array([0.0, -0.0, -2.0]), note="at 0", expected=([0.0, 0.0, -1.0],)),
    _case(abs, 0.0, note="at 0", expected=(0.0,)),
    _case(float, 1.5),
    _case(float, np.float32(1.5)),
    _case(max, 1.5, 2.5),
    _case(max, 1.5, -2.5, 0.5),
    _case(max, 1.5, 2),
    _case(max, (1.5, -2.5, 0.5)),
    _case(max, VECTOR),
    _case(max, 1.5, 1.5, note="tie", expected=(0.5, 0.5)),
    _case(max, 1.5, 0.3, 1.5, 1.5, note="tie", expected=(1 / 3, 0.0, 1 / 3, 1 / 3)),
    _case(max, 0.0, ZERO, note="relu at 0", expected=(0.0,)),
    _case(max, ZERO, 0.0, note="relu at 0", expected=(0.0,)),
    _case(max, ZERO, 0.0, -1.0, note="relu at 0", expected=(0.0, 0.0)),
    _case(max, 1.5, ZERO),
    _case(max, -1.5, ZERO),
    _case(max, math.nan, 1.0, note="nan", expected=(0.0, 0.0)),
    _case(max, math.nan, 1.0, 2.0, note="nan", expected=(0.0, 0.0, 0.0)),
    _case(min, 1.5, 2.5),
    _case(min, 1.5, -2.5, 0.5),
    _case(min, (1.5, -2.5, 0.5)),
    _case(min, VECTOR),
    _case(min, 1.5, 1.5, note="tie", expected=(0.5, 0.5)),
    _case(min, 0.0, ZERO, note="at 0", expected=(0.0,)),
    _case(min, -1.5, ZERO),
    _case(sum, (1.5, 2.5, -0.5)),
    _case(sum, (1.5, 2.5), 3.0),
    _case(sum, (ANY, ROW, COLUMN)),
    _case(sum, (ANY, 1.5), VECTOR),
    _case(sum, (1.5, 2), ANY),
    _case(sum, VECTOR, VECTOR),
    _case(sum, ANY, ROW),
    _case(sum, ()),
    _case(sum, VECTOR),
    _case(sum, ANY, 1.5),
]

MATH = [
    *(
        c
        for f in (
            math.exp, math.expm1, math.exp2, math.sin, math.cos, math.tan, math.atan,
            math.sinh, math.cosh, math.tanh, math.asinh, math.erf, math.erfc, math.fabs,
            math.cbrt, math.degrees, math.radians, math.modf, math.frexp,
        )
        for c in _scalar(f, ANY)
    ),
    *(c for f in (math.asin, math.acos, math.atanh, math.log1p) for c in _scalar(f, INSIDE)),
    *(c for f in (math.log, math.log2, math.log10, math.sqrt) for c in _scalar(f, POSITIVE)),
    *_scalar(math.acosh, ABOVE_ONE),
    *(_case(f, float(x)) for f in (math.gamma, math.lgamma) for x in GAMMA_DOMAIN.ravel()),
    *_unary(digamma, GAMMA_DOMAIN),
    *(_case(polygamma, n, np.array([1.3, 2.7, 4.1, -0.5]), wrt=(1,), note=str(n)) for n in range(4)),
    *(_case(modified_bessel, n, np.array([0.0, 1.3, -2.7, 3.1]), wrt=(1,), note=str(n)) for n in range(3)),
    _case(math.log, 1.7, 3.1),
    _case(math.pow, 1.7, 3.1),
    _case(math.pow, 1.7, LiteralInt(3)),
    _case(math.pow, -1.7, 3),
    _case(math.pow, 0.0, 0, note="0**0", expected=(0.0,)),
    _case(math.pow, 0.0, 0.5, note="0**0.5", expected=(np.inf, 0.0)),
    _case(math.atan2, 0.7, -1.2),
    _case(math.atan2, -0.7, -1.2),
    _case(math.hypot, 0.7, -1.2),
    _case(math.hypot, 0.7, -1.2, 2, 3.1),
    _case(math.hypot, 0.0, 0.0, note="at 0", expected=(0.0, 0.0)),
    _case(math.hypot, 3e-320, 0.0, note="denormal", expected=(1.0, 0.0)),
    _case(math.dist, (0.7, -1.2), (0.1, 2.0)),
    _case(math.dist, (0.7, -1.2), (1, 2)),
    _case(math.dist, VECTOR, VECTOR[::-1]),
    _case(math.dist, (0.7, 1.0), (0.7, 1.0), note="at 0", expected=((0.0, 0.0),) * 2),
    _case(math.fmod, -7.3, 2.1),
    _case(math.remainder, 7.3, 2.1),
    _case(math.copysign, 1.3, -2.0),
    _case(math.copysign, -1.3, -2.0),
    _case(math.copysign, 0.0, -2.0, note="at 0", expected=(0.0, 0.0)),
    _case(math.nextafter, 1.3, 2.0),
    _case(math.ldexp, 1.3, -3),
    _case(math.ldexp, 0.0, 2000, note="no overflow", expected=(np.inf,)),
    _case(math.fsum, (1.5, 2.5, -0.5)),
    _case(math.fsum, VECTOR),
    _case(math.prod, (1.5, 2.5, -0.5)),
    _case(math.prod, (1.5, 2, -0.5), start=3),
    _case(math.prod, (1.5, 0.0, -0.5), note="with 0"),
    _case(math.prod, (0.0, 0.0, -0.5), note="with two 0"),
    _case(math.sqrt, 0.0, note="at 0", expected=(np.inf,)),
    _case(quotient, 1.3, -0.7),
    _case(quotient, 1.3, 0.0, note="at 0", expected=(np.inf, -np.inf)),
    _case(power, 1.3, -0.7),
    _case(power, 0.0, 2.0, note="at 0", expected=(0.0, 0.0)),
    _case(power, 1.3, 0.0, note="exponent 0"),
    _case(operator.pow, 1.3, 0.0, note="exponent 0"),
    _case(np.power, np.abs(VECTOR), 0.0, note="exponent 0"),
    _case(log_of_base, 1.3),
    _case(log_of_base, 0.0, note="at 0", expected=(1.0,)),
    _case(math.cbrt, 0.0, note="at 0", expected=(np.inf,)),
    _case(math.asin, 1.0, note="at 1", expected=(np.inf,)),
    _case(math.acos, -1.0, note="at -1", expected=(-np.inf,)),
    _case(math.acosh, 1.0, note="at 1", expected=(np.inf,)),
    _case(math.atan2, 0.0, 0.0, note="at 0", expected=(np.nan, np.nan)),
    _case(math.fabs, 0.0, note="at 0", expected=(0.0,)),
    _case(math.atan, 1e200, note="no overflow", expected=(0.0,)),
    _case(math.asinh, -1e200, note="no overflow", expected=(1e-200,)),
    _case(math.erf, 1e200, note="no overflow", expected=(0.0,)),
    _case(math.gamma, 1.0, note="at 1", expected=(-0.5772156649015329,)),
]  # fmt: skip
if hasattr(math, "sumprod"):
    MATH.append(_case(math.sumprod, (1.5, 2.5), (0.5, -3.0)))
    MATH.append(_case(math.sumprod, (1.5, 2.5), (1, 2)))
if hasattr(math, "fma"):
    MATH.append(_case(math.fma, 1.5, 2.5, -0.7))

INFINITE = np.array([np.inf, np.nan, -np.inf, 1.0])

ELEMENTWISE = [
    *(
        c
        for f in (
            np.exp, np.expm1, np.exp2, np.cbrt, np.sin, np.cos, np.arctan,
            np.sinh, np.cosh, np.tanh, np.arcsinh, np.sinc, np.absolute, np.fabs,
            np.degrees, np.rad2deg, np.radians, np.deg2rad, np.real, np.conjugate,
            np.nan_to_num, np.float64, np.longdouble,
        )
        for c in _unary(f, ANY)
    ),
    *(c for f in (np.arcsin, np.arccos, np.arctanh, np.log1p, np.tan) for c in _unary(f, INSIDE)),
    *(c for f in (np.log, np.log2, np.log10, np.sqrt) for c in _unary(f, POSITIVE)),
    *_unary(np.arccosh, ABOVE_ONE),
    *(
        c
        for f in (
            np.hypot, np.arctan2, np.logaddexp, np.logaddexp2, np.maximum, np.minimum,
            np.fmax, np.fmin, np.copysign,
        )
        for c in _binary(f, ANY, -POSITIVE)
    ),
    *(_case(f, ANY.astype("float32"), note="as float") for f in (np.float64, np.float32)),
    _case(np.float32, ANY, note="rounding", expected=(np.ones((3, 4)),)),
    _case(np.float16, ANY, note="rounding", expected=(np.ones((3, 4)),)),
    _case(np.nextafter, ANY, 3.0),
    _case(np.ldexp, ANY, 3),
    _case(np.imag, ANY, note="of real numbers"),
    _case(np.heaviside, ANY, ROW, wrt=(1,)),
    _case(np.heaviside, np.array([0.0, 1.0, -1.0]), 0.4, wrt=(1,), note="at 0", expected=(1.0,)),
    _case(np.where, MASK, ANY, POSITIVE),
    _case(np.where, MASK, ANY, 1.5),
    _case(np.where, MASK, ROW, COLUMN),
    _case(np.where, MASK[:1], COLUMN, 0.5),
    _case(np.where, True, 1.5, 2.5),
    _case(np.where, INTS > 2, ANY, LiteralInt(0)),
    _case(np.clip, ANY, -0.7, 0.9),
    _case(np.clip, ANY, LiteralFloat(-0.7), LiteralFloat(0.9)),
    _case(np.clip, ANY, LiteralFloat(-0.7), 0.9),
    _case(np.clip, ANY, -0.7, LiteralFloat(0.9)),
    _case(np.clip, ANY, None, LiteralFloat(0.9)),
    _case(np.clip, ANY, LiteralFloat(-0.7), None),
    _case(np.clip, ANY, None, ROW),
    _case(np.clip, ANY, ROW, None),
    _case(np.clip, ANY, ROW - 1, COLUMN + 1),
    _case(np.clip, ANY, 0.9, -0.7, note="crossed bounds"),
    _case(np.clip, 0.3, -0.7, 0.9),
    *(_case(sinc_derivative, ANY * 3, n, note=str(n)) for n in range(4)),
    _case(sinc_derivative, np.array([0.0, 1e-9, -1e-3]), 1, note="near 0"),
    # Singular points and kinks.
    _case(np.sqrt, 0.0, note="at 0", expected=(np.inf,)),
    _case(np.cbrt, np.zeros(2), note="at 0", expected=([np.inf] * 2,)),
    _case(np.log, 0.0, note="at 0", expected=(np.inf,)),
    _case(np.log1p, -1.0, note="at -1", expected=(np.inf,)),
    _case(np.arctanh, 1.0, note="at 1", expected=(np.inf,)),
    _case(np.arcsin, 1.0, note="at 1", expected=(np.inf,)),
    _case(np.arccosh, np.ones(1), note="at 1", expected=([np.inf],)),
    _case(np.arctan2, 0.0, 0.0, note="at 0", expected=(np.nan, np.nan)),
    _case(np.arctan, 1e200, note="no overflow", expected=(0.0,)),
    _case(np.hypot, np.zeros(2), np.array([0.0, 2.0]), note="at 0", expected=([0.0, 0.0], [0.0, 1.0])),
    _case(np.absolute, np.array([0.0, -1.0]), note="at 0", expected=([0.0, -1.0],)),
    _case(np.fabs, 0.0, note="at 0", expected=(0.0,)),
    _case(np.sinc, np.array([0.0, 1.0]), note="at 0", expected=([0.0, -1.0],)),
    _case(np.sinc, 1e-8, note="near 0", expected=(-np.pi**2 / 3 * 1e-8,)),
    _case(np.logaddexp, -np.inf, -np.inf, note="nothing", expected=(0.0, 0.0)),
    _case(np.logaddexp, -np.inf, 1.0, note="one", expected=(0.0, 1.0)),
    _case(np.logaddexp2, -np.inf, -np.inf, note="nothing", expected=(0.0, 0.0)),
    *(_case(f, ANY, ZERO) for f in (np.maximum, np.minimum, np.fmax, np.fmin)),
    *(_case(f, ZERO, ANY) for f in (np.maximum, np.minimum, np.fmax, np.fmin)),
    *(
        _case(f, np.zeros(2), ZERO, note="relu at 0", expected=([0.0] * 2,))
        for f in (np.maximum, np.minimum, np.fmax, np.fmin)
    ),
    *(
        _case(f, np.ones(2), 1.0, note="tie", expected=([0.5] * 2, 1.0))
        for f in (np.maximum, np.minimum, np.fmax, np.fmin)
    ),
    *(
        _case(f, np.array([np.nan, 1.0]), np.array([1.0, np.nan]), note="nan", expected=([0.0, 1.0], [1.0, 0.0]))
        for f in (np.fmax, np.fmin)
    ),
    _case(np.clip, np.array([0.0, 1.0, 0.5]), LiteralInt(0), LiteralInt(1), note="literal bounds", expected=([0.0, 0.0, 1.0],)),
    _case(np.clip, np.array([0.0, 1.0, 0.5]), 0.0, 1.0, note="tie", expected=([0.5, 0.5, 1.0], 0.5, 0.5)),
    _case(np.nan_to_num, INFINITE, note="infinite", expected=([0.0, 0.0, 0.0, 1.0],)),
    _case(np.copysign, np.zeros(1), -1.0, note="at 0", expected=([0.0], 0.0)),
]  # fmt: skip

WITHOUT_DERIVATIVE = [
    *(
        _case(f, x, y, wrt=())
        for f in (
            operator.lt, operator.le, operator.gt, operator.ge, operator.eq,
            operator.ne, operator.floordiv, np.less, np.less_equal, np.greater,
            np.greater_equal, np.equal, np.not_equal, np.logical_and, np.logical_or,
            np.logical_xor, np.floor_divide, np.isclose,
        )
        for x, y in ((ANY, ROW), (1.5, 2.5), (ANY, 2.0), (np.float32(2.0), 1.5))
    ),
    *(
        _case(f, x, y, wrt=())
        for f in (
            operator.and_, operator.or_, operator.xor, np.bitwise_and, np.bitwise_or,
            np.bitwise_xor,
        )
        for x, y in ((MASK, MASK), (INTS, 3), (6, 3), (MASK, True))
    ),
    *(_case(f, INTS, 2, wrt=()) for f in (operator.lshift, operator.rshift)),
    *(_case(f, INTS, 2, wrt=()) for f in (np.left_shift, np.right_shift, np.gcd, np.lcm)),
    *(_case(f, 12, 2, wrt=()) for f in (operator.lshift, operator.rshift)),
    *(_case(operator.invert, x, wrt=()) for x in (INTS, MASK, 5, np.int8(3))),
    *(_case(operator.not_, x, wrt=()) for x in (1.5, 0, np.float64(1.0))),
    *(_case(f, 1.5, None, wrt=()) for f in (operator.is_, operator.is_not)),
    _case(operator.contains, (1, 2), LiteralInt(2), wrt=()),
    *(
        _case(f, x, wrt=())
        for f in (
            np.logical_not, np.isnan, np.isfinite, np.isinf, np.isposinf, np.isneginf,
            np.signbit, np.spacing, np.sign, np.floor, np.ceil, np.trunc, np.rint,
            np.round, np.around, np.int64, np.int32, np.bool_, np.uint8,
        )
        for x in (POSITIVE, POSITIVE.astype("float32"), 1.5, np.float32(1.5))
    ),
    *(_case(f, 1.5, wrt=()) for f in (int, bool, round)),
    *(_case(f, np.float32(1.5), wrt=()) for f in (int, bool, round)),
    _case(round, 1.567, 2, wrt=()),
    *(_case(len, x, wrt=()) for x in (ANY, (1, 2, 3), "abc")),
    *(
        _case(f, 1.5, wrt=())
        for f in (
            math.floor, math.ceil, math.trunc, math.ulp, math.isnan, math.isfinite,
            math.isinf,
        )
    ),
    *(_case(f, 12, 18, wrt=()) for f in (math.gcd, math.lcm)),
    *(_case(f, 7, 3, wrt=()) for f in (math.comb, math.perm)),
    *(_case(f, 9, wrt=()) for f in (math.factorial, math.isqrt, math.perm)),
    _case(math.isclose, 1.0, 1.1, rel_tol=0.2, wrt=()),
]  # fmt: skip

RULE_CASES = OPERATORS + BUILTINS + MATH + ELEMENTWISE
