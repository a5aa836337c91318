"""``python -m tests.fuzz --seconds N --seed S``: random programs until the time is
up."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter

from tests.fuzz.aliases import alias_program
from tests.fuzz.attempts import attempts_program
from tests.fuzz.checking import ONE, Outcome, check
from tests.fuzz.constructs import constructs
from tests.fuzz.generator import random_program
from tests.fuzz.list_arguments import lists_program
from tests.fuzz.shrinking import derivative_of, shrink
from tests.fuzz.slices import slices_program
from tests.fuzz.writer import HEADER
from tests.support.compiled import NUMBA, NUMPY, PYTHON
from tests.support.kept_calls import keep_all_calls
from tests.support.kept_structures import keep_all_structures

SECONDS = {NUMPY: 20, PYTHON: 60, NUMBA: 300}
"""How long a program may take."""


def main() -> int:
    """Run; the status is 1 if a derivative was wrong."""
    options = parsed_options()
    if options.keep_calls:
        keep_all_calls()
    if options.keep_structures:
        keep_all_structures()
    gc.set_threshold(100_000, 20, 20)  # what compiles lives on: it is walked in vain
    verdicts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    drawn: Counter[str] = Counter()
    seeds: dict[str, int] = {}
    end = time.monotonic() + options.seconds
    seed = options.seed
    last = seed + (options.programs or sys.maxsize)
    while time.monotonic() < end and seed < last and verdicts["wrong"] < options.most:
        text, backend = program_of(seed, options), backend_of(seed, options)
        drawn.update(constructs(text))
        only = ONE if options.one else ""
        outcome = check(text, seed, SECONDS[backend], only, backend=backend)
        verdicts[outcome.verdict] += 1
        if outcome.verdict in ("refused", "left out"):
            reason = f"{outcome.verdict}: {outcome.detail}"
            reasons[reason] += 1
            seeds.setdefault(reason, seed)
        elif outcome.verdict == "wrong":
            report(text, seed, backend, outcome)
        seed += 1
    print(f"seeds {options.seed} to {seed - 1}:", dict(verdicts))
    for reason, count in reasons.most_common(20):
        print(f"{count:6} {reason} (seed {seeds[reason]})")
    print("programs with each construct:")
    for name, count in sorted(drawn.items()):
        print(f"{count:6} {name}")
    return 1 if verdicts["wrong"] else 0


def parsed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, help="stop after so many")
    parser.add_argument("--stores", action="store_true", help="write into arrays")
    parser.add_argument("--aliases", action="store_true", help="names of arrays alone")
    parser.add_argument(
        "--slices", action="store_true", help="arrays of lengths that nothing proves"
    )
    parser.add_argument(
        "--attempts", action="store_true", help="try statements in one another"
    )
    parser.add_argument(
        "--containers", action="store_true", help="change lists, dicts and objects"
    )
    parser.add_argument(
        "--lists", action="store_true", help="over arguments that are lists"
    )
    parser.add_argument(
        "--plain",
        action="store_true",
        help="without guards over singular values, numbers that are objects of classes,"
        " and names of every kind",
    )
    parser.add_argument(
        "--numba",
        action="store_true",
        help="by the Numba backend, mostly slices; its text runs as Python",
    )
    parser.add_argument(
        "--jit", type=int, default=0, help="have Numba compile one program in so many"
    )
    parser.add_argument(
        "--one",
        action="store_true",
        help="check one derivative of each program, not all ten: more programs",
    )
    parser.add_argument(
        "--keep-calls", action="store_true", help="write no call of a function out"
    )
    parser.add_argument(
        "--keep-structures",
        action="store_true",
        help="take no list, dict or object of an argument apart, and unroll no loop",
    )
    parser.add_argument("--most", type=int, default=5, help="stop after so many faults")
    return parser.parse_args()


def program_of(seed: int, options: argparse.Namespace) -> str:
    """The program of a seed."""
    if options.aliases:
        return alias_program(seed)
    if options.lists:
        return lists_program(seed)
    if options.attempts:
        return attempts_program(seed)
    if options.slices or (options.numba and seed % 4):
        return slices_program(seed)
    return random_program(
        seed,
        stores=options.stores or options.numba,
        containers=options.containers,
        corners=not options.plain and not options.numba,
    )


def backend_of(seed: int, options: argparse.Namespace) -> str:
    """The backend that compiles it."""
    if not options.numba:
        return NUMPY
    return NUMBA if options.jit and seed % options.jit == 0 else PYTHON


def report(text: str, seed: int, backend: str, outcome: Outcome) -> None:
    """Print the smallest program found that fails in the same way."""
    small = shrink(text, seed, backend=backend, outcome=outcome)
    only = derivative_of(outcome)
    outcome = check(small, seed, SECONDS[backend], only, backend=backend)
    shown = small.removeprefix(HEADER)
    print(f"seed {seed}: {outcome.detail}\n\n{shown}\n{outcome.text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
