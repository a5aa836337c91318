"""Division of numbers, where Python's own would raise."""

from __future__ import annotations

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
