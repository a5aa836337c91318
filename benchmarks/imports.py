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
IMPORT = """
import time
import numpy
start = time.perf_counter()
import s2sad
print(time.perf_counter() - start)
"""


def measure(processes: int, say: Callable[[str], None]) -> list[float]:
    """Seconds in each of so many processes, behind one that writes the bytecode."""
    say("importing")
    return [_fresh() for _ in range(processes + 1)][1:]


def _fresh() -> float:
    done = subprocess.run(
        [sys.executable, "-c", IMPORT],
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return float(done.stdout)


def tables(found: Sequence[float]) -> list[Table]:
    """The median and the least."""
    row = [
        "import s2sad",
        duration(statistics.median(found)),
        duration(min(found)),
        duration(AIM),
    ]
    return [
        Table(
            "Time to import, beyond NumPy's",
            ("", "median", "least", "aim"),
            [row],
            notes=[f"{len(found)} fresh processes."],
        )
    ]
