"""Checks of results whose kinds are known only when the program runs."""

from __future__ import annotations

from typing import Any

import numpy as np


def require_number(value: Any) -> None:
    """Raise TypeError unless the value is one number.

    >>> require_number(np.zeros(3))
    Traceback (most recent call last):
    ...
    TypeError: a gradient needs one number, and the function returned shape (3,)
    """
    if np.ndim(value) != 0:
        raise TypeError(
            "a gradient needs one number, and the function returned shape "
            f"{np.shape(value)}"
        )
