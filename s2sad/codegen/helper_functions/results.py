"""Checks of results whose kinds are known only when the program runs."""

from __future__ import annotations

from typing import Any

import numpy as np


def require_number(value: Any) -> None:
    """Raise TypeError unless the value is one number.

    >>> require_number(np.zeros(3))
    Traceback (most recent call last):
    ...
    TypeError: a gradient needs one number, the function gave shape (3,)
    """
    if value is None:
        raise TypeError("a gradient needs one number, the function gave None")
    shape = np.shape(value)
    if shape != ():
        raise TypeError(f"a gradient needs one number, the function gave shape {shape}")
