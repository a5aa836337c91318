"""Places that values stand at, with what is known of those by their uses.

Two places that hold the same are made one, with all that can be reached from them, as
in type inference by unification. A place leads to others by steps: ``ITEM`` (those of a
sequence, the values of a dict), ``KEY``, ``("at", 0)``, ``("named", "w")``,
``("attribute", "rate")``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

ITEM, KEY = "item", "key"


class Place:
    """What stands under a name, in an attribute, or at any index of a list."""

    def __init__(self, *words: str) -> None:
        self._same: Place | None = None
        self.words: set[str] = set(words)
        """How values are used: ``"iterated"``, ``"number"``, ``"none"`` and others."""
        self.steps: dict[Hashable, Place] = {}
        self.classes: dict[Any, None] = {}
        """Those that the text says objects may be of."""
        self.annotation: Any = None
        """What an annotation says, where there is one."""

    def found(self) -> Place:
        """The place that stands for all that were made one with it."""
        place = self
        while place._same is not None:
            place = place._same
        return place

    def step(self, to: Hashable) -> Place:
        """The place that a step leads to."""
        place = self.found()
        if to not in place.steps:
            place.steps[to] = Place()
        return place.steps[to].found()

    def steps_of(self, sort: str) -> Iterator[tuple[Any, Place]]:
        """Steps such as ``("at", 0)``, by what they lead along."""
        for key, place in list(self.found().steps.items()):
            if isinstance(key, tuple) and key[0] == sort:
                yield key[1], place.found()

    def note(self, *words: str) -> Place:
        """Add how a value is used."""
        place = self.found()
        place.words.update(words)
        return place

    def has(self, *words: str) -> bool:
        """Whether a value is used in one of these ways."""
        return not self.found().words.isdisjoint(words)


def unite(a: Place, b: Place) -> None:
    """Let two places be one."""
    waiting = [(a, b)]
    while waiting:
        a, b = waiting.pop()
        a, b = a.found(), b.found()
        if a is b:
            continue
        b._same = a
        a.words |= b.words
        a.classes |= b.classes
        a.annotation = b.annotation if a.annotation is None else a.annotation
        for key, place in b.steps.items():
            if key in a.steps:
                waiting.append((a.steps[key], place))
            else:
                a.steps[key] = place
