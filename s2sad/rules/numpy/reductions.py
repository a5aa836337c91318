"""Sums, means, extrema and their like, and functions that run along an axis."""

from dataclasses import replace

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime.broadcasting import divide_or_zero
from s2sad.ops.runtime.products import product_of_others
from s2sad.rules.numpy.kinds_of_arrays import (
    FIRST,
    IS_FALSE,
    LAST,
    NOT_GIVEN,
    UNIT,
    as_array,
    numeric_dtype,
    result_dtype,
    result_of_reduction,
    settled_array_axes,
    settled_axes_of,
)
from s2sad.rules.python.numbers import divided
from s2sad.rules.steps.shape_steps import (
    conjugate,
    in_dtype_of,
    reduced_to,
    restored,
    shaped_like,
)


def reduction(function):
    """The kind function of a reduction whose array is called ``a``."""

    def kind(
        a: ir.Kind,
        axis: ir.Kind = NOT_GIVEN,
        keepdims: ir.Kind = IS_FALSE,
        **_: ir.Kind,
    ):
        return result_of_reduction(function, a, axis, keepdims)

    return kind


@rules.reverse_of(np.sum, kind=reduction(np.sum), linear=True, lazy=True)
def _sum(a, axis=None, *, keepdims=False, out, out_bar):
    return restored(out_bar, a, axis, keepdims)


def length_along(a, axis):
    """The number of elements that a reduction combines into one."""
    if rules.known_rank(a) == 0:
        return 1
    if axis is None:
        return a.size
    length = 1
    for one in axis if isinstance(axis, tuple) else (axis,):
        length = length * a.shape[one]
    return length


@rules.reverse_of(np.mean, kind=reduction(np.mean), linear=True, lazy=True)
def _mean(a, axis=None, *, keepdims=False, out, out_bar):
    return restored(divided(out_bar, length_along(a, axis)), a, axis, keepdims)


@rules.reverse_of(np.prod, kind=reduction(np.prod), lazy=True)
def _prod(a, axis=None, *, keepdims=False, out, out_bar):
    return restored(out_bar, a, axis, keepdims) * np.conj(product_of_others(a, axis))


@rules.forward_of(np.prod)
def _prod_forward(a, axis=None, *, keepdims=False, out, a_dot):
    return np.sum(a_dot * product_of_others(a, axis), axis=axis, keepdims=keepdims)


def share_of_ties(ties, a, axis):
    """How many elements share the extremum, kept aligned with ``a``."""
    return in_dtype_of(np.sum(ties, axis=axis, keepdims=axis is not None), a)


def extremum_cotangent(a, axis, keepdims, out, out_bar):
    """Elements that are the extremum share its cotangent evenly."""
    ties = np.equal(a, restored(out, a, axis, keepdims))
    share = restored(out_bar, a, axis, keepdims) / share_of_ties(ties, a, axis)
    return np.where(ties, share, 0.0)


def extremum_tangent(a, axis, keepdims, out, a_dot):
    """The mean of the tangents of the elements that are the extremum."""
    ties = np.equal(a, restored(out, a, axis, keepdims))
    total = np.sum(np.where(ties, a_dot, 0.0), axis=axis, keepdims=keepdims)
    return total / in_dtype_of(np.sum(ties, axis=axis, keepdims=keepdims), a)


EXTREMA = (np.max, np.amax, np.min, np.amin, np.nanmax, np.nanmin)


@rules.reverse_of(EXTREMA, kind=reduction(np.max), lazy=True, masking=True)
def _extremum(a, axis=None, *, keepdims=False, out, out_bar):
    return extremum_cotangent(a, axis, keepdims, out, out_bar)


@rules.forward_of(EXTREMA)
def _extremum_forward(a, axis=None, *, keepdims=False, out, a_dot):
    return extremum_tangent(a, axis, keepdims, out, a_dot)


@rules.reverse_of(np.ptp, kind=reduction(np.ptp), lazy=True, masking=True)
def _ptp(a, axis=None, *, keepdims=False, out, out_bar):
    high = np.max(a, axis=axis, keepdims=keepdims)
    low = np.min(a, axis=axis, keepdims=keepdims)
    a_bar = extremum_cotangent(a, axis, keepdims, high, out_bar)
    return a_bar - extremum_cotangent(a, axis, keepdims, low, out_bar)


@rules.forward_of(np.ptp)
def _ptp_forward(a, axis=None, *, keepdims=False, out, a_dot):
    high = np.max(a, axis=axis, keepdims=keepdims)
    low = np.min(a, axis=axis, keepdims=keepdims)
    out_dot = extremum_tangent(a, axis, keepdims, high, a_dot)
    return out_dot - extremum_tangent(a, axis, keepdims, low, a_dot)


def deviation(a, axis):
    """The elements less their mean."""
    return a - np.mean(a, axis=axis, keepdims=axis is not None)


SPREAD = ("a", "ddof")


@rules.reverse_of(np.var, kind=reduction(np.var), differentiable=SPREAD, lazy=True)
def _var(a, axis=None, *, ddof=0, keepdims=False, out, out_bar):
    share = divided(2 * out_bar, length_along(a, axis) - ddof)
    lost = np.sum(out_bar * out) / (length_along(a, axis) - ddof)
    return restored(share, a, axis, keepdims) * deviation(a, axis), lost


@rules.forward_of(np.var)
def _var_forward(a, axis=None, *, ddof=0, keepdims=False, out, a_dot, ddof_dot):
    if rules.is_literal_zero(a_dot):
        return out * ddof_dot / (length_along(a, axis) - ddof)
    products = np.real(np.conj(deviation(a, axis)) * a_dot)
    total = np.sum(2 * products, axis=axis, keepdims=keepdims)
    if rules.is_literal_zero(ddof_dot):
        return divided(total, length_along(a, axis) - ddof)
    return (total + out * ddof_dot) / (length_along(a, axis) - ddof)


@rules.reverse_of(np.std, kind=reduction(np.std), differentiable=SPREAD, lazy=True)
def _std(a, axis=None, *, ddof=0, keepdims=False, out, out_bar):
    length = length_along(a, axis) - ddof
    share = divide_or_zero(out_bar, length * out)
    lost = 0.5 * np.sum(out_bar * out) / length
    return restored(share, a, axis, keepdims) * deviation(a, axis), lost


@rules.forward_of(np.std)
def _std_forward(a, axis=None, *, ddof=0, keepdims=False, out, a_dot, ddof_dot):
    if rules.is_literal_zero(a_dot):
        return 0.5 * out * ddof_dot / (length_along(a, axis) - ddof)
    products = np.real(np.conj(deviation(a, axis)) * a_dot)
    total = np.sum(products, axis=axis, keepdims=keepdims)
    change = divide_or_zero(total, (length_along(a, axis) - ddof) * out)
    if rules.is_literal_zero(ddof_dot):
        return change
    return change + 0.5 * out * ddof_dot / (length_along(a, axis) - ddof)


def average_kind(
    a: ir.Kind,
    axis: ir.Kind = NOT_GIVEN,
    weights: ir.Kind = NOT_GIVEN,
    keepdims: ir.Kind = IS_FALSE,
) -> ir.Kind:
    if weights == NOT_GIVEN:
        return result_of_reduction(np.average, a, axis, keepdims)
    require_rank("np.average with weights", a)
    dtype = result_dtype(weighted_average, [as_array(a), as_array(weights)])
    if ir.axes_of(weights) is None or ir.rank_of(weights) not in (1, ir.rank_of(a)):
        raise rules.CallRefused(
            "np.average has a rule for weights of one axis or of the array's shape",
            "bring the weights to the array's shape",
        )
    return with_dtype(result_of_reduction(np.average, a, axis, keepdims), dtype)


def weighted_average(a, weights):
    """Sampled for its dtype."""
    return np.average(a, weights=weights)


def require_rank(name: str, a: ir.Kind) -> None:
    """Refuse arrays of unknown rank."""
    if settled_array_axes(as_array(a)) is None:
        raise rules.CallRefused(
            f"{name} has a rule for arrays of known rank", "annotate the array"
        )


def with_dtype(kind: ir.Kind, dtype: str | None) -> ir.Kind:
    """The kind with another dtype."""
    if isinstance(kind, ir.NumPyScalar | ir.Array):
        return replace(kind, dtype=dtype)
    return kind


def aligned_weights(a, axis, weights):
    """The weights so that they broadcast to ``a``: one axis belongs to ``axis``."""
    if rules.known_rank(weights) == 1 and rules.known_rank(a) > 1:
        if rules.axes_behind(axis, a) != ():
            return np.expand_dims(weights, rules.axes_behind(axis, a))
    return weights


@rules.reverse_of(
    np.average, kind=average_kind, differentiable=("a", "weights"), lazy=True
)
def _average(a, axis=None, weights=None, *, keepdims=False, out, out_bar):
    if weights is None:
        return restored(divided(out_bar, length_along(a, axis)), a, axis, keepdims), 0.0
    aligned = aligned_weights(a, axis, weights)
    total = np.sum(weights, axis=axis if rules.known_rank(weights) > 1 else None)
    if keepdims and rules.known_rank(weights) > 1 and axis is not None:
        total = np.sum(weights, axis=axis, keepdims=True)
    share = restored(out_bar / conjugate(total), a, axis, keepdims)
    difference = share * conjugate(a - restored(out, a, axis, keepdims))
    if rules.known_rank(weights) == 1 and rules.known_rank(a) > 1:
        return share * conjugate(aligned), np.sum(
            difference, axis=rules.axes_except(axis, a)
        )
    return share * conjugate(aligned), difference


@rules.forward_of(np.average)
def _average_forward(
    a, axis=None, weights=None, *, keepdims=False, out, a_dot, weights_dot
):
    if weights is None:
        return np.mean(a_dot, axis=axis, keepdims=keepdims)
    aligned = aligned_weights(a, axis, weights)
    aligned_dot = aligned_weights(a, axis, weights_dot)
    difference = a - restored(out, a, axis, keepdims)
    change = aligned * a_dot + aligned_dot * difference
    total = np.sum(change, axis=axis, keepdims=keepdims)
    scale = np.sum(
        weights,
        axis=axis if rules.known_rank(weights) > 1 else None,
        keepdims=keepdims and rules.known_rank(weights) > 1,
    )
    return total / scale


def cumulative(function):
    """The kind function of ``np.cumsum`` and its like."""

    def kind(a: ir.Kind, axis: ir.Kind = NOT_GIVEN) -> ir.Kind:
        dtype = numeric_dtype(function, a)
        axes = ir.axes_of(a)
        if rules.static_value(axis) is not None:
            return ir.Array(dtype, (ir.Axis("any"),) if axes == () else axes)
        if axes is None or len(axes) != 1:
            one = axes is not None and all(x.length == "one" for x in axes)
            return ir.Array(dtype, (ir.ONE if one else ir.Axis("any"),))
        return ir.Array(dtype, axes)

    return kind


def cumulated_from_the_end(x, axis):
    """The sums of each element and all that follow."""
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis)


@rules.reverse_of(np.cumsum, kind=cumulative(np.cumsum), linear=True)
def _cumsum(a, axis=None, *, out, out_bar):
    if axis is None:
        return shaped_like(cumulated_from_the_end(out_bar, 0), a)
    return shaped_like(cumulated_from_the_end(out_bar, axis), a)


def products_up_to(a, axis):
    """For each end and each element up to it, the product of the others up to that end.

    The last axis runs over the elements, the one before over the ends.
    """
    line = np.ravel(a) if axis is None else np.moveaxis(a, axis, -1)
    ends = np.tri(line.shape[-1])
    rows = np.where(ends == 0, 1.0, np.expand_dims(line, -2))
    return np.where(ends == 0, 0.0, product_of_others(rows, -1))


@rules.reverse_of(np.cumprod, kind=cumulative(np.cumprod))
def _cumprod(a, axis=None, *, out, out_bar):
    partials = np.conj(products_up_to(a, axis))
    if axis is None:
        return shaped_like(out_bar @ partials, a)
    moved = np.expand_dims(np.moveaxis(out_bar, axis, -1), -1)
    return np.moveaxis(np.sum(moved * partials, axis=-2), -1, axis)


@rules.forward_of(np.cumprod)
def _cumprod_forward(a, axis=None, *, out, a_dot):
    partials = products_up_to(a, axis)
    if axis is None:
        return partials @ np.ravel(a_dot)
    moved = np.expand_dims(np.moveaxis(a_dot, axis, -1), -2)
    return np.moveaxis(np.sum(moved * partials, axis=-1), -1, axis)


def diff_kind(a: ir.Kind, n: ir.Kind = FIRST, axis: ir.Kind = LAST) -> ir.Kind:
    require_rank("np.diff", a)
    axes = ir.axes_of(as_array(a)) or ()
    if rules.static_value(n) == 0:
        return a
    k = settled_axes_of(axis, len(axes))[0]
    shorter = ir.Axis("any", ("shorter", axes[k].symbol, rules.static_value(n)))
    return ir.Array(numeric_dtype(np.diff, a), (*axes[:k], shorter, *axes[k + 1 :]))


def padding_at(axis, x, before, after):
    """Widths for ``np.pad`` that widen one axis."""
    if rules.known_rank(x) == 1:
        return before, after
    widths = ((0, 0),) * rules.known_rank(x)
    k = rules.settled_axes(axis, x)[0]
    return widths[:k] + ((before, after),) + widths[k + 1 :]


@rules.reverse_of(np.diff, kind=diff_kind, linear=True)
def _diff(a, n=1, axis=-1, *, out, out_bar):
    """Of n elements and fewer there are no differences; padded, they are n zeros."""
    padded = np.pad(out_bar, padding_at(axis, a, n, n))
    a_bar = (-1) ** n * np.diff(padded, n, axis)
    if n > 1 and n > rules.least_length_along(axis, a):
        front = (slice(None),) * rules.settled_axes(axis, a)[0]
        return a_bar[(*front, slice(None, a.shape[axis]))]
    return a_bar


def trapezoid_kind(
    y: ir.Kind,
    x: ir.Kind = NOT_GIVEN,
    dx: ir.Kind = UNIT,
    axis: ir.Kind = LAST,
) -> ir.Kind:
    areas = areas_kind(y, x, dx, axis)
    return result_of_reduction(np.sum, areas, axis, IS_FALSE)


def areas_kind(y: ir.Kind, x: ir.Kind, dx: ir.Kind, axis: ir.Kind) -> ir.Kind:
    """The kind of the areas of the intervals, in the shape of which the sums of
    neighbours and the widths are broadcast."""
    require_rank("np.trapezoid", y)
    spacing = dx if x == NOT_GIVEN else x
    samples, spacing = as_array(y), as_array(spacing)
    dtype = result_dtype(half_product, [samples, spacing])
    if not own_widths(y, x, dx, axis):
        return with_dtype(samples, dtype)
    widths = spacing if x == NOT_GIVEN else shorter_along(axis, spacing)
    axes = rules.broadcast_axes([shorter_along(axis, samples), widths])
    return ir.Array(dtype, axes)


def half_product(y, spacing):
    """Sampled for its dtype."""
    return y * spacing / 2.0


def shorter_along(axis: ir.Kind, x: ir.Kind) -> ir.Kind:
    """An array of which nothing is known of the length along an axis."""
    axes = ir.axes_of(x) or ()
    if not axes:
        return x
    k = settled_axes_of(axis, len(axes))[0]
    return ir.Array(ir.dtype_of(x), (*axes[:k], ir.Axis("any"), *axes[k + 1 :]))


@rules.static_predicate
def own_widths(y: ir.Kind, x: ir.Kind, dx: ir.Kind, axis: ir.Kind) -> bool:
    """The widths may have other axes than the sums of neighbours: they aren't one
    number, nor lengths along the axis, nor surely in the shape of the sums."""
    if x == NOT_GIVEN:
        return ir.rank_of(as_array(dx)) != 0
    places, samples = ir.axes_of(as_array(x)), ir.axes_of(as_array(y))
    if places is None or samples is None:
        return True
    if len(places) == 1:
        return False
    if len(places) != len(samples):
        return True
    along = settled_axes_of(axis, len(samples))
    beside = [k for k in range(len(samples)) if k not in along]
    return not all(alike(places[k], samples[k]) for k in beside)


def alike(a: ir.Axis, b: ir.Axis) -> bool:
    """Two lengths are surely the same, if arrays of these axes can be broadcast."""
    if a.symbol is not None and a.symbol == b.symbol:
        return True
    return a.length == b.length != "any"


def pairs(y, axis):
    """Sums of neighbours along an axis."""
    front = (slice(None),) * rules.settled_axes(axis, y)[0]
    return y[(*front, slice(1, None))] + y[(*front, slice(None, -1))]


def intervals(y, x, dx, axis):
    """The lengths of the intervals, to broadcast against pairs of neighbours."""
    if x is None:
        return dx
    if rules.known_rank(x) == 1 and rules.known_rank(y) > 1:
        return aligned_weights(y, axis, np.diff(x))
    return np.diff(x, axis=axis)


def spread(shares, axis, x, sign):
    """Each share at its interval's end, and by ``sign`` at its beginning."""
    at_end = np.pad(shares, padding_at(axis, x, 1, 0))
    at_start = np.pad(shares, padding_at(axis, x, 0, 1))
    return at_end + at_start if sign > 0 else at_end - at_start


TRAPEZOID = ("y", "x", "dx")


@rules.reverse_of(np.trapezoid, kind=trapezoid_kind, differentiable=TRAPEZOID)
def _trapezoid(y, x=None, dx=1.0, axis=-1, *, out, out_bar):
    if own_widths(y, x, dx, axis):
        areas = pairs(y, axis) * intervals(y, x, dx, axis)
        heights = 0.5 * restored(out_bar, areas, axis, False)
        return of_areas(np.zeros_like(areas) + heights, y, x, dx, axis)
    aligned = restored(out_bar, y, axis, False)
    sums = pairs(y, axis)
    widths = np.zeros_like(sums) + 0.5 * aligned * conjugate(intervals(y, x, dx, axis))
    y_bar = spread(widths, axis, y, 1)
    return y_bar, *of_widths(0.5 * aligned * conjugate(sums), y, x, axis)


def of_areas(areas_bar, y, x, dx, axis):
    """The cotangents of the samples, the places and the distance, from those of the
    products of widths and sums of neighbours, of which each may be broadcast."""
    sums, widths = pairs(y, axis), intervals(y, x, dx, axis)
    sums_bar = reduced_to(areas_bar * conjugate(widths), sums)
    widths_bar = reduced_to(areas_bar * conjugate(sums), widths)
    y_bar = spread(sums_bar, axis, y, 1)
    if x is None:
        return y_bar, 0.0, widths_bar
    return y_bar, spread(widths_bar, axis, x, -1), 0.0


def of_widths(heights, y, x, axis):
    """The cotangents of the places and of the distance, from those of the widths."""
    if x is None:
        return 0.0, np.sum(heights)
    if rules.known_rank(x) == 1 and rules.known_rank(y) > 1:
        along = np.sum(heights, axis=rules.axes_except(axis, y))
        return spread(along, 0, x, -1), 0.0
    return spread(heights, axis, x, -1), 0.0


def changed_areas(y, x, dx, axis, y_dot, x_dot, dx_dot):
    """Twice the tangents of the areas of the intervals."""
    change = 0.0
    if not rules.is_literal_zero(y_dot):
        change = pairs(y_dot, axis) * intervals(y, x, dx, axis)
    if x is None:
        change = change + pairs(y, axis) * dx_dot
    elif not rules.is_literal_zero(x_dot):
        change = change + pairs(y, axis) * intervals(y, x_dot, 0.0, axis)
    return change


@rules.forward_of(np.trapezoid)
def _trapezoid_forward(y, x=None, dx=1.0, axis=-1, *, out, y_dot, x_dot, dx_dot):
    change = changed_areas(y, x, dx, axis, y_dot, x_dot, dx_dot)
    return np.sum(0.5 * change, axis=axis)
