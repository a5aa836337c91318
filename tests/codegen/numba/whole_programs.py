"""The programs of :mod:`tests.programs` under Numba: which are refused, and why.

``python -m tests.codegen.numba.whole_programs [words]`` compiles them all, or those
whose names hold one of the words, and compares each with the NumPy backend. The suite
reads the reasons of all, and compiles some.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from unittest import mock

import numpy as np

import s2sad
from s2sad.dispatch import numba_loading as loading
from s2sad.errors import UnsupportedError
from tests.programs import reference
from tests.programs.registry import Program, all_programs
from tests.support.finite_differences import tree_leaves

LISTED = Path(__file__).parent / "refused_programs.txt"
CLOSE = 1e-9
"""How far results may be apart, on the scale of the largest: sums differ in order."""


def seed_of(program: Program) -> dict:
    """The keyword that weighs the result, where it isn't one number."""
    weights = reference.weights_of(program)
    return {} if isinstance(weights, float) else {"gradient": weights}


def refusal(program: Program) -> str:
    """What is said where the program is refused before Numba sees it, with the line; ""
    where it isn't refused."""
    derived = s2sad.value_and_grad(program.function, program.wrt, backend="numba")
    try:
        with mock.patch.object(loading, "compile_for"):
            derived.source_for(*program.arguments, **seed_of(program))
    except UnsupportedError as error:
        return reason_of(error)
    return ""


def reason_of(error: UnsupportedError) -> str:
    """The reason that a message gives first, and the user's line."""
    problem = error.problems[0]
    return f"{problem.reason}: {problem.source_line.strip()}"


def difference(program: Program) -> str:
    """How value and gradient differ from those of the NumPy backend; "" where they
    don't. Raises UnsupportedError where the program is refused."""
    seed = seed_of(program)
    own = s2sad.value_and_grad(program.function, program.wrt, backend="numba")
    other = s2sad.value_and_grad(program.function, program.wrt, backend="numpy")
    with np.errstate(all="ignore"):
        found = tree_leaves(own(*program.arguments, **seed))
        wanted = tree_leaves(other(*program.arguments, **seed))
    if len(found) != len(wanted):
        return f"{len(found)} results, not {len(wanted)}"
    numbers = [v for v in wanted if v is not None]
    scale = 1.0 + max(float(np.max(np.abs(v), initial=0.0)) for v in numbers)
    for one, two in zip(found, wanted):
        if (one is None) != (two is None) or np.shape(one) != np.shape(two):
            return f"{one} is not {two}"
        if one is not None and not np.allclose(one, two, CLOSE, CLOSE * scale):
            return f"{one} is not {two}"
    return ""


def listed() -> dict[str, str]:
    """The programs that are known to be refused, with the reasons."""
    blocks = LISTED.read_text().strip().split("\n\n") if LISTED.exists() else []
    found = {}
    for block in blocks[1:]:
        name, reason = block.split("\n    ")
        found[name] = reason
    return found


def listing(reasons: dict[str, str], total: int) -> str:
    """The text of the list."""
    head = f"{total - len(reasons)} of {total} programs are compiled. Refused are:"
    return (
        "\n\n".join(
            [
                head,
                *(f"{name}\n    {reason}" for name, reason in sorted(reasons.items())),
            ]
        )
        + "\n"
    )


def main(words: list[str]) -> int:
    outcomes: Counter[str] = Counter()
    for name, program in all_programs().items():
        if words and not any(word in name for word in words):
            continue
        start = time.perf_counter()
        try:
            problem = difference(program)
            outcome = "wrong" if problem else "agrees"
        except UnsupportedError as error:
            outcome, problem = "refused", reason_of(error)
        except Exception as error:
            outcome, problem = "broken", repr(error)
        outcomes[outcome] += 1
        seconds = time.perf_counter() - start
        print(f"{seconds:5.1f} s  {outcome:8}{name}  {problem}", flush=True)
    print(dict(outcomes))
    return int("wrong" in outcomes or "broken" in outcomes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
