"""Whole numbers: which variables of floats may be ints when the program runs.

``s = 0`` before a loop that adds to it stays an int where the loop runs no iteration,
and so does the sum of an empty list; ``np.array([s, s])`` is an array of ints then, and
what is made like it holds no fractions. Procedures are given such numbers, and return
them: that is followed through all calls of a program.
"""

import operator
from collections.abc import Iterable, Iterator, Mapping, Set

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.through_calls import NO_CALLS, Calls, Property, results_in
from s2sad.analysis.passes.all_kinds import with_all_kinds

_OF_WHOLE_NUMBERS = (
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod),
    *(operator.pow, operator.neg, operator.pos, operator.matmul),
    *(abs, max, min, sum),
    *(np.sum, np.prod, np.max, np.min, np.cumsum, np.maximum, np.minimum, np.dot),
    *(np.zeros_like, np.copy, np.ndarray.copy),
    *(ops.own_copy, *ops.STORES),
)
"""Operations that give whole numbers where they are given nothing else, beside those
that only move them."""
_PUT_INTO_LISTS = {
    **{ops.appended: (1,), ops.with_inserted_item: (2,), ops.with_item_stored: (2,)},
    ops.joined_lists: (0, 1),
}
"""Which operands are all that a list may hold then."""


def maybe_whole(
    definitions: Mapping[str, Iterable[ir.Assign]],
    kinds: Mapping[str, ir.Kind],
    given: Set[str] = frozenset(),
    calls: Calls = NO_CALLS,
) -> frozenset[str]:
    """The variables that hold whole numbers on some path, though their kind is that of
    floats; ``definitions`` has the statements that assign each variable, ``given`` are
    parameters that may hold them.

    >>> zero = ir.Assign(None, ir.Var("s"), ir.Const(0))
    >>> half = ir.Assign(
    ...     None, ir.Var("h"), ir.Apply(operator.truediv, (ir.Var("s"), ir.Const(2)))
    ... )
    >>> pair = ir.Pack(list, (0, 1), (ir.Var("s"), ir.Var("s")))
    >>> array = ir.Assign(None, ir.Var("a"), ir.Apply(np.array, (pair,)))
    >>> sorted(maybe_whole({"s": [zero], "h": [half], "a": [array]}, {}))
    ['a', 's']
    """
    found: set[str] = set(given)
    waiting = True
    while waiting:
        waiting = False
        for name, statements in definitions.items():
            if name not in found and any(
                _is_whole(name, s, found, kinds, calls) for s in statements
            ):
                found.add(name)
                waiting = True
    return frozenset(found)


def whole_in(
    function: ir.Function, given: Set[str], calls: Calls = NO_CALLS
) -> frozenset[str]:
    """The variables of a program that may hold whole numbers."""
    function = with_all_kinds(function)
    definitions: dict[str, list[ir.Assign]] = {}
    for s in ir.walk(function.body):
        if isinstance(s, ir.Assign) and not _is_store(s):
            for variable in ir.operand_variables(s.target):
                definitions.setdefault(variable.name, []).append(s)
    return maybe_whole(definitions, function.kinds, given, calls)


def _is_store(s: ir.Assign) -> bool:
    return isinstance(s.value, ir.Apply) and s.value.function in ops.STORES


def stores_of_fractions(
    function: ir.Function, given: Set[str] = frozenset(), calls: Calls = NO_CALLS
) -> Iterator[ir.Assign]:
    """The stores that put floats into an array that turns out to be one of
    ints, though its kind is that of floats."""
    stores = [
        s for s in ir.walk(function.body) if isinstance(s, ir.Assign) and _is_store(s)
    ]
    if not stores:
        return
    found = whole_in(function, given, calls)
    kinds = with_all_kinds(function).kinds
    for s in stores:
        assert isinstance(s.value, ir.Apply)
        array, _, value, *_ = s.value.args
        of_floats = s.kind is None or ir.is_real_number_kind(s.kind)
        if of_floats and isinstance(array, ir.Var) and array.name in found:
            if not _whole_value(value, found, kinds):
                yield s


def _is_whole(
    name: str, s: ir.Assign, found: Set[str], kinds: Mapping[str, ir.Kind], calls: Calls
) -> bool:
    """True where a statement may give a variable whole numbers."""
    if name in results_in(s, calls):
        return True
    if not isinstance(s.target, ir.Var) or s.kind == ir.NONE:
        return False
    return _is_without_fraction(s.kind) or _whole_value(s.value, found, kinds)


def _whole_value(
    value: ir.Apply | ir.Operand, found: Set[str], kinds: Mapping[str, ir.Kind]
) -> bool:
    match value:
        case ir.Const(value=known):
            return known is int or isinstance(known, int | None)
        case ir.Var(name=name):
            return name in found or _is_without_fraction(kinds.get(name))
        case ir.Pack(items=items):
            return all(_whole_value(i, found, kinds) for i in items)
        case ir.Slice():
            return True
        case ir.Apply(function=function, args=args, keywords=keywords):
            if function is sum and len(args) == 1:
                return True  # of an empty list
            if function in _PUT_INTO_LISTS:
                put = (args[k] for k in _PUT_INTO_LISTS[function])
                return any(_whole_value(a, found, kinds) for a in put)
            given = (*args, *(v for _, v in keywords))
            known = function in _OF_WHOLE_NUMBERS or ops.does(function, ops.Does.MOVES)
            return known and all(_whole_value(a, found, kinds) for a in given)
    return False


def _is_without_fraction(kind: ir.Kind | None) -> bool:
    if isinstance(kind, ir.Known):
        return True
    dtype = None if kind is None else ir.dtype_of(kind)
    return dtype is not None and np.dtype(dtype).kind in "iub"


WHOLE = Property("whole", whole_in, _whole_value)
"""It may be whole numbers, though its kind is that of floats."""
