"""``scipy.integrate``: what is made of other functions, and integrals of functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate

from s2sad import rules
from s2sad.equations.found import integral_by
from s2sad.frontend.library.texts import stands_for


@stands_for(integrate.trapezoid)
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    """``integrate.trapezoid(y, x, dx, axis)``."""
    return np.trapezoid(y, x, dx, axis)


@stands_for(integrate.quad)
def quad(
    func: Any,
    a: Any,
    b: Any,
    args: Any = (),
    *,
    epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
    limit: Any = 50,
) -> Any:
    """``integrate.quad(func, a, b, args)``."""
    given = args if rules.is_sequence(args) else (args,)
    return integral_by(func, a, b, given, epsabs, epsrel, limit)
