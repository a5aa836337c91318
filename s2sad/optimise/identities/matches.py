"""Lines that have the form of an identity's left side, and what is known where they
stand."""

import operator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from s2sad import ir
from s2sad.analysis.memory.distinct_places import DistinctPlaces
from s2sad.analysis.numbers.sure_divisors import sure_divisors


class Program(ir.Rewriting):
    """A program that is rewritten, and what identities ask of it."""

    @cached_property
    def divisors(self) -> Any:
        """At each place: the variables that surely aren't zero."""
        return sure_divisors(self.function).before

    @cached_property
    def places(self) -> DistinctPlaces:
        """What is known of indices."""
        return DistinctPlaces(self.function)

    @cached_property
    def repeated(self) -> frozenset[int]:
        """The statements, by their identity, that are run again and again."""
        return frozenset(
            id(inner)
            for s in ir.walk(self.function.body)
            if isinstance(s, ir.Loop)
            for block in ir.blocks_of(s)
            for inner in ir.walk(block)
        )


class StraightLines:
    """The lines of a block so far. They are followed where somebody asks: most blocks
    have no line that may be rewritten."""

    def __init__(self) -> None:
        self.lines: list[ir.Statement] = []
        self._before: list[ir.Statement] = []
        """What each of them was before."""
        self._followed = 0
        """So many are in the tables."""
        self._made: dict[str, tuple[int, ir.Line]] = {}
        self._readers: dict[str, list[str]] = {}
        """The variables that lines compute from each variable."""
        self._read: set[str] = set()

    @property
    def made(self) -> dict[str, tuple[int, ir.Line]]:
        """The lines, as they were, that would still give their variables the same
        values, each with its place."""
        self._follow()
        return self._made

    @property
    def read(self) -> set[str]:
        """Variables that have been read since they were assigned."""
        self._follow()
        return self._read

    def add(self, s: ir.Statement, before: ir.Statement) -> None:
        """Add a line, which was another one ``before``."""
        self.lines.append(s)
        self._before.append(before)

    def _follow(self) -> None:
        for place in range(self._followed, len(self.lines)):
            s, before = self.lines[place], self._before[place]
            self._read |= ir.names_read_within(s)
            for name in ir.names_written_within(s):
                for changed in (name, *self._readers.pop(name, ())):
                    self._made.pop(changed, None)
            if ir.is_line(s, operator.iadd, operator.isub):
                self._made.clear()  # a view may be of what is added to in place
            if ir.is_line(before):
                name = before.target.name
                self._made[name] = place, before
                self._read.discard(name)
                for other in ir.names_read(before) - {name}:
                    self._readers.setdefault(other, []).append(name)
        self._followed = len(self.lines)


@dataclass
class Match:
    """A line, as it is compared with the left side of an identity."""

    program: Program
    line: ir.Line
    block: StraightLines
    operands: dict[str, ir.Operand] = field(default_factory=dict)
    """What the variables of the identity stand for."""
    within: list[str] = field(default_factory=list)
    """The variables whose lines stand within the left side."""

    def __getitem__(self, name: str) -> ir.Operand:
        return self.operands[name]

    def operand(self, variable: ir.Var) -> ir.Operand:
        """What a variable of the identity stands for."""
        return self.operands[variable.name]

    def kind(self, name: str) -> ir.Kind | None:
        """The kind of an operand that is a variable."""
        return ir.kind_of(self[name], self.program.kinds)

    def rank(self, name: str) -> int | None:
        """The number of axes of an operand that is surely an array."""
        kind = ir.array_kind(self[name], self.program.kinds)
        return None if kind is None else ir.rank_of(kind)
