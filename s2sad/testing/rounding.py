"""Room for rounding: a derivative of which cancelling terms leave nothing is the
rounding of these terms, so that no tolerance relative to its own size holds.

How large the terms are inside of a function isn't known from outside. What is known:
such a derivative is another one at each of the points that differ from this one by
rounding, and what is left of the terms of a result is some roundings of these. The
smaller of the two is the room. What is wrong by more than rounding stays wrong: the
derivative of ``1e15 + f(x)`` has no spread, and at a tie of a maximum, where it has
much, the terms are small. Source: Chesneaux and Vignes, Sur la robustesse de la méthode
CESTAC, C. R. Acad. Sci. Paris 307 (1988), who judge a figure by its spread over runs.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.testing.structures import precision_of, rounded

_ROUNDINGS = 1e3
"""How many roundings of the largest term may be left in a derivative."""
_NEIGHBOURS = 8
"""How many points that differ by rounding are tried."""
_SAFETY = 4.0
"""How many times its spread over these points an error may be."""


def room_for_rounding(
    figures: Any,
    figures_at: Callable[[Any], Any],
    args: Any,
    terms: float,
    scale: float = 1.0,
) -> Any:
    """How far rounding may move each of some derivatives, an array. ``figures_at``
    gives them at the arguments near ``args``, ``terms`` is the sum of the absolute
    values of the terms of the result, and a change of the result by one may change a
    derivative by ``scale``: it is the size of a direction, or one over a step."""
    precision = precision_of(args)
    # Terms that cancel inside of the function, to nothing, say, count as 1.
    most = _ROUNDINGS * precision * max(1.0, terms) * scale
    rng = np.random.default_rng(0)
    spread: Any = 0.0
    for _ in range(_NEIGHBOURS):
        near = np.asarray(figures_at(rounded(rng, args, precision)))
        spread = np.maximum(spread, np.abs(near - np.asarray(figures)))
    return np.minimum(most, _SAFETY * np.where(np.isfinite(spread), spread, 0.0))
