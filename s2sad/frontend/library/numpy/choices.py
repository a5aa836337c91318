"""Functions of NumPy that choose elements by places and conditions."""

from typing import Any

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


@stands_for(np.compress)
def compress(condition, a, axis=None):
    """``np.compress(condition, a, axis)``."""
    a = np.ravel(a) if axis is None else a
    return np.take(a, np.flatnonzero(condition), axis=0 if axis is None else axis)


@stands_for(np.extract)
def extract(condition, arr):
    """``np.extract(condition, arr)``."""
    return np.take(np.ravel(arr), np.flatnonzero(condition))


@stands_for(np.ix_)
def ix_(*args):
    """``np.ix_(*args)``: index arrays, each along an axis of its own."""
    found: Any = ()
    for axis, arg in enumerate(args):
        places = arg if rules.is_array(arg) else np.asarray(arg)
        places = np.flatnonzero(places) if rules.is_mask(places) else places
        found = (*found, _along(axis, len(args), places))
    return found


def _along(axis, count, places):
    """A vector along one of so many axes."""
    if count == 2:
        rows, columns = places[:, None], places[None, :]
        return rows if axis == 0 else columns
    return places[tuple(slice(None) if k == axis else None for k in range(count))]


@stands_for(np.diag_indices)
def diag_indices(n, ndim=2):
    """``np.diag_indices(n, ndim)``."""
    return (np.arange(n),) * ndim


@stands_for(np.diag_indices_from)
def diag_indices_from(arr):
    """``np.diag_indices_from(arr)``, of matrices."""
    if rules.known_rank(arr) != 2:
        rules.not_supported(
            "np.diag_indices_from is followed of matrices", "use np.diag_indices"
        )
    if len(arr) != np.size(arr, 1):
        raise ValueError("All dimensions of input must be of equal length")
    return (np.arange(len(arr)),) * 2


@stands_for(np.take, words=("mode",))
def take(a, indices, axis=None, *, mode="raise"):
    """``np.take(a, indices, axis, mode=)``."""
    a = a if rules.is_array(a) else np.asarray(a)
    return np.take(a, _within(indices, np.size(a, axis), mode), axis=axis)


def _within(places, count, mode):
    """Places in so many, as ``mode`` says."""
    if mode == "raise":
        return places
    return np.clip(places, 0, count - 1) if mode == "clip" else np.mod(places, count)


@stands_for(np.choose)
def choose(a, choices, *, mode="raise"):
    """``np.choose(a, choices, mode=)``."""
    a = a if rules.is_array(a) else np.asarray(a)
    count = len(choices)
    if mode == "raise" and np.any((a < 0) | (a >= count)):
        raise ValueError("invalid entry in choice array")
    places = _within(a, count, mode)
    if count == 1:
        return np.where(places == 0, choices[0], choices[0])  # never the choice itself
    chosen = choices[0]
    for k in range(1, count):
        chosen = np.where(places == k, choices[k], chosen)
    return chosen


@stands_for(np.piecewise)
def piecewise(x, condlist, funclist, *args, **keywords):
    """``np.piecewise(x, condlist, funclist)``: each function is called with the
    elements for which its condition holds."""
    x = x if rules.is_array(x) else np.asarray(x)
    if rules.known_rank(x) == 0:
        rules.not_supported("np.piecewise of a number", "write if and else")
    conditions = tuple(condlist) if rules.is_sequence(condlist) else (condlist,)
    if len(funclist) == len(conditions) + 1:
        rest = ~conditions[0]
        for condition in conditions[1:]:
            rest = rest & ~condition
        conditions = (*conditions, rest)
    y = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if callable(function):
            y[condition] = function(x[condition], *args, **keywords)
        else:
            y[condition] = function
    return y
