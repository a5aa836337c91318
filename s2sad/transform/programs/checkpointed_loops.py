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

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.snapshots import (
    first_snapshots,
    snapshots_between,
    with_next_snapshot,
)
from s2sad.transform.programs.outlined_regions import (
    OutlinedRegion,
    outlined_plan,
    plain,
)
from s2sad.transform.reverse.repeated_blocks import RepeatedBlocks
from s2sad.transform.reverse.repetition import quiet, renamed, stored_into


class CheckpointedLoop:
    """A checkpointed loop on its way to an outlined region."""

    def __init__(
        self,
        sealing: RepeatedBlocks,
        region: ir.With,
        plan: ir.Plan,
        snapshots: ir.Operand,
    ) -> None:
        loop = plan.statement
        assert isinstance(loop, ir.Loop)
        self.sealing, self.region, self.snapshots = sealing, region, snapshots
        self.count, self.reached = plan.reverse_count, plan.reverse_bounds
        self.loop: Any = next(s for s in region.body if isinstance(s, type(loop)))
        """The loop as the program has it."""
        *tests, body = ir.blocks_of(self.loop)
        self.body = plain(body)
        self.step = plain(tuple(s for block in (*tests, body) for s in block))
        """One step that keeps nothing; of a while loop, with its test."""
        plans = self._plans(plan)
        first = tuple(s for block in ir.blocks_of(self.loop) for s in block[:1])
        self.ahead, self.back, self.starts = sealing.assembled(plans, first)
        again = ir.names_written_in(self.ahead) | ir.names_written_in(self.step)
        self.flags = sealing.flags(self.step)
        self.state = list(self.starts)
        """What a step reads of those before it."""
        self.stacks = {
            name: ir.Var(sealing.new_name(f"{name}.snapshots")) for name in self.state
        }
        self.names = sealing.new_names(again | set(self.starts.values()))
        self.kept = sealing.fresh("kept", ir.OPAQUE)
        for test in tests:
            if ir.names_written_in(test) & {*self.state}:
                raise core.Unsupported(
                    "the test of this checkpointed loop assigns what its steps read",
                    "compute it in the body, and leave the loop with break",
                )

    def _plans(self, plan: ir.Plan) -> ir.BlockPlan:
        """The plans of one step, without the counter's."""
        *tests, body = plan.blocks
        counts = () if self.count is None else (self.count,)
        plans = [
            p
            for p in body.plans
            if not counts or ir.direct_writes(p.statement) != counts
        ]
        if not tests:
            return ir.BlockPlan(plans, body.entry)
        (test,) = tests
        start = ir.Plan(self.sealing.nothing(), body.entry)
        return ir.BlockPlan([*test.plans, start, *plans], test.entry)

    def plan(self) -> ir.Plan:
        """The plan of the outlined region."""
        bound = self.sealing.mode.assigned.before[id(self.region)]
        outlined = OutlinedRegion(
            self._known() if self.count is None else self._counted(self.count),
            (stack.name for stack in self.stacks.values()),
            (name for name in self.state if name not in bound),
        )
        return outlined_plan(self.region.span, outlined, self._reverse())

    def _saves(self, names: Mapping[str, str]) -> ir.Block:
        """Keep the state, under its names; a copy of what later steps write into."""
        lines: list[ir.Statement] = []
        copied = stored_into(self.step)
        for name, stack in self.stacks.items():
            value = ir.Var(names.get(name, name))
            kind = self.sealing.kinds.get(name)
            if name in copied and isinstance(kind, ir.Array):
                copy = self.sealing.fresh(f"{name}.snapshot", kind)
                lines.append(
                    ir.Assign(None, copy, ir.Apply(ops.own_copy, (value,)), kind)
                )
                value = copy
            lines.append(ir.Save(None, stack, value))
        return tuple(lines)

    def _if_kept(
        self, kept: ir.Var, step: ir.Var, names: Mapping[str, str]
    ) -> ir.Block:
        """Keep the state before the steps that the schedule says."""
        due = self.sealing.fresh("due", ir.BOOL)
        test = ir.Assign(None, due, ir.Apply(ops.contains, (step, kept)), ir.BOOL)
        saves = self._saves(names)
        return (test, ir.If(None, due, saves, ())) if saves else ()

    # ---------------------------------------------------------------- forward

    def _known(self) -> ir.Block:
        """The loop where the number of its steps is known."""
        loop, fresh = self.loop, self.sealing.fresh
        steps = fresh("steps", ir.OPAQUE)
        bounds: tuple[ir.Operand, ...] = (loop.start, loop.stop, loop.step)
        if bounds[::2] == (ir.Const(0), ir.Const(1)):
            bounds = (loop.stop,)
        first = ir.Apply(first_snapshots, (steps, self.snapshots))
        body = (*self._if_kept(self.kept, loop.target, {}), *self.body)
        return (
            ir.Assign(None, steps, ir.Apply(range, bounds), ir.OPAQUE),
            ir.Assign(None, self.kept, first, ir.OPAQUE),
            replace(loop, body=body),
        )

    def _counted(self, count: ir.Var) -> ir.Block:
        """The loop where the number of its steps is found out."""
        loop, fresh = self.loop, self.sealing.fresh
        step = loop.target if isinstance(loop, ir.For) else count
        levels, place = fresh("levels", ir.OPAQUE), fresh("place", ir.INT)
        noted = ir.Apply(with_next_snapshot, (levels, step, self.snapshots))
        kind = ir.Structure(tuple, (0, 1), (ir.OPAQUE, ir.INT))
        drops = tuple(
            ir.Assign(
                self.region.span, stack, ir.Apply(ops.without_snapshot, (stack, place))
            )
            for stack in self.stacks.values()
        )
        added = ir.Apply(operator.add, (count, ir.Const(1)), (), "augmented")
        body = (
            ir.Assign(None, ir.pack_tuple(levels, place), noted, kind),
            *((ir.If(None, place, drops, ()),) if drops else ()),
            *self._saves({}),
            ir.Assign(None, count, added, ir.INT),
            *self.body,
        )
        return (
            ir.Assign(None, count, ir.Const(0), ir.INT),
            ir.Assign(None, levels, ir.Pack(dict, (), ()), ir.OPAQUE),
            replace(loop, body=body),
            ir.Assign(None, self.kept, ir.Apply(tuple, (levels,)), ir.OPAQUE),
        )

    # ---------------------------------------------------------------- reverse

    def _reverse(self) -> ir.Block:
        """The steps, last first: each from the last snapshot before it."""
        loop, fresh = self.loop, self.sealing.fresh
        begin, left = fresh("start", ir.INT), fresh("kept", ir.OPAQUE)
        if isinstance(loop, ir.For):
            name = loop.target.name
            step, again = ir.Var(self.sealing.new_name(name)), fresh("again", ir.INT)
            bounds = (*(self.reached or (loop.start, loop.stop)), loop.step)
            now, then = {name: step.name}, {name: again.name}
        else:
            assert self.count is not None
            step, again = fresh("step", ir.INT), fresh("again", ir.INT)
            bounds = (ir.Const(0), self.count, ir.Const(1))
            now, then = {}, {}
        by = () if bounds[2] == ir.Const(1) else (bounds[2],)
        between = ir.Apply(snapshots_between, (left, step, self.snapshots, *by))
        again_step = (*self.sealing.resets(self.flags), *quiet(self.step))
        advance = (
            *self._if_kept(left, again, self.names),
            *renamed(again_step, {**self.names, **then}),
        )
        reversal = renamed(quiet((*self.ahead, *self.back)), {**self.names, **now})
        span = self.region.span
        body = (
            *(
                ir.Restore(span, ir.Var(self.names[name]), stack)
                for name, stack in reversed(self.stacks.items())
            ),
            ir.Assign(
                None, begin, ir.Apply(operator.getitem, (left, ir.Const(-1))), ir.INT
            ),
            ir.Assign(None, left, between, ir.OPAQUE),
            ir.For(None, again, begin, step, bounds[2], advance),
            *(
                self.sealing.copy(self.names[start], self.names[name])
                for name, start in self.starts.items()
            ),
            *reversal,
        )
        return (
            ir.Assign(None, left, self.kept, ir.OPAQUE),
            ir.For(span, step, *bounds, body, backwards=True),
        )
