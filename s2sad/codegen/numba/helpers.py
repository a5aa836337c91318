"""What emitted programs call besides NumPy, in Python that Numba compiles; a text
carries copies of those it calls."""

from __future__ import annotations

from typing import Any

import numpy as np


def grown(values: Any) -> Any:
    """An array twice as long, which begins with these values.

    >>> grown(np.array([3.0, 4.0]))[:2]
    array([3., 4.])
    """
    longer = np.empty(2 * len(values), values.dtype)
    longer[: len(values)] = values
    return longer


def quotient_or_zero(numerator: float, denominator: float) -> float:
    """numerator / denominator, and 0 where the denominator is 0.

    >>> quotient_or_zero(3.0, 2.0), quotient_or_zero(3.0, 0.0)
    (1.5, 0.0)
    """
    if denominator == 0.0:
        return 0.0
    return numerator / denominator


def cofactors_of_matrix(x: Any) -> Any:
    """The cofactors of a matrix, the derivative of its determinant.

    >>> cofactors_of_matrix(np.array([[1.0, 2.0], [2.0, 4.0]])).round(12)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    determinant = np.linalg.det(x)
    if determinant != 0.0:
        return determinant * np.linalg.inv(x).T
    # x = U S V*: cof(x) = det(U) det(V*) U cof(S) V*, S being diagonal.
    u, s, vh = np.linalg.svd(x)
    scaled = np.empty(u.shape)
    for k in range(len(s)):
        others = np.linalg.det(u) * np.linalg.det(vh)
        for j in range(len(s)):
            if j != k:
                others *= s[j]
        for i in range(len(s)):
            scaled[i, k] = u[i, k] * others
    return scaled @ vh
