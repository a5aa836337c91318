"""The time to compile the gradient of each golden program.

- first: in a fresh process whose compiler was loaded by another gradient; the file of
  the programs is parsed, and nothing about them is known yet
- again: with the memory cache of compiled derivatives emptied, in the same process

Run as a program with the path of the repository, this module is such a fresh process:
it prints the times of one pass over the programs as JSON.
"""

from __future__ import annotations

import json
import pathlib
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.measure import clock

ROOT = pathlib.Path(__file__).resolve().parent.parent
AIM = 25e-3


def one_process() -> dict[str, Any]:
    """Compile all programs once, then again, for small arguments."""
    import numpy as np

    start = clock()
    import s2sad

    s2sad.grad(_square)(3.0)
    loaded = clock() - start

    from s2sad.dispatch.cache import MEMORY
    from tests.golden.programs import PROGRAMS

    passes = []
    for _ in range(2):
        MEMORY.clear()
        taken = {}
        for name, program in PROGRAMS.items():
            arguments = program.make_arguments(np.random.default_rng(0), "small")
            start = clock()
            s2sad.grad(program.function, program.wrt).compiled(*arguments)
            taken[name] = clock() - start
        passes.append(taken)
    return {"loaded": loaded, "first": passes[0], "again": passes[1]}


def _square(x: float) -> float:
    return x * x


def measure(processes: int, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """What so many fresh processes give."""
    found = []
    for k in range(processes):
        say(f"compiling, process {k + 1} of {processes}")
        found.append(_fresh())
    return found


def _fresh() -> dict[str, Any]:
    command = [sys.executable, "-c", "import benchmarks.compile as c; c.main()"]
    done = subprocess.run(
        command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> None:
    """Print what this process measures."""
    print(json.dumps(one_process()))


def tables(found: Sequence[dict[str, Any]]) -> list[Any]:
    """Medians over the processes, and over the programs."""
    from benchmarks.report import Table, duration

    rows = []
    columns: dict[str, list[float]] = {"first": [], "again": []}
    for name in found[0]["first"]:
        row = [name]
        for column, medians in columns.items():
            medians.append(statistics.median(one[column][name] for one in found))
            row.append(duration(medians[-1]))
        rows.append(row)
    summary = [
        ["median", *(duration(statistics.median(m)) for m in columns.values())],
        ["longest", *(duration(max(m)) for m in columns.values())],
    ]
    loaded = statistics.median(one["loaded"] for one in found)
    return [
        Table(
            "Time to compile a gradient",
            ("program", *columns),
            rows,
            summary,
            [
                f"Aim: a median of {duration(AIM)}. Medians of {len(found)} processes.",
                "Before the first of them, importing s2sad, loading the compiler and "
                f"compiling x * x took {duration(loaded)}.",
            ],
        )
    ]
