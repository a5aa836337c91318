"""Linear systems of which only products with the matrix are known, by SciPy's Krylov
methods. They need memory for some vectors alone.

Sources: Y. Saad and M. Schultz, GMRES (1986); H. van der Vorst, Bi-CGSTAB (1992).
"""

from typing import Any

import numpy as np


def gmres_solution(product: Any, right: Any, args: Any, tol: Any) -> Any:
    """The vector ``x`` of ``product(x, *args) = right``, by
    ``scipy.sparse.linalg.gmres`` with at most 5000 products, restarted after 50; see
    :func:`krylov_solution`.

    >>> matrix = np.array([[2.0, 1.0], [0.0, 4.0]])
    >>> gmres_solution(lambda x, a: a @ x, np.array([4.0, 8.0]), (matrix,), 1e-10)
    array([1., 2.])
    """
    words = {"restart": min(50, len(right)), "maxiter": 100}
    return krylov_solution("gmres", product, right, args, tol, words)


def bicgstab_solution(product: Any, right: Any, args: Any, tol: Any) -> Any:
    """The vector ``x`` of ``product(x, *args) = right``, by
    ``scipy.sparse.linalg.bicgstab`` with at most 5000 products; see
    :func:`krylov_solution`.

    >>> matrix = np.array([[2.0, 1.0], [0.0, 4.0]])
    >>> bicgstab_solution(lambda x, a: a @ x, np.array([4.0, 8.0]), (matrix,), 1e-10)
    array([1., 2.])
    """
    return krylov_solution("bicgstab", product, right, args, tol, {"maxiter": 2500})


def krylov_solution(
    method: Any, product: Any, right: Any, args: Any, tol: Any, words: Any
) -> Any:
    """The vector ``x`` of ``product(x, *args) = right``, an array like ``right``.

    The rest ``right - product(x, *args)`` is at most ``tol`` times as long as ``right``
    (or 100 roundings, where that is more). It is computed again at the end:
    RuntimeError if it is more than ten times as long as that, and ImportError without
    SciPy. Nan where ``right`` isn't finite.
    """
    try:
        from scipy.sparse import linalg
    except ImportError as error:
        raise ImportError(
            f"solver={method!r} needs SciPy: pip install 's2sad[scipy]'"
        ) from error
    scale = np.max(np.abs(right), initial=0.0)  # SciPy's tests of breakdown know none
    if not np.isfinite(scale):
        return np.full_like(right, np.nan)
    if scale == 0.0:
        return np.zeros_like(right)
    right = right / scale

    def apart(vector: Any) -> Any:  # SciPy writes into what it is given
        return np.array(product(vector.copy(), *args), dtype=right.dtype)

    shape = (len(right), len(right))
    matrix = linalg.LinearOperator(shape, matvec=apart, dtype=right.dtype)
    rtol = max(tol, 100.0 * np.finfo(right.dtype).eps)
    solve = getattr(linalg, method)
    solution, _ = solve(matrix, right, rtol=rtol, atol=0.0, **words)
    rest = np.linalg.norm(right - apart(solution))
    if not rest <= 10.0 * rtol * np.linalg.norm(right):  # nor is nan
        raise RuntimeError(
            f"{method}: the linear system isn't solved; try solver='direct'"
        )
    return scale * solution
