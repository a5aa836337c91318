"""Quotients by gaps between eigenvalues or singular values: nan where values are equal.

Of eigenvectors that belong to equal eigenvalues only the span is a function of the
matrix. Values count as equal that differ by rounding, which is taken as that of the
largest one times their number, as in ``np.linalg.matrix_rank``.
"""

from typing import Any

import numpy as np


def _rounding(values: Any) -> Any:
    """The error that each set of values may have, with an axis for them."""
    largest = np.max(np.abs(values), axis=-1, keepdims=True, initial=0.0)
    return largest * (np.shape(values)[-1] * np.finfo(values.dtype).eps)


def _columns_that_count(x: Any) -> Any:
    """Where a column isn't 0: the vector that it belongs to counts."""
    return np.any(x != 0, axis=-2, keepdims=True)


def _quotient(x: Any, y: Any, resolved: Any, counts: Any) -> Any:
    """x / y; where y isn't resolved nan if it counts, else 0."""
    quotients = x / np.where(resolved, y, 1)
    return np.where(resolved, quotients, np.where(counts, np.nan, np.zeros_like(x)))


def divided_by_gaps(x: Any, values: Any) -> Any:
    """x_ij / (values_j - values_i), and 0 on the diagonal. Where the two values are
    equal but for rounding it is nan, if x isn't 0 in the whole column.

    >>> divided_by_gaps(np.ones((2, 2)), np.array([1.0, 3.0]))
    array([[ 0. ,  0.5],
           [-0.5,  0. ]])
    """
    gaps = np.expand_dims(values, -2) - np.expand_dims(values, -1)
    resolved = np.abs(gaps) > np.expand_dims(_rounding(values), -1)
    diagonal = np.eye(np.shape(values)[-1], dtype=bool)
    counts = _columns_that_count(x) & ~diagonal
    return _quotient(np.where(diagonal, np.zeros_like(x), x), gaps, resolved, counts)


def divided_by_sums(x: Any, values: Any) -> Any:
    """x_ij / (values_j + values_i) of singular values, on the diagonal of the imaginary
    part alone. Where both values are 0 but for rounding it is nan, if x isn't 0 in the
    whole column.

    >>> divided_by_sums(np.ones((2, 2)), np.array([3.0, 1.0]))
    array([[0.  , 0.25],
           [0.25, 0.  ]])
    """
    sums = np.expand_dims(values, -2) + np.expand_dims(values, -1)
    resolved = sums > np.expand_dims(_rounding(values), -1)
    diagonal = np.eye(np.shape(values)[-1], dtype=bool)
    x = np.where(diagonal, 0.5 * (x - np.conj(x)), x)
    counts = np.where(diagonal, x != 0, _columns_that_count(x))
    return _quotient(x, sums, resolved, counts)


def divided_by_values(x: Any, values: Any) -> Any:
    """Columns divided by singular values; nan where one is 0 but for rounding, if x
    isn't 0 in the whole column.

    >>> divided_by_values(np.ones((1, 2)), np.array([2.0, 1.0]))
    array([[0.5, 1. ]])
    """
    resolved = np.expand_dims(values > _rounding(values), -2)
    return _quotient(x, np.expand_dims(values, -2), resolved, _columns_that_count(x))


def outside_of(x: Any, basis: Any) -> Any:
    """The part of the columns of ``x`` that is orthogonal to an orthonormal basis; 0
    where that spans the whole space.

    >>> outside_of(np.array([[3.0], [4.0]]), np.array([[1.0], [0.0]]))
    array([[0.],
           [4.]])
    """
    if np.shape(basis)[-1] == np.shape(basis)[-2]:
        return np.zeros_like(x)
    return x - basis @ (np.conj(np.swapaxes(basis, -1, -2)) @ x)


def undetermined(rest: Any, rest_bar: Any) -> Any:
    """0; nan if more of ``rest``, orthonormal columns, counts than the space that they
    span: if a rotation among them changes what has these cotangents."""
    turned = np.conj(np.swapaxes(rest, -1, -2)) @ rest_bar
    change = turned - np.conj(np.swapaxes(turned, -1, -2))
    rounding = 1e4 * np.finfo(rest.dtype).eps * np.max(np.abs(rest_bar), initial=0.0)
    return np.nan if np.any(np.abs(change) > rounding) else 0.0


def turning(row: Any) -> Any:
    """1 / row, by which a phase is found that keeps elements of eigenvectors real; 0
    where they are too small (below 1e-6) to say what the phase is.

    >>> turning(np.array([0.5, 0.0]))
    array([2., 0.])
    """
    clear = np.abs(row) > 1e-6
    return np.where(clear, 1.0 / np.where(clear, row, 1.0), 0.0)


def real_places(vectors: Any) -> Any:
    """1 at the largest element that is real in each column, which ``np.linalg.eig``
    makes real; else 0.

    >>> real_places(np.array([[0.6, 0.8j], [0.8j, 0.6]])).real
    array([[1., 0.],
           [0., 1.]])
    """
    if np.size(vectors) == 0:
        return np.zeros_like(vectors)
    sizes = np.where(np.imag(vectors) == 0, np.abs(vectors), 0.0)
    places = np.argmax(sizes, axis=-2, keepdims=True)
    marks = np.zeros_like(vectors)
    np.put_along_axis(marks, places, 1.0, axis=-2)
    return marks


def complex_eig(a: Any) -> Any:
    """``np.linalg.eig(a)`` as complex numbers, also where all of them are real."""
    values, vectors = found = np.linalg.eig(a)
    wide = np.result_type(values, np.complex64)
    return type(found)(values.astype(wide), vectors.astype(wide))


def complex_eigvals(a: Any) -> Any:
    """``np.linalg.eigvals(a)`` as complex numbers, also where all of them are real."""
    values = np.linalg.eigvals(a)
    return values.astype(np.result_type(values, np.complex64))


def nearest_places(values: Any, found: Any) -> Any:
    """The places of eigenvalues among the same ones in another order.

    >>> nearest_places(np.array([1.0, 2.0, 2.0]), np.array([2.0, 1.0, 2.0]))
    array([1, 0, 2])
    """
    distances = np.abs(values[..., :, None] - found[..., None, :])
    places = np.zeros(values.shape, np.int64)
    for batch in np.ndindex(values.shape[:-1]):
        rows = distances[batch]
        for k in range(len(rows)):
            places[batch][k] = np.argmin(rows[k])
            rows[:, places[batch][k]] = np.inf
    return places
