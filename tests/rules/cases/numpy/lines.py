"""Calls of interpolation and convolution: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from tests.rules.cases.arrays import M34, V3, V4
from tests.rules.cases.form import case_by_first

CASES = [
    case_by_first(np.interp, 0.2, np.array([-1.0, 0.5, 2.0]), V3, wrt=(0, 1, 2)),
    case_by_first(np.interp, M34, np.array([-1.93, 0.13, 0.57, 1.97]), V4, wrt=(0, 1, 2)),
    *(case_by_first(np.convolve, a, v, mode, wrt=(0, 1)) for mode in ("full", "same", "valid") for a, v in ((V4, V3), (V3, V4), (V4, V4[:2]))),
]
