"""Derivatives of order statistics where elements tie: those that are equal share
evenly."""

from __future__ import annotations

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
