"""Order statistics, searches and tests: sorting, the median, argmax, any, counts.

Elements that tie share evenly: which of them comes first is a matter of the algorithm.
"""

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime.ties import mean_of_ties, running_places, weights_of_median
from s2sad.rules.numpy.kinds_of_arrays import (
    IS_FALSE,
    LAST,
    NOT_GIVEN,
    as_array,
    result_of_reduction,
    structure,
)
from s2sad.rules.steps.shape_steps import restored, shaped_like


def sorted_kind(a: ir.Kind, axis: ir.Kind = LAST, **_: ir.Kind) -> ir.Kind:
    return ir.Array(ir.dtype_of(a), flat_or_same(a, axis))


def order_kind(a: ir.Kind, axis: ir.Kind = LAST, **_: ir.Kind) -> ir.Kind:
    return ir.Array("int64", flat_or_same(a, axis))


def flat_or_same(a: ir.Kind, axis: ir.Kind) -> tuple[ir.Axis, ...] | None:
    """The axes of what runs along one axis, or over all elements where axis is None."""
    axes = ir.axes_of(a)
    flat = rules.static_value(axis) is None and axes is not None and len(axes) != 1
    return (ir.Axis("any"),) if flat else axes


def places_in_order(a, axis):
    """For each element its place in sorted order."""
    order = np.argsort(a, axis=axis, kind="stable")
    return np.argsort(order, axis=axis)


def cotangent_in_order(a, axis, ordered, ordered_bar):
    """The cotangent of ``a`` from that of its elements in sorted order."""
    if axis is None:
        shared = mean_of_ties(ordered_bar, ordered, -1)
        return shaped_like(shared[places_in_order(a, None)], a)
    shared = mean_of_ties(ordered_bar, ordered, axis)
    if rules.known_rank(a) == 1:
        return shared[places_in_order(a, -1)]
    return np.take_along_axis(shared, places_in_order(a, axis), axis)


def tangent_in_order(a, axis, ordered, a_dot):
    """The tangent of the elements in sorted order."""
    order = np.argsort(a, axis=axis, kind="stable")
    if axis is None:
        return mean_of_ties(np.ravel(a_dot)[order], ordered, -1)
    return mean_of_ties(np.take_along_axis(a_dot, order, axis), ordered, axis)


@rules.reverse_of(np.sort, kind=sorted_kind)
def _sort(a, axis=-1, *, out, out_bar):
    return cotangent_in_order(a, axis, out, out_bar)


@rules.forward_of(np.sort)
def _sort_forward(a, axis=-1, *, out, a_dot):
    return tangent_in_order(a, axis, out, a_dot)


def partitioned_kind(a: ir.Kind, kth: ir.Kind, axis: ir.Kind = LAST) -> ir.Kind:
    return sorted_kind(a, axis)


@rules.reverse_of(np.partition, kind=partitioned_kind)
def _partition(a, kth, axis=-1, *, out, out_bar):
    along = -1 if axis is None else axis
    order = np.argsort(out, axis=along, kind="stable")
    ordered = np.take_along_axis(out, order, along)
    ordered_bar = np.take_along_axis(out_bar, order, along)
    return cotangent_in_order(a, axis, ordered, ordered_bar)


@rules.forward_of(np.partition)
def _partition_forward(a, kth, axis=-1, *, out, a_dot):
    along = -1 if axis is None else axis
    ordered = np.sort(out, along)
    ordered_dot = tangent_in_order(a, axis, ordered, a_dot)
    return np.take_along_axis(ordered_dot, places_in_order(out, along), along)


def running_places_kind(ufunc: ir.Kind, x: ir.Kind, axis: ir.Kind) -> ir.Kind:
    return ir.Array("int64", ir.axes_of(x))


rules.without_derivative(running_places, kind=running_places_kind)


def median_kind(
    a: ir.Kind, axis: ir.Kind = NOT_GIVEN, keepdims: ir.Kind = IS_FALSE
) -> ir.Kind:
    return result_of_reduction(np.median, a, axis, keepdims)


@rules.reverse_of(np.median, kind=median_kind, lazy=True, masking=True)
def _median(a, axis=None, *, keepdims=False, out, out_bar):
    if rules.known_rank(a) == 0:
        return out_bar
    weights = weights_of_median(a, axis)
    wide = restored(out_bar, a, axis, keepdims)
    return np.where(weights > 0, wide * weights, 0.0)


@rules.forward_of(np.median)
def _median_forward(a, axis=None, *, keepdims=False, out, a_dot):
    if rules.known_rank(a) == 0:
        return a_dot
    weights = weights_of_median(a, axis)
    chosen = np.where(weights > 0, a_dot * weights, 0.0)
    return np.sum(chosen, axis=axis, keepdims=keepdims)


def outcome_kind(function):
    """The kind function of tests and counts over an axis."""

    def kind(
        a: ir.Kind,
        axis: ir.Kind = NOT_GIVEN,
        keepdims: ir.Kind = IS_FALSE,
        **_: ir.Kind,
    ) -> ir.Kind:
        if not isinstance(as_array(a), ir.Array) and ir.rank_of(a) is None:
            return ir.OPAQUE
        return result_of_reduction(function, a, axis, keepdims)

    return kind


def count_kind(
    a: ir.Kind, axis: ir.Kind = NOT_GIVEN, keepdims: ir.Kind = IS_FALSE
) -> ir.Kind:
    if rules.static_value(axis) is None and not rules.static_value(keepdims):
        return rules.array_or_number("int64", ())
    kind = result_of_reduction(np.sum, a, axis, keepdims)
    return ir.Array("int64", ir.axes_of(kind)) if kind != ir.UNKNOWN else ir.OPAQUE


for _function in (np.any, np.all, np.argmax, np.argmin, np.nanargmax, np.nanargmin):
    rules.without_derivative(
        _function,
        lambda a, axis=None, *, keepdims=False: None,
        kind=outcome_kind(_function),
    )
rules.without_derivative(
    np.count_nonzero, lambda a, axis=None, *, keepdims=False: None, kind=count_kind
)
rules.without_derivative(
    np.argsort, lambda a, axis=-1, kind=None, *, stable=None: None, kind=order_kind
)


def lexsort_kind(keys: ir.Kind, axis: ir.Kind = LAST) -> ir.Kind:
    if isinstance(keys, ir.Structure) and keys.items:
        return ir.Array("int64", ir.axes_of(keys.items[0]))
    axes = ir.axes_of(keys)
    return ir.Array("int64", axes[1:] if axes else None)


rules.without_derivative(
    np.lexsort, lambda keys, axis=-1: None, kind=lexsort_kind, takes_sequence=True
)


def searchsorted_kind(a: ir.Kind, v: ir.Kind, **_: ir.Kind) -> ir.Kind:
    return rules.array_or_number("int64", ir.axes_of(as_array(v)))


def positions_kind(a: ir.Kind) -> ir.Kind:
    rank = ir.rank_of(a)
    if rank is None:
        return ir.OPAQUE
    return structure([flat_positions_kind(a)] * rank)


def flat_positions_kind(a: ir.Kind) -> ir.Kind:
    """Positions of which only the run knows how many there are: no two calls find as
    many, so the axis has no symbol."""
    return ir.Array("int64", (ir.Axis("any"),))


def triangle_kind(n: ir.Kind, **_: ir.Kind) -> ir.Kind:
    return structure([flat_positions_kind(n)] * 2)


def triangle_from_kind(arr: ir.Kind, **_: ir.Kind) -> ir.Kind:
    return triangle_kind(arr)


def unravelled_kind(indices: ir.Kind, shape: ir.Kind) -> ir.Kind:
    rank = len(getattr(shape, "items", ()))
    if not rank:
        return ir.OPAQUE
    return structure([rules.array_or_number("int64", ir.axes_of(indices))] * rank)


rules.without_derivative(
    np.searchsorted, lambda a, v, side="left": None, kind=searchsorted_kind
)
rules.without_derivative(np.nonzero, lambda a: None, kind=positions_kind)
rules.without_derivative(np.flatnonzero, lambda a: None, kind=flat_positions_kind)
rules.without_derivative(
    (np.tril_indices, np.triu_indices), lambda n, k=0, m=None: None, kind=triangle_kind
)
rules.without_derivative(
    (np.tril_indices_from, np.triu_indices_from),
    lambda arr, k=0: None,
    kind=triangle_from_kind,
)
rules.without_derivative(
    np.unravel_index, lambda indices, shape: None, kind=unravelled_kind
)
