"""Work that is counted, so that a busy machine doesn't matter."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from typing import Any


def calls(function: Callable[..., Any], *args: Any) -> int:
    """How many functions are called while one runs.

    >>> calls(lambda: [abs(k) for k in (1, 2)]) > 2
    True
    """
    profile = cProfile.Profile()
    profile.runcall(function, *args)
    return pstats.Stats(profile).total_calls
