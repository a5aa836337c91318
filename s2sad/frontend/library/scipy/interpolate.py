"""Interpolants of ``scipy.interpolate`` that the module holds, called with places."""

from __future__ import annotations

from typing import Any

from scipy.interpolate import BSpline, PPoly, UnivariateSpline, interp1d

from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics.interpolants import line_at, spline_at


@stands_for((PPoly, "__call__"), (BSpline, "__call__"), of_owner=True)
def spline(self: Any, x: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
    """``spline(x, nu, extrapolate)``."""
    return spline_at(self, x, nu, extrapolate)


@stands_for((UnivariateSpline, "__call__"), of_owner=True)
def univariate_spline(self: Any, x: Any, nu: Any = 0, ext: Any = None) -> Any:
    """``spline(x, nu, ext)``."""
    return spline_at(self, x, nu, ext)


@stands_for((interp1d, "__call__"), of_owner=True)
def line(self: Any, x: Any) -> Any:
    """``interp1d(...)(x)``."""
    return line_at(self, x)
