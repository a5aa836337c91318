"""Calls of ``math`` and of the functions behind its derivatives: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import math
import operator

import numpy as np

from s2sad.ops.numerics.special import digamma, modified_bessel, polygamma
from s2sad.ops.runtime.scalars import log_of_base, power, quotient
from tests.rules.cases.elements import (
    ABOVE_ONE,
    ANY,
    INSIDE,
    POSITIVE,
    VECTOR,
    scalar,
    unary,
)
from tests.rules.cases.form import LiteralInt, case

GAMMA_DOMAIN = np.array([[0.4, 2.7], [-0.6, -2.3], [5.5, -7.25]])

CASES = [
    *(
        c
        for f in (
            math.exp, math.expm1, math.exp2, math.sin, math.cos, math.tan, math.atan,
            math.sinh, math.cosh, math.tanh, math.asinh, math.erf, math.erfc, math.fabs,
            math.cbrt, math.degrees, math.radians, math.modf, math.frexp,
        )
        for c in scalar(f, ANY)
    ),
    *(c for f in (math.asin, math.acos, math.atanh, math.log1p) for c in scalar(f, INSIDE)),
    *(c for f in (math.log, math.log2, math.log10, math.sqrt) for c in scalar(f, POSITIVE)),
    *scalar(math.acosh, ABOVE_ONE),
    *(case(f, float(x)) for f in (math.gamma, math.lgamma) for x in GAMMA_DOMAIN.ravel()),
    *unary(digamma, GAMMA_DOMAIN),
    *(case(polygamma, n, np.array([1.3, 2.7, 4.1, -0.5]), wrt=(1,), note=str(n)) for n in range(4)),
    *(case(modified_bessel, n, np.array([0.0, 1.3, -2.7, 3.1]), wrt=(1,), note=str(n)) for n in range(3)),
    case(math.log, 1.7, 3.1),
    case(math.pow, 1.7, 3.1),
    case(math.pow, 1.7, LiteralInt(3)),
    case(math.pow, -1.7, 3),
    case(math.pow, 0.0, 0, note="0**0", expected=(0.0,)),
    case(math.pow, 0.0, 0.5, note="0**0.5", expected=(np.inf, 0.0)),
    case(math.atan2, 0.7, -1.2),
    case(math.atan2, -0.7, -1.2),
    case(math.hypot, 0.7, -1.2),
    case(math.hypot, 0.7, -1.2, 2, 3.1),
    case(math.hypot, 0.0, 0.0, note="at 0", expected=(0.0, 0.0)),
    case(math.hypot, 3e-320, 0.0, note="denormal", expected=(1.0, 0.0)),
    case(math.dist, (0.7, -1.2), (0.1, 2.0)),
    case(math.dist, (0.7, -1.2), (1, 2)),
    case(math.dist, VECTOR, VECTOR[::-1]),
    case(math.dist, (0.7, 1.0), (0.7, 1.0), note="at 0", expected=((0.0, 0.0),) * 2),
    case(math.fmod, -7.3, 2.1),
    case(math.remainder, 7.3, 2.1),
    case(math.copysign, 1.3, -2.0),
    case(math.copysign, -1.3, -2.0),
    case(math.copysign, 0.0, -2.0, note="at 0", expected=(0.0, 0.0)),
    case(math.nextafter, 1.3, 2.0),
    case(math.ldexp, 1.3, -3),
    case(math.ldexp, 0.0, 2000, note="no overflow", expected=(np.inf,)),
    case(math.fsum, (1.5, 2.5, -0.5)),
    case(math.fsum, VECTOR),
    case(math.prod, (1.5, 2.5, -0.5)),
    case(math.prod, (1.5, 2, -0.5), start=3),
    case(math.prod, (1.5, 0.0, -0.5), note="with 0"),
    case(math.prod, (0.0, 0.0, -0.5), note="with two 0"),
    case(math.sqrt, 0.0, note="at 0", expected=(np.inf,)),
    case(quotient, 1.3, -0.7),
    case(quotient, 1.3, 0.0, note="at 0", expected=(np.inf, -np.inf)),
    case(power, 1.3, -0.7),
    case(power, 0.0, 2.0, note="at 0", expected=(0.0, 0.0)),
    case(power, 1.3, 0.0, note="exponent 0"),
    case(operator.pow, 1.3, 0.0, note="exponent 0"),
    case(np.power, np.abs(VECTOR), 0.0, note="exponent 0"),
    case(log_of_base, 1.3),
    case(log_of_base, 0.0, note="at 0", expected=(1.0,)),
    case(math.cbrt, 0.0, note="at 0", expected=(np.inf,)),
    case(math.asin, 1.0, note="at 1", expected=(np.inf,)),
    case(math.acos, -1.0, note="at -1", expected=(-np.inf,)),
    case(math.acosh, 1.0, note="at 1", expected=(np.inf,)),
    case(math.atan2, 0.0, 0.0, note="at 0", expected=(np.nan, np.nan)),
    case(math.fabs, 0.0, note="at 0", expected=(0.0,)),
    case(math.atan, 1e200, note="no overflow", expected=(0.0,)),
    case(math.asinh, -1e200, note="no overflow", expected=(1e-200,)),
    case(math.erf, 1e200, note="no overflow", expected=(0.0,)),
    case(math.gamma, 1.0, note="at 1", expected=(-0.5772156649015329,)),
]  # fmt: skip
if hasattr(math, "sumprod"):
    CASES.append(case(math.sumprod, (1.5, 2.5), (0.5, -3.0)))
    CASES.append(case(math.sumprod, (1.5, 2.5), (1, 2)))
if hasattr(math, "fma"):
    CASES.append(case(math.fma, 1.5, 2.5, -0.7))
