"""Elements and parts of batched arrays, read and written: an index more in front."""

import operator
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.indices import diagonal_index, last_writes
from s2sad.rules.numpy.indexing import index_items, is_mask
from s2sad.rules.numpy.kinds_of_arrays import as_array
from s2sad.transform.batching import calls


def item_of_each(call: calls.Call) -> core.Value:
    x, index = call.args
    return _taken(call, operator.getitem, x, index)


def item_of_array(call: calls.Call) -> core.Value:
    """``array[place, index]``, a number for each."""
    x, place, index = call.args
    return _taken(call, ops.overwritten_part, x, core.aggregate_of((place, index)))


def part_of_each(call: calls.Call) -> core.Value:
    """``array[index]`` in memory of its own."""
    x, index = call.args
    return _taken(call, ops.overwritten_part, x, index)


def last_writes_of_each(call: calls.Call) -> core.Value:
    """Which elements of each array keep what is stored at an index."""
    x, index = call.args
    return _taken(call, last_writes, x, index)


def _taken(call: calls.Call, function: Any, x: Any, index: Any) -> core.Value:
    if not isinstance(x, calls.Batch) or calls.is_batched(index):
        raise core.NotBatched("an index depends on a tangent")
    if _names_last_axes(call, index):
        return call.apply(function, x, index)
    places = _rank_of_places(index)
    made = call.apply(function, x, inner_index(index, apart=True))
    return made if places == 0 else call.apply(np.moveaxis, made, places, 0)


def inner_index(index: core.Value, *, apart: bool = False) -> core.Aggregate:
    """``(slice(None), *index)``. Where index arrays stand ``apart``, NumPy puts their
    axes in front of all others."""
    is_tuple = isinstance(index, core.Aggregate) and index.constructor is tuple
    items = index.items if is_tuple else (index,)  # type: ignore[union-attr]
    if (
        not is_tuple
        and isinstance(index, core.Leaf)
        and not _is_plain_index(index.kind)
    ):
        raise core.NotBatched("an index may be a tuple")
    if not apart and _stand_apart(index):
        raise core.NotBatched("index arrays stand apart")
    everything = core.slice_of(*[core.NOTHING] * 3)
    return core.aggregate_of((everything, *items))


def _names_last_axes(call: calls.Call, index: core.Value) -> bool:
    """True for an index of the last axes, which is one of stacks as it is."""
    made = index.operand if isinstance(index, core.Leaf) else None
    while isinstance(made, ir.Var):
        made = call.mode.only_value(made)
    return isinstance(made, ir.Apply) and made.function is diagonal_index


def _stand_apart(index: core.Value) -> bool:
    """True where there is something else between arrays of places, or between one and a
    number, which counts as such beside it."""
    is_tuple = isinstance(index, core.Aggregate) and index.constructor is tuple
    items = index.items if is_tuple else (index,)  # type: ignore[union-attr]
    advanced = [k for k, item in enumerate(items) if _is_advanced(item)]
    arrays = any(ir.rank_of(as_array(core.kind_of(items[k]))) != 0 for k in advanced)
    return arrays and len(advanced) <= advanced[-1] - advanced[0]


def _is_advanced(item: core.Value) -> bool:
    """True for arrays and lists of places, and for numbers."""
    if isinstance(item, core.Aggregate):
        return item.constructor is list
    return isinstance(core.kind_of(item), ir.Array | ir.Scalar | ir.NumPyScalar)


def _rank_of_places(index: core.Value) -> int:
    """How many axes stand in front of all others, since index arrays stand apart."""
    if not _stand_apart(index):
        return 0
    kinds = [k for k in index_items(core.kind_of(index)) if isinstance(k, ir.Array)]
    ranks = [1 if is_mask(kind) else ir.rank_of(kind) for kind in kinds]
    if not all(ranks):
        raise core.NotBatched("the rank of an index isn't known")
    return max(rank for rank in ranks if rank)


def _is_plain_index(kind: ir.Kind) -> bool:
    if isinstance(kind, ir.Known):
        return kind.value is None or kind.value is Ellipsis
    return isinstance(kind, ir.Array | ir.Scalar | ir.NumPyScalar)


def store_in_each(call: calls.Call) -> core.Value:
    array, index, value, *more = call.args
    if calls.is_batched(index) or call.keywords:
        raise core.NotBatched("an index depends on a tangent")
    if not isinstance(array, calls.Batch):
        array = calls.Batch(
            call.mode.repeated(array, core.kind_of(array)), core.kind_of(array)
        )
    named = bool(more) and call.value.function in ops.STORES
    if _names_last_axes(call, index) and not named:
        own = calls.stored_at(call, value, calls.rank_of_item(array) - 1)
        return call.apply(call.value.function, array, index, own, *more)
    inner = inner_index(index, apart=True)
    places = _rank_of_places(index)
    if places and named:
        raise core.NotBatched("what was overwritten is named")
    if places:
        value = _behind_places(call, value, places, _rank_of_part(array, inner))
    elif isinstance(value, calls.Batch):
        value = calls.stored_at(call, value, _rank_of_part(array, inner))
    return call.apply(call.value.function, array, inner, value, *more)


def _behind_places(call: calls.Call, value: Any, places: int, part: int) -> core.Value:
    """A value for a part of each array, whose leading axis stands behind those of the
    places."""
    if isinstance(value, calls.Batch):
        return call.apply(np.moveaxis, calls.stored_at(call, value, part), 0, places)
    more = calls.rank_of_item(value) - (part - places)
    return call.apply(np.expand_dims, value, more) if more > 0 else value


def _rank_of_part(array: calls.Batch, index: core.Value) -> int:
    """The rank of what stands at an index of one of the arrays."""
    rule = rules.rule_for(operator.getitem)
    assert rule is not None and rule.kind is not None
    rank = ir.rank_of(rule.kind(a=array.leaf.kind, b=core.kind_of(index)))
    if rank is None:
        raise core.NotBatched("the rank of a part isn't known")
    return rank - 1


def without_last_item(call: calls.Call) -> core.Value:
    """``cotangent[:-1]``."""
    nothing = core.NOTHING
    everything = core.slice_of(nothing, nothing, nothing)
    index = (everything, core.slice_of(nothing, core.constant(-1), nothing))
    return call.apply(operator.getitem, call.only_first(), index)
