"""The functions of numbers that Numba knows."""

import builtins
import math
import operator
from typing import Any

import numpy as np

from s2sad.codegen.numba import helpers
from s2sad.codegen.numba.arrays import array_helpers
from s2sad.ops.numerics.complex_numbers import unit_complex
from s2sad.ops.runtime import indices, scalars
from s2sad.ops.runtime.broadcasting import as_dtype_of, divide_or_zero
from s2sad.rules.numpy.shapes import CASTS
from s2sad.rules.python.choice import choose, equals_zero

OF_COMPLEX: dict[Any, Any] = {
    np.sqrt: helpers.root_of_complex,
    np.tanh: helpers.tanh_of_complex,
}
"""What stands for functions of complex numbers in which Numba is wrong."""

ELEMENTWISE: frozenset[Any] = frozenset(
    [
        *(operator.add, operator.sub, operator.mul, operator.truediv),
        *(operator.floordiv, operator.mod, operator.pow, operator.neg, operator.pos),
        *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq),
        *(operator.ne, operator.and_, operator.or_, operator.xor, operator.invert),
        *(operator.not_, operator.abs, builtins.abs, builtins.pow),
        *(np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.negative),
        *(np.positive, np.power, np.float_power, np.remainder, np.fmod, np.square),
        *(np.reciprocal, np.sqrt, np.cbrt, np.exp, np.expm1, np.exp2, np.log),
        *(np.log1p, np.log2, np.log10, np.logaddexp, np.logaddexp2, np.hypot),
        *(np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2),
        *(np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh),
        *(np.degrees, np.radians, np.deg2rad, np.rad2deg, np.absolute, np.fabs),
        *(np.copysign, np.sign, np.floor, np.ceil, np.trunc, np.rint, np.ldexp),
        *(np.maximum, np.minimum, np.fmax, np.fmin, np.where, np.clip),
        *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal),
        *(np.not_equal, np.logical_and, np.logical_or, np.logical_not),
        *(np.logical_xor, np.isnan, np.isinf, np.isfinite),
        *(np.conjugate, np.real, np.imag, unit_complex, *OF_COMPLEX.values()),
        *(choose, equals_zero, divide_or_zero, as_dtype_of, *CASTS),
        *(math.erf, math.erfc, math.lgamma, array_helpers.normal_distribution),
        *(array_helpers.logistic, array_helpers.slope_of_log_gamma),
    ]
)
"""Functions of numbers, which are applied to each element of arrays."""

OF_NUMBERS: frozenset[Any] = frozenset(
    [
        *(math.exp, math.exp2, math.ldexp, math.frexp, builtins.pow),
        *(math.expm1, math.log, math.log1p, math.log2, math.log10),
        *(math.sqrt, math.sin, math.cos, math.tan, math.asin, math.acos, math.atan),
        *(math.atan2, math.sinh, math.cosh, math.tanh, math.asinh, math.acosh),
        *(math.atanh, math.pow, math.fabs, math.hypot, math.erf, math.erfc),
        *(math.gamma, math.lgamma, math.floor, math.ceil, math.trunc, math.copysign),
        *(math.degrees, math.radians, math.isnan, math.isinf, math.isfinite),
        *(builtins.float, builtins.int, builtins.bool, builtins.min, builtins.max),
        *(builtins.complex, np.complex128),
        *(builtins.round, scalars.quotient, scalars.power, scalars.log_of_base),
        *(scalars.sign, operator.lshift, operator.rshift, np.float64, np.int64),
        *(operator.is_, operator.is_not),
        *(indices.place_of_item, indices.place_of_insertion, indices.end_of_slice),
    ]
)
"""Functions of numbers alone."""
IN_PLACE = (operator.iadd, operator.isub, operator.imul, operator.itruediv)
