"""Functions of Python numbers, for which NumPy's are slow, and Python's own raise where
NumPy's give inf or nan."""

import math

import numpy as np


def quotient(numerator: float, denominator: float) -> float:
    """numerator / denominator; inf or nan, as in NumPy, where the denominator is 0.

    >>> quotient(3.0, 2.0), quotient(1.0, 0.0)
    (1.5, inf)
    """
    try:
        return numerator / denominator
    except ZeroDivisionError:
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.divide(numerator, denominator))


def power(base: float, exponent: float) -> float:
    """base ** exponent; inf or nan, as in NumPy, where that isn't a real number.

    >>> power(3.0, 2), power(0.0, -1.0), power(-1.0, 0.5)
    (9.0, inf, nan)
    """
    try:
        return math.pow(base, exponent)
    except (ValueError, OverflowError):
        with np.errstate(all="ignore"):
            return float(np.power(float(base), float(exponent)))


def log_of_base(base: float) -> float:
    """log(base), the factor of base**y in its derivative by y, which is 0 at 0.

    >>> log_of_base(1.0), log_of_base(0.0), log_of_base(-1.0)
    (0.0, 0.0, nan)
    """
    if base > 0.0:
        return math.log(base)
    return 0.0 if base == 0.0 else math.nan


def sign(x: float) -> float:
    """1.0, -1.0 or 0.0, and nan for nan.

    >>> sign(0.5), sign(-3), sign(0.0)
    (1.0, -1.0, 0.0)
    """
    if x > 0.0:
        return 1.0
    return -1.0 if x < 0.0 else 0.0 * x
