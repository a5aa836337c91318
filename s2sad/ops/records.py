"""Records: what is known of an operation beside its derivative, once for all rooms.

A record says what a function does to the elements of its operands, and which of its
parameters name axes. The rest follows. An operation that *rearranges* an array has an
:class:`IndexMap`, which is read off the function itself (:func:`index_map`): the kind
of its result, the views that can be written back, its elements in loops for Numba and
how it depends on what it is given follow from the map. What *moves* elements holds for
complex and whole numbers, and is run on the nodes of sparse Jacobians as it is.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Flag, auto
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from s2sad import ir

Item = TypeVar("Item")


class Does(Flag):
    """What an operation does to the elements of its operands."""

    ELEMENTWISE = auto()
    """Each element of the result is made of those at its place."""
    MOVES = auto()
    """Each element of the result is one of an operand's, or 0."""
    _ONCE = auto()
    REARRANGES = MOVES | _ONCE
    """Each element of the array stands at one place of the result."""
    REDUCES = auto()
    """Each element of the result is made of those along some axes."""
    RUNS = auto()
    """Each line along an axis becomes another line."""


@dataclass(frozen=True)
class Record:
    """What is known of one operation."""

    does: Does
    axes: tuple[str, ...] = ()
    """The parameters that name axes of the array, or of the result where that has
    more."""
    own_inverse: bool = False
    """Done twice, with the same other arguments, it changes nothing."""


_RECORDS: dict[Any, Record] = {}


def note(
    function: Any, does: Does, axes: tuple[str, ...] = (), own_inverse: bool = False
) -> None:
    """Put a record in the table."""
    _RECORDS[function] = Record(does, axes, own_inverse)


def record(
    owner: Any, names: str, does: Does, *axes: str, own_inverse: bool = False
) -> None:
    """Say what the functions of these names do."""
    for name in names.split():
        note(getattr(owner, name), does, axes, own_inverse)


def record_of(function: Any) -> Record | None:
    """What is known of a function; None where nothing is."""
    try:
        return _RECORDS.get(function)
    except TypeError:  # it can't be hashed
        return None


def does(function: Any, what: Does) -> bool:
    """True for an operation that is known to do something."""
    known = record_of(function)
    return known is not None and what in known.does


def rearranges(function: Any) -> bool:
    """True for an operation that may have an index map."""
    return does(function, Does.REARRANGES)


def is_own_inverse(function: Any) -> bool:
    """True for an operation that undoes itself."""
    known = record_of(function)
    return known is not None and known.own_inverse


@dataclass(frozen=True)
class IndexMap:
    """Which axis of an array each axis of the result is, for an operation that
    rearranges it."""

    sources: tuple[int | None, ...]
    """For each axis of the result, the axis of the array; None for a new one, of length
    1. Axes of the array that none is have length 1."""
    backwards: frozenset[int] = frozenset()
    """The axes of the result that run from the last element to the first."""

    def through(self, items: Sequence[Item], new: Item) -> tuple[Item, ...]:
        """What the axes of the result have, from what those of the array have.

        >>> IndexMap((1, None, 0)).through(("rows", "columns"), "one")
        ('columns', 'one', 'rows')
        """
        return tuple(new if k is None else items[k] for k in self.sources)

    def back(self, index: Sequence[Item], rank: int, first: Item) -> list[Item]:
        """The index of an element in the array, of this rank, from that in the result;
        axes that run backwards are left to the caller.

        >>> IndexMap((1, None)).back(("i", "j"), 2, 0)
        [0, 'i']
        """
        places = [first] * rank
        for place, k in zip(index, self.sources, strict=True):
            if k is not None:
                places[k] = place
        return places

    @property
    def order(self) -> tuple[int, ...] | None:
        """The order of the array's axes, where that is all that changes."""
        known = tuple(k for k in self.sources if k is not None)
        plain = not self.backwards and sorted(known) == list(range(len(self.sources)))
        return known if plain else None

    @property
    def keeps_rows(self) -> bool:
        """True where the elements follow one another as they do in the array."""
        known = [k for k in self.sources if k is not None]
        return known == sorted(known) and not self.backwards


@functools.lru_cache(maxsize=4096, typed=True)  # 1.0 names no axis, 1 does
def index_map(
    function: Callable[..., Any], rank: int, *args: Any, **words: Any
) -> IndexMap | None:
    """The index map of a call with these arguments behind the array; None where there
    is none, or the call would raise.

    It is asked of the function: an array whose strides name its axes is given to it.

    >>> index_map(np.moveaxis, 3, 0, -1)
    IndexMap(sources=(1, 2, 0), backwards=frozenset())
    >>> index_map(np.flip, 2, axis=1)
    IndexMap(sources=(0, 1), backwards=frozenset({1}))
    """
    if not rearranges(function):
        return None
    squeezes = function is np.squeeze
    if squeezes and (*args, *words.values()) in ((), (None,)):
        return None  # the lengths decide
    lengths = (1,) * rank if squeezes else tuple(range(2, rank + 2))
    strides = tuple(8 * (k + 1) for k in range(rank))
    probe = np.lib.stride_tricks.as_strided(np.empty(1), lengths, strides)
    try:
        found = function(probe, *args, **words)
    except (TypeError, ValueError, IndexError):
        return None
    new = [length == 1 and not squeezes for length in found.shape]
    return IndexMap(
        tuple(
            None if is_new else abs(stride) // 8 - 1
            for stride, is_new in zip(found.strides, new, strict=True)
        ),
        frozenset(k for k, stride in enumerate(found.strides) if stride < 0),
    )


def index_map_of(
    value: ir.Apply, rank: int, kinds: Mapping[str, ir.Kind] = MappingProxyType({})
) -> IndexMap | None:
    """The index map of an operation on an array of this rank; None where there is none,
    or an argument is known only when the program runs.

    >>> swapped = ir.Apply(np.swapaxes, (ir.Var("x"), ir.Const(0), ir.Const(2)))
    >>> index_map_of(swapped, 3).order
    (2, 1, 0)
    """
    if not rearranges(value.function):
        return None
    try:
        args = [_constant(a, kinds) for a in value.args[1:]]
        words = {name: _constant(a, kinds) for name, a in value.keywords}
        return index_map(value.function, rank, *args, **words)
    except TypeError:  # no constant, or nothing that names axes
        return None


def _constant(operand: ir.Operand, kinds: Mapping[str, ir.Kind]) -> Any:
    """An operand that is known before the program runs; raises TypeError for others."""
    if isinstance(operand, ir.Const):
        return operand.value
    if isinstance(operand, ir.Pack) and operand.constructor is tuple:
        return tuple(_constant(item, kinds) for item in operand.items)
    kind = kinds.get(operand.name) if isinstance(operand, ir.Var) else None
    if isinstance(kind, ir.Scalar | ir.Known) and kind.value is not None:
        return kind.value
    raise TypeError(operand)


def transposed(array: ir.Operand, *order: int) -> ir.Apply:
    """An array with its axes in another order, by default the reverse of its own."""
    axes = (ir.pack_tuple(*map(ir.Const, order)),) if order else ()
    return ir.Apply(np.transpose, (array, *axes))


def is_plain_transpose(value: Any) -> bool:
    """True for the transpose of an array without a word about its axes."""
    return (
        isinstance(value, ir.Apply)
        and value.function is np.transpose
        and len(value.args) == 1
        and not value.keywords
    )
