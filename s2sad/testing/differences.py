"""Derivatives along a line by central differences, with estimates of their errors.

Takes a function of one real number whose results are numbers or arrays; gives its
derivative at 0, and for each element how far that may be off. Central differences have
an error series in even powers of the step, so that those of several steps are
extrapolated to the step 0 (Richardson); where the extrapolations stop agreeing with one
another, rounding has taken over, and how well they agreed before is the error. Source:
Ridders, Accurate computation of F'(x) and F'(x) F''(x), Advances in Engineering
Software 4 (1982).

>>> found = differentiated(lambda t: np.exp(2.0 * t), 0.1)
>>> bool(abs(found.derivative - 2.0) <= found.error < 1e-9)
True
>>> bool(differentiated(lambda t: max(t, 0.0), 0.1).kink)  # the sides differ
True
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

EPS = float(np.finfo(np.float64).eps)
_LEVELS = 8
"""Steps of one extrapolation, each half of the one before."""
_STEPS = (1.0, 32.0, 1.0 / 64.0, 1.0 / 4096.0)
"""First steps that are tried until an estimate is good, relative to the one given."""
_OTHERS = (32.0, 256.0, 2048.0, 1.0 / 64.0, 1.0 / 4096.0)
"""First steps that see over the stairs of a function with much rounding, or into the
middle of a narrow bend."""
_SAFETY = 4.0
"""How many times its estimate an error may be."""


@dataclass(frozen=True)
class Differences:
    """The derivative of each element of a result, and how sure it is."""

    derivative: Any
    error: Any
    """How far the derivative may be off; inf where differences aren't finite."""
    kink: Any
    """True where the slopes on the two sides differ: there is no derivative."""


def differentiated(
    function: Callable[[float], Any],
    step: float,
    precision: float = EPS,
    enough: float = 1e-8,
) -> Differences:
    """The derivative at 0 of a function of one number. ``step`` is the first of the
    steps, over which the function should change little; others are tried where the
    error, relative to the derivative, isn't ``enough``. ``precision`` is the relative
    rounding error of the function's values."""
    with np.errstate(all="ignore"):
        centre = np.asarray(function(0.0), dtype=np.float64)
        best = _at_step(function, centre, step * _STEPS[0], precision)
        for factor in _STEPS[1:]:
            poor = ~(best.error <= enough * np.abs(best.derivative))
            if not np.any(poor | best.kink):
                break
            other = _at_step(function, centre, step * factor, precision)
            # A kink at a large step may be a bend at a smaller one, and rounding hides
            # what there is at the smallest.
            take = poor & (other.error < best.error) | best.kink & ~other.kink
            best = Differences(
                np.where(take, other.derivative, best.derivative),
                np.where(take, other.error, best.error),
                best.kink & other.kink,
            )
    return best


def _at_step(
    function: Callable[[float], Any],
    centre: np.ndarray,
    first: float,
    precision: float,
    levels: int = _LEVELS,
) -> Differences:
    """The extrapolation from one sequence of steps."""
    derivative = np.full(centre.shape, np.nan)
    error = np.full(centre.shape, np.inf)
    bends: list[np.ndarray] = []
    previous: list[np.ndarray] = []
    noise = np.zeros(centre.shape)
    for level in range(levels):
        # A step that is a power of 2 leaves the least rounding in t + step.
        step = float(2.0 ** (np.round(np.log2(first)) - level))
        above = _value(function, step, centre)
        below = _value(function, -step, centre)
        noise = precision * (np.abs(above) + np.abs(below) + np.abs(centre)) / step
        bends.append(np.abs((above - centre) - (centre - below)) / step)
        row = [(above - below) / (2.0 * step)]
        nearest, spread = row[0], np.full(centre.shape, np.inf)
        for k, before in enumerate(previous):
            factor = 4.0 ** (k + 1)
            row.append((factor * row[k] - before) / (factor - 1.0))
            apart = np.maximum(abs(row[k + 1] - row[k]), abs(row[k + 1] - before))
            apart = np.where(np.isfinite(apart), apart + noise, np.inf)
            nearest = np.where(apart < spread, row[k + 1], nearest)
            spread = np.minimum(apart, spread)
        # What agreed over wide steps alone may have missed what is in the middle.
        missed = np.abs(nearest - derivative)
        error = np.where(missed > error, missed, error)
        derivative = np.where(spread < error, nearest, derivative)
        error = np.minimum(spread, error)
        previous = row
    # The slopes of the two sides differ by the step times the curvature, so that half
    # the step has half the difference; at a kink it stays. An element of which
    # cancelling terms leave nothing still has their rounding: that of the largest is
    # the limit.
    loudest = np.max(noise, where=np.isfinite(noise), initial=0.0)
    above_noise = bends[-1] > 100.0 * np.fmax(noise, loudest)
    kink = (bends[-1] > 0.75 * bends[-2]) & above_noise
    return Differences(derivative, _SAFETY * error, kink)


def _value(function: Callable[[float], Any], t: float, centre: np.ndarray) -> Any:
    """What a function gives, nan where it raises: outside of its domain, say."""
    try:
        return np.asarray(function(t), dtype=np.float64)
    except Exception:  # whatever the user's function raises there
        return np.full(centre.shape, np.nan)


def supported_by_other_steps(
    function: Callable[[float], Any],
    step: float,
    derivative: Any,
    found: Differences,
    precision: float = EPS,
) -> Any:
    """Where differences over much wider or smaller steps are for a derivative, and
    against those that were ``found``: a function that cancels large numbers is a
    staircase, over whose small steps it is flat, or steep.

    >>> def stairs(t):
    ...     return (1e14 + np.sin(t)) - 1e14
    >>> found = differentiated(stairs, 1e-3)
    >>> float(found.derivative)
    0.0
    >>> bool(supported_by_other_steps(stairs, 1e-3, 1.0, found))
    True
    """
    far = np.abs(derivative - found.derivative)
    supported = np.zeros(np.shape(far), bool)
    with np.errstate(all="ignore"):
        centre = np.asarray(function(0.0), dtype=np.float64)
        for factor in _OTHERS:
            other = _at_step(function, centre, step * factor, precision, 4)
            near = np.abs(derivative - other.derivative)
            supported |= (near <= 0.1 * far) & (other.error <= 0.5 * far)
    return supported


def complex_step(function: Callable[[complex], Any], value: Any) -> Any:
    """The derivative at 0 as Im f(ih) / h, which has no rounding from subtraction; None
    where the function doesn't take complex numbers, or is not analytic in what NumPy
    makes of it.

    ``value`` is what the function gives for 0. ``abs`` or a comparison may make the
    result wrong unseen, so that it can confirm a derivative, but not refute one.

    Source: Squire and Trapp, Using complex variables to estimate derivatives of real
    functions, SIAM Review 40 (1998); Martins, Sturdza and Alonso, The complex-step
    derivative approximation, ACM Transactions on Mathematical Software 29 (2003).

    >>> float(complex_step(lambda t: np.sin(1.0 + t), np.sin(1.0)))
    0.5403023...
    >>> complex_step(lambda t: abs(1.0 + t), 1.0) is None
    True
    """
    height = 1e-20
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(function(complex(0.0, height)))
    except Exception:  # whatever the user's function makes of complex numbers
        return None
    if result.dtype.kind != "c" or result.shape != np.shape(value):
        return None
    if not np.allclose(result.real, value, rtol=1e-12, atol=0.0, equal_nan=True):
        return None
    return result.imag / height
