"""Arrays made of batched lists: the leading axis stands in front of that along the
list."""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.sequences import stacked_tangents
from s2sad.transform.batching import calls
from s2sad.transform.batching.lists.lists import is_batched_list


def array_of_list_items(call: calls.Call, items: Any) -> calls.Batch:
    """The array of a list's items, batched."""
    if not isinstance(items, calls.Batch):
        raise core.NotBatched("another operand is batched")
    assert isinstance(items.item, ir.List)
    kind = ir.array_of_list(items.item)
    if kind is None or kind.axes is None:
        raise core.NotBatched("items differ in shape")
    if isinstance(items.item.item, ir.List):
        items = _with_inner_arrays(call, items)
    if ir.is_never_empty(items.item):
        made = call.apply(np.stack, items, axis=1)
    else:
        rank = core.constant(len(kind.axes))
        made = call.apply(stacked_tangents, items, call.mode.size, rank)
    return calls.Batch(replace(made, kind=call.mode.with_leading_axis(kind)), kind)


def _with_inner_arrays(call: calls.Call, items: calls.Batch) -> calls.Batch:
    """The arrays of the lists in a list."""
    spec, own = call.mode.spec, items.item
    assert isinstance(own, ir.List) and isinstance(own.item, ir.List)
    inner = ir.array_of_list(own.item)
    assert inner is not None
    kind = ir.List(ir.as_item(inner), own.axis)
    made = spec.fresh("arrays")
    spec.assign(made, ir.Apply(ops.new_list, ()), ir.List(None))
    place = spec.fresh("place")
    wide = call.mode.with_leading_axis(kind)
    with spec.loop_over_places(place, spec.apply(len, (items.leaf,))) as k:
        item = spec.apply(operator.getitem, (items.leaf, k))
        array = array_of_list_items(call, calls.Batch(item, own.item)).leaf
        spec.assign(made, ir.Apply(ops.appended, (made, array.operand)), wide)
    return calls.Batch(core.Leaf(made, wide), kind)


def as_array(call: calls.Call) -> core.Value:
    """``np.array(items)``, and functions that see to it themselves."""
    first, *others = call.args
    if not is_batched_list(first):
        raise core.NotBatched("it isn't a list")
    if any(map(calls.is_batched, (*others, *call.keywords.values()))):
        raise core.NotBatched("another operand is batched")
    array = array_of_list_items(call, first)
    if not others and not call.keywords:
        return array.leaf
    if call.value.function is np.stack:
        axis = call.given("axis", 1, 0)
        rank = ir.rank_of(array.item)
        assert rank is not None
        return call.apply(np.moveaxis, array, 1, axis % rank + 1)
    return call.apply(np.ndarray.astype, array, *_dtype(call), spelling="method:astype")


def _dtype(call: calls.Call) -> list[Any]:
    if len(call.args) == 2 and not call.keywords:
        return [call.args[1]]
    if len(call.args) == 1 and set(call.keywords) == {"dtype"}:
        return [call.keywords["dtype"]]
    raise core.NotBatched("an array is made in a way of its own")


def joined_arrays(call: calls.Call) -> core.Value:
    """``np.concatenate`` of a list of arrays."""
    first, *_ = call.args
    rank = ir.rank_of(first.item.item) if is_batched_list(first) else None
    axis = call.given("axis", 1, 0)
    if not rank or axis is None:
        raise core.NotBatched("numbers are joined, or flattened arrays")
    return call.apply(np.concatenate, first, axis=axis % rank + 1)


def joined_rows(call: calls.Call) -> core.Value:
    """``np.vstack``."""
    (first,) = call.args
    rank = ir.rank_of(first.item.item) if is_batched_list(first) else None
    if rank is None or rank == 0:
        raise core.NotBatched("numbers are joined")
    if rank == 1:
        return array_of_list_items(call, first).leaf
    return call.apply(np.concatenate, first, axis=1)


def joined_columns(call: calls.Call) -> core.Value:
    """``np.hstack`` of numbers and vectors."""
    (first,) = call.args
    rank = ir.rank_of(first.item.item) if is_batched_list(first) else None
    if rank == 0:
        return array_of_list_items(call, first).leaf
    if rank != 1:
        raise core.NotBatched("matrices are joined along their second axis")
    return call.apply(np.concatenate, first, axis=1)


def sum_of_list(call: calls.Call) -> core.Value:
    """``sum(items)`` and ``math.fsum(items)``."""
    items, *start = call.args
    kind = items.item if isinstance(items, calls.Batch) else None
    if not isinstance(kind, ir.List):
        raise core.NotBatched("the sum alone starts at a tangent")
    if ir.is_ragged(kind) or kind.item is None or call.keywords:
        raise core.NotBatched("terms differ in shape")
    total = call.apply(np.sum, array_of_list_items(call, items), axis=1)
    if all(s in (core.constant(0), core.constant(0.0)) for s in start):
        return total
    one = calls.Batch(total, kind.item)
    rank = max(map(calls.rank_of_item, (one, *start)))
    terms = (calls.aligned(call, term, rank) for term in (one, *start))
    return call.apply(operator.add, *terms)
