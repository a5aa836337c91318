"""Algebra on derived code: factors of one and terms of zero leave no trace.

Only lines that rules write are simplified so; the lines of the user's function stay as
written, so that their values are bit-identical.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.values import Leaf, Value, constant, kind_of
from s2sad.ops.runtime.scalars import quotient
from s2sad.rules.python import choice, folding

MULTIPLY = (operator.mul, np.multiply)
ADD = (operator.add, np.add)
SUBTRACT = (operator.sub, np.subtract)
DIVIDE = (operator.truediv, np.divide, quotient)
POWER = (operator.pow, np.power)
_BILINEAR = (operator.matmul, np.matmul, np.dot, np.outer, np.inner)
_LINEAR = (operator.neg, np.sum, np.mean, np.reshape, np.negative)


def number(value: Value) -> Any:
    """The number a value is known to be, else None."""
    kind = kind_of(value)
    if isinstance(kind, ir.Scalar) and kind.type != "bool":
        if isinstance(value, Leaf) and (
            isinstance(value.operand, ir.Const) or kind.type == "int"
        ):
            return kind.value
    return None


def simplified(
    spec: Specialiser, function: Callable[..., Any], operands: tuple[Value, ...]
) -> Value | None:
    """A simpler value of ``function(*operands)``, or None if there is none."""
    numbers = [number(o) for o in operands]
    if all(n is not None for n in numbers) and len(operands) == 2:
        return _folded(function, numbers)
    factors = 2 if function in _BILINEAR else 1
    is_linear = function in _LINEAR + _BILINEAR or ops.rearranges(function)
    if is_linear and any(
        _is_zero(o, n) for o, n in zip(operands[:factors], numbers, strict=False)
    ):
        return constant(0.0)
    if function is np.where and len(operands) == 3:
        if choice.is_choice_of_numbers(*map(kind_of, operands)):
            return spec.apply(choice.choose, operands, hint="chosen")
        return None
    if len(operands) != 2:
        return None
    (x, y), (a, b) = operands, numbers
    if function in MULTIPLY:
        return _product(spec, x, y, a, b)
    if function in ADD:
        if _is_zero(x, a) and _keeps_dtype(a, y):
            return y
        if x == y:
            return _product(spec, constant(2), x, 2, None) or spec.apply(
                operator.mul, (constant(2), x), hint="product"
            )
        return x if _is_zero(y, b) and _keeps_dtype(b, x) else None
    if function in SUBTRACT:
        if _is_zero(y, b) and _keeps_dtype(b, x):
            return x
        zero = _is_zero(x, a) and _keeps_dtype(a, y)
        return negated(spec, y) if zero else None
    if function in DIVIDE:
        if _is_zero(x, a):
            return constant(0.0)
        return x if b == 1 and ir.is_real_number_kind(kind_of(x)) else None
    if function in POWER and isinstance(b, int | float):
        if b == 1 and ir.is_real_number_kind(kind_of(x)):
            return x
        if b == 0:
            return constant(1.0)
    return None


def _is_zero(value: Value, known: Any) -> bool:
    return (
        known == 0 and isinstance(value, Leaf) and isinstance(value.operand, ir.Const)
    )


def _keeps_dtype(zero: Any, other: Value) -> bool:
    """Whether a term of zero leaves the dtype of the other one: 0j makes it complex."""
    return not isinstance(zero, complex) or ir.is_complex(kind_of(other))


def _product(spec: Specialiser, x: Value, y: Value, a: Any, b: Any) -> Value | None:
    if _is_zero(x, a) or _is_zero(y, b):
        return constant(0.0)
    for factor, other in ((a, y), (b, x)):
        if factor is not None and ir.is_real_number_kind(kind_of(other)):
            if factor == 1:
                return other
            if factor == -1:
                return negated(spec, other)
    return None


def conjugated(spec: Specialiser, value: Value) -> Value:
    """The complex conjugate."""
    known = number(value)
    if known is not None and not known.real:
        return spec.apply(operator.neg, (value,), hint="conjugate")
    return spec.apply(np.conjugate, (value,), hint="conjugate")


def negated(spec: Specialiser, value: Value) -> Value:
    """``-value``."""
    known = number(value)
    if known is not None:
        return constant(-known)
    return spec.apply(operator.neg, (value,), hint="negated")


def _folded(function: Callable[..., Any], numbers: list[Any]) -> Value | None:
    if function not in (*MULTIPLY, *ADD, *SUBTRACT, *DIVIDE, *POWER):
        return None
    result = folding.known_result(function, tuple(numbers))
    if result is folding.NOT_KNOWN:
        return None
    if isinstance(result, np.generic):
        result = result.item()
    if isinstance(result, float) and not np.isfinite(result):
        return None
    return constant(result)
