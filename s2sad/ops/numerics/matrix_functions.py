"""Functions of matrices, by SciPy, that don't fail where the function didn't."""

from typing import Any

import numpy as np


def sylvester_solution(a: Any, b: Any, q: Any) -> Any:
    """The X of A X + X B = Q; nan where A or B isn't finite, and where the system is
    singular: LAPACK solves another one then, and doesn't say so.

    >>> sylvester_solution(np.eye(1), 2.0 * np.eye(1), np.array([[6.0]]))
    array([[2.]])
    >>> sylvester_solution(np.zeros((1, 1)), np.zeros((1, 1)), np.eye(1))
    array([[nan]])
    """
    from scipy import linalg

    if np.all(np.isfinite(a)) and np.all(np.isfinite(b)):
        found = linalg.solve_sylvester(a, b, q)
        rest = np.max(np.abs(a @ found + found @ b - q), initial=0.0)
        if rest <= 1e-2 * np.max(np.abs(q), initial=0.0):
            return found
    return np.full(np.shape(q), np.nan, np.result_type(a, b, q))


def continuous_lyapunov(a: Any, q: Any) -> Any:
    """The X of A X + X A* = Q; nan where A or Q isn't finite.

    >>> continuous_lyapunov(np.eye(1), np.array([[6.0]]))
    array([[3.]])
    """
    from scipy import linalg

    if np.all(np.isfinite(a)) and np.all(np.isfinite(q)):
        return linalg.solve_continuous_lyapunov(a, q)
    return np.full(np.shape(q), np.nan, np.result_type(a, q))


def discrete_lyapunov(a: Any, q: Any, method: Any) -> Any:
    """The X of A X A* - X + Q = 0; nan where A or Q isn't finite.

    >>> discrete_lyapunov(0.5 * np.eye(1), np.array([[6.0]]), None)
    array([[8.]])
    """
    from scipy import linalg

    if np.all(np.isfinite(a)) and np.all(np.isfinite(q)):
        return linalg.solve_discrete_lyapunov(a, q, method)
    return np.full(np.shape(q), np.nan, np.result_type(a, q))


def expm_along(a: Any, change: Any) -> Any:
    """The derivative of ``expm`` at A in a direction; nan where A isn't finite.
    Source: Al-Mohy and Higham, Computing the Frechet derivative of the matrix
    exponential, with an application to condition number estimation, 2009.

    >>> expm_along(np.zeros((1, 1)), np.array([[3.0]]))
    array([[3.]])
    """
    from scipy import linalg

    dtype = np.result_type(a, change)
    if not np.all(np.isfinite(a)):
        return np.full(np.shape(a), np.nan, dtype)
    found = linalg.expm_frechet(a, change, compute_expm=False, check_finite=False)
    return found.astype(dtype, copy=False)


def logm_of(a: Any) -> Any:
    """``scipy.linalg.logm(a)``; ValueError where that of a real matrix is complex.

    >>> logm_of(np.eye(1))
    array([[0.]])
    """
    from scipy import linalg

    return _of_same_type("logm", linalg.logm(a), a)


def logm_along(a: Any, change: Any) -> Any:
    """The derivative of ``logm`` at A in a direction: a block of the logarithm of
    [[A, E], [0, A]]; nan where one of them isn't finite.

    >>> logm_along(2.0 * np.eye(1), np.array([[3.0]])).round(12)
    array([[1.5]])
    """
    dtype = np.result_type(a, change)
    if not (np.all(np.isfinite(a)) and np.all(np.isfinite(change))):
        return np.full(np.shape(a), np.nan, dtype)
    n = len(a)
    return logm_of(np.block([[a, change], [np.zeros_like(a), a]]))[:n, n:]


def sqrtm_of(a: Any) -> Any:
    """``scipy.linalg.sqrtm(a)``; ValueError where that of a real matrix is complex.

    >>> sqrtm_of(4.0 * np.eye(1))
    array([[2.]])
    """
    from scipy import linalg

    return _of_same_type("sqrtm", linalg.sqrtm(a), a)


def _of_same_type(name: str, found: Any, a: Any) -> Any:
    if np.iscomplexobj(found) and not np.iscomplexobj(a):
        raise ValueError(f"{name} of a real matrix is complex: pass it as a + 0j")
    return found


def toeplitz_solution(c: Any, r: Any, b: Any) -> Any:
    """The solution of a system with a Toeplitz matrix of this first column and first
    row, by Levinson's recursion.

    >>> c, r = np.array([2.0, 1.0]), np.array([2.0, 0.0])
    >>> toeplitz_solution(c, r, np.array([2.0, 3.0]))
    array([1., 1.])
    """
    from scipy import linalg

    return linalg.solve_toeplitz((c, r), b, check_finite=False)


def lu_of(a: Any) -> Any:
    """``scipy.linalg.lu`` with the order of the rows: A[rows] = L U.

    >>> rows, lower, upper = lu_of(np.array([[0.0, 2.0], [1.0, 1.0]]))
    >>> rows, upper
    (array([1, 0]), array([[1., 1.],
           [0., 2.]]))
    """
    from scipy import linalg

    places, lower, upper = linalg.lu(a, p_indices=True, check_finite=False)
    return np.argsort(places), lower, upper


def exchanges_of(rows: Any) -> Any:
    """The order of rows as exchanges, one after the other, as LAPACK notes it.

    >>> exchanges_of(np.array([2, 0, 1]))
    array([2, 2, 2], dtype=int32)
    """
    now = np.arange(len(rows))
    exchanges = np.zeros(len(rows), np.int32)
    for k in range(len(rows)):
        place = exchanges[k] = np.flatnonzero(now == rows[k])[0]
        now[[k, place]] = now[[place, k]]
    return exchanges


def rows_of(exchanges: Any) -> Any:
    """The order of rows after such exchanges.

    >>> rows_of(np.array([2, 2, 2]))
    array([2, 0, 1])
    """
    rows = np.arange(len(exchanges))
    for k, place in enumerate(exchanges):
        rows[[k, place]] = rows[[place, k]]
    return rows


def orthogonal_factor(a: Any) -> Any:
    """The first factor of ``scipy.linalg.polar`` of a matrix with at least as many rows
    as columns.

    >>> orthogonal_factor(np.array([[0.0, -2.0], [3.0, 0.0]])).round(12) + 0.0
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    from scipy import linalg

    return linalg.polar(a)[0]
