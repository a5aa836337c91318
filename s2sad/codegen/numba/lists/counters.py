"""Whole numbers that the counters of loops tell: which values a line's loops give, and
how large these get.

::

    for i in range(0, n, 1):
        stop = add(i, 1)
        for j in range(0, stop, 1): ...      # j: 0 to (n - 1 + 1) - 1

A whole number is written as a sum of counters, of numbers that don't change and of
lengths of arrays, each with a factor. Two loops run equally often where their bounds
are the same sums; the greatest value of a sum follows from those of its counters.

Whole numbers that both sweeps compute aren't kept. What an array's length or a loop's
counter tells costs less than its place in memory; and where the bounds of inner loops
are known, their turns tell places, too::

    for t in range(0, n, 1):                 for t in range(0, n, 1):
        stop = sub(len(u), 1)                    stop = sub(len(u), 1)
        for i in range(1, stop, 1): ...          for i in range(1, stop, 1): ...
        save stop on stop.saved      ->
    for t in reversed range(0, n, 1):        for t in reversed range(0, n, 1):
        restore stop~2 from stop.saved           stop~2 = sub(len(u), 1)
        for i in reversed range(1, stop~2, 1)    for i in reversed range(1, stop~2, 1)
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad import ir
from s2sad.codegen.numba.lists.stacks import Stack, stacks_of
from s2sad.codegen.numba.programs import Facts, is_array
from s2sad.codegen.python.folding import WRITES_BUFFER
from s2sad.rules.steps.shape_queries import axis_length

Base = ir.Var | ir.Apply
"""A counter, a number that doesn't change, or the length of an array."""
LENGTHS = (len, axis_length)
FEW_MORE = 8
"""Places that may stay empty, so that a counter itself is the place."""


@dataclass(frozen=True)
class Sum:
    """Bases with their factors, and a constant."""

    factors: Mapping[Base, int] = field(default_factory=dict)
    constant: int = 0

    def plus(self, other: Sum, factor: int = 1) -> Sum:
        """This and another one, times a factor."""
        factors = dict(self.factors)
        for base, own in other.factors.items():
            factors[base] = factors.get(base, 0) + factor * own
        kept = {base: own for base, own in factors.items() if own}
        return Sum(kept, self.constant + factor * other.constant)

    def with_bounds(self, base: Base, bounds: tuple[Sum, Sum]) -> Sum:
        """The greatest value, where a base lies between two sums."""
        factor = self.factors.get(base, 0)
        if not factor:
            return self
        without = Sum({b: f for b, f in self.factors.items() if b != base})
        bound = bounds[1] if factor > 0 else bounds[0]
        return without.plus(bound, factor).plus(Sum({}, self.constant))


@dataclass(frozen=True)
class Turns:
    """The loops around a line, the outermost first, with their bounds as sums."""

    loops: tuple[ir.For, ...]
    bounds: tuple[tuple[Sum, Sum], ...]
    """The first number of each, and the one that it stops before; those of a loop that
    counts down are (the last one, the first one plus 1)."""

    def equal(self, other: Turns) -> bool:
        """True where both run through the same numbers, in opposite directions."""
        return self.bounds == other.bounds and all(
            a.step == b.step and a.backwards != b.backwards
            for a, b in zip(self.loops, other.loops)
        )

    def most(self, value: Sum) -> Sum:
        """The greatest value of a sum, free of the counters."""
        for k in reversed(range(len(self.loops))):
            low, high = self.bounds[k]
            value = value.with_bounds(counter(k), (low, high.plus(Sum({}, -1))))
        return value

    def least(self, value: Sum) -> Sum:
        """The smallest value of a sum, free of the counters."""
        return Sum().plus(self.most(Sum().plus(value, -1)), -1)


def counter(k: int) -> ir.Var:
    """Stands for the counter of the k-th loop around a line."""
    return ir.Var(f"counter {k}")


class Counters:
    """The sums of a program."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.order: dict[int, int] = {}
        """The statements in order of text, by identity."""
        self.bindings: dict[str, list[tuple[ir.Statement, ir.Path]]] = {}
        """Where each variable gets a value; writes into its array don't count."""
        for k, (s, path) in enumerate(ir.with_paths(facts.function.body)):
            self.order[id(s)] = k
            for v in ir.direct_writes(s):
                into = ir.applies(s, *WRITES_BUFFER) and s.value.args[0] == v
                if not into or not is_array(facts.kind(v)):
                    self.bindings.setdefault(v.name, []).append((s, path))
        self.parameters = Counter(facts.function.parameters)

    def is_fixed(self, name: str, made: ir.Statement, path: ir.Path) -> bool:
        """True for a variable that gets no other value (an array: no other buffer) than
        it has at a statement, of which ``path`` says where it stands."""
        bindings = self.bindings.get(name, [])
        if name in self.parameters:
            return not bindings
        if len(bindings) != 1:
            return False
        (at, where) = bindings[0]
        before = self.order[id(at)] < self.order[id(made)]
        return before and where == path[: len(where)]

    def sum_of(
        self,
        operand: Any,
        counters: Mapping[str, ir.Var],
        made: ir.Statement,
        path: ir.Path,
    ) -> Sum | None:
        """A whole number as a sum of counters, by the names of their variables, and of
        what is fixed at a statement; None where it is anything else."""
        if isinstance(operand, ir.Const):
            return Sum({}, operand.value) if type(operand.value) is int else None
        if isinstance(operand, ir.Var):
            if operand.name in counters:
                return Sum({counters[operand.name]: 1})
            if ir.dtype_of(self.facts.kind(operand) or ir.Scalar("float")) != "int64":
                return None
            bindings = self.bindings.get(operand.name, [])
            if len(bindings) == 1 and operand.name not in self.parameters:
                s, _ = bindings[0]
                if isinstance(s, ir.Assign) and s.target == operand:
                    found = self.sum_of(s.value, counters, made, path)
                    if found is not None:
                        return found
            if self.is_fixed(operand.name, made, path):
                return Sum({operand: 1})
            return None
        if not isinstance(operand, ir.Apply) or operand.keywords:
            return None
        if operand.function in LENGTHS:
            array = operand.args[0]
            if not isinstance(array, ir.Var) or not is_array(self.facts.kind(array)):
                return None
            if not self.is_fixed(array.name, made, path):
                return None
            axis = operand.args[1] if len(operand.args) > 1 else ir.Const(0)
            return Sum({ir.Apply(axis_length, (array, axis)): 1})
        if operand.function not in (operator.add, operator.sub, operator.mul):
            return None
        parts = [self.sum_of(a, counters, made, path) for a in operand.args]
        first, second = parts
        if first is None or second is None:
            return None
        if operand.function is operator.mul:
            if first.factors:
                first, second = second, first
            return None if first.factors else Sum().plus(second, first.constant)
        return first.plus(second, 1 if operand.function is operator.add else -1)

    def turns(self, path: ir.Path, made: ir.Statement, around: ir.Path) -> Turns | None:
        """The loops between a statement that stands at ``around`` and a line at
        ``path``; None where there is anything but ``for`` and ``if``, a loop that may
        end early, or one whose bounds aren't such sums."""
        if path[: len(around)] != around:
            return None
        inside = [s for s, _ in path[len(around) :] if not isinstance(s, ir.If)]
        counters: dict[str, ir.Var] = {}
        bounds: list[tuple[Sum, Sum]] = []
        for k, s in enumerate(inside):
            if not isinstance(s, ir.For) or s.until is not None:
                return None
            if s.step not in (ir.Const(1), ir.Const(-1)):
                return None
            start = self.sum_of(s.start, counters, made, around)
            stop = self.sum_of(s.stop, counters, made, around)
            if start is None or stop is None:
                return None
            if len(self.bindings[s.target.name]) != 1:
                return None
            if s.step == ir.Const(-1):
                one = Sum({}, 1)
                start, stop = stop.plus(one), start.plus(one)
            bounds.append((start, stop))
            counters[s.target.name] = counter(k)
        return Turns(tuple(inside), tuple(bounds))  # type: ignore[arg-type]

    def value(
        self, turns: Turns, value: ir.Operand, made: ir.Statement, at: ir.Path
    ) -> Any:
        """A number in a line within these loops as a sum; None where it isn't one."""
        names = {s.target.name: counter(k) for k, s in enumerate(turns.loops)}
        return self.sum_of(value, names, made, at)


def surely_not_negative(value: Sum) -> bool:
    """True where constants and lengths show it."""
    lengths = all(isinstance(b, ir.Apply) and f > 0 for b, f in value.factors.items())
    return lengths and value.constant >= 0


@dataclass(frozen=True)
class Room:
    """Along an axis of an array, what one loop of several needs."""

    length: Sum
    """How many places; none where it is negative."""
    start: Sum | None
    """The counter is at place 0 there; None: where the loop starts in its turn."""


def rooms(turns: Turns) -> list[Room] | None:
    """The room for one number in each turn; None where much of it would be empty."""
    found: list[Room] = []
    varying = 0
    for low, high in turns.bounds:
        counters = {counter(k) for k in range(len(turns.loops))}
        width = high.plus(low, -1)
        varies = bool(counters & set(width.factors))
        varying += varies
        first = turns.least(low)
        start = Sum() if surely_not_negative(first) else first
        whole = turns.most(high).plus(start, -1)
        own = turns.most(width)
        more = whole.plus(own, -1)
        few = not more.factors and more.constant <= FEW_MORE
        found.append(Room(whole, start) if few else Room(own, None))
    # with two triangles in one another, five places of six would be empty
    return found if varying <= 1 else None


def with_repeated_counts(function: ir.Function) -> ir.Function:
    """The program without stacks of what counters and lengths tell."""
    while (changed := _without_one(function)) is not None:
        function = changed
    return function


def _without_one(function: ir.Function) -> ir.Function | None:
    """The program without one such stack; None where there is none."""
    facts = Facts(function)
    counters = Counters(facts)
    each = (_Repeated(stack, counters).lines() for stack in stacks_of(facts))
    lines = next((found for found in each if found is not None), None)
    if lines is None:
        return None
    return facts.program(
        ir.with_leaves(function.body, lambda s: lines.get(id(s), (s,)))
    )


class _Repeated:
    """The lines that take the place of those of one stack."""

    def __init__(self, stack: Stack, counters: Counters) -> None:
        self.stack, self.counters = stack, counters
        self.facts = counters.facts

    def lines(self) -> dict[int, ir.Block] | None:
        """By the identity of those whose place they take; None where the stack stays
        one."""
        stack = self.stack
        if stack.others or len(stack.saves) != 1 or len(stack.restores) != 1:
            return None
        (save, path), (restore, back) = stack.saves[0], stack.restores[0]
        turns, reverse = self.turns(path), self.turns(back)
        if turns is None or reverse is None or not turns.equal(reverse):
            return None
        value = self.counters.value(turns, save.value, stack.made, stack.path)
        if value is None:
            return None
        again: list[ir.Statement] = []
        names = {a.target: b.target for a, b in zip(turns.loops, reverse.loops)}
        found = self.repeated(save.value, names, again, restore)
        if again and isinstance(again[-1], ir.Assign) and again[-1].target == found:
            again[-1] = replace(again[-1], target=restore.target)
        else:
            again.append(
                ir.Assign(restore.span, restore.target, found, ir.INT, derived=True)
            )
        return {id(stack.made): (), id(save): (), id(restore): tuple(again)}

    def turns(self, path: ir.Path) -> Turns | None:
        return self.counters.turns(path, self.stack.made, self.stack.path)

    def repeated(
        self,
        operand: ir.Operand,
        names: dict[ir.Var, ir.Var],
        lines: list[ir.Statement],
        like: ir.Restore,
    ) -> ir.Operand:
        """A number computed again with the counters of the other sweep."""
        if not isinstance(operand, ir.Var):
            return operand
        if operand in names:
            return names[operand]
        if self.counters.is_fixed(operand.name, self.stack.made, self.stack.path):
            return operand
        ((s, _),) = self.counters.bindings[operand.name]
        assert isinstance(s, ir.Assign)
        value: Any = s.value
        if isinstance(value, ir.Var):
            return self.repeated(value, names, lines, like)
        assert isinstance(value, ir.Apply)
        args = tuple(self.repeated(a, names, lines, like) for a in value.args)
        target = self.facts.fresh(operand.name.partition(".")[0], ir.INT)
        again = replace(value, args=args)
        lines.append(ir.Assign(like.span, target, again, ir.INT, derived=True))
        return target
