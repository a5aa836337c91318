"""Lists whose length is known only when the program runs.

The cotangent of a list is an array whose first axis runs along the list. A list that
is built in a loop has its items at known places: their cotangents are read there, and
the loop's reverse only reads the array.
"""

from __future__ import annotations

import numpy as np

from s2sad.ir.kinds import (
    INT,
    UNKNOWN,
    Axis,
    Kind,
    List,
    array_of_list,
    join,
    without_value,
)
from s2sad.rules.numpy.arguments import NOT_GIVEN
from s2sad.rules.predicates import (
    is_literal_zero,
    is_none,
    is_number,
    runs_along,
)
from s2sad.rules.registry import forward_of, reverse_of, without_derivative
from s2sad.rules.scatter import Scattered
from s2sad.rules.shape_steps import reduced_to
from s2sad.transform.buffers import full_like_of
from s2sad.transform.lists import (
    appended,
    as_tuple,
    count_of_range,
    index_of_first,
    joined_lists,
    new_list,
    shaped_as_items,
    without_last,
    zero_items,
    zeros_along,
)


def _appended_kind(items: Kind, item: Kind, position: Kind = NOT_GIVEN) -> Kind:
    if not isinstance(items, List):
        return UNKNOWN
    held = without_value(item)
    if items.item is not None:
        held = join(items.item, held, ("items", items.axis.symbol))
    return List(held, items.axis)


without_derivative(new_list, lambda: None, kind=lambda: List(None))


@reverse_of(appended, kind=_appended_kind, differentiable=("items", "item"), lazy=True)
def _appended(items, item, position=None, *, out, out_bar):
    if not runs_along(out_bar, out):
        return out_bar, reduced_to(out_bar, item)
    if is_none(position):
        return without_last(out_bar), reduced_to(out_bar[-1], item)
    return out_bar, reduced_to(out_bar[position], item)


@forward_of(appended)
def _appended_forward(items, item, position=None, *, out, items_dot, item_dot):
    if is_literal_zero(items_dot):
        return appended(zero_items(items), full_like(item_dot, item), position)
    return appended(items_dot, full_like(item_dot, item), position)


def full_like(tangent, item):
    """The tangent of an item, zeros included, in its shape."""
    if is_number(item):
        return tangent
    return full_like_of(tangent, item) if is_number(tangent) else tangent


def _joined_kind(first: Kind, second: Kind) -> Kind:
    if not (isinstance(first, List) and isinstance(second, List)):
        return UNKNOWN
    both = join(List(first.item), List(second.item), ("joined", first.axis.symbol))
    assert isinstance(both, List)
    symbol = ("joined", first.axis.symbol, second.axis.symbol)
    return List(both.item, Axis("any", symbol))


@reverse_of(
    joined_lists, kind=_joined_kind, differentiable=("first", "second"), lazy=True
)
def _joined(first, second, *, out, out_bar):
    if not runs_along(out_bar, out):
        return out_bar, out_bar
    count = len(first)
    return out_bar[:count], out_bar[count:]


@forward_of(joined_lists)
def _joined_forward(first, second, *, out, first_dot, second_dot):
    if is_literal_zero(first_dot):
        first_dot = zero_items(first)
    if is_literal_zero(second_dot):
        second_dot = zero_items(second)
    return joined_lists(first_dot, second_dot)


@reverse_of(
    without_last, kind=lambda cotangent: cotangent, linear=True, view=True, cheap=True
)
def _without_last(cotangent, *, out, out_bar):
    return Scattered(slice(None, -1), out_bar)


@reverse_of(as_tuple, kind=lambda items: items, linear=True, view=True, lazy=True)
def _as_tuple(items, *, out, out_bar):
    return out_bar


def _zeros_kind(items: Kind, dtype: Kind = NOT_GIVEN) -> Kind:
    return array_of_list(items) or UNKNOWN


without_derivative(
    zeros_along, lambda items, dtype=float: None, kind=_zeros_kind, cheap=True
)


def _shaped_kind(value: Kind, items: Kind) -> Kind:
    return array_of_list(items) or UNKNOWN


@reverse_of(shaped_as_items, kind=_shaped_kind, linear=True, view=True)
def _shaped(value, items, *, out, out_bar):
    return np.reshape(out_bar, value.shape)


without_derivative(zero_items, lambda items: None, kind=lambda items: items)
without_derivative(
    index_of_first, lambda items, value: None, kind=lambda items, value: INT
)
without_derivative(
    count_of_range, lambda start, stop, step: None, kind=lambda **bounds: INT
)
