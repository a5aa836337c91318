"""A look at the program between passes: ``S2SAD_DUMP`` and ``S2SAD_VERIFY``."""

import os
import sys

from s2sad import ir
from s2sad.analysis.passes.verify import verify


def dump(stage: str, function: ir.Function, unchanged: bool = False) -> None:
    """Look at the program after a pass: print it if ``S2SAD_DUMP`` names the pass or is
    ``all``, check it if ``S2SAD_VERIFY`` is 1 and the pass changed anything."""
    wanted = os.environ.get("S2SAD_DUMP", "")
    if wanted and (wanted == "all" or stage in wanted.split(",")):
        print(f"# after {stage}\n{ir.function_text(function)}\n", file=sys.stderr)
    if os.environ.get("S2SAD_VERIFY") == "1" and not unchanged:
        verify(function, stage, folded=stage == "fold")
