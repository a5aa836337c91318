"""Kinds of lists and tuples of numbers, of arrays and of such lists, of any length.

>>> str(kind_of_list([1.0, 2.0, 3.0, 4.0, 5.0], "xs"))
'list of float [n]'
>>> kind_of_list([1.0, "a", 3.0, 4.0, 5.0], "xs") is None
True
"""

import itertools
from collections.abc import Collection, Hashable, Sequence
from typing import Any

import numpy as np

from s2sad import ir

LONGEST_TAKEN_APART = 4
"""A list of more items that are alike is held as it is: each of its items would have
a variable of its own, and each turn of a loop over them its lines."""

MIXED = ir.Scalar("float", cls=object)
"""Of items of which some are floats and some are ints."""
_NUMBERS: dict[type, ir.Kind] = {
    float: ir.FLOAT,
    int: ir.INT,
    bool: ir.BOOL,
    complex: ir.COMPLEX,
}
_WHOLE = {int, bool}


def kind_of_list(value: Any, path: Hashable) -> ir.List | None:
    """The kind of a list or tuple of more than four items that are alike; None for
    others. It holds no length: the axis is one that may be of any, and so are those of
    lists in it."""
    if len(value) <= LONGEST_TAKEN_APART:
        return None
    item = _kind_of_items(value, {id(value)})
    if item is None:
        return None
    return ir.List(item, ir.Axis("many", (path, "items")), type(value))


def kind_of_short_list(
    value: Any, path: Hashable, empty: bool, longest: int = 1
) -> ir.List | None:
    """The same of a list of one float or array of floats, or of up to ``longest``, or
    if ``empty`` is wanted of none, which then counts as one of floats."""
    if type(value) is not list or len(value) > longest or not (value or empty):
        return None
    item = _kind_of_items(value, {id(value)}) if value else ir.FLOAT
    if item != ir.FLOAT and not isinstance(item, ir.Array):
        return None
    if not ir.is_real_number_kind(item):
        return None
    return ir.List(item, ir.Axis("many", (path, "items")), list)


def _kind_of_items(items: Collection[Any], around: set[int]) -> ir.Kind | None:
    """What all items are; None where they aren't alike, or there are none. They stand
    in lists of these identities."""
    classes = set(map(type, items))
    if len(classes) != 1:
        return _kind_of_unlike_numbers(classes)
    (cls,) = classes
    if cls in _NUMBERS:
        return _NUMBERS[cls]
    if cls in (list, tuple):
        return _kind_of_lists(items, cls, around)
    if cls is np.ndarray:
        return _kind_of_arrays(items)
    return _kind_of_numpy_number(cls)


def _kind_of_unlike_numbers(classes: set[type]) -> ir.Kind | None:
    if float in classes and classes <= {float, *_WHOLE}:
        return MIXED
    if classes == {float, np.float64}:
        return ir.NumPyScalar("float64", maybe_python=True)
    return None


def _kind_of_numpy_number(cls: type) -> ir.Kind | None:
    if not issubclass(cls, np.number | np.bool_):
        return None
    return ir.NumPyScalar(np.dtype(cls).name)


def _kind_of_lists(
    items: Collection[Any], cls: type, around: set[int]
) -> ir.Kind | None:
    own = set(map(id, items))
    if own & around:
        return None  # it contains itself
    inner = list(itertools.chain.from_iterable(items))
    kind = _kind_of_items(inner, own | around)
    if kind is None or (kind == MIXED and cls is tuple and _are_records(items)):
        return None
    return ir.List(kind, ir.Axis("any"), cls)


def _are_records(items: Collection[Any]) -> bool:
    """True for tuples as ``(3, 0.5)``: what stands at one place is of one class."""
    if len(set(map(len, items))) != 1:
        return False
    return all(len(set(map(type, column))) == 1 for column in zip(*items, strict=True))


def _kind_of_arrays(arrays: Collection[Any]) -> ir.Kind | None:
    """Their axes tell of the length whether it is one in all of them, or in none."""
    dtypes = {array.dtype for array in arrays}
    ranks = {array.ndim for array in arrays}
    if len(dtypes) != 1 or len(ranks) != 1 or ranks == {0}:
        return None
    (dtype,) = dtypes
    if dtype.kind not in "biufc" or not dtype.isnative:
        return None
    lengths = zip(*{array.shape for array in arrays}, strict=True)
    return ir.Array(dtype.name, tuple(map(_axis_of_lengths, lengths)))


def _axis_of_lengths(lengths: Sequence[int]) -> ir.Axis:
    if 1 not in lengths:
        return ir.Axis("many")
    return ir.ONE if set(lengths) == {1} else ir.Axis("any")


# ------------------------------------------------------------------ checks


def holds(value: Any, kind: ir.List) -> bool:
    """True where a list or tuple, of whatever length, is of a kind.

    >>> numbers = ir.List(ir.FLOAT)
    >>> holds([], numbers), holds([0.5] * 1000, numbers), holds([0.5, 1], numbers)
    (True, True, False)
    """
    items: Any = value
    item = kind.item
    if type(value) is not kind.constructor:
        return False
    while isinstance(item, ir.List):
        if not _are_all(items, (item.constructor,)):
            return False
        items, item = list(itertools.chain.from_iterable(items)), item.item
    if isinstance(item, ir.Array):
        if not _are_all(items, (np.ndarray,)):
            return False
        told = {(array.dtype, array.shape) for array in items}
        return all(_are_of(dtype, shape, item) for dtype, shape in told)
    return item is None or _are_all(items, _classes(item))


def _are_all(items: Collection[Any], classes: tuple[type, ...]) -> bool:
    # a list compares by identity first, which is the fastest test of each
    found = list(map(type, items))
    return sum(map(found.count, classes)) == len(found)


def _classes(item: ir.Kind) -> tuple[type, ...]:
    """The classes that numbers of a kind may be of."""
    if item == MIXED:
        return (float, *_WHOLE)
    if isinstance(item, ir.NumPyScalar):
        own = np.dtype(item.dtype).type
        return (float, own) if item.maybe_python else (own,)
    return tuple(cls for cls, kind in _NUMBERS.items() if kind == item)


def _are_of(dtype: Any, shape: tuple[int, ...], kind: ir.Array) -> bool:
    """Whether arrays of a dtype and shape are of a kind."""
    assert kind.axes is not None
    return (
        dtype == np.dtype(kind.dtype)
        and len(shape) == len(kind.axes)
        and all(
            axis.length == "any" or (n == 1) == (axis.length == "one")
            for n, axis in zip(shape, kind.axes, strict=True)
        )
    )
