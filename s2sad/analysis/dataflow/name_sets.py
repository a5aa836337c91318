"""Sets of names that share what they have in common.

An analysis has one set at each place of a program, and two neighbours differ by a name
or two. Each set as a table of its own would make a program of n lines cost n * n. Names
are numbered instead; a set is a row of chunks, each an integer of which a bit stands
for a name, and a set made of another takes over the chunks that stay the same.
Bit vectors: Aho, Lam, Sethi and Ullman, Compilers (2nd ed.), section 9.2.5.

>>> names = Names()
>>> some = names.set_of("ab")
>>> sorted(some.replaced("b", "c"))
['a', 'c']
>>> sorted(some | names.set_of("bc")), sorted(some & names.set_of("bc"))
(['a', 'b', 'c'], ['b'])
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Set
from itertools import zip_longest

_SHIFT = 9
_BITS = 1 << _SHIFT
_REST = _BITS - 1


class Names:
    """The names of one analysis, by number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.by_number: list[str] = []
        self.bits: dict[str, int] = {}
        """The bit of each name that is in the first chunk."""

    def number(self, name: str) -> int:
        """The number of a name; a new one gets the next."""
        found = self.numbers.get(name)
        if found is None:
            found = self.numbers[name] = len(self.by_number)
            self.by_number.append(name)
            if found < _BITS:
                self.bits[name] = 1 << found
        return found

    def set_of(self, names: Iterable[str]) -> NameSet:
        """A set of names."""
        return NameSet(self, ()).replaced((), tuple(names))


class NameSet(Set[str]):
    """An immutable set of names. Operators take any other sets, too; those of the same
    :class:`Names` fast."""

    __slots__ = ("chunks", "names")

    def __init__(self, names: Names, chunks: tuple[int, ...]) -> None:
        self.names = names
        self.chunks = chunks
        """The last one is not zero, so that equal sets have equal chunks."""

    def replaced(self, lost: Iterable[str], new: Collection[str]) -> NameSet:
        """The set without some names and then with others; itself where that is the
        same."""
        names = self.names
        chunks: tuple[int, ...] | list[int] = self.chunks
        if len(chunks) <= 1 and len(names.by_number) + len(new) <= _BITS:
            return self._replaced_in_first(lost, new)
        for name in lost:
            number = names.numbers.get(name, -1)
            place = number >> _SHIFT
            if 0 <= place < len(chunks) and chunks[place] >> (number & _REST) & 1:
                if chunks is self.chunks:
                    chunks = list(chunks)
                chunks[place] ^= 1 << (number & _REST)  # type: ignore[index]
        for name in new:
            number = names.number(name)
            place = number >> _SHIFT
            if place >= len(chunks) or not chunks[place] >> (number & _REST) & 1:
                if chunks is self.chunks:
                    chunks = list(chunks)
                while place >= len(chunks):
                    chunks.append(0)  # type: ignore[union-attr]
                chunks[place] |= 1 << (number & _REST)  # type: ignore[index]
        if chunks is self.chunks:
            return self
        while chunks and not chunks[-1]:
            chunks.pop()  # type: ignore[union-attr]
        row = tuple(chunks)
        return self if row == self.chunks else NameSet(names, row)

    def exchanged(self, lost: Iterable[str], new: Collection[str]) -> NameSet | None:
        """The set without some names and then with others; None where it has none of
        the first."""
        names, chunks = self.names, self.chunks
        if len(chunks) != 1 or len(names.by_number) + len(new) > _BITS:
            return None if self.isdisjoint(lost) else self.replaced(lost, new)
        (chunk,), bits = chunks, names.bits
        gone = 0
        for name in lost:
            gone |= bits.get(name, 0)
        if not chunk & gone:
            return None
        after = chunk & ~gone
        for name in new:
            bit = bits.get(name)
            after |= 1 << names.number(name) if bit is None else bit
        return self if after == chunk else NameSet(names, (after,) if after else ())

    def _replaced_in_first(self, lost: Iterable[str], new: Iterable[str]) -> NameSet:
        """The same where no name has a bit but in the first chunk, which is quicker:
        most programs have no more names."""
        names, bits = self.names, self.names.bits
        before = chunk = self.chunks[0] if self.chunks else 0
        for name in lost:
            chunk &= ~bits.get(name, 0)
        for name in new:
            bit = bits.get(name)
            if bit is None:
                bit = 1 << names.number(name)
            chunk |= bit
        if chunk == before:
            return self
        return NameSet(names, (chunk,) if chunk else ())

    def _with(self, chunks: Iterable[int]) -> NameSet:
        row = list(chunks)
        while row and not row[-1]:
            row.pop()
        own = self.chunks
        if len(row) == len(own) and tuple(row) == own:
            return self
        return NameSet(self.names, tuple(row))

    def __contains__(self, name: object) -> bool:
        number = self.names.numbers.get(name, -1)  # type: ignore[call-overload]
        place = number >> _SHIFT
        if not 0 <= place < len(self.chunks):
            return False
        return bool(self.chunks[place] >> (number & _REST) & 1)

    def __iter__(self) -> Iterator[str]:
        by_number = self.names.by_number
        for place, chunk in enumerate(self.chunks):
            while chunk:
                last = chunk & -chunk
                yield by_number[(place << _SHIFT) + last.bit_length() - 1]
                chunk ^= last

    def __len__(self) -> int:
        return sum(chunk.bit_count() for chunk in self.chunks)

    def __bool__(self) -> bool:
        return bool(self.chunks)

    def __hash__(self) -> int:
        return self._hash()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is NameSet and other.names is self.names:
            return self.chunks == other.chunks
        return super().__eq__(other)

    def __le__(self, other: Set[str]) -> bool:
        """True where all names are in another set."""
        if type(other) is not NameSet or other.names is not self.names:
            return super().__le__(other)
        pairs = zip_longest(self.chunks, other.chunks, fillvalue=0)
        return all(a is b or not a & ~b for a, b in pairs)

    def __or__(self, other: Iterable[str]) -> NameSet:  # type: ignore[override]
        """The names of either."""
        if type(other) is not NameSet or other.names is not self.names:
            return self.replaced((), tuple(other))
        if self.chunks is other.chunks or not other.chunks:
            return self
        return self._with(
            a if a is b else a | b
            for a, b in zip_longest(self.chunks, other.chunks, fillvalue=0)
        )

    def __and__(self, other: Set[str]) -> NameSet:
        """The names of both."""
        if type(other) is not NameSet or other.names is not self.names:
            return self.names.set_of(name for name in other if name in self)
        if self.chunks is other.chunks:
            return self
        pairs = zip(self.chunks, other.chunks, strict=False)
        return self._with(a if a is b else a & b for a, b in pairs)

    def __sub__(self, other: Iterable[str]) -> NameSet:
        """The names that aren't in another set."""
        if type(other) is not NameSet or other.names is not self.names:
            return self.replaced(other, ())
        pairs = zip_longest(self.chunks, other.chunks, fillvalue=0)
        return self._with(a & ~b for a, b in pairs)

    @classmethod
    def _from_iterable(cls, names: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        """What operators of the other side give: a set without numbers."""
        return frozenset(names)

    def isdisjoint(self, other: Iterable[str]) -> bool:
        """True where no name is in both."""
        if type(other) is NameSet and other.names is self.names:
            pairs = zip(self.chunks, other.chunks, strict=False)
            return not any(a & b for a, b in pairs)
        numbers, chunks = self.names.numbers, self.chunks
        if len(chunks) == 1:
            (chunk,), bits = chunks, self.names.bits
            found = 0
            for name in other:
                found |= bits.get(name, 0)
            return not chunk & found
        for name in other:
            number = numbers.get(name, -1)
            place = number >> _SHIFT
            if 0 <= place < len(chunks) and chunks[place] >> (number & _REST) & 1:
                return False
        return True
