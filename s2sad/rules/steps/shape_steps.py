"""Steps that several rules share: ordinary Python, inlined into the rules."""

from typing import Any

import numpy as np

from s2sad import rules
from s2sad.ops.runtime import broadcasting


def restored(cotangent: Any, x: Any, axis: Any, keepdims: bool) -> Any:
    """The cotangent of a reduction of ``x``, aligned so that it broadcasts to ``x``."""
    if keepdims or axis is None or rules.known_rank(cotangent) == 0:
        return cotangent
    if rules.known_rank(x) == -1 or rules.known_rank(cotangent) == -1:
        return broadcasting.restore_reduced_axes(cotangent, x, axis, keepdims)
    if rules.axes_to_insert(cotangent, x, axis) == ():
        return cotangent
    return np.expand_dims(cotangent, rules.axes_to_insert(cotangent, x, axis))


def reduced_to(cotangent, x):
    """The cotangent summed over the axes in which ``x`` was broadcast."""
    if rules.known_rank(x) == 0:
        return cotangent if rules.known_rank(cotangent) == 0 else np.sum(cotangent)
    if not rules.broadcast_is_known(cotangent, x):
        return broadcasting.sum_to_shape_of(cotangent, x)
    if rules.leading_axes(cotangent, x) != ():
        cotangent = np.sum(cotangent, axis=rules.leading_axes(cotangent, x))
    if rules.stretched_axes(cotangent, x) != ():
        axes = rules.stretched_axes(cotangent, x)
        cotangent = np.sum(cotangent, axis=axes, keepdims=True)
    return cotangent


def shaped_like(cotangent, x):
    """The elements of the cotangent in the shape of ``x``, which has as many."""
    if rules.known_rank(x) == 0:
        return np.sum(cotangent)
    if rules.known_rank(x) == -1:
        return broadcasting.reshape_as(cotangent, x)
    return np.reshape(cotangent, x.shape)


def conjugate(x):
    """The complex conjugate; real numbers are left as they are."""
    return np.conj(x) if rules.is_complex_number(x) else x


def transposed(x):
    """Matrices with rows and columns exchanged, as in ``x.T``, for batches too."""
    return np.transpose(x) if rules.known_rank(x) == 2 else np.swapaxes(x, -1, -2)


def adjoint(x):
    """The conjugate transpose of matrices."""
    return transposed(conjugate(x))


def in_dtype_of(count, x):
    """Counts as numbers that don't widen float32."""
    return count if rules.is_double(x) else broadcasting.as_dtype_of(count, x)


def sum_of(x, y):
    """x + y, of which one may be a literal 0."""
    if rules.is_literal_zero(x):
        return y
    if rules.is_literal_zero(y):
        return x
    return x + y


def difference_of(x, y):
    """x - y, of which one may be a literal 0."""
    if rules.is_literal_zero(x):
        return -y
    if rules.is_literal_zero(y):
        return x
    return x - y
