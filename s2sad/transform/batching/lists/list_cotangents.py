"""Cotangents of lists, batched: arrays that run along the list behind the leading axis,
or lists of rows that have it in front."""

import operator
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime import sequences
from s2sad.rules.steps.shape_queries import axis_length
from s2sad.transform.batching.calls import Batch, Call, is_batched, plain
from s2sad.transform.batching.lists import list_arrays, lists


def rows_of_array(call: Call) -> core.Value:
    """``list(array)``: rows behind the leading axis."""
    array = call.only_first()
    rows = call.apply(ops.rows_of, call.apply(np.moveaxis, array, 0, 1))
    return lists.of_item_kind(call, rows)


def shaped_as_primal(call: Call) -> core.Value:
    """The cotangent of a list as an array."""
    value, items = call.args
    if not isinstance(value, Batch) or isinstance(items, Batch):
        raise core.NotBatched("the shape of a batched list is taken")
    if isinstance(value.item, ir.List):
        value = list_arrays.array_of_list_items(call, value)
    like = call.apply(ops.zeros_along, items)
    axes = ir.axes_of(core.kind_of(like))
    if axes is None:
        raise core.NotBatched("the rank of a cotangent isn't known")
    shape = call.mode.shape_with_size(like, axes)
    return call.apply(np.reshape, value, shape)


def with_row_like(call: Call) -> core.Value:
    """A row of zeros gets the shape of one that has the leading axis."""
    rows, place, *shapes = call.args
    if is_batched(place):
        raise core.NotBatched("a place depends on a tangent")
    wide = [_zero_row(call, like) for like in shapes]
    made = call.apply(call.value.function, lists.whole(call, rows), place, *wide)
    return lists.of_item_kind(call, made)


def _zero_row(call: Call, like: Any) -> core.Value:
    if isinstance(like, Batch):
        return like.leaf
    kind = core.kind_of(like)
    if isinstance(kind, ir.Array | ir.NumPyScalar | ir.List) and isinstance(
        like, core.Leaf
    ):
        return call.mode.repeated(like, kind, zeros=True)
    raise core.NotBatched("a row of zeros is given by its length")


def without_row_of_list(call: Call) -> core.Value:
    """The row that is taken has the shape it has."""
    rows, place, _ = call.args
    if is_batched(place) or not isinstance(rows, Batch):
        raise core.NotBatched("a place depends on a tangent")
    none = core.constant(None)
    return lists.of_item_kind(call, call.apply(ops.without_row, rows, place, none))


def split_cotangent(call: Call) -> core.Value:
    """The cotangents of arrays that were joined."""
    cotangent, arrays, _ = call.args
    axis, kind = call.given("axis", 2), core.kind_of(plain(arrays))
    item = kind.item if isinstance(kind, ir.List) else None
    rank = ir.rank_of(item) if item is not None else None
    if not isinstance(cotangent, Batch) or is_batched(arrays) or not rank:
        raise core.NotBatched("the shape of batched arrays is taken")
    if axis is None:
        raise core.NotBatched("the arrays are flattened")
    spec, axis = call.mode.spec, axis % rank
    made, start, place = map(spec.fresh, ("parts", "start", "k"))
    spec.assign(made, ir.Apply(ops.new_list, ()), ir.List(None))
    spec.assign(start, ir.Const(0), ir.INT)
    wide = call.mode.with_leading_axis(kind)
    with spec.loop_over_places(place, spec.apply(len, (arrays,))) as k:
        array = spec.apply(operator.getitem, (arrays, k))
        length = spec.apply(axis_length, (array, core.constant(axis)))
        stop = spec.operate(operator.add, (core.Leaf(start, ir.INT), length))
        assert isinstance(stop, core.Leaf)
        everything = core.slice_of(*[core.NOTHING] * 3)
        part = core.slice_of(core.Leaf(start, ir.INT), stop, core.NOTHING)
        index = core.aggregate_of((*[everything] * (axis + 1), part))
        item_bar = call.apply(operator.getitem, cotangent, index)
        spec.assign(made, ir.Apply(ops.appended, (made, item_bar.operand)), wide)
        spec.assign(start, stop.operand, ir.INT)
    return core.Leaf(made, wide)


def zero_row_of_each(call: Call) -> core.Value:
    """The cotangent of a list before an item was taken from it, as an array."""
    array, *others = call.args
    if not isinstance(array, Batch) or any(map(is_batched, others)):
        raise core.NotBatched("a shape is that of a batched value")
    if call.value.function is ops.zero_appended:
        others = [call.apply(axis_length, array, 1)]
    return call.apply(sequences.zero_row_in_each, array, *others)


def unless_empty_in_each(call: Call) -> core.Value:
    """The cotangent of a list of arrays, for another to be added."""
    return call.apply(sequences.unless_empty, call.only_first(), core.constant(1))


def without_row_of_each(call: Call) -> core.Value:
    """The cotangent of a list before an item was put into it, as an array."""
    array, place = call.args
    if not isinstance(array, Batch) or is_batched(place):
        raise core.NotBatched("a place depends on a tangent")
    return call.apply(sequences.without_row_in_each, array, place)
