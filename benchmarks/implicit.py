"""Gradients of fixed points and roots of 2,000 unknowns: the linear system by its
matrix, and without.

    python -m benchmarks.implicit [unknowns]

- time: the least of two, of one gradient with respect to ``x``, the iterations included
- memory: the most that one gradient has allocated at a time (``tracemalloc``)
- difference: the largest, from the gradient by the matrix
"""

from __future__ import annotations

import sys
import timeit
import tracemalloc
from typing import Any

import numpy as np

import s2sad
from benchmarks.report import duration


def chain(x: np.ndarray, w: np.ndarray, solver: str) -> float:
    """Neighbours on a ring."""
    z = s2sad.fixed_point(
        lambda z: np.tanh(w * (np.roll(z, 1) + np.roll(z, -1)) + x), x, solver=solver
    )
    return np.sum(z * z)


def layer(x: np.ndarray, w: np.ndarray, solver: str) -> float:
    """A layer with a full matrix of weights."""
    z = s2sad.fixed_point(lambda z: np.tanh(w @ z + x), x, solver=solver)
    return np.sum(z * z)


def heat(x: np.ndarray, w: np.ndarray, solver: str) -> float:
    """Diffusion along a rod that radiates, by Newton's method."""

    def rest(z: np.ndarray) -> np.ndarray:
        return 3.0 * z - np.roll(z, 1) - np.roll(z, -1) + 0.1 * z**4 - w * x

    z = s2sad.root(rest, np.ones(len(x)), solver=solver)
    return np.sum(z * z)


def main(n: int) -> None:
    """Print a table."""
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=n), rng.uniform(0.1, 0.45, size=n)
    weights = rng.normal(size=(n, n)) * (0.25 / np.sqrt(n))
    fixed = ("direct", "gmres", "bicgstab", "iteration")
    cases: tuple[tuple[Any, Any, tuple[str, ...]], ...] = (
        (chain, w, fixed),
        (layer, weights, fixed),
        (heat, np.abs(w), fixed[:3]),
    )
    print("| equation | solver | time | memory | difference |")
    print("| --- | --- | ---: | ---: | ---: |")
    for function, parameters, solvers in cases:
        gradient = s2sad.grad(function)
        expected = gradient(x, parameters, "direct")
        for solver in solvers:
            found = gradient(x, parameters, solver)  # with compilation
            seconds = min(
                timeit.repeat(
                    lambda: gradient(x, parameters, solver),  # noqa: B023
                    number=1,
                    repeat=2,
                )
            )
            tracemalloc.start()
            gradient(x, parameters, solver)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            difference = np.max(np.abs(found - expected))
            print(
                f"| {function.__name__} | {solver} | {duration(seconds)} | "
                f"{peak / 2**20:.1f} MiB | {difference:.0e} |"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 2000)
