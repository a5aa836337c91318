"""How often something is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from s2sad.dispatch import dispatcher


@contextmanager
def counted() -> Iterator[list[str]]:
    """The names of the functions of which derivatives are compiled meanwhile."""
    found: list[str] = []
    original = dispatcher.derive

    def recording(function, kinds, values, wanted):
        found.append(function.__name__)
        return original(function, kinds, values, wanted)

    dispatcher.derive = recording
    try:
        yield found
    finally:
        dispatcher.derive = original
