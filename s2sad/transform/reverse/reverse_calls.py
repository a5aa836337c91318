"""The plans of calls of procedures, and of values that a gradient keeps."""

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.passes import purity
from s2sad.analysis.reverse.costs import changed_in_place
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.recursion.forms import returned_kinds
from s2sad.ops.runtime.broadcasting import broadcast_to_shape_of, sum_to_shape_of
from s2sad.transform.adjoints.cotangents import Cotangent, Masked, is_one_flag
from s2sad.transform.programs import primal_programs
from s2sad.transform.reverse.given_reverse import GivenPlans


class CallPlans(GivenPlans):
    """Plans of calls of procedures, of Save and of Restore."""

    def kept_values(self, statement: ir.Save | ir.Restore) -> list[ir.Plan]:
        """A gradient that is differentiated again keeps values. The adjoint of a
        reference is kept beside it."""
        if isinstance(statement, ir.Save):
            kept = statement.value
        else:
            kept = statement.target
        if not isinstance(kept, ir.Var) or not ir.is_of_references(
            self.kind(kept.name)
        ):
            return [self._kept_number(statement)]
        if kept.name not in self.active:
            return [ir.Plan(statement)]
        bar, stack = self.bar(kept.name), self.bar(statement.stack.name)
        self.stacks_of_references.add(statement.stack.name)
        self.function.kinds[bar.name] = ir.adjoint_kind(self.kind(kept.name))  # type: ignore[index]
        beside: ir.Statement = ir.Save(statement.span, stack, bar)
        if isinstance(statement, ir.Restore):
            beside = ir.Restore(statement.span, bar, stack)
        return [ir.Plan(statement), ir.Plan(beside)]

    def _kept_number(self, statement: ir.Save | ir.Restore) -> ir.Plan:
        """What is taken back later gives its cotangent earlier, through a stack of
        their own."""
        stack = statement.stack.name
        if isinstance(statement, ir.Restore):
            name = statement.target.name
            cotangent = self.state.pop(name, None)
            if stack not in self.active:
                return ir.Plan(statement)
            with self.spec.new_block() as lines:
                value = self.procedure_seed(name, cotangent)
                if value == ir.Const(None):
                    value = ir.Const(0.0)
                self.spec.emit(ir.Save(statement.span, self.bar(stack), value))
            self.stacks.add(self.bar(stack).name)
            return ir.Plan(statement, tuple(lines))
        if stack not in self.active:
            return ir.Plan(statement)
        self.stacks.add(self.bar(stack).name)
        with self.spec.new_block() as lines:
            part = self.spec.fresh("part")
            self.spec.emit(ir.Restore(statement.span, part, self.bar(stack)))
            kept = statement.value
            if isinstance(kept, ir.Var) and kept.name in self.active:
                kind = self.full_kind(kept.name)
                self.function.kinds[part.name] = kind  # type: ignore[index]
                self.contribute(kept, core.Leaf(part, kind), Masked.SELECTED)
        return ir.Plan(statement, tuple(lines))

    def procedure_call(
        self,
        statement: ir.Assign,
        targets: list[str],
        cotangents: list[Cotangent | None],
    ) -> list[ir.Plan]:
        """The forward program in place of the call, the reverse program behind it."""
        copies: list[ir.Plan] = []
        settled = id(statement) in self.settled_calls
        if ir.names_read(statement) & set(targets):
            results = [self.spec.fresh(name) for name in targets]
            for name, result in zip(targets, results, strict=True):
                self.function.kinds[result.name] = self.kind(name)  # type: ignore[index]
                copy = ir.Assign(statement.span, ir.Var(name), result, self.kind(name))
                copies.append(ir.Plan(copy))
                copies += map(ir.Plan, self.adjoint_copied(name, result.name))
            targets = [result.name for result in results]
            target = results[0] if len(results) == 1 else ir.pack_tuple(*results)
            statement = replace(statement, target=target)
        call = statement.value
        assert isinstance(call, ir.Apply) and isinstance(call.function, ir.Procedure)
        if call.function.given is not None:
            return [*self.given_call(statement, targets, cotangents), *copies]
        active = primal_programs.active_parameters(
            call.function, call.args, lambda a: self.is_active(self.value(a))
        )
        read = ir.names_read_in(call.function.function.body)
        active = tuple(n for n in active if n in read) or active
        flag = self._flag_of_call(targets, cotangents, call.function, active)
        marks = tuple(
            None if c is None else Masked.NO if flag is not None else c.masked
            for c in cotangents
        )
        lone = None
        if self.at_once and not any(map(self._changes, call.args)):
            lone = self._lone_reverse(call.function, active, marks, settled)
        pair = lone or self.spec.derivatives.pair_of(call.function, active, marks)
        if pair.in_making and call.function.function is not self.own_program:
            # what it calls is made once, and may count on no less than that
            pair.found(dict.fromkeys(active, Masked.SELECTED))
        residuals = self.spec.fresh(pair.residuals)
        self.function.kinds[residuals.name] = ir.OPAQUE  # type: ignore[index]
        kinds = tuple(map(self.kind, targets))
        names = [str(p.operand) for p in call.function.details.parameters]
        self._statement_names = [
            *targets,
            *(v.name for v in ir.direct_reads(statement)),
        ]
        given = dict(zip(names, call.args, strict=True))
        with self.spec.new_block() as ahead:
            adjoints = tuple(
                self.adjoint_of_argument(given[n]) for n in pair.references
            )
        of_results = self.adjoints_of_targets(targets)
        lines: list[ir.Statement] = []
        # what is added to the adjoints of objects that it makes goes to its arguments
        gives = of_results and purity.makes_references(call.function)
        gives = gives or self.stores_in_call(call)
        if gives or any(c is not None for c in cotangents):
            with self.spec.new_block() as lines:
                handed = (*call.args, *adjoints) if lone else (residuals,)
                self._reverse_call(
                    statement, pair, active, handed, targets, cotangents, given, flag
                )
        if lone:
            plans = [*map(ir.Plan, ahead), ir.Plan(statement, tuple(lines))]
            return [*plans, *copies]
        of_kinds = tuple(self.kind(v.name) for v in of_results)
        plans = [ir.Plan(line) for line in ahead]
        if pair.reverse.partials:
            plans += self._apart(statement, pair, residuals, tuple(lines))
            return [*plans, *copies]
        forward = primal_programs.with_residuals(
            statement, pair, residuals, (*kinds, *of_kinds), adjoints, of_results
        )
        return [*plans, ir.Plan(forward, tuple(lines)), *copies]

    def _apart(
        self,
        statement: ir.Assign,
        pair: primal_programs.Pair,
        partials: ir.Var,
        lines: ir.Block,
    ) -> list[ir.Plan]:
        """The call of a forward program that gives partial derivatives, and its two
        results one by one, so that each has an equation: where only the reverse sweep
        reads them, the call can stand there."""
        assert isinstance(statement.value, ir.Apply)
        called, span = self.spec.fresh("called"), statement.span
        kind = ir.tuple_of_kinds((self.kind(str(statement.target)), ir.OPAQUE))
        self.function.kinds[called.name] = kind  # type: ignore[index]
        call = replace(statement.value, function=pair.forward)
        result, given = (
            ir.Apply(operator.getitem, (called, ir.Const(k))) for k in (0, 1)
        )
        return [
            ir.Plan(replace(statement, target=called, value=call, kind=kind)),
            ir.Plan(ir.Assign(span, partials, given, ir.OPAQUE, True)),
            ir.Plan(replace(statement, value=result), lines),
        ]

    def _changes(self, argument: ir.Operand) -> bool:
        """True for a list or array by value that the program changes: as it is at a
        call, it would be kept as a whole."""
        return not self._changed.isdisjoint(
            v.name for v in ir.operand_variables(argument)
        )

    @cached_property
    def _changed(self) -> frozenset[str]:
        """The names of what the program changes where it is."""
        changed = map(changed_in_place, ir.walk(self.function.body))
        return frozenset(name for name in changed if name is not None)

    def _lone_reverse(
        self,
        procedure: ir.Procedure,
        active: tuple[str, ...],
        marks: tuple[Masked | None, ...],
        settled: bool,
    ) -> primal_programs.Pair | None:
        """The reverse program that needs no forward sweep, where there is such."""
        if not self.spec.options.recompute or len(marks) != 1:
            return None
        (mark,) = marks
        if mark is None:
            return None
        found: primal_programs.Pair | None = self.spec.derivatives.lone_reverse_of(
            procedure, active, mark, settled=settled
        )
        return found

    def _reverse_call(
        self,
        statement: ir.Assign,
        pair: primal_programs.Pair,
        active: tuple[str, ...],
        handed: Sequence[ir.Operand],
        targets: list[str],
        cotangents: list[Cotangent | None],
        given: Mapping[str, ir.Operand],
        flag: core.Leaf | None,
    ) -> None:
        """The call of the reverse program, with what is ``handed`` over beside the
        cotangent, and what it adds to the arguments where ``flag`` says that something
        contributed."""
        call = statement.value
        assert isinstance(call, ir.Apply) and isinstance(call.function, ir.Procedure)
        if flag is not None and not isinstance(flag.operand, ir.Const):
            flag = self.settled_flag(flag)
        else:
            flag = None  # 1.0 as the cotangent of the whole function
        returned = returned_kinds(call.function)
        seeds = [
            self.procedure_seed(name, cotangent, own)
            for name, cotangent, own in zip(targets, cotangents, returned, strict=True)
        ]
        seed = seeds[0] if len(seeds) == 1 else ir.pack_tuple(*seeds)
        operation = ir.Apply(pair.reverse, (*handed, seed))
        own_kinds = {str(p.operand): p.kind for p in call.function.details.parameters}
        full = [
            ir.cotangent_kind_of_list(own_kinds[name])
            or self.full_kind(given[name].name)  # type: ignore[union-attr]
            if name in active
            else ir.tangent_kind(own_kinds[name])
            for name in pair.returned
        ]
        parts = [
            self.spec.fresh("part" if name in active else "unused")
            for name in pair.returned
        ]
        if not parts:
            self.spec.emit(ir.Effect(statement.span, operation))
        elif len(parts) == 1:
            self.spec.assign(parts[0], operation, full[0])
        else:
            structure = ir.Structure(tuple, tuple(range(len(full))), tuple(full))
            target = ir.pack_tuple(*parts)
            self.spec.emit(
                ir.Assign(statement.span, target, operation, structure, True)
            )
        for name, part, kind in zip(pair.returned, parts, full, strict=True):
            if name not in active:
                continue
            argument = given[name]
            assert isinstance(argument, ir.Var)
            whole = isinstance(self.kind(argument.name), ir.List)
            mark = pair.adjoints.get(name, Masked.NO)
            adjoint, told = core.Leaf(part, kind), None
            if flag is not None:
                nothing = core.constant(0.0)
                adjoint = core.single(self.chosen_by(flag, adjoint, nothing))
                told = None if mark else flag
                mark = mark or Masked.SELECTED
            self.contribute(argument, adjoint, mark, full=whole, contributed=told)

    def adjoint_copied(self, name: str, result: str) -> list[ir.Statement]:
        """The line by which the adjoint of a reference is that of another one."""
        raise NotImplementedError

    def adjoint_of_argument(self, argument: ir.Operand) -> ir.Operand:
        """The adjoint of an argument that is a reference."""
        raise NotImplementedError

    def adjoints_of_targets(self, targets: Sequence[str]) -> tuple[ir.Var, ...]:
        """The adjoints of those results of a call that are references."""
        raise NotImplementedError

    def _flag_of_call(
        self,
        targets: list[str],
        cotangents: list[Cotangent | None],
        procedure: ir.Procedure,
        active: tuple[str, ...],
    ) -> core.Leaf | None:
        """The flag that something contributed to the cotangents that a call gives to a
        reverse program, where one tells it of all: what comes back is chosen by it, and
        the program takes no zero to be one by structure. None where no partial
        derivative may be infinite, or zeros are told by themselves."""
        flags = {c.contributed for c in cotangents if c is not None and c.masked}
        given = [c for c in cotangents if c is not None]
        if len(flags) != 1 or not all(c.masked for c in given):
            return None
        (flag,) = flags
        kinds = {str(p.operand): p.kind for p in procedure.details.parameters}
        if (
            flag is None
            or not is_one_flag(flag)
            or self.behind_singular.isdisjoint(targets)
            or any(isinstance(kinds[name], ir.List | ir.Reference) for name in active)
        ):
            return None
        return flag

    def procedure_seed(
        self, name: str, cotangent: Cotangent | None, own: ir.Kind | None = None
    ) -> ir.Operand:
        """The cotangent of one result at full shape, zero where it has none. ``own`` is
        the kind that the result has, where its variable may have another elsewhere."""
        kind = self.kind(name)
        if not ir.is_real_number_kind(kind) or ir.is_of_references(kind):
            return ir.Const(None)
        if (
            cotangent is not None
            and own is not None
            and ir.is_promoted(self.kind(name))
        ):
            return self.settled_result(name, cotangent.value, own).operand
        if cotangent is not None:
            if cotangent.full and isinstance(self.kind(name), ir.List):
                return cotangent.value.operand
            return self.filled(name, cotangent.value).operand
        if isinstance(self.kind(name), ir.Scalar | ir.NumPyScalar):
            return ir.Const(0.0)
        result = core.Leaf(ir.Var(name), self.kind(name))
        function: Any = np.zeros_like
        dtype = map(core.constant, self.dtype_of_zeros(name, result.kind))
        if isinstance(result.kind, ir.List):
            function = ops.zero_rows if ir.is_ragged(result.kind) else ops.zeros_along
        zeros = self.spec.apply(function, (result, *dtype), hint="zeros")
        assert isinstance(zeros, core.Leaf)
        return zeros.operand

    def settled_result(self, name: str, value: core.Leaf, own: ir.Kind) -> core.Leaf:
        """The cotangent of a result whose variable is a number or an array."""
        if ir.axes_of(own) == ():
            return self.of_number(value)
        for function in (sum_to_shape_of, broadcast_to_shape_of):
            made = self.spec.apply(
                function, (value, core.Leaf(ir.Var(name), own)), hint="full"
            )
            assert isinstance(made, core.Leaf)
            value = made
        return value
