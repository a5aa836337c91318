"""Steps of cotangents in linear algebra that don't fail where the function didn't."""

from __future__ import annotations

from typing import Any

import numpy as np


def inverse_or_nan(x: Any) -> Any:
    """The inverse of a matrix or of each of a batch; nan if one of them is singular."""
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        return np.full_like(x, np.nan)


def solve_or_nan(a: Any, b: Any) -> Any:
    """``np.linalg.solve(a, b)``; nan if a matrix is singular."""
    try:
        return np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        return np.full_like(b, np.nan)


def cofactors(x: Any) -> Any:
    """The cofactors, the derivative of the determinant; of singular matrices too.

    >>> cofactors(np.array([[1.0, 2.0], [2.0, 4.0]])).round(12)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    determinant = np.linalg.det(x)
    if np.all(determinant != 0):
        inverse = np.linalg.inv(x)
        scale = np.expand_dims(determinant, (-2, -1))
        return scale * np.swapaxes(inverse, -1, -2)
    # x = U S V*: cof(x) = det(U) det(V*) conj(U) cof(S) conj(V*), S being diagonal.
    u, s, vh = np.linalg.svd(x)
    others = np.ones_like(s)
    for k in range(np.shape(s)[-1]):
        others[..., k] = np.prod(np.delete(s, k, axis=-1), axis=-1)
    scale = np.expand_dims(np.linalg.det(u) * np.linalg.det(vh), (-2, -1))
    return scale * ((np.conj(u) * np.expand_dims(others, -2)) @ np.conj(vh))


def lower_with_half_diagonal(x: Any) -> Any:
    """The lower triangle, the diagonal halved."""
    return 0.5 * (np.tril(x) + np.tril(x, -1))
