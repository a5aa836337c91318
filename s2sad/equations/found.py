"""Solutions that a library finds.

The texts of SciPy's solvers call ``found_by``; the compiler makes programs of the
functions that they hand on, lets the solver call these, and gives what it finds the
derivative of the solution.
"""


def found_by(solver, f, guess, args, others, *options):
    """What ``solver(f, guess, args, ..., *options)`` finds, a solution of ``f(z, *args)
    = 0`` in the form of ``guess``. For each further function in ``others``, of the same
    arguments, the solver gets the function and its arguments behind the unknown."""
    raise NotImplementedError("a text that the compiler reads")


def integral_by(f, low, high, args, epsabs, epsrel, limit):
    """The integral of ``f(x, *args)`` as ``scipy.integrate.quad`` finds it, with its
    estimate of the error."""
    raise NotImplementedError("a text that the compiler reads")


def trajectory_by(f, y0, args, span, times, method, rtol, atol, most):
    """The times, and the states that solve ``y' = f(y, t, *args)`` there, one a row."""
    raise NotImplementedError("a text that the compiler reads")


def states_by(f, args, settings, y0, start, times):
    """The states at the times that solve ``y' = f(y, t, *args)`` from ``y0``, one a
    row, as a derivative needs them."""
    raise NotImplementedError("a text that the compiler reads")
