"""``scipy.integrate``: what is made of other functions, and integrals of functions."""

import numpy as np
from scipy import integrate

from s2sad import rules
from s2sad.equations.found import integral_by
from s2sad.frontend.library.texts import stands_for


@stands_for(integrate.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """``integrate.trapezoid(y, x, dx, axis)``: places of several axes are brought to
    the shape of the samples before their distances are taken."""
    if x is not None and rules.known_rank(x) not in (0, 1):
        if not rules.surely_has_shape_of(x, y):
            x = np.broadcast_to(x, np.shape(y))
    return np.trapezoid(y, x, dx, axis)


@stands_for(integrate.quad)
def quad(func, a, b, args=(), *, epsabs=1.49e-8, epsrel=1.49e-8, limit=50):
    """``integrate.quad(func, a, b, args)``."""
    given = args if rules.is_sequence(args) else (args,)
    return integral_by(func, a, b, given, epsabs, epsrel, limit)
