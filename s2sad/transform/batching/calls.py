"""Operations with batched operands, as :mod:`s2sad.transform.batching.operations` sees
them: which operands are batched, and what their items are."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core


@dataclass(frozen=True)
class Batch:
    """A batched operand."""

    leaf: core.Leaf
    item: ir.Kind
    """The kind of one of the values."""


@dataclass(frozen=True)
class Call:
    """An operation with its operands."""

    mode: Any
    value: ir.Apply
    args: tuple[Any, ...]
    keywords: Mapping[str, Any]
    item: ir.Kind
    """The kind of the result for one tangent."""

    def apply(self, function: Any, *args: Any, spelling: str = "", **words: Any) -> Any:
        """Append an operation on these values."""
        return self.mode.spec.apply(
            function,
            tuple(map(plain, args)),
            {name: plain(word) for name, word in words.items()},
            spelling=spelling,
        )

    def given(self, name: str, place: int, default: Any = None) -> Any:
        """An argument that is known when the program is compiled."""
        if name in self.keywords:
            value = self.keywords[name]
        elif place < len(self.args):
            value = self.args[place]
        else:
            return default
        if not isinstance(value, core.Leaf | core.Aggregate) or not core.is_known(
            value
        ):
            raise core.NotBatched(f"{name} is known only when the program runs")
        return core.known_value(value)

    def only_first(self) -> Batch:
        """The first operand; the others must not be batched."""
        first, *others = self.args
        if not isinstance(first, Batch) or any(
            map(is_batched, (*others, *self.keywords.values()))
        ):
            raise core.NotBatched("another operand is batched")
        return first


def is_batched(value: Any) -> bool:
    """True for a batched value, and for a structure that holds one."""
    if isinstance(value, core.Aggregate):
        return any(map(is_batched, value.items))
    return isinstance(value, Batch)


def plain(value: Any) -> core.Value:
    """The value itself."""
    if isinstance(value, Batch):
        return value.leaf
    if isinstance(value, core.Aggregate):
        items = tuple(map(plain, value.items))
        return core.Aggregate(value.constructor, value.keys, items)
    if isinstance(value, int | tuple):
        return as_value(value)
    return value


def as_value(value: Any) -> core.Value:
    """Numbers and tuples as values, of which some may be values already."""
    if isinstance(value, core.Leaf | core.Aggregate):
        return value
    if isinstance(value, tuple):
        return core.aggregate_of(tuple(map(as_value, value)))
    return core.constant(value)


def rank_of_item(value: Any) -> int:
    """The rank of a value, of one of them where it is batched."""
    rank = ir.rank_of(value.item if isinstance(value, Batch) else core.kind_of(value))
    if rank is None or ir.is_promoted(core.kind_of(plain(value))):
        raise core.NotBatched("the rank of an operand isn't known")
    return rank


def aligned(call: Call, value: Any, rank: int) -> Any:
    """A batched value with axes of length 1 behind the leading one, so that it
    broadcasts as one of its values does."""
    if not isinstance(value, Batch):
        return value
    missing = rank - rank_of_item(value)
    if missing <= 0:
        return value.leaf
    axes = one_or_all(tuple(range(1, missing + 1)))
    return call.apply(np.expand_dims, value, axes)


def with_rank(call: Call, x: Batch, axes: tuple[int, ...]) -> Batch:
    """The array with axes of length 1, counted in one of the values."""
    if not axes:
        return x
    moved = one_or_all(tuple(axis + 1 for axis in axes))
    made = call.apply(np.expand_dims, x, moved)
    own = ir.axes_of(made.kind)
    return Batch(made, ir.Array(ir.dtype_of(made.kind), own[1:] if own else None))


def one_or_all(axes: tuple[int, ...]) -> int | tuple[int, ...]:
    """Axes as NumPy's functions are told them: one as a number."""
    return axes[0] if len(axes) == 1 else axes


def stored_at(call: Call, value: Any, rank: int) -> Any:
    """A batched value for a place of this rank, in each array that is written into:
    axes of length 1 in front of it are dropped, as NumPy drops them."""
    more = rank_of_item(value) - rank
    if not isinstance(value, Batch) or more <= 0:
        return aligned(call, value, rank)
    axes = one_or_all(tuple(range(1, more + 1)))
    return call.apply(np.squeeze, value, axis=axes)


def as_it_is(call: Call) -> core.Value:
    """An operation that doesn't care for the shape of its first operand."""
    call.only_first()
    function, spelling = call.value.function, call.value.spelling
    return call.apply(function, *call.args, spelling=spelling, **call.keywords)
