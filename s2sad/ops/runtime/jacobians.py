"""Jacobians of and with respect to lists, dicts and objects that a program keeps as
they are.

Many tangents or cotangents are one structure, in which each number or array has one
more axis, in front. Nothing is recursive."""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.ops.runtime.structures import (
    ValueAdjoint,
    add_to_items,
    bare,
    held_in,
    parts_of_object,
    slots_of,
    store_late,
)


def numbers_of(value: Any) -> int:
    """How many numbers with a derivative a value holds: what is one object is counted
    once.

    >>> inner = [1.0, 2]
    >>> numbers_of([inner, inner, (1.0, np.ones(3), "a", None)])
    5
    """
    count = 0

    def note(item: Any) -> None:
        nonlocal count
        count += np.size(item)

    _mapped(value, note)
    return count


def unit_tangents(value: Any, count: int, start: int) -> Any:
    """The tangents of a structure along each of its numbers: of ``count`` those from
    ``start`` belong to it.

    >>> unit_tangents([2.0, 4.0], 2, 0)
    [array([1., 0.]), array([0., 1.])]
    """
    units = np.eye(count)
    place = start

    def taken(item: Any) -> Any:
        nonlocal place
        first, place = place, place + np.size(item)
        if not np.ndim(item):
            unit = units[first]
            return unit if isinstance(item, float) else unit.astype(item.dtype)
        unit = units[:, first:place].reshape((count, *item.shape))
        return unit.astype(item.dtype)

    zeros = np.broadcast_to(0.0, (count,))
    return _mapped(value, taken, integer=lambda item: zeros)


def unit_tangent(value: Any, place: int) -> Any:
    """The tangent of a structure along one of its numbers, the first for 0.

    >>> unit_tangent([2.0, np.zeros(2), "a"], 1)
    [0.0, array([1., 0.]), None]
    """
    left = place

    def taken(item: Any) -> Any:
        nonlocal left
        size, first = np.size(item), left
        left -= size
        tangent = np.zeros(size, _dtype(item))
        if 0 <= first < size:
            tangent[first] = 1.0
        if isinstance(item, float | complex):
            return type(item)(tangent[0])
        return tangent.reshape(np.shape(item))[()]

    return _mapped(value, taken, integer=lambda item: 0.0)


def jacobian_by_columns(columns: Any, y: Any, x: Any, start: int) -> Any:
    """The Jacobian of a value, or of each number and array of a structure, with respect
    to another one, from tangents of which those from ``start`` are along the numbers of
    ``x``. None stands for zeros.

    >>> jacobian_by_columns([np.eye(2)[0], np.eye(2)[1]], [0.1, 0.2], np.zeros(2), 0)
    [array([1., 0.]), array([0., 1.])]
    """

    flat = type(x) in (list, tuple) and set(map(type, x)) == {float}

    def of_one(one: Any, own: Any = None) -> Any:
        place = start
        if own is None and columns is not None:
            return None
        if flat and own is not None:  # the usual case, which is much faster so
            return type(x)(np.array(own[start : start + len(x)], _dtype(1.0, own)))

        def taken(item: Any) -> Any:
            nonlocal place
            first, place = place, place + np.size(item)
            shape = (*np.shape(one), *np.shape(item))
            if own is None:
                return np.zeros(shape, _dtype(item))[()]
            part = np.moveaxis(own[first:place], 0, -1)
            return np.array(part, _dtype(item, own)).reshape(shape)[()]

        return _mapped(x, taken)

    return _mapped(y, of_one) if columns is None else _mapped(y, of_one, columns)


def joined_blocks(y: Any, blocks: tuple[Any, ...], outline: Any) -> Any:
    """Jacobians of one structure with respect to several values as one: for each number
    of ``y`` what ``outline`` says, with the block for a value in place of its number.

    >>> joined_blocks([0.5], ([1.0], [2.0]), {"a": 0, "b": (1, None)})
    [{'a': 1.0, 'b': (2.0, None)}]
    """

    def joined(item: Any, *own: Any) -> Any:
        return _mapped(outline, len, integer=lambda place: own[place])

    return _mapped(y, joined, *blocks)


def jacobian_by_rows(rows: Any, y: Any, x: Any, start: int) -> Any:
    """The Jacobian of a number or array with respect to a structure, from adjoints of
    which those from ``start`` belong to the elements of the result.

    >>> jacobian_by_rows([np.array([1.0, 3.0]), np.array([2.0, 4.0])],
    ...     np.zeros((1, 2)), [0.5, 0.5], 0)
    [array([[1., 3.]]), array([[2., 4.]])]
    """
    axes, stop = np.shape(y), start + np.size(y)

    def taken(item: Any, own: Any) -> Any:
        if isinstance(own, ValueAdjoint):
            own = own.value
        if own is None:
            return None
        shape = (*axes, *np.shape(item))
        if np.ndim(own) == np.ndim(item):  # zeros, of which nobody made rows
            own = np.broadcast_to(own, (stop, *np.shape(item)))
        return np.array(own[start:stop], _dtype(item)).reshape(shape)[()]

    return _mapped(x, taken, rows)


def stacked_structures(parts: list[Any], like: Any) -> Any:
    """Structures as one, with an axis in front of each number and array.

    >>> stacked_structures([[1.0, None], [2.0, None]], [0.5, "a"])
    [array([1., 2.]), None]
    """
    return _mapped(like, lambda item, *own: np.array(own, _dtype(item)), *parts)


def put_axis_in_front(adjoint: Any, count: int) -> None:
    """Let an adjoint of zeros be one of ``count`` rows, in place.

    >>> adjoint = [0.0, {"w": np.zeros(1)}]
    >>> put_axis_in_front(adjoint, 2)
    >>> adjoint
    [array([0., 0.]), {'w': array([[0.],
           [0.]])}]
    """
    seen: set[int] = set()
    waiting = [adjoint]
    while waiting:
        bars = waiting.pop()
        if id(bars) in seen:
            continue
        seen.add(id(bars))
        held: Any = bars
        if not isinstance(bars, list | deque | dict):
            held = getattr(bars, "__dict__", {})
        keys = list(held) if isinstance(held, dict) else range(len(held))
        for key in keys:
            part = held[key]
            if isinstance(part, np.ndarray | np.generic | float | complex):
                dtype = np.asarray(part).dtype
                held[key] = np.zeros((count, *np.shape(part)), dtype)
            elif part is not None:
                waiting.append(part)


def add_rows_to_items(adjoint: Any, depth: int, amounts: Any) -> None:
    """Add many cotangents of a list, or of lists in lists to a ``depth``, to its
    adjoint: an array that has their axis in front.

    >>> adjoint = [np.zeros(3), np.zeros(3)]
    >>> add_rows_to_items(adjoint, 1, np.arange(6.0).reshape(3, 2))
    >>> adjoint
    [array([0., 2., 4.]), array([1., 3., 5.])]
    """
    if np.ndim(amounts) > 1:
        add_to_items(adjoint, np.moveaxis(amounts, 0, depth))
        return
    waiting = [adjoint]
    while waiting:  # one number for all of the items
        bars = waiting.pop()
        for k, bar in enumerate(bars):
            if hasattr(bar, "append"):
                waiting.append(bar)
            else:
                bars[k] += amounts.reshape((-1, *[1] * (np.ndim(bar) - 1)))


def _dtype(value: Any, found: Any = None) -> Any:
    """The dtype of a number or array; of a complex derivative by it, that of this."""
    if np.iscomplexobj(found):
        return found.dtype
    return getattr(value, "dtype", np.complex128 if type(value) is complex else float)


def _mapped(
    value: Any,
    number: Callable[..., Any],
    *beside: Any,
    integer: Callable[[Any], Any] = lambda item: None,
) -> Any:
    """A structure of the classes of a value, made without ``__init__``: in place of
    each number and array that may have a derivative what ``number`` makes of it and of
    what structures ``beside`` have there. Whole numbers become what ``integer``
    gives, all else None. What is one mutable object is made once; a tuple each time."""
    result: list[Any] = [None]
    made: dict[int, Any] = {}
    waiting: list[Any] = [(value, beside, result, 0)]
    late: list[Any] = []
    while waiting:
        item, others, holder, place = waiting.pop()
        cls: Any = type(item)
        given: Any
        if isinstance(item, float | complex | np.inexact) or (
            isinstance(item, np.ndarray) and item.dtype.kind in "fc"
        ):
            holder[place] = number(item, *others)
            continue
        if isinstance(item, int | np.integer | np.bool_):
            holder[place] = integer(item)
            continue
        if isinstance(item, tuple):
            given = [None] * len(item)
            parts: Any = enumerate(item)
            late.append((holder, place, cls, given))
        elif id(item) in made:
            holder[place] = made[id(item)]
            continue
        elif isinstance(item, list):
            holder[place] = given = [None] * len(item)
            parts = enumerate(item)
        elif isinstance(item, deque):
            holder[place] = given = deque([None] * len(item), item.maxlen)
            parts = enumerate(item)
        elif isinstance(item, dict):
            holder[place] = given = dict.fromkeys(item)
            parts = item.items()
        else:
            slots = slots_of(cls)
            if slots is None:
                continue
            others = tuple(
                None if one is None else parts_of_object(one) for one in others
            )
            holder[place] = whole = bare(cls)
            if slots:
                parts = held_in(item, slots)
                given = {}
                late.append((whole, None, None, given))
            else:
                # a copy has what its class had, a derivative hasn't
                here = [o for o in others if o is not None]
                names = item.__dict__.items()
                parts = [n for n in names if all(n[0] in one for one in here)]
                given = whole.__dict__
        made[id(item)] = holder[place]
        later = []
        for key, part in parts:
            own = tuple([None if one is None else one[key] for one in others])
            given[key] = None  # in its turn
            later.append((part, own, given, key))
        waiting += reversed(later)
    store_late(late)
    return result[0]
