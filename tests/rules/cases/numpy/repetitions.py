"""Calls of functions that repeat elements or pad: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from tests.rules.cases.arrays import M34, V3, V4, draw, single
from tests.rules.cases.form import case_by_first

CASES = [
    case_by_first(np.tile, V3, 2),
    case_by_first(np.tile, V3, (2, 2)),
    case_by_first(np.tile, M34, 2),
    case_by_first(np.tile, M34, (2, 1, 3)),
    case_by_first(np.tile, 1.5, 3),
    case_by_first(np.tile, single(3), (2, 1)),
    case_by_first(np.repeat, V3, 2),
    case_by_first(np.repeat, M34, 3),
    case_by_first(np.repeat, M34, 2, 0),
    case_by_first(np.repeat, M34, 2, axis=-1),
    case_by_first(np.repeat, V3, np.array([1, 0, 3])),
    case_by_first(np.repeat, M34, np.array([1, 0, 3]), axis=0),
    case_by_first(np.repeat, M34, np.array([1, 0, 3, 2]), 1),
    case_by_first(np.repeat, draw(2, 1), np.array([2, 1])),
    case_by_first(np.repeat, 1.5, 3),
    case_by_first(np.pad, V3, 1),
    case_by_first(np.pad, M34, 2),
    case_by_first(np.pad, V3, (1, 2)),
    case_by_first(np.pad, M34, ((1, 0), (0, 2))),
    case_by_first(np.pad, M34, ((1, 2),), "constant"),
    case_by_first(np.pad, M34, 1, constant_values=1.5, wrt=(0, "constant_values")),
    case_by_first(np.meshgrid, V3, V4, wrt=(0, 1)),
    case_by_first(np.meshgrid, V3, V4, indexing="ij", wrt=(0, 1)),
    case_by_first(np.meshgrid, V3, V4, draw(2), wrt=(0, 1, 2)),
    case_by_first(np.meshgrid, V3),
]
