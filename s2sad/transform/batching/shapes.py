"""Batched operations that change shapes: the leading axis stays in front."""

from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.transform.batching.calls import Batch, Call, aligned, plain, rank_of_item


def with_size(call: Call, lengths: list[Any]) -> core.Aggregate:
    return core.aggregate_of((call.mode.size, *map(plain, lengths)))


def lengths_of_shape(shape: Any) -> list[Any]:
    """The items of a shape; a number stands for one."""
    if isinstance(shape, core.Aggregate):
        return list(shape.items)
    if isinstance(shape, core.Leaf) and isinstance(shape.kind, ir.Scalar):
        return [shape]
    raise core.NotBatched("the rank of a shape isn't known")


def reshaped_items(call: Call) -> core.Value:
    x = call.only_first()
    shape = call.keywords.get("shape", call.args[1] if len(call.args) > 1 else None)
    if len(call.args) > 2:  # x.reshape(2, 3)
        lengths = list(call.args[1:])
    else:
        lengths = lengths_of_shape(shape)
    return call.apply(np.reshape, x, with_size(call, lengths))


def flattened_items(call: Call) -> core.Value:
    x = call.only_first()
    if rank_of_item(x) != 1:
        return call.apply(np.reshape, x, (call.mode.size, -1))
    if call.value.function is np.ndarray.flatten:
        return call.apply(ops.own_copy, x)
    return x.leaf


def broadcast_items(call: Call) -> core.Value:
    x = call.only_first()
    lengths = lengths_of_shape(call.keywords.get("shape", call.args[-1]))
    wide = aligned(call, x, len(lengths))
    return call.apply(np.broadcast_to, wide, with_size(call, lengths))


def spread_items(call: Call) -> core.Value:
    """``value`` at the shape of ``x``."""
    value, like = call.args
    if not isinstance(value, Batch):
        raise core.NotBatched("the shape of a batched array is taken")
    if isinstance(like, Batch):
        return call.apply(
            call.value.function, aligned(call, value, rank_of_item(like)), like
        )
    if isinstance(core.kind_of(like), ir.List):
        return _along_list(call, value, like)
    rank = rank_of_item(like)
    if rank == 0 or isinstance(core.kind_of(like), ir.Scalar | ir.NumPyScalar):
        return value.leaf
    if not isinstance(core.kind_of(like), ir.Array):
        raise core.NotBatched("the shape of a structure is taken")
    if call.mode.is_full(value.item, core.kind_of(like)):
        if call.value.function is ops.broadcast_like:
            return value.leaf
        return call.apply(ops.own_copy, value)
    axes = ir.axes_of(core.kind_of(like))
    shape = call.mode.shape_with_size(like, axes)
    wide = call.apply(np.broadcast_to, aligned(call, value, rank), shape)
    if call.value.function is ops.broadcast_like:
        return wide
    return call.apply(ops.own_copy, wide)


def _along_list(call: Call, value: Batch, items: core.Value) -> core.Value:
    """The same for a list of numbers, which has one axis."""
    kind = core.kind_of(items)
    assert isinstance(kind, ir.List)
    if (
        not isinstance(kind.item, ir.Scalar | ir.NumPyScalar)
        or rank_of_item(value) != 0
    ):
        raise core.NotBatched("the shape of a list is taken")
    shape = with_size(call, [call.apply(len, items)])
    wide = call.apply(np.broadcast_to, aligned(call, value, 1), shape)
    if call.value.function is ops.broadcast_like:
        return wide
    return call.apply(ops.own_copy, wide)


def reshaped_as_other(call: Call) -> core.Value:
    value, like = call.args
    if not isinstance(value, Batch) or isinstance(like, Batch):
        raise core.NotBatched("the shape of a batched array is taken")
    if rank_of_item(like) == 0:
        own = tuple(range(1, rank_of_item(value) + 1))
        return call.apply(np.sum, value, axis=own) if own else value.leaf
    axes = ir.axes_of(core.kind_of(like))
    shape = call.mode.shape_with_size(like, axes)
    return call.apply(np.reshape, value, shape)
