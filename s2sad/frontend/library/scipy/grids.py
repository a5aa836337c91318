"""``scipy.interpolate.RegularGridInterpolator``, by values, points and places."""

import itertools
from typing import Any

import numpy as np
from scipy.interpolate import RegularGridInterpolator

from s2sad import rules
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics.interpolants import beyond, cells_at


class GridInterpolant:
    """An interpolator with its grid."""

    __s2sad_written_out__ = True

    def __init__(
        self, points: Any, values: Any, method: Any, bounds_error: Any, fill_value: Any
    ) -> None:
        self.grid, self.values, self.method = points, values, method
        self.bounds_error, self.fill_value = bounds_error, fill_value

    def __call__(self, xi, method=None):
        """``interpolator(xi, method)``."""
        return on_grid(self, xi, method)


@stands_for(RegularGridInterpolator, always=True)
def grid_interpolant(
    points, values, method="linear", bounds_error=True, fill_value=np.nan
):
    """``RegularGridInterpolator(points, values, method, bounds_error, fill_value)``."""
    check_method(method)
    grid = tuple(p if rules.is_array(p) else np.asarray(p, float) for p in points)
    values = values if rules.is_array(values) else np.asarray(values)
    if not rules.is_floating(values) and not rules.is_complex_number(values):
        values = values.astype(float)
    if len(grid) > rules.known_rank(values):
        raise ValueError(
            f"There are {len(grid)} point arrays, but values has "
            f"{rules.known_rank(values)} dimensions"
        )
    for p, length in zip(grid, values.shape):
        if len(p) != length:
            raise ValueError("the points and values are of different lengths")
    return GridInterpolant(grid, values, method, bounds_error, fill_value)


@stands_for((RegularGridInterpolator, "__call__"), of_owner=True)
def on_grid(self, xi, method=None):
    """``interpolator(xi, method)``: at a point the derivative is that of the cell on
    its right."""
    method = self.method if rules.is_none(method) else method
    check_method(method)
    places = coordinates(xi, len(self.grid))
    cells = [cells_at(p, x, self.bounds_error) for p, x in zip(self.grid, places)]
    shares = [share_of(p, x, cell) for p, x, cell in zip(self.grid, places, cells)]
    if method == "linear":
        found = weighted(self.values, cells, shares)
    else:
        nearest = [
            np.where(share <= 0.5, below, above)
            for share, (below, above) in zip(shares, cells)
        ]
        found = self.values[tuple(nearest)]
    if self.bounds_error:
        return found
    behind = rules.known_rank(self.values) - len(self.grid)
    if not rules.is_none(self.fill_value):
        outside = any_of([beyond(p, x) for p, x in zip(self.grid, places)])
        found = np.where(beside(outside, behind), self.fill_value, found)
    if method == "linear":
        return found
    missing = any_of([np.isnan(x) for x in places])
    return np.where(beside(missing, behind), np.nan, found)


def check_method(method: Any) -> None:
    """Refuse what isn't written here."""
    if method != "linear" and method != "nearest":
        rules.not_supported(
            f"RegularGridInterpolator with method={method!r}",
            "use method='linear', or a CubicSpline of the module along an axis",
        )


def share_of(points, x, cell):
    """How far x is on its way from the point below to that above."""
    below, above = cell
    low = points[below]
    return (x - low) / (points[above] - low)


def weighted(values, cells, shares):
    """The mean of the values at the corners of a cell, weighted by the volumes that lie
    opposite of them."""
    behind = rules.known_rank(values) - len(cells)
    rest = [1 - share for share in shares]
    total = 0.0
    for corner in itertools.product((0, 1), repeat=len(cells)):
        factors = [s if side else r for side, s, r in zip(corner, shares, rest)]
        weight = factors[0]
        for factor in factors[1:]:
            weight = weight * factor
        index = tuple(cell[side] for side, cell in zip(corner, cells))
        total = total + values[index] * beside(weight, behind)
    return total


def any_of(conditions):
    """True where one of several conditions holds."""
    found = conditions[0]
    for condition in conditions[1:]:
        found = found | condition
    return found


def coordinates(xi: Any, count: int) -> Any:
    """The coordinates of places, of which there are so many."""
    if isinstance(xi, tuple):
        if len(xi) != count:
            raise ValueError(f"places of a grid of {count} axes have as many")
        return [x if rules.known_rank(x) == 0 else np.asarray(x) for x in xi]
    xi = xi if rules.is_array(xi) else np.asarray(xi)
    if rules.known_rank(xi) == 0:
        rules.not_supported(
            "a place on a grid that is a number", "give an array, or a tuple"
        )
    if rules.known_rank(xi) == 1:
        xi = np.reshape(xi, (-1, count))
    if xi.shape[-1] != count:
        raise ValueError(f"places of a grid of {count} axes have as many coordinates")
    return [xi[..., k] for k in range(count)]


def beside(x: Any, behind: int) -> Any:
    """An array with axes behind its own."""
    return np.asarray(x)[(Ellipsis, *((None,) * behind))] if behind else x
