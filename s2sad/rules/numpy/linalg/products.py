"""Products of arrays: matmul, dot, inner, outer, tensordot, kron, cross, trace."""

import operator

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime import products
from s2sad.rules.numpy.kinds_of_arrays import (
    NUMERIC,
    TWO,
    as_array,
    axis_product,
    result_dtype,
    settled_array_axes,
)
from s2sad.rules.numpy.linalg import tensordot_axes
from s2sad.rules.steps.shape_steps import adjoint, conjugate, reduced_to, shaped_like

MATMUL = (operator.matmul, np.matmul)


def matmul_kind(x: ir.Kind, y: ir.Kind) -> ir.Kind:
    x, y = as_array(x), as_array(y)
    if not isinstance(x, NUMERIC) or not isinstance(y, NUMERIC):
        return ir.UNKNOWN
    dtype = result_dtype(np.matmul, [x, y])
    a, b = settled_array_axes(x), settled_array_axes(y)
    if not a or not b:
        return ir.Array(dtype, None)
    if len(a) == 1 and len(b) == 1:
        return rules.array_or_number(dtype, ())
    batch = (
        rules.broadcast_axes([ir.Array(dtype, a[:-2]), ir.Array(dtype, b[:-2])]) or ()
    )
    return ir.Array(dtype, batch + a[-2:-1] + (b[-1:] if len(b) > 1 else ()))


@rules.reverse_of(MATMUL, kind=matmul_kind, differentiable=("x", "y"))
def _matmul(x, y, *, out, out_bar):
    if rules.known_rank(x) == -1 or rules.known_rank(y) == -1:
        x_bar = products.matmul_cotangent_of_left(out_bar, x, y)
        return x_bar, products.matmul_cotangent_of_right(out_bar, x, y)
    if rules.known_rank(x) == 1 and rules.known_rank(y) == 1:
        return out_bar * conjugate(y), out_bar * conjugate(x)
    if rules.known_rank(x) == 1:
        return row_times_matrix(x, y, out_bar)
    if rules.known_rank(y) == 1:
        return matrix_times_column(x, y, out_bar)
    x_bar = out_bar @ adjoint(y)
    if rules.known_rank(x) > 2 and rules.known_rank(y) == 2:
        # One matrix for a whole batch: one product sums over the batch.
        batch = rules.axes_but_last(x, 1)
        return x_bar, np.tensordot(conjugate(x), out_bar, (batch, batch))
    return reduced_to(x_bar, x), reduced_to(adjoint(x) @ out_bar, y)


def row_times_matrix(x, y, out_bar):
    """The cotangents of a vector and of the matrix, or batch, behind it."""
    if rules.known_rank(y) == 2:
        return conjugate(y) @ out_bar, np.outer(conjugate(x), out_bar)
    free = rules.axes_but_last(y, 1)
    others = rules.axes_but_last(y, 2) + (-1,)
    x_bar = np.tensordot(out_bar, conjugate(y), (free, others))
    y_bar = np.expand_dims(conjugate(x), -1) * np.expand_dims(out_bar, -2)
    return x_bar, y_bar


def matrix_times_column(x, y, out_bar):
    """The cotangents of a matrix, or batch, and the vector it multiplies."""
    if rules.known_rank(x) == 2:
        return np.outer(out_bar, conjugate(y)), adjoint(x) @ out_bar
    free = rules.axes_but_last(x, 1)
    y_bar = np.tensordot(out_bar, conjugate(x), (free, free))
    return np.expand_dims(out_bar, -1) * conjugate(y), y_bar


@rules.forward_of(MATMUL)
def _matmul_forward(x, y, *, out, x_dot, y_dot):
    if rules.is_literal_zero(y_dot):
        return x_dot @ y
    if rules.is_literal_zero(x_dot):
        return x @ y_dot
    return x_dot @ y + x @ y_dot


def dot_kind(a: ir.Kind, b: ir.Kind) -> ir.Kind:
    a, b = as_array(a), as_array(b)
    if not isinstance(a, NUMERIC) or not isinstance(b, NUMERIC):
        return ir.UNKNOWN
    dtype = result_dtype(np.dot, [a, b])
    x, y = settled_array_axes(a), settled_array_axes(b)
    if x is None or y is None:
        return ir.Array(dtype, None)
    if not x or not y:
        return rules.array_or_number(dtype, x + y)
    return rules.array_or_number(
        dtype, x[:-1] + (y[:-2] + y[-1:] if len(y) > 1 else ())
    )


@rules.reverse_of(np.dot, kind=dot_kind, differentiable=("a", "b"), bilinear=True)
def _dot(a, b, *, out, out_bar):
    if rules.known_rank(a) == -1 or rules.known_rank(b) == -1:
        a_bar = products.dot_cotangent_of_left(out_bar, a, b)
        return a_bar, products.dot_cotangent_of_right(out_bar, a, b)
    if rules.known_rank(a) == 0 or rules.known_rank(b) == 0:
        a_bar = reduced_to(out_bar * conjugate(b), a)
        return a_bar, reduced_to(out_bar * conjugate(a), b)
    if rules.known_rank(a) == 1 and rules.known_rank(b) == 1:
        return out_bar * conjugate(b), out_bar * conjugate(a)
    if rules.known_rank(b) == 1:
        return matrix_times_column(a, b, out_bar)
    if rules.known_rank(a) == 1:
        return row_times_matrix(a, b, out_bar)
    if rules.known_rank(a) == 2 and rules.known_rank(b) == 2:
        return out_bar @ adjoint(b), adjoint(a) @ out_bar
    axes = tensordot_axes.contracted_axes(a, b, ((-1,), (-2,)))
    a_bar = tensordot_axes.tensordot_left(a, conjugate(b), axes, out_bar)
    return a_bar, tensordot_axes.tensordot_right(conjugate(a), b, axes, out_bar)


def inner_kind(a: ir.Kind, b: ir.Kind) -> ir.Kind:
    a, b = as_array(a), as_array(b)
    if not isinstance(a, NUMERIC) or not isinstance(b, NUMERIC):
        return ir.UNKNOWN
    dtype = result_dtype(np.inner, [a, b])
    x, y = settled_array_axes(a), settled_array_axes(b)
    if x is None or y is None:
        raise rules.CallRefused(
            "np.inner of arrays whose rank isn't known has no rule", "use np.tensordot"
        )
    return rules.array_or_number(dtype, x[:-1] + y[:-1] if x and y else x + y)


@rules.reverse_of(np.inner, kind=inner_kind, differentiable=("a", "b"), bilinear=True)
def _inner(a, b, *, out, out_bar):
    if rules.known_rank(a) == 0 or rules.known_rank(b) == 0:
        a_bar = reduced_to(out_bar * conjugate(b), a)
        return a_bar, reduced_to(out_bar * conjugate(a), b)
    if rules.known_rank(a) == 1 and rules.known_rank(b) == 1:
        return out_bar * conjugate(b), out_bar * conjugate(a)
    if rules.known_rank(a) == 2 and rules.known_rank(b) == 2:
        return out_bar @ conjugate(b), out_bar.T @ conjugate(a)
    axes = tensordot_axes.contracted_axes(a, b, ((-1,), (-1,)))
    a_bar = tensordot_axes.tensordot_left(a, conjugate(b), axes, out_bar)
    return a_bar, tensordot_axes.tensordot_right(conjugate(a), b, axes, out_bar)


def outer_kind(a: ir.Kind, b: ir.Kind) -> ir.Kind:
    a, b = as_array(a), as_array(b)
    if not isinstance(a, NUMERIC) or not isinstance(b, NUMERIC):
        return ir.UNKNOWN
    axes = axis_product(ir.axes_of(a)), axis_product(ir.axes_of(b))
    return ir.Array(result_dtype(np.outer, [a, b]), axes)


@rules.reverse_of(np.outer, kind=outer_kind, differentiable=("a", "b"), bilinear=True)
def _outer(a, b, *, out, out_bar):
    if rules.known_rank(a) == 1 and rules.known_rank(b) == 1:
        return out_bar @ conjugate(b), conjugate(a) @ out_bar
    a_bar = shaped_like(out_bar @ np.ravel(conjugate(b)), a)
    return a_bar, shaped_like(np.ravel(conjugate(a)) @ out_bar, b)


def vdot_kind(a: ir.Kind, b: ir.Kind) -> ir.Kind:
    return rules.array_or_number(result_dtype(np.vdot, [as_array(a), as_array(b)]), ())


@rules.reverse_of(np.vdot, kind=vdot_kind, differentiable=("a", "b"), bilinear=True)
def _vdot(a, b, *, out, out_bar):
    if rules.known_rank(a) == rules.known_rank(b) and rules.known_rank(a) in (0, 1):
        return conjugate(out_bar) * b, out_bar * a
    return shaped_like(conjugate(out_bar) * b, a), shaped_like(out_bar * a, b)


def tensordot_kind(a: ir.Kind, b: ir.Kind, axes: ir.Kind = TWO) -> ir.Kind:
    a, b = as_array(a), as_array(b)
    x, y = settled_array_axes(a), settled_array_axes(b)
    if x is None or y is None:
        raise rules.CallRefused(
            "np.tensordot of arrays whose rank isn't known has no rule",
            "annotate the arrays",
        )
    rules.static_value(axes)
    left, right = tensordot_axes.contracted_axes(a, b, axes)
    free = tuple(x[k] for k in range(len(x)) if k not in left)
    free += tuple(y[k] for k in range(len(y)) if k not in right)
    return ir.Array(result_dtype(np.dot, [a, b]), free)


@rules.reverse_of(
    np.tensordot, kind=tensordot_kind, differentiable=("a", "b"), bilinear=True
)
def _tensordot(a, b, axes=2, *, out, out_bar):
    pairs = tensordot_axes.contracted_axes(a, b, axes)
    a_bar = tensordot_axes.tensordot_left(a, conjugate(b), pairs, out_bar)
    return a_bar, tensordot_axes.tensordot_right(conjugate(a), b, pairs, out_bar)


def kron_kind(a: ir.Kind, b: ir.Kind) -> ir.Kind:
    x, y = settled_array_axes(a), settled_array_axes(b)
    if x is None or y is None or len(x) != len(y) or len(x) not in (1, 2):
        raise rules.CallRefused(
            "np.kron has a rule for two vectors or two matrices", "reshape them first"
        )
    axes = tuple(axis_product((p, q)) for p, q in zip(x, y))
    return ir.Array(result_dtype(np.kron, [a, b]), axes)


@rules.reverse_of(np.kron, kind=kron_kind, differentiable=("a", "b"), bilinear=True)
def _kron(a, b, *, out, out_bar):
    if rules.known_rank(a) == 1:
        blocks = np.reshape(out_bar, (a.shape[0], b.shape[0]))
        return blocks @ conjugate(b), conjugate(a) @ blocks
    (n, m), (p, q) = a.shape, b.shape
    blocks = np.reshape(out_bar, (n, p, m, q))
    a_bar = np.einsum("ipjq,pq->ij", blocks, conjugate(b))
    return a_bar, np.einsum("ipjq,ij->pq", blocks, conjugate(a))


def cross_kind(a: ir.Kind, b: ir.Kind) -> ir.Kind:
    a, b = as_array(a), as_array(b)
    return ir.Array(result_dtype(np.multiply, [a, b]), rules.broadcast_axes([a, b]))


@rules.reverse_of(
    np.linalg.cross, kind=cross_kind, differentiable=("a", "b"), bilinear=True
)
def _cross(a, b, *, out, out_bar):
    a_bar = reduced_to(np.linalg.cross(conjugate(b), out_bar), a)
    return a_bar, reduced_to(np.linalg.cross(out_bar, conjugate(a)), b)
