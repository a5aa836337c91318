"""Elements and parts of batched arrays, read and written: an index more in front."""

from __future__ import annotations

import operator

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
    overwritten_part,
)
from s2sad.rules.registry import rule_for
from s2sad.transform.batching.calls import Batch, Call, is_batched, stored_at


def item_of_each(call: Call) -> Value:
    x, index = call.args
    if is_batched(index):
        raise NotBatched("an index depends on a tangent")
    return call.apply(operator.getitem, x, inner_index(index))


def item_of_array(call: Call) -> Value:
    """``array[place, index]``, a number for each."""
    x, place, index = call.args
    if not isinstance(x, Batch) or is_batched(place) or is_batched(index):
        raise NotBatched("an index depends on a tangent")
    both = Aggregate(tuple, (0, 1), (place, index))
    return call.apply(overwritten_part, x, inner_index(both))


def part_of_each(call: Call) -> Value:
    """``array[index]`` in memory of its own."""
    x, index = call.args
    if not isinstance(x, Batch) or is_batched(index):
        raise NotBatched("an index depends on a tangent")
    return call.apply(overwritten_part, x, inner_index(index))


def inner_index(index: Value) -> Aggregate:
    """``(slice(None), *index)``."""
    is_tuple = isinstance(index, Aggregate) and index.constructor is tuple
    items = index.items if is_tuple else (index,)  # type: ignore[union-attr]
    advanced = [_is_advanced(item) for item in items]
    if not is_tuple and isinstance(index, Leaf) and not _is_plain_index(index.kind):
        raise NotBatched("an index may be a tuple")
    first = advanced.index(True) if True in advanced else 0
    last = len(advanced) - 1 - advanced[::-1].index(True) if True in advanced else 0
    if sum(advanced) > 1 and not all(advanced[first : last + 1]):
        raise NotBatched("index arrays stand apart")
    arrays = any(
        isinstance(kind_of(i), Array) or not isinstance(i, Leaf | Aggregate)
        for i in items
    )
    numbers = any(isinstance(kind_of(i), Scalar | NumPyScalar) for i in items)
    if arrays and numbers and not all(advanced[first : last + 1]):
        raise NotBatched("index arrays stand apart")
    everything = Aggregate(
        slice, ("lower", "upper", "step"), tuple(map(constant, (None,) * 3))
    )
    parts = (everything, *items)
    return Aggregate(tuple, tuple(range(len(parts))), parts)


def _is_advanced(item: Value) -> bool:
    """True for arrays and lists of places, and for numbers, which count as such beside
    them."""
    if isinstance(item, Aggregate):
        return item.constructor is list
    return isinstance(kind_of(item), Array | Scalar | NumPyScalar)


def _is_plain_index(kind: Kind) -> bool:
    if isinstance(kind, Known):
        return kind.value is None or kind.value is Ellipsis
    return isinstance(kind, Array | Scalar | NumPyScalar)


def store_in_each(call: Call) -> Value:
    array, index, value, *more = call.args
    if is_batched(index) or call.keywords:
        raise NotBatched("an index depends on a tangent")
    inner = inner_index(index)
    if not isinstance(array, Batch):
        array = Batch(call.mode.repeated(array, kind_of(array)), kind_of(array))
    if isinstance(value, Batch):
        part = _rank_of_part(call, array, inner)
        value = stored_at(call, value, part)
    return call.apply(call.value.function, array, inner, value, *more)


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
