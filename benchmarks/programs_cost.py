"""The whole programs of ``tests/programs``: their gradients beside themselves.

A program and its gradient, ``grad(f)(*args)`` with the checks of a call, run in turns
(``measure.py``). Programs marked with * spend their time in operations on single
numbers, where each line of the gradient counts; the last rows sum up both sorts. What
s2sad can't differentiate is listed as refused.

    python -m benchmarks.programs_cost --rounds 9 filters solvers
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# One thread; to be said before NumPy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

from rich.console import Console

from benchmarks.measure import Times, geometric_mean, interleaved
from benchmarks.report import Table, duration, times
from s2sad import grad
from s2sad.errors import S2sadError
from tests.programs import reference
from tests.programs.registry import Program, all_programs

WORST = 5
"""So many of the dearest gradients are listed."""


@dataclass(frozen=True)
class Measured:
    """What was measured of one program."""

    program: Program
    times: Times | None
    refusal: str = ""
    """Why there is no gradient."""

    @property
    def ratio(self) -> float:
        """The time of the gradient for each second of the program."""
        assert self.times is not None
        return self.times.ratio("gradient", "function")


def measure(
    rounds: int, say: Callable[[str], None], chosen: Sequence[str] = ()
) -> list[Measured]:
    """Time every program; ``chosen`` picks those whose names begin in one of these
    ways, and ``say`` is told which one is next."""
    found = []
    for name, program in all_programs().items():
        if not chosen or name.startswith(tuple(chosen)):
            say(name)
            found.append(_measure(program, rounds))
    return found


def _measure(program: Program, rounds: int) -> Measured:
    arguments = program.arguments
    weights = reference.weights_of(program)
    derived = grad(program.function, program.wrt)

    def seeded(*values):
        return derived(*values, gradient=weights)

    called = derived if isinstance(weights, float) else seeded
    try:
        called(*arguments)
    except S2sadError as error:
        return Measured(program, None, f"refused: {_first_line(error)}")
    except Exception as error:
        return Measured(program, None, f"{type(error).__name__}: {_first_line(error)}")
    calls = {"function": (program.function, arguments), "gradient": (called, arguments)}
    return Measured(program, interleaved(calls, rounds=rounds))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def tables(found: Sequence[Measured]) -> list[Table]:
    """One table, and what was refused below it."""
    timed = [m for m in found if m.times is not None]
    rows = [_row(m) for m in found]
    scalar = [m.ratio for m in timed if m.program.scalar]
    other = [m.ratio for m in timed if not m.program.scalar]
    summary = [
        [
            f"geometric mean of {len(ratios)} {what}",
            "",
            "",
            times(geometric_mean(ratios)),
        ]
        for ratios, what in ((scalar, "scalar loops *"), (other, "others"))
    ]
    return [
        Table(
            "Gradients of whole programs",
            ("program", "function", "gradient", "gradient / function"),
            rows,
            summary,
            _notes(found, timed),
        )
    ]


def _row(measured: Measured) -> list[str]:
    name = measured.program.name + " *" * measured.program.scalar
    if measured.times is None:
        return [name, "", "", measured.refusal.partition(":")[0]]
    return [
        name,
        duration(measured.times.seconds("function")),
        duration(measured.times.seconds("gradient")),
        times(measured.ratio),
    ]


def _notes(found: Sequence[Measured], timed: Sequence[Measured]) -> list[str]:
    dearest = sorted(timed, key=lambda m: -m.ratio)[:WORST]
    notes = [
        f"{len(timed)} of {len(found)} programs are differentiated. The dearest: "
        + (", ".join(f"{m.program.name} ({times(m.ratio)})" for m in dearest) or "none")
        + "."
    ]
    refused = [f"{m.program.name}: {m.refusal}" for m in found if m.times is None]
    return notes + ["\n".join(refused)] * bool(refused)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--rounds", type=int, default=15, help="rounds of each comparison"
    )
    parser.add_argument(
        "names", nargs="*", help="beginnings of names, as in filters.kal"
    )
    options = parser.parse_args()
    console = Console()
    if not console.is_terminal:
        console = Console(width=140)
    warnings.simplefilter("ignore")
    with console.status("") as status:
        found = measure(options.rounds, status.update, options.names)
    for table in tables(found):
        table.show(console)


if __name__ == "__main__":
    main()
