"""Rules of the operations on lists in a list, see
:mod:`s2sad.ops.inner_lists`."""

from s2sad import ir, ops, rules
from s2sad.rules.numpy.indexing import getitem_kind
from s2sad.rules.python import sequences
from s2sad.rules.steps.scatter import Scattered


def _item_kind(lists: ir.Kind, place: ir.Kind, index: ir.Kind) -> ir.Kind:
    return getitem_kind(getitem_kind(lists, place), index)


@rules.reverse_of(ops.item_within, kind=_item_kind, cheap=True)
def _item_within(lists, place, index, *, out, out_bar):
    return Scattered((place, index), out_bar)


@rules.forward_of(ops.item_within)
def _item_within_forward(lists, place, index, *, out, lists_dot):
    if rules.is_literal_zero(lists_dot):
        return 0.0
    return ops.item_within(lists_dot, place, index)


def _with_inner_kind(lists: ir.Kind, inner: ir.Kind) -> ir.Kind:
    whole = isinstance(lists, ir.List) and isinstance(inner, ir.List)
    return sequences.stored_item_kind(lists, ir.UNKNOWN, inner) if whole else ir.UNKNOWN


def _inner(lists: ir.Kind) -> ir.Kind:
    return (lists.item or ir.UNKNOWN) if isinstance(lists, ir.List) else ir.UNKNOWN


@rules.reverse_of(
    ops.with_item_stored_within,
    kind=lambda lists, place, index, item: _with_inner_kind(
        lists, sequences.stored_item_kind(_inner(lists), index, item)
    ),
    differentiable=("lists", "item"),
    divides=True,
    masking=True,
)
def _with_item_stored(lists, place, index, item, *, out, out_bar):
    part = ops.item_within(out_bar, place, index)
    if rules.is_list(out_bar):
        return ops.with_zero_element(out_bar, place, index), part
    return ops.stored(out_bar, (place, index), 0.0), part


@rules.forward_of(ops.with_item_stored_within)
def _with_item_stored_forward(lists, place, index, item, *, out, lists_dot, item_dot):
    tangents = sequences.full_items(lists_dot, lists)
    return ops.with_item_stored_within(tangents, place, index, item_dot)


@rules.reverse_of(
    ops.appended_within,
    kind=lambda lists, place, item: _with_inner_kind(
        lists, sequences.appended_kind(_inner(lists), item)
    ),
    differentiable=("lists", "item"),
    divides=True,
)
def _appended_within(lists, place, item, *, out, out_bar):
    part = ops.item_within(out_bar, place, -1)
    return ops.with_shorter_row(out_bar, place, -1), part


@rules.forward_of(ops.appended_within)
def _appended_within_forward(lists, place, item, *, out, lists_dot, item_dot):
    tangents = sequences.full_items(lists_dot, lists)
    return ops.appended_within(tangents, place, item_dot)


@rules.reverse_of(
    ops.without_item_within,
    kind=lambda lists, place, index: _with_inner_kind(
        lists, sequences.without_item_kind(_inner(lists), index)
    ),
    divides=True,
    masking=True,
    linear=True,
)
def _without_item_within(lists, place, index, *, out, out_bar):
    return ops.with_longer_row(out_bar, place, index)


@rules.reverse_of(
    ops.with_zero_element,
    kind=lambda rows, place, index: rows,
    divides=True,
    linear=True,
)
def _with_zero_element(rows, place, index, *, out, out_bar):
    return ops.with_zero_element(out_bar, place, index)


@rules.reverse_of(
    ops.with_shorter_row,
    kind=lambda rows, place, index: rows,
    divides=True,
    linear=True,
)
def _with_shorter_row(rows, place, index, *, out, out_bar):
    return ops.with_longer_row(out_bar, place, index)


@rules.reverse_of(
    ops.with_longer_row, kind=lambda rows, place, index: rows, divides=True, linear=True
)
def _with_longer_row(rows, place, index, *, out, out_bar):
    return ops.with_shorter_row(out_bar, place, index)
