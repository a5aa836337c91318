"""Calls of products: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import operator

import numpy as np

from tests.rules.cases.arrays import (
    M14,
    M31,
    M33,
    M34,
    M43,
    T234,
    V3,
    V4,
    complex_,
    draw,
    single,
    strided,
)
from tests.rules.cases.form import case_by_first

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
DOT_PAIRS = [*MATRIX_PAIRS[:6], (T234, M43), (M33, T234), (T234, draw(2, 4, 2)), (V4, draw(2, 4, 3)), (2.5, M34), (M34, np.float64(2.5)), (2.5, 1.5), (complex_(3, 4), complex_(4, 2)), (complex_(3), complex_(3)), (single(3, 4), single(4))]
CASES = [
    *(case_by_first(f, *p, wrt=(0, 1)) for f in (operator.matmul, np.matmul) for p in MATRIX_PAIRS),
    *(case_by_first(np.dot, *p, wrt=(0, 1)) for p in DOT_PAIRS),
    case_by_first(operator.matmul, M34, V4, wrt=(1,)),
    case_by_first(np.dot, M34, M43, wrt=(0,)),
    case_by_first(np.inner, V3, V3, wrt=(0, 1)),
    case_by_first(np.inner, M34, M34, wrt=(0, 1)),
    case_by_first(np.inner, T234, M34, wrt=(0, 1)),
    case_by_first(np.inner, M34, V4, wrt=(0, 1)),
    case_by_first(np.inner, 2.0, M34, wrt=(0, 1)),
    case_by_first(np.inner, complex_(3), complex_(2, 3), wrt=(0, 1)),
    case_by_first(np.outer, V3, V4, wrt=(0, 1)),
    case_by_first(np.outer, M34, V4, wrt=(0, 1)),
    case_by_first(np.outer, 2.0, V4, wrt=(0, 1)),
    case_by_first(np.outer, complex_(3), complex_(4), wrt=(0, 1)),
    case_by_first(np.vdot, V3, V3, wrt=(0, 1)),
    case_by_first(np.vdot, M34, strided(3, 4), wrt=(0, 1)),
    case_by_first(np.vdot, complex_(3), complex_(3), wrt=(0, 1)),
    case_by_first(np.vdot, 1.5, 2.5, wrt=(0, 1)),
    case_by_first(np.tensordot, T234, draw(3, 4, 2), wrt=(0, 1)),
    case_by_first(np.tensordot, T234, draw(4, 2), 1, wrt=(0, 1)),
    case_by_first(np.tensordot, V3, V4, 0, wrt=(0, 1)),
    case_by_first(np.tensordot, T234, draw(4, 5, 3), ((2, 1), (0, 2)), wrt=(0, 1)),
    case_by_first(np.tensordot, T234, draw(4, 5, 3), axes=((1, -1), (2, 0)), wrt=(0, 1)),
    case_by_first(np.tensordot, T234, draw(5, 3), (1, 1), wrt=(0, 1)),
    case_by_first(np.tensordot, complex_(2, 3), complex_(3, 2), 1, wrt=(0, 1)),
    case_by_first(np.tensordot, M34, M34, 2, wrt=(0, 1)),
    case_by_first(np.kron, V3, V4, wrt=(0, 1)),
    case_by_first(np.kron, M34, M31, wrt=(0, 1)),
    case_by_first(np.linalg.cross, V3, draw(3), wrt=(0, 1)),
    case_by_first(np.linalg.cross, draw(5, 3), V3, wrt=(0, 1)),
    case_by_first(np.linalg.cross, draw(5, 1, 3), draw(2, 3), wrt=(0, 1)),
    case_by_first(np.trace, M33),
    case_by_first(np.trace, M34, 1),
    case_by_first(np.trace, M34, -2),
    case_by_first(np.trace, T234, 0, -2, -1),
    case_by_first(np.trace, single(3, 3)),
    case_by_first(np.diagonal, M34),
    case_by_first(np.diagonal, M34, 1),
    case_by_first(np.diagonal, T234, -1, 1, 2),
    case_by_first(np.diag, V3),
    case_by_first(np.diag, V3, -2),
    case_by_first(np.diag, M34),
    case_by_first(np.diag, M33, 1),
    case_by_first(np.diag, single(3, 3), k=-1),
]
