"""Whole numbers that both sweeps compute, rather than keep.

What an array's length or a loop's counter tells costs less than its place in memory;
and where the bounds of inner loops are known, their turns tell places, too::

    for t in range(0, n, 1):                 for t in range(0, n, 1):
        stop = sub(len(u), 1)                    stop = sub(len(u), 1)
        for i in range(1, stop, 1): ...          for i in range(1, stop, 1): ...
        save stop on stop.saved      ->
    for t in reversed range(0, n, 1):        for t in reversed range(0, n, 1):
        restore stop~2 from stop.saved           stop~2 = sub(len(u), 1)
        for i in reversed range(1, stop~2, 1)    for i in reversed range(1, stop~2, 1)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.codegen.numba.lists.counters import Counters, Turns
from s2sad.codegen.numba.lists.stacks import Stack, stacks_of
from s2sad.codegen.numba.programs import Facts


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
