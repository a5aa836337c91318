"""``python -m tests.fuzz.texts``: digests of the gradients of random programs, to
compare runs that hash strings in other ways."""

from __future__ import annotations

import argparse
import hashlib

from s2sad.errors import UnsupportedError
from tests.fuzz.checking import draw_arguments, load
from tests.fuzz.generator import random_program
from tests.support.compiled import compiled


def main() -> None:
    """Print a line for each program."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.texts")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=8)
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.count):
        for changed in ("stores", "containers"):
            text = random_program(seed, **{changed: True})
            digest = hashlib.sha256(text_of_pullback(text, seed).encode())
            print(changed, seed, digest.hexdigest()[:16])


def text_of_pullback(text: str, seed: int) -> str:
    """The generated code, or why there is none."""
    names, args = draw_arguments(text, seed)
    wrt = tuple(n for n, a in zip(names, args) if not isinstance(a, int))
    try:
        return compiled("vjp", load(text)["program"], args, wrt).text
    except UnsupportedError as error:
        return str(error)


if __name__ == "__main__":
    main()
