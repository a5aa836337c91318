"""The plans of calls of procedures, and of values that a gradient keeps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.frontend.specialise.calls.forms import returned_kinds
from s2sad.frontend.specialise.core.values import Leaf
from s2sad.ir.kinds import (
    OPAQUE,
    Kind,
    List,
    NumPyScalar,
    Scalar,
    Structure,
    axes_of,
    cotangent_kind_of_list,
    is_promoted,
    is_ragged,
    is_real_number_kind,
)
from s2sad.ir.nodes import Apply, Assign, Const, Operand, Restore, Save, Var, pack_tuple
from s2sad.ir.plans import Plan
from s2sad.ir.procedures import Procedure
from s2sad.ir.walking import direct_reads
from s2sad.ops.lists import zeros_along
from s2sad.ops.rows import zero_rows
from s2sad.ops.runtime.broadcasting import (
    broadcast_to_shape_of,
    sum_to_shape_of,
)
from s2sad.transform.adjoints.cotangents import Cotangent, Masked
from s2sad.transform.programs.procedures import (
    active_parameters,
    pair_of,
    with_residuals,
)
from s2sad.transform.reverse.given_reverse import GivenPlans


class CallPlans(GivenPlans):
    """Plans of calls of procedures, of Save and of Restore."""

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
                self.contribute(kept, Leaf(part, kind), Masked.SELECTED)
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
        if call.function.given is not None:
            return [*self.given_call(statement, targets, cotangents), *copies]
        active = active_parameters(
            call.function, call.args, lambda a: self.is_active(self.value(a))
        )
        marks = (Masked.SELECTED if c is None else c.masked for c in cotangents)
        pair = pair_of(call.function, active, tuple(marks))
        if pair.in_making and call.function.function is not self.own_program:
            # what it calls is made once, and may count on no less than that
            pair.found(dict.fromkeys(active, Masked.SELECTED))
        residuals = self.spec.fresh("residuals")
        self.function.kinds[residuals.name] = OPAQUE  # type: ignore[index]
        kinds = tuple(map(self.kind, targets))
        names = [str(p.operand) for p in call.function.details.parameters]
        self._statement_names = [*targets, *(v.name for v in direct_reads(statement))]
        with self.spec.new_block() as lines:
            returned = returned_kinds(call.function)
            seeds = [
                self.procedure_seed(name, cotangent, own)
                for name, cotangent, own in zip(
                    targets, cotangents, returned, strict=True
                )
            ]
            seed = seeds[0] if len(seeds) == 1 else pack_tuple(*seeds)
            operation = Apply(pair.reverse, (residuals, seed))
            varying = [
                (argument, value)
                for argument, value, name in zip(call.args, values, names, strict=True)
                if name in active
            ]
            own_kinds = {
                str(p.operand): p.kind for p in call.function.details.parameters
            }
            full = [
                cotangent_kind_of_list(own_kinds[name]) or self.full_kind(argument.name)  # type: ignore[union-attr]
                for (argument, _), name in zip(varying, active, strict=True)
            ]
            parts = [self.spec.fresh("part") for _ in varying]
            if len(parts) == 1:
                self.spec.assign(parts[0], operation, full[0])
            else:
                structure = Structure(tuple, tuple(range(len(full))), tuple(full))
                target = pack_tuple(*parts)
                self.spec.emit(
                    Assign(statement.span, target, operation, structure, True)
                )
            for (argument, _), name, part, kind in zip(
                varying, active, parts, full, strict=True
            ):
                assert isinstance(argument, Var)
                whole = isinstance(self.kind(argument.name), List)
                mark = pair.adjoints.get(name, Masked.NO)
                self.contribute(argument, Leaf(part, kind), mark, full=whole)
        forward = with_residuals(statement, pair, residuals, kinds)
        return [Plan(forward, tuple(lines)), *copies]

    def procedure_seed(
        self, name: str, cotangent: Cotangent | None, own: Kind | None = None
    ) -> Operand:
        """The cotangent of one result at full shape, zero where it has none. ``own`` is
        the kind that the result has, where its variable may have another elsewhere."""
        if not is_real_number_kind(self.kind(name)):
            return Const(None)
        if cotangent is not None and own is not None and is_promoted(self.kind(name)):
            return self.settled_result(name, cotangent.value, own).operand
        if cotangent is not None:
            if cotangent.full and isinstance(self.kind(name), List):
                return cotangent.value.operand
            return self.filled(name, cotangent.value).operand
        if isinstance(self.kind(name), Scalar | NumPyScalar):
            return Const(0.0)
        result = Leaf(Var(name), self.kind(name))
        function: Any = np.zeros_like
        if isinstance(result.kind, List):
            function = zero_rows if is_ragged(result.kind) else zeros_along
        zeros = self.spec.apply(function, (result,), hint="zeros")
        assert isinstance(zeros, Leaf)
        return zeros.operand

    def settled_result(self, name: str, value: Leaf, own: Kind) -> Leaf:
        """The cotangent of a result whose variable is a number or an array."""
        if axes_of(own) == ():
            return self.of_number(value)
        for function in (sum_to_shape_of, broadcast_to_shape_of):
            made = self.spec.apply(function, (value, Leaf(Var(name), own)), hint="full")
            assert isinstance(made, Leaf)
            value = made
        return value
