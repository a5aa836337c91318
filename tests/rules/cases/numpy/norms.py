"""Calls of ``np.linalg.norm``: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from tests.rules.cases.arrays import M34, T234, V4, complex_, single
from tests.rules.cases.form import case_by_first

NORM = np.linalg.norm
CASES = [
    *(case_by_first(NORM, V4, p, note=str(p)) for p in (None, 1, 2, 3, 0.5, -2, np.inf, -np.inf, 0)),
    *(case_by_first(NORM, M34, p, note=str(p)) for p in (None, "fro", 1, -1, np.inf, -np.inf)),
    *(case_by_first(NORM, M34, p, axis=a, keepdims=k, note=f"{p} {a} {k}") for p in (None, 1, 2, 3, np.inf) for a in (0, -1) for k in (False, True)),
    *(case_by_first(NORM, T234, p, axis=(0, 2), keepdims=k, note=f"{p} {k}") for p in (None, "fro", 1, np.inf) for k in (False, True)),
    case_by_first(NORM, T234),
    case_by_first(NORM, T234, keepdims=True),
    case_by_first(NORM, complex_(3)),
    case_by_first(NORM, single(3, 4), axis=1),
    case_by_first(NORM, np.zeros(3), note="at 0", expected=(np.zeros(3),)),
    case_by_first(NORM, np.zeros((2, 3)), axis=1, note="at 0", expected=(np.zeros((2, 3)),)),
    case_by_first(NORM, np.zeros(3), 3, note="at 0", expected=(np.zeros(3),)),
    case_by_first(NORM, np.zeros(3), 1, note="at 0", expected=(np.zeros(3),)),
    case_by_first(NORM, np.zeros(3), np.inf, note="at 0", expected=(np.zeros(3),)),
    case_by_first(NORM, np.array([2.0, -2.0]), np.inf, note="tie", expected=(np.array([0.5, -0.5]),)),
]
