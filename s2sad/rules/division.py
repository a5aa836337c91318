"""Division and powers for rules, where Python's own would raise but NumPy's not."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.codegen.helper_functions.division import quotient
from s2sad.rules.predicates import (
    is_literal_nonzero,
    is_literal_positive,
    is_numpy,
    is_python_number,
)


def divided(numerator: Any, denominator: Any) -> Any:
    """numerator / denominator; inf or nan where the denominator is a Python 0.0."""
    if is_numpy(denominator) or is_numpy(numerator) or is_literal_nonzero(denominator):
        return numerator / denominator
    return quotient(numerator, denominator)


def raised(x: Any, exponent: Any) -> Any:
    """x ** exponent for a real x; inf where Python would raise."""
    return x**exponent if is_numpy(x) else np.power(x, exponent)


def log_of_base(x: Any) -> Any:
    """log(x) as the factor of x**y in its derivative by y: 0 where x is 0.

    A Python number's is a Python float, which leaves float32 arrays float32.
    """
    if is_literal_positive(x):
        return float(np.log(x))
    if is_python_number(x):
        return float(np.log(x + (x == 0)))
    return np.log(x + (x == 0))
