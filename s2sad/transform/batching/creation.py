"""Batched operations that make arrays of numbers, or of smaller arrays."""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.rules.numpy.kinds_of_arrays import dtype_named
from s2sad.transform.batching import calls
from s2sad.transform.batching.shapes import lengths_of_shape, with_size


def filled_items(call: calls.Call) -> core.Value:
    """``np.full``."""
    shape, value, *dtype = call.args
    lengths = lengths_of_shape(call.keywords.get("shape", shape))
    if not isinstance(value, calls.Batch) or calls.is_batched(shape):
        raise core.NotBatched("a shape depends on a tangent")
    wide = calls.aligned(call, value, len(lengths))
    return call.apply(np.full, with_size(call, lengths), wide, *dtype, **call.keywords)


def filled_like_items(call: calls.Call) -> core.Value:
    """``np.full_like``."""
    like, value, *_ = call.args
    if not isinstance(value, calls.Batch):
        raise core.NotBatched("the shape of a batched array is taken")
    wide = calls.aligned(call, value, calls.rank_of_item(like))
    if isinstance(like, calls.Batch):
        return call.apply(np.full_like, like, wide, *call.args[2:], **call.keywords)
    kind = core.kind_of(like)
    axes = ir.axes_of(kind)
    if not isinstance(kind, ir.Array) or axes is None:
        raise core.NotBatched("the rank of an operand isn't known")
    dtype = core.kind_of(
        call.keywords.get("dtype", (*call.args, core.constant(None))[2])
    )
    name = dtype_named(dtype, ir.dtype_of(kind))
    if name is None:
        raise core.NotBatched("the dtype isn't known")
    same = name == ir.dtype_of(value.leaf.kind)
    own = () if same else (core.constant(np.dtype(name).type),)
    return call.apply(np.full, call.mode.shape_with_size(like, axes), wide, *own)


def spaced_items(call: calls.Call) -> core.Value:
    """``np.linspace``: the axis along which it goes is the first one."""
    start, stop, *others = call.args
    if any(map(calls.is_batched, (*others, *call.keywords.values()))):
        raise core.NotBatched("how many steps there are depends on a tangent")
    rank = max(calls.rank_of_item(start), calls.rank_of_item(stop))
    ends = calls.aligned(call, start, rank), calls.aligned(call, stop, rank)
    made = call.apply(np.linspace, *ends, *others, **call.keywords)
    return call.apply(np.moveaxis, made, 1, 0)


def grids_of_items(call: calls.Call) -> core.Value:
    """``np.meshgrid``: each vector is spread along the axes of the others."""
    words = set(call.keywords) - {"indexing"}
    if words or any(isinstance(x, core.Aggregate) for x in call.args):
        raise core.NotBatched("grids are made in a way of their own")
    order = list(range(len(call.args)))
    if len(order) > 1 and call.given("indexing", len(order), "xy") == "xy":
        order[:2] = 1, 0
    lengths = [_length(call, call.args[k]) for k in order]
    grids = [
        _along_axis_of_grid(call, x, order.index(k), lengths)
        for k, x in enumerate(call.args)
    ]
    return core.aggregate_of(tuple(grids))


def _length(call: calls.Call, x: Any) -> core.Value:
    if calls.rank_of_item(x) == 0:
        return core.constant(1)
    length: core.Value = call.mode.length_of(calls.plain(x), int(calls.is_batched(x)))
    return length


def _along_axis_of_grid(
    call: calls.Call, x: Any, axis: int, lengths: list[core.Value]
) -> Any:
    if calls.rank_of_item(x) > 1:
        raise core.NotBatched("an array is flattened")
    before = int(isinstance(x, calls.Batch))
    own = before + axis if calls.rank_of_item(x) else None
    axes = tuple(k for k in range(before, before + len(lengths)) if k != own)
    wide = call.apply(np.expand_dims, x, calls.one_or_all(axes)) if axes else x
    shape = with_size(call, lengths)
    return call.apply(ops.own_copy, call.apply(np.broadcast_to, wide, shape))


def summed_items(call: calls.Call) -> core.Value:
    """``sum`` and ``math.fsum`` of listed numbers or arrays, or of those along the
    first axis of an array."""
    items, *start = call.args
    if call.keywords:
        raise core.NotBatched("the sum starts at something that is named")
    terms: list[Any]
    if isinstance(items, core.Aggregate):
        terms = [*items.items]
    elif isinstance(items, calls.Batch):
        terms = [_total(call, items)]
    else:
        terms = [call.apply(np.sum, items, axis=0)]
    terms += [s for s in start if s not in (core.constant(0), core.constant(0.0))]
    rank = max(map(calls.rank_of_item, terms))
    total, *others = (calls.aligned(call, term, rank) for term in terms)
    for term in others:
        total = call.apply(operator.add, total, term)
    return total


def _total(call: calls.Call, items: calls.Batch) -> calls.Batch:
    axes = ir.axes_of(items.item)
    if not isinstance(items.item, ir.Array) or not axes:
        raise core.NotBatched("the rank of an operand isn't known")
    made = call.apply(np.sum, items, axis=1)
    return calls.Batch(made, replace(items.item, axes=axes[1:]))
