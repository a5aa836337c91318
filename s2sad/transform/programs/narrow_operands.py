"""Operands of narrow dtypes: what the text of a rule computes from small whole numbers,
flags or half precision alone wraps around, is refused by NumPy, or rounds where the
function itself converts them first.

::

    out = arctan2(k, x)      # k of uint8
    squares = x * x + k * k      ->     k_float = k.astype(np.float64)
                                        squares = x * x + k_float * k_float

Texts that compute nothing of that sort stay as they are: of ``x * k``, ``k`` is the
derivative.
"""

import operator
from collections.abc import Callable, Mapping
from types import MethodType
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser

_WHOLE = ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64")
_NARROW = (*_WHOLE, "float16")
_ARITHMETIC = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.pow),
    *(operator.neg, operator.abs, operator.mod, operator.floordiv),
)


def expanded(
    spec: Specialiser,
    rule: rules.Rule,
    text: Callable[..., Any],
    given: Mapping[str, core.Value],
) -> core.Value:
    """The text of a rule, written out for arguments that are wide enough for what it
    computes; ``given`` are these, the result, and its cotangent or their tangents."""
    start = len(spec.block)
    found = spec.expand(text, given)
    wanted = ir.dtype_of(core.kind_of(given["out"])) or "float64"
    narrow = _narrow_operands(rule, given, wanted)
    if not narrow or not _is_own(text):
        return found
    lines = tuple(ir.walk(tuple(spec.block[start:])))
    operands = {value.operand for value in narrow.values()}
    if not any(
        _computes_narrowly(line, wanted) or _asks_distribution(line, operands)
        for line in lines
    ):
        return found
    del spec.block[start:]
    wide = {n: _widened(spec, rule, n, v, wanted) for n, v in narrow.items()}
    return spec.expand(text, {**given, **wide})


def _is_own(text: Callable[..., Any]) -> bool:
    """False for a rule that a user has written."""
    return text.__module__.startswith("s2sad.")


def _narrow_operands(
    rule: rules.Rule, given: Mapping[str, core.Value], wanted: str
) -> dict[str, core.Leaf]:
    """The operands of narrow dtypes that count as numbers: no indices or lengths."""
    found: dict[str, core.Leaf] = {}
    for name in (*rule.differentiable, *rule.refused):
        value = given.get(name)
        if not isinstance(value, core.Leaf):
            continue
        kind = value.kind
        if isinstance(kind, ir.Array | ir.NumPyScalar) and not ir.is_promoted(kind):
            if ir.dtype_of(kind) in _NARROW and ir.dtype_of(kind) != wanted:
                found[name] = value
    return found


def _computes_narrowly(line: ir.Statement, wanted: str) -> bool:
    """True for a line of a rule's text that computes numbers of a narrow dtype, or of
    none, as the difference of flags."""
    if not ir.applies(line):
        return False
    function, dtype = line.value.function, ir.dtype_of(line.kind or ir.UNKNOWN)
    if function not in _ARITHMETIC and not isinstance(function, np.ufunc):
        return False
    if dtype == "bool" and function not in _ARITHMETIC:
        return False
    return dtype is None or (dtype in (*_NARROW, "float32") and dtype != wanted)


def _asks_distribution(line: ir.Statement, operands: set[ir.Operand]) -> bool:
    """True for a method of a distribution, which takes logarithms in their own
    dtype."""
    if not ir.applies(line) or not isinstance(line.value.function, MethodType):
        return False
    given = (*line.value.args, *(operand for _, operand in line.value.keywords))
    return not operands.isdisjoint(given)


def _widened(
    spec: Specialiser, rule: rules.Rule, name: str, value: core.Leaf, wanted: str
) -> core.Value:
    """The operand in the dtype of the result; what tells a function of a family from
    others stays a whole number."""
    dtype = np.dtype(wanted) if wanted.startswith("float") else np.dtype("float64")
    if name in rule.refused and ir.dtype_of(value.kind) in _WHOLE:
        dtype = np.dtype("int64")
    hint = f"{name}_{dtype.name}"
    if isinstance(value.kind, ir.NumPyScalar):
        return spec.apply(dtype.type, (value,), hint=hint)
    args = (value, core.constant(dtype.type))
    return spec.apply(np.ndarray.astype, args, spelling="method:astype", hint=hint)
