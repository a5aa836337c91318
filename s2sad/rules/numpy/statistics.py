"""Quantiles, histograms, sums and counts: the parts of them that texts call
(:mod:`s2sad.frontend.library.numpy.statistics`)."""

import numpy as np

from s2sad import ir, rules
from s2sad.ops.numerics import special, statistics
from s2sad.ops.runtime.broadcasting import as_dtype_of
from s2sad.rules.numpy.kinds_of_arrays import (
    NOT_GIVEN,
    ZERO,
    as_array,
    axis_of_length,
    known_length,
    result_of_reduction,
    settled_axes_of,
    structure,
)
from s2sad.rules.numpy.reductions import padding_at
from s2sad.rules.steps.shape_steps import restored, shaped_like


def quantile_places_kind(
    ordered: ir.Kind, q: ir.Kind, method: ir.Kind, whole: ir.Kind
) -> ir.Kind:
    place = rules.array_or_number("int64", ir.axes_of(as_array(q)))
    return structure([place, place])


def places_without_nan_kind(
    ordered: ir.Kind, q: ir.Kind, method: ir.Kind, whole: ir.Kind
) -> ir.Kind:
    place = rules.array_or_number("int64", axes_beside(ordered, q))
    return structure([place, place])


def axes_beside(ordered: ir.Kind, q: ir.Kind) -> tuple[ir.Axis, ...] | None:
    """The axes of places for each q and each sample beside the first axis."""
    axes, own = ir.axes_of(ordered), ir.axes_of(as_array(q))
    if axes is None or own is None or len(own) > 1:
        return None
    return (own[0] if own else ir.ONE, *axes[1:]) if len(axes) > 1 else own


rules.without_derivative(statistics.quantile_places, kind=quantile_places_kind)
rules.without_derivative(statistics.places_without_nan, kind=places_without_nan_kind)
rules.without_derivative(
    statistics.share_slope,
    kind=lambda counts, **_: rules.array_or_number("float64", ir.axes_of(counts)),
)


def share_dtype(ordered: ir.Kind, q: ir.Kind) -> str | None:
    """A Python number takes the dtype of the samples."""
    if ir.dtype_of(ordered) == "float64":
        return "float64"
    single = isinstance(q, ir.Scalar) and ir.dtype_of(ordered) == "float32"
    return "float32" if single else None


def share_kind(
    ordered: ir.Kind, q: ir.Kind, method: ir.Kind, whole: ir.Kind
) -> ir.Kind:
    axes, own = ir.axes_of(ordered), ir.axes_of(as_array(q))
    if axes is None or own is None:
        return ir.Array(share_dtype(ordered, q), None)
    beside = tuple(ir.Axis("any") for _ in axes[1:])
    return rules.array_or_number(share_dtype(ordered, q), (*own, *beside))


def share_without_nan_kind(
    ordered: ir.Kind, q: ir.Kind, method: ir.Kind, whole: ir.Kind
) -> ir.Kind:
    return rules.array_or_number(share_dtype(ordered, q), axes_beside(ordered, q))


@rules.reverse_of(statistics.quantile_share, kind=share_kind, differentiable=("q",))
def _quantile_share(ordered, q, method, whole, *, out, out_bar):
    slope = statistics.share_slope(len(ordered), method, whole)
    return cotangent_of_quantile(ordered, q, out_bar * slope)


@rules.forward_of(statistics.quantile_share)
def _quantile_share_forward(ordered, q, method, whole, *, out, q_dot):
    slope = statistics.share_slope(len(ordered), method, whole)
    return np.zeros_like(out) + beside_samples(ordered, q, q_dot) * slope


@rules.reverse_of(
    statistics.share_without_nan, kind=share_without_nan_kind, differentiable=("q",)
)
def _share_without_nan(ordered, q, method, whole, *, out, out_bar):
    slope = statistics.share_slope(np.sum(~np.isnan(ordered), axis=0), method, whole)
    return cotangent_of_quantile(ordered, q, out_bar * slope)


@rules.forward_of(statistics.share_without_nan)
def _share_without_nan_forward(ordered, q, method, whole, *, out, q_dot):
    slope = statistics.share_slope(np.sum(~np.isnan(ordered), axis=0), method, whole)
    return np.zeros_like(out) + beside_samples(ordered, q, q_dot) * slope


def cotangent_of_quantile(ordered, q, changes):
    """The cotangent of ``q``: a sum over what is beside the first axis."""
    if rules.known_rank(q) == 0:
        return np.sum(changes)
    if rules.known_rank(ordered) == 1:
        return changes
    return shaped_like(np.sum(np.reshape(changes, (q.size, -1)), axis=1), q)


def beside_samples(ordered, q, q_dot):
    """A tangent of ``q`` with axes to broadcast to what is beside the first axis."""
    if rules.known_rank(ordered) == 1 or rules.known_rank(q) == 0:
        return q_dot
    return np.expand_dims(q_dot, axes_after(ordered, q))


@rules.static_predicate
def axes_after(ordered: ir.Kind, q: ir.Kind) -> tuple[int, ...]:
    """Axes behind those of ``q`` for what is beside the first axis of samples."""
    own = ir.rank_of(q) or 0
    return tuple(range(own, own + (ir.rank_of(ordered) or 1) - 1))


def interpolated_kind(low: ir.Kind, high: ir.Kind, share: ir.Kind) -> ir.Kind:
    return rules.elementwise_result(statistics.interpolated, (low, high, share))


rules.elementwise(
    statistics.interpolated,
    lambda low, high, share, out: (1.0 - share, share, high - low),
    kind=interpolated_kind,
)
rules.elementwise(statistics.within_unit, lambda c, out: 1.0)


# ------------------------------------------------------------------ histograms


def counts_kind(a: ir.Kind, bins: ir.Kind, range: ir.Kind, weights: ir.Kind) -> ir.Kind:
    dtype = "int64" if weights == NOT_GIVEN else ir.dtype_of(as_array(weights))
    if isinstance(bins, ir.Scalar):
        return ir.Array(dtype, (axis_of_length(bins),))
    return ir.Array(dtype, (ir.Axis("any"),))


@rules.reverse_of(
    statistics.counts_in_bins, kind=counts_kind, differentiable=("weights",)
)
def _counts_in_bins(a, bins, range, weights, *, out, out_bar):
    return statistics.weights_from_bins(out_bar, a, bins, range)


@rules.forward_of(statistics.counts_in_bins)
def _counts_in_bins_forward(a, bins, range, weights, *, out, weights_dot):
    return statistics.counts_in_bins(a, bins, range, weights_dot)


def weights_kind(counts: ir.Kind, a: ir.Kind, bins: ir.Kind, range: ir.Kind) -> ir.Kind:
    return ir.Array(ir.dtype_of(counts), ir.axes_of(as_array(a)))


@rules.reverse_of(statistics.weights_from_bins, kind=weights_kind, linear=True)
def _weights_from_bins(counts, a, bins, range, *, out, out_bar):
    return statistics.counts_in_bins(a, bins, range, out_bar)


def bins_kind(x: ir.Kind, edges: ir.Kind) -> ir.Kind:
    return ir.Array("int64", ir.axes_of(as_array(x)))


rules.without_derivative(statistics.bins_of, kind=bins_kind)


def bincount_kind(
    x: ir.Kind, weights: ir.Kind = NOT_GIVEN, minlength: ir.Kind = ZERO
) -> ir.Kind:
    return ir.Array("int64" if weights == NOT_GIVEN else "float64", (ir.Axis("any"),))


@rules.reverse_of(np.bincount, kind=bincount_kind, differentiable=("weights",))
def _bincount(x, weights=None, minlength=0, *, out, out_bar):
    if weights is None:
        return 0.0
    if rules.surely_has_elements(x):
        return out_bar[x]
    return as_dtype_of(out_bar[x], weights)  # NumPy counts nothing in whole numbers


@rules.forward_of(np.bincount)
def _bincount_forward(x, weights=None, minlength=0, *, out, weights_dot):
    return np.bincount(x, weights_dot, minlength)


def sum_where_kind(
    a: ir.Kind, where: ir.Kind, axis: ir.Kind, keepdims: ir.Kind
) -> ir.Kind:
    return result_of_reduction(np.sum, a, axis, keepdims)


@rules.reverse_of(statistics.sum_where, kind=sum_where_kind, linear=True, masking=True)
def _sum_where(a, where, axis, keepdims, *, out, out_bar):
    shares = np.broadcast_to(restored(out_bar, a, axis, keepdims), a.shape)
    return np.where(where, shares, 0.0)


def sums_between_kind(x: ir.Kind, places: ir.Kind, axis: ir.Kind) -> ir.Kind:
    axes = ir.axes_of(x)
    if axes is None:
        return ir.Array(ir.dtype_of(x), None)
    k = settled_axes_of(axis, len(axes))[0]
    return ir.Array(ir.dtype_of(x), (*axes[:k], ir.Axis("any"), *axes[k + 1 :]))


@rules.reverse_of(statistics.sums_between, kind=sums_between_kind, linear=True)
def _sums_between(x, places, axis, *, out, out_bar):
    k = rules.settled_axes(axis, x)[0]
    padded = np.pad(out_bar, padding_at(axis, x, 1, 0))
    return np.take(padded, statistics.parts_between(places, x.shape[k]), axis=axis)


def parts_between_kind(places: ir.Kind, length: ir.Kind) -> ir.Kind:
    return ir.Array("int64", (ir.Axis("any"),))


rules.without_derivative(statistics.parts_between, kind=parts_between_kind)


def exponentials_kind(x: ir.Kind, axis: ir.Kind, keepdims: ir.Kind) -> ir.Kind:
    return result_of_reduction(np.mean, x, axis, keepdims)


def shares_of_exponentials(x, axis, keepdims, out):
    """What each element has of the sum; 0 where all are -inf, as in np.logaddexp."""
    shift = np.where(out == -np.inf, 0.0, out)
    return np.exp(x - restored(shift, x, axis, keepdims))


@rules.reverse_of(special.log_of_summed_exponentials, kind=exponentials_kind, lazy=True)
def _logaddexp_reduce(x, axis, keepdims, *, out, out_bar):
    shares = shares_of_exponentials(x, axis, keepdims, out)
    return restored(out_bar, x, axis, keepdims) * shares


@rules.forward_of(special.log_of_summed_exponentials)
def _logaddexp_reduce_forward(x, axis, keepdims, *, out, x_dot):
    changes = x_dot * shares_of_exponentials(x, axis, keepdims, out)
    return np.sum(changes, axis=axis, keepdims=keepdims)


# ------------------------------------------------------------------ sets


def places_kind(x: ir.Kind, equal_nan: ir.Kind = NOT_GIVEN) -> ir.Kind:
    return ir.Array("int64", (ir.Axis("any"),))


def inverse_kind(x: ir.Kind, equal_nan: ir.Kind = NOT_GIVEN) -> ir.Kind:
    return ir.Array("int64", ir.axes_of(as_array(x)))


def shared_kind(ar1: ir.Kind, ar2: ir.Kind, assume_unique: ir.Kind) -> ir.Kind:
    return structure([ir.Array("int64", (ir.Axis("any"),)) for _ in range(2)])


rules.without_derivative(
    (
        statistics.ranks_of_values,
        statistics.counts_of_values,
        statistics.indices_of_values,
    ),
    kind=places_kind,
)
rules.without_derivative(statistics.inverse_indices_of_values, kind=inverse_kind)
rules.without_derivative(statistics.places_of_shared, kind=shared_kind)


# ------------------------------------------------------------------ questions


def digitized_kind(x: ir.Kind, bins: ir.Kind, right: ir.Kind = NOT_GIVEN) -> ir.Kind:
    return rules.array_or_number("int64", ir.axes_of(as_array(x)))


def contained_kind(element: ir.Kind, **_: ir.Kind) -> ir.Kind:
    return ir.Array("bool", ir.axes_of(as_array(element)))


def order_of_part_kind(a: ir.Kind, kth: ir.Kind, axis: ir.Kind = NOT_GIVEN) -> ir.Kind:
    return ir.Array("int64", ir.axes_of(a))


def found_kind(a: ir.Kind) -> ir.Kind:
    rank = ir.rank_of(as_array(a))
    return (
        ir.OPAQUE
        if rank is None
        else ir.Array("int64", (ir.Axis("any"), known_length(rank)))
    )


rules.without_derivative(
    np.digitize, lambda x, bins, right=False: None, kind=digitized_kind
)
rules.without_derivative(
    np.isin,
    lambda element, test_elements, assume_unique=False, invert=False: None,
    kind=contained_kind,
)
rules.without_derivative(
    np.argpartition, lambda a, kth, axis=-1: None, kind=order_of_part_kind
)
rules.without_derivative(
    np.allclose,
    lambda a, b, rtol=1e-5, atol=1e-8, equal_nan=False: None,
    kind=rules.python_bool,
)
rules.without_derivative(
    np.array_equal, lambda a1, a2, equal_nan=False: None, kind=rules.python_bool
)
rules.without_derivative(np.array_equiv, lambda a1, a2: None, kind=rules.python_bool)
rules.without_derivative(np.argwhere, lambda a: None, kind=found_kind)
