"""Calls of elementwise functions of NumPy: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from s2sad.ops.numerics.special import sinc_derivative
from tests.rules.cases.elements import (
    ABOVE_ONE,
    ANY,
    COLUMN,
    INFINITE,
    INSIDE,
    INTS,
    MASK,
    POSITIVE,
    ROW,
    ZERO,
    binary,
    unary,
)
from tests.rules.cases.form import LiteralFloat, LiteralInt, case

CASES = [
    *(
        c
        for f in (
            np.exp, np.expm1, np.exp2, np.cbrt, np.sin, np.cos, np.arctan,
            np.sinh, np.cosh, np.tanh, np.arcsinh, np.sinc, np.absolute, np.fabs,
            np.degrees, np.rad2deg, np.radians, np.deg2rad, np.real, np.conjugate,
            np.nan_to_num, np.float64, np.longdouble,
        )
        for c in unary(f, ANY)
    ),
    *(c for f in (np.arcsin, np.arccos, np.arctanh, np.log1p, np.tan) for c in unary(f, INSIDE)),
    *(c for f in (np.log, np.log2, np.log10, np.sqrt) for c in unary(f, POSITIVE)),
    *unary(np.arccosh, ABOVE_ONE),
    *(
        c
        for f in (
            np.hypot, np.arctan2, np.logaddexp, np.logaddexp2, np.maximum, np.minimum,
            np.fmax, np.fmin, np.copysign,
        )
        for c in binary(f, ANY, -POSITIVE)
    ),
    *(case(f, ANY.astype("float32"), note="as float") for f in (np.float64, np.float32)),
    case(np.float32, ANY, note="rounding", expected=(np.ones((3, 4)),)),
    case(np.float16, ANY, note="rounding", expected=(np.ones((3, 4)),)),
    case(np.nextafter, ANY, 3.0),
    case(np.ldexp, ANY, 3),
    case(np.imag, ANY, note="of real numbers"),
    case(np.heaviside, ANY, ROW, wrt=(1,)),
    case(np.heaviside, np.array([0.0, 1.0, -1.0]), 0.4, wrt=(1,), note="at 0", expected=(1.0,)),
    case(np.where, MASK, ANY, POSITIVE),
    case(np.where, MASK, ANY, 1.5),
    case(np.where, MASK, ROW, COLUMN),
    case(np.where, MASK[:1], COLUMN, 0.5),
    case(np.where, True, 1.5, 2.5),
    case(np.where, INTS > 2, ANY, LiteralInt(0)),
    case(np.clip, ANY, -0.7, 0.9),
    case(np.clip, ANY, LiteralFloat(-0.7), LiteralFloat(0.9)),
    case(np.clip, ANY, LiteralFloat(-0.7), 0.9),
    case(np.clip, ANY, -0.7, LiteralFloat(0.9)),
    case(np.clip, ANY, None, LiteralFloat(0.9)),
    case(np.clip, ANY, LiteralFloat(-0.7), None),
    case(np.clip, ANY, None, ROW),
    case(np.clip, ANY, ROW, None),
    case(np.clip, ANY, ROW - 1, COLUMN + 1),
    case(np.clip, ANY, 0.9, -0.7, note="crossed bounds"),
    case(np.clip, 0.3, -0.7, 0.9),
    *(case(sinc_derivative, ANY * 3, n, note=str(n)) for n in range(4)),
    case(sinc_derivative, np.array([0.0, 1e-9, -1e-3]), 1, note="near 0"),
    # Singular points and kinks.
    case(np.sqrt, 0.0, note="at 0", expected=(np.inf,)),
    case(np.cbrt, np.zeros(2), note="at 0", expected=([np.inf] * 2,)),
    case(np.log, 0.0, note="at 0", expected=(np.inf,)),
    case(np.log1p, -1.0, note="at -1", expected=(np.inf,)),
    case(np.arctanh, 1.0, note="at 1", expected=(np.inf,)),
    case(np.arcsin, 1.0, note="at 1", expected=(np.inf,)),
    case(np.arccosh, np.ones(1), note="at 1", expected=([np.inf],)),
    case(np.arctan2, 0.0, 0.0, note="at 0", expected=(np.nan, np.nan)),
    case(np.arctan, 1e200, note="no overflow", expected=(0.0,)),
    case(np.hypot, np.zeros(2), np.array([0.0, 2.0]), note="at 0", expected=([0.0, 0.0], [0.0, 1.0])),
    case(np.absolute, np.array([0.0, -1.0]), note="at 0", expected=([0.0, -1.0],)),
    case(np.fabs, 0.0, note="at 0", expected=(0.0,)),
    case(np.sinc, np.array([0.0, 1.0]), note="at 0", expected=([0.0, -1.0],)),
    case(np.sinc, 1e-8, note="near 0", expected=(-np.pi**2 / 3 * 1e-8,)),
    case(np.logaddexp, -np.inf, -np.inf, note="nothing", expected=(0.0, 0.0)),
    case(np.logaddexp, -np.inf, 1.0, note="one", expected=(0.0, 1.0)),
    case(np.logaddexp2, -np.inf, -np.inf, note="nothing", expected=(0.0, 0.0)),
    *(case(f, ANY, ZERO) for f in (np.maximum, np.minimum, np.fmax, np.fmin)),
    *(case(f, ZERO, ANY) for f in (np.maximum, np.minimum, np.fmax, np.fmin)),
    *(
        case(f, np.zeros(2), ZERO, note="relu at 0", expected=([0.0] * 2,))
        for f in (np.maximum, np.minimum, np.fmax, np.fmin)
    ),
    *(
        case(f, np.ones(2), 1.0, note="tie", expected=([0.5] * 2, 1.0))
        for f in (np.maximum, np.minimum, np.fmax, np.fmin)
    ),
    *(
        case(f, np.array([np.nan, 1.0]), np.array([1.0, np.nan]), note="nan", expected=([0.0, 1.0], [1.0, 0.0]))
        for f in (np.fmax, np.fmin)
    ),
    case(np.clip, np.array([0.0, 1.0, 0.5]), LiteralInt(0), LiteralInt(1), note="literal bounds", expected=([0.0, 0.0, 1.0],)),
    case(np.clip, np.array([0.0, 1.0, 0.5]), 0.0, 1.0, note="tie", expected=([0.5, 0.5, 1.0], 0.5, 0.5)),
    case(np.nan_to_num, INFINITE, note="infinite", expected=([0.0, 0.0, 0.0, 1.0],)),
    case(np.copysign, np.zeros(1), -1.0, note="at 0", expected=([0.0], 0.0)),
]  # fmt: skip
