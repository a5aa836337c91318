"""Solutions of ordinary differential equations, and of the equations of their
adjoints, by SciPy.

The right-hand side is ``f(y, t, *args)``; ``y`` is a vector. Derivatives are those of
the solution, not of the solver's steps: they are found with tolerances of at most 1e-8.
"""

import numpy as np


def trajectory(f, y0, args, span, times, method, rtol, atol, most):
    """The times and the states there, one a row, from ``y0`` at ``span[0]``, by
    ``scipy.integrate.odeint`` or the ``method`` of ``scipy.integrate.solve_ivp``, which
    chooses times where they are None. ``most`` is ``mxstep`` of the first, ``max_step``
    of the other, or None. RuntimeError where the solver fails.

    >>> times = np.array([0.0, 1.0])
    >>> settings = (times, times, "odeint", None, None, None)
    >>> _, states = trajectory(lambda y, t, a: -a * y, np.ones(1), (2.0,), *settings)
    >>> np.round(states[1], 6)
    array([0.135335])
    """
    from scipy import integrate

    if method == "odeint":
        states, told = integrate.odeint(
            lambda y, t: np.array(f(y.copy(), t, *args), float),
            y0,
            times,
            rtol=rtol,
            atol=atol,
            mxstep=most or 0,
            full_output=True,
        )
        if told["message"] != "Integration successful.":
            raise RuntimeError(f"odeint: {told['message']}")
        return np.asarray(times), states
    found = integrate.solve_ivp(
        lambda t, y: np.array(f(y.copy(), t, *args), float),
        tuple(span),
        y0,
        method=method,
        t_eval=times,
        rtol=rtol,
        atol=atol,
        max_step=np.inf if most is None else most,
    )
    if not found.success:
        raise RuntimeError(f"solve_ivp: {found.message}")
    return found.t, np.ascontiguousarray(found.y.T)


def adjoint_of_trajectory(
    pull, f, states_bar, y0, args, active, start, times, method, rtol, atol, most
):
    """The cotangents of ``y0``, the start, the times and the ``active`` arguments.

    ``pull(y, t, *args, adjoint)`` gives those of ``y`` and of the active arguments by
    ``f``. The adjoint runs back from the last time, and jumps by the cotangent of the
    state at each one; the states that it needs are those of a continuous solution,
    since solving for them backwards isn't stable. Source: L. Pontryagin et al., The
    Mathematical Theory of Optimal Processes (1962); R. Chen et al., Neural Ordinary
    Differential Equations (2018), appendix B.
    """
    count, sizes = len(y0), [np.size(a) for a in active]
    scale = np.max(np.abs(states_bar), initial=0.0)
    seeds = states_bar / scale if scale > 0.0 else states_bar
    state_at = _continuous(f, y0, args, start, times, (method, rtol, atol, most))

    def backwards(t, both):
        found = pull(state_at(t), t, *args, both[:count].copy())
        parts = found if isinstance(found, tuple) else (found,)
        pairs = zip(parts, [count, *sizes], strict=True)
        # a cotangent that is the same for all elements may be a number
        return -np.concatenate([np.broadcast_to(np.ravel(p), n) for p, n in pairs])

    both = np.zeros(count + sum(sizes))
    times_bar = np.zeros(len(times))
    for k in range(len(times) - 1, -1, -1):
        both[:count] += seeds[k]
        times_bar[k] = seeds[k] @ f(state_at(times[k]), times[k], *args)
        end = times[k - 1] if k > 0 else start
        both = _solved(backwards, times[k], end, both, (method, rtol, atol, most))(end)
    start_bar = -(both[:count] @ f(state_at(start), start, *args))
    scale = scale if scale > 0.0 else 1.0
    places = np.cumsum([count, *sizes])
    parts = [
        np.reshape(scale * both[end - n : end], np.shape(a))[()]
        for a, n, end in zip(active, sizes, places[1:], strict=True)
    ]
    return scale * both[:count], float(scale * start_bar), scale * times_bar, *parts


def states_at(f, y0, args, start, times, method, rtol, atol, most):
    """The states at the times, one a row, from ``y0`` at ``start``, as accurate as
    those of derivatives are.

    >>> settings = ("odeint", None, None, None)
    >>> times = np.array([0.0, 1.0])
    >>> f = lambda y, t, a: -a * y
    >>> states_at(f, np.ones(1), (2.0,), 0.0, times, *settings)[1].round(6)
    array([0.135335])
    """
    state_at = _continuous(f, y0, args, start, times, (method, rtol, atol, most))
    return np.stack([state_at(time) for time in times])


def _continuous(f, y0, args, start, times, settings):
    """The state as a function of time."""
    return _solved(
        lambda t, y: np.array(f(y.copy(), t, *args), float),
        start,
        times[-1],
        np.asarray(y0, float),
        settings,
    )


def _solved(f, start, end, state, settings):
    """What solves the equation from one time to another, as a function of time."""
    from scipy import integrate

    method, rtol, atol, most = settings
    if start == end:
        return lambda t: state
    found = integrate.solve_ivp(
        f,
        (start, end),
        state,
        method="LSODA" if method == "odeint" else method,
        max_step=np.inf if method == "odeint" or most is None else most,
        dense_output=True,
        rtol=min(np.min(rtol), 1e-8) if rtol is not None else 1e-8,
        atol=min(np.min(atol), 1e-8) if atol is not None else 1e-8,
    )
    if not found.success:
        raise RuntimeError(f"the derivative of a trajectory: {found.message}")
    return found.sol
