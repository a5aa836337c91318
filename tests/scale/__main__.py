"""``python -m tests.scale [NAME ...]``: all programs at their sizes, one a line."""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from tests.scale.table import TABLE
from tests.scale.test_scale import check_at


def main() -> int:
    """Check programs; gives how many are wrong."""
    parser = argparse.ArgumentParser(prog="tests.scale", description=__doc__)
    parser.add_argument("names", nargs="*", help="programs; all without")
    wanted = parser.parse_args().names
    wrong = 0
    for program in TABLE:
        if wanted and program.name not in wanted:
            continue
        started = time.process_time()
        try:
            check_at(program, program.sizes)
            outcome = "as it should be"
        except Exception as error:
            wrong += 1
            outcome = f"{type(error).__name__}: {error}".split("\n")[0]
            if wanted:
                traceback.print_exc()
        seconds = time.process_time() - started
        print(f"{program.name:32} {seconds:6.2f} s  {outcome}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(), 1))
