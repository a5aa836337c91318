"""Stacks whose places are the turns of loops: filled once in each turn of some loops,
and emptied once in each turn of the same loops the other way round.

::

    x.saved = new_stack()
    for i in range(0, n, 1):
        save x on x.saved                    # in turn i
    for i in reversed range(0, n, 1):
        restore x from x.saved               # in turn i
"""

import operator
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from s2sad import ir, ops

LARGEST_START = 2
"""Up to where a loop may start for its numbers to be places: as many are left empty."""


@dataclass(frozen=True, slots=True)
class StackByTurn:
    """A stack that has one place for each turn of some loops."""

    name: str
    made: ir.Assign
    save: ir.Save
    restore: ir.Restore
    forward: tuple[ir.For, ...]
    """The loops around the save, outermost first."""
    reverse: tuple[ir.For, ...]
    lengths: tuple[Any, ...]
    """For each loop an operand, or an operation that is to be computed where the stack
    is made: more than its largest number."""


def stacks_by_iteration(function: ir.Function) -> list[StackByTurn]:
    """All such stacks of a program which nothing else reads.

    >>> made = ir.Assign(None, ir.Var("s"), ir.Apply(ops.new_stack, ()))
    >>> s, n = ir.Var("s"), ir.Var("n")
    >>> ahead = ir.Save(None, s, ir.Var("i")), ir.Restore(None, ir.Var("x"), s)
    >>> loops = [ir.For(None, ir.Var(v), ir.Const(0), n, ir.Const(1), (line,), back)
    ...          for v, line, back in zip("ij", ahead, (False, True))]
    >>> body = (made, *loops, ir.Return(None, ir.Const(None)))
    >>> (stack,) = stacks_by_iteration(ir.Function("f", ("n",), body, {}))
    >>> stack.lengths
    (Apply(function=<built-in function max>, args=(Var(name='n'), Const(value=0)), \
keywords=(), spelling=''),)
    """
    if not any(isinstance(s, ir.Save) for s in ir.walk(function.body)):
        return []
    program = _Program(function)
    found = (program.by_turn(name) for name in program.made)
    return [stack for stack in found if stack is not None]


@dataclass
class _Uses:
    saves: list[tuple[ir.Save, ir.Path]] = field(default_factory=list)
    restores: list[tuple[ir.Restore, ir.Path]] = field(default_factory=list)
    others: int = 0


class _Program:
    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.writes: Counter[str] = Counter(function.parameters)
        self.made: dict[str, tuple[ir.Assign, ir.Path, int]] = {}
        self.assigned: dict[str, tuple[ir.Path, int]] = {}
        """Where a variable was assigned last, and at which place of the text."""
        self.uses: dict[str, _Uses] = {}
        for place, (s, path) in enumerate(ir.with_paths(function.body)):
            for v in ir.direct_writes(s):
                self.writes[v.name] += 1
                self.assigned[v.name] = path, place
            if ir.is_line(s, ops.new_stack):
                self.made[s.target.name] = s, path, place
            if isinstance(s, ir.Save):
                self._uses_of(s.stack).saves.append((s, path))
            elif isinstance(s, ir.Restore):
                self._uses_of(s.stack).restores.append((s, path))
            else:
                for v in ir.direct_reads(s):
                    self._uses_of(v).others += 1

    def _uses_of(self, stack: ir.Var) -> _Uses:
        return self.uses.setdefault(stack.name, _Uses())

    def by_turn(self, name: str) -> StackByTurn | None:
        uses, (made, around, place) = self.uses.get(name), self.made[name]
        if uses is None or uses.others:
            return None
        if len(uses.saves) != 1 or len(uses.restores) != 1:
            return None
        (save, path), (restore, back) = uses.saves[0], uses.restores[0]
        forward, reverse = _loops(path, around), _loops(back, around)
        if not forward or not reverse or len(forward) != len(reverse):
            return None
        lengths = []
        for ahead, behind in zip(forward, reverse, strict=True):
            bounds = (ahead.start, ahead.stop, ahead.step)
            if bounds != (behind.start, behind.stop, behind.step):
                return None
            if ahead.backwards == behind.backwards:
                return None
            length = _more_than_largest(ahead, self.function)
            known = all(self._is_fixed(bound, around, place) for bound in bounds)
            if length is None or not known:
                return None
            if not _keeps_count(ahead) or not _keeps_count(behind):
                return None
            lengths.append(length)
        return StackByTurn(name, made, save, restore, forward, reverse, tuple(lengths))

    def _is_fixed(self, bound: ir.Operand, around: ir.Path, place: int) -> bool:
        """True for a bound that has been what it is since before a place of the text
        in a block."""
        if not isinstance(bound, ir.Var):
            return isinstance(bound, ir.Const)
        if self.writes[bound.name] != 1:
            return False
        if bound.name in self.function.parameters:
            return True
        path, assigned = self.assigned[bound.name]
        return assigned < place and path == around[: len(path)]


def _loops(path: ir.Path, around: ir.Path) -> tuple[ir.For, ...]:
    """The loops between the block where a stack is made and a statement; none if there
    is anything else, or a loop that may end early."""
    if path[: len(around)] != around:
        return ()
    inside = tuple(s for s, _ in path[len(around) :])
    if all(isinstance(s, ir.For) and s.until is None for s in inside):
        return inside  # type: ignore[return-value]
    return ()


def _keeps_count(loop: ir.For) -> bool:
    """True for a loop that doesn't change its variable within a turn."""
    return loop.target.name not in ir.names_written_in(loop.body)


def _more_than_largest(loop: ir.For, function: ir.Function) -> Any:
    """What is more than the largest number of a loop that counts up or down by one;
    None where numbers may be negative, or would start far from zero."""
    if loop.step == ir.Const(1) and isinstance(loop.start, ir.Const):
        if not 0 <= loop.start.value <= LARGEST_START:
            return None
        return _at_least_nothing(loop.stop, function)
    if loop.step == ir.Const(-1) and loop.stop == ir.Const(-1):
        more = ir.Apply(operator.add, (loop.start, ir.Const(1)))
        return ir.Apply(max, (more, ir.Const(0)))  # type: ignore[arg-type]
    return None


def _at_least_nothing(stop: ir.Operand, function: ir.Function) -> Any:
    if isinstance(stop, ir.Const):
        return ir.Const(max(stop.value, 0))
    kind = ir.kind_of(stop, function.kinds)
    if isinstance(kind, ir.Scalar) and kind.length_of is not None:
        return stop
    return ir.Apply(max, (stop, ir.Const(0)))


def place_of_turn(loops: tuple[ir.For, ...]) -> ir.Operand:
    """The index of what belongs to the turn at hand."""
    targets = tuple(loop.target for loop in loops)
    return ir.packed(targets)
