"""Optimisers that are themselves differentiated, and what they minimise."""

import math
from functools import partial

import numpy as np

from tests.programs.registry import normal, program

GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


@program(0.05, np.array([0.5, -0.3]), 1.5, wrt=("rate", "x", "curvature"))
def unrolled_descent(rate, x, curvature):
    """The loss after some steps of gradient descent with momentum."""
    velocity = np.zeros_like(x)

    def slope(x):
        return np.array([curvature * (x[0] - 1.0) + x[1], x[0] + 3.0 * x[1] ** 3])

    for step in range(1, 7):
        velocity = 0.8 * velocity - rate * slope(x)
        x = x + velocity / (1.0 + 0.1 * step)
    return 0.5 * curvature * (x[0] - 1.0) ** 2 + x[0] * x[1] + 0.75 * x[1] ** 4


@program(1.3, 0.7, wrt=("a", "b"), scalar=True)
def line_search(a, b):
    """Backtracking on Rosenbrock's function."""

    def f(x, y):
        return (a - x) ** 2 + 5.0 * (y - b * x * x) ** 2

    x, y = 0.2, 0.1
    for _ in range(4):
        gx = -2.0 * (a - x) - 20.0 * b * x * (y - b * x * x)
        gy = 10.0 * (y - b * x * x)
        step = 1.0
        while f(x - step * gx, y - step * gy) > f(x, y) - 1e-4 * step * (gx**2 + gy**2):
            step *= 0.5
            if step < 1e-8:
                return f(x, y)
        x, y = x - step * gx, y - step * gy
    return f(x, y)


@program(2.0, 0.6, wrt=("depth", "shift"), scalar=True)
def golden_section(depth, shift):
    """The lowest value of a well, by golden-section search."""
    f = lambda t: depth * (t - shift) ** 2 + math.exp(0.3 * t)
    low, high = shift - 2.0, shift + 1.5
    c, d = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    fc, fd = f(c), f(d)
    while high - low > 0.2:
        if fc < fd:
            high, d, fd = d, c, fc
            c = high - GOLDEN * (high - low)
            fc = f(c)
        else:
            low, c, fc = c, d, fd
            d = low + GOLDEN * (high - low)
            fd = f(d)
    return fc if fc < fd else fd


@program(np.array([1.0, 0.4]), normal(130, 6), wrt=("theta", "y"))
def gauss_newton(theta, y):
    """The residual of a curve fit after two Gauss-Newton steps."""
    t = np.linspace(0.0, 1.0, len(y))

    def model(theta):
        return theta[0] * np.exp(-theta[1] * t)

    def jacobian(theta):
        decay = np.exp(-theta[1] * t)
        return np.stack([decay, -theta[0] * t * decay], axis=1)

    damping = 1.0
    best = math.inf
    for _ in range(2):
        r, j = y - model(theta), jacobian(theta)
        normal_matrix = j.T @ j + damping * np.eye(2)
        trial = theta + np.linalg.solve(normal_matrix, j.T @ r)
        loss = np.sum((y - model(trial)) ** 2)
        if loss < best:
            theta, best, damping = trial, loss, damping / 3.0
        else:
            damping *= 2.0
    return best


def quadratic(x, *, centre, weight=1.0):
    return weight * (x - centre) ** 2


def barrier(x, *, wall):
    return -math.log(wall - x)


@program(0.5, 2.0, 0.8, wrt=("centre", "wall", "mu"), scalar=True)
def barrier_method(centre, wall, mu):
    """An objective from a list of terms, minimised by hand-made derivatives."""
    terms = [
        (1.0, partial(quadratic, centre=centre)),
        (mu, partial(barrier, wall=wall)),
    ]

    def objective(x):
        return sum(weight * term(x) for weight, term in terms)

    def derivative(f, x, h=1e-3):
        return (f(x + h) - f(x - h)) / (2.0 * h)

    x = 0.0
    for _ in range(5):
        x -= 0.2 * derivative(objective, x)
    return objective(x)


@program(
    np.array([0.2, 0.9, 0.4, 0.7]), 0.1, wrt=("scores", "temperature"), exact=False
)
def sinkhorn(scores, temperature):
    """Entropic transport between items and places, by scaling until it is balanced."""
    cost = np.abs(scores[:, None] - np.linspace(0.0, 1.0, len(scores))[None, :])
    kernel = np.exp(-(cost**2) / temperature)
    u = v = np.ones(len(scores))
    for sweep in range(100):
        u = 1.0 / (kernel @ v)
        v = 1.0 / (kernel.T @ u)
        plan = u[:, None] * kernel * v[None, :]
        if np.all(np.abs(np.sum(plan, axis=1) - 1.0) < 1e-3):
            break
    return np.sum(plan * cost**2) + 1e-3 * sweep


@program([0.5, -1.0, 2.0], 0.3, wrt=("x", "step"), scalar=True)
def adam_update(x, step):
    """Adam on a list of numbers, with moments in tuples."""

    def slopes(x):
        return [2.0 * v + math.cos(v) for v in x]

    first = second = (0.0,) * len(x)
    b1, b2 = 0.9, 0.99
    for t in range(1, 4):
        g = slopes(x)
        first = tuple(b1 * m + (1.0 - b1) * s for m, s in zip(first, g))
        second = tuple(b2 * v + (1.0 - b2) * s * s for v, s in zip(second, g))
        x = [
            xi - step * (m / (1.0 - b1**t)) / (math.sqrt(v / (1.0 - b2**t)) + 1e-8)
            for xi, m, v in zip(x, first, second)
        ]
    return sum(xi * xi + math.sin(xi) for xi in x)
