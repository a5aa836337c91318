"""Calls of Python's builtins: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import math

import numpy as np

from tests.rules.cases.elements import ANY, COLUMN, ROW, VECTOR, ZERO, unary
from tests.rules.cases.form import case

CASES = [
    *unary(abs, ANY),
    case(abs, np.array([0.0, -0.0, -2.0]), note="at 0", expected=([0.0, 0.0, -1.0],)),
    case(abs, 0.0, note="at 0", expected=(0.0,)),
    case(float, 1.5),
    case(float, np.float32(1.5)),
    case(max, 1.5, 2.5),
    case(max, 1.5, -2.5, 0.5),
    case(max, 1.5, 2),
    case(max, (1.5, -2.5, 0.5)),
    case(max, VECTOR),
    case(max, 1.5, 1.5, note="tie", expected=(0.5, 0.5)),
    case(max, 1.5, 0.3, 1.5, 1.5, note="tie", expected=(1 / 3, 0.0, 1 / 3, 1 / 3)),
    case(max, 0.0, ZERO, note="relu at 0", expected=(0.0,)),
    case(max, ZERO, 0.0, note="relu at 0", expected=(0.0,)),
    case(max, ZERO, 0.0, -1.0, note="relu at 0", expected=(0.0, 0.0)),
    case(max, 1.5, ZERO),
    case(max, -1.5, ZERO),
    case(max, math.nan, 1.0, note="nan", expected=(0.0, 0.0)),
    case(max, math.nan, 1.0, 2.0, note="nan", expected=(0.0, 0.0, 0.0)),
    case(min, 1.5, 2.5),
    case(min, 1.5, -2.5, 0.5),
    case(min, (1.5, -2.5, 0.5)),
    case(min, VECTOR),
    case(min, 1.5, 1.5, note="tie", expected=(0.5, 0.5)),
    case(min, 0.0, ZERO, note="at 0", expected=(0.0,)),
    case(min, -1.5, ZERO),
    case(sum, (1.5, 2.5, -0.5)),
    case(sum, (1.5, 2.5), 3.0),
    case(sum, (ANY, ROW, COLUMN)),
    case(sum, (ANY, 1.5), VECTOR),
    case(sum, (1.5, 2), ANY),
    case(sum, VECTOR, VECTOR),
    case(sum, ANY, ROW),
    case(sum, ()),
    case(sum, VECTOR),
    case(sum, ANY, 1.5),
]
