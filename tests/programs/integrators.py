"""Integrators of ordinary differential equations."""

import math
from collections.abc import Callable
from functools import partial, reduce
from itertools import repeat

import numpy as np

from tests.programs.registry import normal, program

GRAVITY = 9.81
BUTCHER = (
    ((), 0.0),
    ((0.5,), 0.5),
    ((0.0, 0.5), 0.5),
    ((0.0, 0.0, 1.0), 1.0),
)
WEIGHTS = (1 / 6, 1 / 3, 1 / 3, 1 / 6)
RATES = {"birth": 1.1, "predation": 0.4, "conversion": 0.1, "death": 0.4}


def runge_kutta_step(f: Callable, t, y, h, *args):
    """One step of the classical method, from its tableau."""
    slopes = ()
    for row, node in BUTCHER:
        offset = sum((a * k for a, k in zip(row, slopes)), start=0.0)
        slopes = (*slopes, f(t + node * h, y + h * offset, *args))
    return y + h * sum(w * k for w, k in zip(WEIGHTS, slopes))


@program(1.2, 0.15, 8, wrt=("mu", "step"))
def van_der_pol(mu, step, n):
    """End point of the van der Pol oscillator."""

    def field(t, y):
        return np.array([y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]])

    y = np.array([1.0, 0.5])
    for i in range(n):
        y = runge_kutta_step(field, i * step, y, step)
    return np.sum(y**2)


def predator_prey(t, state, birth, predation, *, conversion, death):
    prey, predators = state
    return np.array(
        [
            prey * (birth - predation * predators),
            predators * (conversion * prey - death),
        ]
    )


@program(np.array([4.0, 2.0]), RATES, wrt=("start", "rates"))
def lotka_volterra_dict(start, rates):
    """Populations after a while; rates come as a dict."""
    field = partial(
        predator_prey,
        birth=rates["birth"],
        predation=rates["predation"],
        conversion=rates["conversion"],
        death=rates["death"],
    )
    *_, last = trajectory(field, start, 0.2, n=6)
    return last[0] * last[1]


def trajectory(field, y, h, *, n):
    """Heun's method, a step at a time."""
    yield y
    for _ in range(n):
        k1 = field(0.0, y)
        k2 = field(0.0, y + h * k1)
        y = y + 0.5 * h * (k1 + k2)
        yield y


@program(0.8, 2.0, 1e-4, wrt=("y0", "rate"), scalar=True)
def adaptive_heun(y0, rate, tolerance):
    """Logistic growth with steps that follow an error estimate."""

    def f(y):
        return rate * y * (1.0 - y / 3.0)

    t, y, h = 0.0, y0, 0.3
    rejected = 0
    while True:
        h = min(h, 2.0 - t)
        k1 = f(y)
        k2 = f(y + h * k1)
        error = abs(0.5 * h * (k2 - k1))
        if error > 100.0 * tolerance:
            h *= 0.5
            rejected += 1
            if rejected > 20:
                raise RuntimeError("step size underflow")
            continue
        t, y = t + h, y + 0.5 * h * (k1 + k2)
        if t >= 2.0:
            break
        if error < 10.0 * tolerance:
            h = 1.5 * h
    return y


@program(0.7, 0.0, 1.3, 0.02, wrt=("angle", "velocity", "length"), scalar=True)
def pendulum_quarter_period(angle, velocity, length, step):
    """Time at which a pendulum passes its lowest point, by linear interpolation."""
    time = 0.0
    for _ in range(200):
        previous = angle
        velocity -= step * GRAVITY / length * math.sin(angle)
        angle += step * velocity
        time += step
        if angle < 0.0 < previous:
            return time - step * angle / (angle - previous)
    raise ValueError("the pendulum never swings through")


@program(np.array([1.0, 0.2]), 0.4, 12, wrt=("state", "coupling"))
def leapfrog_energy(state, coupling, n):
    """Energy drift of a leapfrog scheme in a quartic well."""

    def force(q):
        return -q - coupling * q**3

    def energy(q, p):
        return 0.5 * p**2 + 0.5 * q**2 + 0.25 * coupling * q**4

    q, p = state
    start = energy(q, p)
    h = 0.1
    p += 0.5 * h * force(q)
    for i in range(n):
        q += h * p
        p += h * force(q) if i < n - 1 else 0.5 * h * force(q)
    del h
    return (energy(q, p) - start) * 1e3


@program(2.5, np.array([1.0, -0.5, 0.3]), wrt=("stiffness", "y0"))
def implicit_euler(stiffness, y0):
    """Implicit Euler with a Newton iteration in each step."""
    h = 0.2

    def residual(y, y_old):
        return y - y_old + h * stiffness * (y + y**3 / 3.0)

    def newton(y_old):
        y = y_old
        for iteration in range(20):
            r = residual(y, y_old)
            if np.max(np.abs(r)) < 1e-11:
                break
            slope = 1.0 + h * stiffness * (1.0 + y**2)
            y = y - r / slope
        else:
            raise ArithmeticError("Newton's method doesn't converge")
        return y

    return np.sum(reduce(lambda y, _: newton(y), range(4), y0) ** 2)


@program(0.5, 1.5, ("euler", "midpoint", "heun"), wrt=("y0", "k"), scalar=True)
def scheme_comparison(y0, k, schemes):
    """Spread of the end points of several schemes."""

    def step(scheme, y, h):
        match scheme:
            case "euler":
                return y + h * slope(y)
            case "midpoint" | "rk2":
                return y + h * slope(y + 0.5 * h * slope(y))
            case "heun":
                k1 = slope(y)
                return y + 0.5 * h * (k1 + slope(y + h * k1))
            case _:
                raise ValueError(f"unknown scheme {scheme!r}")

    slope = lambda y: -k * y + math.sin(y)
    ends = {
        scheme: reduce(lambda y, h: step(scheme, y, h), repeat(0.1, 5), y0)
        for scheme in schemes
    }
    mean = sum(ends.values()) / len(ends)
    return sum((end - mean) ** 2 for end in ends.values()) * 1e4


@program(normal(3, 4, 2), np.array([1.0, 2.0, 1.5, 0.5]), wrt=("positions", "masses"))
def n_body(positions, masses):
    """Softened gravity between bodies, a few symplectic steps."""
    velocities = np.zeros_like(positions)

    def acceleration(i, everyone):
        return sum(
            (
                masses[j]
                * (other - everyone[i])
                / (np.sum((other - everyone[i]) ** 2) + 0.1) ** 1.5
                for j, other in enumerate(everyone)
                if j != i
            ),
            start=np.zeros(2),
        )

    for _ in range(3):
        kicks = [acceleration(i, positions) for i in range(len(masses))]
        velocities = velocities + 0.1 * np.stack(kicks)
        positions = positions + 0.1 * velocities
    return 0.5 * np.sum(masses * np.sum(velocities**2, axis=1))
