"""``zip(*rows)``: the columns of rows whose number isn't known.

Rows of one structure are kept as parallel lists, which are the columns::

    nodes, weights = zip(*points)    ->    nodes, weights = points_0, points_1
"""

from __future__ import annotations

import ast
from typing import Any

from s2sad.codegen.effects import raise_exception
from s2sad.frontend.specialise.comparisons import compare
from s2sad.frontend.specialise.control_flow import choose
from s2sad.frontend.specialise.iteration import (
    Body,
    Exit,
    Stream,
    drive,
    length_of,
)
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.targets import items_of
from s2sad.frontend.specialise.values import (
    ROW,
    Aggregate,
    Lazy,
    Leaf,
    Rows,
    Value,
    aggregate_of,
    constant,
    is_rows,
    leaves,
    operand_of,
)
from s2sad.ir.kinds import Known
from s2sad.ir.nodes import Apply, Effect
from s2sad.transform.lists import as_tuple


def columns_of(
    spec: Specialiser, function: Value, rows: Value, node: Any
) -> Value | None:
    """``zip(*rows)`` of rows that are kept as parallel lists; None for other calls."""
    called = function.kind if isinstance(function, Leaf) else None
    if called != Known(zip) or len(node.args) != 1:
        return None
    if not isinstance(rows, Aggregate) or not is_rows(rows):
        return None
    (row,) = rows.items
    if items_of(row) is None:
        return None

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

    return Lazy("zip", (row,), start, object())
