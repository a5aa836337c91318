"""``numpy.linalg``: systems of equations, inverses, determinants, ``cholesky``.

Matrices may come in batches, as in NumPy. ``cholesky``, ``eigh`` and ``eigvalsh`` read
one triangle of their argument, and the other one's cotangent is zero.
"""

import numpy as np

from s2sad import ir, rules
from s2sad.ops.numerics.matrices import (
    cofactors,
    inverse_or_nan,
    lower_with_half_diagonal,
    solve_or_nan,
)
from s2sad.rules.numpy import kinds_of_arrays
from s2sad.rules.steps.shape_steps import adjoint, conjugate, reduced_to, transposed


def matrices(name: str, a: ir.Kind):
    """The axes of a matrix or batch; refuses arrays of unknown rank."""
    axes = kinds_of_arrays.settled_array_axes(a)
    if axes is None:
        raise rules.CallRefused(
            f"{name} has a rule for arrays of known rank", "annotate the array"
        )
    return axes


def solve_kind(a: ir.Kind, b: ir.Kind) -> ir.Kind:
    x, y = matrices("np.linalg.solve", a), matrices("np.linalg.solve", b)
    dtype = _solution_dtype(a, b)
    if len(y) == 1:
        return ir.Array(dtype, (*x[:-2], y[-1]))
    batch = rules.broadcast_axes([ir.Array(None, x[:-2]), ir.Array(None, y[:-2])]) or ()
    return ir.Array(dtype, (*batch, *y[-2:]))


def _solution_dtype(a: ir.Kind, b: ir.Kind) -> str | None:
    if ir.dtype_of(a) is None or ir.dtype_of(b) is None:
        return None
    one = np.ones((1, 1))
    solved = np.linalg.solve(one.astype(ir.dtype_of(a)), one.astype(ir.dtype_of(b)))
    return str(solved.dtype.name)


@rules.reverse_of(
    (np.linalg.solve, solve_or_nan), kind=solve_kind, differentiable=("a", "b")
)
def _solve(a, b, *, out, out_bar):
    if rules.known_rank(b) == 1 and rules.known_rank(a) == 2:
        b_bar = np.linalg.solve(adjoint(a), out_bar)
        return -np.outer(b_bar, conjugate(out)), b_bar
    if rules.known_rank(b) == 1:
        columns = np.linalg.solve(adjoint(a), np.expand_dims(out_bar, -1))
        a_bar = -columns * np.expand_dims(conjugate(out), -2)
        return a_bar, reduced_to(np.squeeze(columns, -1), b)
    b_bar = np.linalg.solve(adjoint(a), out_bar)
    return reduced_to(-b_bar @ adjoint(out), a), reduced_to(b_bar, b)


@rules.forward_of((np.linalg.solve, solve_or_nan))
def _solve_forward(a, b, *, out, a_dot, b_dot):
    if rules.is_literal_zero(a_dot):
        return np.linalg.solve(a, b_dot)
    if rules.known_rank(b) == 1 and rules.known_rank(a) > 2:
        change = b_dot - np.sum(a_dot * np.expand_dims(out, -2), axis=-1)
        columns = np.linalg.solve(a, np.expand_dims(change, -1))
        return np.squeeze(columns, -1)
    return np.linalg.solve(a, b_dot - a_dot @ out)


def inv_kind(a: ir.Kind) -> ir.Kind:
    return ir.Array(float_dtype(a), kinds_of_arrays.settled_array_axes(a))


def float_dtype(a: ir.Kind) -> str | None:
    """float32 stays; integers become float64."""
    return kinds_of_arrays.result_dtype(np.divide, [a, a])


@rules.reverse_of((np.linalg.inv, inverse_or_nan), kind=inv_kind)
def _inv(a, *, out, out_bar):
    return -adjoint(out) @ out_bar @ adjoint(out)


@rules.forward_of((np.linalg.inv, inverse_or_nan))
def _inv_forward(a, *, out, a_dot):
    return -out @ a_dot @ out


def per_matrix(number, a):
    """One number for each matrix, aligned with the matrices."""
    return number if rules.known_rank(a) == 2 else np.expand_dims(number, (-2, -1))


def det_kind(a: ir.Kind) -> ir.Kind:
    return rules.array_or_number(float_dtype(a), matrices("np.linalg.det", a)[:-2])


@rules.reverse_of(np.linalg.det, kind=det_kind)
def _det(a, *, out, out_bar):
    return per_matrix(out_bar, a) * conjugate(cofactors(a))


@rules.forward_of(np.linalg.det)
def _det_forward(a, *, out, a_dot):
    return np.sum(cofactors(a) * a_dot, axis=(-2, -1))


def slogdet_kind(a: ir.Kind) -> ir.Kind:
    batch = matrices("np.linalg.slogdet", a)[:-2]
    dtype = float_dtype(a)
    parts = (
        rules.array_or_number(dtype, batch),
        rules.array_or_number(kinds_of_arrays.real_dtype(dtype), batch),
    )
    return ir.Structure(SlogdetResult, ("sign", "logabsdet"), parts)


SlogdetResult = type(np.linalg.slogdet(np.eye(1)))


@rules.reverse_of(np.linalg.slogdet, kind=slogdet_kind)
def _slogdet(a, *, out, out_bar):
    slopes = out_bar[1]
    if rules.is_complex_number(a):
        # The sign is exp(i angle), the angle the imaginary part of the logarithm.
        slopes = slopes + 1j * np.imag(out_bar[0] * np.conj(out[0]))
    return per_matrix(slopes, a) * adjoint(inverse_or_nan(a))


@rules.forward_of(np.linalg.slogdet)
def _slogdet_forward(a, *, out, a_dot):
    relative = np.sum(transposed(inverse_or_nan(a)) * a_dot, axis=(-2, -1))
    if rules.is_complex_number(a):
        return 1j * out[0] * np.imag(relative), np.real(relative)
    return np.zeros_like(out[0]), relative


def factor_kind(a: ir.Kind, upper: ir.Kind = kinds_of_arrays.IS_FALSE) -> ir.Kind:
    rules.static_value(upper)
    return ir.Array(float_dtype(a), matrices("np.linalg.cholesky", a))


def hermitian_of_triangle(x, upper):
    """The Hermitian matrix of which a function reads one triangle of ``x``."""
    half = lower_with_half_diagonal(adjoint(x) if upper else x)
    return half + adjoint(half)


def onto_triangle(x, upper):
    """The pullback of ``hermitian_of_triangle``."""
    half = lower_with_half_diagonal(x + adjoint(x))
    return adjoint(half) if upper else half


@rules.reverse_of(np.linalg.cholesky, kind=factor_kind)
def _cholesky(a, *, upper=False, out, out_bar):
    factor, factor_bar = (adjoint(out), adjoint(out_bar)) if upper else (out, out_bar)
    inner = lower_with_half_diagonal(adjoint(factor) @ factor_bar)
    left = np.linalg.solve(adjoint(factor), inner)
    return onto_triangle(np.linalg.solve(adjoint(factor), adjoint(left)), upper)


@rules.forward_of(np.linalg.cholesky)
def _cholesky_forward(a, *, upper=False, out, a_dot):
    factor = adjoint(out) if upper else out
    left = np.linalg.solve(factor, hermitian_of_triangle(a_dot, upper))
    inner = adjoint(np.linalg.solve(factor, adjoint(left)))
    tangent = factor @ lower_with_half_diagonal(inner)
    return adjoint(tangent) if upper else tangent
