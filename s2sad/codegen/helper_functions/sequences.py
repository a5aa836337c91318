"""Cotangents of functions that join arrays, for lists of lengths known when run."""

from __future__ import annotations

from typing import Any

import numpy as np


def part_along_axis(x: Any, start: int, stop: int, axis: int) -> Any:
    """``x[..., start:stop, ...]`` at the given axis."""
    return x[index_of_part(x, start, stop, axis)]


def index_of_part(x: Any, start: int, stop: int, axis: int) -> Any:
    """The index that takes ``start:stop`` of one axis of ``x``."""
    return (slice(None),) * (axis % np.ndim(x)) + (slice(start, stop),)


def split_like(cotangent: Any, arrays: Any, axis: int | None) -> Any:
    """The parts of a cotangent of ``np.concatenate(arrays, axis)``, by array."""
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
    return parts


def unstack(cotangent: Any, axis: int) -> Any:
    """The arrays, or numbers, that stand along an axis, as a list."""
    return list(np.moveaxis(cotangent, axis, 0))


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
