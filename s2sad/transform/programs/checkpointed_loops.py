"""Checkpointed loops: the forward sweep keeps the state of a loop before some of its
steps, the reverse sweep runs the others again.

The state is what a step reads of those before it. It is kept on stacks
(``x.snapshots``); :mod:`s2sad.ops.runtime.snapshots` says before which
steps. The reverse sweep goes from snapshot to snapshot::

    kept = first_snapshots(range(n), s)        for t in reversed(range(n)):
    for t in range(n):                             restore x from x.snapshots
        if t in kept:                              start, kept = kept[-1], ...
            save x on x.snapshots                  for again in range(start, t):
        x = step(x)                                    if again in kept: save x on ...
                                                       x = step(x)
                                                   forward lines of step t
                                                   reverse lines of step t

Source: Griewank and Walther, Evaluating Derivatives (2nd ed.), chapter 12.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.ir.kinds import BOOL, INT, OPAQUE, Array, Structure
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    For,
    If,
    Operand,
    Pack,
    Restore,
    Save,
    Statement,
    Var,
    While,
    With,
    pack_tuple,
)
from s2sad.ir.plans import BlockPlan, Plan
from s2sad.ir.walking import blocks_of, direct_writes
from s2sad.ops.buffers import own_copy
from s2sad.ops.membership import contains
from s2sad.ops.runtime.snapshots import (
    first_snapshots,
    snapshots_between,
    with_next_snapshot,
)
from s2sad.ops.stacks import without_snapshot
from s2sad.transform.programs.sealed import Sealed, plain, sealed_plan
from s2sad.transform.reverse.repeated_blocks import RepeatedBlocks
from s2sad.transform.reverse.repetition import quiet, renamed, stored_into, written


class CheckpointedLoop:
    """A checkpointed loop on its way to a sealed statement."""

    def __init__(
        self, sealing: RepeatedBlocks, region: With, plan: Plan, snapshots: Operand
    ) -> None:
        loop = plan.statement
        assert isinstance(loop, For | While)
        self.sealing, self.region, self.snapshots = sealing, region, snapshots
        self.count, self.stop = plan.reverse_count, plan.reverse_stop
        self.loop: Any = next(s for s in region.body if isinstance(s, type(loop)))
        """The loop as the program has it."""
        *tests, body = blocks_of(self.loop)
        self.body = plain(body)
        self.step = plain(tuple(s for block in (*tests, body) for s in block))
        """One step that keeps nothing; of a while loop, with its test."""
        plans = self._plans(plan)
        first = tuple(s for block in blocks_of(self.loop) for s in block[:1])
        self.ahead, self.back, self.starts = sealing.assembled(plans, first)
        again = written(self.ahead) | written(self.step)
        self.flags = sealing.flags(self.step)
        self.state = list(self.starts)
        """What a step reads of those before it."""
        self.stacks = {
            name: Var(sealing.new_name(f"{name}.snapshots")) for name in self.state
        }
        self.names = sealing.new_names(again | set(self.starts.values()))
        self.kept = sealing.fresh("kept", OPAQUE)
        for test in tests:
            if written(test) & {*self.state}:
                raise Unsupported(
                    None,
                    "the test of this checkpointed loop assigns what its steps read",
                    "compute it in the body, and leave the loop with break",
                )

    def _plans(self, plan: Plan) -> BlockPlan:
        """The plans of one step, without the counter's."""
        *tests, body = plan.blocks
        counts = () if self.count is None else (self.count,)
        plans = [
            p for p in body.plans if not counts or direct_writes(p.statement) != counts
        ]
        if not tests:
            return BlockPlan(plans, body.entry)
        (test,) = tests
        start = Plan(self.sealing.nothing(), body.entry)
        return BlockPlan([*test.plans, start, *plans], test.entry)

    def plan(self) -> Plan:
        """The plan of the sealed statement."""
        bound = self.sealing.mode.assigned.before[id(self.region)]
        sealed = Sealed(
            self._known() if self.count is None else self._counted(self.count),
            (stack.name for stack in self.stacks.values()),
            (name for name in self.state if name not in bound),
        )
        return sealed_plan(self.region.span, sealed, self._reverse())

    def _saves(self, names: Mapping[str, str]) -> Block:
        """Keep the state, under its names; a copy of what later steps write into."""
        lines: list[Statement] = []
        copied = stored_into(self.step)
        for name, stack in self.stacks.items():
            value = Var(names.get(name, name))
            kind = self.sealing.kinds.get(name)
            if name in copied and isinstance(kind, Array):
                copy = self.sealing.fresh(f"{name}.snapshot", kind)
                lines.append(Assign(None, copy, Apply(own_copy, (value,)), kind))
                value = copy
            lines.append(Save(None, stack, value))
        return tuple(lines)

    def _if_kept(self, kept: Var, step: Var, names: Mapping[str, str]) -> Block:
        """Keep the state before the steps that the schedule says."""
        due = self.sealing.fresh("due", BOOL)
        test = Assign(None, due, Apply(contains, (step, kept)), BOOL)
        saves = self._saves(names)
        return (test, If(None, due, saves, ())) if saves else ()

    # ---------------------------------------------------------------- forward

    def _known(self) -> Block:
        """The loop where the number of its steps is known."""
        loop, fresh = self.loop, self.sealing.fresh
        steps = fresh("steps", OPAQUE)
        bounds: tuple[Operand, ...] = (loop.start, loop.stop, loop.step)
        if bounds[::2] == (Const(0), Const(1)):
            bounds = (loop.stop,)
        first = Apply(first_snapshots, (steps, self.snapshots))
        body = (*self._if_kept(self.kept, loop.target, {}), *self.body)
        return (
            Assign(None, steps, Apply(range, bounds), OPAQUE),
            Assign(None, self.kept, first, OPAQUE),
            replace(loop, body=body),
        )

    def _counted(self, count: Var) -> Block:
        """The loop where the number of its steps is found out."""
        loop, fresh = self.loop, self.sealing.fresh
        step = loop.target if isinstance(loop, For) else count
        levels, place = fresh("levels", OPAQUE), fresh("place", INT)
        noted = Apply(with_next_snapshot, (levels, step, self.snapshots))
        kind = Structure(tuple, (0, 1), (OPAQUE, INT))
        drops = tuple(
            Assign(self.region.span, stack, Apply(without_snapshot, (stack, place)))
            for stack in self.stacks.values()
        )
        added = Apply(operator.add, (count, Const(1)), (), "augmented")
        body = (
            Assign(None, pack_tuple(levels, place), noted, kind),
            *((If(None, place, drops, ()),) if drops else ()),
            *self._saves({}),
            Assign(None, count, added, INT),
            *self.body,
        )
        return (
            Assign(None, count, Const(0), INT),
            Assign(None, levels, Pack(dict, (), ()), OPAQUE),
            replace(loop, body=body),
            Assign(None, self.kept, Apply(tuple, (levels,)), OPAQUE),
        )

    # ---------------------------------------------------------------- reverse

    def _reverse(self) -> Block:
        """The steps, last first: each from the last snapshot before it."""
        loop, fresh = self.loop, self.sealing.fresh
        begin, left = fresh("start", INT), fresh("kept", OPAQUE)
        if isinstance(loop, For):
            name = loop.target.name
            step, again = Var(self.sealing.new_name(name)), fresh("again", INT)
            bounds = (loop.start, self.stop or loop.stop, loop.step)
            now, then = {name: step.name}, {name: again.name}
        else:
            assert self.count is not None
            step, again = fresh("step", INT), fresh("again", INT)
            bounds = (Const(0), self.count, Const(1))
            now, then = {}, {}
        by = () if bounds[2] == Const(1) else (bounds[2],)
        between = Apply(snapshots_between, (left, step, self.snapshots, *by))
        again_step = (*self.sealing.resets(self.flags), *quiet(self.step))
        advance = (
            *self._if_kept(left, again, self.names),
            *renamed(again_step, {**self.names, **then}),
        )
        reversal = renamed(quiet((*self.ahead, *self.back)), {**self.names, **now})
        span = self.region.span
        body = (
            *(
                Restore(span, Var(self.names[name]), stack)
                for name, stack in reversed(self.stacks.items())
            ),
            Assign(None, begin, Apply(operator.getitem, (left, Const(-1))), INT),
            Assign(None, left, between, OPAQUE),
            For(None, again, begin, step, bounds[2], advance),
            *(
                self.sealing.copy(self.names[start], self.names[name])
                for name, start in self.starts.items()
            ),
            *reversal,
        )
        return (
            Assign(None, left, self.kept, OPAQUE),
            For(span, step, *bounds, body, backwards=True),
        )
