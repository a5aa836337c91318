"""Matrices of some structure: ``scipy.linalg.toeplitz`` and its like."""

import numpy as np
from scipy import linalg

from s2sad import ir, rules
from s2sad.frontend.library.scipy.linalg import as_array
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics.matrix_functions import toeplitz_solution
from s2sad.rules.numpy.kinds_of_arrays import promoted_dtype
from s2sad.rules.steps.shape_steps import conjugate

windows = np.lib.stride_tricks.sliding_window_view


def vector(x):
    """One row or column as a vector."""
    x = as_array(x)
    if rules.known_rank(x) == 0:
        return np.reshape(x, (1,))
    if rules.known_rank(x) != 1:
        rules.not_supported(
            "matrices of structure from batches", "make them one by one"
        )
    return x


@stands_for(linalg.toeplitz)
def toeplitz(c, r=None):
    """``linalg.toeplitz(c, r)`` of vectors."""
    c = vector(c)
    r = conjugate(c) if rules.is_none(r) else vector(r)
    if rules.is_empty(c) or rules.is_empty(r):
        return np.zeros((len(c), len(r)), type_of_all(c, r))
    values = np.concatenate((np.flip(c), r[1:]))
    return np.copy(np.flip(windows(values, len(r)), 0))


@stands_for(linalg.circulant)
def circulant(c):
    """``linalg.circulant(c)`` of a vector."""
    c = vector(c)
    return toeplitz(c, np.concatenate((c[:1], np.flip(c[1:]))))


@stands_for(linalg.hankel)
def hankel(c, r=None):
    """``linalg.hankel(c, r)`` of vectors."""
    c = vector(c)
    r = np.zeros_like(c) if rules.is_none(r) else vector(r)
    if rules.is_empty(c) or rules.is_empty(r):
        return np.zeros((len(c), len(r)), type_of_all(c, r))
    return np.copy(windows(np.concatenate((c, r[1:])), len(r)))


@stands_for(linalg.block_diag)
def block_diag(*arrs):
    """``linalg.block_diag(*arrs)`` of numbers, rows and matrices."""
    blocks = [as_matrix(x) for x in arrs]
    rows = sum(x.shape[0] for x in blocks)
    columns = sum(x.shape[1] for x in blocks)
    made = np.zeros((rows, columns), type_of_all(*blocks))
    i, j = 0, 0
    for x in blocks:
        made[i : i + x.shape[0], j : j + x.shape[1]] = x
        i, j = i + x.shape[0], j + x.shape[1]
    return made


@rules.static_predicate
def type_of_all(*blocks: ir.Kind) -> type:
    """The type of the numbers of a matrix that holds all these."""
    return np.dtype(promoted_dtype(blocks)).type


def as_matrix(x):
    """A number or a row as a matrix."""
    x = as_array(x)
    if rules.known_rank(x) > 2:
        rules.not_supported(
            "scipy.linalg.block_diag of batches", "join them one by one"
        )
    if rules.known_rank(x) == 2:
        return x
    return np.reshape(x, (1, -1))


@stands_for(linalg.khatri_rao)
def khatri_rao(a, b):
    """``linalg.khatri_rao(a, b)``, the Kronecker products of columns."""
    a, b = as_array(a), as_array(b)
    return np.reshape(a[:, None, :] * b, (-1, a.shape[1]))


@stands_for(linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr, b, check_finite=True):
    """``linalg.solve_toeplitz(c_or_cr, b)``."""
    b = as_array(b)
    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
        return toeplitz_solution(vector(c), vector(r), b)
    c = vector(c_or_cr)
    return toeplitz_solution(c, conjugate(c), b)


@stands_for(linalg.solve_circulant)
def solve_circulant(c, b, singular="raise", tol=None, caxis=-1, baxis=0, outaxis=0):
    """``linalg.solve_circulant(c, b, tol=tol)``: a quotient of Fourier transforms."""
    if singular != "raise":
        rules.not_supported(
            "solve_circulant with singular='lstsq'", "use np.linalg.lstsq"
        )
    c, b = as_array(c), as_array(b)
    if c.shape[caxis] != b.shape[baxis]:
        raise ValueError("Shapes of c and b are incompatible")
    values = np.fft.fft(moved(c, caxis, -1))
    sizes = np.abs(values)
    if rules.is_none(tol):
        rounding = c.shape[caxis] * np.finfo(np.float64).eps
        tol = np.max(sizes, axis=-1, keepdims=True) * rounding
    if np.any(sizes <= tol):
        raise np.linalg.LinAlgError("near singular circulant matrix.")
    x = np.fft.ifft(np.fft.fft(moved(b, baxis, -1)) / values)
    if not rules.is_complex_number(c) and not rules.is_complex_number(b):
        x = np.real(x)
    return moved(x, -1, outaxis)


def moved(x, source, target):
    """An array with one of its axes elsewhere; a vector has no other place."""
    return x if rules.known_rank(x) == 1 else np.moveaxis(x, source, target)


@stands_for(linalg.solve_banded, words=("overwrite_ab", "overwrite_b"))
def solve_banded(
    l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True
):
    """``linalg.solve_banded(l_and_u, ab, b)``; nothing is overwritten."""
    return linalg.solve_banded(l_and_u, ab, b, check_finite=check_finite)


if hasattr(linalg, "kron"):

    @stands_for(linalg.kron)
    def kron(a, b):
        """``linalg.kron(a, b)``."""
        return np.kron(a, b)
