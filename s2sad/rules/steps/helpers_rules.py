"""Rules of the helpers that gradients call, for gradients of gradients."""

from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.ops.numerics import linear_systems, matrices, solvers, trajectories
from s2sad.ops.numerics.quadrature import quadrature
from s2sad.ops.runtime import broadcasting, indices, sequences, ties
from s2sad.ops.runtime.products import (
    dot_cotangent_of_left,
    dot_cotangent_of_right,
    matmul_cotangent_of_left,
    matmul_cotangent_of_right,
    product_of_others,
)
from s2sad.rules.numpy.kinds_of_arrays import (
    NUMERIC,
    as_array,
    result_dtype,
    settled_array_axes,
)
from s2sad.rules.numpy.linalg.linalg import per_matrix
from s2sad.rules.steps import scatter, shape_steps

# Shapes.


def summed_kind(cotangent: ir.Kind, x: ir.Kind) -> ir.Kind:
    own, wanted = settled_array_axes(cotangent), settled_array_axes(x)
    if own is None or wanted is None:
        return ir.Array(ir.dtype_of(cotangent), None)
    common = min(len(own), len(wanted))
    axes = tuple(
        ir.ONE if a.length == "one" or (c.length == "one") else a
        for a, c in zip(wanted[len(wanted) - common :], own[len(own) - common :])
    )
    return rules.array_or_number(ir.dtype_of(cotangent), axes)


@rules.reverse_of(
    broadcasting.sum_to_shape_of, kind=summed_kind, linear=True, lazy=True
)
def _sum_to_shape_of(cotangent, x, *, out, out_bar):
    return out_bar


def summed_each_kind(cotangents: ir.Kind, x: ir.Kind) -> ir.Kind:
    own = settled_array_axes(cotangents)
    if not own:
        return ir.Array(ir.dtype_of(cotangents), None)
    one = summed_kind(rules.array_or_number(ir.dtype_of(cotangents), own[1:]), x)
    axes = ir.axes_of(one)
    return ir.Array(ir.dtype_of(one), None if axes is None else (own[0], *axes))


@rules.reverse_of(broadcasting.sum_each_to_shape_of, kind=summed_each_kind, linear=True)
def _sum_each_to_shape_of(cotangents, x, *, out, out_bar):
    return broadcasting.broadcast_each_to_shape_of(out_bar, cotangents)


def spread_each_kind(values: ir.Kind, x: ir.Kind) -> ir.Kind:
    return ir.Array(ir.dtype_of(values), settled_array_axes(x))


@rules.reverse_of(
    broadcasting.broadcast_each_to_shape_of,
    kind=spread_each_kind,
    linear=True,
    view=True,
)
def _broadcast_each_to_shape_of(values, x, *, out, out_bar):
    return broadcasting.sum_each_to_shape_of(out_bar, np.zeros(values.shape[1:]))


def spread_kind(cotangent: ir.Kind, x: ir.Kind) -> ir.Kind:
    axes = settled_array_axes(x)
    if axes == ():
        return cotangent
    return ir.Array(ir.dtype_of(x), axes)


@rules.reverse_of(broadcasting.broadcast_to_shape_of, kind=spread_kind, linear=True)
def _broadcast_to_shape_of(cotangent, x, *, out, out_bar):
    return broadcasting.sum_to_shape_of(out_bar, cotangent)


def _along_items_kind(cotangent: ir.Kind, items: ir.Kind) -> ir.Kind:
    return ir.array_of_list(items) or ir.UNKNOWN


@rules.reverse_of(
    broadcasting.broadcast_along_items, kind=_along_items_kind, linear=True, view=True
)
def _broadcast_along_items(cotangent, items, *, out, out_bar):
    return broadcasting.sum_to_shape_of(out_bar, cotangent)


def reshaped_kind(x: ir.Kind, y: ir.Kind) -> ir.Kind:
    return rules.array_or_number(ir.dtype_of(x), settled_array_axes(y))


@rules.reverse_of(broadcasting.reshape_as, kind=reshaped_kind, linear=True)
def _reshape_as(x, y, *, out, out_bar):
    return broadcasting.reshape_as(out_bar, x)


def aligned_kind(
    cotangent: ir.Kind, x: ir.Kind, axis: ir.Kind, keepdims: ir.Kind
) -> ir.Kind:
    return ir.Array(ir.dtype_of(cotangent), None)


@rules.reverse_of(broadcasting.restore_reduced_axes, kind=aligned_kind, linear=True)
def _restore_reduced_axes(cotangent, x, axis, keepdims, *, out, out_bar):
    return broadcasting.reshape_as(out_bar, cotangent)


def cast_kind(x: ir.Kind, like: ir.Kind) -> ir.Kind:
    if not isinstance(like, ir.Array | ir.NumPyScalar):
        return x
    return rules.array_or_number(ir.dtype_of(like), settled_array_axes(x))


@rules.reverse_of(broadcasting.as_dtype_of, kind=cast_kind, linear=True)
def _as_dtype_of(x, like, *, out, out_bar):
    return broadcasting.as_dtype_of(out_bar, x)


rules.elementwise(
    broadcasting.divide_or_zero,
    lambda x, y, out: (
        broadcasting.divide_or_zero(1.0, y),
        -broadcasting.divide_or_zero(out, y),
    ),
)


# Sequences of arrays.


def part_kind(x: ir.Kind, start: ir.Kind, stop: ir.Kind, axis: ir.Kind) -> ir.Kind:
    axes = settled_array_axes(x)
    if axes is None:
        return ir.Array(ir.dtype_of(x), None)
    k = rules.static_value(axis) % len(axes)
    return ir.Array(ir.dtype_of(x), (*axes[:k], ir.Axis("any"), *axes[k + 1 :]))


@rules.reverse_of(
    sequences.part_along_axis, kind=part_kind, linear=True, view=True, masking=True
)
def _part_along_axis(x, start, stop, axis, *, out, out_bar):
    return scatter.Scattered(sequences.index_of_part(x, start, stop, axis), out_bar)


def unknown_kind(**_: ir.Kind) -> ir.Kind:
    return ir.UNKNOWN


def parts_kind(cotangent: ir.Kind, arrays: ir.Kind, axis: ir.Kind) -> ir.Kind:
    if isinstance(arrays, ir.List):
        rows = rules.has_rows(arrays)
        return (ir.cotangent_kind_of_list(arrays) if rows else arrays) or ir.UNKNOWN
    if not isinstance(arrays, ir.Structure) or any(
        ir.axes_of(a) is None for a in arrays.items
    ):
        return ir.UNKNOWN
    parts = (
        rules.array_or_number(ir.dtype_of(cotangent), ir.axes_of(a))
        for a in arrays.items
    )
    return ir.Structure(list, tuple(range(len(arrays.items))), tuple(parts))


@rules.reverse_of(sequences.split_like, kind=parts_kind, linear=True, view=True)
def _split_like(cotangent, arrays, axis, *, out, out_bar):
    return np.concatenate(out_bar, axis=axis)


@rules.reverse_of(sequences.unstack, kind=unknown_kind, linear=True, view=True)
def _unstack(cotangent, axis, *, out, out_bar):
    return np.stack(out_bar, axis=axis)


@rules.reverse_of(sequences.nested_like, kind=unknown_kind, linear=True, view=True)
def _nested_like(cotangent, x, *, out, out_bar):
    return np.asarray(out_bar)


rules.without_derivative(sequences.index_of_part, kind=rules.opaque, cheap=True)
rules.without_derivative(indices.index_along_axis, kind=rules.opaque)
rules.without_derivative(indices.diagonal_index, kind=rules.opaque)
rules.without_derivative(indices.reshape_gives_view, kind=rules.python_bool)
rules.without_derivative(indices.stands_by_rows, kind=rules.python_bool)


# Solutions of linear systems, whose derivative an operation behind them carries; see
# frontend/specialise/equations/matrix_free.py.


def kind_of_solution(
    product: ir.Kind, right: ir.Kind, args: ir.Kind, tol: ir.Kind
) -> ir.Kind:
    return right


rules.without_derivative(
    (linear_systems.gmres_solution, linear_systems.bicgstab_solution),
    kind=kind_of_solution,
)


def kind_of_found(f: ir.Kind, guess: ir.Kind, args: ir.Kind, rest: Any = ()) -> ir.Kind:
    return ir.without_value(guess)


for solve in (
    solvers.root_in_bracket,
    solvers.root_by_newton,
    solvers.root_of_system,
    solvers.minimum_by,
    solvers.minimum_of_number,
    solvers.least_squares_by,
):
    rules.without_derivative(
        solve, lambda f, guess, args, *rest: None, kind=kind_of_found
    )


def kind_of_quadrature(f: ir.Kind, **rest: ir.Kind) -> ir.Kind:
    return ir.Structure(tuple, (0, 1), (ir.FLOAT, ir.FLOAT))


rules.without_derivative(quadrature, kind=kind_of_quadrature)


def kind_of_trajectory(y0: ir.Kind, times: ir.Kind, **rest: ir.Kind) -> ir.Kind:
    """The times, and a row for each with a column for each number of the state."""
    rows, columns = ir.axes_of(times), ir.axes_of(y0)
    along = rows[0] if rows else ir.Axis("any")
    states = ir.Array("float64", (along, columns[0] if columns else ir.Axis("any")))
    return ir.Structure(tuple, (0, 1), (ir.Array("float64", (along,)), states))


rules.without_derivative(trajectories.trajectory, kind=kind_of_trajectory)


# Ties of order statistics.


def kind_of_values(values: ir.Kind, ordered: ir.Kind, axis: ir.Kind) -> ir.Kind:
    return values


def kind_of_x(x: ir.Kind, axis: ir.Kind) -> ir.Kind:
    return ir.Array(ir.dtype_of(x), settled_array_axes(x))


@rules.reverse_of(ties.mean_of_ties, kind=kind_of_values, linear=True)
def _mean_of_ties(values, ordered, axis, *, out, out_bar):
    return ties.mean_of_ties(out_bar, ordered, axis)


rules.without_derivative(ties.weights_of_median, kind=kind_of_x)


# Products.


def others_kind(x: ir.Kind, axis: ir.Kind) -> ir.Kind:
    x = as_array(x)
    if not isinstance(x, NUMERIC):
        return ir.UNKNOWN
    return rules.array_or_number(ir.dtype_of(x), settled_array_axes(x))


def lines_along(x, axis):
    """The elements that are multiplied with one another, along the last axis."""
    if axis is None:
        return np.ravel(x)
    if isinstance(axis, tuple):
        return joined_axes(x, axis)
    return np.moveaxis(x, axis, -1)


def joined_axes(x, axes):
    """Several axes joined into one, behind the others."""
    last = (-1, -2, -3, -4, -5, -6, -7, -8)[: len(axes)][::-1]
    moved = np.moveaxis(x, axes, last)
    return np.reshape(moved, moved.shape[: -len(axes)] + (-1,))


def out_of_lines(lines, x, axis):
    """The elements at their places in ``x`` again."""
    if axis is None:
        return np.reshape(lines, x.shape)
    if isinstance(axis, tuple):
        last = (-1, -2, -3, -4, -5, -6, -7, -8)[: len(axis)][::-1]
        moved = np.moveaxis(x, axis, last)
        return np.moveaxis(np.reshape(lines, moved.shape), last, axis)
    return np.moveaxis(lines, -1, axis)


def pairs_of_others(lines):
    """For each pair of elements the product of the others; 0 where the two are one."""
    itself = np.eye(lines.shape[-1]) == 1
    rows = np.where(itself, 1.0, np.expand_dims(lines, -2))
    return np.where(itself, 0.0, product_of_others(rows, -1))


@rules.reverse_of(product_of_others, kind=others_kind)
def _product_of_others(x, axis, *, out, out_bar):
    if rules.known_rank(x) == 0:
        return 0.0
    pairs = shape_steps.conjugate(pairs_of_others(lines_along(x, axis)))
    lines = np.expand_dims(lines_along(out_bar, axis), -1)
    return out_of_lines(np.sum(lines * pairs, axis=-2), x, axis)


@rules.forward_of(product_of_others)
def _product_of_others_forward(x, axis, *, out, x_dot):
    if rules.known_rank(x) == 0:
        return 0.0
    lines = np.expand_dims(lines_along(x_dot, axis), -2)
    pairs = pairs_of_others(lines_along(x, axis))
    return out_of_lines(np.sum(lines * pairs, axis=-1), x, axis)


def left_kind(cotangent: ir.Kind, x: ir.Kind, y: ir.Kind) -> ir.Kind:
    return rules.array_or_number(
        result_dtype(np.multiply, [cotangent, y]), ir.axes_of(x)
    )


def right_kind(cotangent: ir.Kind, x: ir.Kind, y: ir.Kind) -> ir.Kind:
    return rules.array_or_number(
        result_dtype(np.multiply, [cotangent, x]), ir.axes_of(y)
    )


def dot_left_kind(cotangent: ir.Kind, a: ir.Kind, b: ir.Kind) -> ir.Kind:
    return left_kind(cotangent, a, b)


def dot_right_kind(cotangent: ir.Kind, a: ir.Kind, b: ir.Kind) -> ir.Kind:
    return right_kind(cotangent, a, b)


# <c, left(g, x, y)> = <c @ y, g> and <c, right(g, x, y)> = <x @ c, g>.
@rules.reverse_of(
    matmul_cotangent_of_left,
    kind=left_kind,
    differentiable=("cotangent", "y"),
    bilinear=True,
)
def _left(cotangent, x, y, *, out, out_bar):
    return np.matmul(out_bar, y), matmul_cotangent_of_right(cotangent, out_bar, y)


@rules.reverse_of(
    matmul_cotangent_of_right,
    kind=right_kind,
    differentiable=("cotangent", "x"),
    bilinear=True,
)
def _right(cotangent, x, y, *, out, out_bar):
    return np.matmul(x, out_bar), matmul_cotangent_of_left(cotangent, x, out_bar)


@rules.reverse_of(
    dot_cotangent_of_left,
    kind=dot_left_kind,
    differentiable=("cotangent", "b"),
    bilinear=True,
)
def _dot_left(cotangent, a, b, *, out, out_bar):
    return np.dot(out_bar, b), dot_cotangent_of_right(cotangent, out_bar, b)


@rules.reverse_of(
    dot_cotangent_of_right,
    kind=dot_right_kind,
    differentiable=("cotangent", "a"),
    bilinear=True,
)
def _dot_right(cotangent, a, b, *, out, out_bar):
    return np.dot(a, out_bar), dot_cotangent_of_left(cotangent, a, out_bar)


# Matrices.


def same_matrix_kind(x: ir.Kind) -> ir.Kind:
    return ir.Array(result_dtype(np.divide, [x, x]), settled_array_axes(x))


@rules.reverse_of(
    matrices.lower_with_half_diagonal, kind=same_matrix_kind, linear=True, masking=True
)
def _lower_with_half_diagonal(x, *, out, out_bar):
    return matrices.lower_with_half_diagonal(out_bar)


# C = det(x) x^-T: dC = (<C, dx> x^-T - C dx^T x^-T).
@rules.reverse_of(matrices.cofactors, kind=same_matrix_kind)
def _cofactors(x, *, out, out_bar):
    inverse = shape_steps.adjoint(matrices.inverse_or_nan(x))
    overlap = np.sum(shape_steps.conjugate(out) * out_bar, axis=(-2, -1))
    turned = inverse @ shape_steps.transposed(out_bar) @ shape_steps.conjugate(out)
    return per_matrix(overlap, x) * inverse - turned


@rules.forward_of(matrices.cofactors)
def _cofactors_forward(x, *, out, x_dot):
    inverse = np.swapaxes(matrices.inverse_or_nan(x), -1, -2)
    overlap = np.sum(out * x_dot, axis=(-2, -1))
    return per_matrix(overlap, x) * inverse - out @ np.swapaxes(x_dot, -1, -2) @ inverse


rules.without_derivative(indices.place_of_item, kind=rules.python_int)


rules.without_derivative(matrices.order_of_products, kind=lambda sides: ir.List(ir.INT))
