"""Functions that may or may not copy, as what they do here.

In a program that writes into arrays it matters whether ``np.reshape`` and the like give
a view::

    r = np.ravel(x)  of what isn't contiguous        ->   r = x.flatten()
    a = np.asarray(x)                                ->   a = x
    p, q = np.split(x, 2)                            ->   p = x[: len(x) // 2]; ...

Where that depends on the layout of an argument, generated code checks that it is
contiguous. Where it can't be told, the function is left as it is, and writing into what
it gives is refused.
"""

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.memory.layouts import (
    Layouts,
    Order,
    is_surely_an_array,
    layouts_of,
    order_asked,
    reshape_shares,
)
from s2sad.analysis.memory.points_to import PointsTo
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.results import require_contiguous
from s2sad.rules.steps.shape_queries import axis_length
from s2sad.source.kinds.orders import orders_in

_ASK_THE_LAYOUT = (np.reshape, np.ravel, np.ascontiguousarray)
_SAME_IF_ARRAY = (np.asarray, np.asanyarray)
_WITH_ORDER = (*_SAME_IF_ARRAY, np.array, np.copy, np.ndarray.astype)


@dataclass(frozen=True)
class Reliance:
    """A variable that is another's view, or a copy of it, if these parameters are
    contiguous."""

    source: str
    target: str
    given: frozenset[str]


@dataclass(frozen=True)
class PlainViews:
    """A function with what surely is a view or a copy written as one."""

    function: ir.Function
    reliances: list[Reliance]
    unsure: set[int]
    """By identity: the statements of which it isn't known."""


def with_plain_views(function: ir.Function, spec: Specialiser) -> PlainViews:
    """The function with what surely is a view or a copy written as one."""
    layouts = layouts_of(function)
    rewriter = _Rewriter(function.kinds, spec)

    def change(s: ir.Statement) -> ir.Block:
        if not ir.applies(s):
            return (s,)
        known: Layouts = layouts.before.get(id(s)) or {}
        return rewriter.line(s, s.value, known)

    body = ir.with_leaves(function.body, change)
    if rewriter.relied_on or rewriter.unsure:
        _ask_for_orders(function, spec)
    plain = replace(function, body=body, kinds=rewriter.kinds)
    return PlainViews(plain, rewriter.relied_on, rewriter.unsure)


def _ask_for_orders(function: ir.Function, spec: Specialiser) -> None:
    """Let dispatch check how arrays of the module lie in memory, from which the program
    computes others."""
    operands = (
        a for s in ir.walk(function.body) for o in ir.operations(s) for a in o.args
    )
    if not any(isinstance(a, ir.Global) and a.order for a in operands):
        return
    reads = spec.module.reads
    reads += [
        replace(read, by_order=True)
        for read in reads
        if not read.by_order and orders_in(read.value)
    ]


def without_orders(function: ir.Function, spec: Specialiser) -> ir.Function:
    """The function with copies in whatever order, once it is settled what is a view:
    only procedures, and arrays that are kept, meet arrays as they lie in memory."""
    kept = ops.WRITTEN_ARRAYS in spec.facts.stored
    kept = kept or bool(ir.all_procedures([function.body]))

    def change(s: ir.Statement) -> ir.Block:
        if not ir.applies(s) or s.value.function not in _WITH_ORDER:
            return (s,)
        asked = order_asked(s.value)
        if asked is None or (kept and asked is not Order.WITH_GAPS):
            return (s,)
        rest = tuple(word for word in s.value.keywords if word[0] != "order")
        return (replace(s, value=replace(s.value, keywords=rest)),)

    return replace(function, body=ir.with_leaves(function.body, change))


def _order_of(value: ir.Apply) -> tuple[tuple[str, ir.Operand], ...]:
    return tuple(word for word in value.keywords if word[0] == "order")


def checks_of_layouts(plain: PlainViews, memory: PointsTo) -> ir.Block:
    """Checks that parameters are contiguous, where a write relies on it."""
    written: frozenset[object] = frozenset()
    for s in ir.walk(plain.function.body):
        if ops.is_write(s):
            written |= memory.anywhere.of(s.target.name)
    needed: set[str] = set()
    for reliance in plain.reliances:
        for name in (reliance.source, reliance.target):
            if written & memory.anywhere.of(name):
                needed |= reliance.given
    return tuple(
        ir.Effect(None, ir.Apply(require_contiguous, (ir.Var(name), ir.Const(name))))
        for name in sorted(needed)
    )


def _method(function: Any, *args: ir.Operand) -> ir.Apply:
    return ir.Apply(function, args, (), f"method:{function.__name__}")


class _Rewriter:
    def __init__(self, kinds: Mapping[str, ir.Kind], spec: Specialiser) -> None:
        self.kinds, self.spec = dict(kinds), spec
        self.relied_on: list[Reliance] = []
        self.unsure: set[int] = set()

    def line(self, s: ir.Assign, value: ir.Apply, layouts: Layouts) -> ir.Block:
        source = value.args[0] if value.args else None
        if not isinstance(source, ir.Var):
            return (s,)
        if not is_surely_an_array(self.kinds.get(source.name)):
            return (s,)
        if value.function in (np.split, np.array_split):
            return self._pieces(s, value, source)
        if not isinstance(s.target, ir.Var):
            return (s,)
        if value.function in _SAME_IF_ARRAY:
            return self._as_array(s, value, source, layouts)
        if value.function in _ASK_THE_LAYOUT and "dtype" not in dict(value.keywords):
            return self._by_layout(s, value, source, layouts)
        return (s,)

    def _as_array(
        self, s: ir.Assign, value: ir.Apply, source: ir.Var, layouts: Layouts
    ) -> ir.Block:
        """``np.asarray`` of an array is that array, unless the dtype or the order is
        another."""
        words = dict(value.keywords)
        dtype = value.args[1] if len(value.args) > 1 else words.get("dtype")
        own, other = ir.dtype_of(self.kinds[source.name]), ir.dtype_of(s.kind or ir.INT)
        if (
            dtype is None
            or dtype == ir.Const(None)
            or (own == other and own is not None)
        ):
            if order_asked(value) is not None:
                return self._by_layout(s, value, source, layouts)
            return (replace(s, value=source),)
        if own is None or other is None:
            return (s,)
        made = _method(np.ndarray.astype, source, dtype)
        return (replace(s, value=replace(made, keywords=_order_of(value))),)

    def _by_layout(
        self, s: ir.Assign, value: ir.Apply, source: ir.Var, layouts: Layouts
    ) -> ir.Block:
        shares = reshape_shares(value, layouts, self.kinds, s.kind)
        if shares is None:
            self.unsure.add(id(s))
            return (s,)
        is_view, given = shares
        self.relied_on.append(Reliance(source.name, str(s.target), given))
        if value.function is np.ascontiguousarray:
            made = source if is_view else _method(np.copy, source)
            return (replace(s, value=made),)
        if value.function in _SAME_IF_ARRAY:
            copied = ir.Apply(np.copy, (source,), _order_of(value))
            return (replace(s, value=source if is_view else copied),)
        if is_view:
            return (s,)
        return (replace(s, value=_method(np.ndarray.flatten, source)),)

    def _pieces(self, s: ir.Assign, value: ir.Apply, source: ir.Var) -> ir.Block:
        """``a, b = np.split(x, 2)`` as slices."""
        words = dict(value.keywords)
        given = dict(zip(("", "where", "axis"), value.args))
        parts = given.get("where", words.get("indices_or_sections"))
        axis = given.get("axis", words.get("axis", ir.Const(0)))
        kind = self.kinds[source.name]
        assert isinstance(kind, ir.Array) and kind.axes is not None
        if not isinstance(s.target, ir.Pack) or not isinstance(axis, ir.Const):
            return (s,)
        targets = s.target.items
        items = s.kind.items if isinstance(s.kind, ir.Structure) else ()
        if len(items) != len(targets) or not all(map(is_surely_an_array, items)):
            return (s,)
        along = axis.value % len(kind.axes)
        lines: list[ir.Statement] = []
        if isinstance(parts, ir.Pack):
            inner = parts.items
        else:
            length = self._new("length")
            query = ir.Apply(axis_length, (source, ir.Const(along)))
            lines.append(ir.Assign(s.span, length, query, ir.INT))
            if value.function is np.split:
                lines += self._check_of_division(s, length, len(targets))
            inner = tuple(self._bounds(s, length, len(targets), value, lines))
        bounds = (None, *inner, None)
        for target, item, lower, upper in zip(targets, items, bounds, bounds[1:]):
            assert isinstance(target, ir.Var)
            self.kinds[target.name] = item
            whole = (ir.Slice(None, None, None),) * along
            index = ir.pack_tuple(*whole, ir.Slice(lower, upper, None))
            part = ir.Apply(
                operator.getitem, (source, index if whole else index.items[0])
            )
            lines.append(ir.Assign(s.span, target, part, item))
        return tuple(lines)

    def _bounds(
        self,
        s: ir.Assign,
        length: ir.Var,
        count: int,
        value: ir.Apply,
        lines: list[ir.Statement],
    ) -> list[ir.Operand]:
        """Where pieces of equal length start; the first ones are longer by 1 where
        ``np.array_split`` divides with a rest."""
        size = self._line(s, lines, "size", operator.floordiv, length, ir.Const(count))
        rest = None
        if value.function is np.array_split:
            rest = self._line(s, lines, "rest", operator.mod, length, ir.Const(count))
        found: list[ir.Operand] = []
        for k in range(1, count):
            bound = size
            if k > 1:
                bound = self._line(s, lines, "bound", operator.mul, ir.Const(k), size)
            if rest is not None:
                more = self._line(s, lines, "more", min, ir.Const(k), rest)
                bound = self._line(s, lines, "bound", operator.add, bound, more)
            found.append(bound)
        return found

    def _check_of_division(self, s: ir.Assign, length: ir.Var, count: int) -> ir.Block:
        lines: list[ir.Statement] = []
        left = self._line(s, lines, "left", operator.mod, length, ir.Const(count))
        test = self._new("uneven", ir.BOOL)
        uneven = ir.Apply(operator.ne, (left, ir.Const(0)))
        text = "array split does not result in an equal division"
        fail = ir.Apply(ops.raise_exception, (ir.Const(ValueError), ir.Const(text)))
        return (
            *lines,
            ir.Assign(s.span, test, uneven, ir.BOOL),
            ir.If(s.span, test, (ir.Effect(s.span, fail),), ()),
        )

    def _line(
        self,
        s: ir.Assign,
        lines: list[ir.Statement],
        name: str,
        function: Any,
        *args: ir.Operand,
    ) -> ir.Var:
        target = self._new(name)
        lines.append(ir.Assign(s.span, target, ir.Apply(function, args), ir.INT))
        return target

    def _new(self, name: str, kind: ir.Kind = ir.INT) -> ir.Var:
        variable = self.spec.fresh(name)
        self.kinds[variable.name] = kind
        return variable
