"""Arrays in the place of stacks: their length, and the place of the turn at hand."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.codegen.numba.helpers import grown
from s2sad.codegen.numba.lists.counters import Counters, Room, Sum, Turns, rooms
from s2sad.codegen.numba.lists.stacks import Stack
from s2sad.codegen.numba.programs import WRITTEN_DTYPES
from s2sad.ir.kinds import INT, Array, Axis, Kind, Scalar, dtype_of
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    If,
    Operand,
    Restore,
    Return,
    Save,
    Slice,
    Statement,
    Var,
    pack_tuple,
)
from s2sad.ir.walking import Path, map_operand
from s2sad.ops.buffers import index_set
from s2sad.rules.steps.shape_queries import axis_length

FIRST_LENGTH = 16
"""The length of an array that grows, at first."""


class StackArrays:
    """The lines that take the place of those of one stack."""

    def __init__(
        self, stack: Stack, kind: Kind, counters: Counters, lengths: dict[Any, Var]
    ) -> None:
        self.stack, self.kind, self.counters = stack, kind, counters
        self.facts = counters.facts
        self.lengths = lengths
        """The lengths that have a name, by the place where they got it."""
        self.array = Var(stack.name)
        self.dtype = dtype_of(kind)
        self.inner: list[Any] = []
        """The lengths of one item, where it is an array."""

    @property
    def returned(self) -> bool:
        """Whether it is a residual, which the function of a pullback reads."""
        return bool(self.stack.others)

    def stays_list(self) -> bool:
        """True for a stack whose length only the run knows, which nobody else reads."""
        if self.returned or not self.stack.saves:
            return False
        return self.stack.function is not reversed and self.enough() is None

    def lines(self) -> dict[int, Block]:
        """The lines by the identity of those whose place they take."""
        if self.stack.function is reversed:
            made = self.stack.made.value
            assert isinstance(made, Apply)
            return self.read_backwards(made.args[0])
        by_loops = None if self.returned else self.by_loops()
        return self.counted() if by_loops is None else by_loops

    # --------------------------------------------- places that are the loops' own

    def by_loops(self) -> dict[int, Block] | None:
        """The lines where both sweeps go through the same loops once in each turn."""
        if len(self.stack.saves) != 1 or len(self.stack.restores) != 1:
            return None
        (save, path), (restore, back) = self.stack.saves[0], self.stack.restores[0]
        turns, reverse = self.turns(path), self.turns(back)
        if turns is None or reverse is None or not turns.equal(reverse):
            return None
        found = rooms(turns)
        if not found:
            return None
        lines, again = ([], [])  # type: tuple[list[Statement], list[Statement]]
        place = self.place(turns, found, lines, save)
        lines.append(self.line(None, self.stored(place, save.value), save))
        place = self.place(reverse, found, again, restore)
        again.append(self.taken(restore, place))
        return {
            id(self.stack.made): self.made([self.length(r, turns) for r in found]),
            id(save): tuple(lines),
            id(restore): tuple(again),
        }

    def turns(self, path: Path) -> Turns | None:
        return self.counters.turns(path, self.stack.made, self.stack.path)

    def place(
        self, turns: Turns, found: list[Room], lines: list[Statement], like: Statement
    ) -> Operand:
        """The index of the turn at hand; ``lines`` gets what computes it."""
        index: list[Operand] = []
        for loop, (low, _), room in zip(turns.loops, turns.bounds, found):
            if room.start == Sum() or (room.start is None and low == Sum()):
                index.append(loop.target)
                continue
            start: Any = loop.start
            if room.start is not None:
                start = self.name_of(self.operand(room.start, turns), lines)
            elif loop.step == Const(-1):
                start = self.name_of(Apply(operator.add, (loop.stop, Const(1))), lines)
            place = self.facts.fresh("place", INT)
            value = Apply(operator.sub, (loop.target, start))
            lines.append(self.line(None, value, like, target=place, kind=INT))
            index.append(place)
        return index[0] if len(index) == 1 else pack_tuple(*index)

    def length(self, room: Room, turns: Turns) -> Any:
        """How many places an axis needs, as an operation."""
        found = self.operand(room.length, turns)
        if isinstance(found, Const):
            return Const(max(found.value, 0))
        kind = self.facts.kind(found) if isinstance(found, Var) else None
        if isinstance(kind, Scalar) and kind.length_of is not None:
            return found
        if isinstance(found, Apply) and found.function is axis_length:
            return found
        return Apply(max, (found, Const(0)))

    def operand(self, value: Sum, turns: Turns) -> Any:
        """A sum free of counters, as operations; what a loop stops at has a name."""
        for loop, (_, high) in zip(turns.loops, turns.bounds):
            if high == value and isinstance(loop.stop, Var) and loop.step == Const(1):
                if self.counters.is_fixed(
                    loop.stop.name, self.stack.made, self.stack.path
                ):
                    return loop.stop
        found: Any = None
        for base, factor in value.factors.items():
            size = abs(factor)
            part: Any = base if size == 1 else Apply(operator.mul, (base, Const(size)))  # type: ignore[arg-type]
            if found is None and factor < 0:
                part = Apply(operator.neg, (part,))
            function = operator.add if factor > 0 else operator.sub
            found = part if found is None else Apply(function, (found, part))
        if found is None:
            return Const(value.constant)
        if value.constant:
            function = operator.add if value.constant > 0 else operator.sub
            found = Apply(function, (found, Const(abs(value.constant))))
        return found

    # ---------------------------------------------------- places that are counted

    def counted(self) -> dict[int, Block]:
        """The lines with a count of what the array holds."""
        count = self.count()
        enough = self.enough()
        length = Const(FIRST_LENGTH) if enough is None else enough
        made = (
            *self.made([length]),
            self.line(None, Const(0), self.stack.made, target=count, kind=INT),
        )
        lines: dict[int, Block] = {id(self.stack.made): made}
        for save, _ in self.stack.saves:
            added: list[Statement] = []
            if enough is None:
                added += self.made_room(count, save)
            added.append(self.line(None, self.stored(count, save.value), save))
            more = Apply(operator.add, (count, Const(1)), (), "augmented")
            added.append(self.line(None, more, save, target=count, kind=INT))
            lines[id(save)] = tuple(added)
        return lines | self.taken_back(count)

    def read_backwards(self, array: Operand) -> dict[int, Block]:
        """The lines that read a residual from its end."""
        assert isinstance(array, Var)
        self.array = array
        kind = Array(self.dtype, (Axis("any"),))
        self.facts.kinds[array.name] = self.facts.added[array.name] = kind
        count = self.count()
        length = Apply(axis_length, (array, Const(0)))
        lines: dict[int, Block] = {
            id(self.stack.made): (
                self.line(None, length, self.stack.made, target=count, kind=INT),
            )
        }
        return lines | self.taken_back(count)

    def count(self) -> Var:
        """The variable that counts what the array holds."""
        count = Var(f"{self.array.name}.count")
        self.facts.kinds[count.name] = self.facts.added[count.name] = INT
        return count

    def taken_back(self, count: Var) -> dict[int, Block]:
        """The lines that take the last item, each time."""
        lines: dict[int, Block] = {}
        for restore, _ in self.stack.restores:
            fewer = Apply(operator.sub, (count, Const(1)), (), "augmented")
            lines[id(restore)] = (
                Assign(restore.span, count, fewer, INT, derived=True),
                self.taken(restore, count),
            )
        return lines

    def handed_on(self, lines: Block) -> Block:
        """The return of residuals, of which this is one: as much as it holds."""
        *others, last = lines
        assert isinstance(last, Return)
        kept = self.facts.fresh(
            f"{self.stack.name}.kept", self.facts.kinds[self.array.name]
        )
        filled = Slice(None, self.count(), None)
        part = Apply(operator.getitem, (self.array, filled))
        value = map_operand(last.value, lambda v: kept if v == self.array else v)
        return (*others, Assign(None, kept, part), replace(last, value=value))

    def enough(self) -> Operand | None:
        """A length that surely holds all; None where that isn't known before."""
        total: Any = None
        for _, path in self.stack.saves:
            turns = self.turns(path)
            found = None if turns is None else rooms(turns)
            if turns is None or found is None or any(s.backwards for s in turns.loops):
                return None
            product: Any = Const(1)
            for room in found:
                length = self.length(room, turns)
                one = product == Const(1)
                product = length if one else Apply(operator.mul, (product, length))
            total = product if total is None else Apply(operator.add, (total, product))
        return total

    def made_room(self, count: Var, save: Save) -> list[Statement]:
        length = self.facts.fresh("room", INT)
        full = self.facts.fresh("full", Scalar("bool"))
        read = Apply(axis_length, (self.array, Const(0)))
        test = Apply(operator.eq, (count, length))
        longer = self.line(None, Apply(grown, (self.array,)), save)
        return [
            self.line(None, read, save, target=length, kind=INT),
            self.line(None, test, save, target=full, kind=Scalar("bool")),
            If(None, full, (longer,), ()),
        ]

    # --------------------------------------------------------------------- lines

    def made(self, lengths: list[Operand]) -> Block:
        lengths = [*lengths, *self.inner]
        axes = tuple(Axis("any") for _ in lengths)
        kind = Array(self.dtype, axes)
        name = self.array.name
        self.facts.kinds[name] = self.facts.added[name] = kind
        lines: list[Statement] = []
        named: list[Operand] = []
        for length in lengths:
            named.append(self.name_of(length, lines))
        shape: Operand = named[0] if len(named) == 1 else pack_tuple(*named)
        dtype = WRITTEN_DTYPES.get(self.dtype or "")
        more = () if dtype is None else (Const(dtype),)
        value = Apply(np.empty, (shape, *more))
        return (*lines, self.line(None, value, self.stack.made))

    def name_of(self, length: Any, lines: list[Statement]) -> Any:
        """A length as an operand; lines that compute it are added."""
        if not isinstance(length, Apply):
            return length
        args = tuple(self.name_of(arg, lines) for arg in length.args)
        place = tuple((id(s), k) for s, k in self.stack.path)
        key = (place, length.function, args)
        if key not in self.lengths:
            variable = self.lengths[key] = self.facts.fresh("length", INT)
            value = replace(length, args=args)
            lines.append(self.line(None, value, self.stack.made, target=variable))
        return self.lengths[key]

    def line(
        self,
        span: Any,
        value: Any,
        like: Statement,
        target: Var | None = None,
        kind: Kind | None = None,
    ) -> Assign:
        known = kind or self.facts.kinds.get((target or self.array).name)
        return Assign(span, target or self.array, value, known)

    def stored(self, place: Operand, value: Operand) -> Apply:
        return Apply(index_set, (self.array, place, value))

    def taken(self, restore: Restore, place: Operand) -> Assign:
        value = Apply(operator.getitem, (self.array, place))
        return Assign(restore.span, restore.target, value, self.kind, derived=True)
