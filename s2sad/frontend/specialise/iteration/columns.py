"""``zip(*rows)``: the columns of rows whose number isn't known.

Rows of one structure are kept as parallel lists, which are the columns::

    nodes, weights = zip(*points)    ->    nodes, weights = points_0, points_1

Those of an array of two axes or more, and of a list of arrays or lists, are read at an
index, one after the other.
"""

import ast
import itertools

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers.lists import made_tuple
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration import collecting, iteration
from s2sad.frontend.specialise.run_time import queries

NO_COLUMNS = "zip(*rows) of no rows has no columns"


@core.verb
def columns_of(
    spec: Specialiser, function: core.Value, rows: core.Value
) -> core.Value | None:
    """``zip(*rows)`` and the like, of rows whose number isn't known; None for other
    calls."""
    called = function.kind if isinstance(function, core.Leaf) else None
    if not isinstance(called, ir.Known) or len(spec.place.args) != 1:
        return None
    if core.items_of(rows) is not None:
        return None
    if called.value is itertools.chain:
        return spec.call_value(
            core.constant(itertools.chain.from_iterable), (rows,), {}
        )
    if called.value not in (zip, itertools.zip_longest):
        return None
    if called.value is zip and queries.is_sequence(rows):
        kind = queries.kind_of(rows)
        record = ir.kind_of_slot(kind, ir.EACH)
        if isinstance(record, ir.Reference) and not record.may_be_none:
            if queries.is_record(core.Leaf(ir.Const(None), record)):
                return _of_records(record.forms[0], rows)
    row = (
        rows.items[0]
        if isinstance(rows, core.Aggregate) and core.is_rows(rows)
        else None
    )
    if row is None or core.items_of(row) is None:
        return _read_at_an_index(rows)
    return _kept(spec, row)


def _of_records(form: ir.Form, rows: core.Value) -> core.Lazy:
    """The columns of tuples that are kept, of one length that is known."""

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Aggregate:
        (rows,) = sources
        items = spec.iterate(rows)
        items = core.elements_of(items)
        test = spec.compare(ast.Gt(), items.length, core.constant(0))
        spec.raise_unless(test, ValueError, NO_COLUMNS)

        def column(place: int) -> core.Value:
            at = core.constant(place)
            parts = items.mapped(lambda row: spec.item_of(row, at))
            lazy = core.Lazy("zip", (), lambda spec, sources: parts)
            return made_tuple(spec, collecting.collected(spec, lazy, short=False))

        return core.aggregate_of(tuple(map(column, range(len(form.keys)))))

    return core.Lazy("zip", (rows,), start, core.Mark())


def _read_at_an_index(rows: core.Value) -> core.Lazy:
    """The columns of rows of one length that isn't known either."""

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Elements:
        (rows,) = sources
        items = spec.iterate(rows)
        items = core.elements_of(items)
        test = spec.compare(ast.Gt(), items.length, core.constant(0))
        length = spec.select(
            test,
            lambda: _length_of(spec, items.element(core.constant(0))),
            lambda: core.constant(0),
            "count",
        )

        def column(index: core.Leaf) -> core.Value:
            if isinstance(rows, core.Leaf) and isinstance(rows.kind, ir.Array):
                whole = core.slice_of(
                    core.constant(None), core.constant(None), core.constant(None)
                )
                found = spec.item_of(rows, core.aggregate_of((whole, index)))
                parts = spec.iterate(found)
            else:
                parts = items.mapped(lambda row: spec.item_of(row, index))
            lazy = core.Lazy("zip", (), lambda spec, sources: parts)
            return made_tuple(spec, collecting.collected(spec, lazy, short=False))

        return core.Elements(length, column)

    return core.Lazy("zip", (rows,), start, core.Mark())


def _length_of(spec: Specialiser, row: core.Value) -> core.Value:
    found = spec.iterate(row)
    if not isinstance(found, core.Elements):
        raise core.Unsupported(
            f"columns of rows that are {core.describe(row)}", "write a loop"
        )
    return found.length


def _kept(spec: Specialiser, row: core.Value) -> core.Lazy:
    """The columns of rows that are kept as parallel lists."""

    def column(part: core.Value) -> core.Value:
        if isinstance(part, core.Leaf):
            return spec.apply(ops.as_tuple, (part,), hint="column")
        return core.Aggregate(core.Rows, (core.ROW,), (part,))

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Stream:
        length = iteration.length_of(spec, next(core.leaves(sources[0])))

        def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
            def each() -> None:
                columns = core.aggregate_of(
                    tuple(map(column, core.items_of(sources[0]) or ()))
                )
                iteration.drive(spec, columns, body, set(), leave=leave, known=known)

            test = spec.compare(ast.Gt(), length, core.constant(0))
            if not known:
                return spec.choose(test, each, lambda: None)
            # Where a known number of columns is expected, there must be a row.
            spec.raise_unless(test, ValueError, NO_COLUMNS)
            each()

        return core.Stream(run)

    return core.Lazy("zip", (row,), start, core.Mark())
