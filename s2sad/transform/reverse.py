"""Reverse mode: the plan of each statement, from the rules.

Takes a function of webs and the active variables; gives plans, which assembly turns
into a program. Walking backwards, a table holds the cotangent of each active variable;
the first contribution assigns an adjoint, later ones add::

    y = mul(x, w)        reverse lines:   x.bar = mul(y.bar, w)
                                          w.bar = mul(y.bar, x)

Source: Griewank and Walther, Evaluating Derivatives (2nd ed.), chapters 3.2 and 6.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from s2sad.analysis.assigned import assigned_variables, possibly_assigned
from s2sad.codegen.effects import raise_exception
from s2sad.frontend.normalise.jumps import is_jump_flag
from s2sad.frontend.specialise import Specialised
from s2sad.frontend.specialise.context import Unsupported
from s2sad.frontend.specialise.expressions import operate
from s2sad.frontend.specialise.values import Leaf, constant, operand_of
from s2sad.ir.kinds import (
    BOOL,
    FLOAT,
    INT,
    OPAQUE,
    Kind,
    NumPyScalar,
    Scalar,
    Structure,
    axes_of,
    is_real_number_kind,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Effect,
    For,
    Function,
    If,
    Operand,
    Restore,
    Return,
    Save,
    Statement,
    Try,
    Var,
    While,
    With,
    blocks_of,
    direct_reads,
    direct_writes,
    operand_variables,
    pack_tuple,
    walk,
    with_blocks,
)
from s2sad.ir.procedures import Procedure
from s2sad.optimise.dead_code import without_dead_lines
from s2sad.transform.adjoints import Cotangent, Masked, is_promoted
from s2sad.transform.assemble import is_caught
from s2sad.transform.contributions import Contributions
from s2sad.transform.half_done import half_done
from s2sad.transform.plans import BlockPlan, Plan, flags_of, is_flag_set
from s2sad.transform.procedures import (
    active_parameters,
    is_procedure_call,
    pair_of,
    with_residuals,
)
from s2sad.transform.webs import ends_raising


@dataclass(frozen=True)
class ReversePlans:
    """The plans of a whole function."""

    body: BlockPlan
    cotangents: Mapping[str, Cotangent]
    """Cotangents of the independents at the start of the program."""


class ReverseMode(Contributions):
    """Makes the plans; see the module's text."""

    def __init__(
        self,
        function: Function,
        specialised: Specialised,
        active: set[str],
        independents: set[str],
    ) -> None:
        super().__init__(function, specialised.specialiser, active)
        self.independents = independents
        self.assigned = assigned_variables(function.body, function.parameters)
        self.possibly = possibly_assigned(function.body, function.parameters)
        self.flags = flags_of(function.body)
        self.loops = 0
        """How many loops are around the statement under way."""
        self.stacks: set[str] = set()
        """Stacks of cotangents, empty where the reverse sweep starts."""

    def run(self, seeds: Mapping[str, Cotangent]) -> ReversePlans:
        """Plans for the whole function; ``seeds`` are the cotangents of its results."""
        self.state = dict(seeds)
        self.spec.derived = True
        body = self.block(self.function.body)
        return ReversePlans(body, dict(self.state))

    # ---------------------------------------------------------------- blocks

    def block(self, block: Block) -> BlockPlan:
        """The plan of a block; walks it backwards."""
        plans: list[Plan] = []
        for statement in reversed(block):
            outer, self.spec.span = self.spec.span, statement.span
            try:
                plans[:0] = self.statement(statement)
                self._forget_flags(statement)
            except Unsupported as problem:
                self.spec.report_at(problem, statement.span)
            finally:
                self.spec.span = outer
        return BlockPlan(plans)

    def _forget_flags(self, statement: Statement) -> None:
        """In front of the assignment of a flag nothing follows from it. (Branches have
        forgotten for themselves.)"""
        if isinstance(statement, If | Try):
            return
        written = {v.name for s in walk((statement,)) for v in direct_writes(s)}
        taken_back = isinstance(statement, Assign) and statement.value == Const(False)
        for name, cotangent in list(self.state.items()):
            if cotangent.only_if in written and taken_back:
                del self.state[name]  # behind this the flag is false
            elif cotangent.only_if in written:
                self.state[name] = replace(cotangent, only_if="")

    def statement(self, statement: Statement) -> list[Plan]:
        """The plans of one statement (a While brings its counter's)."""
        match statement:
            case Assign():
                return self.assignment(statement)
            case If():
                return [self.branch(statement)]
            case For():
                return self.for_loop(statement)
            case While():
                return self.while_loop(statement)
            case Save() | Restore():
                return [self.kept_value(statement)]
            case With():
                return [Plan(statement, blocks=(self.block(statement.body),))]
            case Try():
                return self.attempt(statement)
            case Return() | Effect():
                return [Plan(statement)]
        raise TypeError(f"no reverse of {statement!r}")

    def assignment(self, statement: Assign) -> list[Plan]:
        """The reverse lines of one operation."""
        targets = [v.name for v in operand_variables(statement.target)]
        if self.independents.intersection(targets) and is_projection(
            statement, self.function.kinds
        ):
            return [Plan(statement)]
        cotangents = [self.state.pop(name, None) for name in targets]
        if all(c is None for c in cotangents):
            return [Plan(statement)]
        if is_procedure_call(statement.value):
            return self.procedure_call(statement, targets, cotangents)
        with self.spec.new_block() as lines:
            own = statement.kind
            of_number = own is not None and axes_of(own) == ()
            if of_number and is_promoted(self.kind(targets[0])):
                (joined,) = cotangents
                assert joined is not None
                number, adjoint = self.of_number(joined.value), self.bar(targets[0])
                self.move(number, adjoint)
                cotangents = [replace(joined, value=Leaf(adjoint, number.kind))]
            placeholders = self.pull_back(statement, cotangents)
        adjoints = frozenset(self.bar(name).name for name in self.state)
        live = without_dead_lines(tuple(lines), adjoints)
        lines_read = {v.name for line in walk(live) for v in direct_reads(line)}
        return self._with_result_names(statement, live, lines_read, placeholders)

    def kept_value(self, statement: Save | Restore) -> Plan:
        """A gradient that is differentiated again keeps values: what is taken back
        later gives its cotangent earlier, through a stack of their own."""
        stack = statement.stack.name
        if isinstance(statement, Restore):
            name = statement.target.name
            cotangent = self.state.pop(name, None)
            if stack not in self.active:
                return Plan(statement)
            with self.spec.new_block() as lines:
                value = self.procedure_seed(name, cotangent)
                if value == Const(None):
                    value = Const(0.0)
                self.spec.emit(Save(statement.span, self.bar(stack), value))
            self.stacks.add(self.bar(stack).name)
            return Plan(statement, tuple(lines))
        if stack not in self.active:
            return Plan(statement)
        self.stacks.add(self.bar(stack).name)
        with self.spec.new_block() as lines:
            part = self.spec.fresh("part")
            self.spec.emit(Restore(statement.span, part, self.bar(stack)))
            kept = statement.value
            if isinstance(kept, Var) and kept.name in self.active:
                kind = self.full_kind(kept.name)
                self.function.kinds[part.name] = kind  # type: ignore[index]
                self.contribute(kept, Leaf(part, kind), Masked.NO)
        return Plan(statement, tuple(lines))

    def procedure_call(
        self,
        statement: Assign,
        targets: list[str],
        cotangents: list[Cotangent | None],
    ) -> list[Plan]:
        """The forward program in place of the call, the reverse program behind it."""
        copies: list[Plan] = []
        if {v.name for v in direct_reads(statement)} & set(targets):
            results = [self.spec.fresh(name) for name in targets]
            for name, result in zip(targets, results, strict=True):
                self.function.kinds[result.name] = self.kind(name)  # type: ignore[index]
                copy = Assign(statement.span, Var(name), result, self.kind(name))
                copies.append(Plan(copy))
            targets = [result.name for result in results]
            target = results[0] if len(results) == 1 else pack_tuple(*results)
            statement = replace(statement, target=target)
        call = statement.value
        assert isinstance(call, Apply) and isinstance(call.function, Procedure)
        values = [self.value(argument) for argument in call.args]
        active = active_parameters(
            call.function, call.args, lambda a: self.is_active(self.value(a))
        )
        pair = pair_of(call.function, active)
        residuals = self.spec.fresh("residuals")
        self.function.kinds[residuals.name] = OPAQUE  # type: ignore[index]
        kinds = tuple(map(self.kind, targets))
        names = [str(p.operand) for p in call.function.details.parameters]
        self._statement_names = [*targets, *(v.name for v in direct_reads(statement))]
        with self.spec.new_block() as lines:
            seeds = [
                self.procedure_seed(name, cotangent)
                for name, cotangent in zip(targets, cotangents, strict=True)
            ]
            seed = seeds[0] if len(seeds) == 1 else pack_tuple(*seeds)
            operation = Apply(pair.reverse, (residuals, seed))
            varying = [
                (argument, value)
                for argument, value, name in zip(call.args, values, names, strict=True)
                if name in active
            ]
            full = [self.full_kind(argument.name) for argument, _ in varying]  # type: ignore[union-attr]
            parts = [self.spec.fresh("part") for _ in varying]
            if len(parts) == 1:
                self.spec.assign(parts[0], operation, full[0])
            else:
                structure = Structure(tuple, tuple(range(len(full))), tuple(full))
                target = pack_tuple(*parts)
                self.spec.emit(
                    Assign(statement.span, target, operation, structure, True)
                )
            for (argument, _), part, kind in zip(varying, parts, full, strict=True):
                assert isinstance(argument, Var)
                self.contribute(argument, Leaf(part, kind), Masked.NO)
        forward = with_residuals(statement, pair, residuals, kinds)
        return [Plan(forward, tuple(lines)), *copies]

    def procedure_seed(self, name: str, cotangent: Cotangent | None) -> Operand:
        """The cotangent of one result at full shape, zero where it has none."""
        if not is_real_number_kind(self.kind(name)):
            return Const(None)
        if cotangent is not None:
            return self.filled(name, cotangent.value).operand
        if isinstance(self.kind(name), Scalar | NumPyScalar):
            return Const(0.0)
        result = Leaf(Var(name), self.kind(name))
        zeros = self.spec.apply(np.zeros_like, (result,), hint="zeros")
        assert isinstance(zeros, Leaf)
        return zeros.operand

    def _with_result_names(
        self,
        statement: Assign,
        lines: Block,
        lines_read: set[str],
        placeholders: Mapping[str, str],
    ) -> list[Plan]:
        """Replace the stand-ins for the result, or keep the result where its variable
        is also read."""
        used = {p: name for p, name in placeholders.items() if p in lines_read}
        own_reads = {v.name for v in direct_reads(statement)}
        clash = {p: name for p, name in used.items() if name in own_reads}
        if not clash:
            renamed = rename_reads(lines, used)
            return [Plan(statement, renamed)]
        (placeholder,) = clash
        kept = replace(statement, target=Var(placeholder))
        copy = Assign(
            statement.span, statement.target, Var(placeholder), statement.kind
        )
        self.function.kinds[placeholder] = self.kind(clash[placeholder])  # type: ignore[index]
        return [Plan(kept, lines), Plan(copy)]

    # ---------------------------------------------------------------- branches

    def branch(self, statement: If) -> Plan:
        """Both branches from the same cotangents; what one leaves, the other must leave
        too."""
        before = dict(self.state)
        plans, ends = [], []
        for block in (statement.body, statement.orelse):
            self.state = dict(before)
            plans.append(self.block(block))
            ends.append(self.state)
        self.state = self._merged(statement, ends, plans)
        flag, in_body = self._leaving_branch(statement)
        return Plan(
            statement, blocks=tuple(plans), reverse_test=flag, swapped=not in_body
        )

    def _merged(
        self,
        statement: Statement,
        ends: list[dict[str, Cotangent]],
        plans: list[BlockPlan],
    ) -> dict[str, Cotangent]:
        """The cotangents in front of a statement of which one path was taken."""
        inside = {v.name for s in walk((statement,)) for v in direct_writes(s)}
        bound_inside = inside - self.possibly.before[id(statement)]
        merged: dict[str, Cotangent] = {}
        self.bound = self.assigned.before[id(statement)]
        for name in dict.fromkeys(name for end in ends for name in end):
            cotangents = [end.get(name) for end in ends]
            if all(c is cotangents[0] for c in cotangents):
                merged[name] = cotangents[0]  # type: ignore[assignment]
            elif name not in bound_inside:
                joined = self._merge(name, cotangents, plans)
                flag = _needed_flag(statement, cotangents)
                merged[name] = replace(joined, only_if=flag)
        self.bound = None
        return merged

    def attempt(self, statement: Try) -> list[Plan]:
        """The path that ran: the body, or the handler whose flag is true."""
        final = self.block(statement.final)
        before = dict(self.state)
        orelse = self.block(statement.orelse)
        paths, ends = [self.block(statement.body)], [self.state]
        flags: list[Plan] = []
        handlers, caught = [], []
        for handler in statement.handlers:
            if ends_raising(handler.body):
                caught.append(plans_without_reverse(handler.body))
                handlers.append(handler)
                continue
            self.state = dict(before)
            plan = self.block(handler.body)
            check = self._half_done_check(statement)
            flag = self.spec.fresh("failed")
            self.function.kinds[flag.name] = BOOL  # type: ignore[index]
            flags.append(Plan(Assign(statement.span, flag, Const(False), BOOL)))
            place = 1 if is_caught(handler.body[:1]) else 0
            noted = Plan(Assign(None, flag, Const(True), BOOL), check)
            plan.plans.insert(place, noted)
            handlers.append(replace(handler, flag=flag))
            caught.append(plan)
            paths.append(plan)
            ends.append(self.state)
        self.state = self._merged(statement, ends, paths)
        statement = replace(statement, handlers=tuple(handlers))
        return [*flags, Plan(statement, blocks=(paths[0], *caught, orelse, final))]

    def _half_done_check(self, statement: Try) -> Block:
        """Refuse a handler that goes on with a variable which the body may or may not
        have assigned when it raised. In a loop a later iteration may have assigned it
        on every path; then its adjoint is zero, which the lines check."""
        flags = {v.name for s in walk(statement.body) for v in direct_writes(s)}
        for name, cotangent in list(self.state.items()):
            if cotangent.only_if in flags:  # false: the jump in the body wasn't reached
                del self.state[name]
        with self.spec.new_block() as lines:
            for name in sorted(set(self.state) & half_done(statement.body)):
                reason = (
                    f"{_own_name(name)!r} is assigned inside the try, and a handler "
                    "goes on with it: how far the try came isn't known"
                )
                if not self.loops:
                    advice = "assign it in the handler too, or behind the try statement"
                    problem = Unsupported(None, reason, advice)
                    self.spec.report_at(problem, statement.span)
                    continue
                adjoint = self.state.pop(name).value
                if axes_of(adjoint.kind) == ():
                    zero = constant(0.0)
                    test = operate(self.spec, operator.ne, (adjoint, zero), None)
                else:
                    test = self.spec.apply(np.any, (adjoint,), hint="condition")
                fail = Apply(raise_exception, (Const(RuntimeError), Const(reason)))
                raising = (Effect(statement.span, fail),)
                self.spec.emit(If(statement.span, operand_of(test), raising, ()))
        return tuple(lines)

    def _tests_flag(self, test: Operand, seen: set[str]) -> bool:
        """True for a test of a jump's flag, also through copies."""
        for variable in operand_variables(test):
            name = variable.name
            if is_jump_flag(name):
                return True
            if name in seen:
                continue
            seen.add(name)
            for definition in self.definitions.get(name, []):
                for read in direct_reads(definition):
                    if self._tests_flag(read, seen):
                        return True
        return False

    def _leaving_branch(self, statement: If) -> tuple[Var | None, bool]:
        """The flag that one branch surely sets and the other never, and whether the
        first is the body."""
        if self._tests_flag(statement.test, set()):
            return None, True  # a guard: the flag may have been true before
        blocks = statement.body, statement.orelse
        for body, other in (blocks, blocks[::-1]):
            elsewhere = {v for s in walk(other) for v in direct_writes(s)}
            for s in body:
                if is_flag_set(s, self.flags) and s.target not in elsewhere:  # type: ignore[attr-defined]
                    return s.target, body is statement.body  # type: ignore[attr-defined]
        return None, True

    def _merge(
        self, name: str, cotangents: list[Cotangent | None], plans: list[BlockPlan]
    ) -> Cotangent:
        kinds = {str(c.value.kind) for c in cotangents if c is not None}
        alike = len(kinds) == 1 and None not in cotangents
        for cotangent, plan in zip(cotangents, plans, strict=True):
            with self.spec.new_block() as lines:
                if cotangent is None:
                    self.assign_zero(name)
                elif alike:
                    self.move(cotangent.value, self.bar(name))
                else:
                    self.fill(name, cotangent)
            plan.entry = (*lines, *plan.entry)
        present = [c for c in cotangents if c is not None]
        kind = present[0].value.kind if alike else self.full_kind(name)
        if not self.surely_bound(name):
            kind = self.kind_or_zero(kind)
        masked = max(c.masked for c in present)
        return Cotangent(Leaf(self.bar(name), kind), masked)

    # ---------------------------------------------------------------- loops

    def for_loop(self, statement: For) -> list[Plan]:
        """The body's reverse, in a loop that runs backwards; over the numbers that were
        reached where the loop may end early."""
        before, body = self.loop_body(statement, statement.body)
        if statement.until is None:
            return [Plan(statement, before=before, blocks=(body,))]
        start, count = self._counted(statement, body)
        stop: Operand = count
        if (statement.start, statement.step) != (Const(0), Const(1)):
            with self.spec.new_block() as lines:
                reached = operate(
                    self.spec,
                    operator.mul,
                    (Leaf(count, INT), self.value(statement.step)),
                    None,
                )
                end = operate(
                    self.spec,
                    operator.add,
                    (self.value(statement.start), reached),
                    None,
                )
            before = (*before, *lines)
            stop = operand_of(end)
        plan = Plan(
            statement,
            before=before,
            blocks=(body,),
            reverse_count=count,
            reverse_stop=stop,
        )
        return [start, plan]

    def while_loop(self, statement: While) -> list[Plan]:
        """Iterations are counted, and as many are run backwards."""
        before, body = self.loop_body(statement, statement.body)
        tested = {v.name for s in walk(statement.condition) for v in direct_writes(s)}
        if tested & set(self.state):
            raise Unsupported(
                None,
                "the test of this loop assigns what its body differentiates",
                "compute it in the body, and leave the loop with break",
            )
        start, count = self._counted(statement, body)
        condition = plans_without_reverse(statement.condition)
        plan = Plan(
            statement, before=before, blocks=(condition, body), reverse_count=count
        )
        return [start, plan]

    def _counted(self, loop: For | While, body: BlockPlan) -> tuple[Plan, Var]:
        """Count the iterations. An iteration that may leave early counts first."""
        count = self.spec.fresh("iterations")
        self.function.kinds[count.name] = INT  # type: ignore[index]
        step = Assign(
            None, count, Apply(operator.add, (count, Const(1)), (), "augmented")
        )
        body.plans.insert(len(body.plans) if loop.until is None else 0, Plan(step))
        return Plan(Assign(loop.span, count, Const(0))), count

    def loop_body(self, statement: Statement, body: Block) -> tuple[Block, BlockPlan]:
        """Lines before the reverse loop, and the plan of its body."""
        self.loops += 1
        try:
            return self._loop_body(statement, body)
        finally:
            self.loops -= 1

    def _loop_body(self, statement: Statement, body: Block) -> tuple[Block, BlockPlan]:
        """See :meth:`loop_body`.

        The adjoints that the loop carries are found by trial runs, until no new one
        appears.
        """
        occurring = {
            v.name for s in walk(body) for v in (*direct_reads(s), *direct_writes(s))
        }
        surely = self.assigned.after[id(statement)]
        if body:
            surely = surely & self.assigned.before[id(body[0])]
        outside = dict(self.state)
        carried = {name for name in outside if name in occurring}
        redefined: set[str] = set()
        masked = {n: outside[n].masked for n in carried if outside[n].masked}
        while True:
            maybe_zero = redefined | (carried - surely)
            end = self._trial(outside, carried, maybe_zero, masked, body)
            grown = carried | (set(end) - set(outside))
            fresh = {name for name in grown if name not in end}
            spread = {
                n: max(
                    masked.get(n, Masked.NO), end[n].masked if n in end else Masked.NO
                )
                for n in grown
            }
            if (grown, fresh, spread) == (carried, redefined, masked):
                break
            carried, redefined, masked = grown, fresh, spread
        self.bound = self.assigned.after[id(statement)]
        with self.spec.new_block() as before:
            for name in sorted(carried):
                if name in outside:
                    self.fill(name, outside[name])
                else:
                    self.assign_zero(name)
        self.bound = None
        maybe_zero = redefined | (carried - surely)
        self.state = self._head(outside, carried, maybe_zero, masked)
        plan = self.block(body)
        self.bound = self.assigned.before[id(body[0])] if body else None
        with self.spec.new_block() as entry:
            for name in sorted(carried):
                cotangent = self.state.get(name)
                if cotangent is None:
                    self.spec.assign(self.bar(name), Const(0.0), FLOAT)
                else:
                    self.fill(name, cotangent)
        self.bound = None
        plan.entry = (*entry, *plan.entry)
        self.state = self._head(outside, carried, maybe_zero, masked)
        return tuple(before), plan

    def _head(
        self,
        outside: Mapping[str, Cotangent],
        carried: Iterable[str],
        maybe_zero: set[str],
        masked: Mapping[str, Masked],
    ) -> dict[str, Cotangent]:
        """Cotangents at the head of a reverse loop. One that every iteration redefines
        is the number 0.0 from the second on, and so is that of a variable that has no
        value yet."""
        state = dict(outside)
        for name in sorted(carried):
            kind = self.full_kind(name)
            if name in maybe_zero:
                kind = self.kind_or_zero(kind)
            state[name] = Cotangent(
                Leaf(self.bar(name), kind), masked.get(name, Masked.NO)
            )
        return state

    def _trial(
        self,
        outside: Mapping[str, Cotangent],
        carried: set[str],
        maybe_zero: set[str],
        masked: Mapping[str, Masked],
        body: Block,
    ) -> dict[str, Cotangent]:
        problems = len(self.spec.problems)
        with self.spec.new_block():
            self.state = self._head(outside, carried, maybe_zero, masked)
            self.block(body)
        del self.spec.problems[problems:]
        return self.state


def _needed_flag(statement: Statement, cotangents: list[Cotangent | None]) -> str:
    """The jump's flag without which none of the paths of a statement gives a
    cotangent; "" where there is none."""
    if isinstance(statement, If) and isinstance(statement.test, Var):
        flag = statement.test.name
        written = {v.name for s in walk(statement.body) for v in direct_writes(s)}
        if is_jump_flag(flag) and cotangents[1] is None and flag not in written:
            return flag
    flags = {c.only_if for c in cotangents if c is not None}
    return flags.pop() if len(flags) == 1 else ""


def _own_name(name: str) -> str:
    return name.split("~")[0].split(":")[-1].strip(".")


def plans_without_reverse(block: Block) -> BlockPlan:
    """Plans for statements that have no reverse lines."""
    return BlockPlan(
        [Plan(s, blocks=tuple(map(plans_without_reverse, blocks_of(s)))) for s in block]
    )


def is_projection(statement: Assign, kinds: Mapping[str, Kind]) -> bool:
    """True for taking one item out of an argument that is a structure. (Items of other
    structures are variables of their own, and those of arrays are no projections.)"""
    value = statement.value
    if not isinstance(value, Apply) or value.function not in (
        operator.getitem,
        getattr,
    ):
        return False
    holder = value.args[0]
    return isinstance(holder, Var) and isinstance(kinds.get(holder.name), Structure)


def rename_reads(lines: Block, names: Mapping[str, str]) -> Block:
    """Lines with variables that they read renamed."""
    from s2sad.ir.nodes import map_value

    def rename(variable: Var) -> Var:
        return Var(names.get(variable.name, variable.name))

    def line(s: Statement) -> Statement:
        match s:
            case Assign():
                return replace(s, value=map_value(s.value, rename))
            case If():
                return replace(
                    s,
                    test=map_value(s.test, rename),
                    body=tuple(map(line, s.body)),
                    orelse=tuple(map(line, s.orelse)),
                )
            case Try() | With():
                inner = with_blocks(s, lambda block: tuple(map(line, block)))
                if isinstance(inner, With):
                    inner = replace(inner, value=map_value(inner.value, rename))
                return inner
            case For():
                return replace(
                    s,
                    start=map_value(s.start, rename),
                    stop=map_value(s.stop, rename),
                    step=map_value(s.step, rename),
                    body=tuple(map(line, s.body)),
                )
        return s

    return tuple(map(line, lines)) if names else lines


def may_vary(function: Function):
    """Whether a variable's kind can carry a derivative."""

    def test(name: str) -> bool:
        kind = function.kinds.get(name)
        return kind is None or is_real_number_kind(kind)

    return test
