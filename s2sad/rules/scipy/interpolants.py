"""``scipy.interpolate``: splines and lines that the module holds."""

from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.ops.numerics import interpolants
from s2sad.rules.numpy.kinds_of_arrays import as_array, structure


def _made_of_numbers(value: Any) -> bool:
    """True for an interpolant of numbers, where others have arrays as values."""
    coefficients = getattr(value, "c", None)
    if coefficients is None:  # a UnivariateSpline has no others
        return True
    return np.ndim(coefficients) == (2 if hasattr(value, "x") else 1)


def _spline_kind(
    spline: ir.Kind,
    x: ir.Kind,
    nu: ir.Kind | None = None,
    outside: ir.Kind | None = None,
) -> ir.Kind:
    if not isinstance(spline, ir.Known) or not _made_of_numbers(spline.value):
        raise rules.CallRefused(
            "a spline whose values are arrays has no rule",
            "use a spline for each component",
        )
    return rules.elementwise_result(np.sin, (as_array(x),))


def _line_kind(interpolant: ir.Kind, x: ir.Kind) -> ir.Kind:
    value: Any = interpolant.value if isinstance(interpolant, ir.Known) else None
    if getattr(value, "_kind", None) != "linear" or np.ndim(value.y) != 1:
        raise rules.CallRefused(
            "interp1d has a rule for straight lines between numbers",
            "use make_interp_spline or CubicSpline",
        )
    return rules.elementwise_result(np.sin, (as_array(x),))


rules.elementwise(
    interpolants.spline_at,
    lambda spline, x, nu=0, outside=None, *, out: interpolants.spline_at(
        spline, x, nu + 1, outside
    ),
    kind=_spline_kind,
    differentiable=("x",),
)
rules.elementwise(
    interpolants.line_at,
    lambda interpolant, x, *, out: interpolants.slope_of_line(interpolant, x),
    kind=_line_kind,
    differentiable=("x",),
)
rules.without_derivative(interpolants.slope_of_line, kind=_line_kind)


# ------------------------------------------------------------------ grids


def _cells_kind(points: ir.Kind, x: ir.Kind, within: ir.Kind) -> ir.Kind:
    place = rules.array_or_number("int64", ir.axes_of(as_array(x)))
    return structure([place, place])


def _beyond_kind(points: ir.Kind, x: ir.Kind) -> ir.Kind:
    return rules.array_or_number("bool", ir.axes_of(as_array(x)))


rules.without_derivative(interpolants.cells_at, kind=_cells_kind)
rules.without_derivative(interpolants.beyond, kind=_beyond_kind)
