"""Gradients under Numba beside those of the NumPy backend, adjoints written by hand,
and the function itself under ``njit``: ``python -m benchmarks.numba_backend``.

Times are the best of several runs, in microseconds; compilation isn't counted. The
ratio is that of the gradient to the function.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from s2sad import grad


def running_product(x):
    p = 1.0
    for i in range(x.shape[0]):
        p = p * x[i]
    return p


@numba.njit(error_model="numpy")
def running_product_by_hand(x):
    n = x.shape[0]
    before = np.empty(n)
    p = 1.0
    for i in range(n):
        before[i] = p
        p *= x[i]
    gradient = np.empty(n)
    after = 1.0
    for i in range(n - 1, -1, -1):
        gradient[i] = before[i] * after
        after *= x[i]
    return gradient


def rosenbrock(x):
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@numba.njit(error_model="numpy")
def rosenbrock_by_hand(x):
    gradient = np.zeros(x.shape[0])
    for i in range(x.shape[0] - 1):
        d = x[i + 1] - x[i] * x[i]
        gradient[i + 1] += 200.0 * d
        gradient[i] -= 400.0 * d * x[i] + 2.0 * (1.0 - x[i])
    return gradient


def heat(u, steps, k):
    u = u.copy()
    for _ in range(steps):
        left = u[0]
        for i in range(1, len(u) - 1):
            here = u[i]
            u[i] = u[i] + k * (left - 2.0 * here + u[i + 1])
            left = here
    total = 0.0
    for i in range(len(u)):
        total += u[i] * u[i]
    return total


@numba.njit(error_model="numpy")
def heat_by_hand(u, steps, k):
    n = len(u)
    u = u.copy()
    for _ in range(steps):
        left = u[0]
        for i in range(1, n - 1):
            here = u[i]
            u[i] = here + k * (left - 2.0 * here + u[i + 1])
            left = here
    bar = 2.0 * u
    new = np.empty(n)
    for _ in range(steps):  # the step is its own transpose but for the border
        new[0] = bar[0] + k * bar[1]
        new[n - 1] = bar[n - 1] + k * bar[n - 2]
        for i in range(1, n - 1):
            left = bar[i - 1] if i > 1 else 0.0
            right = bar[i + 1] if i < n - 2 else 0.0
            new[i] = bar[i] + k * (left - 2.0 * bar[i] + right)
        bar, new = new, bar
    return bar


def kalman(observed, q, r):
    mean, variance, total = 0.0, 10.0, 0.0
    for t in range(observed.shape[0]):
        variance = variance + q
        s = variance + r
        error = observed[t] - mean
        total += 0.5 * (np.log(s) + error**2 / s)
        gain = variance / s
        mean = mean + gain * error
        variance = (1.0 - gain) * variance
    return total


def normalised(x, scale):
    mean = np.sum(x, axis=0) / x.shape[0]
    centred = x - mean
    deviation = np.sqrt(np.sum(centred * centred, axis=0) / x.shape[0] + 1e-5)
    return np.sum(np.tanh(scale * centred / deviation))


def gelu_chain(x, y):
    z = 0.5 * x * (1.0 + np.tanh(0.79788456 * (x + 0.044715 * x**3)))
    return np.sum(z * np.exp(-y * y) + np.sqrt(1.0 + z * z))


@numba.njit(error_model="numpy")
def gelu_chain_by_hand(x, y):
    gradient = np.empty(x.shape)
    for i in range(x.shape[0]):
        v = x[i]
        t = np.tanh(0.79788456 * (v + 0.044715 * v * v * v))
        z = 0.5 * v * (1.0 + t)
        dz = 0.5 * (1.0 + t)
        dz += 0.5 * v * (1.0 - t * t) * 0.79788456 * (1.0 + 3 * 0.044715 * v * v)
        gradient[i] = dz * (np.exp(-y[i] * y[i]) + z / np.sqrt(1.0 + z * z))
    return gradient


def network(w, v, x, y):
    hidden = np.tanh(x @ w)
    residual = hidden @ v - y
    return np.sum(residual * residual)


def cases() -> list[tuple[Callable[..., Any], tuple[Any, ...], Any]]:
    """Functions, arguments, and adjoints written by hand."""
    normal = np.random.default_rng(0).normal
    return [
        (
            running_product,
            (1.0 + 0.001 * normal(size=10_000),),
            running_product_by_hand,
        ),
        (rosenbrock, (normal(size=10_000),), rosenbrock_by_hand),
        (heat, (normal(size=1_000), 100, 0.1), heat_by_hand),
        (kalman, (normal(size=10_000), 0.2, 0.7), None),
        (gelu_chain, (normal(size=100_000), normal(size=100_000)), gelu_chain_by_hand),
        (normalised, (normal(size=(1000, 50)), normal(size=50)), None),
        (
            network,
            (
                normal(size=(50, 50)) / 7,
                normal(size=(50, 10)),
                normal(size=(500, 50)),
                normal(size=(500, 10)),
            ),
            None,
        ),
    ]


def best(
    function: Callable[..., Any], arguments: tuple[Any, ...], least: float
) -> float:
    """The shortest time of a call, in seconds."""
    function(*arguments)
    shortest, begun = np.inf, time.perf_counter()
    while time.perf_counter() - begun < least:
        start = time.perf_counter()
        function(*arguments)
        shortest = min(shortest, time.perf_counter() - start)
    return float(shortest)


def main(names: list[str], least: float = 1.0) -> None:
    """Print the table."""
    head = ("", "njit function", "numba gradient", "by hand", "numpy gradient", "ratio")
    print("{:16}{:>15}{:>16}{:>10}{:>16}{:>8}".format(*head))
    for function, arguments, by_hand in cases():
        if names and function.__name__ not in names:
            continue
        plain = numba.njit(error_model="numpy")(function)
        compiled, numpy_gradient = grad(function, backend="numba"), grad(function)
        found = compiled(*arguments)
        np.testing.assert_allclose(found, numpy_gradient(*arguments), rtol=1e-6)
        row = [best(plain, arguments, least), best(compiled, arguments, least)]
        hand = "-"
        if by_hand is not None:
            np.testing.assert_allclose(found, by_hand(*arguments), rtol=1e-6)
            hand = f"{1e6 * best(by_hand, arguments, least):.0f}"
        slow = best(numpy_gradient, arguments, least)
        print(
            f"{function.__name__:16}{1e6 * row[0]:15.0f}{1e6 * row[1]:16.0f}{hand:>10}"
            f"{1e6 * slow:16.0f}{row[1] / row[0]:8.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
