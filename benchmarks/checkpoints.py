"""Memory and extra steps of a checkpointed loop, for several numbers of snapshots:
``python benchmarks/checkpoints.py``.

The loop diffuses an array; its gradient is run under ``tracemalloc``. Peak memory is
given in arrays of the loop's state. Steps that are run again are counted where the
schedule says to run them, and compared with the binomial optimum.
"""

from __future__ import annotations

import math
import pathlib
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np
from rich.console import Console

from benchmarks.report import Table
from s2sad import checkpoint, grad
from s2sad.ops.runtime.snapshots import (
    first_snapshots,
    snapshots_between,
    with_next_snapshot,
)

STEPS = 1000
SIZE = 5_000
SNAPSHOTS = (3, 10, 30, 100)


def diffused(u, rate, n, s):
    for _ in checkpoint(range(n), snapshots=s):
        u = u + rate * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1)) + 0.001 * np.sin(u)
    return np.sum(u * u)


def left_early(u, rate, n, s):
    for t in checkpoint(range(2 * n), snapshots=s):
        if t >= n:
            break
        u = u + rate * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1)) + 0.001 * np.sin(u)
    return np.sum(u * u)


def without_checkpoint(u, rate, n, s):
    for _ in range(n):
        u = u + rate * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1)) + 0.001 * np.sin(u)
    return np.sum(u * u)


def peak(function: Callable[..., Any], n: int, s: int) -> float:
    """The most memory that a gradient takes, in arrays of the state's size."""
    u, gradient = np.linspace(0.0, 1.0, SIZE), grad(function)
    gradient(u, 0.1, 2, s)
    tracemalloc.start()
    gradient(u, 0.1, n, s)
    found = tracemalloc.get_traced_memory()[1] / u.nbytes
    tracemalloc.stop()
    return found


def advances(n: int, s: int, *, known: bool) -> int:
    """The steps that the schedule runs without reversing them, but for the last of the
    forward sweep, which gives the result."""
    if known:
        kept = first_snapshots(range(n), s)
    else:
        levels: dict[int, int] = {}
        for t in range(n):
            levels, _ = with_next_snapshot(levels, t, s)
        kept = list(levels)
    count = n - 1
    for t in reversed(range(n)):
        count += t - kept[-1]
        kept = snapshots_between(kept, t, s)
    return count


def optimum(n: int, s: int) -> int:
    """t(n, s) = r n - beta(s + 1, r - 1): Griewank and Walther (2000)."""
    repetitions = 0
    while math.comb(s + repetitions, s) < n:
        repetitions += 1
    return repetitions * n - math.comb(s + repetitions, s + 1)


def tables() -> list[Table]:
    """Memory and steps, side by side."""
    rows = []
    for s in SNAPSHOTS:
        fewest = optimum(STEPS, s)
        rows.append(
            [
                str(s),
                f"{peak(diffused, STEPS, s):.1f}",
                f"{advances(STEPS, s, known=True) / STEPS:.3f}",
                f"{fewest / STEPS:.3f}",
                f"{peak(left_early, STEPS, s):.1f}",
                f"{advances(STEPS, s, known=False) / STEPS:.3f}",
            ]
        )
    plain = f"{peak(without_checkpoint, STEPS, 0):.1f}"
    return [
        Table(
            f"A loop of {STEPS} steps with checkpoints",
            (
                "snapshots",
                "peak memory",
                "extra steps a step",
                "optimum",
                "left early: peak",
                "extra steps a step",
            ),
            rows,
            summary=[["none", plain, "0", "", "", ""]],
            notes=["Peak memory of the gradient is given in states of the loop."],
        )
    ]


if __name__ == "__main__":
    for table in tables():
        table.show(Console(width=120))
