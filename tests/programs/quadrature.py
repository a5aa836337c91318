"""Integration over intervals and areas."""

import functools
import math
from itertools import pairwise, product

import numpy as np

from tests.programs.registry import program

NODES = (-math.sqrt(0.6), 0.0, math.sqrt(0.6))
WEIGHTS = (5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0)


def simpson(f, a, b):
    """Simpson's rule on one interval."""
    return (b - a) / 6.0 * (f(a) + 4.0 * f(0.5 * (a + b)) + f(b))


def adaptive(f, a, b, tolerance, depth=0):
    """Recursive adaptive Simpson quadrature."""
    middle = 0.5 * (a + b)
    whole = simpson(f, a, b)
    left, right = simpson(f, a, middle), simpson(f, middle, b)
    if depth >= 10 or abs(left + right - whole) < 15.0 * tolerance:
        return left + right + (left + right - whole) / 15.0
    return adaptive(f, a, middle, tolerance / 2.0, depth + 1) + adaptive(
        f, middle, b, tolerance / 2.0, depth + 1
    )


@program(0.3, 1.7, 4.0, wrt=("a", "b", "sharpness"), scalar=True)
def adaptive_simpson(a, b, sharpness):
    """A bump, integrated by halving where it is steep."""
    return adaptive(lambda t: math.exp(-sharpness * (t - 1.0) ** 2), a, b, 1e-5)


def integrate(f, a, b, *, n=8):
    """The trapezoidal rule."""
    h = (b - a) / n
    inner = sum(f(a + k * h) for k in range(1, n))
    return h * (0.5 * f(a) + inner + 0.5 * f(b))


@program(0.2, 1.4, 1.5, wrt=("a", "b", "k"), scalar=True)
def romberg(a, b, k):
    """Richardson extrapolation of trapezoidal sums, row by row."""

    def f(x):
        return math.sin(k * x) / (1.0 + x)

    row = (integrate(f, a, b, n=1),)
    for level in range(1, 5):
        new = (integrate(f, a, b, n=2**level),)
        for order, old in enumerate(row, start=1):
            new = (*new, new[-1] + (new[-1] - old) / (4**order - 1))
        if abs(new[-1] - row[-1]) < 1e-9:
            break
        row = new
    return row[-1] * level


@program(1.2, 0.5, (0.0, 0.4, 1.0), wrt=("p", "q", "edges"), scalar=True)
def gauss_legendre(p, q, edges):
    """Gauss-Legendre on panels."""

    def panel(f, a, b):
        half, middle = 0.5 * (b - a), 0.5 * (a + b)
        return half * sum(w * f(middle + half * x) for x, w in zip(NODES, WEIGHTS))

    integrand = functools.partial(weighted_power, p=p, shift=q)
    return math.fsum(panel(integrand, a, b) for a, b in pairwise(edges))


def weighted_power(x, p, shift=1.0):
    return (x + shift) ** p * math.exp(-x)


@program(0.8, 1.1, 6, wrt=("width", "height"), scalar=True)
def area_below_curve(width, height, n):
    """A double integral whose inner bound depends on the outer variable."""
    h = width / n
    total = 0.0
    for i in range(n):
        x = (i + 0.5) * h
        top = height * (1.0 - x**2)
        for j in range(i + 1):
            y = (j + 0.5) * top / (i + 1)
            total += h * top / (i + 1) * math.exp(-x * y)
    return total + x


@program(np.array([1.0, 0.7, 1.3]), 0.6, wrt=("scales", "tilt"))
def cubature(scales, tilt):
    """A product rule in three dimensions."""

    def integrand(point):
        return np.exp(-0.5 * np.sum((scales * point) ** 2)) + tilt * np.prod(point)

    points = product(zip(NODES, WEIGHTS), repeat=len(scales))
    total = 0.0
    for corner in points:
        nodes, weights = zip(*corner)
        total += math.prod(weights) * integrand(1.0 + np.array(nodes))
    return total


def traced(function):
    """Checks that a quadrature gives a finite number."""

    @functools.wraps(function)
    def checked(*args, **kwargs):
        value = function(*args, **kwargs)
        if not np.isfinite(value):
            raise ArithmeticError(f"{function.__name__} diverges")
        return value

    return checked


@traced
def tail(decay, *, start):
    """The integral of exp(-decay t) / t from a start, mapped to a finite interval."""
    n = 6
    total = 0.0
    for k in range(n):
        s = (k + 0.5) / n
        t = start + s / (1.0 - s)
        total += math.exp(-decay * t) / t / (1.0 - s) ** 2 / n
    return total


@program(1.5, 0.8, wrt=("decay", "start"), exact=False, scalar=True)
def exponential_integral(decay, start):
    """An exponential integral, with a guard around the quadrature."""
    with np.errstate(over="raise", invalid="raise"):
        return math.log(tail(decay, start=start))
