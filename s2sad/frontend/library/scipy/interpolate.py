"""Interpolants of ``scipy.interpolate`` that the module holds, called with places."""

from scipy.interpolate import BSpline, PPoly, UnivariateSpline, interp1d

from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics.interpolants import line_at, spline_at


@stands_for((PPoly, "__call__"), (BSpline, "__call__"), of_owner=True)
def spline(self, x, nu=0, extrapolate=None):
    """``spline(x, nu, extrapolate)``."""
    return spline_at(self, x, nu, extrapolate)


@stands_for((UnivariateSpline, "__call__"), of_owner=True)
def univariate_spline(self, x, nu=0, ext=None):
    """``spline(x, nu, ext)``."""
    return spline_at(self, x, nu, ext)


@stands_for((interp1d, "__call__"), of_owner=True)
def line(self, x):
    """``interp1d(...)(x)``."""
    return line_at(self, x)
