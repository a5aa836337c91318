"""Calls of functions that join and split: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from tests.rules.cases.arrays import EMPTY, M14, M31, M34, T234, V3, V4, draw, single
from tests.rules.cases.form import case_by_first

CASES = [
    case_by_first(np.concatenate, (V3, V4)),
    case_by_first(np.concatenate, [M34, draw(2, 4), M14]),
    case_by_first(np.concatenate, [M34, M31], 1),
    case_by_first(np.concatenate, [M34, M31], axis=-1),
    case_by_first(np.concatenate, [T234, draw(2, 5, 4)], axis=1),
    case_by_first(np.concatenate, [M34, V3], axis=None),
    case_by_first(np.concatenate, [single(2), single(3)]),
    case_by_first(np.concatenate, [EMPTY, M34]),
    case_by_first(np.stack, (V3, draw(3))),
    case_by_first(np.stack, [M34, draw(3, 4)], 1),
    case_by_first(np.stack, [M34, draw(3, 4)], axis=-1),
    case_by_first(np.stack, [1.5, 2.5]),
    case_by_first(np.hstack, (V3, V4)),
    case_by_first(np.hstack, [M34, M31]),
    case_by_first(np.hstack, [1.5, V3, np.float64(2.0)]),
    case_by_first(np.vstack, (V3, draw(3))),
    case_by_first(np.vstack, [M34, V4]),
    case_by_first(np.vstack, [1.5, 2.5]),
    case_by_first(np.column_stack, (V3, draw(3))),
    case_by_first(np.column_stack, [V3, M34]),
    case_by_first(np.split, draw(6), 3),
    case_by_first(np.split, draw(4, 6), (1, 4), 1),
    case_by_first(np.split, M34, 1),
    case_by_first(np.array_split, draw(7), 3),
]
