"""Tables by name that share what they have in common, as the sets of
:mod:`s2sad.analysis.dataflow.name_sets` do.

>>> table = SharedTable.of({"a": 1, "b": 2})
>>> changed = table.updated({"b": 3})
>>> changed["b"], table["b"], dict(changed)
(3, 2, {'a': 1, 'b': 3})
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, TypeVar

from s2sad.analysis.dataflow.name_sets import Names

Entry = TypeVar("Entry")
_SHIFT = 5
_EMPTY: dict[str, Any] = {}


class SharedTable(Mapping[str, Entry], Generic[Entry]):
    """An immutable table. One made of another takes over the rows, each of a few
    names, that stay the same."""

    __slots__ = ("names", "rows")

    def __init__(self, names: Names, rows: tuple[dict[str, Entry], ...]) -> None:
        self.names, self.rows = names, rows

    @classmethod
    def of(cls, entries: Mapping[str, Entry]) -> SharedTable[Entry]:
        """A table of these entries."""
        return cls(Names(), ()).updated(entries)

    def updated(self, entries: Mapping[str, Entry]) -> SharedTable[Entry]:
        """The table with other entries for some names."""
        if not entries:
            return self
        rows = list(self.rows)
        own: set[int] = set()
        for name, entry in entries.items():
            place = self.names.number(name) >> _SHIFT
            while place >= len(rows):
                rows.append(_EMPTY)
            if place not in own:
                own.add(place)
                rows[place] = dict(rows[place])
            rows[place][name] = entry
        return SharedTable(self.names, tuple(rows))

    def different(self, other: SharedTable[Entry]) -> Iterator[tuple[str, Entry]]:
        """The entries of another table in the rows that these two don't share."""
        for place, row in enumerate(other.rows):
            if place >= len(self.rows) or row is not self.rows[place]:
                yield from row.items()

    def entries(self) -> Iterator[tuple[str, Entry]]:
        """All names with their entries; quicker than ``items``."""
        for row in self.rows:
            yield from row.items()

    def get(self, name: str, default: Any = None) -> Any:
        """The entry of a name."""
        place = self.names.numbers.get(name, -1) >> _SHIFT
        if not 0 <= place < len(self.rows):
            return default
        return self.rows[place].get(name, default)

    def __getitem__(self, name: str) -> Entry:
        found: Entry | None = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return self.get(name) is not None  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[str]:
        for row in self.rows:
            yield from row

    def __len__(self) -> int:
        return sum(map(len, self.rows))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, SharedTable) and other.names is self.names:
            return self.rows == other.rows
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]
