"""Saved numbers in arrays.

A stack of numbers is a list in Python. Where it is filled once in each turn of a loop,
and emptied once in each turn of the same loop backwards, the place is the loop's own::

    x.saved = new_stack()                    x.saved = empty(n)
    for i in range(0, n, 1):                 for i in range(0, n, 1):
        save x on x.saved            ->          x.saved = index_set(x.saved, i, x)
    for i in reversed range(0, n, 1):        for i in reversed range(0, n, 1):
        restore x from x.saved                   x = getitem(x.saved, i)

Elsewhere, where the loops around say before them how long it may get, a count says how
much the array holds. Other stacks stay lists, to which Numba appends in a sixth of the
time that an array takes that doubles its length. Only residuals, which the function of
a pullback reads, are such arrays: Numba hands on no lists. Stacks of arrays stay lists,
too.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2sad.codegen.numba.helpers import grown
from s2sad.codegen.numba.programs import Facts, with_paths
from s2sad.ir.kinds import INT, Array, Axis, Kind, NumPyScalar, Scalar, dtype_of
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    For,
    Function,
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
from s2sad.ir.walking import direct_reads, map_operand, walk, with_leaves
from s2sad.rules.shape_queries import axis_length
from s2sad.transform.buffers import index_set
from s2sad.transform.stacks import new_stack

FIRST_LENGTH = 16
"""The length of an array that grows, at first."""
_DTYPES: dict[str, Any] = {"bool": np.bool_, "int64": np.int64}

Path = tuple[tuple[Statement, int], ...]


@dataclass
class _Stack:
    """What is done with one stack."""

    name: str
    made: Statement
    path: Path
    saves: list[tuple[Save, Path]] = field(default_factory=list)
    restores: list[tuple[Restore, Path]] = field(default_factory=list)
    returned: bool = False
    """Whether it is a residual, which the function of a pullback reads."""


def with_saved_arrays(function: Function) -> Function:
    """The program with its stacks of numbers as arrays."""
    facts = Facts(function)
    stacks: dict[str, _Stack] = {}
    for s, path in with_paths(function.body):
        if isinstance(s, Assign) and isinstance(s.value, Apply):
            made = s.value.function in (new_stack, reversed)
            if made and isinstance(s.target, Var):
                stacks[s.target.name] = _Stack(s.target.name, s, path)
        elif isinstance(s, Save) and s.stack.name in stacks:
            stacks[s.stack.name].saves.append((s, path))
        elif isinstance(s, Restore) and s.stack.name in stacks:
            stacks[s.stack.name].restores.append((s, path))
    lines: dict[int, Block] = {}
    lengths: dict[Any, Var] = {}
    for stack in stacks.values():
        kind = _kind_of_items(stack, facts)
        others = [
            s
            for s in walk(function.body)
            if not isinstance(s, Save | Restore)
            and any(v.name == stack.name for v in direct_reads(s))
        ]
        stack.returned = others == [function.body[-1]]
        once = facts.writes[stack.name] == 1 + len(stack.saves)
        if kind is None or not once or (others and not stack.returned):
            continue
        arrays = _Arrays(stack, kind, facts, lengths)
        if arrays.stays_list():
            continue
        lines |= arrays.lines()
        if stack.returned:
            last = lines.pop(id(function.body[-1]), (function.body[-1],))
            lines[id(function.body[-1])] = arrays.handed_on(last)
    if not lines:
        return function
    body = with_leaves(function.body, lambda s: lines.get(id(s), (s,)))
    kinds = {**function.kinds, **facts.added}
    temporaries = function.temporaries | frozenset(facts.added) - set(stacks)
    return replace(function, body=body, kinds=kinds, temporaries=temporaries)


def _kind_of_items(stack: _Stack, facts: Facts) -> Kind | None:
    """The kind of the numbers on a stack; None where there is anything else."""
    dtypes = set()
    held = [save.value for save, _ in stack.saves]
    for value in held or [restore.target for restore, _ in stack.restores]:
        kind = facts.kind(value)
        if not isinstance(kind, Scalar | NumPyScalar):
            return None
        dtypes.add(dtype_of(kind))
    if dtypes == {"int64", "float64"}:
        return Scalar("float")
    names = {"float64": "float", "int64": "int", "bool": "bool"}
    (dtype,) = dtypes if len(dtypes) == 1 else (None,)
    return Scalar(names[dtype]) if dtype in names else None


class _Arrays:
    """The lines that take the place of those of one stack."""

    def __init__(
        self, stack: _Stack, kind: Kind, facts: Facts, lengths: dict[Any, Var]
    ) -> None:
        self.stack, self.kind, self.facts = stack, kind, facts
        self.lengths = lengths
        """The lengths that have a name, by the place where they got it."""
        self.array = Var(stack.name)
        self.dtype = dtype_of(kind)

    def stays_list(self) -> bool:
        """True for a stack whose length only the run knows, which nobody else reads."""
        made = self.stack.made
        assert isinstance(made, Assign) and isinstance(made.value, Apply)
        if self.stack.returned or not self.stack.saves:
            return False
        return made.value.function is not reversed and self.enough() is None

    def lines(self) -> dict[int, Block]:
        """The lines by the identity of those whose place they take."""
        made = self.stack.made
        assert isinstance(made, Assign) and isinstance(made.value, Apply)
        if made.value.function is reversed:
            return self.read_backwards(made.value.args[0])
        by_loops = None if self.stack.returned else self.by_loops()
        return self.counted() if by_loops is None else by_loops

    # --------------------------------------------- places that are the loops' own

    def by_loops(self) -> dict[int, Block] | None:
        """The lines where both sweeps go through the same loops once in each turn."""
        if len(self.stack.saves) != 1 or len(self.stack.restores) != 1:
            return None
        (save, path), (restore, back) = self.stack.saves[0], self.stack.restores[0]
        loops, reverse = self.loops(path), self.loops(back)
        if not loops or reverse is None or len(loops) != len(reverse):
            return None
        for ahead, behind in zip(loops, reverse):
            if not behind.backwards or ahead.backwards or not self.is_known(ahead):
                return None
            bounds = (ahead.start, ahead.stop, ahead.step)
            if bounds != (behind.start, behind.stop, behind.step):
                return None
            if ahead.step != Const(1) or ahead.start != Const(0):
                return None
        return {
            id(self.stack.made): self.made([self.length(s) for s in loops]),
            id(save): (
                self.line(None, self.stored(self.places(loops), save.value), save),
            ),
            id(restore): (self.taken(restore, self.places(reverse)),),
        }

    def places(self, loops: list[For]) -> Operand:
        """The index of the turn at hand."""
        targets = tuple(s.target for s in loops)
        return targets[0] if len(targets) == 1 else pack_tuple(*targets)

    def loops(self, path: Path) -> list[For] | None:
        """The loops between the stack's creation and a statement; None where there is
        anything else, or a loop that may end early."""
        if path[: len(self.stack.path)] != self.stack.path:
            return None
        inside = [s for s, _ in path[len(self.stack.path) :]]
        if all(isinstance(s, For) and s.until is None for s in inside):
            return inside  # type: ignore[return-value]
        return None

    def is_known(self, loop: For) -> bool:
        """True for a loop whose bounds are what they were when the stack was made."""
        for bound in (loop.start, loop.stop, loop.step):
            if isinstance(bound, Var) and not self.is_fixed(bound.name):
                return False
        return True

    def is_fixed(self, name: str) -> bool:
        if self.facts.writes[name] != 1:
            return False
        if name in self.facts.function.parameters:
            return True
        for s, path in with_paths(self.facts.function.body):
            if s is self.stack.made:
                return False  # not assigned up to here
            if isinstance(s, Assign) and s.target == Var(name):
                return path == self.stack.path[: len(path)]
        return False

    def length(self, loop: For) -> Operand:
        """How often a loop from 0 in steps of 1 runs."""
        stop = loop.stop
        if isinstance(stop, Const):
            return Const(max(stop.value, 0))
        kind = self.facts.kind(stop)
        if isinstance(kind, Scalar) and kind.length_of is not None:
            return stop
        return Apply(max, (stop, Const(0)))  # type: ignore[return-value]

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
            inside = [s for s, _ in path[len(self.stack.path) :]]
            if path[: len(self.stack.path)] != self.stack.path:
                return None
            product: Any = Const(1)
            for s in inside:
                if isinstance(s, If):
                    continue
                if not isinstance(s, For) or s.backwards or not self.is_known(s):
                    return None
                if s.start != Const(0) or s.step != Const(1):
                    return None
                length = self.length(s)
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
        axes = tuple(Axis("any") for _ in lengths)
        kind = Array(self.dtype, axes)
        name = self.array.name
        self.facts.kinds[name] = self.facts.added[name] = kind
        lines: list[Statement] = []
        named: list[Operand] = []
        for length in lengths:
            named.append(self.name_of(length, lines))
        shape: Operand = named[0] if len(named) == 1 else pack_tuple(*named)
        dtype = _DTYPES.get(self.dtype or "")
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
