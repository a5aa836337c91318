"""Forward mode: beside each assignment, the assignment of its tangent.

Takes a function of webs and its active variables; gives a function that carries
tangents along::

    y = mul(x, w)        ->        y.dot = add(mul(x.dot, w), mul(x, w.dot))
                                   y = mul(x, w)

Reverse programs are functions too, so this also gives forward over reverse: kept values
keep their tangents on a stack of their own. Source: Griewank and Walther, Evaluating
Derivatives (2nd ed.), section 3.1.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.passes.dead_code import without_dead_lines
from s2sad.frontend.specialise import core
from s2sad.transform.adjoints.projections import is_projection
from s2sad.transform.forward import given_forward, pushforwards, reference_pushes
from s2sad.transform.programs.primal_programs import (
    active_parameters,
    is_procedure_call,
)
from s2sad.transform.reverse.reverse import rename_reads


class ForwardMode(
    given_forward.GivenPushes,
    pushforwards.Pushforwards,
    reference_pushes.ReferencePushes,
):
    """Makes the program that carries tangents."""

    def run(self) -> ir.Function:
        """The function that returns its value and, in the same structure, the
        tangent."""
        self.spec.derived = True
        with self.spec.new_block() as start:
            for name in self.function.parameters:
                leaf = self.given.get(name)
                if leaf is not None:
                    self.spec.assign(self.dot(name), leaf.operand, leaf.kind)
                    self.dot_kinds[name] = leaf.kind
                elif name in self.active:  # what is assigned later varies
                    self.assign_zero_tangent(ir.Var(name))
        body = (*start, *self.block(self.function.body))
        self.spec.raise_problems()
        dots = {self.dot(n).name: kind for n, kind in self.dot_kinds.items()}
        return replace(
            self.function,
            body=body,
            kinds={**self.function.kinds, **dots},
            temporaries=frozenset(self.function.temporaries | self.spec.temporaries),
        )

    # ---------------------------------------------------------------- statements

    def block(self, block: ir.Block) -> ir.Block:
        """The statements of a block with their tangents."""
        with self.spec.new_block() as lines:
            for statement in block:
                outer, self.spec.span = self.spec.span, statement.span
                try:
                    self.statement(statement)
                except core.Unsupported as problem:
                    self.spec.report_at(problem, statement.span)
                finally:
                    self.spec.span = outer
        return tuple(lines)

    def statement(self, s: ir.Statement) -> None:
        """Emit one statement and its tangent."""
        emit = self.spec.emit
        match s:
            case ir.Assign():
                self.assignment(s)
            case ir.Try():
                self.attempts += 1
                body = self.block(s.body)
                self.attempts -= 1
                _, *rest = ir.blocks_of(s)
                emit(ir.rebuilt(s, [body, *map(self.block, rest)]))
            case ir.Save():
                emit(s)
                if s.stack.name in self.active and isinstance(s.value, ir.Var):
                    tangent = core.operand_of(self.filled_tangent(s.value))
                    emit(ir.Save(s.span, self.dot(s.stack.name), tangent))
            case ir.Restore():
                emit(s)
                kept = s.stack.name in self.active
                if kept or s.target.name in self.active:
                    self.dot_kinds.setdefault(
                        s.target.name, self.full_kind(s.target.name)
                    )
                    stack = self.dot(s.stack.name)
                    if kept:  # whoever reads it: the others wait below
                        emit(ir.Restore(s.span, self.dot(s.target.name), stack))
                    else:
                        self.assign_zero_tangent(s.target)
            case _ if isinstance(s, ir.COMPOUND):
                outside = dict(self.origins)
                emit(ir.with_blocks(s, self.block))
                if isinstance(s, ir.Loop):
                    self.origins = outside  # others are those of another turn
            case ir.Return():
                emit(replace(s, value=ir.pack_tuple(s.value, self.tangents(s.value))))
            case ir.Effect() if self.stores_in_call(s.value):
                call = ir.Assign(s.span, ir.pack_tuple(), s.value)
                self.procedure_call(call, [])
            case ir.Effect():
                self.reference_effect(s)

    # ---------------------------------------------------------------- assignments

    def assignment(self, s: ir.Assign) -> None:
        """An assignment after, or before, that of its tangent."""
        targets = [v.name for v in ir.operand_variables(s.target)]
        active = [name for name in targets if name in self.active]
        if not active and not self.stores_in_call(s.value):
            self.spec.emit(s)
            return
        if ir.applies(s, ops.new_stack, ops.new_list):
            self.spec.emit(s)
            self.dot_kinds[targets[0]] = self.full_kind(targets[0])
            self.spec.emit(replace(s, target=self.dot(targets[0])))
            return
        if ir.applies(s, *ops.SHORTER_STACKS):
            self.spec.emit(s)
            own, place = self.dot(targets[0]), s.value.args[1]
            shortened = replace(s.value, args=(own, place))
            self.spec.emit(replace(s, target=own, value=shortened))
            return
        if active and is_projection(s, self.function.kinds):
            (name,) = active
            if name in self.given or ir.is_of_references(s.kind or self.kind(name)):
                return self.part_of_argument(s, name)
        if self.reference_push(s):
            return
        if is_procedure_call(s.value):
            made = any(ir.is_of_references(self.kind(name)) for name in active)
            if made or any(map(self._varies, s.value.args)):  # type: ignore[union-attr]
                return self.procedure_call(s, targets)
        with self.spec.new_block() as lines:
            placeholders = self.push_forward(s)
        live = frozenset(self.dot(name).name for name in active)
        kept = without_dead_lines(tuple(lines), live)
        self._emit_in_order(s, kept, placeholders)

    def part_of_argument(self, s: ir.Assign, name: str) -> None:
        """The tangent of a part of an argument is given; zeros where the argument isn't
        differentiated and what is stored into the part may vary."""
        self.spec.emit(s)
        leaf = self.given.get(name)
        if leaf is None:
            kind = s.kind or self.kind(name)
            leaf = core.Leaf(self.zero_structure(ir.Var(name), kind), kind)
        self.spec.assign(self.dot(name), leaf.operand, leaf.kind)
        self.dot_kinds[name] = leaf.kind

    def _varies(self, argument: Any) -> bool:
        return self.is_active(self.value(argument))

    def procedure_call(self, s: ir.Assign, targets: list[str]) -> None:
        """The call of the program that carries tangents."""
        call = s.value
        assert isinstance(call, ir.Apply) and isinstance(call.function, ir.Procedure)
        if call.function.given is not None:
            return self.given_push(s, targets)
        active = active_parameters(call.function, call.args, self._varies)
        names = [str(p.operand) for p in call.function.details.parameters]
        # recursion hands unit tangents on to itself, and soon they are no longer that
        unit = set[str]() if _calls_itself(call.function) else self.unit
        given = dict(zip(names, map(str, call.args), strict=True))
        pushed, unit_results = self.spec.derivatives.pushed_call(
            call.function,
            active,
            frozenset(name for name in active if given[name] in self.masked),
            frozenset(name for name in active if given[name] in unit),
        )
        self.unit |= {name for k, name in enumerate(targets) if k in unit_results}
        dots = [
            core.operand_of(self.filled_tangent(argument))  # type: ignore[arg-type]
            for argument, name in zip(call.args, names, strict=True)
            if name in active
        ]
        kinds = [self.kind(name) for name in targets]
        unused = self.spec.fresh
        own = [self.dot(n) if n in self.active else unused("unused") for n in targets]
        tangents = [
            kind if ir.is_of_references(kind) else ir.tangent_kind(kind)
            for kind in kinds
        ]
        for name, kind in zip(targets, tangents, strict=True):
            if name in self.active:
                self.dot_kinds[name] = kind
        items = (*map(ir.Var, targets), *own)
        structure = ir.tuple_of_kinds((*kinds, *tangents))
        value = replace(call, function=pushed, args=(*call.args, *dots))
        if items:
            target = ir.pack_tuple(*items)
            self.spec.emit(replace(s, target=target, value=value, kind=structure))
        else:
            self.spec.emit(ir.Effect(s.span, value))

    def _emit_in_order(
        self, s: ir.Assign, lines: ir.Block, placeholders: Mapping[str, str]
    ) -> None:
        reads = ir.names_read_in(lines)
        used = {p: name for p, name in placeholders.items() if p in reads}
        own = ir.names_read(s)
        first: ir.Block
        second: ir.Block
        if self.attempts and isinstance(s.target, ir.Var) and ir.may_raise(s):
            # the tangent changes only where the value does
            result = self.spec.fresh(s.target.name)
            self.function.kinds[result.name] = s.kind or self.kind(s.target.name)  # type: ignore[index]
            new = {*used, s.target.name} - own  # what has the new value there
            lines = rename_reads(lines, dict.fromkeys(new, result.name))
            copy = ir.Assign(s.span, s.target, result, s.kind)
            first, second = (replace(s, target=result), *lines), (copy,)
        elif not used:
            after_target = reads & ir.names_written(s) - own
            first, second = ((s,), lines) if after_target else (lines, (s,))
        elif any(name in own for name in used.values()):
            (placeholder,) = used
            self.function.kinds[placeholder] = self.kind(used[placeholder])  # type: ignore[index]
            kept = replace(s, target=ir.Var(placeholder))
            copy = ir.Assign(s.span, s.target, ir.Var(placeholder), s.kind)
            first, second = (kept, *lines), (copy,)
        else:
            first, second = (s,), rename_reads(lines, used)
        for statement in (*first, *second):
            self.spec.emit(statement)


def _calls_itself(procedure: ir.Procedure) -> bool:
    """True for a recursion, and a derivative of one."""
    while procedure.of is not None:
        procedure = procedure.of
    source, spec = procedure.details.source, procedure.details.spec
    return source is not None and source.identity in spec.procedures.recursive
