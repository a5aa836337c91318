"""Calls of functions that order elements or look for them: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from tests.rules.cases.arrays import M34, T234, V3, V4, single
from tests.rules.cases.form import case_by_first

CASES = [
    case_by_first(np.sort, V4),
    case_by_first(np.sort, M34),
    case_by_first(np.sort, M34, 0),
    case_by_first(np.sort, T234, axis=1),
    case_by_first(np.sort, M34, None),
    case_by_first(np.sort, single(3, 4)),
    case_by_first(np.median, V4),
    case_by_first(np.median, V3),
    case_by_first(np.median, M34),
    case_by_first(np.median, M34, 0),
    case_by_first(np.median, T234, -1, keepdims=True),
    case_by_first(np.median, T234, 1),
    case_by_first(np.median, 1.5),
    case_by_first(np.sort, np.array([5.0, 1.0, 5.0]), note="tie", expected=(np.ones(3),)),
    case_by_first(np.median, np.array([1.0, 1.0, 3.0, 0.0, 4.0]), note="tie", expected=(np.array([0.5, 0.5, 0, 0, 0]),)),
    case_by_first(np.median, np.full((4, 3), 2.0, np.float32), 0, note="tie", expected=(np.full((4, 3), 0.25),)),
    case_by_first(np.median, np.full((4, 3), 2.0), note="tie", expected=(np.full((4, 3), 1 / 12),)),
    *(case_by_first(f, *a, wrt=(), **k) for f in (np.any, np.all, np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.count_nonzero) for a, k in [((M34,), {}), ((M34, 0), {}), ((T234, -2), {"keepdims": True})]),
    case_by_first(np.argsort, M34, wrt=()),
    case_by_first(np.argsort, M34, None, wrt=()),
    case_by_first(np.argsort, V3, kind="stable", wrt=()),
    case_by_first(np.lexsort, (V3, V3), wrt=()),
    case_by_first(np.lexsort, M34, wrt=()),
    case_by_first(np.searchsorted, np.arange(3.0), 1.5, wrt=()),
    case_by_first(np.searchsorted, np.arange(3.0), V3, side="right", wrt=()),
    case_by_first(np.nonzero, M34, wrt=()),
    case_by_first(np.triu_indices, 4, 1, wrt=()),
    case_by_first(np.indices, (2, 3), wrt=()),
    case_by_first(np.tril_indices, 3, m=4, wrt=()),
    case_by_first(np.triu_indices_from, M34, wrt=()),
    case_by_first(np.tril_indices_from, M34, -1, wrt=()),
    case_by_first(np.flatnonzero, M34, wrt=()),
    case_by_first(np.unravel_index, np.array([1, 2]), (3, 4), wrt=()),
]
