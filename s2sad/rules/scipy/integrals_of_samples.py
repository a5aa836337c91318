"""``scipy.integrate``: integrals of samples."""

import numpy as np
from scipy import integrate

from s2sad import ir, rules
from s2sad.ops.numerics.quadrature import simpson_weights
from s2sad.rules.numpy import reductions
from s2sad.rules.numpy.kinds_of_arrays import LAST, NOT_GIVEN, UNIT, as_array
from s2sad.rules.steps.shape_steps import reduced_to, restored


def _simpson_kind(
    y: ir.Kind, x: ir.Kind = NOT_GIVEN, dx: ir.Kind = UNIT, axis: ir.Kind = LAST
) -> ir.Kind:
    if x != NOT_GIVEN or ir.rank_of(dx) == 0:
        return reductions.trapezoid_kind(y, x, dx, axis)
    whole = reductions.trapezoid_kind(y, x, UNIT, axis)
    return rules.elementwise_result(np.multiply, [whole, as_array(dx)])


def _weights_kind(shape: ir.Kind, x: ir.Kind, axis: ir.Kind) -> ir.Kind:
    return ir.Array("float64", None)


rules.without_derivative(simpson_weights, kind=_weights_kind)


def weights_of(y, x, dx, axis):
    """The factors of the samples."""
    weights = simpson_weights(y.shape, x, axis)
    return dx * weights if x is None else weights


@rules.reverse_of(
    integrate.simpson,
    kind=_simpson_kind,
    differentiable=("y", "dx"),
    refused=("x",),
)
def _simpson(y, x=None, *, dx=1.0, axis=-1, out, out_bar):
    if x is None and rules.known_rank(dx) != 0:
        whole = integrate.simpson(y, axis=axis)
        aligned = restored(reduced_to(out_bar * dx, whole), y, axis, False)
        y_bar = aligned * weights_of(y, x, 1.0, axis)
        return y_bar, reduced_to(out_bar * whole, dx)
    y_bar = restored(out_bar, y, axis, False) * weights_of(y, x, dx, axis)
    if x is None:
        return y_bar, np.sum(out_bar * integrate.simpson(y, axis=axis))
    return y_bar, 0.0


@rules.forward_of(integrate.simpson)
def _simpson_forward(y, x=None, *, dx=1.0, axis=-1, out, y_dot, dx_dot):
    change = 0.0
    if not rules.is_literal_zero(y_dot):
        change = integrate.simpson(y_dot, x=x, dx=dx, axis=axis)
    if x is None:
        change = change + integrate.simpson(y, axis=axis) * dx_dot
    return change


def _cumulative_kind(
    y: ir.Kind,
    x: ir.Kind = NOT_GIVEN,
    dx: ir.Kind = UNIT,
    axis: ir.Kind = LAST,
    initial: ir.Kind = NOT_GIVEN,
) -> ir.Kind:
    if rules.static_value(initial) not in (None, 0):
        raise rules.CallRefused(
            "cumulative_trapezoid has a rule for initial=None and initial=0",
            "add the initial value to the result",
        )
    areas = reductions.areas_kind(y, x, dx, axis)
    axes = ir.axes_of(areas)
    if axes is None:
        return ir.UNKNOWN
    along = rules.normalised_axes(rules.static_value(axis), len(axes))
    if rules.static_value(initial) is None:
        axes = tuple(ir.Axis("any") if k in along else a for k, a in enumerate(axes))
    return ir.Array(ir.dtype_of(areas), axes)


def ends_of(x, axis, start):
    """The index of what is behind the first elements along an axis."""
    return (*((slice(None),) * rules.settled_axes(axis, x)[0]), slice(start, None))


@rules.reverse_of(
    integrate.cumulative_trapezoid,
    kind=_cumulative_kind,
    differentiable=reductions.TRAPEZOID,
)
def _cumulative(y, x=None, dx=1.0, axis=-1, initial=None, *, out, out_bar):
    parts = out_bar if initial is None else out_bar[ends_of(out, axis, 1)]
    aligned = np.flip(np.cumsum(np.flip(parts, axis), axis), axis)
    if reductions.own_widths(y, x, dx, axis):
        return reductions.of_areas(0.5 * aligned, y, x, dx, axis)
    sums = reductions.pairs(y, axis)
    y_bar = reductions.spread(
        0.5 * aligned * reductions.intervals(y, x, dx, axis), axis, y, 1
    )
    return y_bar, *reductions.of_widths(0.5 * aligned * sums, y, x, axis)


@rules.forward_of(integrate.cumulative_trapezoid)
def _cumulative_forward(
    y, x=None, dx=1.0, axis=-1, initial=None, *, out, y_dot, x_dot, dx_dot
):
    change = reductions.changed_areas(y, x, dx, axis, y_dot, x_dot, dx_dot)
    total = np.cumsum(0.5 * change, axis)
    if initial is None:
        return total
    first = np.zeros_like(np.take(out, [0], axis))
    return np.concatenate((first, total), axis)
