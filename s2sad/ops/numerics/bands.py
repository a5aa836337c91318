"""Banded matrices as LAPACK stores them: A[i, j] stands at ``ab[upper + i - j, j]``."""

from typing import Any

import numpy as np


def _parts(n: int, lower: int, upper: int) -> Any:
    """For each diagonal its row in the bands, and its places in rows and columns."""
    for k in range(-upper, lower + 1):
        if abs(k) < n:
            rows = slice(max(0, k), n - max(0, -k))
            yield upper + k, rows, slice(max(0, -k), n - max(0, k))


def transposed_bands(ab: Any, lower: Any, upper: Any) -> Any:
    """The bands of the transposed matrix, of which so many diagonals stand below and
    above the main one.

    >>> transposed_bands(np.array([[0.0, 5.0], [1.0, 2.0]]), 0, 1)
    array([[1., 2.],
           [5., 0.]])
    """
    made = np.zeros_like(ab)
    for k, rows, columns in _parts(np.shape(ab)[1], lower, upper):
        made[lower + upper - k, rows] = ab[k, columns]
    return made


def bands_times(ab: Any, lower: Any, upper: Any, x: Any) -> Any:
    """The product of the matrix and a vector, or a matrix.

    >>> bands_times(np.array([[0.0, 5.0], [1.0, 2.0]]), 0, 1, np.array([1.0, 10.0]))
    array([51., 20.])
    """
    made = np.zeros(np.shape(x), np.result_type(ab, x))
    for k, rows, columns in _parts(np.shape(ab)[1], lower, upper):
        factors = ab[k, columns]
        made[rows] += (factors if np.ndim(x) == 1 else factors[:, None]) * x[columns]
    return made


def outer_in_bands(y: Any, x: Any, lower: Any, upper: Any) -> Any:
    """The bands of the product of ``y`` and the transpose of ``x``.

    >>> outer_in_bands(np.array([1.0, 2.0]), np.array([3.0, 4.0]), 0, 1)
    array([[0., 4.],
           [3., 8.]])
    """
    made = np.zeros((lower + upper + 1, len(x)), np.result_type(y, x))
    for k, rows, columns in _parts(len(x), lower, upper):
        products = y[rows] * x[columns]
        made[k, columns] = products if np.ndim(x) == 1 else np.sum(products, axis=1)
    return made
