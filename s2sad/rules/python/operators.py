"""Python's operators, and the NumPy functions that are the same operation."""

import operator
from typing import Any

import numpy as np

from s2sad import rules
from s2sad.rules.python.numbers import divided, log_of_base, raised, slope_of_power
from s2sad.rules.python.operator_kinds import (
    arithmetic_kind,
    comparison_kind,
    containment_kind,
    identity_kind,
    not_kind,
)


def _operator(function: Any, partials: Any, **flags: Any) -> None:
    rules.elementwise(function, partials, kind=arithmetic_kind(function), **flags)


_operator(operator.add, lambda x, y, out: (1.0, 1.0), cheap=True)
_operator(operator.sub, lambda x, y, out: (1.0, -1.0), cheap=True)
_operator(operator.mul, lambda x, y, out: (y, x), cheap=True)
_operator(operator.neg, lambda x, out: -1.0, cheap=True)
_operator(operator.pos, lambda x, out: 1.0, cheap=True)
rules.elementwise(np.add, lambda x, y, out: (1.0, 1.0), cheap=True)
rules.elementwise(np.subtract, lambda x, y, out: (1.0, -1.0), cheap=True)
rules.elementwise(np.multiply, lambda x, y, out: (y, x), cheap=True)
rules.elementwise(np.negative, lambda x, out: -1.0, cheap=True)
rules.elementwise(np.positive, lambda x, out: 1.0, cheap=True)
rules.elementwise(np.square, lambda x, out: 2.0 * x, cheap=True)
rules.elementwise(np.reciprocal, lambda x, out: -out * out, cheap=True, singular=True)


def _division(x, y, out):
    """Python's division of two floats has raised already if y is 0."""
    if rules.is_python_number(x) and rules.is_python_number(y):
        return 1.0 / y, -out / y
    return divided(1.0, y), -out / y


_operator(operator.truediv, _division, cheap=True, singular=True)
rules.elementwise(
    np.divide,
    lambda x, y, out: (divided(1.0, y), -out / y),
    cheap=True,
    singular=True,
)


def _power(x, y, out):
    """d(x**y) = y x**(y - 1) dx + x**y log(x) dy.

    0**y is 0 for every y > 0: log_of_base gives 0 there. NumPy's power gives inf for 0
    with a negative exponent, where a Python float raises.
    """
    if rules.is_literal_zero(y):
        return 0.0, out * log_of_base(x)
    if rules.is_literal_at_least_one(y):
        return y * x ** (y - 1), out * log_of_base(x)
    if rules.is_literal_nonzero(y):
        return y * raised(x, y - 1), out * log_of_base(x)
    return slope_of_power(x, y), out * log_of_base(x)


_operator(operator.pow, _power, singular=True)
rules.elementwise((np.power, np.float_power), _power, singular=True)


def _modulus(x, y, out):
    """x % y = x - y floor(x / y)."""
    if rules.is_numpy(x) or rules.is_numpy(y):
        return 1.0, -(x // y)
    return 1.0, -np.floor_divide(x, y)


_operator(operator.mod, lambda x, y, out: (1.0, -(x // y)), cheap=True, singular=True)
rules.elementwise(np.remainder, _modulus, cheap=True, singular=True)
# The quotient from the result: truncating x / y would be off by 1 where it rounds up.
rules.elementwise(
    np.fmod, lambda x, y, out: (1.0, (out - x) / y), cheap=True, singular=True
)

for _function in (operator.floordiv, operator.and_, operator.or_, operator.xor):
    rules.without_derivative(
        _function, lambda x, y: ..., kind=arithmetic_kind(_function)
    )
for _function in (operator.lshift, operator.rshift):
    rules.without_derivative(
        _function, lambda x, y: ..., kind=arithmetic_kind(_function)
    )
rules.without_derivative(
    operator.invert, lambda x: ..., kind=arithmetic_kind(operator.invert)
)
rules.without_derivative(operator.not_, lambda x: ..., kind=not_kind)
rules.without_derivative(
    operator.is_, lambda x, y: ..., kind=identity_kind(negated=False)
)
rules.without_derivative(
    operator.is_not, lambda x, y: ..., kind=identity_kind(negated=True)
)
rules.without_derivative(operator.contains, lambda x, y: ..., kind=containment_kind)

for _function in (
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
):  # fmt: skip
    rules.without_derivative(
        _function, lambda x, y: ..., kind=comparison_kind(_function), cheap=True
    )
for _function in (
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal,
    np.logical_and, np.logical_or, np.logical_xor,
):  # fmt: skip
    rules.without_derivative(
        _function, lambda x, y: ..., kind=comparison_kind(_function), cheap=True
    )
for _function in (
    np.floor_divide, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift,
    np.right_shift, np.gcd, np.lcm,
):  # fmt: skip
    rules.without_derivative(
        _function, lambda x, y: ..., kind=arithmetic_kind(_function)
    )
for _function in (
    np.logical_not, np.invert, np.isnan, np.isfinite, np.isinf, np.isposinf,
    np.isneginf, np.signbit, np.spacing,
):  # fmt: skip
    rules.without_derivative(_function, lambda x: ..., kind=arithmetic_kind(_function))
