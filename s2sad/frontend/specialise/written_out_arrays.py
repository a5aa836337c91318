"""Functions of NumPy that are Python inside, which are written out like functions of
the user's.

They compute as NumPy does, operation by operation, so that values are the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def polyval(p: Any, x: Any) -> Any:
    """``np.polyval(p, x)``."""
    y = np.zeros_like(x)
    for coefficient in p:
        y = y * x + coefficient
    return y


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """``np.ediff1d(ary, to_end, to_begin)``."""
    ary = np.ravel(ary)
    steps = ary[1:] - ary[:-1]
    if to_begin is not None:
        steps = np.concatenate((np.ravel(to_begin), steps))
    if to_end is not None:
        steps = np.concatenate((steps, np.ravel(to_end)))
    return steps


def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """``np.append(arr, values, axis)``."""
    if axis is None:
        return np.concatenate((np.ravel(arr), np.ravel(values)))
    return np.concatenate((arr, values), axis)


def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    """``np.vander(x, N, increasing)``."""
    x = np.asarray(x)
    count = len(x) if N is None else N
    column = x[:, None]
    higher = np.cumprod(np.repeat(column, max(count - 1, 0), axis=1), axis=1)
    powers = np.concatenate((np.ones_like(column), higher), axis=1)[:, :count]
    return powers if increasing else powers[:, ::-1]


def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    """``np.select(condlist, choicelist, default)``."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    chosen = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        chosen = np.where(condition, choice, chosen)
    return chosen


def gradient(f: Any, *varargs: Any, axis: Any = None) -> Any:
    """``np.gradient(f, *varargs, axis=axis)``, of first order at the edges."""
    f = np.asarray(f)
    if axis is None:
        axes = tuple(range(f.ndim))
    elif isinstance(axis, tuple):
        axes = axis
    else:
        axes = (axis,)
    spacings = varargs
    if len(varargs) == 0:
        spacings = (1.0,) * len(axes)
    elif len(varargs) == 1 and np.ndim(varargs[0]) == 0:
        spacings = varargs * len(axes)
    parts = tuple(
        _slopes(f, k % f.ndim, spacing)
        for k, spacing in zip(axes, spacings, strict=True)
    )
    return parts[0] if len(parts) == 1 else parts


def _slopes(f: Any, k: int, spacing: Any) -> Any:
    """The slopes along one axis."""
    if f.shape[k] < 2:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    if np.ndim(spacing) == 0:
        return _even_slopes(f, k, spacing)
    widths = np.diff(spacing)
    if np.all(widths == widths[0]):
        return _even_slopes(f, k, widths[0])
    return _uneven_slopes(f, k, widths)


def _even_slopes(f: Any, k: int, width: Any) -> Any:
    along = (slice(None),) * k
    first = (f[(*along, slice(1, 2))] - f[(*along, slice(0, 1))]) / width
    inner = (f[(*along, slice(2, None))] - f[(*along, slice(None, -2))]) / (2.0 * width)
    last = (f[(*along, slice(-1, None))] - f[(*along, slice(-2, -1))]) / width
    return np.concatenate((first, inner, last), axis=k)


def _uneven_slopes(f: Any, k: int, widths: Any) -> Any:
    along = (slice(None),) * k
    across = (slice(None), *((None,) * (f.ndim - 1 - k)))
    before, behind = widths[:-1], widths[1:]
    a = -behind / (before * (before + behind))
    b = (behind - before) / (before * behind)
    c = before / (behind * (before + behind))
    inner = (
        a[across] * f[(*along, slice(None, -2))]
        + b[across] * f[(*along, slice(1, -1))]
        + c[across] * f[(*along, slice(2, None))]
    )
    first = (f[(*along, slice(1, 2))] - f[(*along, slice(0, 1))]) / widths[0]
    last = (f[(*along, slice(-1, None))] - f[(*along, slice(-2, -1))]) / widths[-1]
    return np.concatenate((first, inner, last), axis=k)


WRITTEN_OUT_ARRAYS: dict[Any, Callable[..., Any]] = {
    np.polyval: polyval,
    np.ediff1d: ediff1d,
    np.append: append,
    np.vander: vander,
    np.select: select,
    np.gradient: gradient,
}
