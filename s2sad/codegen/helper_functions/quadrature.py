"""Weights of quadrature rules."""

from __future__ import annotations

from typing import Any

import numpy as np


def simpson_weights(shape: tuple[int, ...], x: Any, axis: int) -> Any:
    """The weights that ``scipy.integrate.simpson`` gives to samples of this shape along
    an axis, at places ``x`` or, where that is None, 1 apart; they broadcast to the
    shape.

    The last interval of an odd number of them is that of Cartwright, Simpson's rule
    cumulative integration with MS Excel and irregularly-spaced data, 2017, (8). Where
    places are the same, what would be divided by 0 is left out.
    """
    axis, count = axis % len(shape), shape[axis]
    places = np.arange(float(count)) if x is None else np.asarray(x, float)
    if places.ndim > 1:
        places = np.moveaxis(places, axis, -1)
    steps = np.diff(places)
    weights = np.zeros(places.shape)
    if count == 2:
        weights += 0.5 * steps
    else:
        end = count - 2 + count % 2  # of pairs of intervals
        a, b = steps[..., 0 : end - 1 : 2], steps[..., 1:end:2]
        both = a + b
        weights[..., 0 : end - 1 : 2] += both / 6 * (2 - _ratio(1.0, _ratio(a, b)))
        weights[..., 1:end:2] += both / 6 * both * _ratio(both, a * b)
        weights[..., 2 : end + 1 : 2] += both / 6 * (2 - _ratio(a, b))
        if count % 2 == 0:
            a, b = steps[..., -2], steps[..., -1]
            both = a + b
            weights[..., -1] += _ratio(2 * b**2 + 3 * a * b, 6 * both)
            weights[..., -2] += _ratio(b**2 + 3 * a * b, 6 * a)
            weights[..., -3] -= _ratio(b**3, 6 * a * both)
    if weights.ndim > 1:
        return np.moveaxis(weights, -1, axis)
    return np.reshape(weights, (count,) + (1,) * (len(shape) - 1 - axis))


def _ratio(a: Any, b: Any) -> Any:
    return np.where(b == 0, 0.0, a / np.where(b == 0, 1.0, b))
