"""Functions on grids: ``np.gradient``, ``np.mgrid`` and ``np.ogrid``."""

from typing import Any

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.runtime.broadcasting import as_dtype_of

_NARROW = ("int8", "int16", "int32", "uint8", "uint16", "uint32", "uint64")


@stands_for(np.gradient)
def gradient(f, *varargs, axis=None, edge_order=1):
    """``np.gradient(f, *varargs, axis=axis, edge_order=edge_order)``."""
    f = _with_differences(np.asarray(f))
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
        _slopes(f, k % f.ndim, spacing, edge_order)
        for k, spacing in zip(axes, spacings, strict=True)
    )
    return parts[0] if len(parts) == 1 else parts


def _with_differences(x: Any) -> Any:
    """As floats, where differences would wrap around."""
    return x.astype(np.float64) if rules.dtype_name(x) in _NARROW else x


def _slopes(f: Any, k: int, spacing: Any, edge_order: Any) -> Any:
    """The slopes along one axis."""
    if edge_order not in (1, 2):
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.shape[k] < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient")
    if np.ndim(spacing) == 0:
        return _even_slopes(f, k, spacing, edge_order)
    widths = np.diff(_with_differences(spacing))
    if np.all(widths == widths[0]):
        return _even_slopes(f, k, widths[0], edge_order)
    slopes = _uneven_slopes(f, k, widths, edge_order)
    if rules.is_double(f) or not rules.is_floating(f):
        return slopes
    return as_dtype_of(slopes, f)


def _even_slopes(f: Any, k: int, width: Any, edge_order: Any) -> Any:
    along = (slice(None),) * k
    inner = (f[(*along, slice(2, None))] - f[(*along, slice(None, -2))]) / (2.0 * width)
    if edge_order == 1:
        first = (f[(*along, slice(1, 2))] - f[(*along, slice(0, 1))]) / width
        last = (f[(*along, slice(-1, None))] - f[(*along, slice(-2, -1))]) / width
    else:
        first = _first_of_three(f, k, -1.5 / width, 2.0 / width, -0.5 / width)
        last = _last_of_three(f, k, 0.5 / width, -2.0 / width, 1.5 / width)
    return np.concatenate((first, inner, last), axis=k)


def _first_of_three(f: Any, k: int, a: Any, b: Any, c: Any) -> Any:
    along = (slice(None),) * k
    first, second = f[(*along, slice(0, 1))], f[(*along, slice(1, 2))]
    return a * first + b * second + c * f[(*along, slice(2, 3))]


def _last_of_three(f: Any, k: int, a: Any, b: Any, c: Any) -> Any:
    along = (slice(None),) * k
    first, second = f[(*along, slice(-3, -2))], f[(*along, slice(-2, -1))]
    return a * first + b * second + c * f[(*along, slice(-1, None))]


def _uneven_slopes(f: Any, k: int, widths: Any, edge_order: Any) -> Any:
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
    if edge_order == 1:
        first = (f[(*along, slice(1, 2))] - f[(*along, slice(0, 1))]) / widths[0]
        last = (f[(*along, slice(-1, None))] - f[(*along, slice(-2, -1))]) / widths[-1]
        return np.concatenate((first, inner, last), axis=k)
    one, two = widths[0], widths[1]
    a = -(2.0 * one + two) / (one * (one + two))
    b = (one + two) / (one * two)
    c = -one / (two * (one + two))
    first = _first_of_three(f, k, a, b, c)
    one, two = widths[-2], widths[-1]
    a = two / (one * (one + two))
    b = -(two + one) / (one * two)
    c = (2.0 * two + one) / (two * (one + two))
    last = _last_of_three(f, k, a, b, c)
    return np.concatenate((first, inner, last), axis=k)


@stands_for((type(np.mgrid), "__getitem__"), always=True)
def mgrid(key):
    """``np.mgrid[key]``."""
    if not isinstance(key, tuple):
        return _range_of(key)
    return np.stack(np.meshgrid(*(_range_of(one) for one in key), indexing="ij"))


@stands_for((type(np.ogrid), "__getitem__"), always=True)
def ogrid(key):
    """``np.ogrid[key]``."""
    if not isinstance(key, tuple):
        return _range_of(key)
    ranges = tuple(_range_of(one) for one in key)
    return np.meshgrid(*ranges, sparse=True, indexing="ij")


def _range_of(part):
    """The numbers of a slice; a step that is imaginary tells how many."""
    start = 0 if part.start is None else part.start
    if part.step is None:
        return np.arange(start, part.stop)
    if isinstance(part.step, complex):
        rules.not_supported("np.mgrid with an imaginary step", "use np.linspace")
    return np.arange(start, part.stop, part.step)
