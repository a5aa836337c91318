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
from tests.fuzz.checking import ONE, check
from tests.fuzz.generator import random_program
from tests.fuzz.shrinking import shrink
from tests.fuzz.writer import HEADER


def main() -> int:
    """Run; the status is 1 if a derivative was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--stores", action="store_true", help="write into arrays")
    parser.add_argument("--aliases", action="store_true", help="names of arrays alone")
    parser.add_argument(
        "--attempts", action="store_true", help="try statements in one another"
    )
    parser.add_argument(
        "--containers", action="store_true", help="change lists, dicts and objects"
    )
    parser.add_argument(
        "--one",
        action="store_true",
        help="check one derivative of each program, not all ten: more programs",
    )
    parser.add_argument("--most", type=int, default=5, help="stop after so many faults")
    options = parser.parse_args()
    gc.set_threshold(100_000, 20, 20)  # what compiles lives on: it is walked in vain
    verdicts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    seeds: dict[str, int] = {}
    end = time.monotonic() + options.seconds
    seed = options.seed
    while time.monotonic() < end and verdicts["wrong"] < options.most:
        if options.aliases:
            text = alias_program(seed)
        elif options.attempts:
            text = attempts_program(seed)
        else:
            text = random_program(
                seed, stores=options.stores, containers=options.containers
            )
        outcome = check(text, seed, only=ONE if options.one else "")
        verdicts[outcome.verdict] += 1
        if outcome.verdict in ("refused", "left out"):
            reason = f"{outcome.verdict}: {outcome.detail}"
            reasons[reason] += 1
            seeds.setdefault(reason, seed)
        elif outcome.verdict == "wrong":
            report(text, seed)
        seed += 1
    print(f"seeds {options.seed} to {seed - 1}:", dict(verdicts))
    for reason, count in reasons.most_common(20):
        print(f"{count:6} {reason} (seed {seeds[reason]})")
    return 1 if verdicts["wrong"] else 0


def report(text: str, seed: int) -> None:
    """Print the smallest program found that fails in the same way."""
    small = shrink(text, seed)
    outcome = check(small, seed)
    shown = small.removeprefix(HEADER)
    print(f"seed {seed}: {outcome.detail}\n\n{shown}\n{outcome.text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
