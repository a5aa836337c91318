"""Loops over ``prange`` that stay parallel.

A loop that the user marked runs its turns on several threads where no turn reads or
writes what another one writes: arrays are written at the turn's own place, numbers are
sums, which Numba keeps for each thread and adds up. The reverse of such a loop often
isn't one: what all turns read, all turns add to. Other loops are marked no longer.
"""

import operator
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Facts as LiveFacts
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.dataflow.name_sets import NameSet
from s2sad.analysis.passes import purity
from s2sad.codegen.numba.functions import IN_PLACE
from s2sad.codegen.numba.programs import Facts
from s2sad.rules.steps.shape_queries import axis_length, shape_of

_SHAPES = (axis_length, shape_of, len)


def with_parallel_loops(function: ir.Function, wanted: bool) -> ir.Function:
    """The program with the marks of loops that can't be, or aren't ``wanted`` to be,
    parallel taken away."""
    if not any(isinstance(s, ir.For) and s.parallel for s in ir.walk(function.body)):
        return function
    facts = Facts(function)
    live, _ = live_variables(function.body, lambda s: True)

    def block(statements: ir.Block) -> ir.Block:
        return tuple(marked(s) for s in statements)

    def marked(s: ir.Statement) -> ir.Statement:
        keep = (
            isinstance(s, ir.For)
            and s.parallel
            and wanted
            and _Turns(s, facts, live).are_apart()
        )
        s = ir.with_blocks(s, block)
        if isinstance(s, ir.For) and s.parallel and not keep:
            return replace(s, parallel=False)
        return s

    return replace(function, body=block(function.body))


class _Turns:
    """The turns of one loop."""

    def __init__(self, loop: ir.For, facts: Facts, live: LiveFacts[NameSet]) -> None:
        self.loop, self.facts = loop, facts
        self.inside = tuple(ir.walk(loop.body))
        first = loop.body[0] if loop.body else loop
        self.carried = live.before.get(id(first), frozenset[str]())
        self.behind = live.after.get(id(loop), frozenset[str]())
        self.numbers = {loop.target.name}
        """Names of the turn's own number."""
        for s in self.inside:
            if isinstance(s, ir.Assign) and s.value == loop.target:
                self.numbers |= ir.names_written(s)
        self.bound = {
            v.name
            for s in self.inside
            for v in ir.direct_writes(s)
            if not _writes_into(s)
        }
        """What a turn binds itself."""

    def are_apart(self) -> bool:
        """True where the turns may run at the same time."""
        if self.loop.until is not None or self.loop.step != ir.Const(1):
            return False
        if not all(
            isinstance(s, ir.Assign | ir.If | ir.For | ir.While) for s in self.inside
        ):
            return False
        for called in ir.all_procedures([self.inside]):
            pair = called.returns_residuals or called.reverses is not None
            if (pair and not called.partials) or purity.has_effects(called):
                return False  # they may add to one list
        for name in self.bound:
            if name in self.carried and not self.is_sum(name):
                return False
            if name in self.behind and name not in self.carried:
                return False
        return all(
            self.is_written_apart(v.name)
            for s in self.inside
            if _writes_into(s)
            for v in ir.direct_writes(s)
        )

    def is_sum(self, name: str) -> bool:
        """True for a number that turns only add to."""
        if not self.facts.is_number(ir.Var(name)):
            return False
        for s in self.inside:
            reads = [v.name for v in ir.direct_reads(s)].count(name)
            if name not in ir.names_written(s):
                if reads:
                    return False
                continue
            if reads != 1 or not ir.applies(s, operator.add, operator.sub):
                return False
            if s.value.args[0] != ir.Var(name):
                return False
        return True

    def is_written_apart(self, name: str) -> bool:
        """True where each turn has a part of an array's memory to itself."""
        places: set[int] = set()
        shared = (self.facts.sharing(name) | {name}) - self.bound
        for s in self.inside:
            for v in ir.direct_reads(s):
                if v.name not in shared or ir.applies(s, *_SHAPES):
                    continue
                at = self.place_of_turn(s.value, v.name) if ir.applies(s) else None
                if at is None:
                    return False
                places.add(at)
        return len(places) <= 1

    def place_of_turn(self, value: ir.Apply, name: str) -> int | None:
        """Which item of an index is the turn's number; None for other reads."""
        known = (operator.getitem, ops.overwritten_part, *ops.WRITES)
        if value.function not in known or value.args[0] != ir.Var(name):
            return None
        if any(_mentions(arg, name) for arg in value.args[1:]):
            return None
        index = value.args[1]
        items = index.items if isinstance(index, ir.Pack) else (index,)
        for k, item in enumerate(items):
            if isinstance(item, ir.Var) and item.name in self.numbers:
                return k
        return None


def _mentions(operand: ir.Operand, name: str) -> bool:
    if isinstance(operand, ir.Pack):
        return any(_mentions(item, name) for item in operand.items)
    return operand == ir.Var(name)


def _writes_into(s: ir.Statement) -> bool:
    """True for a line that writes into an array, which it may call by another name."""
    return ir.applies(s, *ops.WRITES, *IN_PLACE)
