"""Calls of operators and of the functions of NumPy that do the same: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import operator

import numpy as np

from tests.rules.cases.elements import ANY, INTS, POSITIVE, binary, unary
from tests.rules.cases.form import LiteralFloat, LiteralInt, case

CASES = [
    *(c for f in (operator.add, np.add) for c in binary(f, ANY, POSITIVE)),
    *(c for f in (operator.sub, np.subtract) for c in binary(f, ANY, POSITIVE)),
    *(c for f in (operator.mul, np.multiply) for c in binary(f, ANY, POSITIVE)),
    *(c for f in (operator.truediv, np.divide) for c in binary(f, ANY, -POSITIVE)),
    *(c for f in (operator.pow, pow, np.power) for c in binary(f, POSITIVE, ANY)),
    *binary(np.float_power, POSITIVE, ANY),
    *binary(operator.mod, ANY * 7, POSITIVE),
    *binary(np.remainder, ANY * 7, -POSITIVE),
    *binary(np.fmod, ANY * 7, POSITIVE),
    *(c for f in (operator.neg, np.negative) for c in unary(f, ANY)),
    *(c for f in (operator.pos, np.positive) for c in unary(f, ANY)),
    *unary(np.square, ANY),
    *unary(np.reciprocal, ANY),
    case(operator.mul, ANY, LiteralInt(3)),
    case(operator.mul, INTS, ANY),
    case(operator.truediv, ANY, LiteralInt(3)),
    case(operator.truediv, 1.5, 4),
    case(operator.truediv, LiteralFloat(1.0), 0.7),
    case(
        operator.truediv,
        np.zeros(2),
        0.0,
        wrt=(0,),
        note="by 0",
        expected=([np.inf] * 2,),
    ),
    case(operator.truediv, np.float64(1.0), 0, note="by 0", expected=(np.inf,)),
    case(np.divide, 1.0, 0.0, wrt=(0,), note="by 0", expected=(np.inf,)),
    case(operator.pow, ANY, LiteralInt(2)),
    case(operator.pow, ANY, LiteralInt(3)),
    case(operator.pow, ANY, LiteralInt(1)),
    case(operator.pow, ANY, LiteralInt(0)),
    case(operator.pow, ANY, LiteralInt(-2)),
    case(operator.pow, POSITIVE, LiteralFloat(0.5)),
    case(operator.pow, POSITIVE, LiteralFloat(1.5)),
    case(operator.pow, ANY, 3),
    case(operator.pow, ANY, INTS),
    case(operator.pow, INTS, ANY),
    case(operator.pow, LiteralFloat(2.0), ANY),
    case(operator.pow, 3, ANY),
    case(operator.pow, -1.7, 3),
    case(operator.pow, -1.7, -3),
    case(operator.pow, 0.0, 0, note="0**0", expected=(0.0,)),
    case(operator.pow, 0.0, 1, note="0**1", expected=(1.0,)),
    case(operator.pow, 0.0, 2, note="0**2", expected=(0.0,)),
    case(operator.pow, 0.0, 0.5, wrt=(0, 1), note="0**0.5", expected=(np.inf, 0.0)),
    case(operator.pow, 1e-200, -1, note="no overflow", expected=(-np.inf,)),
    case(
        operator.pow,
        np.zeros(3),
        np.array([0.0, 1.0, 2.0]),
        note="0**y",
        expected=([0.0, 1.0, 0.0], [0.0] * 3),
    ),
    case(operator.pow, np.zeros(3), LiteralInt(0), note="0**0", expected=([0.0] * 3,)),
    case(
        operator.pow,
        np.zeros(2),
        LiteralFloat(0.5),
        note="sqrt of 0",
        expected=([np.inf] * 2,),
    ),
    case(np.power, 0.0, 0, note="0**0", expected=(0.0,)),
    case(np.reciprocal, 0.0, note="of 0", expected=(-np.inf,)),
]
