"""Derivatives of order statistics where elements tie: those that are equal share
evenly."""

from typing import Any

import numpy as np


def mean_of_ties(values: Any, ordered: Any, axis: int) -> Any:
    """``values`` with each the mean over its ties: the places along an axis where
    ``ordered``, which is sorted, has the same number.

    >>> mean_of_ties(np.array([1.0, 2.0, 6.0]), np.array([0.5, 0.7, 0.7]), 0)
    array([1., 4., 4.])
    """
    lines = np.moveaxis(ordered, axis, -1)
    begins = np.ones(np.shape(lines), bool)
    begins[..., 1:] = lines[..., 1:] != lines[..., :-1]
    if np.all(begins):
        return values
    moved = np.moveaxis(values, axis, -1)
    first = np.flatnonzero(begins)
    counts = np.diff(np.append(first, np.size(begins)))
    means = np.add.reduceat(np.ravel(moved), first) / counts.astype(values.dtype)
    return np.moveaxis(np.reshape(np.repeat(means, counts), moved.shape), -1, axis)


def weights_of_median(x: Any, axis: Any) -> Any:
    """How much the median changes with each element, as an array like ``x``.

    >>> weights_of_median(np.array([1.0, 5.0, 1.0, 3.0]), None)
    array([0.25, 0.  , 0.25, 0.5 ])
    """
    if isinstance(axis, tuple):
        last = tuple(range(-len(axis), 0))
        moved = np.moveaxis(x, axis, last)
        lines = np.reshape(moved, (*moved.shape[: -len(axis)], -1))
        weights = np.reshape(weights_of_median(lines, -1), moved.shape)
        return np.moveaxis(weights, last, axis)
    ordered = np.sort(x, axis=axis)
    along = -1 if axis is None else axis
    length = np.shape(ordered)[along]
    weights = np.zeros_like(x)
    if length == 0:
        return weights
    for middle in ((length - 1) // 2, length // 2):
        number = np.take(ordered, [middle], axis=along)
        ties = x == (number[0] if axis is None else number)
        count = np.sum(ties, axis=axis, keepdims=True)
        weights = weights + 0.5 * ties / np.maximum(count, 1)
    return weights.astype(x.dtype)


def running_places(ufunc: Any, x: Any, axis: int) -> Any:
    """Where each element of ``np.maximum.accumulate`` (or ``minimum``) stands in ``x``,
    the first of those that are equal; indices for ``np.take_along_axis``.

    >>> running_places(np.maximum, np.array([1.0, 3.0, 3.0, 2.0]), 0)
    array([0, 1, 1, 1])
    """
    lines = np.moveaxis(ufunc.accumulate(x, axis), axis, -1)
    changes = np.ones(lines.shape, bool)
    both_nan = np.isnan(lines[..., 1:]) & np.isnan(lines[..., :-1])
    changes[..., 1:] = (lines[..., 1:] != lines[..., :-1]) & ~both_nan
    places = np.where(changes, np.arange(lines.shape[-1]), 0)
    return np.moveaxis(np.maximum.accumulate(places, -1), -1, axis)
