"""Derivatives that keep every list, dict and object of an argument as it is, and every
loop over items that are alike."""

from __future__ import annotations

import os


def keep_all_structures() -> None:
    """From now on nothing is taken apart that can be kept, whatever the options of a
    derivative say."""
    names = {*os.environ.get("S2SAD_NO_OPT", "").split(",")}
    names |= {"scalar_replacement", "unrolling"}
    os.environ["S2SAD_NO_OPT"] = ",".join(sorted(names - {""}))
