"""The time of ``import s2sad`` where NumPy is imported already, in fresh processes."""

from __future__ import annotations

import pathlib
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence

from benchmarks.report import Table, duration

ROOT = pathlib.Path(__file__).resolve().parent.parent
AIM = 60e-3
Seconds = tuple[float, float]
"""By the clock on the wall, and of processor time."""

IMPORT = """
import time
import numpy
passed, used = time.perf_counter(), time.process_time()
import s2sad
print(time.perf_counter() - passed, time.process_time() - used)
"""


def measure(processes: int, say: Callable[[str], None]) -> list[Seconds]:
    """Seconds in each of so many processes, behind one that writes the bytecode."""
    say("importing")
    return [_fresh() for _ in range(processes + 1)][1:]


def _fresh() -> Seconds:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    passed, used = map(float, done.stdout.split())
    return passed, used


def tables(found: Sequence[Seconds]) -> list[Table]:
    """The median and the least of both times."""
    rows = [
        [clock, duration(statistics.median(seconds)), duration(min(seconds))]
        for clock, seconds in zip(("time passed", "processor time"), zip(*found))
    ]
    return [
        Table(
            "Time to import, beyond NumPy's",
            ("import s2sad", "median", "least"),
            rows,
            notes=[f"Aim: {duration(AIM)}. {len(found)} fresh processes."],
        )
    ]
