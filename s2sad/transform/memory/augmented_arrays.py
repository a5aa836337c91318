"""Augmented assignment to arrays, ``x += v``, as ``x = x + v``.

NumPy writes into the array: :mod:`s2sad.transform.memory.array_writes` has given all
names that see it their new values. Its dtype and shape stay, which is checked here."""

import operator
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.fitting import augmented_value


def with_writes_under_own_names(function: ir.Function) -> ir.Function:
    """The function in which ``y = iadd(x, v)`` of arrays, where ``x`` is another name
    of ``y``, writes into ``x``, which is then what ``y`` holds.

    >>> vector = ir.Array(np.dtype(float), (ir.Axis("any", "n"),))
    >>> add = ir.Apply(operator.iadd, (ir.Var("x.1"), ir.Const(1.0)))
    >>> body = (ir.Assign(None, ir.Var("x"), add, vector),)
    >>> function = ir.Function("f", ("x.1",), body, {"x.1": vector})
    >>> print(ir.function_text(with_writes_under_own_names(function)))
    def f(x.1: float64[?]):
        x.1 = iadd(x.1, 1.0)  # float64[?]
        x = x.1  # float64[?]
    """

    def change(s: ir.Statement) -> ir.Block:
        if not ops.is_augmented(s):
            return (s,)
        first = s.value.args[0]
        number = isinstance(s.kind, ir.Scalar | ir.NumPyScalar)
        if number or first == s.target or not isinstance(first, ir.Var):
            return (s,)
        return replace(s, target=first), replace(s, value=first)

    return replace(function, body=ir.with_leaves(function.body, change))


def without_array_writes(function: ir.Function, spec: Specialiser) -> ir.Function:
    """The function with augmented assignments as new values; where that has another
    dtype or shape than NumPy's it becomes a problem."""
    kinds = dict(function.kinds)

    def change(s: ir.Statement) -> ir.Block:
        if _has_no_axes(s, function.kinds):
            return (_as_new_value(s, function.kinds, spec),)
        if not ops.is_augmented(s):
            return (s,)
        assert ir.applies(s)
        plain = replace(s.value, function=ops.PLAIN[s.value.function])
        fit = _fit(s, s.value, function)
        if fit is _Fit.SURELY:
            return (replace(s, value=plain),)
        if fit is _Fit.WHEN_STORED:
            new = ir.Var(f"{s.target}.sum")
            kinds[new.name] = s.kind  # type: ignore[assignment]
            kind = function.kinds.get(str(s.value.args[0]), s.kind)
            kind = ir.array_if_present(kind)
            computed = ir.Assign(s.span, new, plain, s.kind)
            if isinstance(kind, ir.Array) and kind.axes is None:
                # perhaps a number, which is bound anew
                value = ir.Apply(augmented_value, (s.value.args[0], new))
                return computed, replace(s, value=value, kind=kind)
            store = ir.Apply(ops.stored, (s.value.args[0], ir.Const(Ellipsis), new))
            line: ir.Assign = replace(s, value=store, kind=kind)
            if _has_no_axes(line, kinds):
                line = _as_new_value(line, kinds, spec)
            return computed, line
        name = str(s.value.args[0]).split("~")[0]
        sign = ops.SYMBOLS[s.value.function]
        problem = core.Unsupported(
            fit, f"write {name} = {name} {sign} ... to make a new array"
        )
        spec.report_at(problem, s.span)
        return (replace(s, value=plain),)

    body = ir.with_leaves(function.body, change)
    return replace(function, body=body, kinds=kinds)


def _has_no_axes(s: ir.Statement, kinds: Mapping[str, ir.Kind]) -> bool:
    """True for a store into an array without axes."""
    if not ir.applies(s):
        return False
    first = s.value.args[0] if s.value.args else None
    if s.value.function is not ops.stored or not isinstance(first, ir.Var):
        return False
    kind = ir.array_if_present(kinds.get(first.name))
    return isinstance(kind, ir.Array) and kind.axes == () and not kind.promoted


def _as_new_value(
    s: ir.Statement, kinds: Mapping[str, ir.Kind], spec: Specialiser
) -> ir.Assign:
    """A store into an array without axes as a new array: its adjoint is a number,
    which nothing can be stored into."""
    assert ir.applies(s)
    array, index, value, *_ = s.value.args
    kind: ir.Kind | None = None
    if isinstance(value, ir.Const):
        kind = core.kind_of(core.constant(value.value))
    elif isinstance(value, ir.Var):
        kind = kinds.get(value.name)
    own = ir.array_if_present(kinds[array.name])  # type: ignore[union-attr]
    made: ir.Apply | None = None
    if kind is not None and ir.dtype_of(kind) == ir.dtype_of(own):
        if not any(_is_truth(item, kinds) for item in ir.tuple_items(index)):
            made = _as_its_one_number(value, kind)
        elif ir.rank_of(kind) == 0 and _is_truth(index, kinds):
            made = ir.Apply(np.where, (index, value, array))
    if made is None:
        problem = core.Unsupported(
            "this stores into an array without axes what may have axes, or has "
            "another dtype",
            "store a number of the array's own dtype",
        )
        spec.report_at(problem, s.span)
        return s
    return replace(s, value=made, kind=own)


def _is_truth(index: ir.Operand, kinds: Mapping[str, ir.Kind]) -> bool:
    """True for one truth value, as a mask of an array without axes is: all other
    indices that it takes name its one number."""
    if isinstance(index, ir.Const):
        return isinstance(index.value, bool)
    kind = ir.kind_of(index, kinds) or ir.UNKNOWN
    return ir.rank_of(kind) == 0 and ir.dtype_of(kind) == "bool"


def _as_its_one_number(value: ir.Operand, kind: ir.Kind) -> ir.Apply | None:
    """What is stored, as an array without axes; NumPy takes one with axes if it holds
    one number."""
    if ir.rank_of(kind) == 0:
        return ir.Apply(np.array, (value,))
    if isinstance(kind, ir.Array) and kind.axes is not None:
        return ir.Apply(np.reshape, (value, ir.pack_tuple()))
    return None


class _Fit(Enum):
    """Whether the sum has the dtype and shape of the array it is added into."""

    SURELY = 1
    WHEN_STORED = 2
    """NumPy sees to it, or raises, when the program runs."""


def _fit(s: ir.Assign, value: ir.Apply, function: ir.Function) -> _Fit | str:
    """How a new value stands for the write, or why it can't."""
    first, second = value.args
    kind = ir.array_if_present(ir.kind_of(first, function.kinds))
    if isinstance(kind, ir.Scalar | ir.NumPyScalar) or not isinstance(first, ir.Var):
        return _Fit.SURELY
    name = first.name.split("~")[0]
    if isinstance(kind, ir.Array) and kind.axes == () and not kind.promoted:
        other = ir.kind_of(second, function.kinds)
        if isinstance(other, ir.Array) and other.axes and not other.promoted:
            return f"{name!r} has no axes, and what changes it has some"
        return _Fit.WHEN_STORED
    if not isinstance(kind, ir.Array) or not isinstance(s.kind, ir.Array):
        return f"{name!r} may be an array, and this may write into it"
    added: ir.Kind | None = (
        function.kinds.get(second.name)
        if isinstance(second, ir.Var)
        else ir.Scalar("float")
    )
    if value.function is operator.imatmul:
        return _fit_of_product(kind, s.kind, name)
    same = kind.dtype == s.kind.dtype or (
        kind.promoted and added is not None and s.kind.dtype == ir.dtype_of(added)
    )
    if same and s.kind.dtype is not None and ir.covers(kind, added):
        return _Fit.SURELY
    own, result = kind.dtype, s.kind.dtype
    if own is not None and result is not None and not kind.promoted:
        if np.can_cast(result, own, "same_kind"):
            return _Fit.WHEN_STORED
    return f"this writes into the array {name!r}, and its dtype or shape may not fit"


def _fit_of_product(kind: ir.Array, result: ir.Array, name: str) -> _Fit | str:
    """``x @= w``: the product must have the shape of the array, into which a store
    would spread a length of 1."""
    own, made = kind.axes, result.axes
    if own is not None and made is not None and len(own) == len(made):
        pairs = zip(own, made, strict=True)
        if all(b == a or b.length == "many" for a, b in pairs):
            if kind.dtype == result.dtype and kind.dtype is not None:
                return _Fit.WHEN_STORED
    return f"this writes into the array {name!r}, and its dtype or shape may not fit"
