"""Objects of ``scipy.interpolate``, evaluated at places."""

from __future__ import annotations

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
