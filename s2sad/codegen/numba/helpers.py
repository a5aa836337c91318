"""What emitted programs call besides NumPy, in Python that Numba compiles; a text
carries copies of those it calls."""

from __future__ import annotations

from typing import Any

import numpy as np


def grown(values: Any) -> Any:
    """An array twice as long, which begins with these values.

    >>> grown(np.array([3.0, 4.0]))[:2]
    array([3., 4.])
    """
    longer = np.empty(2 * len(values), values.dtype)
    longer[: len(values)] = values
    return longer
