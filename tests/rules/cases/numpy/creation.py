"""Calls of functions that make arrays: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from tests.rules.cases.arrays import M31, M34, V3, V4, draw, single, strided
from tests.rules.cases.form import case_by_first

CASES = [
    *(case_by_first(f, shape, wrt=()) for f in (np.zeros, np.ones, np.empty) for shape in [3, (3,), (2, 1), ()]),
    case_by_first(np.zeros, (2, 3), np.float32, wrt=()),
    case_by_first(np.zeros, 3, dtype=int, wrt=()),
    *(case_by_first(f, a, wrt=()) for f in (np.zeros_like, np.ones_like, np.empty_like) for a in [M34, single(3), 1.5, np.float32(1.5)]),
    case_by_first(np.ones_like, M34, dtype=bool, wrt=()),
    case_by_first(np.full, (2, 3), 1.5, wrt=(1,)),
    case_by_first(np.full, (3, 4), V4, wrt=(1,)),
    case_by_first(np.full, 3, np.float32(1.5), wrt=(1,)),
    case_by_first(np.full_like, M34, 1.5, wrt=(1,)),
    case_by_first(np.full_like, M34, M31, wrt=(1,)),
    case_by_first(np.arange, 4, wrt=()),
    case_by_first(np.arange, 3.5, wrt=()),
    case_by_first(np.arange, 1, 5, 2, wrt=()),
    case_by_first(np.arange, 0.25, 2.0, 0.5, wrt=(0, 2)),
    case_by_first(np.linspace, 0.5, 2.0, wrt=(0, 1)),
    case_by_first(np.linspace, 0.5, 2.0, 5, wrt=(0, 1)),
    case_by_first(np.linspace, 0.5, 2.0, num=5, endpoint=False, wrt=(0, 1)),
    case_by_first(np.linspace, V3, draw(3), 4, wrt=(0, 1)),
    case_by_first(np.linspace, 0.5, 2.0, 5, wrt=(1,)),
    case_by_first(np.eye, 3, wrt=()),
    case_by_first(np.eye, 3, 4, 1, wrt=()),
    case_by_first(np.eye, 3, dtype=np.float32, wrt=()),
    case_by_first(np.tri, 3, wrt=()),
    case_by_first(np.identity, 3, wrt=()),
    case_by_first(np.array, [1.0, 2.0]),
    case_by_first(np.array, [[1.0, 2.0], [3.0, 4.0]]),
    case_by_first(np.array, ((1.0, 2.0, 3.0),)),
    case_by_first(np.array, [V3, draw(3)]),
    case_by_first(np.array, [[V3, draw(3)]]),
    case_by_first(np.array, [1.0, 2, np.float64(3.0)]),
    case_by_first(np.array, 1.5),
    case_by_first(np.array, M34),
    case_by_first(np.array, [1.0, 2.0], np.float64),
    case_by_first(np.array, [single(3), single(3)]),
    case_by_first(np.asarray, [1.0, 2.0]),
    case_by_first(np.asarray, M34),
    case_by_first(np.asanyarray, M34),
    case_by_first(np.ascontiguousarray, strided(3, 4)),
]
