"""Steps of cotangents in linear algebra that don't fail where the function didn't."""

from typing import Any

import numpy as np


def inverse_or_nan(x: Any) -> Any:
    """The inverse of a matrix or of each of a batch; nan for one that is singular.

    >>> inverse_or_nan(np.array([[[2.0]], [[0.0]]])).tolist()
    [[[0.5]], [[nan]]]
    """
    try:
        return np.linalg.inv(x)
    except np.linalg.LinAlgError:
        if np.ndim(x) > 2:
            return np.stack([inverse_or_nan(matrix) for matrix in x])
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


def order_of_products(sides: Any) -> list[int]:
    """Which neighbours to multiply one after the other, so that a product of matrices
    costs least; the k-th has the shape ``sides[k : k + 2]``. By dynamic programming:
    Cormen et al., Introduction to Algorithms, section 14.2.

    >>> order_of_products([10, 100, 5, 50])
    [0, 0]
    >>> order_of_products([5, 100, 10, 50, 1])
    [2, 1, 0]
    """
    count = len(sides) - 1
    costs = {(k, k): 0 for k in range(count)}
    splits = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs[i, j], splits[i, j] = min(
                (
                    costs[i, k]
                    + costs[k + 1, j]
                    + sides[i] * sides[k + 1] * sides[j + 1],
                    k,
                )
                for k in range(i, j)
            )

    def order(i: int, j: int, place: int) -> list[int]:
        if i == j:
            return []
        k = splits[i, j]
        return [*order(k + 1, j, place + k + 1 - i), *order(i, k, place), place]

    return order(0, count - 1, 0)
