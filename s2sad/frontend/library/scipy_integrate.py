"""Functions of ``scipy.integrate`` that are made of others."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from s2sad.frontend.library.texts import stands_for


@stands_for(integrate.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """``integrate.trapezoid(y, x, dx, axis)``."""
    return np.trapezoid(y, x, dx, axis)
