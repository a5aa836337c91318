"""Chosen turns: where a loop looks for one of many values, only the turn that chose it
last is differentiated.

::

                                             j.chosen = -1
                                             v.before = v
    for j in range(0, n, 1):                 for j in range(0, n, 1):
        a = getitem(x, j)                        a = getitem(x, j)
        c = lt(a, v)                             c = lt(a, v)
        if c:                          ->        if c:
            v = a                                    v = a
                                                     j.chosen = j
                                             d = ge(j.chosen, 0)
                                             if d:
                                                 b = getitem(x, j.chosen)
                                                 u = b
                                             else:
                                                 u = v.before
                                             v.found = stopped(v)
                                             v = with_derivative_of(v.found, u)

Behind the loop ``v`` is what one turn gave, and what that turn computed it from is
still there: it is computed again from the number of the turn. The loop itself needs no
reverse, and keeps nothing.

It is done before reverse mode, to variables that one assignment in the loop, under a
condition, gives a value, where that value depends on no other turn and the loop itself
reads the variable only to compare it.
"""

from __future__ import annotations

import operator
from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Any

from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.analysis.reverse.activity import carries_derivative
from s2sad.analysis.reverse.costs import Costs
from s2sad.ir.checkpoints import is_region
from s2sad.ir.kinds import BOOL, INT, UNKNOWN, Kind
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    For,
    Function,
    If,
    Statement,
    Var,
    While,
)
from s2sad.ir.walking import (
    as_block,
    direct_reads,
    direct_writes,
    map_value,
    operations,
    value_variables,
    walk,
    with_blocks,
)
from s2sad.rules.registry import OwnRule
from s2sad.rules.steps.stopped import retained, stopped, with_derivative_of
from s2sad.transform.programs.webs import split_webs


def with_chosen_turns(function: Function, active: Set[str], spec: Any) -> Function:
    """The function with the chosen turn of each such loop computed again behind it.

    ``active`` are the variables to be differentiated; ``spec`` names new ones.
    """
    if not any(isinstance(s, For) for s in walk(function.body)):
        return function
    return _Choices(function, active, spec).run()


@dataclass(frozen=True)
class _Choice:
    """A variable that one turn of a loop gives its value."""

    assigned: Assign
    block: Block
    """The branch in which it is assigned."""
    lines: tuple[Assign, ...]
    """What computes the value in that turn."""


class _Choices:
    def __init__(self, function: Function, active: Set[str], spec: Any) -> None:
        self.function, self.active, self.spec = function, active, spec
        self.kinds: dict[str, Kind] = dict(function.kinds)
        self.costs = Costs(lambda name: self.kinds.get(name, UNKNOWN))
        self.bound = assigned_variables(function.body, function.parameters)

    def run(self) -> Function:
        body = self.block(self.function.body)
        if body is self.function.body:
            return self.function
        temporaries = self.function.temporaries | self.spec.temporaries
        chosen = replace(
            self.function,
            body=body,
            kinds=self.kinds,
            temporaries=frozenset(temporaries),
        )
        return split_webs(chosen)

    def block(self, block: Block, plain: bool = True) -> Block:
        """A block with its loops rewritten; the loop of a checkpointed region stays
        what the region consists of (not ``plain``)."""
        result: list[Statement] = []
        for s in block:
            inner = self.regions_block if is_region(s) else self.block
            within = with_blocks(s, inner)
            choices = self.choices(s) if plain and isinstance(s, For) else []
            if choices:
                assert isinstance(within, For)
                # a loop in it that was rewritten isn't looked into again
                result += self.rewritten(within, choices)
            else:
                result.append(within)
        return as_block(result, block)

    def regions_block(self, block: Block) -> Block:
        return self.block(block, plain=False)

    # ---------------------------------------------------------------- what is chosen

    def choices(self, loop: For) -> list[_Choice]:
        """The variables of a loop that one turn gives their value."""
        if loop.parallel or not (
            _is_int_of_at_least(loop.start, 0) and _is_int_of_at_least(loop.step, 1)
        ):
            return []
        writes: dict[str, list[Statement]] = {}
        reads: dict[str, list[Statement]] = {}
        for s in walk(loop.body):
            for v in direct_writes(s):
                writes.setdefault(v.name, []).append(s)
            for v in direct_reads(s):
                reads.setdefault(v.name, []).append(s)
        if loop.target.name in writes:
            return []
        bound = self.bound.before[id(loop)]
        found = []
        for name, path in _assigned_in_branches(loop.body, ()):
            if len(writes[name]) > 1 or name not in self.active or name not in bound:
                continue
            if not all(map(_only_compares, reads.get(name, ()))):
                continue
            block, place = path[-1]
            assigned = block[place]
            assert isinstance(assigned, Assign)
            lines = self.lines(assigned, path, writes, loop.target.name)
            if lines is not None:
                found.append(_Choice(assigned, block, lines))
        return found

    def lines(
        self,
        assigned: Assign,
        path: tuple[tuple[Block, int], ...],
        writes: dict[str, list[Statement]],
        turn: str,
    ) -> tuple[Assign, ...] | None:
        """The lines of a turn that compute what it assigns; None where other turns have
        a part in it, or they can't be run again."""
        before = [s for block, place in path for s in block[:place]]
        found: list[Assign] = []
        needed = {v.name for v in value_variables(assigned.value)} - {turn}
        if not self.may_be_repeated(assigned):
            return None
        for s in reversed(before):
            written = {v.name for v in direct_writes(s)} & needed
            if not written:
                continue
            if not isinstance(s, Assign) or not isinstance(s.target, Var):
                return None
            if len(writes[s.target.name]) > 1 or not self.may_be_repeated(s):
                return None
            found.insert(0, s)
            needed -= written
            needed |= {v.name for v in value_variables(s.value)} - {turn}
        return None if needed & writes.keys() else tuple(found)

    def may_be_repeated(self, s: Assign) -> bool:
        if any(a.function is retained for a in operations(s)):
            return False
        if isinstance(s.value, Apply) and isinstance(s.value.function, OwnRule):
            return False
        return self.costs.repeated(s) is not None

    # ---------------------------------------------------------------- what is written

    def rewritten(self, loop: For, choices: list[_Choice]) -> list[Statement]:
        """The loop, and behind it what its chosen turn computed."""
        ahead: list[Statement] = []
        behind: list[Statement] = []
        noted: dict[int, Var] = {}
        for block in {id(c.block): c.block for c in choices}.values():
            chosen = self.fresh(f"{_plain_name(loop.target.name)}_chosen", INT)
            ahead.append(Assign(None, chosen, Const(-1), INT))
            own = [c for c in choices if c.block is block]
            noted[id(own[-1].assigned)] = chosen
            names = [(str(c.assigned.target), c) for c in own]
            before = {n: self.fresh(n, self.kinds[n]) for n, _ in names}
            again = {n: self.fresh(n, self.kinds[n]) for n, _ in names}
            for n, _ in names:
                ahead.append(Assign(None, before[n], Var(n), self.kinds[n]))
            taken = self.taken(own, again, loop.target.name, chosen)
            kept = tuple(
                Assign(c.assigned.span, again[n], before[n], self.kinds[n])
                for n, c in names
            )
            test = self.fresh("condition", BOOL)
            choosing = Apply(operator.ge, (chosen, Const(0)))
            behind.append(Assign(loop.span, test, choosing, BOOL))
            behind.append(If(loop.span, test, taken, kept))
            for n, c in names:
                kind = self.kinds[n]
                found = self.fresh(n, kind)
                behind.append(Assign(None, found, Apply(stopped, (Var(n),)), kind))
                value = Apply(with_derivative_of, (found, again[n]))
                behind.append(Assign(c.assigned.span, Var(n), value, kind))
        return [*ahead, replace(loop, body=_noted(loop, noted)), *behind]

    def taken(
        self, choices: list[_Choice], again: dict[str, Var], turn: str, chosen: Var
    ) -> Block:
        """The lines of the chosen turn, on variables of their own."""
        own = {turn: chosen}
        lines: list[Statement] = []

        def renamed(variable: Var) -> Var:
            return own.get(variable.name, variable)

        for choice in choices:
            for s in choice.lines:
                assert isinstance(s.target, Var)
                if s.target.name in own:
                    continue
                value = map_value(s.value, renamed)
                kind = s.kind or self.kinds.get(s.target.name)
                target = self.fresh(s.target.name, self.kinds[s.target.name])
                own[s.target.name] = target
                line = replace(s, target=target, value=value, kind=kind, derived=True)
                lines.append(line)
        for choice in choices:
            s = choice.assigned
            value = map_value(s.value, renamed)
            target = again[str(s.target)]
            lines.append(replace(s, target=target, value=value, derived=True))
        return tuple(lines)

    def fresh(self, like: str, kind: Kind) -> Var:
        variable: Var = self.spec.fresh(_plain_name(like))
        self.kinds[variable.name] = kind
        return variable


def _noted(loop: For, noted: dict[int, Var]) -> Block:
    """The body of a loop, in which the branches note the number of the turn."""

    def change(block: Block) -> Block:
        result: list[Statement] = []
        for s in block:
            result.append(with_blocks(s, change))
            if id(s) in noted:
                result.append(Assign(None, noted[id(s)], loop.target, INT))
        return as_block(result, block)

    return change(loop.body)


def _assigned_in_branches(
    block: Block, path: tuple[tuple[Block, int], ...]
) -> list[tuple[str, tuple[tuple[Block, int], ...]]]:
    """The variables that are assigned in branches, each with the way to the
    assignment: blocks, and the places in them."""
    found = []
    for place, s in enumerate(block):
        here = (*path, (block, place))
        if isinstance(s, If):
            found += _assigned_in_branches(s.body, here)
            found += _assigned_in_branches(s.orelse, here)
        elif path and isinstance(s, Assign) and isinstance(s.target, Var):
            found.append((s.target.name, here))
    return found


def _only_compares(s: Statement) -> bool:
    """True for a reader through which no derivative goes."""
    match s:
        case If() | While() | Effect():
            return True
        case Assign(value=value):
            return not carries_derivative(value)
    return False


def _is_int_of_at_least(operand: Any, least: int) -> bool:
    return (
        isinstance(operand, Const)
        and type(operand.value) is int
        and operand.value >= least
    )


def _plain_name(name: str) -> str:
    return name.strip(".").split("~")[0].split(".")[0]
