"""The table of what the Numba emission knows, and what is wrong with anything else.

Takes a program after all passes for Numba, before it is folded; gives the problems in
it. An entry of the table says for which operands a function may be left to Numba. What
has no entry, or whose operands are of other kinds, is a problem of the user's line:
Numba would say so in words of its own, of code that the user didn't write, or would
compute something else.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.codegen.effects import RAISING
from s2sad.codegen.helper_functions import matrices, scalars
from s2sad.codegen.helper_functions.broadcasting import as_dtype_of, divide_or_zero
from s2sad.codegen.numba import helpers
from s2sad.codegen.numba.programs import Facts, is_array, is_float_array
from s2sad.ir.kinds import (
    Array,
    Kind,
    Known,
    List,
    NumPyScalar,
    Scalar,
    Structure,
    Unknown,
    dtype_of,
    rank_of,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    Effect,
    Pack,
    Slice,
    Statement,
    Try,
    Var,
    With,
    function_name,
)
from s2sad.ir.procedures import Procedure
from s2sad.ir.walking import operations, walk
from s2sad.rules.choice import choose, equals_zero
from s2sad.rules.numpy.shapes import CASTS
from s2sad.rules.shape_queries import axis_length, shape_of
from s2sad.transform import buffers
from s2sad.transform.stacks import new_stack

DTYPES = ("float64", "int64", "bool")
"""The dtypes of numbers and arrays."""

ELEMENTWISE: frozenset[Any] = frozenset(
    [
        *(operator.add, operator.sub, operator.mul, operator.truediv),
        *(operator.floordiv, operator.mod, operator.pow, operator.neg, operator.pos),
        *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq),
        *(operator.ne, operator.and_, operator.or_, operator.xor, operator.invert),
        *(operator.not_, operator.abs, builtins.abs),
        *(np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.negative),
        *(np.positive, np.power, np.float_power, np.remainder, np.fmod, np.square),
        *(np.reciprocal, np.sqrt, np.cbrt, np.exp, np.expm1, np.exp2, np.log),
        *(np.log1p, np.log2, np.log10, np.logaddexp, np.logaddexp2, np.hypot),
        *(np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2),
        *(np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh),
        *(np.degrees, np.radians, np.deg2rad, np.rad2deg, np.absolute, np.fabs),
        *(np.copysign, np.sign, np.floor, np.ceil, np.trunc, np.rint),
        *(np.maximum, np.minimum, np.fmax, np.fmin, np.where, np.clip),
        *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal),
        *(np.not_equal, np.logical_and, np.logical_or, np.logical_not),
        *(np.logical_xor, np.isnan, np.isinf, np.isfinite),
        *(choose, equals_zero, divide_or_zero, as_dtype_of, *CASTS),
    ]
)
"""Functions of numbers, which are applied to each element of arrays."""

OF_NUMBERS: frozenset[Any] = frozenset(
    [
        *(math.exp, math.expm1, math.log, math.log1p, math.log2, math.log10),
        *(math.sqrt, math.sin, math.cos, math.tan, math.asin, math.acos, math.atan),
        *(math.atan2, math.sinh, math.cosh, math.tanh, math.asinh, math.acosh),
        *(math.atanh, math.pow, math.fabs, math.hypot, math.erf, math.erfc),
        *(math.gamma, math.lgamma, math.floor, math.ceil, math.trunc, math.copysign),
        *(math.degrees, math.radians, math.isnan, math.isinf, math.isfinite),
        *(builtins.float, builtins.int, builtins.bool, builtins.min, builtins.max),
        *(builtins.round, scalars.quotient, scalars.power, scalars.log_of_base),
        *(scalars.sign, operator.lshift, operator.rshift, np.float64, np.int64),
        *(operator.is_, operator.is_not),
    ]
)
"""Functions of numbers alone."""
IN_PLACE = (operator.iadd, operator.isub, operator.imul, operator.itruediv)


@dataclass(frozen=True)
class Call:
    """One operation with what is known of it."""

    value: Apply
    kinds: tuple[Kind | None, ...]
    """Of its operands."""
    facts: Facts

    @property
    def first(self) -> Kind | None:
        return self.kinds[0] if self.kinds else None

    def are_numbers(self) -> bool:
        """True where all operands are numbers."""
        return all(isinstance(k, Scalar | NumPyScalar) for k in self.kinds)

    def words(self) -> dict[str, Any]:
        """Its keywords."""
        return dict(self.value.keywords)


Test = Callable[[Call], bool]


def _anything(call: Call) -> bool:
    return True


def _array(call: Call) -> bool:
    return is_array(call.first)


def _floats(ranks: tuple[int, ...]) -> Test:
    """Operands that are all arrays of floats of one of these ranks."""

    def test(call: Call) -> bool:
        return all(
            is_float_array(k) and k is not None and rank_of(k) in ranks
            for k in call.kinds
        )

    return test


def _whole(call: Call) -> bool:
    """A reduction of all elements."""
    return is_array(call.first) and len(call.value.args) == 1 and not call.words()


def _creation(call: Call) -> bool:
    """A shape that is a number or a tuple of them, and perhaps a dtype."""
    words = call.words()
    dtype = words.pop("dtype", None)
    rest = call.value.args[1:] + ((dtype,) if dtype is not None else ())
    return not words and all(map(_is_dtype, rest))


def _is_dtype(operand: Any) -> bool:
    if not isinstance(operand, Const):
        return False
    if operand.value is None:
        return True
    try:
        return np.dtype(operand.value).name in DTYPES
    except TypeError:
        return False


def _like(call: Call) -> bool:
    return is_array(call.first) and not call.words() and len(call.value.args) == 1


def _index(call: Call) -> bool:
    """Numbers, slices and None; one array of places, or one mask, alone."""
    index = call.value.args[1]
    kind = call.first
    if isinstance(kind, Structure) or kind is None:
        return isinstance(index, Const)
    if not is_array(kind):
        return False
    items = index.items if isinstance(index, Pack) else (index,)
    if len(items) == 1 and is_array(call.facts.kind(items[0])):
        one = call.facts.kind(items[0])
        return rank_of(one) == 1 or dtype_of(one) == "bool"  # type: ignore[arg-type]
    return all(map(call.facts.is_number, filter(_is_place, items)))


def _is_place(item: Any) -> bool:
    return not isinstance(item, Slice) and item not in (Const(None), Const(Ellipsis))


def _write(call: Call) -> bool:
    """A write at numbers and slices; repeated places have been written as loops."""
    _, index, _, *rest = call.value.args
    if call.value.function is buffers.index_add and rest[:1] == [Const(True)]:
        return False
    if call.value.function is buffers.accumulated:
        return False
    items = index.items if isinstance(index, Pack) else (index,)
    return is_array(call.first) and all(
        map(call.facts.is_number, filter(_is_place, items))
    )


def _same_rank(call: Call) -> bool:
    """``x += y`` of arrays, the second not of more axes than the first."""
    ranks = [rank_of(k) if k is not None else None for k in call.kinds]
    return None not in ranks and ranks[1] <= ranks[0]  # type: ignore[operator]


def _joined(call: Call) -> bool:
    """A tuple of arrays, joined along an axis known by its number."""
    parts = call.value.args[0]
    if not isinstance(parts, Pack):
        return False
    axis = call.words().get("axis", Const(0))
    rest = call.value.args[1:]
    axis = rest[0] if rest else axis
    return (
        isinstance(axis, Const)
        and type(axis.value) is int
        and all(is_array(call.facts.kind(p)) for p in parts.items)
    )


def _reshape(call: Call) -> bool:
    shape = call.value.args[1]
    items = shape.items if isinstance(shape, Pack) else (shape,)
    return is_array(call.first) and len(call.value.args) == 2 and bool(items)


def _product(call: Call) -> bool:
    return _floats((1, 2))(call) and len(call.kinds) == 2


def _display(call: Call) -> bool:
    """An array of numbers that are written out."""

    def numbers(operand: Any) -> bool:
        if isinstance(operand, Pack):
            return operand.constructor is list and all(map(numbers, operand.items))
        return call.facts.is_number(operand)

    first = call.value.args[0]
    one = len(call.value.args) == 1 and not call.words()
    return isinstance(first, Pack) and one and numbers(first)


TABLE: dict[Any, Test] = {
    **dict.fromkeys(OF_NUMBERS, Call.are_numbers),
    **dict.fromkeys(ELEMENTWISE, Call.are_numbers),
    as_dtype_of: lambda c: isinstance(c.first, Scalar | NumPyScalar),
    **dict.fromkeys(CASTS, lambda c: isinstance(c.first, Scalar | NumPyScalar)),
    **dict.fromkeys((operator.is_, operator.is_not), _anything),
    **dict.fromkeys(IN_PLACE, _same_rank),
    **dict.fromkeys((np.sum, np.mean, np.max, np.min, np.amax, np.amin), _whole),
    **dict.fromkeys((np.prod, np.var, np.std, np.any, np.all), _whole),
    **dict.fromkeys((np.argmax, np.argmin, np.median), _whole),
    **dict.fromkeys((np.zeros, np.ones, np.empty), _creation),
    **dict.fromkeys((np.zeros_like, np.ones_like, np.empty_like), _like),
    **dict.fromkeys((operator.matmul, np.matmul, np.dot), _product),
    **dict.fromkeys((np.concatenate, np.stack), _joined),
    **dict.fromkeys((np.copy, np.ndarray.copy, buffers.own_copy), _array),
    **dict.fromkeys((buffers.index_add, buffers.index_set, *buffers.STORES), _write),
    **dict.fromkeys((operator.getitem, buffers.overwritten_part), _index),
    **dict.fromkeys((np.ravel, np.ndarray.flatten), _like),
    **dict.fromkeys((np.linalg.inv, np.linalg.det, np.linalg.cholesky), _floats((2,))),
    np.linalg.solve: lambda c: (
        rank_of(c.first) == 2 and _floats((1, 2))(c)  # type: ignore[arg-type]
    ),
    np.cumsum: lambda c: _whole(c) and rank_of(c.first) == 1,  # type: ignore[arg-type]
    np.cumprod: lambda c: _whole(c) and rank_of(c.first) == 1,  # type: ignore[arg-type]
    matrices.lower_with_half_diagonal: _floats((2,)),
    matrices.cofactors: _floats((2,)),
    matrices.inverse_or_nan: _floats((2,)),
    np.outer: _floats((1,)),
    np.trace: lambda c: _floats((2,))(c) and _like(c),
    np.diag: lambda c: _array(c) and len(c.kinds) == 1,
    np.eye: lambda c: c.are_numbers() and not c.words(),
    np.identity: lambda c: c.are_numbers() and not c.words(),
    np.arange: lambda c: c.are_numbers() and not c.words(),
    np.linspace: lambda c: c.are_numbers() and not c.words(),
    np.full: lambda c: not c.words() and len(c.kinds) == 2,
    np.array: _display,
    np.transpose: _like,
    np.reshape: _reshape,
    np.tril: _array,
    np.triu: _array,
    np.expand_dims: _array,
    np.sort: _whole,
    np.flip: _whole,
    np.linalg.norm: _whole,
    np.argsort: _whole,
    np.searchsorted: _array,
    np.size: _array,
    len: _array,
    axis_length: _array,
    shape_of: _array,
    new_stack: _anything,
    helpers.grown: _anything,
    buffers.shared_result: _anything,
    print: lambda c: c.are_numbers() and not c.words(),
}
"""For each function: which operations with it are left to Numba."""


@dataclass(frozen=True)
class Finding:
    """Something that can't be emitted for Numba."""

    statement: Statement | None
    """None for what is wrong with a parameter."""
    reason: str
    advice: str


def findings(facts: Facts, before: bool = False) -> Iterator[Finding]:
    """What stands in the way of emitting a program, in the order of the text;
    ``before`` the passes, what no pass could change: calls, forms and kinds."""
    given = [p for p in facts.function.parameters if wrong_kind(facts.kinds.get(p))]
    for name in given:
        wrong = wrong_kind(facts.kinds.get(name))
        assert wrong is not None
        yield Finding(None, f"`{name}` is {wrong[0]}", wrong[1])
    if given:
        return  # all else follows from it
    for s in walk(facts.function.body):
        if isinstance(s, Try | With):
            form = "try" if isinstance(s, Try) else "with"
            yield Finding(s, f"`{form}` isn't compiled by Numba", INSTEAD)
            continue
        if _is_stack(s):
            continue
        if isinstance(s, Assign) and isinstance(s.target, Var):
            kind = facts.kinds.get(s.target.name, s.kind)
            if before and isinstance(kind, Unknown):
                continue  # a pass may do without it
            if s.value == Const(None) and facts.writes[s.target.name] > 1:
                reason = f"`{_shown(s.target)}` is None on one path"
                yield Finding(s, reason, "give it a number there")
                continue
            wrong = wrong_kind(kind)
            if wrong:
                yield Finding(s, f"`{_shown(s.target)}` is {wrong[0]}", wrong[1])
                continue
        if isinstance(s, Effect) and s.value.function in RAISING:
            if all(isinstance(a, Const) for a in s.value.args) and not s.value.keywords:
                continue
            yield Finding(
                s,
                "Numba raises exceptions with constant arguments alone",
                "leave out what the message computes",
            )
            continue
        for value in operations(s):
            if before and not isinstance(value.function, Procedure):
                continue
            reason = wrong_operation(value, facts)
            if reason:
                if isinstance(s, Assign) and s.derived:
                    reason = f"in the derivative of this, {reason}"
                yield Finding(s, reason, INSTEAD)
                break


def _is_stack(s: Statement) -> bool:
    value = s.value if isinstance(s, Assign) else None
    return isinstance(value, Apply) and value.function is new_stack


INSTEAD = 'write it as a loop over elements, or choose backend="numpy"'


def wrong_operation(value: Apply, facts: Facts) -> str:
    """Why an operation can't be left to Numba; "" where it can."""
    function: Any = value.function
    if function in (reversed, list):
        return "arrays are kept in a list for the pullback, which Numba can't hand on"
    if isinstance(function, Procedure):
        return f"{function_name(function)} calls itself, which isn't emitted for Numba"
    try:
        test = TABLE.get(function)
    except TypeError:
        test = None
    if test is None:
        return f"{_called(function)} isn't known to the Numba backend"
    call = Call(value, tuple(map(facts.kind, value.args)), facts)
    if test(call):
        return ""
    kinds = ", ".join(str(k) for k in call.kinds if k is not None)
    words = "".join(f", {w}=..." for w, _ in value.keywords)
    of = f" of {kinds}{words}" if kinds else ""
    return f"{_called(function)}{of} isn't known to the Numba backend"


def _called(function: Any) -> str:
    name = function_name(function)
    in_numpy: Any = getattr(np, name, None)
    return f"np.{name}" if in_numpy is function else f"`{name}`"


def _shown(variable: Var) -> str:
    return variable.name.split("~")[0].split(":")[-1].strip(".")


def wrong_kind(kind: Kind | None) -> tuple[str, str] | None:
    """Why a value of this kind can't be held, and what to do; None where it can."""
    match kind:
        case None | Known():
            return None
        case Scalar() | NumPyScalar() | Array():
            dtype = dtype_of(kind)
            if isinstance(kind, Array) and kind.promoted:
                return (
                    "a number on one path and an array on another",
                    "let it be an array from the start: np.zeros_like(...)",
                )
            if dtype is None or (isinstance(kind, Array) and kind.axes is None):
                return ("of a rank or dtype that isn't known", INSTEAD)
            if dtype not in DTYPES:
                return (
                    f"of {dtype}, and the Numba backend computes in float64",
                    'convert it with .astype(np.float64), or choose backend="numpy"',
                )
            return None
        case Structure(items=items):
            return next(filter(None, map(wrong_kind, items)), None)
        case List():
            return (
                "a list whose length only the run knows",
                "fill an array of known length instead",
            )
        case Unknown():
            return ("of a kind that isn't known", INSTEAD)
    return None
