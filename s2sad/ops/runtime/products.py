"""Cotangents of products of arrays whose ranks are known only when the program runs."""

from typing import Any

import numpy as np


def product_of_others(x: Any, axis: Any) -> Any:
    """For each element the product of all others along an axis (or axes; None: all).

    Exact where elements are zero.

    >>> product_of_others(np.array([2.0, 0.0, 3.0]), 0)
    array([0., 6., 0.])
    """
    if np.ndim(x) == 0:
        return np.ones_like(x)[()]
    rank = np.ndim(x)
    axes = range(rank) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    reduced = sorted(int(a) % rank for a in axes)
    kept = [a for a in range(rank) if a not in reduced]
    moved = np.transpose(x, kept + reduced)
    lines = np.reshape(moved, (*moved.shape[: len(kept)], int(_length(x, reduced))))
    before, after = np.ones_like(lines), np.ones_like(lines)
    before[..., 1:] = np.cumprod(lines[..., :-1], axis=-1)
    after[..., :-1] = np.flip(np.cumprod(np.flip(lines[..., 1:], -1), axis=-1), -1)
    others = np.reshape(before * after, moved.shape)
    return np.transpose(others, np.argsort(kept + reduced))


def _length(x: Any, axes: list[int]) -> int:
    length = 1
    for axis in axes:
        length *= np.shape(x)[axis]
    return length


def matmul_of_stack(stack: Any, matrix: Any) -> Any:
    """``stack @ matrix`` of shapes (k, n, m) and (m, p), in one product of matrices
    instead of k, unless a larger array would have to be copied for it.

    >>> stack, matrix = np.arange(12.0).reshape(2, 3, 2), np.array([[1.0], [2.0]])
    >>> np.array_equal(matmul_of_stack(stack, matrix), stack @ matrix)
    True
    """
    count, rows, inner = stack.shape
    columns = matrix.shape[1]
    if columns < inner and not (
        isinstance(stack, np.ndarray) and stack.flags.c_contiguous
    ):
        return stack @ matrix
    flat = np.reshape(stack, (count * rows, inner)) @ matrix
    return np.reshape(flat, (count, rows, columns))


def add_turned_products(total: Any, stack: Any, matrix: Any) -> Any:
    """``total += np.swapaxes(stack @ matrix, 1, 2)`` of shapes (k, p, n), (k, n, m) and
    (m, p), which gives ``total``. Matrices of zeros at both ends of the stack are left
    out: where they are tangents, nothing depends on these inputs.

    >>> stack = np.zeros((3, 1, 2))
    >>> stack[1] = [[1.0, 2.0]]
    >>> add_turned_products(np.ones((3, 1, 1)), stack, np.ones((2, 1))).ravel()
    array([1., 4., 1.])
    """
    first, last = 0, stack.shape[0]
    if isinstance(stack, np.ndarray):
        places = np.any(stack != 0.0, axis=(1, 2)).nonzero()[0]
        if len(places) == 0:
            return total
        first, last = places[0], places[-1] + 1
    added = matmul_of_stack(stack[first:last], matrix)
    total[first:last] += np.swapaxes(added, 1, 2)
    return total


def linear_combinations(coefficients: Any, tangents: Any) -> Any:
    """``coefficients @ tangents`` of shapes (m, n) and (n, k), where a coefficient of
    zero says that there is no dependence: it makes no nan of inf.

    >>> tangents = np.array([[1.0], [np.inf]])
    >>> linear_combinations(np.array([[2.0, 0.0], [1.0, 1.0]]), tangents)
    array([[ 2.],
           [inf]])
    """
    if np.isfinite(tangents).all():
        return coefficients @ tangents
    factors = np.expand_dims(coefficients, 2)
    with np.errstate(invalid="ignore"):
        terms = np.where(factors == 0.0, 0.0, factors * tangents)
    return np.sum(terms, axis=1)


def matmul_cotangent_of_left(cotangent: Any, x: Any, y: Any) -> Any:
    """The cotangent of ``x`` in ``x @ y``, of the shape of ``x``."""
    if np.ndim(y) == 1:
        wide = np.expand_dims(cotangent, -1) * np.conj(y)
    else:
        row = np.ndim(x) == 1
        wide = np.expand_dims(cotangent, -2) if row else cotangent
        wide = wide @ np.conj(np.swapaxes(y, -1, -2))
        wide = wide[..., 0, :] if row else wide
    return _summed_to(wide, np.shape(x))


def matmul_cotangent_of_right(cotangent: Any, x: Any, y: Any) -> Any:
    """The cotangent of ``y`` in ``x @ y``, of the shape of ``y``."""
    if np.ndim(x) == 1:
        column = np.ndim(y) == 1
        wide = np.expand_dims(cotangent, -1) if column else cotangent
        wide = np.expand_dims(wide, -2) * np.conj(np.expand_dims(x, -1))
        wide = wide[..., 0] if column else wide
    else:
        column = np.ndim(y) == 1
        wide = np.expand_dims(cotangent, -1) if column else cotangent
        wide = np.conj(np.swapaxes(x, -1, -2)) @ wide
        wide = wide[..., 0] if column else wide
    return _summed_to(wide, np.shape(y))


def dot_cotangent_of_left(cotangent: Any, a: Any, b: Any) -> Any:
    """The cotangent of ``a`` in ``np.dot(a, b)``, of the shape of ``a``."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return _summed_to(cotangent * np.conj(b), np.shape(a))
    free = np.ndim(b) - 1
    last = np.ndim(cotangent)
    axes = tuple(a for a in range(np.ndim(b)) if a != max(np.ndim(b) - 2, 0))
    return np.tensordot(
        cotangent, np.conj(b), axes=(tuple(range(last - free, last)), axes)
    )


def dot_cotangent_of_right(cotangent: Any, a: Any, b: Any) -> Any:
    """The cotangent of ``b`` in ``np.dot(a, b)``, of the shape of ``b``."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return _summed_to(cotangent * np.conj(a), np.shape(b))
    free = tuple(range(np.ndim(a) - 1))
    wide = np.tensordot(np.conj(a), cotangent, axes=(free, free))
    return np.moveaxis(wide, 0, max(np.ndim(b) - 2, 0))


def _summed_to(cotangent: Any, shape: tuple[int, ...]) -> Any:
    extra = np.ndim(cotangent) - len(shape)
    if extra > 0:
        cotangent = np.sum(cotangent, axis=tuple(range(extra)))
    stretched = tuple(
        axis
        for axis, n in enumerate(shape)
        if n == 1 and np.shape(cotangent)[axis] != 1
    )
    if stretched:
        cotangent = np.sum(cotangent, axis=stretched, keepdims=True)
    return cotangent
