"""Elements and parts of batched arrays, read and written: an index more in front."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.frontend.specialise.core.exceptions import NotBatched
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Leaf,
    Value,
    constant,
    kind_of,
)
from s2sad.ir.kinds import (
    Array,
    Kind,
    Known,
    NumPyScalar,
    Scalar,
    rank_of,
)
from s2sad.ops.buffers import (
    STORES,
    overwritten_part,
)
from s2sad.rules.numpy.indexing import index_items, is_mask
from s2sad.rules.numpy.kinds_of_arrays import as_array
from s2sad.rules.registry import rule_for
from s2sad.transform.batching.calls import (
    Batch,
    Call,
    is_batched,
    rank_of_item,
    stored_at,
)


def item_of_each(call: Call) -> Value:
    x, index = call.args
    return _taken(call, operator.getitem, x, index)


def item_of_array(call: Call) -> Value:
    """``array[place, index]``, a number for each."""
    x, place, index = call.args
    both = Aggregate(tuple, (0, 1), (place, index))
    return _taken(call, overwritten_part, x, both)


def part_of_each(call: Call) -> Value:
    """``array[index]`` in memory of its own."""
    x, index = call.args
    return _taken(call, overwritten_part, x, index)


def _taken(call: Call, function: Any, x: Any, index: Any) -> Value:
    if not isinstance(x, Batch) or is_batched(index):
        raise NotBatched("an index depends on a tangent")
    places = _rank_of_places(index)
    made = call.apply(function, x, inner_index(index, apart=True))
    return made if places == 0 else call.apply(np.moveaxis, made, places, 0)


def inner_index(index: Value, *, apart: bool = False) -> Aggregate:
    """``(slice(None), *index)``. Where index arrays stand ``apart``, NumPy puts their
    axes in front of all others."""
    is_tuple = isinstance(index, Aggregate) and index.constructor is tuple
    items = index.items if is_tuple else (index,)  # type: ignore[union-attr]
    if not is_tuple and isinstance(index, Leaf) and not _is_plain_index(index.kind):
        raise NotBatched("an index may be a tuple")
    if not apart and _stand_apart(index):
        raise NotBatched("index arrays stand apart")
    everything = Aggregate(
        slice, ("lower", "upper", "step"), tuple(map(constant, (None,) * 3))
    )
    parts = (everything, *items)
    return Aggregate(tuple, tuple(range(len(parts))), parts)


def _stand_apart(index: Value) -> bool:
    """True where there is something else between arrays of places, or between one and a
    number, which counts as such beside it."""
    is_tuple = isinstance(index, Aggregate) and index.constructor is tuple
    items = index.items if is_tuple else (index,)  # type: ignore[union-attr]
    advanced = [k for k, item in enumerate(items) if _is_advanced(item)]
    arrays = any(rank_of(as_array(kind_of(items[k]))) != 0 for k in advanced)
    return arrays and len(advanced) <= advanced[-1] - advanced[0]


def _is_advanced(item: Value) -> bool:
    """True for arrays and lists of places, and for numbers."""
    if isinstance(item, Aggregate):
        return item.constructor is list
    return isinstance(kind_of(item), Array | Scalar | NumPyScalar)


def _rank_of_places(index: Value) -> int:
    """How many axes stand in front of all others, since index arrays stand apart."""
    if not _stand_apart(index):
        return 0
    kinds = [k for k in index_items(kind_of(index)) if isinstance(k, Array)]
    ranks = [1 if is_mask(kind) else rank_of(kind) for kind in kinds]
    if not all(ranks):
        raise NotBatched("the rank of an index isn't known")
    return max(rank for rank in ranks if rank)


def _is_plain_index(kind: Kind) -> bool:
    if isinstance(kind, Known):
        return kind.value is None or kind.value is Ellipsis
    return isinstance(kind, Array | Scalar | NumPyScalar)


def store_in_each(call: Call) -> Value:
    array, index, value, *more = call.args
    if is_batched(index) or call.keywords:
        raise NotBatched("an index depends on a tangent")
    inner = inner_index(index, apart=True)
    places = _rank_of_places(index)
    if not isinstance(array, Batch):
        array = Batch(call.mode.repeated(array, kind_of(array)), kind_of(array))
    if places and more and call.value.function in STORES:
        raise NotBatched("what was overwritten is named")
    if places:
        value = _behind_places(call, value, places, _rank_of_part(call, array, inner))
    elif isinstance(value, Batch):
        value = stored_at(call, value, _rank_of_part(call, array, inner))
    return call.apply(call.value.function, array, inner, value, *more)


def _behind_places(call: Call, value: Any, places: int, part: int) -> Value:
    """A value for a part of each array, whose leading axis stands behind those of the
    places."""
    if isinstance(value, Batch):
        return call.apply(np.moveaxis, stored_at(call, value, part), 0, places)
    more = rank_of_item(value) - (part - places)
    return call.apply(np.expand_dims, value, more) if more > 0 else value


def _rank_of_part(call: Call, array: Batch, index: Value) -> int:
    """The rank of what stands at an index of one of the arrays."""
    rule = rule_for(operator.getitem)
    assert rule is not None and rule.kind is not None
    rank = rank_of(rule.kind(a=array.leaf.kind, b=kind_of(index)))
    if rank is None:
        raise NotBatched("the rank of a part isn't known")
    return rank - 1


def without_last_item(call: Call) -> Value:
    """``cotangent[:-1]``."""
    parts = tuple(
        Aggregate(slice, ("lower", "upper", "step"), tuple(map(constant, bounds)))
        for bounds in ((None, None, None), (None, -1, None))
    )
    index = Aggregate(tuple, (0, 1), parts)
    return call.apply(operator.getitem, call.only_first(), index)
