"""The time to compile the gradients of the suite's programs, of several checkouts.

    python -m benchmarks.compile_time ../before . --rounds 3

Each checkout compiles in a process of its own, by what stands in it. They take turns,
some programs at a time, so that whatever else the machine does meets all of them; of
each program the least CPU time of all rounds counts.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

AT_A_TIME = 15
"""How many programs a checkout compiles before it is the next one's turn."""
Times = dict[str, float]


def compile_all() -> None:
    """The process of a checkout, in its folder: the names of the programs, and then
    the times of those that each line of the input names, as JSON."""
    sys.path.insert(0, os.getcwd())
    warnings.simplefilter("ignore")
    from s2sad.dispatch.garbage import rare_searches
    from tests.support.compiled import compiled

    programs = dict(_programs())
    print(json.dumps([*programs]), flush=True)
    with rare_searches():
        for line in sys.stdin:
            taken = {}
            for name in json.loads(line):
                start = process_time()
                with contextlib.suppress(Exception):  # some are refused
                    compiled("gradient", *programs[name])
                taken[name] = process_time() - start
            print(json.dumps(taken), flush=True)


def _programs() -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The programs of a checkout: function, arguments and what is differentiated."""
    import numpy as np

    from tests.golden.programs import PROGRAMS
    from tests.programs.registry import all_programs

    for name, one in all_programs().items():
        yield name, (one.function, one.arguments, one.wrt)
    for name, golden in PROGRAMS.items():
        arguments = golden.make_arguments(np.random.default_rng(0), "small")
        wrt = golden.wrt if isinstance(golden.wrt, str) else tuple(golden.wrt)
        yield f"golden.{name}", (golden.function, arguments, wrt)


class Checkout:
    """A checkout that compiles when it is asked to."""

    def __init__(self, folder: Path) -> None:
        start = "import runpy, sys; runpy.run_path(sys.argv[1])['compile_all']()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", start, str(Path(__file__).resolve())],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.programs: list[str] = self._answer()
        self.best: Times = {}

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def compile(self, names: list[str]) -> None:
        """Compile some programs, and keep the least times."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(names) + "\n")
        self.process.stdin.flush()
        for name, time in self._answer().items():
            self.best[name] = min(time, self.best.get(name, time))


def compared(folders: list[Path], rounds: int) -> list[float]:
    """The seconds of each checkout, for the programs that all of them have."""
    checkouts = [Checkout(folder) for folder in folders]
    shared = set.intersection(*(set(c.programs) for c in checkouts))
    names = [name for name in checkouts[0].programs if name in shared]
    for _ in range(rounds):
        for start in range(0, len(names), AT_A_TIME):
            for checkout in checkouts:
                checkout.compile(names[start : start + AT_A_TIME])
    for checkout in checkouts:
        checkout.process.stdin.close()  # type: ignore[union-attr]
    return [sum(checkout.best.values()) for checkout in checkouts]


def main() -> None:
    """Print the seconds of each checkout, and what part of the first one's they are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkouts", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    seconds = compared(asked.checkouts, asked.rounds)
    for folder, taken in zip(asked.checkouts, seconds, strict=True):
        print(f"{taken:8.2f} s  {taken / seconds[0]:6.3f}  {folder}")


if __name__ == "__main__":
    main()
