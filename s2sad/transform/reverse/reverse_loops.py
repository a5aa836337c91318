"""The plans of loops, which run backwards with the adjoints that they carry."""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import replace

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.transform.adjoints.cotangents import Cotangent, Masked
from s2sad.transform.reverse.reverse_state import ReverseState

MOST_FLAGS = 3
"""How many flags a loop hands on from turn to turn, each a line or two: where it would
be more, masks ask whether cotangents are zero."""


class LoopPlans(ReverseState):
    """Plans of For and While."""

    def for_loop(self, statement: ir.For) -> list[ir.Plan]:
        """The body's reverse, in a loop that runs backwards; over the numbers that were
        reached where the loop may end early."""
        before, body = self.loop_body(statement, statement.body)
        if statement.until is None:
            return [ir.Plan(statement, before=before, blocks=(body,))]
        start, count = self._counted(statement, body)
        with self.spec.new_block() as lines:
            bounds = self._bounds_reached(statement, core.Leaf(count, ir.INT))
        plan = ir.Plan(
            statement,
            before=(*before, *lines),
            blocks=(body,),
            reverse_count=count,
            reverse_bounds=bounds,
        )
        return [start, plan]

    def _bounds_reached(
        self, loop: ir.For, count: core.Leaf
    ) -> tuple[ir.Operand, ir.Operand]:
        """Between which the numbers are that a loop ran over, the first of them or the
        last."""
        if (loop.start, loop.step) == (ir.Const(0), ir.Const(1)) and not loop.backwards:
            return loop.start, count.operand
        operate = self.spec.operate
        start, stop, step = map(self.value, (loop.start, loop.stop, loop.step))
        if loop.backwards and loop.step == ir.Const(1):
            return core.operand_of(operate(operator.sub, (stop, count))), loop.stop
        left: core.Value = count
        if loop.backwards:
            whole = self.spec.apply(
                ops.count_of_range, (start, stop, step), hint="count"
            )
            left = operate(operator.sub, (whole, count))
        reached = operate(operator.add, (start, operate(operator.mul, (left, step))))
        end = core.operand_of(reached)
        return (end, loop.stop) if loop.backwards else (loop.start, end)

    def while_loop(self, statement: ir.While) -> list[ir.Plan]:
        """Iterations are counted, and as many are run backwards."""
        before, body = self.loop_body(statement, statement.body)
        tested = ir.names_written_in(statement.condition)
        if tested & set(self.state):
            raise core.Unsupported(
                "the test of this loop assigns what its body differentiates",
                "compute it in the body, and leave the loop with break",
            )
        start, count = self._counted(statement, body)
        condition = ir.plans_without_reverse(statement.condition)
        plan = ir.Plan(
            statement, before=before, blocks=(condition, body), reverse_count=count
        )
        return [start, plan]

    def _counted(self, loop: ir.Loop, body: ir.BlockPlan) -> tuple[ir.Plan, ir.Var]:
        """Count the iterations. An iteration that may leave early counts first."""
        count = self.spec.fresh("iterations")
        self.function.kinds[count.name] = ir.INT  # type: ignore[index]
        step = ir.Assign(
            None, count, ir.Apply(operator.add, (count, ir.Const(1)), (), "augmented")
        )
        body.plans.insert(len(body.plans) if loop.until is None else 0, ir.Plan(step))
        return ir.Plan(ir.Assign(loop.span, count, ir.Const(0))), count

    def loop_body(
        self, statement: ir.Statement, body: ir.Block
    ) -> tuple[ir.Block, ir.BlockPlan]:
        """Lines before the reverse loop, and the plan of its body."""
        self.loops += 1
        try:
            return self._loop_body(statement, body)
        finally:
            self.loops -= 1

    def _loop_body(
        self, statement: ir.Statement, body: ir.Block
    ) -> tuple[ir.Block, ir.BlockPlan]:
        """See :meth:`loop_body`.

        The adjoints that the loop carries are found by trial runs, until no new one
        appears; the last of them is the plan.
        """
        problems = len(self.spec.problems)
        occurring = {
            v.name
            for s in ir.walk(body)
            for v in (*ir.direct_reads(s), *ir.direct_writes(s))
        }
        surely = self.assigned.after[id(statement)]
        if body:
            surely = surely & self.assigned.before[id(body[0])]
        outside = dict(self.state)
        carried = {name for name in outside if name in occurring}
        redefined: set[str] = set()
        masked = {n: outside[n].masked for n in carried}
        flags: dict[str, core.Leaf] = {}
        untold: set[str] = set()
        while True:
            maybe_zero = redefined | (carried - surely)
            rows = {n for n in maybe_zero if isinstance(self.full_kind(n), ir.List)}
            maybe_zero -= rows
            self.unbound_rows |= rows - surely
            for n in carried:
                if masked.get(n) and n not in flags:
                    flag = self.flag_for(n, (None, outside.get(n)))
                    flags |= {n: flag} if flag is not None else {}
            told = {n: flag for n, flag in flags.items() if n not in untold}
            if len(told) > MOST_FLAGS:
                untold, told = {*flags}, {}
            plan, lines = self._trial(outside, carried, maybe_zero, masked, told, body)
            end = dict(self.state)
            grown = carried | (set(end) - set(outside))
            fresh = {name for name in grown if name not in end}
            turned = {n: end[n].masked if n in end else Masked.SELECTED for n in grown}
            spread = {n: max(self._mark_outside(n, outside), turned[n]) for n in grown}
            lost = {n for n in told if n in end and not end[n].told}
            if (grown, fresh, spread) == (carried, redefined, masked) and not lost:
                break
            untold |= lost
            carried, redefined, masked = grown, fresh, spread
            del self.spec.problems[problems:]
        self.bound = self.assigned.after[id(statement)]
        with self.spec.new_block() as before:
            for name in sorted(carried):
                if name in outside:
                    self.fill(name, outside[name])
                else:
                    self.assign_zero(name)
                self.set_flag(told.get(name), outside.get(name))
        self.bound = None
        self.state = end
        self.spec.block += lines
        self.bound = self.assigned.before[id(body[0])] if body else None
        with self.spec.new_block() as entry:
            for name in sorted(carried):
                cotangent = self.state.get(name)
                if cotangent is not None:
                    self.fill(name, cotangent)
                elif ir.is_promoted(self.kind(name)) or name in rows:
                    self.assign_zero(name)  # no line behind gives it its shape
                else:
                    self.spec.assign(self.bar(name), ir.Const(0.0), ir.FLOAT)
            self._set_flags_at_once(told)
        self.bound = None
        plan.entry = (*entry, *plan.entry)
        behind = turned if _surely_runs(statement) else masked
        self.state = self._head(outside, carried, maybe_zero, behind, told)
        return tuple(before), plan

    def _set_flags_at_once(self, flags: Mapping[str, core.Leaf]) -> None:
        """The flags of what a loop carries, for its next turn; one may follow from
        another as it was in this one."""
        own = list(flags.values())
        for name in sorted(flags):
            cotangent = self.state.get(name)
            known = None if cotangent is None else cotangent.contributed
            if cotangent is not None and known in own and known != flags[name]:
                assert known is not None
                copy = self.spec.assign(self.spec.fresh("used"), known.operand, ir.BOOL)
                self.state[name] = replace(cotangent, contributed=copy)
        for name in sorted(flags):
            self.set_flag(flags[name], self.state.get(name))

    def _mark_outside(self, name: str, outside: Mapping[str, Cotangent]) -> Masked:
        """How a cotangent is marked behind a loop; one that isn't there is zero, also
        before the loop if that has no turns. (Of arrays that alone doesn't make
        products with what may be infinite worth a mask.)"""
        if name in outside:
            return outside[name].masked
        is_number = ir.axes_of(self.kind(name)) == ()
        return Masked.SELECTED if is_number else Masked.OVERWRITTEN

    def _head(
        self,
        outside: Mapping[str, Cotangent],
        carried: Iterable[str],
        maybe_zero: set[str],
        masked: Mapping[str, Masked],
        flags: Mapping[str, core.Leaf],
    ) -> dict[str, Cotangent]:
        """Cotangents at the head of a reverse loop. One that every iteration redefines
        is the number 0.0 from the second on, and so is that of a variable that has no
        value yet."""
        state = dict(outside)
        for name in sorted(carried):
            kind = self.full_kind(name)
            if name in maybe_zero:
                kind = self.kind_or_zero(name, kind)
            state[name] = Cotangent(
                core.Leaf(self.bar(name), kind),
                masked.get(name, Masked.NO),
                contributed=flags.get(name) if masked.get(name) else None,
                full=name not in maybe_zero and self.is_filled(name),
            )
        return state

    def _trial(
        self,
        outside: Mapping[str, Cotangent],
        carried: set[str],
        maybe_zero: set[str],
        masked: Mapping[str, Masked],
        flags: Mapping[str, core.Leaf],
        body: ir.Block,
    ) -> tuple[ir.BlockPlan, list[ir.Statement]]:
        """The plan of the body, and the lines written around it."""
        with self.spec.new_block() as lines:
            self.state = self._head(outside, carried, maybe_zero, masked, flags)
            return self.block(body), lines
        raise core.NothingFollows


def _surely_runs(loop: ir.Statement) -> bool:
    """True for a loop of at least one turn."""
    if isinstance(loop, ir.While):
        return loop.test == ir.Const(True)
    if not isinstance(loop, ir.For):
        return False
    bounds = (loop.start, loop.stop, loop.step)
    numbers = [bound.value for bound in bounds if isinstance(bound, ir.Const)]
    return len(numbers) == 3 and len(range(*numbers)) > 0
