"""``scipy.integrate``: ordinary differential equations, whose derivatives are those of
the solution (specialise/equations/trajectories.py)."""

from typing import Any, NamedTuple

import numpy as np
from scipy import integrate

from s2sad import rules
from s2sad.equations.found import trajectory_by
from s2sad.frontend.library import texts, vectors


class Trajectory(NamedTuple):
    """What derivatives know of the result of ``solve_ivp``."""

    t: Any
    y: Any
    success: Any


def slope_of_floats(slope):
    """What a right-hand side returns as an array in double precision."""
    slope = np.asarray(slope)
    if rules.is_complex_number(slope):
        rules.not_supported(
            "an equation of complex numbers", "solve for real and imaginary parts"
        )
    return slope if rules.is_double(slope) else slope.astype(np.float64)


@texts.stands_for(integrate.odeint)
def odeint(func, y0, t, args=(), *, rtol=None, atol=None, mxstep=None, tfirst=False):
    """``integrate.odeint(func, y0, t, args)``."""

    def right_side(y, time, *others):
        found = func(time, y, *others) if tfirst else func(y, time, *others)
        return slope_of_floats(found)

    given = args if rules.is_sequence(args) else (args,)
    times = np.asarray(t)
    span = (float(times[0]), float(times[-1]))
    _, states = trajectory_by(
        right_side,
        vectors.as_vector_of_floats(y0),
        given,
        span,
        times,
        "odeint",
        rtol,
        atol,
        mxstep,
    )
    return states


@texts.stands_for(integrate.solve_ivp)
def solve_ivp(
    fun,
    t_span,
    y0,
    method="RK45",
    t_eval=None,
    *,
    args=None,
    rtol=1e-3,
    atol=1e-6,
    max_step=None,
):
    """``integrate.solve_ivp(fun, t_span, y0, method, t_eval, args=args)``."""
    if not isinstance(method, str):
        rules.not_supported("solve_ivp by a method that isn't named", "give its name")

    def right_side(y, time, *others):
        return slope_of_floats(fun(time, y, *others))

    given = () if args is None else args
    span = (float(t_span[0]), float(t_span[1]))
    times = None if t_eval is None else np.asarray(t_eval)
    times, states = trajectory_by(
        right_side,
        vectors.as_vector_of_floats(y0),
        given,
        span,
        times,
        method,
        rtol,
        atol,
        max_step,
    )
    return Trajectory(times, states.T, True)
