"""Operations of rules on what may be Python numbers, whose own operators would raise
where NumPy's don't."""

import math

import numpy as np

from s2sad import rules
from s2sad.ops.numerics.complex_numbers import unit_complex
from s2sad.ops.runtime import scalars


def divided(numerator, denominator):
    """numerator / denominator; inf or nan where the denominator is a Python 0.0.

    A numerator that is a number decides nothing: a cotangent of NumPy's number may be
    Python's, as the seed 1.0 is. One of unknown rank may be a number.
    """
    if rules.is_numpy(denominator) or rules.is_literal_nonzero(denominator):
        return numerator / denominator
    if rules.is_array(numerator) and not rules.is_of_unknown_kind(numerator):
        return numerator / denominator
    if rules.is_complex_number(numerator) or rules.is_complex_number(denominator):
        return np.divide(numerator, denominator)
    return scalars.quotient(numerator, denominator)


def raised(x, exponent):
    """x ** exponent; inf or nan where Python would raise."""
    if rules.is_numpy(x):
        return x**exponent
    if rules.is_complex_number(x) or rules.is_complex_number(exponent):
        return np.power(x, exponent)
    if rules.is_python_number(x) and rules.is_python_number(exponent):
        return scalars.power(x, exponent)
    return np.power(x, exponent)


def slope_of_power(x, y):
    """The derivative of x**y by x.

    x**0 is 1 also at 0, so that its derivative there is 0: the exponent stays 0.
    """
    if rules.is_number_of_type_int(y):
        return y * raised(x, y - (y != 0))
    return y * raised(x, y - ((y != 0) | (x != 0)))


def log_of_base(x):
    """log(x) as the factor of x**y in its derivative by y: 0 where x is 0.

    A Python number's is a Python float, which leaves float32 arrays float32.
    """
    if rules.is_python_number(x) and not rules.is_complex_number(x):
        return math.log(x) if rules.is_literal_positive(x) else scalars.log_of_base(x)
    return np.log(x + (x == 0))


def sign_of(x):
    """The sign of a number or of each element, and 0 at 0."""
    if rules.is_complex_number(x):
        return unit_complex(x)
    return scalars.sign(x) if rules.is_python_number(x) else np.sign(x)
