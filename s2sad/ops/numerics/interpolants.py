"""Objects of ``scipy.interpolate``, evaluated at places."""

from typing import Any

import numpy as np


def spline_at(spline: Any, x: Any, nu: Any = 0, outside: Any = None) -> Any:
    """The spline's derivative of order ``nu`` at x; ``outside`` says how it goes on."""
    return spline(x, nu, outside)


def line_at(interpolant: Any, x: Any) -> Any:
    """An ``interp1d`` of straight lines at x."""
    return interpolant(x)


def slope_of_line(interpolant: Any, x: Any) -> Any:
    """The slope at x of an ``interp1d`` of straight lines: at a knot of what is right
    of it, and 0 where a constant goes on outside."""
    knots, values = interpolant.x, interpolant.y
    place = np.clip(np.searchsorted(knots, x, side="right"), 1, len(knots) - 1)
    slopes = np.diff(values) / np.diff(knots)
    found = slopes[place - 1]
    fill = interpolant.fill_value
    if isinstance(fill, str) and fill == "extrapolate":
        return found
    return np.where((x < knots[0]) | (x > knots[-1]), 0.0, found)[()]


def cells_at(points: Any, x: Any, within: Any) -> Any:
    """The places of the points below and above x, among points that rise or fall. At a
    point it is the cell above, and outside of all points that at the border;
    ValueError there if x is to lie ``within``.

    >>> cells_at(np.array([5.0, 2.0, 1.0]), np.array([1.0, 2.5]), True)
    (array([2, 1]), array([1, 0]))
    """
    last = len(points) - 1
    falls = last > 0 and points[0] > points[-1]
    ordered = points[::-1] if falls else points
    if last < 1 or not np.all(ordered[1:] > ordered[:-1]):
        raise ValueError("the points of a grid must rise or fall, and be two or more")
    if within and not np.all((ordered[0] <= x) & (x <= ordered[-1])):
        raise ValueError("One of the requested xi is out of bounds")
    place = np.clip(np.searchsorted(ordered, x, side="right"), 1, last)
    return (last - (place - 1), last - place) if falls else (place - 1, place)


def beyond(points: Any, x: Any) -> Any:
    """True where x doesn't lie among points that rise or fall.

    >>> beyond(np.arange(3.0), np.array([-0.5, 2.0]))
    array([ True, False])
    """
    low, high = min(points[0], points[-1]), max(points[0], points[-1])
    return (x < low) | (x > high)
