"""Calls of indices and of functions that take elements: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import operator

import numpy as np

from tests.rules.cases.arrays import COLUMNS, M34, ROWS, T234, V3, V4, single, strided
from tests.rules.cases.form import case_by_first

INDICES = [
    *((V4, i) for i in (0, -1, slice(1, 3), slice(None, None, -2), ..., None, (..., 0), ROWS, V4 > 0, [0, 2, 2], np.int64(2), slice(1, None), slice(None, -1), slice(1, -1), slice(0, 0), np.array(1), (ROWS > 0).tolist())),
    *((M34, i) for i in (0, (0, 1), (slice(None), 1), (slice(1, None), slice(None, 2)), (None, 0), (..., None), ([0, 2], [1, 3]), (slice(None), ROWS), (ROWS, slice(1, 3)), (ROWS[:3], 1), M34 > 0, V3 > 0, (slice(None), V4 > 0), (ROWS[:2][:, None], COLUMNS[None, :3]), (1, ...), (slice(None), slice(0, 1)))),
    *((T234, i) for i in ((0, slice(None), ROWS), (slice(None), 1, ROWS), (np.array([0, 1]), slice(None), np.array([1, 2])), (slice(None), np.array([0, 1]), np.array([1, 2])), (..., 0), (0, ..., None), (T234[..., 0] > 0), (0, T234[0] > 0), (slice(None), None, np.array([[0, 1], [2, 0]])), (np.array([0, 1]), None, 0))),
]
CASES = [
    *(case_by_first(operator.getitem, a, i, note=str(k)) for k, (a, i) in enumerate(INDICES)),
    case_by_first(operator.getitem, strided(3, 4), (slice(None), 1)),
    case_by_first(operator.getitem, single(3, 4), 1),
    case_by_first(np.take, V4, ROWS),
    case_by_first(np.take, M34, ROWS),
    case_by_first(np.take, M34, ROWS, 0),
    case_by_first(np.take, M34, ROWS.reshape(2, 2), axis=-1),
    case_by_first(np.take, M34, 1, 1),
    case_by_first(np.take, V4, 2),
    case_by_first(np.take_along_axis, M34, np.argsort(M34, 1), 1),
    case_by_first(np.take_along_axis, M34, np.array([[0, 0, 1, 2]]), 0),
    case_by_first(np.take_along_axis, M34, np.array([[3], [3], [1]]), -1),
    case_by_first(np.take_along_axis, V4, ROWS),
    case_by_first(np.take_along_axis, M34, ROWS, None),
]
