"""Shapes of cotangents where ranks and lengths are known only when the program runs."""

from typing import Any

import numpy as np


def sum_to_shape_of(cotangent: Any, x: Any) -> Any:
    """The cotangent summed over the axes in which ``x`` was broadcast.

    >>> sum_to_shape_of(np.ones((2, 3)), np.zeros((2, 1)))
    array([[3.],
           [3.]])
    """
    try:
        if cotangent.shape == x.shape:
            return cotangent
    except AttributeError:
        pass
    shape, given = np.shape(x), np.shape(cotangent)
    extra = len(given) - len(shape)
    if extra > 0:
        cotangent = np.sum(cotangent, axis=tuple(range(extra)))
    stretched = tuple(
        axis
        for axis in range(-min(np.ndim(cotangent), len(shape)), 0)
        if shape[axis] == 1 and np.shape(cotangent)[axis] != 1
    )
    if stretched:
        cotangent = np.sum(cotangent, axis=stretched, keepdims=True)
    return cotangent


def sum_each_to_shape_of(cotangents: Any, x: Any) -> Any:
    """The same for many cotangents, which stand along the first axis.

    >>> sum_each_to_shape_of(np.ones((4, 2, 3)), np.zeros((2, 1))).shape
    (4, 2, 1)
    >>> sum_each_to_shape_of(np.ones((4, 3)), np.zeros((2, 1))).shape
    (4, 1)
    """
    shape = np.shape(x)
    count, *own = np.shape(cotangents)
    if tuple(own) == shape:
        return cotangents
    extra = len(own) - len(shape)
    summed = tuple(
        1 + axis
        for axis, length in enumerate(own)
        if axis < extra or (shape[axis - extra] == 1 and length != 1)
    )
    total = np.sum(cotangents, axis=summed, keepdims=True)
    return np.reshape(total, (count, *np.shape(total)[1 + max(extra, 0) :]))


def broadcast_each_to_shape_of(values: Any, x: Any) -> Any:
    """Many values, which stand along the first axis, each at the shape of one item of
    ``x``, as a view.

    >>> broadcast_each_to_shape_of(np.ones((4, 3)), np.zeros((4, 2, 3))).shape
    (4, 2, 3)
    """
    count, *own = np.shape(values)
    ones = (1,) * (np.ndim(x) - 1 - len(own))
    return np.broadcast_to(np.reshape(values, (count, *ones, *own)), np.shape(x))


def broadcast_to_shape_of(cotangent: Any, x: Any) -> Any:
    """The cotangent at the full shape and the dtype of ``x``, as an array of its own.

    >>> broadcast_to_shape_of(2.0, np.zeros(3))
    array([2., 2., 2.])
    >>> broadcast_to_shape_of(0.5, [0, 0])
    array([0.5, 0.5])
    >>> broadcast_to_shape_of(2, 0.5)
    2.0
    """
    if np.ndim(x) == 0:
        return float(cotangent) if isinstance(cotangent, int) else cotangent
    full = np.zeros_like(x)
    if full.dtype.kind in "biu":  # sums of nothing
        full = full.astype(float)
    full[...] = cotangent
    return full


def broadcast_along_items(cotangent: Any, items: Any) -> Any:
    """The cotangent at the shape of ``np.array(items)``, as a view; an empty list says
    nothing of the shape of its items. None stands for a name that isn't bound yet.

    >>> broadcast_along_items(np.ones(2), [np.zeros(2), np.zeros(2)]).shape
    (2, 2)
    >>> broadcast_along_items(np.ones((0, 2)), []).shape
    (0, 2)
    """
    if items is None:
        return cotangent
    if len(items) == 0 and np.ndim(cotangent) > 0:
        return cotangent[:0]
    return np.broadcast_to(cotangent, np.shape(items))


def reshape_as(x: Any, y: Any) -> Any:
    """``x`` in the shape of ``y``; a number where ``y`` is one."""
    if np.ndim(y) == 0:
        return np.sum(x)
    return np.reshape(x, np.shape(y))


def restore_reduced_axes(cotangent: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """The cotangent of a reduction of ``x``, aligned so that it broadcasts to ``x``.

    >>> restore_reduced_axes(np.ones(2), np.zeros((2, 3)), 1, False).shape
    (2, 1)
    """
    rank = np.ndim(x)
    if keepdims or axis is None or rank == 0 or np.ndim(cotangent) == 0:
        return cotangent
    axes = axis if isinstance(axis, tuple) else (axis,)
    reduced = {int(a) % rank for a in axes}
    lengths = list(np.shape(cotangent))
    shape: list[int] = []
    for position in reversed(range(rank)):
        if position in reduced:
            shape.insert(0, 1)
        elif lengths:
            shape.insert(0, lengths.pop())
        else:
            break
    return np.reshape(cotangent, tuple(shape))


def as_dtype_of(x: Any, like: Any) -> Any:
    """``x`` in the dtype of ``like``; unchanged where ``like`` is a Python number."""
    dtype = getattr(like, "dtype", None)
    if dtype is None:
        return x
    if np.iscomplexobj(x) and dtype.kind == "f":
        x = np.real(x)
    return x.astype(dtype) if hasattr(x, "astype") else dtype.type(x)


def divide_or_zero(x: Any, y: Any) -> Any:
    """``x / y``, and 0 where ``y`` is 0.

    >>> divide_or_zero(np.array([1.0, 1.0]), np.array([2.0, 0.0]))
    array([0.5, 0. ])
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(np.equal(y, 0), 0.0, np.divide(x, y))[()]
