"""Rules of the operations on lists in a list, see
:mod:`s2sad.ops.inner_lists`."""

from __future__ import annotations

from s2sad import ir
from s2sad.ops.buffers import stored
from s2sad.ops.inner_lists import (
    appended_within,
    item_within,
    with_item_stored_within,
    with_longer_row,
    with_shorter_row,
    with_zero_element,
    without_item_within,
)
from s2sad.ops.lists import zero_items
from s2sad.rules.numpy.indexing import getitem_kind
from s2sad.rules.predicates import is_list, is_literal_zero
from s2sad.rules.python.sequences import (
    appended_kind,
    stored_item_kind,
    without_item_kind,
)
from s2sad.rules.registry import forward_of, reverse_of
from s2sad.rules.steps.scatter import Scattered


def _item_kind(lists: ir.Kind, place: ir.Kind, index: ir.Kind) -> ir.Kind:
    return getitem_kind(getitem_kind(lists, place), index)


@reverse_of(item_within, kind=_item_kind, differentiable=("lists",), cheap=True)
def _item_within(lists, place, index, *, out, out_bar):
    return Scattered((place, index), out_bar)


@forward_of(item_within)
def _item_within_forward(lists, place, index, *, out, lists_dot):
    if is_literal_zero(lists_dot):
        return 0.0
    return item_within(lists_dot, place, index)


def _with_inner_kind(lists: ir.Kind, inner: ir.Kind) -> ir.Kind:
    whole = isinstance(lists, ir.List) and isinstance(inner, ir.List)
    return stored_item_kind(lists, ir.UNKNOWN, inner) if whole else ir.UNKNOWN


def _inner(lists: ir.Kind) -> ir.Kind:
    return (lists.item or ir.UNKNOWN) if isinstance(lists, ir.List) else ir.UNKNOWN


@reverse_of(
    with_item_stored_within,
    kind=lambda lists, place, index, item: _with_inner_kind(
        lists, stored_item_kind(_inner(lists), index, item)
    ),
    differentiable=("lists", "item"),
    divides=True,
    masking=True,
)
def _with_item_stored(lists, place, index, item, *, out, out_bar):
    part = item_within(out_bar, place, index)
    if is_list(out_bar):
        return with_zero_element(out_bar, place, index), part
    return stored(out_bar, (place, index), 0.0), part


@forward_of(with_item_stored_within)
def _with_item_stored_forward(lists, place, index, item, *, out, lists_dot, item_dot):
    if is_literal_zero(lists_dot):
        lists_dot = zero_items(lists)
    return with_item_stored_within(lists_dot, place, index, item_dot)


@reverse_of(
    appended_within,
    kind=lambda lists, place, item: _with_inner_kind(
        lists, appended_kind(_inner(lists), item)
    ),
    differentiable=("lists", "item"),
    divides=True,
)
def _appended_within(lists, place, item, *, out, out_bar):
    part = item_within(out_bar, place, -1)
    return with_shorter_row(out_bar, place, -1), part


@forward_of(appended_within)
def _appended_within_forward(lists, place, item, *, out, lists_dot, item_dot):
    if is_literal_zero(lists_dot):
        lists_dot = zero_items(lists)
    return appended_within(lists_dot, place, item_dot)


@reverse_of(
    without_item_within,
    kind=lambda lists, place, index: _with_inner_kind(
        lists, without_item_kind(_inner(lists), index)
    ),
    differentiable=("lists",),
    divides=True,
    masking=True,
)
def _without_item_within(lists, place, index, *, out, out_bar):
    return with_longer_row(out_bar, place, index)


@forward_of(without_item_within)
def _without_item_within_forward(lists, place, index, *, out, lists_dot):
    return without_item_within(lists_dot, place, index)


@reverse_of(
    with_zero_element,
    kind=lambda rows, place, index: rows,
    differentiable=("rows",),
    divides=True,
)
def _with_zero_element(rows, place, index, *, out, out_bar):
    return with_zero_element(out_bar, place, index)


@forward_of(with_zero_element)
def _with_zero_element_forward(rows, place, index, *, out, rows_dot):
    return with_zero_element(rows_dot, place, index)


@reverse_of(
    with_shorter_row,
    kind=lambda rows, place, index: rows,
    differentiable=("rows",),
    divides=True,
)
def _with_shorter_row(rows, place, index, *, out, out_bar):
    return with_longer_row(out_bar, place, index)


@forward_of(with_shorter_row)
def _with_shorter_row_forward(rows, place, index, *, out, rows_dot):
    return with_shorter_row(rows_dot, place, index)


@reverse_of(
    with_longer_row,
    kind=lambda rows, place, index: rows,
    differentiable=("rows",),
    divides=True,
)
def _with_longer_row(rows, place, index, *, out, out_bar):
    return with_shorter_row(out_bar, place, index)


@forward_of(with_longer_row)
def _with_longer_row_forward(rows, place, index, *, out, rows_dot):
    return with_longer_row(rows_dot, place, index)
