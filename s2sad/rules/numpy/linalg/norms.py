"""``np.linalg.norm``: of vectors, of matrices, along axes. The derivative is 0 at 0.

Norms made of singular values are texts
(:mod:`s2sad.frontend.library.numpy.algebra.norms`)."""

import math

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime.broadcasting import divide_or_zero
from s2sad.rules.numpy import kinds_of_arrays
from s2sad.rules.numpy.reductions import extremum_cotangent, extremum_tangent
from s2sad.rules.steps.shape_steps import restored


def count_of_axes(x: ir.Kind, axis: ir.Kind) -> int | None:
    """How many axes a norm is taken over; None where the rank isn't known."""
    along, axes = rules.static_value(axis), kinds_of_arrays.settled_array_axes(x)
    if along is None:
        return None if axes is None else len(axes)
    return len(along) if isinstance(along, tuple) else 1


def _form(x: ir.Kind, ord: ir.Kind, axis: ir.Kind) -> str:
    order, count = rules.static_value(ord), count_of_axes(x, axis)
    if order is None or (order == "fro" and count == 2):
        return "euclidean"
    if count == 1 and order == 2:
        return "euclidean"
    if isinstance(order, str) or count not in (1, 2) or ir.is_complex(x):
        return "refused"
    if count == 1:
        if order in (math.inf, -math.inf):
            return "extremum"
        return {0: "count", 1: "sum"}.get(order, "power")
    rank_is_known = kinds_of_arrays.settled_array_axes(x) is not None
    sums = order in (1, -1, math.inf, -math.inf) and rank_is_known
    return "extremum of sums" if sums else "refused"


@rules.static_predicate
def form_of_norm(x: ir.Kind, ord: ir.Kind, axis: ir.Kind) -> str:
    """Which formula gives this norm."""
    return _form(x, ord, axis)


@rules.static_predicate
def sums_and_extremum(x: ir.Kind, ord: ir.Kind, axis: ir.Kind) -> tuple[int, int]:
    """The axes that a matrix norm sums over and takes the extremum over."""
    rank = len(kinds_of_arrays.settled_array_axes(x) or ())
    along = rules.static_value(axis)
    row, column = (0, 1) if along is None else (k % rank for k in along)
    return (column, row) if abs(rules.static_value(ord)) == math.inf else (row, column)


@rules.static_predicate
def is_largest(ord: ir.Kind) -> bool:
    """The norm is a maximum, not a minimum."""
    return bool(rules.static_value(ord) > 0)


def norm_kind(
    x: ir.Kind,
    ord: ir.Kind = kinds_of_arrays.NOT_GIVEN,
    axis: ir.Kind = kinds_of_arrays.NOT_GIVEN,
    keepdims: ir.Kind = kinds_of_arrays.IS_FALSE,
) -> ir.Kind:
    if _form(x, ord, axis) == "refused":
        norm = f"np.linalg.norm with ord={rules.static_value(ord)!r}"
        raise rules.CallRefused(
            f"{norm} has no rule for this array",
            "write the norm with sums and powers",
        )
    return kinds_of_arrays.result_of_reduction(
        np.linalg.norm, x, axis, keepdims, dtype_from=[x]
    )


def power_weights(x, ord, axis, keepdims, out):
    """d(sum |x|^p)^(1/p) = sign(x) (|x| / norm)^(p-1)."""
    ratio = divide_or_zero(np.abs(x), restored(out, x, axis, keepdims))
    if ord < 1:
        return np.sign(x) * divide_or_zero(1.0, ratio ** (1 - ord))
    return np.sign(x) * ratio ** (ord - 1)


def extremum_of(sums, axis, ord):
    """The largest or smallest sum."""
    if is_largest(ord):
        return np.max(sums, axis=axis, keepdims=True)
    return np.min(sums, axis=axis, keepdims=True)


@rules.reverse_of(np.linalg.norm, kind=norm_kind, lazy=True, refused=("ord",))
def _norm(x, ord=None, axis=None, keepdims=False, *, out, out_bar):
    form = form_of_norm(x, ord, axis)
    if form == "euclidean":
        return restored(divide_or_zero(out_bar, out), x, axis, keepdims) * x
    if form == "count":
        return np.zeros_like(x)
    if form == "extremum":
        return np.sign(x) * extremum_cotangent(np.abs(x), axis, keepdims, out, out_bar)
    wide = restored(out_bar, x, axis, keepdims)
    if form == "sum":
        return wide * np.sign(x)
    if form == "power":
        return wide * power_weights(x, ord, axis, keepdims, out)
    summed, other = sums_and_extremum(x, ord, axis)
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    best = extremum_of(sums, other, ord)
    return np.sign(x) * extremum_cotangent(sums, other, True, best, wide)


@rules.forward_of(np.linalg.norm)
def _norm_forward(x, ord=None, axis=None, keepdims=False, *, out, x_dot):
    form = form_of_norm(x, ord, axis)
    if form == "euclidean":
        products = np.real(np.conj(x) * x_dot)
        return divide_or_zero(np.sum(products, axis=axis, keepdims=keepdims), out)
    if form == "count":
        return np.zeros_like(out)
    if form == "extremum":
        slopes = np.sign(x) * x_dot
        return extremum_tangent(np.abs(x), axis, keepdims, out, slopes)
    if form == "sum":
        return np.sum(np.sign(x) * x_dot, axis=axis, keepdims=keepdims)
    if form == "power":
        weights = power_weights(x, ord, axis, keepdims, out)
        return np.sum(weights * x_dot, axis=axis, keepdims=keepdims)
    summed, other = sums_and_extremum(x, ord, axis)
    sums = np.sum(np.abs(x), axis=summed, keepdims=True)
    best = extremum_of(sums, other, ord)
    slopes = np.sum(np.sign(x) * x_dot, axis=summed, keepdims=True)
    tangent = extremum_tangent(sums, other, True, best, slopes)
    return np.sum(tangent, axis=axis, keepdims=keepdims)
