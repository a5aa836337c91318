"""Sparse Jacobians and Hessians of 100,000 columns: colours, sweeps, times.

    python -m benchmarks.sparse [columns]

- first: with compilation
- call: finding the structure, colouring it (known from the call before, if it is the
  same), sweeping
- given: with the structure given, and checked by one more tangent
- ratio: of ``given`` to one run of the function
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import s2sad
from benchmarks.measure import clock
from benchmarks.report import duration


def tridiagonal(x: np.ndarray) -> np.ndarray:
    y = 2.0 * x * x
    y[1:] += np.sin(x[:-1]) * x[1:]
    y[:-1] -= x[1:] ** 2 * x[:-1]
    return y


def seven_wide(x: np.ndarray) -> np.ndarray:
    n = x.shape[0]
    padded = np.concatenate([np.zeros(3), x, np.zeros(3)])
    y = x**2
    for k in range(7):
        y = y + (k + 1.0) * np.sin(padded[k : k + n]) * x
    return y


def grid(x: np.ndarray) -> np.ndarray:
    """The five-point Laplacian of a grid with 100 columns, and a reaction."""
    u = x.reshape(-1, 100)
    w = np.exp(u) - 4.0 * u
    w[1:] += u[:-1]
    w[:-1] += u[1:]
    w[:, 1:] += u[:, :-1]
    w[:, :-1] += u[:, 1:]
    return w


def rosenbrock(x: np.ndarray) -> float:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


CASES: tuple[tuple[Callable[..., Any], Callable[..., Any]], ...] = (
    (s2sad.sparse_jacobian, tridiagonal),
    (s2sad.sparse_jacobian, seven_wide),
    (s2sad.sparse_jacobian, grid),
    (s2sad.sparse_hessian, rosenbrock),
)


def seconds(function: Callable[..., Any], x: np.ndarray, repeats: int = 5) -> float:
    """The least time of a few calls."""
    times = []
    for _ in range(repeats):
        start = clock()
        function(x)
        times.append(clock() - start)
    return min(times)


def main(size: int) -> None:
    x = np.linspace(0.1, 1.0, size)
    print(f"{size} columns")
    for make, function in CASES:
        derivative = make(function)
        first = seconds(derivative, x, 1)
        call = seconds(derivative, x)
        given = make(function, structure=derivative.structure(x))
        found = given(x)
        fixed, once = seconds(given, x), seconds(function, x)
        direction, colours = derivative.colours(x)
        print(
            f"{function.__name__:12} {colours.max() + 1} colours, 1 sweep {direction}, "
            f"{found.nnz} entries; first {duration(first)}, call {duration(call)}, "
            f"given {duration(fixed)}, function {duration(once)}, "
            f"ratio {fixed / once:.1f}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
