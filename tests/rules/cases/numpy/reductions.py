"""Calls of reductions, sums and products that run along an axis, and differences: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from tests.rules.cases.arrays import (
    EMPTY,
    M31,
    M34,
    T234,
    V3,
    V4,
    ZEROS,
    complex_,
    single,
    strided,
)
from tests.rules.cases.form import case_by_first

REDUCED = [
    case_by_first(f, *arguments, **keywords)
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
CASES = [
    *REDUCED,
    case_by_first(np.sum, EMPTY),
    case_by_first(np.sum, EMPTY, 0),
    case_by_first(np.mean, EMPTY.T, 0, note="empty"),
    case_by_first(np.sum, complex_(3, 4), 1),
    case_by_first(np.mean, complex_(3, 4), 0),
    case_by_first(np.var, complex_(3, 4), 0),
    case_by_first(np.std, complex_(3, 4)),
    case_by_first(np.prod, complex_(3, 4), 1),
    case_by_first(np.var, M34, 1, ddof=1),
    case_by_first(np.std, M34, ddof=1, keepdims=True),
    case_by_first(np.prod, ZEROS, 1, note="with zeros"),
    case_by_first(np.prod, ZEROS, note="with zeros"),
    case_by_first(np.prod, T234, (0, -1), keepdims=True),
    case_by_first(np.prod, EMPTY, 0),
    case_by_first(np.max, np.array([1.0, 3.0, 3.0]), note="tie", expected=(np.array([0, 0.5, 0.5]),)),
    case_by_first(np.min, np.array([[1.0, 1.0], [2.0, 1.0]]), 1, note="tie", expected=(np.array([[0.5, 0.5], [0, 1.0]]),)),
    case_by_first(np.max, np.array([[1.0, 1.0], [2.0, 1.0]], np.float32), 0, note="tie", expected=(np.array([[0, 0.5], [1.0, 0.5]]),)),
    case_by_first(np.ptp, np.array([1.0, 3.0, 3.0]), note="tie", expected=(np.array([-1.0, 0.5, 0.5]),)),
    case_by_first(np.std, np.full(3, 2.0), note="at 0", expected=(np.zeros(3),)),
    case_by_first(np.std, np.full((2, 3), 2.0), 1, note="at 0", expected=(np.zeros((2, 3)),)),
    case_by_first(np.average, M34),
    case_by_first(np.average, M34, 1),
    case_by_first(np.average, V3, weights=np.array([1.0, 2.0, 4.0]), wrt=(0, "weights")),
    case_by_first(np.average, M34, 0, np.array([1.0, 2.0, 4.0]), wrt=(0, 2)),
    case_by_first(np.average, M34, 1, np.array([1.0, 2.0, 4.0, 0.5]), wrt=(0, 2)),
    case_by_first(np.average, M34, 1, np.abs(M34), wrt=(0, 2)),
    case_by_first(np.average, M34, None, np.abs(M34), wrt=(0, 2)),
    case_by_first(np.average, T234, 1, np.array([1.0, 2.0, 4.0]), wrt=(0, 2), keepdims=True),
    case_by_first(np.average, T234, 0, np.abs(T234), wrt=(0, 2), keepdims=True),
    *(case_by_first(f, *a) for f in (np.cumsum, np.cumprod) for a in [(V3,), (V3, 0), (M34,), (M34, 0), (M34, -1), (T234, 1), (strided(3, 4), 1), (1.5,), (single(3, 4), 0)]),
    case_by_first(np.cumsum, EMPTY, 0),
    case_by_first(np.cumprod, ZEROS, 1, note="with zeros"),
    case_by_first(np.cumprod, complex_(3)),
    case_by_first(np.diff, V4),
    case_by_first(np.diff, M34),
    case_by_first(np.diff, M34, 1, 0),
    case_by_first(np.diff, M34, 2),
    case_by_first(np.diff, T234, 1, axis=1),
    case_by_first(np.diff, single(5), 3),
    case_by_first(np.trapezoid, V4),
    case_by_first(np.trapezoid, M34, axis=0),
    case_by_first(np.trapezoid, V4, None, 0.3, wrt=(0, 2)),
    case_by_first(np.trapezoid, V4, np.array([0.0, 0.5, 0.6, 1.0]), wrt=(0, 1)),
    case_by_first(np.trapezoid, M34, np.array([0.0, 0.5, 0.6, 1.0]), wrt=(0, 1)),
    case_by_first(np.trapezoid, M34, np.array([0.0, 0.5, 0.6]), 1.0, 0, wrt=(0, 1)),
    case_by_first(np.trapezoid, M34, np.cumsum(np.abs(M34), 1), wrt=(0, 1)),
]
