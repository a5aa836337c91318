"""Whole numbers: which variables of floats may be ints when the program runs.

``s = 0`` before a loop that adds to it stays an int where the loop runs no iteration,
and so does the sum of an empty list; ``np.array([s, s])`` is an array of ints then, and
what is made like it holds no fractions.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Set

import numpy as np

from s2sad.ir.kinds import Kind, Known, Scalar, is_real_number_kind
from s2sad.ir.nodes import Apply, Assign, Const, Function, Operand, Pack, Slice, Var
from s2sad.ir.walking import walk
from s2sad.ops.buffers import STORES, own_copy
from s2sad.ops.lists import (
    appended,
    joined_lists,
    list_of,
    repeated,
    tuple_of,
    with_inserted_item,
    with_item_stored,
    without_item,
)

_OF_WHOLE_NUMBERS = (
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod),
    *(operator.pow, operator.neg, operator.pos, operator.getitem, operator.matmul),
    *(abs, max, min, sum),
    *(np.sum, np.prod, np.max, np.min, np.cumsum, np.maximum, np.minimum, np.dot),
    *(np.array, np.asarray, np.full, np.zeros_like, np.full_like, np.broadcast_to),
    *(np.stack, np.concatenate, np.hstack, np.vstack, np.repeat, np.tile),
    *(np.copy, np.ndarray.copy, np.reshape, np.transpose, np.ravel, np.flip),
    *(np.expand_dims, np.squeeze),
    *(own_copy, *STORES, list_of, tuple_of, repeated, without_item),
)
"""Operations that give whole numbers where they are given nothing else."""
_PUT_INTO_LISTS = {
    **{appended: (1,), with_inserted_item: (2,), with_item_stored: (2,)},
    joined_lists: (0, 1),
}
"""Which operands are all that a list may hold then."""


def maybe_whole(
    definitions: Mapping[str, Iterable[Assign]], kinds: Mapping[str, Kind]
) -> frozenset[str]:
    """The variables that hold whole numbers on some path, though their kind is that of
    floats; ``definitions`` has the statements that assign each variable.

    >>> zero = Assign(None, Var("s"), Const(0))
    >>> half = Assign(None, Var("h"), Apply(operator.truediv, (Var("s"), Const(2))))
    >>> pair = Pack(list, (0, 1), (Var("s"), Var("s")))
    >>> array = Assign(None, Var("a"), Apply(np.array, (pair,)))
    >>> sorted(maybe_whole({"s": [zero], "h": [half], "a": [array]}, {}))
    ['a', 's']
    """
    found: set[str] = set()
    waiting = True
    while waiting:
        waiting = False
        for name, statements in definitions.items():
            if name not in found and any(
                _is_whole(s, found, kinds) for s in statements
            ):
                found.add(name)
                waiting = True
    return frozenset(found)


def stores_of_fractions(function: Function) -> Iterator[Assign]:
    """The stores that put floats into an array that turns out to be one of
    ints, though its kind is that of floats."""
    definitions: dict[str, list[Assign]] = {}
    stores = []
    for s in walk(function.body):
        if isinstance(s, Assign) and isinstance(s.target, Var):
            into = isinstance(s.value, Apply) and s.value.function in STORES
            if into:
                stores.append(s)
            else:
                definitions.setdefault(s.target.name, []).append(s)
    if not stores:
        return
    found = maybe_whole(definitions, function.kinds)
    for s in stores:
        assert isinstance(s.value, Apply)
        array, _, value, *_ = s.value.args
        of_floats = s.kind is None or is_real_number_kind(s.kind)
        if of_floats and isinstance(array, Var) and array.name in found:
            if not _whole_value(value, found, function.kinds):
                yield s


def _is_whole(s: Assign, found: Set[str], kinds: Mapping[str, Kind]) -> bool:
    if not isinstance(s.target, Var):
        return False
    return _whole_value(s.value, found, kinds)


def _whole_value(
    value: Apply | Operand, found: Set[str], kinds: Mapping[str, Kind]
) -> bool:
    match value:
        case Const(value=known):
            return known is int or isinstance(known, int | None)
        case Var(name=name):
            return name in found or _is_number_without_fraction(kinds.get(name))
        case Pack(items=items):
            return all(_whole_value(i, found, kinds) for i in items)
        case Slice():
            return True
        case Apply(function=function, args=args, keywords=keywords):
            if function is sum and len(args) == 1:
                return True  # of an empty list
            if function in _PUT_INTO_LISTS:
                put = (args[k] for k in _PUT_INTO_LISTS[function])
                return any(_whole_value(a, found, kinds) for a in put)
            given = (*args, *(v for _, v in keywords))
            return function in _OF_WHOLE_NUMBERS and all(
                _whole_value(a, found, kinds) for a in given
            )
    return False


def _is_number_without_fraction(kind: Kind | None) -> bool:
    whole = isinstance(kind, Scalar) and kind.type in ("int", "bool")
    return whole or isinstance(kind, Known)
