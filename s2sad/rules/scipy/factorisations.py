"""``scipy.linalg``: LU factors, eigenvalues of pairs of matrices, Toeplitz systems.

Sources: Giles, Collected matrix derivative results for forward and reverse mode
algorithmic differentiation, 2008; for LU de Hoog, Anderssen and Lukas, Differentiation
of matrix functionals using triangular factorization, Math. Comp. 80, 2011.
"""

import numpy as np
from scipy import linalg

from s2sad import ir, rules
from s2sad.ops.numerics.decompositions import divided_by_gaps, turning
from s2sad.ops.numerics.matrices import solve_or_nan
from s2sad.ops.numerics.matrix_functions import (
    exchanges_of,
    lu_of,
    rows_of,
    toeplitz_solution,
)
from s2sad.rules.numpy.kinds_of_arrays import (
    IS_TRUE,
    NOT_GIVEN,
    real_dtype,
    result_dtype,
    structure,
)
from s2sad.rules.numpy.linalg.decompositions import shorter
from s2sad.rules.numpy.linalg.eigenvalues import columns, into_real_row, real_row
from s2sad.rules.numpy.linalg.linalg import (
    float_dtype,
    hermitian_of_triangle,
    matrices,
    onto_triangle,
)
from s2sad.rules.steps.shape_steps import adjoint, conjugate, difference_of, sum_of

# ------------------------------------------------------------------ LU


def lu_kind(a: ir.Kind) -> ir.Kind:
    axes, dtype = matrices("scipy.linalg.lu", a), float_dtype(a)
    if len(axes) != 2:
        raise rules.CallRefused(
            "scipy.linalg.lu of batches has no rule", "take the matrices one by one"
        )
    k = shorter(axes)
    parts = ir.Array(dtype, (axes[0], k)), ir.Array(dtype, (k, axes[1]))
    return structure([ir.Array("int64", (axes[0],)), *parts])


def lu_cotangent(lower, upper, lower_bar, upper_bar):
    """That of the matrix with its rows in order, which is square."""
    of_lower = 0.0
    if not rules.is_literal_zero(lower_bar):
        of_lower = np.tril(adjoint(lower) @ np.tril(lower_bar, -1), -1)
    of_upper = 0.0
    if not rules.is_literal_zero(upper_bar):
        of_upper = np.triu(np.triu(upper_bar) @ adjoint(upper))
    left = linalg.solve_triangular(
        lower,
        sum_of(of_lower, of_upper),
        2,
        lower=True,
        unit_diagonal=True,
        check_finite=False,
    )
    return adjoint(solve_or_nan(upper, adjoint(left)))


@rules.reverse_of(lu_of, kind=lu_kind, complex=True)
def _lu(a, *, out, out_bar):
    """Rows and columns behind the square part are products with the inverse of the
    other factor."""
    order, lower, upper = out[0], out[1], out[2]
    k = min(a.shape)
    lower_bar = sum_of(out_bar[1], np.zeros_like(lower))
    upper_bar = sum_of(out_bar[2], np.zeros_like(upper))
    below = adjoint(solve_or_nan(upper[:, :k], adjoint(lower_bar[k:])))
    beside = linalg.solve_triangular(
        lower[:k],
        upper_bar[:, k:],
        2,
        lower=True,
        unit_diagonal=True,
        check_finite=False,
    )
    square = lu_cotangent(
        lower[:k],
        upper[:, :k],
        lower_bar[:k] - beside @ adjoint(upper[:, k:]),
        upper_bar[:, :k] - adjoint(lower[k:]) @ below,
    )
    if a.shape[0] > k:
        ordered = np.concatenate((square, below))
    else:
        ordered = np.concatenate((square, beside), axis=1)
    return ordered[np.argsort(order)]


@rules.forward_of(lu_of)
def _lu_forward(a, *, out, a_dot):
    order, lower, upper = out[0], out[1], out[2]
    k = min(a.shape)
    ordered = a_dot[order]
    left = linalg.solve_triangular(
        lower[:k], ordered[:k], lower=True, unit_diagonal=True, check_finite=False
    )
    inner = adjoint(solve_or_nan(adjoint(upper[:, :k]), adjoint(left[:, :k])))
    lower_dot = lower[:k] @ np.tril(inner, -1)
    upper_dot = np.triu(inner) @ upper[:, :k]
    change = ordered[k:, :k] - lower[k:] @ upper_dot
    below = adjoint(solve_or_nan(adjoint(upper[:, :k]), adjoint(change)))
    beside = left[:, k:] - np.tril(inner, -1) @ upper[:, k:]
    both = np.concatenate((upper_dot, beside), axis=1)
    return 0, np.concatenate((lower_dot, below)), both


# ------------------------------------------------------------------ eigenvalues


def eigh_kind(a: ir.Kind, b: ir.Kind = NOT_GIVEN, lower: ir.Kind = IS_TRUE) -> ir.Kind:
    rules.static_value(lower)
    axes = matrices("scipy.linalg.eigh", a)
    if len(axes) != 2:
        raise rules.CallRefused(
            "scipy.linalg.eigh of batches has no rule", "use np.linalg.eigh"
        )
    if b == NOT_GIVEN:
        dtype = float_dtype(a)
    elif ir.is_complex(a) or ir.is_complex(b):
        raise rules.CallRefused(
            "scipy.linalg.eigh of a pair of complex matrices has no rule",
            "reduce it to one matrix by a Cholesky factor",
        )
    else:
        dtype = result_dtype(np.divide, [a, b])
    return structure([ir.Array(real_dtype(dtype), axes[:-1]), ir.Array(dtype, axes)])


def named(lower):
    """The triangle as NumPy names it."""
    return "L" if lower else "U"


@rules.reverse_of(linalg.eigh, kind=eigh_kind, differentiable=("a", "b"), complex=True)
def _eigh(a, b=None, *, lower=True, out, out_bar):
    """A V = B V W with V* B V = 1."""
    values, vectors, vectors_bar = out[0], out[1], out_bar[1]
    inner, other = 0.0, 0.0
    if not rules.is_literal_zero(out_bar[0]):
        inner = columns(out_bar[0], vectors)
        other = columns(out_bar[0] * values, vectors)
    if not rules.is_literal_zero(vectors_bar):
        if rules.is_complex_number(vectors):
            turns = np.imag(np.sum(np.conj(vectors) * vectors_bar, axis=-2))
            row = 1j * turns * turning(np.real(real_row(vectors, named(lower))))
            vectors_bar = vectors_bar - into_real_row(row, vectors, named(lower))
        products = adjoint(vectors) @ vectors_bar
        turned = divided_by_gaps(products, values)
        inner = sum_of(inner, vectors @ turned)
        other = sum_of(other, vectors @ columns(values, turned))
        lengths = 0.5 * np.real(np.diagonal(products))
        other = other + columns(lengths, vectors)
    a_bar = onto_triangle(inner @ adjoint(vectors), not lower)
    if rules.is_none(b):
        return a_bar, 0.0
    return a_bar, onto_triangle(-other @ adjoint(vectors), not lower)


@rules.forward_of(linalg.eigh)
def _eigh_forward(a, b=None, *, lower=True, out, a_dot, b_dot):
    values, vectors = out[0], out[1]
    turned = 0.0
    if not rules.is_literal_zero(a_dot):
        read = hermitian_of_triangle(a_dot, not lower)
        turned = adjoint(vectors) @ read @ vectors
    lengths = 0.0
    if not rules.is_none(b) and not rules.is_literal_zero(b_dot):
        read = hermitian_of_triangle(b_dot, not lower)
        change = adjoint(vectors) @ read @ vectors
        turned = difference_of(turned, columns(values, change))
        lengths = 0.5 * np.diagonal(change)
    values_dot = np.real(np.diagonal(turned))
    vectors_dot = vectors @ divided_by_gaps(turned, values)
    if not rules.is_literal_zero(lengths):
        vectors_dot = vectors_dot - columns(lengths, vectors)
    if rules.is_complex_number(vectors):
        rates = np.imag(real_row(vectors_dot, named(lower)))
        phases = -1j * rates * turning(np.real(real_row(vectors, named(lower))))
        vectors_dot = vectors_dot + columns(phases, vectors)
    return values_dot, vectors_dot


# ------------------------------------------------------------------ Toeplitz systems


def toeplitz_kind(c: ir.Kind, r: ir.Kind, b: ir.Kind) -> ir.Kind:
    axes = matrices("scipy.linalg.solve_toeplitz", b)
    if len(axes) != 1:
        raise rules.CallRefused(
            "scipy.linalg.solve_toeplitz with several right-hand sides has no rule",
            "solve the systems one by one",
        )
    return ir.Array(result_dtype(lambda x, y, z: z / x / y, [c, r, b]), axes)


@rules.reverse_of(
    toeplitz_solution,
    kind=toeplitz_kind,
    differentiable=("c", "r", "b"),
    complex=True,
)
def _toeplitz_solution(c, r, b, *, out, out_bar):
    """What stands along a diagonal is one number: its cotangent is a correlation. The
    first element of the row isn't read."""
    b_bar = toeplitz_solution(conjugate(r_of(c, r)), conjugate(c), out_bar)
    sums = -np.convolve(b_bar, np.flip(conjugate(out)))
    n = b.shape[0]
    row = np.concatenate((np.zeros_like(sums[:1]), np.flip(sums[: n - 1])))
    return sums[n - 1 :], row, b_bar


def r_of(c, r):
    """The first row; its first element is that of the column."""
    return np.concatenate((c[:1], r[1:]))


def product_with_toeplitz(c, r, x):
    """The product of a Toeplitz matrix and a vector."""
    n = x.shape[0]
    return np.convolve(np.concatenate((np.flip(r[1:]), c)), x)[n - 1 : 2 * n - 1]


@rules.forward_of(toeplitz_solution)
def _toeplitz_solution_forward(c, r, b, *, out, c_dot, r_dot, b_dot):
    column, row = sum_of(c_dot, np.zeros_like(c)), sum_of(r_dot, np.zeros_like(r))
    change = difference_of(b_dot, product_with_toeplitz(column, row, out))
    return toeplitz_solution(c, r, change)


def exchanges_kind(rows: ir.Kind) -> ir.Kind:
    return ir.Array("int32", matrices("scipy.linalg.lu_factor", rows))


def rows_kind(exchanges: ir.Kind) -> ir.Kind:
    return ir.Array("int64", matrices("scipy.linalg.lu_solve", exchanges))


rules.without_derivative(exchanges_of, kind=exchanges_kind)
rules.without_derivative(rows_of, kind=rows_kind)
