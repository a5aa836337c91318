"""Weights of quadrature rules."""

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


def _ratio(a, b):
    return np.where(b == 0, 0.0, a / np.where(b == 0, 1.0, b))


def quadrature(f, low, high, args, epsabs, epsrel, limit):
    """The integral of ``f(x, *args)``, a number, and an estimate of its error, by
    ``scipy.integrate.quad``.

    >>> value, _ = quadrature(lambda x, a: a * x, 0.0, 1.0, (3.0,), 1e-8, 1e-8, 50)
    >>> round(value, 9)
    1.5
    """
    from scipy import integrate

    found = integrate.quad(
        lambda x: float(np.asarray(f(x, *args)).item()),
        low,
        high,
        epsabs=epsabs,
        epsrel=epsrel,
        limit=limit,
    )
    return float(found[0]), float(found[1])


def quadratures(f, low, high, args, epsabs, epsrel):
    """The integrals of the numbers and arrays that ``f(x, *args)`` returns, by
    ``scipy.integrate.quad_vec``; RuntimeError where they aren't found.

    >>> both = quadratures(lambda x: (x, np.ones(2)), 0.0, 2.0, (), 1e-8, 1e-8)
    >>> [np.round(part, 9).tolist() for part in both]
    [2.0, [2.0, 2.0]]
    """
    from scipy import integrate

    def vector(x):
        found = f(x, *args)
        parts = found if isinstance(found, tuple) else (found,)
        return np.concatenate([np.ravel(part) for part in parts])

    middle = low + 0.5 * (high - low) if np.isfinite(high - low) else 0.0
    middle = np.clip(middle, min(low, high), max(low, high))
    found, _, info = integrate.quad_vec(
        vector, low, high, epsabs=epsabs, epsrel=epsrel, full_output=True
    )
    if not info.success and info.status != 2:  # 2: as well as roundings allow
        raise RuntimeError(f"quad: the derivative isn't found: {info.message}")
    example = f(float(middle), *args)
    several = isinstance(example, tuple)
    results, start = [], 0
    for part in example if several else (example,):
        count = np.size(part)
        block = found[start : start + count]
        results.append(np.reshape(block, np.shape(part)) if np.ndim(part) else block[0])
        start += count
    return tuple(results) if several else results[0]
