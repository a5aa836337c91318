"""What derivatives of Fourier transforms are made of."""

from typing import Any

import numpy as np


def doubled_inside(half: Any, count: int, axis: int) -> Any:
    """A half spectrum with each frequency counted as often as the whole spectrum, of
    ``count`` places, has it: twice but for 0 and, of an even number, the highest.

    >>> doubled_inside(np.ones(3), 4, 0)
    array([1., 2., 1.])
    """
    return _scaled_inside(half, count, axis, 2.0)


def halved_inside(half: Any, count: int, axis: int) -> Any:
    """The inverse of :func:`doubled_inside`.

    >>> halved_inside(np.ones(3), 5, 0)
    array([1. , 0.5, 0.5])
    """
    return _scaled_inside(half, count, axis, 0.5)


def _scaled_inside(half: Any, count: int, axis: int, factor: float) -> Any:
    scaled = np.array(half)
    inside = np.moveaxis(scaled, axis, -1)[..., 1 : (count + 1) // 2]
    inside *= factor
    return scaled


def cropped_or_padded(x: Any, like: Any, axes: Any) -> Any:
    """The array cut at the end of these axes, or continued with zeros, to the lengths
    of ``like`` there.

    >>> cropped_or_padded(np.ones(2), np.zeros(3), (0,))
    array([1., 1., 0.])
    """
    x = np.asarray(x)
    shape = list(x.shape)
    for axis in axes:
        shape[axis] = np.shape(like)[axis]
    common = tuple(map(slice, map(min, x.shape, shape)))
    fitted = np.zeros(tuple(shape), x.dtype)
    fitted[common] = x[common]
    return fitted


def scaled_at_ends(x: Any, axes: Any, ends: Any, factor: float) -> Any:
    """The array with its first or last elements (``ends`` holds 0, -1, both or none)
    along each axis times a factor.

    >>> scaled_at_ends(np.ones(4), (0,), (0, -1), 2.0)
    array([2., 1., 1., 2.])
    """
    scaled = np.array(x)
    for axis in axes:
        for end in ends:
            place = np.moveaxis(scaled, axis, 0)[end : end + 1 or None]
            place *= factor
    return scaled


def taper_of(name: str, length: int, shape: Any = None) -> Any:
    """``scipy.signal.get_window`` of a window by its name, and the number that some
    take for their shape.

    >>> taper_of("boxcar", 3)
    array([1., 1., 1.])
    """
    from scipy import signal

    window = name if shape is None else (name, shape)
    return np.asarray(signal.get_window(window, length), float)
