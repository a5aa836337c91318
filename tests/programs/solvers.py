"""Solvers of equations: roots, linear systems, fixed points."""

import contextlib
import math

import numpy as np

from tests.programs.registry import normal, program

TOLERANCE = 1e-12
SPD = normal(4, 4, 4) @ normal(4, 4, 4).T + 4.0 * np.eye(4)


@program(2.0, wrt="a", scalar=True)
def newton_root(a):
    """The positive root of x**3 - a x - 1, by Newton's method."""
    x = a
    for _ in range(50):
        value = x**3 - a * x - 1.0
        slope = 3.0 * x**2 - a
        step = value / slope
        x -= step
        if abs(step) < TOLERANCE:
            return x
    raise RuntimeError("no convergence")


@program(1.3, wrt="c", scalar=True)
def bisection_then_newton(c):
    """Kepler's equation: brackets first, then polishes."""
    eccentricity = 0.4
    low, high = 0.0, math.pi
    while high - low > 0.5:
        middle = 0.5 * (low + high)
        if middle - eccentricity * math.sin(middle) < c:
            low = middle
        else:
            high = middle
    anomaly = 0.5 * (low + high)
    while abs(error := anomaly - eccentricity * math.sin(anomaly) - c) > TOLERANCE:
        anomaly -= error / (1.0 - eccentricity * math.cos(anomaly))
    return anomaly**2


@program(0.5, 1.5, 2.2, wrt=("x0", "x1", "target"), scalar=True)
def secant(x0, x1, target):
    """A few steps of the secant method for exp(x) = target * x + 1."""
    f = lambda x: math.exp(x) - target * x - 1.0
    f0, f1 = f(x0), f(x1)
    count = 0
    while count < 4:
        try:
            slope = (f1 - f0) / (x1 - x0)
            x2 = x1 - f1 / slope
        except ZeroDivisionError:
            break
        x0, x1 = x1, x2
        f0, f1 = f1, f(x2)
        count += 1
    else:
        return x1
    return x1 + x0


@program(SPD, normal(5, 4), wrt=("a", "b"))
def conjugate_gradients(a, b):
    """The energy of the solution of a symmetric system."""
    x = np.zeros_like(b)
    r = p = b - a @ x
    rho = r @ r
    for iteration in range(len(b) - 1):
        q = a @ p
        alpha = rho / (p @ q)
        x = x + alpha * p
        r = r - alpha * q
        rho_old, rho = rho, r @ r
        if math.sqrt(rho) < 1e-10:
            break
        p = r + rho / rho_old * p
    return 0.5 * x @ a @ x - b @ x + iteration


@program(SPD, normal(6, 4), 1e-2, wrt=("matrix", "rhs", "jitter"))
def regularised_solve(matrix, rhs, jitter):
    """Solves by Cholesky factors, with more and more on the diagonal if need be."""
    shifted = 0.5 * (matrix + matrix.T) - 5.0 * np.eye(len(rhs))
    for attempt in range(12):
        try:
            factor = np.linalg.cholesky(shifted + jitter * np.eye(len(rhs)))
        except np.linalg.LinAlgError:
            jitter = 4.0 * jitter
        else:
            break
    else:
        raise np.linalg.LinAlgError("not positive definite at all")
    half = np.linalg.solve(factor, rhs)
    return half @ half + 2.0 * np.sum(np.log(np.diag(factor))) + attempt


@program(SPD, normal(7, 4), wrt=("a", "b"))
def gauss_elimination(a, b):
    """Elimination by recursion on the Schur complement."""

    def solve(a, b):
        if len(b) == 1:
            return b / a[0, 0]
        pivot, row, column = a[0, 0], a[0, 1:], a[1:, 0]
        rest = solve(
            a[1:, 1:] - np.outer(column, row) / pivot, b[1:] - column / pivot * b[0]
        )
        first = (b[0] - row @ rest) / pivot
        return np.concatenate([np.array([first]), rest])

    x = solve(a, b)
    return np.sum(x**2) + np.sum(np.abs(x) ** 1.5)


@program(np.array([0.3, 0.6]), 0.8, wrt=("x", "coupling"))
def fixed_point(x, coupling):
    """A self-consistent field with damping, until it settles."""

    @contextlib.contextmanager
    def phase(name):
        assert name in ("warm up", "settle")
        yield name

    with phase("warm up"):
        for _ in range(3):
            x = np.tanh(coupling * x[::-1] + 0.2)
    with phase("settle"):
        change = 1.0
        while change > 1e-9:
            new = 0.5 * x + 0.5 * np.tanh(coupling * x[::-1] + 0.2)
            change = np.max(np.abs(new - x))
            x = new
    return x[0] * x[1]


@program(np.array([2.0, 5.0, 1.5, 3.0, 4.0]), normal(8, 5), wrt=("diagonal", "rhs"))
def thomas(diagonal, rhs):
    """A tridiagonal system, by the Thomas algorithm in two passes."""
    lower = upper = 0.5
    c, d = (), ()
    for k, (pivot, value) in enumerate(zip(diagonal, rhs)):
        if k == 0:
            scale = pivot
            c, d = (upper / scale,), (value / scale,)
        else:
            scale = pivot - lower * c[-1]
            c += (upper / scale,)
            d += ((value - lower * d[-1]) / scale,)
    x = d[-1]
    total = x**2
    for ck, dk in zip(reversed(c[:-1]), reversed(d[:-1])):
        x = dk - ck * x
        total += x**2
    return total
