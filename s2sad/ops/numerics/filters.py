"""What derivatives of filters and convolutions are made of."""

import math
from typing import Any

import numpy as np


def in_middle_of_whole(part: Any, x: Any, y: Any, axes: Any, late: bool) -> Any:
    """Zeros of the shape that the convolution of ``x`` and ``y`` over ``axes`` has (all
    if None), with a part of it in the middle; one place later if it isn't exact and
    the part begins ``late``.

    >>> in_middle_of_whole(np.ones(3), np.zeros(3), np.zeros(4), None, False)
    array([0., 1., 1., 1., 0., 0.])
    """
    rank = np.ndim(x)
    along = range(rank) if axes is None else [k % rank for k in np.atleast_1d(axes)]
    pairs = enumerate(zip(np.shape(x), np.shape(y), strict=True))
    shape = tuple(m + n - 1 if k in along else max(m, n) for k, (m, n) in pairs)
    return in_middle(part, np.empty(shape), late)


def in_middle(part: Any, like: Any, late: bool) -> Any:
    """Zeros of the shape of ``like`` with a part in the middle."""
    part = np.asarray(part)
    whole = np.zeros(np.shape(like), part.dtype)
    whole[_middle(whole.shape, part.shape, late)] = part
    return whole


def middle_of_whole(whole: Any, part: Any, late: bool) -> Any:
    """What stands where :func:`in_middle` puts a part of this shape."""
    return whole[_middle(np.shape(whole), np.shape(part), late)]


def _middle(shape: Any, part: Any, late: bool) -> Any:
    starts = [(m - n + late) // 2 for m, n in zip(shape, part, strict=True)]
    return tuple(slice(k, k + n) for k, n in zip(starts, part, strict=True))


def lagged_products(x: Any, y: Any, like: Any, axis: int) -> Any:
    """``sum(x[t] * conj(y[t - k]))`` over all t along an axis, and over the other axes,
    for as many lags k = 0, 1, ... as ``like`` has elements.

    >>> lagged_products(np.array([1.0, 2.0]), np.array([3.0, 4.0]), np.ones(3), 0)
    array([11.,  6.,  0.])
    """
    x, y = np.moveaxis(x, axis, -1), np.conj(np.moveaxis(y, axis, -1))
    count = x.shape[-1]
    products = np.zeros(np.shape(like), np.result_type(x, y))
    for lag in range(min(len(products), count)):
        products[lag] = np.sum(x[..., lag:] * y[..., : count - lag])
    return products


def one_sided(spectrum: Any, axis: int) -> Any:
    """A spectrum without negative frequencies, the positive ones doubled.

    >>> one_sided(np.ones(5), 0), one_sided(np.ones(4), 0)
    (array([1., 2., 2., 0., 0.]), array([1., 2., 1., 0.]))
    """
    scaled = np.array(spectrum)
    along = np.moveaxis(scaled, axis, -1)
    count = along.shape[-1]
    along[..., 1 : (count + 1) // 2] *= 2.0
    along[..., count // 2 + 1 :] = 0.0
    return scaled


def savgol_edge_weights(
    window: int, order: int, deriv: int, delta: float, start: int
) -> Any:
    """The weights with which a polynomial, fitted to a window of samples, gives its
    derivative at half a window of places from ``start``: one row a place.

    Source: A. Savitzky and M. Golay, Smoothing and differentiation of data by
    simplified least squares procedures, Analytical Chemistry 36 (1964).
    """
    middle = (window - 1) / 2
    powers = np.vander(np.arange(window) - middle, order + 1, increasing=True)
    places = np.arange(start, start + window // 2) - middle
    slopes = np.zeros((len(places), order + 1))
    for power in range(deriv, order + 1):
        slopes[:, power] = math.perm(power, deriv) * places ** (power - deriv)
    return slopes @ np.linalg.pinv(powers) / delta**deriv
