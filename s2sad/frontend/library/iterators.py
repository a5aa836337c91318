"""Iterators as objects: how far they are is known when the program runs."""

from __future__ import annotations

from typing import Any


class Items:
    """``iter(items)`` of what has its items at places."""

    __s2sad_written_out__ = True

    def __init__(self, items: Any) -> None:
        self.items = items
        self.place = 0
        self.ended = False

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.ended or self.place >= len(self.items):
            self.ended = True  # also where the list gets others later
            raise StopIteration
        item = self.items[self.place]
        self.place += 1
        return item
