"""Unit tangents and cotangents, and Jacobians made of what became of them: texts that
are written into the output."""

import numpy as np

from s2sad import rules


def unit_seeds(x):
    """One tangent (or cotangent) of ``x`` for each of its elements, along the first
    axis: it is 1 there and 0 elsewhere."""
    if rules.known_rank(x) == 1:
        return identity(x.shape[0], x)
    return np.reshape(identity(x.size, x), (x.size, *x.shape))


def identity(size, x):
    """The identity matrix, in the dtype of ``x``."""
    if rules.is_double(x) or rules.dtype_name(x) is None:
        return np.eye(size)
    return np.eye(size, dtype=rules.numpy_dtype(x))


def some_unit_seeds(x, count, start):
    """The same where ``x`` is one of several: of ``count`` tangents those from
    ``start`` belong to its elements."""
    if rules.known_rank(x) == 0:
        return np.reshape(block(1, count, start, x), (count,))
    if rules.known_rank(x) == 1:
        return block(x.shape[0], count, start, x)
    return np.reshape(block(x.size, count, start, x), (count, *x.shape))


def block(size, count, start, x):
    """Some columns of the identity matrix."""
    if rules.is_double(x) or rules.dtype_name(x) is None:
        return np.eye(count, size, -start)
    return np.eye(count, size, -start, dtype=rules.numpy_dtype(x))


def from_columns(columns, y, x):
    """The Jacobian, of the shape of ``y`` and then of ``x``, from the tangents of ``y``
    along the elements of ``x``."""
    if rules.known_rank(x) == 0:
        return np.reshape(columns, y.shape) if rules.known_rank(y) > 0 else columns[0]
    if rules.known_rank(y) == 0:
        return columns if rules.known_rank(x) == 1 else np.reshape(columns, x.shape)
    if rules.known_rank(x) == 1 and rules.known_rank(y) == 1:
        return columns.T
    if rules.known_rank(x) == 1:
        return np.moveaxis(columns, 0, -1)
    return np.reshape(np.moveaxis(columns, 0, -1), (*y.shape, *x.shape))


def from_rows(rows, y, x):
    """The same from the cotangents of ``x`` for the elements of ``y``."""
    if rules.known_rank(y) == 0:
        return np.reshape(rows, x.shape) if rules.known_rank(x) > 0 else rows[0]
    if rules.known_rank(y) == 1:
        return rows
    if rules.known_rank(x) == 0:
        return np.reshape(rows, y.shape)
    return np.reshape(rows, (*y.shape, *x.shape))


def rows_of(jacobian, y, x):
    """The rows that :func:`from_rows` makes a Jacobian of."""
    if rules.known_rank(y) == 0:
        return np.reshape(jacobian, (1, *x.shape) if rules.known_rank(x) > 0 else (1,))
    if rules.known_rank(y) == 1:
        return jacobian
    if rules.known_rank(x) == 0:
        return np.reshape(jacobian, (y.size,))
    return np.reshape(jacobian, (y.size, *x.shape))


def no_dependence(y, x):
    """The Jacobian where ``y`` doesn't depend on ``x``."""
    if rules.known_rank(y) == 0 and rules.known_rank(x) == 0:
        return 0.0
    if rules.known_rank(y) == 0:
        return np.zeros_like(x)
    if rules.known_rank(x) == 0:
        return np.zeros_like(y)
    if rules.is_double(x) or rules.dtype_name(x) is None:
        return np.zeros((*y.shape, *x.shape))
    return np.zeros((*y.shape, *x.shape), dtype=rules.numpy_dtype(x))


def in_precision_of(jacobian, x):
    """The Jacobian in the dtype of ``x``, where it was computed through float64."""
    if rules.known_rank(jacobian) == 0 or rules.dtype_name(jacobian) != "float64":
        return jacobian
    if rules.is_double(x) or rules.dtype_name(x) is None:
        return jacobian
    return jacobian.astype(rules.numpy_dtype(x))


def number_of_elements(x):
    """How many tangents ``x`` needs."""
    if rules.known_rank(x) == 0:
        return 1
    return x.shape[0] if rules.known_rank(x) == 1 else x.size


def unit_seed(x, place):
    """The tangent that is 1 at one place of the flattened ``x``, and 0 where ``x`` has
    no such place."""
    if rules.known_rank(x) == 0:
        return np.eye(1, 1, place)[0, 0]
    if rules.known_rank(x) == 1:
        return np.eye(1, x.shape[0], place)[0]
    return np.reshape(np.eye(1, x.size, place), x.shape)
