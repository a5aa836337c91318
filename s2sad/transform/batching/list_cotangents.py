"""Cotangents of lists, batched: arrays that run along the list behind the leading axis,
or lists of rows that have it in front."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.frontend.specialise.core.exceptions import NotBatched
from s2sad.frontend.specialise.core.expressions import operate
from s2sad.frontend.specialise.core.values import (
    Leaf,
    Value,
    aggregate_of,
    constant,
    kind_of,
    slice_of,
)
from s2sad.ir.kinds import (
    INT,
    Array,
    List,
    NumPyScalar,
    axes_of,
    rank_of,
)
from s2sad.ir.nodes import Apply, Const, For
from s2sad.ops.lists import (
    appended,
    new_list,
    zero_appended,
    zeros_along,
)
from s2sad.ops.rows import (
    rows_of,
    without_row,
)
from s2sad.ops.runtime.sequences import (
    unless_empty,
    without_row_in_each,
    zero_row_in_each,
)
from s2sad.rules.steps.shape_queries import axis_length
from s2sad.transform.batching.calls import Batch, Call, is_batched, plain
from s2sad.transform.batching.list_arrays import array_of_list_items
from s2sad.transform.batching.lists import of_item_kind, whole


def rows_of_array(call: Call) -> Value:
    """``list(array)``: rows behind the leading axis."""
    array = call.only_first()
    rows = call.apply(rows_of, call.apply(np.moveaxis, array, 0, 1))
    return of_item_kind(call, rows)


def shaped_as_primal(call: Call) -> Value:
    """The cotangent of a list as an array."""
    value, items = call.args
    if not isinstance(value, Batch) or isinstance(items, Batch):
        raise NotBatched("the shape of a batched list is taken")
    if isinstance(value.item, List):
        value = array_of_list_items(call, value)
    like = call.apply(zeros_along, items)
    axes = axes_of(kind_of(like))
    if axes is None:
        raise NotBatched("the rank of a cotangent isn't known")
    shape = call.mode.shape_with_size(like, axes)
    return call.apply(np.reshape, value, shape)


def with_row_like(call: Call) -> Value:
    """A row of zeros gets the shape of one that has the leading axis."""
    rows, place, *shapes = call.args
    if is_batched(place):
        raise NotBatched("a place depends on a tangent")
    wide = [_zero_row(call, like) for like in shapes]
    made = call.apply(call.value.function, whole(call, rows), place, *wide)
    return of_item_kind(call, made)


def _zero_row(call: Call, like: Any) -> Value:
    if isinstance(like, Batch):
        return like.leaf
    kind = kind_of(like)
    if isinstance(kind, Array | NumPyScalar | List) and isinstance(like, Leaf):
        return call.mode.repeated(like, kind, zeros=True)
    raise NotBatched("a row of zeros is given by its length")


def without_row_of_list(call: Call) -> Value:
    """The row that is taken has the shape it has."""
    rows, place, _ = call.args
    if is_batched(place) or not isinstance(rows, Batch):
        raise NotBatched("a place depends on a tangent")
    none = constant(None)
    return of_item_kind(call, call.apply(without_row, rows, place, none))


def split_cotangent(call: Call) -> Value:
    """The cotangents of arrays that were joined."""
    cotangent, arrays, _ = call.args
    axis, kind = call.given("axis", 2), kind_of(plain(arrays))
    item = kind.item if isinstance(kind, List) else None
    rank = rank_of(item) if item is not None else None
    if not isinstance(cotangent, Batch) or is_batched(arrays) or not rank:
        raise NotBatched("the shape of batched arrays is taken")
    if axis is None:
        raise NotBatched("the arrays are flattened")
    spec, axis = call.mode.spec, axis % rank
    made, start, place = map(spec.fresh, ("parts", "start", "k"))
    spec.assign(made, Apply(new_list, ()), List(None))
    spec.assign(start, Const(0), INT)
    count = spec.apply(len, (arrays,))
    wide = call.mode.with_leading_axis(kind)
    with spec.new_block() as body:
        array = spec.apply(operator.getitem, (arrays, Leaf(place, INT)))
        length = spec.apply(axis_length, (array, constant(axis)))
        stop = operate(spec, operator.add, (Leaf(start, INT), length), None)
        assert isinstance(stop, Leaf)
        everything = slice_of(*map(constant, (None,) * 3))
        part = slice_of(Leaf(start, INT), stop, constant(None))
        index = aggregate_of((*[everything] * (axis + 1), part))
        item_bar = call.apply(operator.getitem, cotangent, index)
        spec.assign(made, Apply(appended, (made, item_bar.operand)), wide)
        spec.assign(start, stop.operand, INT)
    spec.emit(For(spec.span, place, Const(0), count.operand, Const(1), tuple(body)))
    return Leaf(made, wide)


def zero_row_of_each(call: Call) -> Value:
    """The cotangent of a list before an item was taken from it, as an array."""
    array, *others = call.args
    if not isinstance(array, Batch) or any(map(is_batched, others)):
        raise NotBatched("a shape is that of a batched value")
    if call.value.function is zero_appended:
        others = [call.apply(axis_length, array, 1)]
    return call.apply(zero_row_in_each, array, *others)


def unless_empty_in_each(call: Call) -> Value:
    """The cotangent of a list of arrays, for another to be added."""
    return call.apply(unless_empty, call.only_first(), constant(1))


def without_row_of_each(call: Call) -> Value:
    """The cotangent of a list before an item was put into it, as an array."""
    array, place = call.args
    if not isinstance(array, Batch) or is_batched(place):
        raise NotBatched("a place depends on a tangent")
    return call.apply(without_row_in_each, array, place)
