"""Chosen iterations: where a loop looks for one of many values, only the iteration that
chose it last is differentiated.

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

import operator
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

from s2sad import ir, ops, rules
from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.analysis.reverse import activity, costs
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.rules.steps.stopped import retained, stopped, with_derivative_of
from s2sad.transform.programs.webs import split_webs


def with_chosen_iterations(
    function: ir.Function, active: Set[str], spec: Specialiser
) -> ir.Function:
    """The function with the chosen turn of each such loop computed again behind it.

    ``active`` are the variables to be differentiated; ``spec`` names new ones.
    """
    if not any(isinstance(s, ir.For) for s in ir.walk(function.body)):
        return function
    return _Choices(function, active, spec).run()


@dataclass(frozen=True)
class _Choice:
    """A variable that one turn of a loop gives its value."""

    assigned: ir.Assign
    block: ir.Block
    """The branch in which it is assigned."""
    lines: tuple[ir.Assign, ...]
    """What computes the value in that turn."""


class _Choices:
    def __init__(
        self, function: ir.Function, active: Set[str], spec: Specialiser
    ) -> None:
        self.function, self.active, self.spec = function, active, spec
        kinds: dict[str, ir.Kind] = dict(function.kinds)
        self.kinds = kinds
        self.costs = costs.Costs(lambda name: kinds.get(name, ir.UNKNOWN))
        self.bound = assigned_variables(function.body, function.parameters)

    def run(self) -> ir.Function:
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

    def block(self, block: ir.Block, plain: bool = True) -> ir.Block:
        """A block with its loops rewritten; the loop of a checkpointed region stays
        what the region consists of (not ``plain``)."""
        result: list[ir.Statement] = []
        for s in block:
            inner = self.regions_block if ir.is_region(s) else self.block
            within = ir.with_blocks(s, inner)
            choices = self.choices(s) if plain and isinstance(s, ir.For) else []
            if choices:
                assert isinstance(within, ir.For)
                # a loop in it that was rewritten isn't looked into again
                result += self.rewritten(within, choices)
            else:
                result.append(within)
        return ir.as_block(result, block)

    def regions_block(self, block: ir.Block) -> ir.Block:
        return self.block(block, plain=False)

    # ---------------------------------------------------------------- what is chosen

    def choices(self, loop: ir.For) -> list[_Choice]:
        """The variables of a loop that one turn gives their value."""
        if loop.parallel or not (
            _is_int_of_at_least(loop.start, 0) and _is_int_of_at_least(loop.step, 1)
        ):
            return []
        uses = ir.Uses(loop.body)
        writes, reads = uses.definitions, uses.readers
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
            assert isinstance(assigned, ir.Assign)
            lines = self.lines(assigned, path, writes, loop.target.name)
            if lines is not None:
                found.append(_Choice(assigned, block, lines))
        return found

    def lines(
        self,
        assigned: ir.Assign,
        path: tuple[tuple[ir.Block, int], ...],
        writes: Mapping[str, list[ir.Statement]],
        turn: str,
    ) -> tuple[ir.Assign, ...] | None:
        """The lines of a turn that compute what it assigns; None where other turns have
        a part in it, or they can't be run again."""
        before = [s for block, place in path for s in block[:place]]
        found: list[ir.Assign] = []
        needed = {v.name for v in ir.value_variables(assigned.value)} - {turn}
        if not self.may_be_repeated(assigned):
            return None
        for s in reversed(before):
            written = ir.names_written(s) & needed
            if not written:
                continue
            if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
                return None
            if len(writes[s.target.name]) > 1 or not self.may_be_repeated(s):
                return None
            found.insert(0, s)
            needed -= written
            needed |= {v.name for v in ir.value_variables(s.value)} - {turn}
        return None if needed & writes.keys() else tuple(found)

    def may_be_repeated(self, s: ir.Assign) -> bool:
        if any(a.function is retained for a in ir.operations(s)):
            return False
        if isinstance(s.value, ir.Apply) and isinstance(
            s.value.function, rules.OwnRule
        ):
            return False
        return self.costs.repeated(s) is not None

    # ---------------------------------------------------------------- what is written

    def rewritten(self, loop: ir.For, choices: list[_Choice]) -> list[ir.Statement]:
        """The loop, and behind it what its chosen turn computed."""
        ahead: list[ir.Statement] = []
        behind: list[ir.Statement] = []
        noted: dict[int, ir.Var] = {}
        for block in {id(c.block): c.block for c in choices}.values():
            chosen = self.fresh(f"{_plain_name(loop.target.name)}_chosen", ir.INT)
            ahead.append(ir.Assign(None, chosen, ir.Const(-1), ir.INT))
            own = [c for c in choices if c.block is block]
            noted[id(own[-1].assigned)] = chosen
            names = [(str(c.assigned.target), c) for c in own]
            before = {n: self.fresh(n, self.kinds[n]) for n, _ in names}
            again = {n: self.fresh(n, self.kinds[n]) for n, _ in names}
            for n, _ in names:
                ahead.append(ir.Assign(None, before[n], ir.Var(n), self.kinds[n]))
            taken = self.taken(own, again, loop.target.name, chosen)
            kept = tuple(
                ir.Assign(c.assigned.span, again[n], before[n], self.kinds[n])
                for n, c in names
            )
            test = self.fresh("condition", ir.BOOL)
            choosing = ir.Apply(operator.ge, (chosen, ir.Const(0)))
            behind.append(ir.Assign(loop.span, test, choosing, ir.BOOL))
            behind.append(ir.If(loop.span, test, taken, kept))
            for n, c in names:
                kind = self.kinds[n]
                found = self.fresh(n, kind)
                behind.append(
                    ir.Assign(None, found, ir.Apply(stopped, (ir.Var(n),)), kind)
                )
                value = ir.Apply(with_derivative_of, (found, again[n]))
                behind.append(ir.Assign(c.assigned.span, ir.Var(n), value, kind))
        return [*ahead, replace(loop, body=_noted(loop, noted)), *behind]

    def taken(
        self,
        choices: list[_Choice],
        again: dict[str, ir.Var],
        turn: str,
        chosen: ir.Var,
    ) -> ir.Block:
        """The lines of the chosen turn, on variables of their own."""
        own = {turn: chosen}
        lines: list[ir.Statement] = []

        def renamed(variable: ir.Var) -> ir.Var:
            return own.get(variable.name, variable)

        for choice in choices:
            for s in choice.lines:
                assert isinstance(s.target, ir.Var)
                if s.target.name in own:
                    continue
                value = ir.map_value(s.value, renamed)
                kind = s.kind or self.kinds.get(s.target.name)
                target = self.fresh(s.target.name, self.kinds[s.target.name])
                own[s.target.name] = target
                line = replace(s, target=target, value=value, kind=kind, derived=True)
                lines.append(line)
        for choice in choices:
            s = choice.assigned
            value = ir.map_value(s.value, renamed)
            target = again[str(s.target)]
            lines.append(replace(s, target=target, value=value, derived=True))
        return tuple(lines)

    def fresh(self, like: str, kind: ir.Kind) -> ir.Var:
        variable: ir.Var = self.spec.fresh(_plain_name(like))
        self.kinds[variable.name] = kind
        return variable


def _noted(loop: ir.For, noted: dict[int, ir.Var]) -> ir.Block:
    """The body of a loop, in which the branches note the number of the turn."""

    def change(block: ir.Block) -> ir.Block:
        result: list[ir.Statement] = []
        for s in block:
            result.append(ir.with_blocks(s, change))
            if id(s) in noted:
                result.append(ir.Assign(None, noted[id(s)], loop.target, ir.INT))
        return ir.as_block(result, block)

    return change(loop.body)


def _assigned_in_branches(
    block: ir.Block, path: tuple[tuple[ir.Block, int], ...]
) -> list[tuple[str, tuple[tuple[ir.Block, int], ...]]]:
    """The variables that are assigned in branches, each with the way to the
    assignment: blocks, and the places in them."""
    found = []
    for place, s in enumerate(block):
        here = (*path, (block, place))
        if isinstance(s, ir.If):
            found += _assigned_in_branches(s.body, here)
            found += _assigned_in_branches(s.orelse, here)
        elif path and isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            found.append((s.target.name, here))
    return found


def _only_compares(s: ir.Statement) -> bool:
    """True for a reader through which no derivative goes."""
    match s:
        case ir.If() | ir.While():
            return True
        case ir.Effect():
            return not ops.takes_derivatives(s)
        case ir.Assign(value=value):
            return not activity.carries_derivative(value)
    return False


def _is_int_of_at_least(operand: Any, least: int) -> bool:
    return (
        isinstance(operand, ir.Const)
        and type(operand.value) is int
        and operand.value >= least
    )


def _plain_name(name: str) -> str:
    return name.strip(".").split("~")[0].split(".")[0]
