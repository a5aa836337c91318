"""Loops over iterators without end, which the program leaves.

::

    for n in count(1):                     k = 0
        x = step(x)             ->         while True:
        if x < 1:                              n = 1 + k
            break                              x = step(x)
                                               if x < 1:
                                                   break
                                               k = k + 1
"""

from collections.abc import Iterator
from typing import Any

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.generators import generator
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.source.text.source import source_of


def places_without_end() -> Iterator[int]:
    """0, 1, 2 ..."""
    place = 0
    while True:
        yield place
        place = place + 1


def sums_without_end(total: Any, step: Any) -> Iterator[Any]:
    """What ``itertools.count(total, step)`` gives: it adds."""
    while True:
        yield total
        total = total + step


def added_up(spec: Specialiser, start: core.Value, step: core.Value) -> core.Iteration:
    """``itertools.count`` of numbers that may be no whole ones, where a sum of many
    steps isn't their product."""
    source = source_of(sums_without_end)
    given = {"total": start, "step": step}
    return spec.iterate(generator(spec, source, given))


@core.verb
def numbered_without_end(spec: Specialiser, items: core.Endless) -> core.Iteration:
    """The elements, one after the other."""
    places = generator(spec, source_of(places_without_end), {})
    return spec.mapped(spec.iterate(places), items.element)  # type: ignore[arg-type]
