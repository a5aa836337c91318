"""``zip(*rows)``: the columns of rows whose number isn't known.

Rows of one structure are kept as parallel lists, which are the columns::

    nodes, weights = zip(*points)    ->    nodes, weights = points_0, points_1

Those of an array of two axes or more, and of a list of arrays or lists, are read at an
index, one after the other.
"""

from __future__ import annotations

import ast
import itertools
from typing import Any

from s2sad.frontend.specialise.containers.lists import made_tuple
from s2sad.frontend.specialise.control.comparisons import compare
from s2sad.frontend.specialise.control.conditions import select
from s2sad.frontend.specialise.control.control_flow import choose
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.targets import items_of
from s2sad.frontend.specialise.core.values import (
    ROW,
    Aggregate,
    Lazy,
    Leaf,
    Mark,
    Rows,
    Value,
    aggregate_of,
    constant,
    describe,
    is_rows,
    leaves,
    operand_of,
    slice_of,
)
from s2sad.frontend.specialise.heap.subscripts import item_of
from s2sad.frontend.specialise.iteration.collecting import collected
from s2sad.frontend.specialise.iteration.iteration import (
    Body,
    Elements,
    Exit,
    Stream,
    drive,
    iterate,
    length_of,
)
from s2sad.frontend.specialise.iteration.iterators import call_value
from s2sad.ir.kinds import Array, Known
from s2sad.ir.nodes import Apply, Effect
from s2sad.ops.effects import raise_exception
from s2sad.ops.lists import as_tuple


def columns_of(
    spec: Specialiser, function: Value, rows: Value, node: Any
) -> Value | None:
    """``zip(*rows)`` and the like, of rows whose number isn't known; None for other
    calls."""
    called = function.kind if isinstance(function, Leaf) else None
    if not isinstance(called, Known) or len(node.args) != 1:
        return None
    if items_of(rows) is not None:
        return None
    if called.value is itertools.chain:
        return call_value(spec, constant(itertools.chain.from_iterable), (rows,), node)
    if called.value not in (zip, itertools.zip_longest):
        return None
    row = rows.items[0] if isinstance(rows, Aggregate) and is_rows(rows) else None
    if row is None or items_of(row) is None:
        return _read_at_an_index(rows, node)
    return _kept(spec, row, node)


def _read_at_an_index(rows: Value, node: Any) -> Lazy:
    """The columns of rows of one length that isn't known either."""

    def start(spec: Specialiser, sources: tuple[Value, ...]) -> Elements:
        (rows,) = sources
        items = iterate(spec, rows, node)
        assert isinstance(items, Elements)
        test = compare(spec, ast.Gt(), items.length, constant(0), node)
        length = select(
            spec,
            test,
            lambda: _length_of(spec, items.element(constant(0)), node),
            lambda: constant(0),
            node,
            "count",
        )

        def column(index: Leaf) -> Value:
            if isinstance(rows, Leaf) and isinstance(rows.kind, Array):
                whole = slice_of(constant(None), constant(None), constant(None))
                found = item_of(spec, rows, aggregate_of((whole, index)), node)
                parts = iterate(spec, found, node)
            else:
                parts = items.mapped(lambda row: item_of(spec, row, index, node))
            lazy = Lazy("zip", (), lambda spec, sources: parts)
            return made_tuple(spec, collected(spec, lazy, node, short=False), node)

        return Elements(length, column)

    return Lazy("zip", (rows,), start, Mark())


def _length_of(spec: Specialiser, row: Value, node: Any) -> Value:
    found = iterate(spec, row, node)
    if not isinstance(found, Elements):
        raise Unsupported(
            node, f"columns of rows that are {describe(row)}", "write a loop"
        )
    return found.length


def _kept(spec: Specialiser, row: Value, node: Any) -> Lazy:
    """The columns of rows that are kept as parallel lists."""

    def column(part: Value) -> Value:
        if isinstance(part, Leaf):
            return spec.apply(as_tuple, (part,), node=node, hint="column")
        return Aggregate(Rows, (ROW,), (part,))

    def start(spec: Specialiser, sources: tuple[Value, ...]) -> Stream:
        length = length_of(spec, next(leaves(sources[0])))

        def run(body: Body, leave: Exit | None, known: bool) -> None:
            def each() -> None:
                columns = aggregate_of(tuple(map(column, items_of(sources[0]) or ())))
                drive(spec, columns, body, set(), node=node, leave=leave, known=known)

            def fail() -> None:
                words = (ValueError, "zip(*rows) of no rows has no columns")
                operands = tuple(operand_of(constant(w)) for w in words)
                spec.emit(Effect(spec.span, Apply(raise_exception, operands)))
                spec.unreachable = True

            test = compare(spec, ast.Gt(), length, constant(0), node)
            if not known:
                return choose(spec, test, each, lambda: None, node)
            # Where a known number of columns is expected, there must be a row.
            choose(spec, test, lambda: None, fail, node)
            each()

        return Stream(run)

    return Lazy("zip", (row,), start, Mark())
