"""Products of arrays of which one or both have a leading axis of tangents.

Each function is the text for one product of ``x`` and ``y``; ``batched`` names the
operands with a leading axis. None says that there is no such product: then it is taken
tangent by tangent.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from s2sad.rules.predicates import is_double, known_rank
from s2sad.rules.steps.shape_steps import transposed


def matrix_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``x @ y`` of vectors and matrices."""
    if known_rank(x) < 1 or known_rank(y) < 1:
        return None
    if batched == ("x",):
        if known_rank(y) > 2:
            return None
        return x @ y
    if batched == ("y",):
        if known_rank(x) > 2:
            return None
        if known_rank(y) > 2:
            return x @ y
        return y @ x if known_rank(x) == 1 else y @ transposed(x)
    if known_rank(x) == 2 and known_rank(y) == 2:
        return np.sum(x * y, axis=1)
    if known_rank(x) == 3 and known_rank(y) == 3:
        return x @ y
    if known_rank(x) == 3 and known_rank(y) == 2:
        return np.squeeze(x @ np.expand_dims(y, 2), axis=2)
    if known_rank(x) == 2 and known_rank(y) == 3:
        return np.squeeze(np.expand_dims(x, 1) @ y, axis=1)
    return None


def dot_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.dot(x, y)`` of numbers, vectors and matrices."""
    if batched == ("x",):
        if known_rank(x) == 1:
            return scaled(x, y)
        if known_rank(y) == 0:
            return x * y
        if known_rank(x) > 3:
            return None
        return matrix_product(x, y, batched=batched)
    if batched == ("y",):
        if known_rank(y) == 1:
            return scaled(y, x)
        if known_rank(x) == 0:
            return x * y
        if known_rank(y) > 3:
            return None
        return matrix_product(x, y, batched=batched)
    if known_rank(x) == 1 or known_rank(y) == 1:
        return None
    return matrix_product(x, y, batched=batched)


def scaled(factors: Any, x: Any) -> Any:
    """An array times one number for each tangent."""
    if known_rank(x) == 0:
        return factors * x
    if known_rank(x) == 1:
        return np.expand_dims(factors, 1) * x
    if known_rank(x) == 2:
        return np.expand_dims(factors, (1, 2)) * x
    return None


def inner_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.inner(x, y)`` of vectors and matrices."""
    if batched == ("x",):
        if known_rank(x) > 1 and 0 < known_rank(y) < 3:
            return x @ y if known_rank(y) == 1 else x @ transposed(y)
        return None
    if batched == ("y",):
        if known_rank(y) == 2 and 0 < known_rank(x) < 3:
            return y @ x if known_rank(x) == 1 else y @ transposed(x)
        if known_rank(y) == 3 and 0 < known_rank(x) < 3:
            return x @ np.swapaxes(y, 1, 2)
        return None
    if known_rank(x) == 2 and known_rank(y) == 2:
        return np.sum(x * y, axis=1)
    return None


def outer_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.outer(x, y)`` of vectors."""
    if batched == ("x",):
        if known_rank(x) == 2 and known_rank(y) == 1:
            return np.expand_dims(x, 2) * y
        return None
    if batched == ("y",):
        if known_rank(x) == 1 and known_rank(y) == 2:
            return np.expand_dims(x, 1) * np.expand_dims(y, 1)
        return None
    if known_rank(x) == 2 and known_rank(y) == 2:
        return np.expand_dims(x, 2) * np.expand_dims(y, 1)
    return None


def cross_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.cross(x, y)`` of two vectors, of which one is the same for all: the matrix
    that multiplies so costs less."""
    if batched == ("x",):
        if known_rank(x) == 2 and known_rank(y) == 1 and is_double(y):
            return x @ cross_matrix(y)
    if batched == ("y",):
        if known_rank(y) == 2 and known_rank(x) == 1 and is_double(x):
            return y @ np.transpose(cross_matrix(x))
    return None


def cross_matrix(v: Any) -> Any:
    """The matrix by which vectors are multiplied as ``np.cross(v, ...)`` does."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def solution(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.linalg.solve(x, y)`` with one matrix."""
    if batched == ("y",) and known_rank(x) == 2:
        if known_rank(y) == 2:
            return np.transpose(np.linalg.solve(x, np.transpose(y)))
        if known_rank(y) == 3:
            return np.linalg.solve(x, y)
    return None


BATCHED_PRODUCTS: dict[Any, Any] = {
    operator.matmul: matrix_product,
    np.matmul: matrix_product,
    np.dot: dot_product,
    np.inner: inner_product,
    np.outer: outer_product,
    np.cross: cross_product,
    np.linalg.solve: solution,
}
