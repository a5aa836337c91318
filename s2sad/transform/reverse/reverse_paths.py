"""The plans of statements of which one path is taken: branches and try statements."""

import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.reverse.activity import SLOTS
from s2sad.frontend.specialise import core
from s2sad.source.normalise.jumps import is_jump_flag
from s2sad.transform.adjoints.cotangent_table import own_name
from s2sad.transform.adjoints.cotangents import Cotangent, Masked
from s2sad.transform.exceptions.half_done import half_done
from s2sad.transform.exceptions.raised_exceptions import caught_from
from s2sad.transform.memory.references.array_homes import is_placeholder
from s2sad.transform.reverse import assembled_statements, reverse_state


@dataclass(frozen=True)
class ShapesAtHand:
    """Adjoints that have a value where the reverse of a path ends."""

    before: Mapping[str, Cotangent]
    """The cotangents behind the statement."""
    paths: Sequence[ir.Block]

    def of_path(
        self, place: int, name: str, end: Mapping[str, Cotangent]
    ) -> Iterator[tuple[str, Cotangent]]:
        """Variables and their cotangents: that of ``name`` itself, if the path assigns
        it once, so that nothing was written over its adjoint; those that the path
        leaves as they are."""
        own = self.before.get(name)
        block = self.paths[place]
        writes = [
            s for s in ir.walk(block) for v in ir.direct_writes(s) if v.name == name
        ]
        if own is not None and len(writes) == 1:
            if any(s is writes[0] for s in block) and isinstance(writes[0], ir.Assign):
                yield name, own
        for other, cotangent in self.before.items():
            if end.get(other) is cotangent:
                yield other, cotangent


def _same_shape(a: ir.Kind, b: ir.Kind) -> bool:
    """True for arrays of one dtype whose shapes are equal whenever the program runs."""
    axes, others = ir.axes_of(a), ir.axes_of(b)
    if not isinstance(a, ir.Array) or a.promoted or axes is None or others is None:
        return False
    if (
        ir.dtype_of(a) is None
        or ir.dtype_of(a) != ir.dtype_of(b)
        or len(axes) != len(others)
    ):
        return False
    return all(
        x.length == y.length == "one"
        or (x.symbol == y.symbol and ir.is_lasting(x.symbol))
        for x, y in zip(axes, others)
    )


class PathPlans(reverse_state.ReverseState):
    """Plans of If and Try: what one path leaves, the others must leave too."""

    def branch(self, statement: ir.If) -> ir.Plan:
        """Both branches from the same cotangents; what one leaves, the other must leave
        too. Nothing comes back through one that raises."""
        before = dict(self.state)
        plans, paths, ends, taken = [], [], [], []
        for block in (statement.body, statement.orelse):
            if ops.ends_raising(block):
                plans.append(ir.plans_without_reverse(block))
                continue
            self.state = dict(before)
            plans.append(self.block(block))
            paths.append(plans[-1])
            ends.append(self.state)
            taken.append(block)
        sources = ShapesAtHand(before, taken)
        self.state = self._merged(statement, ends, paths, sources)
        flag, in_body = self._leaving_branch(statement)
        return ir.Plan(
            statement, blocks=tuple(plans), reverse_test=flag, swapped=not in_body
        )

    def _merged(
        self,
        statement: ir.Statement,
        ends: list[dict[str, Cotangent]],
        plans: list[ir.BlockPlan],
        sources: ShapesAtHand | None = None,
    ) -> dict[str, Cotangent]:
        """The cotangents in front of a statement of which one path was taken."""
        inside = ir.names_written_within(statement)
        bound_inside = inside - self.possibly.before[id(statement)]
        merged: dict[str, Cotangent] = {}
        self.bound = self.assigned.before[id(statement)]
        for name in dict.fromkeys(name for end in ends for name in end):
            cotangents = [end.get(name) for end in ends]
            if all(c is cotangents[0] for c in cotangents):
                merged[name] = cotangents[0]  # type: ignore[assignment]
            elif name not in bound_inside:
                zeros_like = [
                    self._shape_at_hand(name, sources, place, end)
                    for place, end in enumerate(ends)
                ]
                joined = self._merge(name, cotangents, plans, zeros_like)
                flag = _needed_flag(statement, cotangents)
                merged[name] = replace(joined, only_if=flag)
        self.bound = None
        return merged

    def attempt(self, statement: ir.Try) -> list[ir.Plan]:
        """The path that ran: the body, or the handler whose flag is true."""
        final = self.block(statement.final)
        before = dict(self.state)
        orelse = self.block(statement.orelse)
        paths, ends = [self.block(statement.body)], [self.state]
        flags: list[ir.Plan] = []
        handlers, caught = [], []
        for handler in statement.handlers:
            if ops.ends_raising(handler.body):
                caught.append(ir.plans_without_reverse(handler.body))
                handlers.append(handler)
                continue
            self.state = dict(before)
            plan = self.block(handler.body)
            check = self._half_done_check(statement)
            flag = self.spec.fresh("failed")
            self.function.kinds[flag.name] = ir.BOOL  # type: ignore[index]
            flags.append(
                ir.Plan(ir.Assign(statement.span, flag, ir.Const(False), ir.BOOL))
            )
            place = 1 if assembled_statements.is_caught(handler.body[:1]) else 0
            noted = ir.Plan(ir.Assign(None, flag, ir.Const(True), ir.BOOL), check)
            plan.plans.insert(place, noted)
            handlers.append(replace(handler, flag=flag))
            caught.append(plan)
            paths.append(plan)
            ends.append(self.state)
        self.state = self._merged(statement, ends, paths)
        statement = replace(statement, handlers=tuple(handlers))
        return [*flags, ir.Plan(statement, blocks=(paths[0], *caught, orelse, final))]

    def _half_done_check(self, statement: ir.Try) -> ir.Block:
        """Refuse a handler that goes on with a variable which the body may or may not
        have assigned when it raised. In a loop a later iteration may have assigned it
        on every path; then its adjoint is zero, which the lines check."""
        flags = ir.names_written_in(statement.body)
        for name, cotangent in list(self.state.items()):
            if cotangent.only_if in flags:  # false: the jump in the body wasn't reached
                del self.state[name]
        with self.spec.new_block() as lines:
            caught = caught_from(statement.handlers, self.function.kinds)
            undone = half_done(statement.body, caught)
            if SLOTS in undone and not all(
                ops.ends_raising(handler.body) for handler in statement.handlers
            ):
                reason = (
                    "an attribute or item of what is given is stored inside the try, "
                    "and a handler goes on: how far the try came isn't known"
                )
                advice = "store it in front of the try statement, or behind it"
                problem = core.Unsupported(reason, advice)
                self.spec.report_at(problem, statement.span)
            for name in sorted(set(self.state) & undone):
                reason = (
                    f"{own_name(name)!r} is assigned inside the try, and a handler "
                    "goes on with it: how far the try came isn't known"
                )
                if not self.loops:
                    advice = "assign it in the handler too, or behind the try statement"
                    problem = core.Unsupported(reason, advice)
                    self.spec.report_at(problem, statement.span)
                    continue
                adjoint = self.state.pop(name).value
                if ir.axes_of(adjoint.kind) == ():
                    zero = core.constant(0.0)
                    test = self.spec.operate(operator.ne, (adjoint, zero))
                else:
                    test = self.spec.apply(np.any, (adjoint,), hint="condition")
                fail = ir.Apply(
                    ops.raise_exception, (ir.Const(RuntimeError), ir.Const(reason))
                )
                raising = (ir.Effect(statement.span, fail),)
                self.spec.emit(
                    ir.If(statement.span, core.operand_of(test), raising, ())
                )
        return tuple(lines)

    def _tests_flag(self, test: ir.Operand) -> bool:
        """True for a test of a jump's flag, also through copies."""
        seen: set[str] = set()
        pending = [v.name for v in ir.operand_variables(test)]
        while pending:
            name = pending.pop()
            if is_jump_flag(name):
                return True
            if name not in seen:
                seen.add(name)
                for definition in self.definitions.get(name, []):
                    pending += ir.names_read(definition)
        return False

    def _leaving_branch(self, statement: ir.If) -> tuple[ir.Var | None, bool]:
        """The flag that one branch surely sets and the other never, and whether the
        first is the body."""
        blocks = statement.body, statement.orelse
        for body, other in (blocks, blocks[::-1]):
            elsewhere = {v for s in ir.walk(other) for v in ir.direct_writes(s)}
            for s in body:
                if not ir.is_flag_set(s, self.flags) or s.target in elsewhere:  # type: ignore[attr-defined]
                    continue
                before = self.flags_before.get(id(statement), self.flags)
                if s.target.name in before or self._tests_flag(statement.test):  # type: ignore[attr-defined]
                    return None, True  # the flag may have been true before
                return s.target, body is statement.body  # type: ignore[attr-defined]
        return None, True

    def _shape_at_hand(
        self,
        name: str,
        sources: ShapesAtHand | None,
        place: int,
        end: dict[str, Cotangent],
    ) -> ir.Var | None:
        """An adjoint of the shape of this one, which is at hand in front of a path in a
        loop. The variable would have to be kept for its shape alone."""
        kind = self.full_kind(name)
        unchanged = name in self.function.parameters and name not in self.definitions
        if sources is None or not self.loops or unchanged:
            return None
        if not isinstance(kind, ir.Array) or not self.surely_bound(name):
            return None
        for other, cotangent in sources.of_path(place, name, end):
            if any(map(is_placeholder, self.definitions.get(other, []))):
                continue  # it may be empty still
            operand, own = cotangent.value.operand, self.full_kind(other)
            if (
                cotangent.full
                and isinstance(operand, ir.Var)
                and _same_shape(own, kind)
            ):
                return operand
        return None

    def _merge(
        self,
        name: str,
        cotangents: list[Cotangent | None],
        plans: list[ir.BlockPlan],
        zeros_like: list[ir.Var | None],
    ) -> Cotangent:
        kinds = {str(c.value.kind) for c in cotangents if c is not None}
        alike = len(kinds) == 1 and None not in cotangents
        own = [getattr(c.value.kind, "dtype", None) for c in cotangents if c]
        known = {None, getattr(self.full_kind(name), "dtype", None)}
        self.joins_precisions |= len(known) > 1 and not known.issuperset(own)
        contributed = self.flag_for(name, cotangents)
        by_itself = self._are_nonzero_numbers(name, cotangents, plans)
        flag = None if by_itself else contributed
        for cotangent, plan, like in zip(cotangents, plans, zeros_like, strict=True):
            with self.spec.new_block() as lines:
                if cotangent is None and like is not None:
                    zeros = self.zeros_like(like, self.kind(name))
                    self.spec.assign(self.bar(name), zeros, self.full_kind(name))
                elif cotangent is None:
                    self.assign_zero(name)
                elif alike:
                    self.move(cotangent.value, self.bar(name))
                else:
                    self.fill(name, cotangent)
                self.set_flag(flag, cotangent)
            plan.entry = (*lines, *plan.entry)
        present = [c for c in cotangents if c is not None]
        kind = present[0].value.kind if alike else self.full_kind(name)
        if not self.surely_bound(name):
            kind = self.kind_or_zero(name, kind)
        masked = max(c.masked for c in present)
        if None in cotangents:
            masked = Masked.SELECTED
        full = self.is_filled(name) and (not alike or all(c.full for c in present))
        joined = core.Leaf(self.bar(name), kind)
        if contributed and by_itself:
            contributed = joined
        return Cotangent(joined, masked, contributed=contributed, full=full)

    def _are_nonzero_numbers(
        self,
        name: str,
        cotangents: list[Cotangent | None],
        plans: list[ir.BlockPlan],
    ) -> bool:
        """True where all that contributed is written as numbers, as by ``return d``:
        the adjoint tells by itself whether something did."""
        for cotangent, plan in zip(cotangents, plans, strict=True):
            lines = [
                line
                for line in ir.walk(tuple(ir.reverse_lines(plan)))
                if self.bar(name) in ir.direct_writes(line)
            ]
            values = [getattr(line, "value", None) for line in lines]
            numbers = (
                getattr(v, "value", 0.0) for v in values if isinstance(v, ir.Const)
            )
            if cotangent is not None and not (
                len(lines) == len(values) == sum(n != 0.0 for n in numbers) == 1
            ):
                return False
        return True


def _needed_flag(statement: ir.Statement, cotangents: list[Cotangent | None]) -> str:
    """The jump's flag without which none of the paths of a statement gives a
    cotangent; "" where there is none."""
    if isinstance(statement, ir.If) and isinstance(statement.test, ir.Var):
        flag = statement.test.name
        written = ir.names_written_in(statement.body)
        if is_jump_flag(flag) and cotangents[1] is None and flag not in written:
            return flag
    flags = {c.only_if for c in cotangents if c is not None}
    return flags.pop() if len(flags) == 1 else ""
