"""Iterators as objects: how far they are is known when the program runs."""

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


class Reversed(Items):
    """``reversed(items)``."""

    __s2sad_written_out__ = True

    def __init__(self, items: Any) -> None:
        self.items = items
        self.place = len(items) - 1
        self.ended = False

    def __next__(self) -> Any:
        if self.ended or not 0 <= self.place < len(self.items):
            self.ended = True
            raise StopIteration
        item = self.items[self.place]
        self.place -= 1
        return item


class Numbered(Items):
    """``enumerate(items, start)``."""

    __s2sad_written_out__ = True

    def __init__(self, iterable: Any, start: int = 0) -> None:
        self.items = iterable
        self.start = start
        self.place = 0
        self.ended = False

    def __next__(self) -> Any:
        if self.ended or self.place >= len(self.items):
            self.ended = True
            raise StopIteration
        place = self.place
        self.place += 1
        number = self.start + place if self.start else place
        return number, self.items[place]


class Rows(Items):
    """``zip(*columns)``."""

    __s2sad_written_out__ = True

    def __init__(self, *columns: Any) -> None:
        self.columns = columns
        self.place = 0
        self.ended = False

    def is_at_end(self) -> bool:
        """True where a column has no item left."""
        if any(self.place >= len(column) for column in self.columns):
            self.ended = True
        return self.ended

    def taken(self) -> list[Any]:
        """The next item of each."""
        place = self.place
        self.place += 1
        return [column[place] for column in self.columns]

    def __next__(self) -> Any:
        if self.is_at_end():
            raise StopIteration
        return tuple(self.taken())


class Mapped(Rows):
    """``map(function, *columns)``."""

    __s2sad_written_out__ = True

    def __init__(self, function: Any, *columns: Any) -> None:
        self.function = function
        self.columns = columns
        self.place = 0
        self.ended = False

    def __next__(self) -> Any:
        if self.is_at_end():
            raise StopIteration
        return self.function(*self.taken())


class Counted(Items):
    """``itertools.count(start, step)``."""

    __s2sad_written_out__ = True

    def __init__(self, start: Any = 0, step: Any = 1) -> None:
        self.number = start
        self.step = step

    def __next__(self) -> Any:
        number = self.number
        self.number = number + self.step
        return number


def items_by_index(items: Any) -> Any:
    """What is run over of an object that has ``__getitem__`` alone."""
    place = 0
    while True:
        try:
            item = items[place]
        except IndexError:
            return
        yield item
        place += 1
