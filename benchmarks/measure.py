"""Times of functions that are to be compared, robust against a busy machine.

The functions take turns: each round times every one of them once, in an order that
shifts by one from round to round, so that whatever slows the machine for a while slows
all of them. A round's time is the least of a few batches of calls; a time is the median
of the rounds, and a ratio the median of the rounds' ratios.

Processor time is counted, where the system tells it finely enough: a call that lasts
long is interrupted by other processes more often than a short one.
"""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_FINE = time.get_clock_info("process_time").resolution < 1e-6
clock = time.process_time if _FINE else time.perf_counter
"""The seconds this process has used, or those that passed."""

Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""


@dataclass(frozen=True)
class Times:
    """Seconds a call, for each function one number a round."""

    rounds: Mapping[Any, Sequence[float]]

    def seconds(self, name: Hashable) -> float:
        """The time of one call."""
        return statistics.median(self.rounds[name])

    def ratio(self, name: Hashable, base: Hashable) -> float:
        """The time of one function for each second of another."""
        pairs = zip(self.rounds[name], self.rounds[base])
        return statistics.median(a / b for a, b in pairs)

    def difference(self, name: Hashable, base: Hashable) -> float:
        """The seconds by which one function is slower than another."""
        pairs = zip(self.rounds[name], self.rounds[base])
        return statistics.median(a - b for a, b in pairs)


def interleaved(
    calls: Mapping[Any, Call],
    *,
    rounds: int = 15,
    batches: int = 3,
    batch_seconds: float = 1e-3,
) -> Times:
    """Time functions in turns.

    A batch lasts about ``batch_seconds``, or one call if that is longer. The cyclic
    garbage collector is off while functions run, as in ``timeit``; it finds nothing to
    do in generated functions, and would cost autograd about a quarter in long loops.
    What a function leaves behind is collected before the next one's turn, which would
    find less memory at hand otherwise.
    """
    names = list(calls)
    numbers = {name: _calls_a_batch(calls[name], batch_seconds) for name in names}
    found: dict[Hashable, list[float]] = {name: [] for name in names}
    collecting = gc.isenabled()
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        for turn in range(rounds):
            shift = turn % len(names)
            for name in names[shift:] + names[:shift]:
                number = numbers[name]
                gc.collect()
                best = min(_batch(calls[name], number) for _ in range(batches))
                found[name].append(best / number)
    finally:
        gc.unfreeze()
        if collecting:
            gc.enable()
    return Times(found)


def geometric_mean(ratios: Iterable[float]) -> float:
    """The geometric mean; nan of nothing."""
    logs = [math.log(ratio) for ratio in ratios]
    return math.exp(statistics.fmean(logs)) if logs else math.nan


def _batch(call: Call, number: int) -> float:
    function, arguments = call
    turns = range(number)
    start = clock()
    for _ in turns:
        function(*arguments)
    return clock() - start


def _calls_a_batch(call: Call, seconds: float) -> int:
    """How many calls last about so long; the first ones warm everything up."""
    number = 1
    _batch(call, number)
    while (taken := _batch(call, number)) < seconds / 2:
        number *= 2
    return max(1, round(number * seconds / taken))
