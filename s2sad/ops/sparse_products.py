"""Products of a constant sparse matrix of SciPy, as operations of the IR.

They are written as the user writes them: ``X @ w``, ``w @ X``, ``X.T``. SciPy itself is
not needed.
"""

from typing import Any


def sparse_times(w: Any, matrix: Any) -> Any:
    """``matrix @ w``, for a vector or matrix ``w``."""
    return matrix @ w


def times_sparse(w: Any, matrix: Any) -> Any:
    """``w @ matrix``."""
    return w @ matrix


def sparse_transposed(matrix: Any) -> Any:
    """``matrix.T``."""
    return matrix.T
