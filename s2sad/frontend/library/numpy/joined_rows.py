"""``np.stack``, ``np.concatenate`` and their like of one array instead of several: they
join what stands along its first axis. Joins of several arrays have rules; of as many as
only the run knows some are others by another name.

All of them give new memory.
"""

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


@stands_for(np.stack, of_arrays=True)
def stack(arrays, axis=0):
    """``np.stack(arrays, axis)``."""
    if rules.known_rank(arrays) < 1:
        return np.stack(arrays, axis=axis)
    if rules.settled_axis(axis, arrays) == 0:
        return arrays.copy()
    return np.moveaxis(arrays, 0, axis).copy()


@stands_for(np.concatenate, of_arrays=True)
def concatenate(arrays, axis=0):
    """``np.concatenate(arrays, axis)``."""
    if rules.known_rank(arrays) < 2:
        return np.concatenate(arrays, axis=axis)
    if axis is None:
        return arrays.flatten()
    return _rows_joined(arrays, rules.settled_axis(axis, arrays[0]))


@stands_for(np.vstack, of_arrays=True)
def vstack(tup):
    """``np.vstack(tup)``."""
    if rules.known_rank(tup) < 1:
        return np.vstack(tup)
    if rules.known_rank(tup) == 1:
        return tup[:, None].copy()
    return tup.copy() if rules.known_rank(tup) == 2 else _rows_joined(tup, 0)


@stands_for(np.hstack, of_arrays=True)
def hstack(tup):
    """``np.hstack(tup)``."""
    if rules.known_rank(tup) < 1:
        return np.hstack(tup)
    return tup.flatten() if rules.known_rank(tup) < 3 else _rows_joined(tup, 1)


@stands_for(np.column_stack, of_arrays=True)
def column_stack(tup):
    """``np.column_stack(tup)``."""
    if rules.known_rank(tup) < 1:
        return np.column_stack(tup)
    if rules.known_rank(tup) == 1:
        return tup[None, :].copy()
    return tup.T.copy() if rules.known_rank(tup) == 2 else _rows_joined(tup, 1)


def _rows_joined(arrays, axis):
    """What stands along the first axis, joined along an axis of each."""
    shape = arrays.shape
    joined = (*shape[1 : axis + 1], shape[0] * shape[axis + 1], *shape[axis + 2 :])
    moved = arrays if axis == 0 else np.moveaxis(arrays, 0, axis)
    return moved.copy().reshape(joined)


def columns_of_list(tup):
    """``np.column_stack(tup)`` of a list of unknown length."""
    if rules.rank_of_items(tup) == 0:
        return np.stack(tup)[None, :]
    if rules.rank_of_items(tup) == 1:
        return np.stack(tup, axis=1)
    return np.concatenate(tup, axis=1)


def side_by_side_of_list(tup):
    """``np.hstack(tup)`` of a list of unknown length, of arrays of several axes."""
    return np.concatenate(tup, axis=1)


def depths_of_list(tup):
    """``np.dstack(tup)`` of a list of unknown length."""
    if rules.rank_of_items(tup) == 0:
        return np.stack(tup)[None, None, :]
    if rules.rank_of_items(tup) == 1:
        return np.stack(tup, axis=1)[None, :, :]
    if rules.rank_of_items(tup) == 2:
        return np.stack(tup, axis=2)
    return np.concatenate(tup, axis=2)
