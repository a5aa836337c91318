"""Programs as text, differentiated in every way and compared with hyper-dual
numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Iterable

from tests.fuzz.checking import check
from tests.support.compiled import Compiled

IMPORTS = "import math\nimport numpy as np\n"


def assert_differentiated(text: str, seeds: Iterable[int] = range(5)) -> None:
    """``program`` of a module is differentiated and right: gradient, both modes,
    pullback and Hessian, optimised and not.

    Parameters are drawn: ``v``, ``m`` and ``r`` are arrays, ``k`` is an int, others are
    floats.
    """
    known: dict[Hashable, Compiled] = {}
    outcomes = [
        check(IMPORTS + textwrap.dedent(text), seed, known=known) for seed in seeds
    ]
    for outcome in outcomes:
        assert outcome.verdict not in ("wrong", "refused"), (
            f"{outcome.detail}\n{outcome.text}"
        )
    assert any(outcome.verdict == "differentiated" for outcome in outcomes), outcomes
