"""The functions of the math module. Their arguments and results are Python floats."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.ops.numerics.special import digamma, polygamma
from s2sad.ops.runtime.products import product_of_others
from s2sad.ops.runtime.scalars import log_of_base as log_of_number
from s2sad.ops.runtime.scalars import power, quotient, sign
from s2sad.rules.python.numbers import divided, log_of_base, sign_of, slope_of_power
from s2sad.rules.python.operator_kinds import arithmetic_kind

_ONE = ir.Scalar("int", 1)


def python_float(**kinds: ir.Kind) -> ir.Kind:
    """The result is a Python float."""
    return ir.Scalar("float")


def _function(function: Callable[..., Any], partials: Any, **flags: Any) -> None:
    rules.elementwise(function, partials, kind=python_float, **flags)


# What derivatives of numbers are made of.
rules.elementwise(
    quotient,
    lambda x, y, out: (divided(1.0, y), divided(-out, y)),
    kind=rules.elementwise_kind(quotient),  # a cotangent may be an array on some path
    singular=True,
)
_function(
    power,
    lambda x, y, out: (slope_of_power(x, y), out * log_of_base(x)),
    singular=True,
)
_function(log_of_number, lambda x, out: divided(1.0, x + (x == 0)), singular=True)
rules.without_derivative(sign, kind=python_float)

# Exponentials and logarithms.
_function(math.exp, lambda x, out: out, singular=True)
_function(math.expm1, lambda x, out: math.exp(x), singular=True)
_function(math.exp2, lambda x, out: out * 0.6931471805599453, singular=True)
_function(math.log1p, lambda x, out: 1.0 / (1.0 + x), singular=True)
_function(math.log2, lambda x, out: 1.0 / (x * 0.6931471805599453), singular=True)
_function(math.log10, lambda x, out: 1.0 / (x * 2.302585092994046), singular=True)


def _log(x, base=None, *, out):
    """log(x) / log(base). Products with x could vanish, where division would raise."""
    if rules.is_none(base):
        return 1.0 / x, 0.0
    return 1.0 / x / math.log(base), -out / base / math.log(base)


_function(math.log, _log, singular=True)

# Powers.
_function(math.sqrt, lambda x, out: divided(0.5, out), singular=True)
_function(math.cbrt, lambda x, out: divided(1.0, 3.0 * out * out), singular=True)


def _pow(x, y, out):
    """As for ``x**y``."""
    if rules.is_literal_at_least_one(y):
        return y * math.pow(x, y - 1), out * log_of_base(x)
    return slope_of_power(x, y), out * log_of_base(x)


_function(math.pow, _pow, singular=True)

# Trigonometric functions. On Python floats, ** may overflow with an error, * not.
_function(math.sin, lambda x, out: math.cos(x))
_function(math.cos, lambda x, out: -math.sin(x))
_function(math.tan, lambda x, out: 1.0 + out * out)
_function(math.asin, lambda x, out: divided(1.0, math.sqrt(1.0 - x * x)), singular=True)
_function(
    math.acos, lambda x, out: divided(-1.0, math.sqrt(1.0 - x * x)), singular=True
)
_function(math.atan, lambda x, out: 1.0 / (1.0 + x * x))


def _atan2(y, x, out):
    squares = x * x + y * y
    return divided(x, squares), divided(-y, squares)


_function(math.atan2, _atan2, singular=True)
_function(math.degrees, lambda x, out: 180.0 / math.pi, cheap=True)
_function(math.radians, lambda x, out: math.pi / 180.0, cheap=True)

# Hyperbolic functions.
_function(math.sinh, lambda x, out: math.cosh(x), singular=True)
_function(math.cosh, lambda x, out: math.sinh(x), singular=True)
_function(math.tanh, lambda x, out: 1.0 - out * out)
_function(math.asinh, lambda x, out: 1.0 / math.hypot(1.0, x))
_function(
    math.acosh,
    lambda x, out: divided(1.0, math.sqrt(x - 1.0) * math.sqrt(x + 1.0)),
    singular=True,
)
_function(math.atanh, lambda x, out: 1.0 / (1.0 - x * x), singular=True)

# Special functions.
_function(math.erf, lambda x, out: 2.0 / math.sqrt(math.pi) * math.exp(-x * x))
_function(math.erfc, lambda x, out: -2.0 / math.sqrt(math.pi) * math.exp(-x * x))
_function(math.gamma, lambda x, out: out * digamma(x), singular=True)
_function(math.lgamma, lambda x, out: digamma(x), singular=True)
rules.elementwise(digamma, lambda x, out: polygamma(1, x), singular=True)


def _polygamma_kind(order: ir.Kind, x: ir.Kind) -> ir.Kind:
    return rules.elementwise_result(digamma, (x,))


rules.elementwise(
    polygamma,
    lambda order, x, out: polygamma(order + 1, x),
    kind=_polygamma_kind,
    differentiable=("x",),
    singular=True,
)

# Absolute values, signs and remainders.
_function(math.fabs, lambda x, out: sign_of(x), cheap=True)
_function(math.copysign, lambda x, y, out: (sign_of(x) * sign_of(out), 0.0), cheap=True)
_function(math.fmod, lambda x, y, out: (1.0, divided(out - x, y)), cheap=True)
_function(math.remainder, lambda x, y, out: (1.0, divided(out - x, y)), cheap=True)
_function(math.nextafter, lambda x, y, out: (1.0, 0.0), cheap=True)
_function(
    math.ldexp,
    lambda x, i, out: np.ldexp(1.0, i),
    differentiable=("x",),
    cheap=True,
    singular=True,
)
if hasattr(math, "fma"):
    _function(math.fma, lambda x, y, z, out: (y, x, 1.0), cheap=True)


def _two_kind(x: ir.Kind) -> ir.Kind:
    return ir.Structure(tuple, (0, 1), (ir.Scalar("float"), ir.Scalar("float")))


def _frexp_kind(x: ir.Kind) -> ir.Kind:
    return ir.Structure(tuple, (0, 1), (ir.Scalar("float"), ir.Scalar("int")))


@rules.reverse_of(math.modf, kind=_two_kind)
def _modf(x, *, out, out_bar):
    return out_bar[0]


@rules.forward_of(math.modf)
def _modf_forward(x, *, out, x_dot):
    return x_dot, 0.0


@rules.reverse_of(math.frexp, kind=_frexp_kind)
def _frexp(x, *, out, out_bar):
    return np.ldexp(out_bar[0], -out[1])


@rules.forward_of(math.frexp)
def _frexp_forward(x, *, out, x_dot):
    return np.ldexp(x_dot, -out[1]), 0


# Norms. Their derivative at the origin is 0: there out + (out == 0) is 1.
@rules.reverse_of(math.hypot, kind=python_float)
def _hypot(*coordinates, out, out_bar):
    length = out + (out == 0)
    parts = ()
    for x in coordinates:
        parts = parts + (out_bar * (x / length),)
    return parts


@rules.forward_of(math.hypot)
def _hypot_forward(*coordinates, out, coordinates_dot):
    length = out + (out == 0)
    total = 0.0
    for x, x_dot in zip(coordinates, coordinates_dot):
        total = total + x / length * x_dot
    return total


@rules.reverse_of(
    math.dist, kind=python_float, differentiable=("p", "q"), takes_sequence=True
)
def _dist(p, q, *, out, out_bar):
    length = out + (out == 0)
    if rules.is_sequence(p) or rules.is_sequence(q):
        p_bar = ()
        q_bar = ()
        for a, b in zip(p, q):
            p_bar = p_bar + (out_bar * ((a - b) / length),)
            q_bar = q_bar + (out_bar * ((b - a) / length),)
        return p_bar, q_bar
    return out_bar * ((p - q) / length), out_bar * ((q - p) / length)


@rules.forward_of(math.dist)
def _dist_forward(p, q, *, out, p_dot, q_dot):
    length = out + (out == 0)
    if not (rules.is_sequence(p) or rules.is_sequence(q)):
        return np.sum((p - q) / length * (p_dot - q_dot))
    total = 0.0
    if not rules.is_literal_zero(p_dot):
        for a, b, a_dot in zip(p, q, p_dot):
            total = total + (a - b) / length * a_dot
    if not rules.is_literal_zero(q_dot):
        for a, b, b_dot in zip(p, q, q_dot):
            total = total + (b - a) / length * b_dot
    return total


# Sums and products of tuples.
@rules.reverse_of(math.fsum, kind=python_float, takes_sequence=True)
def _fsum(values, *, out, out_bar):
    return (out_bar,) * len(values) if rules.is_sequence(values) else out_bar


@rules.forward_of(math.fsum)
def _fsum_forward(values, *, out, values_dot):
    return math.fsum(values_dot)


def _prod_kind(iterable: ir.Kind, start: ir.Kind = _ONE) -> ir.Kind:
    if not isinstance(iterable, ir.Structure):
        return ir.UNKNOWN
    multiply = arithmetic_kind(operator.mul)
    result = start
    for item in iterable.items:
        result = multiply(x=result, y=item)
    return result


def _sumprod_kind(p: ir.Kind, q: ir.Kind) -> ir.Kind:
    kinds = (p, q)
    if not all(isinstance(kind, ir.Structure) for kind in kinds):
        return ir.UNKNOWN
    items = [item for kind in kinds for item in getattr(kind, "items", ())]
    floats = any(ir.dtype_of(item) != "int64" for item in items)
    return ir.Scalar("float" if floats else "int")


@rules.reverse_of(
    math.prod,
    kind=_prod_kind,
    differentiable=("iterable", "start"),
    takes_sequence=True,
)
def _prod(iterable, *, start=1, out, out_bar):
    """The product of the others, without division: of those before and those after."""
    if rules.known_rank(iterable) == 1:
        others = product_of_others(iterable, None)
        return out_bar * start * others, out_bar * np.prod(iterable)
    before = ()
    product = start
    for x in iterable:
        before = before + (product,)
        product = product * x
    parts = ()
    after = out_bar
    for x, leading in zip(iterable[::-1], before[::-1]):
        parts = (leading * after,) + parts
        after = x * after
    return parts, after


@rules.forward_of(math.prod)
def _prod_forward(iterable, *, start=1, out, iterable_dot, start_dot):
    if rules.known_rank(iterable) == 1:
        total = np.sum(iterable_dot * product_of_others(iterable, None))
        return start * total + np.prod(iterable) * start_dot
    product, tangent = start, start_dot
    for x, x_dot in zip(iterable, iterable_dot):
        tangent = tangent * x + product * x_dot
        product = product * x
    return tangent


if hasattr(math, "sumprod"):

    @rules.reverse_of(
        math.sumprod, kind=_sumprod_kind, differentiable=("p", "q"), takes_sequence=True
    )
    def _sumprod(p, q, *, out, out_bar):
        p_bar = ()
        q_bar = ()
        for a, b in zip(p, q):
            p_bar = p_bar + (out_bar * b,)
            q_bar = q_bar + (out_bar * a,)
        return p_bar, q_bar

    @rules.forward_of(math.sumprod)
    def _sumprod_forward(p, q, *, out, p_dot, q_dot):
        total = 0.0
        if not rules.is_literal_zero(p_dot):
            for b, a_dot in zip(q, p_dot):
                total = total + b * a_dot
        if not rules.is_literal_zero(q_dot):
            for a, b_dot in zip(p, q_dot):
                total = total + a * b_dot
        return total


# No derivative.
rules.without_derivative(
    (math.floor, math.ceil, math.trunc), lambda x: ..., kind=rules.python_int
)
rules.without_derivative(math.ulp, lambda x: ..., kind=python_float)
rules.without_derivative(
    (math.gcd, math.lcm), lambda *integers: ..., kind=rules.python_int
)
rules.without_derivative(
    (math.factorial, math.isqrt), lambda n: ..., kind=rules.python_int
)
rules.without_derivative(math.comb, lambda n, k: ..., kind=rules.python_int)
rules.without_derivative(math.perm, lambda n, k=None: ..., kind=rules.python_int)
rules.without_derivative(
    (math.isnan, math.isfinite, math.isinf), lambda x: ..., kind=rules.python_bool
)
rules.without_derivative(
    math.isclose, lambda a, b, *, rel_tol=1e-9, abs_tol=0.0: ..., kind=rules.python_bool
)
