"""Batched operations that arrange the elements of an array anew: repeated, padded,
turned, joined side by side."""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.broadcasting import sum_each_to_shape_of
from s2sad.transform.batching import calls
from s2sad.transform.batching.axes import flattening


def flattened_first(call: calls.Call) -> core.Value:
    """An operation that runs over the flattened array where no axis is named."""
    x = call.args[0]
    if not isinstance(x, calls.Batch) or calls.rank_of_item(x) == 1:
        return flattening(call)
    if call.given("axis", _place_of_axis(call)) is not None:
        return flattening(call)
    flat = call.apply(np.reshape, x, (call.mode.size, -1))
    item = ir.Array(ir.dtype_of(flat.kind), (ir.Axis("any"),))
    return flattening(replace(call, args=(calls.Batch(flat, item), *call.args[1:])))


def _place_of_axis(call: calls.Call) -> int:
    rule = rules.rule_for(call.value.function)
    assert rule is not None
    return list(rule.signature.parameters).index("axis")


def rolled_items(call: calls.Call) -> core.Value:
    """``np.roll``; without an axis, the elements of the flattened array move."""
    x = call.only_first()
    if call.given("axis", 2) is not None or calls.rank_of_item(x) == 1:
        return flattening(call)
    flat = call.apply(np.reshape, x, (call.mode.size, -1))
    moved = call.apply(np.roll, flat, call.args[1], 1)
    axes = ir.axes_of(x.leaf.kind)
    lengths = [call.mode.length_of(x.leaf, k) for k in range(1, len(axes or ()))]
    return call.apply(np.reshape, moved, (call.mode.size, *lengths))


def tiled_items(call: calls.Call) -> core.Value:
    """``np.tile``."""
    x, reps = call.args
    if not isinstance(x, calls.Batch) or calls.is_batched(reps):
        raise core.NotBatched("another operand is batched")
    counts = list(reps.items) if isinstance(reps, core.Aggregate) else [reps]
    if not isinstance(reps, core.Aggregate) and not isinstance(
        core.kind_of(reps), ir.Scalar
    ):
        raise core.NotBatched("how often isn't known")
    rank = max(calls.rank_of_item(x), len(counts))
    wide = calls.with_rank(call, x, tuple(range(rank - calls.rank_of_item(x))))
    counts = [core.constant(1)] * (rank + 1 - len(counts)) + counts
    return call.apply(np.tile, wide, tuple(map(calls.plain, counts)))


def padded_items(call: calls.Call) -> core.Value:
    """``np.pad``: nothing before and behind the leading axis."""
    x = call.args[0]
    pairs = _widths(call, calls.rank_of_item(x))
    words = {k: v for k, v in call.keywords.items() if k != "pad_width"}
    filled = words.get("constant_values")
    if isinstance(filled, calls.Batch):
        del words["constant_values"]
        return _filled_around(call, filled, pairs, words)
    call.only_first()
    for name in ("constant_values", "end_values"):
        if isinstance(words.get(name), core.Aggregate):
            raise core.NotBatched("values are given for each axis")
    if len(call.args) > 3:
        raise core.NotBatched("values are given by place")
    return call.apply(np.pad, x, ((0, 0), *pairs), *call.args[2:], **words)


def _widths(call: calls.Call, rank: int) -> tuple[Any, ...]:
    """How much each axis is padded, before and behind."""
    given = call.keywords.get("pad_width", (*call.args, None)[1])
    rows = given.items if isinstance(given, core.Aggregate) else ()
    if not rows or not all(isinstance(row, core.Aggregate) for row in rows):
        rows = (given,)
    pairs = tuple(map(_pair, rows))
    if len(pairs) not in (1, rank):
        raise core.NotBatched("widths are given in a way of their own")
    return pairs if len(pairs) == rank else pairs * rank


def _pair(width: Any) -> tuple[Any, Any]:
    """The widths before and behind an axis; one number stands for both."""
    numbers = width.items if isinstance(width, core.Aggregate) else (width,)
    if len(numbers) > 2 or not all(
        isinstance(core.kind_of(n), ir.Scalar | ir.NumPyScalar) for n in numbers
    ):
        raise core.NotBatched("widths are given in a way of their own")
    return numbers[0], numbers[-1]


def _filled_around(
    call: calls.Call, filled: calls.Batch, pairs: tuple[Any, ...], words: dict[str, Any]
) -> core.Value:
    """A number for each around the array, which is padded with zeros itself."""
    x, rank = call.args[0], len(pairs)
    before = int(isinstance(x, calls.Batch))
    lengths = [call.mode.length_of(calls.plain(x), before + k) for k in range(rank)]
    inside = call.apply(np.zeros, tuple(lengths))
    around = call.apply(np.pad, inside, pairs, constant_values=core.constant(1.0))
    added = call.apply(operator.mul, calls.aligned(call, filled, rank), around)
    widths = ((0, 0),) * before + pairs
    padded = call.apply(np.pad, x, widths, *call.args[2:], **words)
    return call.apply(operator.add, padded, added)


def mirrored_items(call: calls.Call) -> core.Value:
    """``np.flipud`` and ``np.fliplr``."""
    axis = 1 if call.value.function is np.flipud else 2
    return call.apply(np.flip, call.only_first(), axis=axis)


def at_least_items(call: calls.Call) -> core.Value:
    """``np.atleast_1d`` and ``np.atleast_2d`` of one array."""
    x = call.only_first()
    if len(call.args) > 1:
        raise core.NotBatched("several arrays are given")
    wanted = 1 if call.value.function is np.atleast_1d else 2
    missing = max(wanted - calls.rank_of_item(x), 0)
    return calls.with_rank(call, x, tuple(range(missing))).leaf


def joined_side_by_side(call: calls.Call) -> core.Value:
    """``np.hstack``, ``np.vstack`` and ``np.column_stack`` of listed arrays."""
    (arrays,) = call.args
    if not isinstance(arrays, core.Aggregate) or call.keywords:
        raise core.NotBatched("arrays are in a list of unknown length")
    ranks = [calls.rank_of_item(a) for a in arrays.items]
    missing: list[tuple[int, ...]]
    function = call.value.function
    if function is np.hstack:
        missing = [(0,) if rank == 0 else () for rank in ranks]
        axis = 1 if max(ranks) <= 1 else 2
    elif function is np.vstack:
        missing = [tuple(range(max(2 - rank, 0))) for rank in ranks]
        axis = 1
    else:
        if 0 in ranks:
            raise core.NotBatched("numbers are joined as columns")
        missing = [(1,) if rank == 1 else () for rank in ranks]
        axis = 2
    parts = tuple(
        calls.with_rank(call, _as_batch(call, a), axes).leaf
        for a, axes in zip(arrays.items, missing, strict=True)
    )
    return call.apply(np.concatenate, parts, axis=axis)


def _as_batch(call: calls.Call, value: Any) -> calls.Batch:
    if isinstance(value, calls.Batch):
        return value
    if not isinstance(value, core.Leaf):
        raise core.NotBatched("structures are joined")
    return calls.Batch(call.mode.repeated(value, value.kind), value.kind)


def summed_to_shape(call: calls.Call) -> core.Value:
    """The cotangent summed over the axes in which ``x`` was broadcast."""
    cotangent, x = call.args
    if not isinstance(cotangent, calls.Batch):
        raise core.NotBatched("the shape of a batched value is taken")
    like = calls.plain(x)
    calls.rank_of_item(x)  # must be known
    if calls.is_batched(x):
        raise core.NotBatched("the shape isn't known")
    return call.apply(sum_each_to_shape_of, cotangent, like)
