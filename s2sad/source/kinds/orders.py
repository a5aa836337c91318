"""How arrays of a module lie in memory, which decides what is a view of what is made
from them."""

from typing import Any

import numpy as np


def order_of(value: Any) -> str | None:
    """C or F where what is computed from an array element by element lies by rows
    or by columns, "none" for another order; None for what has one axis, or isn't an
    array.

    >>> order_of(np.zeros((2, 3))), order_of(np.zeros((2, 3)).T), order_of(np.zeros(3))
    ('C', 'F', None)
    >>> order_of(np.zeros((4, 5))[::2, 1:])
    'C'
    """
    if not isinstance(value, np.ndarray) or value.ndim < 2:
        return None
    flags = np.empty_like(value, subok=False).flags
    if flags.c_contiguous:
        return "C"
    return "F" if flags.f_contiguous and 1 not in value.shape else "none"


def orders_in(value: Any) -> str:
    """The orders of all arrays in a datum of a module, to be compared with what they
    were.

    >>> orders_in({"w": np.zeros((2, 3)), "more": [np.zeros((2, 3)).T, 1.0]})
    'C F'
    """
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, list | tuple):
        return " ".join(filter(None, map(orders_in, value)))
    return order_of(value) or ""
