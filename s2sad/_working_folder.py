"""Keeps ``python -m s2sad`` from importing what lies in the working folder.

Imported first: with ``-m``, Python looks there before it looks at the standard library,
and the command line never executes a module that it reads.
"""

import os
import sys


def _is_command_line() -> bool:
    """True while ``python -m s2sad`` looks for the package; ``argv[0]`` is -m then."""
    if sys.argv[:1] != ["-m"] or sys.flags.safe_path:
        return False
    words = sys.orig_argv
    return any(
        word == "-ms2sad" or [word, following] == ["-m", "s2sad"]
        for word, following in zip(words[1:], [*words[2:], ""])
    )


if _is_command_line() and sys.path and sys.path[0] == os.getcwd():
    del sys.path[0]
