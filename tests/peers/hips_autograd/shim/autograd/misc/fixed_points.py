"""Where an iteration settles."""

import s2sad


def fixed_point(f, a, x0, distance, tol):
    """The x with ``x = f(a)(x)``; ``distance`` is taken to be a norm."""
    return s2sad.fixed_point(lambda x, parameters: f(parameters)(x), x0, a, tol=tol)
