"""``odeint`` and ``solve_ivp``: derivatives of the solution by its start, the times and
parameters, in both modes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

from s2sad import UnsupportedError, grad, jvp, value_and_grad

TIMES = np.linspace(0.0, 2.0, 5)
W = np.array([[0.1, -1.0], [1.0, -0.2]])
TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def prey(y, t, a, b):
    return [a * y[0] - y[0] * y[1] + 0.1 * np.sin(t), b * y[0] * y[1] - y[1]]


def prey_later(t, y, a, b):
    return prey(y, t, a, b)


def populations(a):
    return np.sum(integrate.odeint(prey, [1.0, a], TIMES, args=(a, 0.5), **TIGHT) ** 2)


def time_first(a):
    found = integrate.odeint(
        prey_later, [1, 2], TIMES, args=(a, a**2), tfirst=True, **TIGHT
    )
    return found[-1, 0] * found[2, 1]


def by_times(a):
    times = np.array([0.1 * a, a, 2.0 * a])
    found = integrate.odeint(prey, [1.0, 2.0], times, args=(0.7, 0.5), **TIGHT)
    return np.sum(found * np.arange(6.0).reshape(3, 2))


def a_number(a):
    found = integrate.odeint(lambda y, t: -a * y * t, a, TIMES, **TIGHT)
    return found[-1, 0]


def at_given_times(a):
    found = integrate.solve_ivp(
        prey_later, (0, 2), [1.0, a], t_eval=[0.5, 1.0, 1.7], args=(a, 0.5), **TIGHT
    )
    return np.sum(found.y[0] * found.y[1] + found.t)


def over_a_span(a):
    found = integrate.solve_ivp(
        lambda t, y: -a * y * t, (0.1 * a, a), np.array([1.0]), "DOP853", **TIGHT
    )
    return found.y[0, -1] + 2.0 * found.t[-1] * found.y[0, 0]


def backwards(a):
    found = integrate.solve_ivp(
        lambda t, y: np.stack([y[1], -a * np.sin(y[0])]),
        (1.0, 0.0),
        [a, 0.3],
        "LSODA",
        max_step=0.1,
        **TIGHT,
    )
    return found.y[0, -1] * found.y[1, -1]


def stiff(a):
    """Backwards in time the states grow by exp(1000): they aren't solved for so."""
    times = np.array([0.0, 5.0, 10.0])

    def right_side(y, t):
        return -100.0 * (y - np.cos(a * t))

    return integrate.odeint(right_side, 0.0, times, mxstep=9000, **TIGHT)[-1, 0]


def parameters_unused(a):
    found = integrate.odeint(lambda y, t: np.cos(t) * np.ones(2), [a, 1.0], TIMES)
    return np.sum(found**2)


PROGRAMS = (
    *(populations, time_first, by_times, a_number, at_given_times, over_a_span),
    *(backwards, stiff, parameters_unused),
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_solutions(program):
    value, slope = value_and_grad(program)(1.3)
    assert value == pytest.approx(program(1.3), rel=1e-12)
    step = 1e-3
    steps = [(program(1.3 + h) - program(1.3 - h)) / (2 * h) for h in (step, 2 * step)]
    expected = (4 * steps[0] - steps[1]) / 3
    assert slope == pytest.approx(expected, rel=1e-6)
    assert jvp(program, (1.3,), (1.0,))[1] == pytest.approx(slope, rel=1e-7)


def test_a_matrix_of_parameters():
    def network(w, y0):
        found = integrate.solve_ivp(
            lambda t, y: np.tanh(w @ y), (0.0, 3.0), y0, t_eval=TIMES, **TIGHT
        )
        return np.sum(found.y**2)

    start, rng = np.array([1.0, 0.5]), np.random.default_rng(3)
    directions = rng.normal(size=W.shape), rng.normal(size=2)
    by_w, by_start = grad(network, ("w", "y0"))(W, start)
    along = np.sum(by_w * directions[0]) + by_start @ directions[1]
    assert jvp(network, (W, start), directions)[1] == pytest.approx(along, rel=1e-8)
    ends = [
        network(W + h * directions[0], start + h * directions[1]) for h in (1e-4, -1e-4)
    ]
    assert along == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=1e-6)


def test_the_derivative_is_that_of_the_solution():
    """With the solver's own, coarse tolerances."""

    def coarse(a):
        found = integrate.solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0])
        return found.y[0, -1]

    assert grad(coarse)(1.3) == pytest.approx(-np.exp(-1.3), rel=1e-3)


def test_what_is_not_found_raises():
    def explosion(a):
        return integrate.solve_ivp(lambda t, y: a * y**2, (0.0, 2.0), [1.0]).y[0, -1]

    with pytest.raises(RuntimeError, match="solve_ivp"):
        grad(explosion)(1.0)


REFUSED = {
    "events": lambda a: integrate.solve_ivp(
        lambda t, y: -a * y, (0, 1), [1.0], events=lambda t, y: y[0]
    ).y[0, -1],
    "Dfun": lambda a: integrate.odeint(
        lambda y, t: -a * y, [1.0], TIMES, Dfun=lambda y, t: -a
    )[-1, 0],
    "another form": lambda a: integrate.odeint(
        lambda y, t: -a * y[0], [1.0, 2.0], TIMES
    )[-1, 0],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    with pytest.raises(UnsupportedError):
        grad(REFUSED[name])(1.2)
