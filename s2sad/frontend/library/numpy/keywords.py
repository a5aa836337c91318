"""Calls of NumPy with keywords that the rules of functions don't take, in terms of
calls that they take."""

from typing import Any

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics.statistics import sum_where
from s2sad.rules.numpy.reductions import length_along
from s2sad.rules.steps.shape_steps import in_dtype_of

# ------------------------------------------------------------------ reductions


@stands_for(np.sum, words=("initial", "where"))
def sum_(a, axis=None, dtype=None, *, keepdims=False, initial=0, where=True):
    """``np.sum(a, initial=, where=)``."""
    if where is True:
        total = np.sum(a, axis=axis, dtype=dtype, keepdims=keepdims)
    else:
        total = _sum_where(a, where, axis, dtype, keepdims)
    return total if rules.is_literal_zero(initial) else total + initial


def _sum_where(a, where, axis, dtype, keepdims):
    a = a if rules.is_array(a) and dtype is None else np.asarray(a, dtype)
    where = np.asarray(where) if rules.is_sequence(where) else where
    return sum_where(a, where, axis, keepdims)


@stands_for(np.prod, words=("initial", "where"))
def prod(a, axis=None, dtype=None, *, keepdims=False, initial=1, where=True):
    """``np.prod(a, initial=, where=)``."""
    chosen = a if where is True else np.where(where, a, 1)
    return np.prod(chosen, axis=axis, dtype=dtype, keepdims=keepdims) * initial


@stands_for(np.max, np.amax, words=("initial", "where"))
def max_(a, axis=None, *, keepdims=False, initial=None, where=True):
    """``np.max(a, initial=, where=)``."""
    if initial is None:
        rules.not_supported("np.max with where= but no initial=", "give both")
    chosen = a if where is True else np.where(where, a, initial)
    if not rules.surely_has_elements(chosen) and np.size(chosen) == 0:
        return np.sum(chosen, axis=axis, keepdims=keepdims) + initial
    return np.maximum(np.max(chosen, axis=axis, keepdims=keepdims), initial)


@stands_for(np.min, np.amin, words=("initial", "where"))
def min_(a, axis=None, *, keepdims=False, initial=None, where=True):
    """``np.min(a, initial=, where=)``."""
    if initial is None:
        rules.not_supported("np.min with where= but no initial=", "give both")
    chosen = a if where is True else np.where(where, a, initial)
    if not rules.surely_has_elements(chosen) and np.size(chosen) == 0:
        return np.sum(chosen, axis=axis, keepdims=keepdims) + initial
    return np.minimum(np.min(chosen, axis=axis, keepdims=keepdims), initial)


@stands_for(np.mean, words=("where",))
def mean(a, axis=None, dtype=None, *, keepdims=False, where=True):
    """``np.mean(a, where=)``."""
    if where is True:
        return np.mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    total = _sum_where(a, where, axis, dtype, keepdims)
    return total / in_dtype_of(_counted(where, a, axis, keepdims), total)


def _counted(where, a, axis, keepdims):
    """How many elements a reduction takes."""
    return np.sum(np.broadcast_to(where, np.shape(a)), axis=axis, keepdims=keepdims)


@stands_for(np.var, words=("where", "mean", "correction"))
def var(
    a,
    axis=None,
    dtype=None,
    *,
    ddof=0,
    keepdims=False,
    where=True,
    mean=None,
    correction=0,
):
    """``np.var(a, where=, mean=, correction=)``."""
    lost = ddof + correction
    if where is True and mean is None:
        return np.var(a, axis=axis, dtype=dtype, ddof=lost, keepdims=keepdims)
    if dtype is not None:
        rules.not_supported(
            "np.var with dtype= and where= or mean=", "cast the array first"
        )
    if mean is None:
        mean = np.mean(a, axis=axis, keepdims=True, where=where)
    difference = a - mean
    squares = difference * difference
    if where is True:
        total = np.sum(squares, axis=axis, keepdims=keepdims)
        return total / max(length_along(a, axis) - lost, 0)
    total = _sum_where(squares, where, axis, None, keepdims)
    freedom = np.maximum(_counted(where, a, axis, keepdims) - lost, 0)
    return total / in_dtype_of(freedom, total)


@stands_for(np.std, words=("where", "mean", "correction"))
def std(
    a,
    axis=None,
    dtype=None,
    *,
    ddof=0,
    keepdims=False,
    where=True,
    mean=None,
    correction=0,
):
    """``np.std(a, where=, mean=, correction=)``: its derivative is 0 where it is."""
    lost = ddof + correction
    if where is True and mean is None:
        return np.std(a, axis=axis, dtype=dtype, ddof=lost, keepdims=keepdims)
    variance = var(a, axis, dtype, ddof=lost, keepdims=keepdims, where=where, mean=mean)
    return root_of_variance(variance)


def root_of_variance(variance):
    """The square root, with derivative 0 at 0."""
    if rules.known_rank(variance) == 0:
        return np.sqrt(variance) if variance != 0 else variance * 0.0
    return np.where(variance == 0, 0.0, np.sqrt(variance))


@stands_for(np.average, words=("returned",))
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    """``np.average(a, returned=True)``: with the sum of weights."""
    mean = np.average(a, axis=axis, weights=weights, keepdims=keepdims)
    if not returned:
        return mean
    if weights is None:
        return mean, np.zeros_like(mean) + length_along(a, axis)
    if rules.known_rank(weights) == rules.known_rank(a):
        return mean, np.sum(weights, axis=axis, keepdims=keepdims)
    return mean, np.zeros_like(mean) + np.sum(weights)


# ------------------------------------------------------------------ samples


@stands_for(np.diff, words=("prepend", "append"))
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """``np.diff(a, prepend=, append=)``."""
    a = a if rules.is_array(a) else np.asarray(a)
    if n == 0:
        return a
    parts: tuple[Any, ...] = (a,)
    if prepend is not None:
        parts = (_beside(prepend, a, axis), *parts)
    if append is not None:
        parts = (*parts, _beside(append, a, axis))
    return np.diff(np.concatenate(parts, axis=axis), n, axis)


def _beside(value, a, axis):
    """A number as an array to join along an axis."""
    if rules.is_sequence(value) or rules.known_rank(value) != 0:
        return np.asarray(value)
    k = axis % a.ndim
    return np.broadcast_to(value, (*a.shape[:k], 1, *a.shape[k + 1 :]))


@stands_for(np.interp, words=("left", "right", "period"))
def interp(x, xp, fp, left=None, right=None, period=None):
    """``np.interp(x, xp, fp, left, right, period)``."""
    if period is not None:
        xp, fp = np.asarray(xp), np.asarray(fp)
        width = np.abs(period)
        x, xp = np.remainder(x, width), np.remainder(xp, width)
        order = np.argsort(xp)
        xp, fp = xp[order], fp[order]
        xp = np.concatenate((xp[-1:] - width, xp, xp[:1] + width))
        return np.interp(x, xp, np.concatenate((fp[-1:], fp, fp[:1])))
    found = np.interp(x, xp, fp)
    if left is not None:
        found = _instead(found, np.less(x, xp[0]), left)
    if right is not None:
        found = _instead(found, np.greater(x, xp[-1]), right)
    return found


def _instead(found, outside, value):
    if rules.known_rank(found) == 0:
        return np.float64(value) if outside else found
    return np.where(outside, value, found)


def trapz(y, x=None, dx=1.0, axis=-1):
    """``np.trapz(y, x, dx, axis)``."""
    return np.trapezoid(y, x, dx, axis)


if hasattr(np, "trapz"):
    stands_for(np.trapz)(trapz)


@stands_for(np.cross)
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """``np.cross(a, b, axisa, axisb, axisc, axis)`` of vectors in space: of those in
    the plane, which NumPy deprecates, it has an axis less, and lengths aren't known.
    ValueError for those, as ``np.linalg.cross`` has it."""
    if axis is not None:
        axisa = axisb = axisc = axis
    if axisa == axisb == axisc == -1:
        return np.linalg.cross(a, b)
    first = np.moveaxis(np.asarray(a), axisa, -1)
    second = np.moveaxis(np.asarray(b), axisb, -1)
    return np.moveaxis(np.linalg.cross(first, second), -1, axisc)


@stands_for(np.size, words=("axis",))
def size(a, axis=None):
    """``np.size(a, axis)``."""
    return np.size(a) if axis is None else np.shape(a)[axis]


@stands_for(np.meshgrid, words=("sparse", "copy"))
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    """``np.meshgrid(*xi, sparse=True)``."""
    if not copy:
        rules.not_supported("np.meshgrid(copy=False) gives views", "leave copy out")
    if not sparse:
        return np.meshgrid(*xi, indexing=indexing)
    rank = len(xi)
    grids: tuple[Any, ...] = ()
    for k, x in enumerate(xi):
        at = 1 - k if indexing == "xy" and rank > 1 and k < 2 else k
        grids = (*grids, np.reshape(x, (1,) * at + (-1,) + (1,) * (rank - 1 - at)))
    return grids
