"""The table of what the Numba emission knows of lists, see
:mod:`s2sad.codegen.numba.operations`."""

import builtins
import math
import operator
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba import helpers, programs
from s2sad.codegen.numba.arrays import array_helpers
from s2sad.codegen.numba.arrays.operands import Call, Test, anything
from s2sad.ops import buffers, lists, rows
from s2sad.rules.steps.shape_queries import axis_length


def empty_list(kind: Any) -> list[Any]:
    """An empty list, of items of a kind."""
    return []


def _list(call: Call) -> bool:
    return isinstance(call.first, ir.List)


def _of_numbers(call: Call) -> bool:
    """A list of numbers."""
    return ir.is_list_of_numbers(call.first)


def _of_floats(call: Call) -> bool:
    """A list of floats, alone."""
    kind = call.first
    alone = len(call.value.args) == 1 and not call.words()
    return _of_numbers(call) and alone and ir.dtype_of(kind.item) == "float64"  # type: ignore[union-attr]


def _arrays(call: Call) -> bool:
    """A list of arrays, or of lists of numbers."""
    return _list(call) and len(call.value.args) == 1 and not call.words()


def _lists(call: Call) -> bool:
    return all(
        isinstance(k, ir.List) or isinstance(a, ir.Pack)
        for k, a in zip(call.kinds, call.value.args)
    )


def _place(call: Call) -> bool:
    """A list, and a number as the place of an item."""
    return _list(call) and call.facts.is_number(call.value.args[1])


def _part(call: Call) -> bool:
    """An item, some of the items, or a part of an item that is an array."""
    if not _list(call):
        return False
    index = call.value.args[1]
    items = index.items if isinstance(index, ir.Pack) else (index,)
    if isinstance(items[0], ir.Slice) and len(items) > 1:
        return False
    return all(
        isinstance(i, ir.Slice) or i == ir.Const(None) or call.facts.is_number(i)
        for i in items
    )


def _added(call: Call) -> bool:
    """Something added to one item or to a part of it."""
    _, index, _, *rest = call.value.args
    repeats = rest[:1] == [ir.Const(True)] and call.value.function is buffers.index_add
    if call.value.function is buffers.accumulated or repeats:
        return False
    return _part(call) and not isinstance(index, ir.Slice)


def _first_axis(call: Call) -> bool:
    return _list(call) and call.value.args[1] == ir.Const(0)


def _collected(call: Call) -> bool:
    """A list of what a list or an array holds."""
    return _list(call) or programs.is_array(call.first)


def _zeros(call: Call) -> bool:
    return _list(call) and all(
        isinstance(a, ir.Const) and np.dtype(a.value) == np.float64
        for a in call.value.args[1:]
    )


def _cotangent(call: Call) -> bool:
    return programs.is_float_array(call.first)


LISTS: dict[Any, Test] = {
    lists.new_list: anything,
    empty_list: anything,
    lists.list_of: anything,
    lists.joined_lists: _lists,
    lists.repeated: _of_numbers,
    lists.appended: _list,
    **dict.fromkeys((lists.without_item, lists.with_inserted_item), _place),
    **dict.fromkeys((lists.with_item_stored, lists.with_item_added), _place),
    **dict.fromkeys((lists.as_list, rows.rows_of), _collected),
    lists.zeros_along: _zeros,
    lists.zero_numbers: anything,
    lists.numbers_of: _cotangent,
    lists.shaped_as_items: lambda c: _cotangent(c) and _of_numbers_at(c, 1),
    **dict.fromkeys((lists.zero_inserted, lists.without_place), _cotangent),
    **dict.fromkeys((lists.zero_appended, lists.without_last), _cotangent),
    lists.index_of_first: _of_numbers,
    lists.count_of_range: Call.are_numbers,
    **dict.fromkeys((rows.zero_rows, rows.own_rows, rows.added_rows), _list),
    **dict.fromkeys((rows.without_row, rows.with_row, rows.with_zero_row), _list),
    ops.item_within: _list,
    **dict.fromkeys((helpers.array_of_items, helpers.stacked_items), _arrays),
    **dict.fromkeys((builtins.sum, builtins.min, builtins.max), _of_floats),
    math.fsum: _of_floats,
    array_helpers.order_of_numbers: _of_numbers,
    **dict.fromkeys((operator.getitem, buffers.overwritten_part), _part),
    **dict.fromkeys((buffers.index_add, buffers.index_set, *buffers.STORES), _added),
    **dict.fromkeys((buffers.own_copy, len), _list),
    axis_length: _first_axis,
}
"""For each function of lists: which operations with it are left to Numba."""


def _of_numbers_at(call: Call, place: int) -> bool:
    return ir.is_list_of_numbers(call.kinds[place])
