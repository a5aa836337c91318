"""Batched operations on several arrays: joined, taken apart, multiplied."""

from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.sequences import unstack
from s2sad.rules.numpy.kinds_of_arrays import dtype_named
from s2sad.transform.batching import calls
from s2sad.transform.batching.axes import inner_axis


def joined_items(call: calls.Call) -> core.Value:
    """``np.concatenate`` and ``np.stack`` of arrays that are listed."""
    arrays, *_ = call.args
    if not isinstance(arrays, core.Aggregate):
        raise core.NotBatched("arrays are in a list of unknown length")
    axis = call.given("axis", 1, 0)
    wide = _all_batched(call, arrays)
    if axis is None:
        flat = (call.apply(np.reshape, a, (call.mode.size, -1)) for a in wide.items)
        wide = core.aggregate_of(tuple(flat))
    moved = 1 if axis is None else axis if axis < 0 else axis + 1
    return call.apply(call.value.function, wide, axis=moved)


def _all_batched(call: calls.Call, arrays: core.Aggregate) -> core.Aggregate:
    items = tuple(
        a.leaf if isinstance(a, calls.Batch) else call.mode.repeated(a, core.kind_of(a))
        for a in map(_single, arrays.items)
    )
    return core.aggregate_of(items)


def _single(value: Any) -> Any:
    if isinstance(value, core.Aggregate):
        raise core.NotBatched("structures are joined")
    return value


def array_of_items(call: calls.Call) -> core.Value:
    """``np.array([a, b])`` of numbers or arrays, and ``np.array(x)``."""
    first, *_ = call.args
    if isinstance(first, calls.Batch):
        if isinstance(first.item, ir.Scalar | ir.NumPyScalar | ir.Array):
            return calls.as_it_is(call)
        raise core.NotBatched("a list becomes an array")
    if not isinstance(first, core.Aggregate):
        raise core.NotBatched("a list becomes an array")
    made = _array_of_numbers(call, first)
    if made is None:
        made = _stacked(call, first)
    dtype = call.keywords.get("dtype", (*call.args, core.constant(None))[1])
    if dtype_named(core.kind_of(dtype), None) in (
        None,
        ir.dtype_of(core.kind_of(made)),
    ):
        return made
    return call.apply(np.ndarray.astype, made, dtype, spelling="method:astype")


def _stacked(call: calls.Call, items: core.Aggregate) -> core.Value:
    parts: tuple[Any, ...] = tuple(
        _inner_array(call, part) if isinstance(part, core.Aggregate) else part
        for part in items.items
    )
    return call.apply(np.stack, _all_batched(call, core.aggregate_of(parts)), axis=1)


def _array_of_numbers(call: calls.Call, items: core.Aggregate) -> core.Value | None:
    """Nested lists of numbers as an array, the leading axis of which stands behind at
    first: one array is made of all the numbers."""
    depth = _depth_of_numbers(items)
    if depth is None or depth > 3:
        return None
    made = call.apply(np.array, _all_batched_inside(call, items))
    return call.apply(np.transpose, made, (depth, *range(depth)))


def _depth_of_numbers(value: Any) -> int | None:
    """How deep the lists of numbers are nested; None where there is anything else, and
    for lists of lengths that differ."""
    if not isinstance(value, core.Aggregate):
        return 0 if calls.rank_of_item(value) == 0 else None
    depths = {_depth_of_numbers(item) for item in value.items}
    lengths = {
        len(item.items) if isinstance(item, core.Aggregate) else 0
        for item in value.items
    }
    depth = depths.pop() if len(depths) == len(lengths) == 1 else None
    return None if depth is None else depth + 1


def _all_batched_inside(call: calls.Call, value: Any) -> core.Value:
    if isinstance(value, core.Aggregate):
        items = tuple(_all_batched_inside(call, item) for item in value.items)
        return core.Aggregate(list, value.keys, items)
    if isinstance(value, calls.Batch):
        return value.leaf
    repeated: core.Value = call.mode.repeated(value, core.kind_of(value))
    return repeated


def _inner_array(call: calls.Call, items: core.Aggregate) -> calls.Batch:
    """A list in a list, as an array that is batched, too."""
    made = _stacked(call, items)
    axes = ir.axes_of(core.kind_of(made))
    if not isinstance(made, core.Leaf) or axes is None:
        raise core.NotBatched("the rank of a part isn't known")
    return calls.Batch(made, ir.Array(ir.dtype_of(made.kind), axes[1:]))


def einsum_of_items(call: calls.Call) -> core.Value:
    """A letter more for the leading axis."""
    operands = call.args[1:]
    words = call.given("subscripts", 0)
    inputs, arrow, output = str(words).replace(" ", "").partition("->")
    parts = inputs.split(",")
    free = next((c for c in "zyxwvutsrqponmlkjihgfedcba" if c not in words), "")
    if not free or len(parts) != len(operands):
        raise core.NotBatched("the subscripts don't name the axes")
    if not arrow:
        output = _implied_output(inputs)
    named = [
        free + part if calls.is_batched(operand) else part
        for part, operand in zip(parts, operands, strict=True)
    ]
    text = core.constant(f"{','.join(named)}->{free}{output}")
    return call.apply(np.einsum, text, *operands, **call.keywords)


def _implied_output(inputs: str) -> str:
    """The letters that stand in the inputs once, in order, behind an ellipsis."""
    once = sorted(c for c in inputs if c.isalpha() and inputs.count(c) == 1)
    return "..." * ("..." in inputs) + "".join(once)


def tensordot_of_items(call: calls.Call) -> core.Value:
    """The leading axis of one operand stays in front."""
    a, b, *_ = call.args
    axes = call.given("axes", 2, 2)
    if calls.is_batched(a) and calls.is_batched(b):
        raise core.NotBatched("both operands are batched")
    left, right = _contracted(axes, calls.rank_of_item(a), calls.rank_of_item(b))
    if calls.is_batched(a):
        return call.apply(np.tensordot, a, b, (tuple(k + 1 for k in left), right))
    made = call.apply(np.tensordot, a, b, (left, tuple(k + 1 for k in right)))
    free = calls.rank_of_item(a) - len(left)
    return (
        call.apply(np.moveaxis, calls.Batch(made, call.item), free, 0) if free else made
    )


def _contracted(
    axes: Any, rank: int, other: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes of both operands, counted from 0."""
    if isinstance(axes, int):
        return tuple(range(rank - axes, rank)), tuple(range(axes))
    left, right = ((part,) if isinstance(part, int) else part for part in axes)
    return tuple(k % rank for k in left), tuple(k % other for k in right)


def split_items(call: calls.Call) -> core.Value:
    x = call.only_first()
    axis = inner_axis(call.given("axis", 2, 0), calls.rank_of_item(x))
    places = call.args[1]
    return call.apply(call.value.function, x, places, axis)


def unstacked_items(call: calls.Call) -> core.Value:
    x = call.only_first()
    axis = call.given("axis", 1)
    moved = call.apply(np.moveaxis, x, inner_axis(axis, calls.rank_of_item(x)), 0)
    return call.apply(unstack, moved, 0)
