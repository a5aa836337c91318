"""Rules of the operations on the cotangents of lists whose items may differ in shape,
see :mod:`s2sad.ops.rows`, so that reverse programs can be differentiated."""

from dataclasses import replace

from s2sad import ir, ops, rules
from s2sad.ops.runtime.arguments import gradient_of_items
from s2sad.ops.runtime.rows import (
    repeated_rows,
    rows_apart,
    rows_of_terms,
    stacked_rows,
    sum_of_repeats,
    sum_of_rows,
)
from s2sad.rules.python.sequences import changed_axis


def rows_kind(items: ir.Kind) -> ir.Kind:
    """The kind of a list of the cotangents of a list's items."""
    if not isinstance(items, ir.List) or items.item is None:
        return ir.UNKNOWN
    item = ir.cotangent_kind_of_item(items.item) or items.item
    return ir.List(ir.as_item(item), items.axis)


rules.without_derivative(ops.zero_rows, kind=rows_kind)


@rules.reverse_of(ops.own_rows, kind=lambda rows: rows, linear=True, divides=True)
def _own_rows(rows, *, out, out_bar):
    return out_bar


@rules.reverse_of(
    ops.added_rows,
    kind=lambda first, second: first,
    differentiable=("first", "second"),
    divides=True,
)
def _added_rows(first, second, *, out, out_bar):
    return out_bar, out_bar


@rules.forward_of(ops.added_rows)
def _added_rows_forward(first, second, *, out, first_dot, second_dot):
    if rules.is_literal_zero(first_dot):
        return second_dot
    if rules.is_literal_zero(second_dot):
        return first_dot
    return ops.added_rows(first_dot, second_dot)


def _rows_of_kind(array: ir.Kind) -> ir.Kind:
    axes = ir.axes_of(array)
    if not axes:
        return ir.UNKNOWN
    return ir.with_free_items(
        ir.List(rules.array_or_number(ir.dtype_of(array), axes[1:]), axes[0])
    )


@rules.reverse_of(ops.rows_of, kind=_rows_of_kind, linear=True, view=True)
def _rows_of(array, *, out, out_bar):
    return ops.shaped_as_items(out_bar, out) if rules.is_list(out_bar) else out_bar


def _in_lists_kind(cotangent: ir.Kind, items: ir.Kind) -> ir.Kind:
    return replace(items, constructor=list) if isinstance(items, ir.List) else items


@rules.reverse_of(ops.in_lists, kind=_in_lists_kind, divides=True, linear=True)
@rules.reverse_of(gradient_of_items, kind=_in_lists_kind, divides=True, linear=True)
def _in_lists(cotangent, items, *, out, out_bar):
    return out_bar


def _changed_kind(by: int) -> rules.KindFunction:
    def kind(rows: ir.Kind, place: ir.Kind, like: ir.Kind) -> ir.Kind:
        if not isinstance(rows, ir.List):
            return ir.UNKNOWN
        return replace(rows, axis=changed_axis(rows.axis, by))

    return kind


@rules.reverse_of(ops.without_row, kind=_changed_kind(-1), divides=True, linear=True)
def _without_row(rows, place, like, *, out, out_bar):
    return ops.with_row(out_bar, place, like)


@rules.reverse_of(ops.with_row, kind=_changed_kind(1), divides=True, linear=True)
def _with_row(rows, place, like, *, out, out_bar):
    return ops.without_row(out_bar, place, like)


@rules.reverse_of(
    ops.with_zero_row,
    kind=lambda rows, place, like, before: rows,
    divides=True,
    linear=True,
)
def _with_zero_row(rows, place, like, before, *, out, out_bar):
    return ops.with_zero_row(out_bar, place, before, like)


@rules.reverse_of(
    rows_of_terms, kind=lambda cotangent, terms: rows_kind(terms), linear=True
)
def _rows_of_terms(cotangent, terms, *, out, out_bar):
    return sum_of_rows(out_bar, cotangent)


def _like_second(rows: ir.Kind, like: ir.Kind) -> ir.Kind:
    axes = ir.axes_of(like)
    if axes is None:
        return ir.UNKNOWN
    return ir.Array(ir.dtype_of(like), axes) if axes else ir.FLOAT


@rules.reverse_of(sum_of_rows, kind=_like_second, linear=True)
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


@rules.reverse_of(stacked_rows, kind=lambda rows, items: rows_kind(items), linear=True)
def _stacked_rows(rows, items, *, out, out_bar):
    return rows_apart(out_bar)


@rules.reverse_of(rows_apart, kind=_apart_kind, linear=True)
def _rows_apart(rows, *, out, out_bar):
    return stacked_rows(out_bar, out)


@rules.reverse_of(
    sum_of_repeats, kind=lambda rows, items: rows_kind(items), linear=True
)
def _sum_of_repeats(rows, items, *, out, out_bar):
    return repeated_rows(out_bar, len(rows) // max(len(items), 1))


@rules.reverse_of(repeated_rows, kind=lambda rows, count: rows, linear=True)
def _repeated_rows(rows, count, *, out, out_bar):
    return sum_of_repeats(out_bar, rows)
