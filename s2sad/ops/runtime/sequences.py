"""Cotangents of functions that join arrays, for lists of lengths known when run."""

from typing import Any

import numpy as np


def part_along_axis(x: Any, start: int, stop: int, axis: int) -> Any:
    """``x[..., start:stop, ...]`` at the given axis."""
    return x[index_of_part(x, start, stop, axis)]


def index_of_part(x: Any, start: int, stop: int, axis: int) -> Any:
    """The index that takes ``start:stop`` of one axis of ``x``."""
    return (slice(None),) * (axis % np.ndim(x)) + (slice(start, stop),)


def split_like(cotangent: Any, arrays: Any, axis: int | None) -> Any:
    """The parts of a cotangent of ``np.concatenate(arrays, axis)``, by array: a list,
    or an array where the arrays stand in one."""
    parts = []
    start = 0
    for array in arrays:
        if axis is None:
            stop = start + np.size(array)
            parts.append(np.reshape(cotangent[start:stop], np.shape(array)))
        else:
            stop = start + np.shape(array)[axis]
            parts.append(part_along_axis(cotangent, start, stop, axis))
        start = stop
    return np.stack(parts) if isinstance(arrays, np.ndarray) else parts


def unstack(cotangent: Any, axis: int) -> Any:
    """The arrays, or numbers, that stand along an axis, as a list."""
    return list(np.moveaxis(cotangent, axis, 0))


def stacked_tangents(items: Any, count: int, rank: int) -> Any:
    """The tangents of ``np.array(items)``, ``count`` of them along the first axis, from
    those of the items. An empty list doesn't show how many there are; the array of its
    tangents has the axes that there would be with items.

    >>> stacked_tangents([np.zeros((2, 3))] * 4, 2, 2).shape
    (2, 4, 3)
    >>> stacked_tangents([], 2, 2).shape
    (2, 0, 1)
    """
    if not items:
        return np.zeros((count, 0, *[1] * (rank - 1)))
    return np.stack(items, axis=1)


def unless_empty(cotangent: Any, axis: int = 0) -> Any:
    """The cotangent of a list of arrays, items along ``axis``, for another to be added;
    a zero for an empty list. That doesn't show the shape of its items: ``np.array([])``
    has one axis, and can't be added to an array of other axes without rows.

    >>> np.zeros((0, 3)) + unless_empty(np.zeros(0))
    array([], shape=(0, 3), dtype=float64)
    """
    return cotangent if cotangent.shape[axis] else np.zeros((), cotangent.dtype)


def zeros_if_empty(cotangent: Any, like: Any, axis: int = 0) -> Any:
    """A cotangent of what :func:`unless_empty` gives for ``like``, shaped as that.

    >>> zeros_if_empty(np.zeros(()), np.zeros((0, 3))).shape
    (0, 3)
    """
    return cotangent if like.shape[axis] else np.zeros_like(like)


def zero_row_inserted(cotangent: Any, place: int, like: Any) -> Any:
    """The cotangent of a list of arrays before one, of the shape of ``like``, was taken
    from ``place`` of it. That of an empty list doesn't show the arrays' shape. ``like``
    is the length of a list of numbers.

    >>> zero_row_inserted(np.zeros(0), 0, np.ones(2))
    array([[0., 0.]])
    """
    if len(cotangent) == 0:
        shape = (like,) if isinstance(like, int) else np.shape(like)
        return np.zeros((1, *shape), cotangent.dtype)
    return np.insert(cotangent, place, 0.0, axis=0)


def zero_tangents(items: Any, count: int) -> Any:
    """Tangents of ``np.array(items)`` that are zero, along the first axis.

    >>> zero_tangents([np.ones(3)] * 4, 2).shape, zero_tangents([], 2).shape
    ((2, 4, 3), (2, 0))
    """
    return np.zeros((count, *np.shape(items)))


def zero_row_in_each(cotangents: Any, place: int, like: Any = None) -> Any:
    """Cotangents of a list along the first axis, before an item was taken from
    ``place`` of it; as :func:`zero_row_inserted`.

    >>> zero_row_in_each(np.ones((2, 1)), 1)
    array([[1., 0.],
           [1., 0.]])
    >>> zero_row_in_each(np.zeros((2, 0)), 0, np.ones(3)).shape
    (2, 1, 3)
    """
    count, length = np.shape(cotangents)[:2]
    if length == 0 and like is not None:
        shape = (like,) if isinstance(like, int) else np.shape(like)
        return np.zeros((count, 1, *shape), cotangents.dtype)
    return np.insert(cotangents, place, 0.0, axis=1)


def without_row_in_each(cotangents: Any, place: int) -> Any:
    """Cotangents of a list along the first axis, before an item was put to ``place`` of
    it.

    >>> without_row_in_each(np.array([[1.0, 2.0], [3.0, 4.0]]), 0)
    array([[2.],
           [4.]])
    """
    return np.delete(cotangents, place, axis=1)


def nested_like(cotangent: Any, x: Any) -> Any:
    """The entries of an array, nested in lists as ``x`` is, which it was made from."""
    if isinstance(x, list | tuple):
        return [nested_like(c, item) for c, item in zip(cotangent, x, strict=True)]
    return cotangent


def order_of_items(items: Any, descending: bool) -> list[int]:
    """The places of the items in order; equal ones stay in the order they had.

    >>> order_of_items([3.0, 1.0, 3.0], True)
    [0, 2, 1]
    """
    return sorted(range(len(items)), key=items.__getitem__, reverse=descending)


def order_of_rows(descending: bool, *columns: list[Any]) -> list[int]:
    """The same of rows that are ordered as tuples are, by their columns.

    >>> order_of_rows(False, ["b", "a", "b"], [1.0, 2.0, 0.5])
    [1, 2, 0]
    """
    return order_of_items(list(zip(*columns, strict=True)), descending)
