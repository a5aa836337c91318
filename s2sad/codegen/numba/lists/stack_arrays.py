"""Arrays in the place of stacks: their length, and the place of the turn at hand."""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba import helpers, programs
from s2sad.codegen.numba.lists.counters import Counters, Room, Sum, Turns, rooms
from s2sad.codegen.numba.lists.stacks import Stack
from s2sad.rules.steps.shape_queries import axis_length

FIRST_LENGTH = 16
"""The length of an array that grows, at first."""


class StackArrays:
    """The lines that take the place of those of one stack."""

    def __init__(
        self,
        stack: Stack,
        kind: ir.Kind,
        counters: Counters,
        lengths: dict[Any, ir.Var],
    ) -> None:
        self.stack, self.kind, self.counters = stack, kind, counters
        self.facts = counters.facts
        self.lengths = lengths
        """The lengths that have a name, by the place where they got it."""
        self.array = ir.Var(stack.name)
        self.dtype = ir.dtype_of(kind)
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

    def lines(self) -> dict[int, ir.Block]:
        """The lines by the identity of those whose place they take."""
        if self.stack.function is reversed:
            made = self.stack.made.value
            assert isinstance(made, ir.Apply)
            return self.read_backwards(made.args[0])
        by_loops = None if self.returned else self.by_loops()
        return self.counted() if by_loops is None else by_loops

    # --------------------------------------------- places that are the loops' own

    def by_loops(self) -> dict[int, ir.Block] | None:
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
        lines, again = ([], [])  # type: tuple[list[ir.Statement], list[ir.Statement]]
        place = self.place(turns, found, lines, save)
        lines.append(self.line(None, self.stored(place, save.value), save))
        place = self.place(reverse, found, again, restore)
        again.append(self.taken(restore, place))
        return {
            id(self.stack.made): self.made([self.length(r, turns) for r in found]),
            id(save): tuple(lines),
            id(restore): tuple(again),
        }

    def turns(self, path: ir.Path) -> Turns | None:
        return self.counters.turns(path, self.stack.made, self.stack.path)

    def place(
        self,
        turns: Turns,
        found: list[Room],
        lines: list[ir.Statement],
        like: ir.Statement,
    ) -> ir.Operand:
        """The index of the turn at hand; ``lines`` gets what computes it."""
        index: list[ir.Operand] = []
        for loop, (low, _), room in zip(turns.loops, turns.bounds, found):
            if room.start == Sum() or (room.start is None and low == Sum()):
                index.append(loop.target)
                continue
            start: Any = loop.start
            if room.start is not None:
                start = self.name_of(self.operand(room.start, turns), lines)
            elif loop.step == ir.Const(-1):
                start = self.name_of(
                    ir.Apply(operator.add, (loop.stop, ir.Const(1))), lines
                )
            place = self.facts.fresh("place", ir.INT)
            value = ir.Apply(operator.sub, (loop.target, start))
            lines.append(self.line(None, value, like, target=place, kind=ir.INT))
            index.append(place)
        return index[0] if len(index) == 1 else ir.pack_tuple(*index)

    def length(self, room: Room, turns: Turns) -> Any:
        """How many places an axis needs, as an operation."""
        found = self.operand(room.length, turns)
        if isinstance(found, ir.Const):
            return ir.Const(max(found.value, 0))
        kind = self.facts.kind(found) if isinstance(found, ir.Var) else None
        if isinstance(kind, ir.Scalar) and kind.length_of is not None:
            return found
        if isinstance(found, ir.Apply) and found.function is axis_length:
            return found
        return ir.Apply(max, (found, ir.Const(0)))

    def operand(self, value: Sum, turns: Turns) -> Any:
        """A sum free of counters, as operations; what a loop stops at has a name."""
        for loop, (_, high) in zip(turns.loops, turns.bounds):
            if (
                high == value
                and isinstance(loop.stop, ir.Var)
                and loop.step == ir.Const(1)
            ):
                if self.counters.is_fixed(
                    loop.stop.name, self.stack.made, self.stack.path
                ):
                    return loop.stop
        found: Any = None
        for base, factor in value.factors.items():
            size = abs(factor)
            part: Any = base
            if size != 1:
                part = ir.Apply(operator.mul, (part, ir.Const(size)))
            if found is None and factor < 0:
                part = ir.Apply(operator.neg, (part,))
            function = operator.add if factor > 0 else operator.sub
            found = part if found is None else ir.Apply(function, (found, part))
        if found is None:
            return ir.Const(value.constant)
        if value.constant:
            function = operator.add if value.constant > 0 else operator.sub
            found = ir.Apply(function, (found, ir.Const(abs(value.constant))))
        return found

    # ---------------------------------------------------- places that are counted

    def counted(self) -> dict[int, ir.Block]:
        """The lines with a count of what the array holds."""
        count = self.count()
        enough = self.enough()
        length = ir.Const(FIRST_LENGTH) if enough is None else enough
        made = (
            *self.made([length]),
            self.line(None, ir.Const(0), self.stack.made, target=count, kind=ir.INT),
        )
        lines: dict[int, ir.Block] = {id(self.stack.made): made}
        for save, _ in self.stack.saves:
            added: list[ir.Statement] = []
            if enough is None:
                added += self.made_room(count, save)
            added.append(self.line(None, self.stored(count, save.value), save))
            more = ir.Apply(operator.add, (count, ir.Const(1)), (), "augmented")
            added.append(self.line(None, more, save, target=count, kind=ir.INT))
            lines[id(save)] = tuple(added)
        return lines | self.taken_back(count)

    def read_backwards(self, array: ir.Operand) -> dict[int, ir.Block]:
        """The lines that read a residual from its end."""
        assert isinstance(array, ir.Var)
        self.array = array
        kind = ir.Array(self.dtype, (ir.Axis("any"),))
        self.facts.kinds[array.name] = self.facts.added[array.name] = kind
        count = self.count()
        length = ir.Apply(axis_length, (array, ir.Const(0)))
        lines: dict[int, ir.Block] = {
            id(self.stack.made): (
                self.line(None, length, self.stack.made, target=count, kind=ir.INT),
            )
        }
        return lines | self.taken_back(count)

    def count(self) -> ir.Var:
        """The variable that counts what the array holds."""
        count = ir.Var(f"{self.array.name}.count")
        self.facts.kinds[count.name] = self.facts.added[count.name] = ir.INT
        return count

    def taken_back(self, count: ir.Var) -> dict[int, ir.Block]:
        """The lines that take the last item, each time."""
        lines: dict[int, ir.Block] = {}
        for restore, _ in self.stack.restores:
            fewer = ir.Apply(operator.sub, (count, ir.Const(1)), (), "augmented")
            lines[id(restore)] = (
                ir.Assign(restore.span, count, fewer, ir.INT, derived=True),
                self.taken(restore, count),
            )
        return lines

    def handed_on(self, lines: ir.Block) -> ir.Block:
        """The return of residuals, of which this is one: as much as it holds."""
        *others, last = lines
        assert isinstance(last, ir.Return)
        kept = self.facts.fresh(
            f"{self.stack.name}.kept", self.facts.kinds[self.array.name]
        )
        filled = ir.Slice(None, self.count(), None)
        part = ir.Apply(operator.getitem, (self.array, filled))
        value = ir.map_operand(last.value, lambda v: kept if v == self.array else v)
        return (*others, ir.Assign(None, kept, part), replace(last, value=value))

    def enough(self) -> ir.Operand | None:
        """A length that surely holds all; None where that isn't known before."""
        total: Any = None
        for _, path in self.stack.saves:
            turns = self.turns(path)
            found = None if turns is None else rooms(turns)
            if turns is None or found is None:
                return None
            product: Any = ir.Const(1)
            for room in found:
                length = self.length(room, turns)
                one = product == ir.Const(1)
                product = length if one else ir.Apply(operator.mul, (product, length))
            total = (
                product if total is None else ir.Apply(operator.add, (total, product))
            )
        return total

    def made_room(self, count: ir.Var, save: ir.Save) -> list[ir.Statement]:
        length = self.facts.fresh("room", ir.INT)
        full = self.facts.fresh("full", ir.Scalar("bool"))
        read = ir.Apply(axis_length, (self.array, ir.Const(0)))
        test = ir.Apply(operator.eq, (count, length))
        longer = self.line(None, ir.Apply(helpers.grown, (self.array,)), save)
        return [
            self.line(None, read, save, target=length, kind=ir.INT),
            self.line(None, test, save, target=full, kind=ir.Scalar("bool")),
            ir.If(None, full, (longer,), ()),
        ]

    # --------------------------------------------------------------------- lines

    def made(self, lengths: list[ir.Operand]) -> ir.Block:
        lengths = [*lengths, *self.inner]
        axes = tuple(ir.Axis("any") for _ in lengths)
        kind = ir.Array(self.dtype, axes)
        name = self.array.name
        self.facts.kinds[name] = self.facts.added[name] = kind
        lines: list[ir.Statement] = []
        named: list[ir.Operand] = []
        for length in lengths:
            named.append(self.name_of(length, lines))
        shape: ir.Operand = named[0] if len(named) == 1 else ir.pack_tuple(*named)
        dtype = programs.WRITTEN_DTYPES.get(self.dtype or "")
        more = () if dtype is None else (ir.Const(dtype),)
        value = ir.Apply(np.empty, (shape, *more))
        return (*lines, self.line(None, value, self.stack.made))

    def name_of(self, length: Any, lines: list[ir.Statement]) -> Any:
        """A length as an operand; lines that compute it are added."""
        if not isinstance(length, ir.Apply):
            return length
        args = tuple(self.name_of(arg, lines) for arg in length.args)
        place = tuple((id(s), k) for s, k in self.stack.path)
        key = (place, length.function, args)
        if key not in self.lengths:
            variable = self.lengths[key] = self.facts.fresh("length", ir.INT)
            value = replace(length, args=args)
            lines.append(self.line(None, value, self.stack.made, target=variable))
        return self.lengths[key]

    def line(
        self,
        span: Any,
        value: Any,
        like: ir.Statement,
        target: ir.Var | None = None,
        kind: ir.Kind | None = None,
    ) -> ir.Assign:
        known = kind or self.facts.kinds.get((target or self.array).name)
        return ir.Assign(span, target or self.array, value, known)

    def stored(self, place: ir.Operand, value: ir.Operand) -> ir.Apply:
        return ir.Apply(ops.index_set, (self.array, place, value))

    def taken(self, restore: ir.Restore, place: ir.Operand) -> ir.Assign:
        value = ir.Apply(operator.getitem, (self.array, place))
        return ir.Assign(restore.span, restore.target, value, self.kind, derived=True)


def lines_of_list(stack: Stack, facts: programs.Facts) -> dict[int, ir.Block]:
    """The lines that read a residual from its end that is a list."""
    made = stack.made.value
    assert isinstance(made, ir.Apply)
    (items,) = made.args
    count = facts.fresh(f"{stack.name}.count", ir.INT)
    length = ir.Assign(None, count, ir.Apply(list_length, (items,)), ir.INT)
    lines: dict[int, ir.Block] = {id(stack.made): (length,)}
    for restore, _ in stack.restores:
        fewer = ir.Apply(operator.sub, (count, ir.Const(1)), (), "augmented")
        item = ir.Apply(list_item, (items, count))
        lines[id(restore)] = (
            ir.Assign(restore.span, count, fewer, ir.INT, derived=True),
            ir.Assign(restore.span, restore.target, item, None, derived=True),
        )
    return lines


def list_length(items: list[Any]) -> int:
    """``len(items)`` of a list of anything: a step for the emitter."""
    return len(items)


def list_item(items: list[Any], place: int) -> Any:
    """``items[place]`` of a list of anything: a step for the emitter."""
    return items[place]
