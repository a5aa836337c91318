"""Products of vectors and matrices, sums up to each place, correlations."""

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.library.texts import stands_for
from s2sad.rules.steps.shape_steps import conjugate


@stands_for(np.vecdot)
def vecdot(x1, x2, *, axis=-1):
    """``np.vecdot(x1, x2, axis=axis)``."""
    x1, x2 = conjugate(np.asarray(x1)), np.asarray(x2)
    if axis != -1:
        x1, x2 = np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)
    if rules.known_rank(x1) == 1 and rules.known_rank(x2) == 1:
        return np.matmul(x1, x2)
    return np.matmul(x1[..., None, :], x2[..., :, None])[..., 0, 0]


def matvec(x1, x2):
    """``np.matvec(x1, x2)``."""
    if rules.known_rank(x2) == 1:
        return np.matmul(x1, x2)
    return np.matmul(x1, x2[..., :, None])[..., 0]


def vecmat(x1, x2):
    """``np.vecmat(x1, x2)``."""
    x1 = conjugate(x1 if rules.is_array(x1) else np.asarray(x1))
    if rules.known_rank(x1) == 1:
        return np.matmul(x1, x2)
    return np.matmul(x1[..., None, :], x2)[..., 0, :]


if hasattr(np, "matvec"):
    stands_for(np.matvec)(matvec)
    stands_for(np.vecmat)(vecmat)


@stands_for(np.kron)
def kron(a, b):
    """``np.kron(a, b)``: of two vectors or matrices by the rule."""
    a, b = (x if rules.is_array(x) else np.asarray(x) for x in (a, b))
    rank = rules.common_rank(a, b)
    if rules.known_rank(a) == rules.known_rank(b) and rank in (1, 2):
        return np.kron(a, b)
    a = np.reshape(a, (1,) * (rank - rules.known_rank(a)) + a.shape)
    b = np.reshape(b, (1,) * (rank - rules.known_rank(b)) + b.shape)
    product = np.expand_dims(a, every_other(rank, 1))
    product = product * np.expand_dims(b, every_other(rank, 0))
    return np.reshape(product, tuple(m * n for m, n in zip(a.shape, b.shape)))


@rules.static_predicate
def every_other(rank: ir.Kind, first: ir.Kind) -> tuple[int, ...]:
    """So many axes, one after the next but one."""
    return tuple(range(rules.static_value(first), 2 * rules.static_value(rank), 2))


@stands_for(np.correlate)
def correlate(a, v, mode="valid"):
    """``np.correlate(a, v, mode)`` of real vectors."""
    a, v = (x if rules.is_array(x) else np.asarray(x) for x in (a, v))
    if mode == "same" and len(a) < len(v):
        return np.convolve(v, a[::-1], mode)[::-1]
    return np.convolve(a, v[::-1], mode)


def cumulative_sum(x, *, axis=None, dtype=None, include_initial=False):
    """``np.cumulative_sum(x)``."""
    x = x if rules.is_array(x) else np.asarray(x)
    if axis is None:
        if rules.known_rank(x) != 1:
            raise ValueError("For arrays which have more than one dimension, give axis")
        axis = 0
    summed = np.cumsum(x, axis=axis, dtype=dtype)
    return _behind(np.zeros, summed, axis) if include_initial else summed


def cumulative_prod(x, *, axis=None, dtype=None, include_initial=False):
    """``np.cumulative_prod(x)``."""
    x = x if rules.is_array(x) else np.asarray(x)
    if axis is None:
        if rules.known_rank(x) != 1:
            raise ValueError("For arrays which have more than one dimension, give axis")
        axis = 0
    made = np.cumprod(x, axis=axis, dtype=dtype)
    return _behind(np.ones, made, axis) if include_initial else made


def _behind(first, values, axis):
    """Values behind a first one along an axis."""
    k = axis % rules.known_rank(values)
    shape = (*values.shape[:k], 1, *values.shape[k + 1 :])
    return np.concatenate((first(shape, values.dtype), values), axis=k)


if hasattr(np, "cumulative_sum"):
    stands_for(np.cumulative_sum)(cumulative_sum)
    stands_for(np.cumulative_prod)(cumulative_prod)


@stands_for(np.real_if_close)
def real_if_close(a, tol=100):
    """``np.real_if_close(a)`` of real numbers."""
    a = np.asarray(a)
    if rules.is_complex_number(a):
        rules.not_supported("np.real_if_close of complex numbers", "use np.real")
    return a
