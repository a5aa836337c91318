"""Rules of the operations on the cotangents of lists whose items may differ in shape,
see :mod:`s2sad.ops.rows`, so that reverse programs can be differentiated."""

from __future__ import annotations

from dataclasses import replace

from s2sad import ir
from s2sad.ops.lists import shaped_as_items
from s2sad.ops.rows import (
    added_rows,
    own_rows,
    rows_of,
    with_row,
    with_zero_row,
    without_row,
    zero_rows,
)
from s2sad.ops.runtime.rows import (
    repeated_rows,
    rows_apart,
    rows_of_terms,
    stacked_rows,
    sum_of_repeats,
    sum_of_rows,
)
from s2sad.rules.predicates import is_list, is_literal_zero
from s2sad.rules.python.sequences import changed_axis
from s2sad.rules.registry import (
    KindFunction,
    forward_of,
    reverse_of,
    without_derivative,
)
from s2sad.rules.result_kinds import array_or_number


def rows_kind(items: ir.Kind) -> ir.Kind:
    """The kind of a list of the cotangents of a list's items."""
    if not isinstance(items, ir.List) or items.item is None:
        return ir.UNKNOWN
    item = ir.cotangent_kind_of_item(items.item) or items.item
    return ir.List(ir.as_item(item), items.axis)


without_derivative(zero_rows, lambda items: None, kind=rows_kind)


@reverse_of(own_rows, kind=lambda rows: rows, linear=True, divides=True)
def _own_rows(rows, *, out, out_bar):
    return out_bar


@reverse_of(
    added_rows,
    kind=lambda first, second: first,
    differentiable=("first", "second"),
    divides=True,
)
def _added_rows(first, second, *, out, out_bar):
    return out_bar, out_bar


@forward_of(added_rows)
def _added_rows_forward(first, second, *, out, first_dot, second_dot):
    if is_literal_zero(first_dot):
        return second_dot
    if is_literal_zero(second_dot):
        return first_dot
    return added_rows(first_dot, second_dot)


def _rows_of_kind(array: ir.Kind) -> ir.Kind:
    axes = ir.axes_of(array)
    if not axes:
        return ir.UNKNOWN
    return ir.with_free_items(
        ir.List(array_or_number(ir.dtype_of(array), axes[1:]), axes[0])
    )


@reverse_of(rows_of, kind=_rows_of_kind, linear=True, view=True)
def _rows_of(array, *, out, out_bar):
    return shaped_as_items(out_bar, out) if is_list(out_bar) else out_bar


def _changed_kind(by: int) -> KindFunction:
    def kind(rows: ir.Kind, place: ir.Kind, like: ir.Kind) -> ir.Kind:
        if not isinstance(rows, ir.List):
            return ir.UNKNOWN
        return replace(rows, axis=changed_axis(rows.axis, by))

    return kind


@reverse_of(without_row, kind=_changed_kind(-1), differentiable=("rows",), divides=True)
def _without_row(rows, place, like, *, out, out_bar):
    return with_row(out_bar, place, like)


@forward_of(without_row)
def _without_row_forward(rows, place, like, *, out, rows_dot):
    return without_row(rows_dot, place, like)


@reverse_of(with_row, kind=_changed_kind(1), differentiable=("rows",), divides=True)
def _with_row(rows, place, like, *, out, out_bar):
    return without_row(out_bar, place, like)


@forward_of(with_row)
def _with_row_forward(rows, place, like, *, out, rows_dot):
    return with_row(rows_dot, place, like)


@reverse_of(
    with_zero_row,
    kind=lambda rows, place, like, before: rows,
    differentiable=("rows",),
    divides=True,
)
def _with_zero_row(rows, place, like, before, *, out, out_bar):
    return with_zero_row(out_bar, place, before, like)


@forward_of(with_zero_row)
def _with_zero_row_forward(rows, place, like, before, *, out, rows_dot):
    return with_zero_row(rows_dot, place, like, before)


@reverse_of(rows_of_terms, kind=lambda cotangent, terms: rows_kind(terms), linear=True)
def _rows_of_terms(cotangent, terms, *, out, out_bar):
    return sum_of_rows(out_bar, cotangent)


def _like_second(rows: ir.Kind, like: ir.Kind) -> ir.Kind:
    axes = ir.axes_of(like)
    if axes is None:
        return ir.UNKNOWN
    return ir.Array(ir.dtype_of(like), axes) if axes else ir.FLOAT


@reverse_of(sum_of_rows, kind=_like_second, linear=True)
def _sum_of_rows(rows, like, *, out, out_bar):
    return rows_of_terms(out_bar, rows)


def _apart_kind(rows: ir.Kind) -> ir.Kind:
    item = (
        _rows_of_kind(rows.item)
        if isinstance(rows, ir.List) and rows.item
        else ir.UNKNOWN
    )
    return (
        ir.List(ir.as_item(item), rows.axis)
        if isinstance(rows, ir.List)
        else ir.UNKNOWN
    )


@reverse_of(stacked_rows, kind=lambda rows, items: rows_kind(items), linear=True)
def _stacked_rows(rows, items, *, out, out_bar):
    return rows_apart(out_bar)


@reverse_of(rows_apart, kind=_apart_kind, linear=True)
def _rows_apart(rows, *, out, out_bar):
    return stacked_rows(out_bar, out)


@reverse_of(sum_of_repeats, kind=lambda rows, items: rows_kind(items), linear=True)
def _sum_of_repeats(rows, items, *, out, out_bar):
    return repeated_rows(out_bar, len(rows) // max(len(items), 1))


@reverse_of(repeated_rows, kind=lambda rows, count: rows, linear=True)
def _repeated_rows(rows, count, *, out, out_bar):
    return sum_of_repeats(out_bar, rows)
