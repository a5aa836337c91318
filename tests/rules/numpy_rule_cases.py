"""Calls of NumPy's array functions at which their rules are tested: one line a call.

Ranks, axes, ``keepdims``, broadcast batches, strided, empty, float32 and complex arrays. Where the
derivative is a matter of convention, ``expected`` gives the gradient for a cotangent of ones.
"""

# ruff: noqa: E501
# fmt: off
# fmt: off
from __future__ import annotations

import operator

import numpy as np

from s2sad.codegen.helper_functions.broadcasting import (
    as_dtype_of,
    broadcast_to_shape_of,
    divide_or_zero,
    reshape_as,
    restore_reduced_axes,
    sum_to_shape_of,
)
from s2sad.codegen.helper_functions.indices import (
    diagonal_index,
    index_along_axis,
    middle_positions,
)
from s2sad.codegen.helper_functions.matrices import (
    cofactors,
    inverse_or_nan,
    lower_with_half_diagonal,
)
from s2sad.codegen.helper_functions.products import (
    dot_cotangent_of_left,
    dot_cotangent_of_right,
    matmul_cotangent_of_left,
    matmul_cotangent_of_right,
    product_of_others,
)
from s2sad.codegen.helper_functions.sequences import (
    index_of_part,
    nested_like,
    part_along_axis,
    split_like,
    unstack,
)
from tests.rules.rule_cases import RuleCase

_random = np.random.default_rng(20240918)


def draw(*shape):
    """Distinct numbers, away from 0 and from one another."""
    size = int(np.prod(shape))
    numbers = np.linspace(0.4, 2.0, max(size, 1))[:size] * _random.choice([-1.0, 1.0], size)
    return _random.permutation(numbers).reshape(shape)


def single(*shape):
    return draw(*shape).astype(np.float32)


def complex_(*shape):
    return draw(*shape) + 1j * draw(*shape)


def strided(*shape):
    return draw(*(2 * n for n in shape[::-1])).T[(slice(None, None, 2),) * len(shape)]


def positive(n, *batch):
    """Symmetric positive definite matrices with distinct eigenvalues."""
    root = _random.normal(size=(*batch, n, n))
    return root @ np.swapaxes(root, -1, -2) + np.diag(np.arange(1.0, n + 1))


def regular(n, *batch):
    return _random.normal(size=(*batch, n, n)) + 3 * np.eye(n)


def case(function, *arguments, wrt=(0,), note="", expected=None, **keywords):
    return RuleCase(function, arguments, wrt, keywords, note, expected)


V3, V4, M34, M43, M33, T234 = draw(3), draw(4), draw(3, 4), draw(4, 3), draw(3, 3), draw(2, 3, 4)
M14, M31, EMPTY = draw(1, 4), draw(3, 1), np.zeros((0, 4))
_01 = (0, 1)
REDUCED = [
    case(f, *arguments, **keywords)
    for f in (np.sum, np.mean, np.prod, np.max, np.amax, np.min, np.amin, np.var, np.std, np.ptp)
    for arguments, keywords in [
        ((M34,), {}),
        ((V3,), {"axis": 0}),
        ((M34, 0), {}),
        ((M34, -1), {}),
        ((M34, 1), {"keepdims": True}),
        ((M34,), {"keepdims": True}),
        ((T234, (0, 2)), {}),
        ((T234, (-1, 0)), {"keepdims": True}),
        ((T234, 1), {}),
        ((strided(3, 4), 1), {}),
        ((single(3, 4), 1), {}),
        ((single(3),), {}),
        ((M31, 1), {}),
        ((1.5,), {}),
        ((np.float64(1.5),), {}),
    ]
    if not (f is np.ptp and np.ndim(arguments[0]) == 0)
]
ZEROS = np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 4.0], [1.0, 2.0, 3.0]])
REDUCTIONS = [
    *REDUCED,
    case(np.sum, EMPTY),
    case(np.sum, EMPTY, 0),
    case(np.mean, EMPTY.T, 0, note="empty"),
    case(np.sum, complex_(3, 4), 1),
    case(np.mean, complex_(3, 4), 0),
    case(np.var, complex_(3, 4), 0),
    case(np.std, complex_(3, 4)),
    case(np.prod, complex_(3, 4), 1),
    case(np.var, M34, 1, ddof=1),
    case(np.std, M34, ddof=1, keepdims=True),
    case(np.prod, ZEROS, 1, note="with zeros"),
    case(np.prod, ZEROS, note="with zeros"),
    case(np.prod, T234, (0, -1), keepdims=True),
    case(np.prod, EMPTY, 0),
    case(np.max, np.array([1.0, 3.0, 3.0]), note="tie", expected=(np.array([0, 0.5, 0.5]),)),
    case(np.min, np.array([[1.0, 1.0], [2.0, 1.0]]), 1, note="tie", expected=(np.array([[0.5, 0.5], [0, 1.0]]),)),
    case(np.max, np.array([[1.0, 1.0], [2.0, 1.0]], np.float32), 0, note="tie", expected=(np.array([[0, 0.5], [1.0, 0.5]]),)),
    case(np.ptp, np.array([1.0, 3.0, 3.0]), note="tie", expected=(np.array([-1.0, 0.5, 0.5]),)),
    case(np.std, np.full(3, 2.0), note="at 0", expected=(np.zeros(3),)),
    case(np.std, np.full((2, 3), 2.0), 1, note="at 0", expected=(np.zeros((2, 3)),)),
    case(np.average, M34),
    case(np.average, M34, 1),
    case(np.average, V3, weights=np.array([1.0, 2.0, 4.0]), wrt=(0, "weights")),
    case(np.average, M34, 0, np.array([1.0, 2.0, 4.0]), wrt=(0, 2)),
    case(np.average, M34, 1, np.array([1.0, 2.0, 4.0, 0.5]), wrt=(0, 2)),
    case(np.average, M34, 1, np.abs(M34), wrt=(0, 2)),
    case(np.average, M34, None, np.abs(M34), wrt=(0, 2)),
    case(np.average, T234, 1, np.array([1.0, 2.0, 4.0]), wrt=(0, 2), keepdims=True),
    case(np.average, T234, 0, np.abs(T234), wrt=(0, 2), keepdims=True),
    *(case(f, *a) for f in (np.cumsum, np.cumprod) for a in [(V3,), (V3, 0), (M34,), (M34, 0), (M34, -1), (T234, 1), (strided(3, 4), 1), (1.5,), (single(3, 4), 0)]),
    case(np.cumsum, EMPTY, 0),
    case(np.cumprod, ZEROS, 1, note="with zeros"),
    case(np.cumprod, complex_(3)),
    case(np.diff, V4),
    case(np.diff, M34),
    case(np.diff, M34, 1, 0),
    case(np.diff, M34, 2),
    case(np.diff, T234, 1, axis=1),
    case(np.diff, single(5), 3),
    case(np.trapezoid, V4),
    case(np.trapezoid, M34, axis=0),
    case(np.trapezoid, V4, None, 0.3, wrt=(0, 2)),
    case(np.trapezoid, V4, np.array([0.0, 0.5, 0.6, 1.0]), wrt=_01),
    case(np.trapezoid, M34, np.array([0.0, 0.5, 0.6, 1.0]), wrt=_01),
    case(np.trapezoid, M34, np.array([0.0, 0.5, 0.6]), 1.0, 0, wrt=_01),
    case(np.trapezoid, M34, np.cumsum(np.abs(M34), 1), wrt=_01),
]
ORDERINGS = [
    case(np.sort, V4),
    case(np.sort, M34),
    case(np.sort, M34, 0),
    case(np.sort, T234, axis=1),
    case(np.sort, M34, None),
    case(np.sort, single(3, 4)),
    case(np.median, V4),
    case(np.median, V3),
    case(np.median, M34),
    case(np.median, M34, 0),
    case(np.median, T234, -1, keepdims=True),
    case(np.median, T234, 1),
    case(np.median, 1.5),
    *(case(f, *a, wrt=(), **k) for f in (np.any, np.all, np.argmax, np.argmin, np.count_nonzero) for a, k in [((M34,), {}), ((M34, 0), {}), ((T234, -2), {"keepdims": True})]),
    case(np.argsort, M34, wrt=()),
    case(np.argsort, M34, None, wrt=()),
    case(np.argsort, V3, kind="stable", wrt=()),
    case(np.searchsorted, np.arange(3.0), 1.5, wrt=()),
    case(np.searchsorted, np.arange(3.0), V3, side="right", wrt=()),
    case(np.nonzero, M34, wrt=()),
    case(np.flatnonzero, M34, wrt=()),
    case(np.unravel_index, np.array([1, 2]), (3, 4), wrt=()),
]
MATRIX_PAIRS = [
    (V3, V3),
    (M34, V4),
    (V3, M34),
    (M34, M43),
    (T234, V4),
    (V3, T234),
    (T234, M43),
    (M33, T234),
    (T234, draw(2, 4, 2)),
    (draw(2, 1, 3, 4), draw(5, 4, 2)),
    (draw(1, 3, 4), draw(2, 4, 2)),
    (V4, draw(2, 2, 4, 3)),
    (draw(2, 2, 3, 4), V4),
    (M31, M14),
    (M14, draw(4, 1)),
    (strided(3, 4), strided(4, 3)),
    (single(3, 4), single(4, 2)),
    (complex_(3, 4), complex_(4, 2)),
    (M34, complex_(4)),
    (complex_(2, 3, 4), draw(4, 2)),
    (np.zeros((0, 3)), M34),
    (np.zeros((3, 0)), np.zeros((0, 2))),
]
DOT_PAIRS = [
    *MATRIX_PAIRS[:6],
    (T234, M43),
    (M33, T234),
    (T234, draw(2, 4, 2)),
    (V4, draw(2, 4, 3)),
    (2.5, M34),
    (M34, np.float64(2.5)),
    (2.5, 1.5),
    (complex_(3, 4), complex_(4, 2)),
    (complex_(3), complex_(3)),
    (single(3, 4), single(4)),
]
PRODUCTS = [
    *(case(f, *p, wrt=_01) for f in (operator.matmul, np.matmul) for p in MATRIX_PAIRS),
    *(case(np.dot, *p, wrt=_01) for p in DOT_PAIRS),
    case(operator.matmul, M34, V4, wrt=(1,)),
    case(np.dot, M34, M43, wrt=(0,)),
    case(np.inner, V3, V3, wrt=_01),
    case(np.inner, M34, M34, wrt=_01),
    case(np.inner, T234, M34, wrt=_01),
    case(np.inner, M34, V4, wrt=_01),
    case(np.inner, 2.0, M34, wrt=_01),
    case(np.inner, complex_(3), complex_(2, 3), wrt=_01),
    case(np.outer, V3, V4, wrt=_01),
    case(np.outer, M34, V4, wrt=_01),
    case(np.outer, 2.0, V4, wrt=_01),
    case(np.outer, complex_(3), complex_(4), wrt=_01),
    case(np.vdot, V3, V3, wrt=_01),
    case(np.vdot, M34, strided(3, 4), wrt=_01),
    case(np.vdot, complex_(3), complex_(3), wrt=_01),
    case(np.vdot, 1.5, 2.5, wrt=_01),
    case(np.tensordot, T234, draw(3, 4, 2), wrt=_01),
    case(np.tensordot, T234, draw(4, 2), 1, wrt=_01),
    case(np.tensordot, V3, V4, 0, wrt=_01),
    case(np.tensordot, T234, draw(4, 5, 3), ((2, 1), (0, 2)), wrt=_01),
    case(np.tensordot, T234, draw(4, 5, 3), axes=((1, -1), (2, 0)), wrt=_01),
    case(np.tensordot, T234, draw(5, 3), (1, 1), wrt=_01),
    case(np.tensordot, complex_(2, 3), complex_(3, 2), 1, wrt=_01),
    case(np.tensordot, M34, M34, 2, wrt=_01),
    case(np.kron, V3, V4, wrt=_01),
    case(np.kron, M34, M31, wrt=_01),
    case(np.cross, V3, draw(3), wrt=_01),
    case(np.cross, draw(5, 3), V3, wrt=_01),
    case(np.cross, draw(5, 1, 3), draw(2, 3), wrt=_01),
    case(np.trace, M33),
    case(np.trace, M34, 1),
    case(np.trace, M34, -2),
    case(np.trace, T234, 0, -2, -1),
    case(np.trace, single(3, 3)),
    case(np.diagonal, M34),
    case(np.diagonal, M34, 1),
    case(np.diagonal, T234, -1, 1, 2),
    case(np.diag, V3),
    case(np.diag, V3, -2),
    case(np.diag, M34),
    case(np.diag, M33, 1),
    case(np.diag, single(3, 3), k=-1),
]


def einsum(subscripts, *operands, **keywords):
    wrt = tuple(range(1, len(operands) + 1))
    return case(np.einsum, subscripts, *operands, wrt=wrt, note=subscripts, **keywords)


EINSUMS = [
    einsum("i,i->", V3, V3),
    einsum("i,i", V3, V3),
    einsum("ij,jk->ik", M34, M43),
    einsum("ij,jk", M34, M43),
    einsum("ij,kj->ki", M34, draw(2, 4)),
    einsum("ij->", M34),
    einsum("ij->ji", M34),
    einsum("ij->i", M34),
    einsum("ba", M34),
    einsum("ij,ij->", M34, M34),
    einsum("ij,ij->i", M34, M34),
    einsum("i,j->ij", V3, V4),
    einsum("i,ij,j->", V3, M34, V4),
    einsum("i,ij,j->", V3, M34, V4, optimize=True),
    einsum("bij,bjk->bik", T234, draw(2, 4, 2)),
    einsum("ii->i", M33),
    einsum("ii", M33),
    einsum("ii->", single(3, 3)),
    einsum("ij,jj->i", M33, M33),
    einsum("iij->j", draw(3, 3, 2)),
    einsum("iii->i", draw(3, 3, 3)),
    einsum("...ij,...jk->...ik", draw(2, 1, 3, 4), draw(5, 4, 2)),
    einsum("...i,i->...", T234, V4),
    einsum("i...->...", T234),
    einsum("...j,jk", M34, M43),
    einsum("ij,j->i", M34, draw(1)),
    einsum("ij,ij->ij", M14, M34),
    einsum("i,->i", V3, np.float64(2.0)),
    einsum("ij, jk -> ik", complex_(3, 4), complex_(4, 2)),
    einsum("ij,k->ijk", M34, draw(2)),
    einsum("ij,k->i", M34, draw(2)),
    case(np.einsum, "ij,j->i", M34, V4, wrt=(2,), note="one active"),
]
SHAPES = [
    case(np.reshape, M34, (4, 3)),
    case(np.reshape, M34, (2, -1)),
    case(np.reshape, M34, 12),
    case(np.reshape, M34, -1),
    case(np.reshape, T234, (2, -1)),
    case(np.reshape, T234, (-1, 4)),
    case(np.reshape, 1.5, (1, 1)),
    case(np.reshape, draw(1), ()),
    case(np.reshape, strided(3, 4), (2, 6)),
    case(np.reshape, EMPTY, (2, 0)),
    case(np.ravel, M34),
    case(np.ravel, V3),
    case(np.ravel, 1.5),
    case(np.ndarray.flatten, M34),
    case(np.transpose, M34),
    case(np.transpose, T234),
    case(np.transpose, T234, (2, 0, 1)),
    case(np.transpose, T234, (-1, 0, 1)),
    case(np.transpose, V3),
    case(np.matrix_transpose, T234),
    case(np.swapaxes, T234, 0, -1),
    case(np.moveaxis, T234, 0, -1),
    case(np.moveaxis, T234, (0, 1), (-1, 0)),
    case(np.expand_dims, V3, 0),
    case(np.expand_dims, V3, -1),
    case(np.expand_dims, M34, (0, 2)),
    case(np.expand_dims, 1.5, 0),
    case(np.squeeze, M14),
    case(np.squeeze, M31, 1),
    case(np.squeeze, draw(1, 3, 1), (0, 2)),
    case(np.squeeze, draw(1, 1)),
    case(np.flip, M34),
    case(np.flip, M34, 1),
    case(np.flip, T234, (0, -1)),
    case(np.fliplr, M34),
    case(np.flipud, M34),
    case(np.roll, V4, 1),
    case(np.roll, M34, -2),
    case(np.roll, M34, 2, 1),
    case(np.roll, M34, (1, 2), (0, 1)),
    case(np.tril, M34),
    case(np.triu, M34, 1),
    case(np.tril, draw(2, 3, 3), -1),
    case(np.broadcast_to, V4, (3, 4)),
    case(np.broadcast_to, M31, (2, 3, 4)),
    case(np.broadcast_to, 1.5, (2, 3)),
    case(np.broadcast_to, V4, (4,)),
    case(np.atleast_1d, 1.5),
    case(np.atleast_1d, V3),
    case(np.atleast_2d, 1.5),
    case(np.atleast_2d, V3),
    case(np.atleast_2d, M34),
    case(np.copy, M34),
    case(np.copy, 1.5),
    case(np.ndarray.copy, strided(3, 4)),
    case(np.ndarray.astype, M34, np.float64),
    case(np.ndarray.astype, single(3), np.float64),
    case(np.ndarray.astype, M34, "complex128"),
    case(np.ndarray.astype, M34, complex),
]
SHAPES += [case(np.astype, M34, np.float64)] if hasattr(np, "astype") else []
JOINS = [
    case(np.concatenate, (V3, V4)),
    case(np.concatenate, [M34, draw(2, 4), M14]),
    case(np.concatenate, [M34, M31], 1),
    case(np.concatenate, [M34, M31], axis=-1),
    case(np.concatenate, [T234, draw(2, 5, 4)], axis=1),
    case(np.concatenate, [M34, V3], axis=None),
    case(np.concatenate, [single(2), single(3)]),
    case(np.concatenate, [EMPTY, M34]),
    case(np.stack, (V3, draw(3))),
    case(np.stack, [M34, draw(3, 4)], 1),
    case(np.stack, [M34, draw(3, 4)], axis=-1),
    case(np.stack, [1.5, 2.5]),
    case(np.hstack, (V3, V4)),
    case(np.hstack, [M34, M31]),
    case(np.hstack, [1.5, V3, np.float64(2.0)]),
    case(np.vstack, (V3, draw(3))),
    case(np.vstack, [M34, V4]),
    case(np.vstack, [1.5, 2.5]),
    case(np.column_stack, (V3, draw(3))),
    case(np.column_stack, [V3, M34]),
    case(np.split, draw(6), 3),
    case(np.split, draw(4, 6), (1, 4), 1),
    case(np.split, M34, 1),
    case(np.array_split, draw(7), 3),
]
REPETITIONS = [
    case(np.tile, V3, 2),
    case(np.tile, V3, (2, 2)),
    case(np.tile, M34, 2),
    case(np.tile, M34, (2, 1, 3)),
    case(np.tile, 1.5, 3),
    case(np.tile, single(3), (2, 1)),
    case(np.repeat, V3, 2),
    case(np.repeat, M34, 3),
    case(np.repeat, M34, 2, 0),
    case(np.repeat, M34, 2, axis=-1),
    case(np.repeat, V3, np.array([1, 0, 3])),
    case(np.repeat, M34, np.array([1, 0, 3]), axis=0),
    case(np.repeat, M34, np.array([1, 0, 3, 2]), 1),
    case(np.repeat, draw(2, 1), np.array([2, 1])),
    case(np.repeat, 1.5, 3),
    case(np.pad, V3, 1),
    case(np.pad, M34, 2),
    case(np.pad, V3, (1, 2)),
    case(np.pad, M34, ((1, 0), (0, 2))),
    case(np.pad, M34, ((1, 2),), "constant"),
    case(np.pad, M34, 1, constant_values=1.5, wrt=(0, "constant_values")),
    case(np.meshgrid, V3, V4, wrt=_01),
    case(np.meshgrid, V3, V4, indexing="ij", wrt=_01),
    case(np.meshgrid, V3, V4, draw(2), wrt=(0, 1, 2)),
    case(np.meshgrid, V3),
]
CREATIONS = [
    *(case(f, shape, wrt=()) for f in (np.zeros, np.ones, np.empty) for shape in [3, (3,), (2, 1), ()]),
    case(np.zeros, (2, 3), np.float32, wrt=()),
    case(np.zeros, 3, dtype=int, wrt=()),
    *(case(f, a, wrt=()) for f in (np.zeros_like, np.ones_like, np.empty_like) for a in [M34, single(3), 1.5, np.float32(1.5)]),
    case(np.ones_like, M34, dtype=bool, wrt=()),
    case(np.full, (2, 3), 1.5, wrt=(1,)),
    case(np.full, (3, 4), V4, wrt=(1,)),
    case(np.full, 3, np.float32(1.5), wrt=(1,)),
    case(np.full_like, M34, 1.5, wrt=(1,)),
    case(np.full_like, M34, M31, wrt=(1,)),
    case(np.arange, 4, wrt=()),
    case(np.arange, 3.5, wrt=()),
    case(np.arange, 1, 5, 2, wrt=()),
    case(np.arange, 0.25, 2.0, 0.5, wrt=(0, 2)),
    case(np.linspace, 0.5, 2.0, wrt=_01),
    case(np.linspace, 0.5, 2.0, 5, wrt=_01),
    case(np.linspace, 0.5, 2.0, num=5, endpoint=False, wrt=_01),
    case(np.linspace, V3, draw(3), 4, wrt=_01),
    case(np.linspace, 0.5, 2.0, 5, wrt=(1,)),
    case(np.eye, 3, wrt=()),
    case(np.eye, 3, 4, 1, wrt=()),
    case(np.eye, 3, dtype=np.float32, wrt=()),
    case(np.tri, 3, wrt=()),
    case(np.identity, 3, wrt=()),
    case(np.array, [1.0, 2.0]),
    case(np.array, [[1.0, 2.0], [3.0, 4.0]]),
    case(np.array, ((1.0, 2.0, 3.0),)),
    case(np.array, [V3, draw(3)]),
    case(np.array, [[V3, draw(3)]]),
    case(np.array, [1.0, 2, np.float64(3.0)]),
    case(np.array, 1.5),
    case(np.array, M34),
    case(np.array, [1.0, 2.0], np.float64),
    case(np.array, [single(3), single(3)]),
    case(np.asarray, [1.0, 2.0]),
    case(np.asarray, M34),
    case(np.asanyarray, M34),
    case(np.ascontiguousarray, strided(3, 4)),
]
ROWS, COLUMNS = np.array([0, 2, 0, 1]), np.array([1, 1, 3, 0])
INDICES = [
    *((V4, i) for i in (0, -1, slice(1, 3), slice(None, None, -2), ..., None, (..., 0), ROWS, V4 > 0, [0, 2, 2], np.int64(2), slice(1, None), slice(None, -1), slice(1, -1), slice(0, 0), np.array(1), (ROWS > 0).tolist())),
    *((M34, i) for i in (0, (0, 1), (slice(None), 1), (slice(1, None), slice(None, 2)), (None, 0), (..., None), ([0, 2], [1, 3]), (slice(None), ROWS), (ROWS, slice(1, 3)), (ROWS[:3], 1), M34 > 0, V3 > 0, (slice(None), V4 > 0), (ROWS[:2][:, None], COLUMNS[None, :3]), (1, ...), (slice(None), slice(0, 1)))),
    *((T234, i) for i in ((0, slice(None), ROWS), (slice(None), 1, ROWS), (np.array([0, 1]), slice(None), np.array([1, 2])), (slice(None), np.array([0, 1]), np.array([1, 2])), (..., 0), (0, ..., None), (T234[..., 0] > 0), (0, T234[0] > 0), (slice(None), None, np.array([[0, 1], [2, 0]])), (np.array([0, 1]), None, 0))),
]
INDEXING = [
    *(case(operator.getitem, a, i, note=str(k)) for k, (a, i) in enumerate(INDICES)),
    case(operator.getitem, strided(3, 4), (slice(None), 1)),
    case(operator.getitem, single(3, 4), 1),
    case(np.take, V4, ROWS),
    case(np.take, M34, ROWS),
    case(np.take, M34, ROWS, 0),
    case(np.take, M34, ROWS.reshape(2, 2), axis=-1),
    case(np.take, M34, 1, 1),
    case(np.take, V4, 2),
    case(np.take_along_axis, M34, np.argsort(M34, 1), 1),
    case(np.take_along_axis, M34, np.array([[0, 0, 1, 2]]), 0),
    case(np.take_along_axis, M34, np.array([[3], [3], [1]]), -1),
    case(np.take_along_axis, V4, ROWS),
    case(np.take_along_axis, M34, ROWS, None),
]
R3, SYMMETRIC = regular(3), positive(3)
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])


def symmetrised(function):
    """Called on the symmetric part: the derivative is that of symmetric matrices."""
    return lambda x: function(0.5 * (x + np.swapaxes(x, -1, -2)))


LINALG = [
    case(np.linalg.solve, R3, V3, wrt=_01),
    case(np.linalg.solve, R3, draw(3, 2), wrt=_01),
    case(np.linalg.solve, regular(3, 2), draw(2, 3, 4), wrt=_01),
    case(np.linalg.solve, regular(3, 2), draw(3, 4), wrt=_01),
    case(np.linalg.solve, R3, draw(2, 3, 4), wrt=_01),
    case(np.linalg.solve, regular(3, 2), V3, wrt=_01),
    case(np.linalg.solve, regular(3, 2), V3, wrt=(1,)),
    case(np.linalg.solve, R3.astype("f"), single(3), wrt=_01),
    case(np.linalg.solve, R3 + 1j * M33, complex_(3), wrt=_01),
    case(np.linalg.inv, R3),
    case(np.linalg.inv, regular(3, 2)),
    case(np.linalg.inv, R3 + 1j * M33),
    case(np.linalg.inv, R3.astype("f")),
    case(inverse_or_nan, R3),
    case(np.linalg.det, R3),
    case(np.linalg.det, regular(3, 2)),
    case(np.linalg.det, R3 + 1j * M33),
    case(np.linalg.det, R3.astype("f")),
    case(np.linalg.det, SINGULAR, note="singular"),
    case(np.linalg.det, np.zeros((3, 3)), note="zero"),
    case(np.linalg.slogdet, R3),
    case(np.linalg.slogdet, regular(3, 2)),
    case(np.linalg.cholesky, SYMMETRIC, note="symmetric"),
    case(np.linalg.cholesky, positive(3, 2), note="symmetric"),
    case(np.linalg.eigh, SYMMETRIC, note="symmetric"),
    case(np.linalg.eigh, positive(3, 2), note="symmetric"),
    case(np.linalg.eigvalsh, SYMMETRIC, note="symmetric"),
    case(np.linalg.eigvalsh, positive(3, 2), note="symmetric"),
    case(cofactors, R3),
    case(cofactors, regular(3, 2)),
    case(lower_with_half_diagonal, M33),
]
NORM = np.linalg.norm
NORMS = [
    *(case(NORM, V4, p, note=str(p)) for p in (None, 1, 2, 3, 0.5, -2, np.inf, -np.inf, 0)),
    *(case(NORM, M34, p, note=str(p)) for p in (None, "fro", 1, -1, np.inf, -np.inf, 2, -2)),
    *(case(NORM, M34, p, axis=a, keepdims=k, note=f"{p} {a} {k}") for p in (None, 1, 2, 3, np.inf) for a in (0, -1) for k in (False, True)),
    *(case(NORM, T234, p, axis=(0, 2), keepdims=k, note=f"{p} {k}") for p in (None, "fro", 1, np.inf) for k in (False, True)),
    case(NORM, T234),
    case(NORM, T234, keepdims=True),
    case(NORM, complex_(3)),
    case(NORM, single(3, 4), axis=1),
    case(NORM, np.zeros(3), note="at 0", expected=(np.zeros(3),)),
    case(NORM, np.zeros((2, 3)), axis=1, note="at 0", expected=(np.zeros((2, 3)),)),
    case(NORM, np.zeros(3), 3, note="at 0", expected=(np.zeros(3),)),
    case(NORM, np.zeros(3), 1, note="at 0", expected=(np.zeros(3),)),
    case(NORM, np.zeros(3), np.inf, note="at 0", expected=(np.zeros(3),)),
    case(NORM, np.array([2.0, -2.0]), np.inf, note="tie", expected=(np.array([0.5, -0.5]),)),
]
HELPERS = [
    case(sum_to_shape_of, T234, M34),
    case(sum_to_shape_of, T234, M31),
    case(sum_to_shape_of, T234, 1.0),
    case(sum_to_shape_of, V4, T234),
    case(broadcast_to_shape_of, 1.5, M34),
    case(broadcast_to_shape_of, V4, M34),
    case(broadcast_to_shape_of, 1.5, 2.0),
    case(reshape_as, M34, T234[0]),
    case(reshape_as, draw(1), 1.0),
    case(restore_reduced_axes, V3, M34, 1, False),
    case(restore_reduced_axes, V4, M34, 0, False),
    case(restore_reduced_axes, V3, T234, (0, 2), False),
    case(restore_reduced_axes, M31, M34, 1, True),
    case(as_dtype_of, M34, M34),
    case(as_dtype_of, single(3), V3),
    case(as_dtype_of, 1.5, V3),
    case(divide_or_zero, M34, V4, wrt=_01),
    case(divide_or_zero, 1.5, 0.5, wrt=_01),
    case(part_along_axis, T234, 1, 3, -1),
    case(index_of_part, T234, 1, 3, -1, wrt=()),
    case(split_like, draw(7), [V3, V4], 0),
    case(split_like, draw(3, 5), [M34, M31], 1),
    case(split_like, draw(15), [M34, V3], None),
    case(unstack, M34, 0),
    case(unstack, T234, 1),
    case(nested_like, M34, [V4.tolist()] * 3),
    case(nested_like, M34, [V4] * 3),
    case(nested_like, M34, M34),
    case(product_of_others, V4, 0),
    case(product_of_others, M34, None),
    case(product_of_others, M34, 0),
    case(product_of_others, T234, (0, 2)),
    case(product_of_others, ZEROS, 1),
    case(product_of_others, 1.5, None),
    case(diagonal_index, M34, 1, wrt=()),
    case(index_along_axis, ROWS, V4, 0, wrt=()),
    case(middle_positions, M34, 1, wrt=()),
    *(case(matmul_cotangent_of_left, np.ones_like(x @ y), x, y, wrt=(0, 2)) for x, y in MATRIX_PAIRS[:14]),
    *(case(matmul_cotangent_of_right, np.ones_like(x @ y), x, y, wrt=_01) for x, y in MATRIX_PAIRS[:14]),
    *(case(dot_cotangent_of_left, np.ones_like(np.dot(a, b)), a, b, wrt=(0, 2)) for a, b in DOT_PAIRS[:12]),
    *(case(dot_cotangent_of_right, np.ones_like(np.dot(a, b)), a, b, wrt=_01) for a, b in DOT_PAIRS[:12]),
]
NUMPY_RULE_CASES = [
    *REDUCTIONS, *ORDERINGS, *PRODUCTS, *EINSUMS, *SHAPES, *JOINS, *REPETITIONS, *CREATIONS, *INDEXING, *LINALG, *NORMS, *HELPERS,
]
