"""Functions of ``scipy.linalg`` that are made of others. Nothing is overwritten."""

from typing import Any

import numpy as np
from scipy import linalg

from s2sad import rules
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics import decompositions, matrix_functions
from s2sad.rules.numpy.linalg.least_squares import rounding_of
from s2sad.rules.numpy.linalg.linalg import hermitian_of_triangle
from s2sad.rules.steps.shape_steps import adjoint


def as_array(x):
    """An array as it is, else what NumPy makes of it."""
    return x if rules.is_array(x) else np.asarray(x)


@stands_for(linalg.solve)
def solve(
    a,
    b,
    lower=False,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
    assume_a=None,
    transposed=False,
):
    """``linalg.solve(a, b)``: of symmetric matrices by a rule of its own."""
    a, b = as_array(a), as_array(b)
    if rules.known_rank(a) != 2:
        rules.not_supported("scipy.linalg.solve of batches", "use np.linalg.solve")
    if assume_a is None or assume_a == "gen" or assume_a == "general":
        return np.linalg.solve(a.T if transposed else a, b)
    if transposed:
        rules.not_supported(
            "scipy.linalg.solve with transposed= and assume_a=", "pass a.T"
        )
    return linalg.solve(a, b, lower, assume_a=assume_a)


@stands_for(linalg.solve_triangular, words=("overwrite_b",))
def solve_triangular(
    a,
    b,
    trans=0,
    lower=False,
    unit_diagonal=False,
    overwrite_b=False,
    check_finite=True,
):
    """``linalg.solve_triangular(a, b)``."""
    return linalg.solve_triangular(
        a, b, trans, lower, unit_diagonal, check_finite=check_finite
    )


@stands_for(linalg.cholesky)
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """``linalg.cholesky(a)``, the upper factor of what stands in the upper triangle."""
    return np.linalg.cholesky(a) if lower else np.linalg.cholesky(a, upper=True)


@stands_for(linalg.cho_factor)
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """``linalg.cho_factor(a)``, with zeros in the triangle that doesn't count."""
    return cholesky(a, lower), lower


@stands_for(linalg.cho_solve)
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """``linalg.cho_solve((c, lower), b)``."""
    c, lower = c_and_lower
    if lower:
        y = linalg.solve_triangular(c, b, lower=True)
        return linalg.solve_triangular(c, y, 2, lower=True)
    return linalg.solve_triangular(c, linalg.solve_triangular(c, b, 2))


@stands_for(linalg.inv)
def inv(a, overwrite_a=False, check_finite=True, *, assume_a=None, lower=False):
    """``linalg.inv(a)``."""
    if not rules.is_none(assume_a):
        rules.not_supported("scipy.linalg.inv with assume_a=", "leave it out")
    return np.linalg.inv(a)


@stands_for(linalg.det)
def det(a, overwrite_a=False, check_finite=True):
    """``linalg.det(a)``."""
    return np.linalg.det(a)


@stands_for(linalg.pinv)
def pinv(a, *, rtol=None, check_finite=True):
    """``linalg.pinv(a, rtol=rtol)``."""
    a = as_array(a)
    return np.linalg.pinv(a, rounding_of(a) if rtol is None else rtol)


@stands_for(linalg.pinvh)
def pinvh(a, *, rtol=None, lower=True, check_finite=True):
    """``linalg.pinvh(a, rtol=rtol)``, of a triangle."""
    a = as_array(a)
    matrix = hermitian_of_triangle(a, not lower)
    return np.linalg.pinv(matrix, rounding_of(a) if rtol is None else rtol)


@stands_for(linalg.norm)
def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    """``linalg.norm(a, ord, axis, keepdims)``."""
    return np.linalg.norm(a, ord, axis, keepdims)


@stands_for(linalg.lstsq)
def lstsq(a, b, cond=None, overwrite_a=False, overwrite_b=False, check_finite=True):
    """``linalg.lstsq(a, b, cond)``."""
    a, b = as_array(a), as_array(b)
    a = a if a.dtype.kind in "fc" else a + 0.0
    limit = np.finfo(a.dtype).eps if cond is None else cond
    x, residuals, rank, values = np.linalg.lstsq(a, b, limit)
    if rules.known_rank(b) == 1:
        return x, np.sum(residuals), rank, values
    return x, residuals, rank, values


@stands_for(linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True):
    """``linalg.svd(a)``."""
    if not compute_uv:
        return np.linalg.svd(a, compute_uv=False)
    u, s, vh = np.linalg.svd(a, full_matrices)
    return u, s, vh


@stands_for(linalg.svdvals)
def svdvals(a, overwrite_a=False, check_finite=True):
    """``linalg.svdvals(a)``."""
    return np.linalg.svd(a, compute_uv=False)


@stands_for(linalg.qr)
def qr(a, overwrite_a=False, lwork=None, mode="full", *, check_finite=True):
    """``linalg.qr(a, mode=mode)``."""
    a = as_array(a)
    if mode == "raw":
        rules.not_supported("scipy.linalg.qr with mode='raw'", "use mode='economic'")
    if mode == "r":
        r: Any = np.linalg.qr(a, "r")
        below = max(a.shape[0] - a.shape[1], 0)
        return (np.concatenate((r, np.zeros((below, a.shape[1]), r.dtype))),)
    q, right = np.linalg.qr(a, "reduced" if mode == "economic" else "complete")
    return q, right


@stands_for(linalg.eig)
def eig(
    a,
    b=None,
    left=False,
    right=True,
    overwrite_a=False,
    overwrite_b=False,
    check_finite=True,
):
    """``linalg.eig(a)``, complex also where all eigenvalues are real."""
    if not rules.is_none(b) or left:
        rules.not_supported(
            "scipy.linalg.eig with b= or left=", "use those of one matrix"
        )
    if not right:
        return decompositions.complex_eigvals(a)
    values, vectors = decompositions.complex_eig(a)
    return values, vectors


@stands_for(linalg.eigvals)
def eigvals(a, b=None, overwrite_a=False, *, overwrite_b=False, check_finite=True):
    """``linalg.eigvals(a)``."""
    if not rules.is_none(b):
        rules.not_supported("scipy.linalg.eigvals with b=", "use those of one matrix")
    return decompositions.complex_eigvals(a)


@stands_for(linalg.lu)
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """``linalg.lu(a)``."""
    rows, lower, upper = matrix_functions.lu_of(as_array(a))
    places = np.argsort(rows)
    if permute_l:
        return lower[places], upper
    if p_indices:
        return places, lower, upper
    return np.eye(len(rows), dtype=lower.dtype)[places], lower, upper


@stands_for(linalg.lu_factor)
def lu_factor(a, overwrite_a=False, check_finite=True):
    """``linalg.lu_factor(a)`` of a square matrix, with exchanges of rows as LAPACK
    notes them."""
    a = as_array(a)
    if a.shape[0] != a.shape[1]:
        raise ValueError(
            "scipy.linalg.lu_factor is differentiated for square matrices; "
            "use scipy.linalg.lu"
        )
    rows, lower, upper = matrix_functions.lu_of(a)
    return np.tril(lower, -1) + upper, matrix_functions.exchanges_of(rows)


@stands_for(linalg.lu_solve)
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """``linalg.lu_solve((lu, piv), b)``."""
    factors, exchanges = lu_and_piv
    b = as_array(b)
    rows = matrix_functions.rows_of(exchanges)
    if trans == 0:
        y = linalg.solve_triangular(factors, b[rows], lower=True, unit_diagonal=True)
        return linalg.solve_triangular(factors, y)
    y = linalg.solve_triangular(factors, b, trans)
    x = linalg.solve_triangular(factors, y, trans, lower=True, unit_diagonal=True)
    return x[np.argsort(rows)]


@stands_for(
    linalg.eigh,
    words=("eigvals_only", "overwrite_a", "overwrite_b", "type", "check_finite"),
)
def eigh(
    a,
    b=None,
    *,
    lower=True,
    eigvals_only=False,
    overwrite_a=False,
    overwrite_b=False,
    type=1,
    check_finite=True,
):
    """``linalg.eigh(a, b)``."""
    if type != 1:
        rules.not_supported(f"scipy.linalg.eigh with type={type}", "use type=1")
    if eigvals_only:
        return eigvalsh(a, b, lower=lower)
    return linalg.eigh(a, b, lower=lower)


@stands_for(linalg.eigvalsh)
def eigvalsh(
    a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, check_finite=True
):
    """``linalg.eigvalsh(a, b)``."""
    if rules.is_none(b):
        return np.linalg.eigvalsh(a) if lower else np.linalg.eigvalsh(a, "U")
    return linalg.eigh(a, b, lower=lower)[0]


@stands_for(linalg.logm)
def logm(A):
    """``linalg.logm(A)``."""
    return matrix_functions.logm_of(A)


@stands_for(linalg.sqrtm)
def sqrtm(A):
    """``linalg.sqrtm(A)``."""
    return matrix_functions.sqrtm_of(A)


@stands_for(linalg.polar)
def polar(a, side="right"):
    """``linalg.polar(a, side)``."""
    a = as_array(a)
    if a.shape[0] < a.shape[1]:
        u = adjoint(matrix_functions.orthogonal_factor(adjoint(a)))
    else:
        u = matrix_functions.orthogonal_factor(a)
    if side == "left":
        return u, a @ adjoint(u)
    if side != "right":
        raise ValueError("`side` must be either 'right' or 'left'")
    return u, adjoint(u) @ a
