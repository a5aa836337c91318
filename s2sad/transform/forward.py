"""Forward mode: beside each assignment, the assignment of its tangent.

Takes a function of webs and its active variables; gives a function that carries
tangents along::

    y = mul(x, w)        ->        y.dot = add(mul(x.dot, w), mul(x, w.dot))
                                   y = mul(x, w)

Reverse programs are functions too, so this also gives forward over reverse: kept values
keep their tangents on a stack of their own. Source: Griewank and Walther, Evaluating
Derivatives (2nd ed.), section 3.1.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.frontend.specialise import Specialised, expand
from s2sad.frontend.specialise.context import Unsupported
from s2sad.frontend.specialise.expressions import operate
from s2sad.frontend.specialise.values import (
    Aggregate,
    Leaf,
    Value,
    constant,
    kind_of,
    map_leaves,
    operand_of,
)
from s2sad.ir.kinds import (
    FLOAT,
    Kind,
    List,
    NumPyScalar,
    Scalar,
    Structure,
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
    Global,
    If,
    Pack,
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
    may_raise,
    operand_variables,
    pack_tuple,
    rebuilt,
    walk,
    with_blocks,
)
from s2sad.ir.procedures import Procedure
from s2sad.optimise.dead_code import without_dead_lines
from s2sad.rules.registry import Rule, rule_for
from s2sad.transform.adjoints import unused_suffix
from s2sad.transform.assemble import new_stack, shortened_stack
from s2sad.transform.contributions import Contributions, raise_without_rule
from s2sad.transform.lists import new_list, zero_items
from s2sad.transform.procedures import (
    active_parameters,
    is_procedure_call,
    pushforward_of,
    tangent_kind,
)
from s2sad.transform.reverse import is_projection, rename_reads


class ForwardMode(Contributions):
    """Makes the program that carries tangents."""

    def __init__(
        self,
        function: Function,
        specialised: Specialised,
        active: set[str],
        tangents: Mapping[str, Leaf],
    ) -> None:
        super().__init__(function, specialised.specialiser, active)
        self.given = tangents
        self.dot_kinds: dict[str, Kind] = {}
        self.dot_suffix = unused_suffix(function, ".dot")
        self.attempts = 0
        """How many try bodies are around."""
        writes: dict[str, int] = {}
        for s in walk(function.body):
            if isinstance(s, Assign | Restore):
                for v in operand_variables(s.target):
                    writes[v.name] = writes.get(v.name, 0) + 1
        self.written_often = {n for n, count in writes.items() if count > 1}

    def run(self) -> Function:
        """The function that returns its value and, in the same structure, the
        tangent."""
        self.spec.derived = True
        start = []
        with self.spec.new_block() as lines:
            for name in self.function.parameters:
                leaf = self.given.get(name)
                if leaf is not None:
                    self.spec.assign(self.dot(name), leaf.operand, leaf.kind)
                    self.dot_kinds[name] = leaf.kind
                elif name in self.active:  # what is assigned later varies
                    self.assign_zero_tangent(Var(name))
            start = lines
        body = (*start, *self.block(self.function.body))
        self.spec.raise_problems()
        return replace(
            self.function,
            body=body,
            kinds={
                **self.function.kinds,
                **{self.dot(n).name: k for n, k in self.dot_kinds.items()},
            },
            temporaries=frozenset(self.function.temporaries | self.spec.temporaries),
        )

    def full_kind(self, name: str) -> Kind:
        """The kind of a variable's tangent at full shape; that of a list is a list."""
        kind = self.kind(name)
        return kind if isinstance(kind, List) else super().full_kind(name)

    def is_full(self, cotangent: Kind, kind: Kind) -> bool:
        """True where a tangent is known to have the shape of a value of this kind."""
        return isinstance(cotangent, List) or super().is_full(cotangent, kind)

    def dot(self, name: str) -> Var:
        """The tangent variable of a variable."""
        tangent = f"{name}{self.dot_suffix}"
        if name in self.function.temporaries:
            self.spec.temporaries.add(tangent)
        return Var(tangent)

    # ---------------------------------------------------------------- statements

    def block(self, block: Block) -> Block:
        """The statements of a block with their tangents."""
        with self.spec.new_block() as lines:
            for statement in block:
                outer, self.spec.span = self.spec.span, statement.span
                try:
                    self.statement(statement)
                except Unsupported as problem:
                    self.spec.report_at(problem, statement.span)
                finally:
                    self.spec.span = outer
        return tuple(lines)

    def statement(self, s: Statement) -> None:
        """Emit one statement and its tangent."""
        emit = self.spec.emit
        match s:
            case Assign():
                self.assignment(s)
            case If():
                emit(replace(s, body=self.block(s.body), orelse=self.block(s.orelse)))
            case For():
                emit(replace(s, body=self.block(s.body)))
            case While():
                emit(
                    replace(
                        s, condition=self.block(s.condition), body=self.block(s.body)
                    )
                )
            case With():
                emit(with_blocks(s, self.block))
            case Try():
                self.attempts += 1
                body = self.block(s.body)
                self.attempts -= 1
                _, *rest = blocks_of(s)
                emit(rebuilt(s, [body, *map(self.block, rest)]))
            case Save():
                emit(s)
                if s.stack.name in self.active and isinstance(s.value, Var):
                    tangent = operand_of(self.filled_tangent(s.value))
                    emit(Save(s.span, self.dot(s.stack.name), tangent))
            case Restore():
                emit(s)
                kept = s.stack.name in self.active
                if kept or s.target.name in self.active:
                    self.dot_kinds.setdefault(
                        s.target.name, self.full_kind(s.target.name)
                    )
                    stack = self.dot(s.stack.name)
                    if kept:  # whoever reads it: the others wait below
                        emit(Restore(s.span, self.dot(s.target.name), stack))
                    else:
                        self.assign_zero_tangent(s.target)
            case Return():
                emit(
                    replace(
                        s, value=Pack(tuple, (0, 1), (s.value, self.tangents(s.value)))
                    )
                )
            case Effect():
                emit(s)

    def tangents(self, operand: Any) -> Any:
        """The operand with each variable's tangent in its place, at full shape."""
        if isinstance(operand, Pack):
            return replace(operand, items=tuple(map(self.tangents, operand.items)))
        if isinstance(operand, Var) and is_real_number_kind(self.kind(operand.name)):
            return operand_of(self.filled_tangent(operand))
        if isinstance(operand, Const) and isinstance(operand.value, float):
            return Const(0.0)
        if isinstance(operand, Global):
            value = self.value(operand)
            kind = kind_of(value)
            if isinstance(kind, Scalar | NumPyScalar) and is_real_number_kind(kind):
                return Const(0.0)
            if is_real_number_kind(kind):
                return operand_of(self.spec.apply(np.zeros_like, (value,)))
        return Const(None)

    def filled_tangent(self, variable: Var) -> Leaf:
        """The tangent of a variable at full shape; zeros where it has none."""
        name = variable.name
        if name not in self.active:
            kind = self.kind(name)
            if isinstance(kind, Scalar | NumPyScalar):
                return Leaf(Const(0.0), FLOAT)
            if isinstance(kind, List):
                none = self.spec.apply(zero_items, (Leaf(variable, kind),))
                assert isinstance(none, Leaf)
                return none
            zeros = self.spec.apply(
                np.zeros_like, (Leaf(variable, kind),), hint="zeros"
            )
            assert isinstance(zeros, Leaf)
            return zeros
        kind = self.dot_kinds.get(name, self.full_kind(name))
        return self.filled(name, Leaf(self.dot(name), kind))

    def assign_zero_tangent(self, variable: Var) -> None:
        """``x.dot = 0`` of the shape of ``x``."""
        kind = self.kind(variable.name)
        self.dot_kinds.setdefault(variable.name, self.full_kind(variable.name))
        if isinstance(kind, Scalar | NumPyScalar):
            self.spec.assign(self.dot(variable.name), Const(0.0), FLOAT)
        elif isinstance(kind, List):
            none = Apply(zero_items, (variable,))
            self.spec.assign(self.dot(variable.name), none, kind)
        else:
            zeros = Apply(np.zeros_like, (variable,))
            self.spec.assign(
                self.dot(variable.name), zeros, self.full_kind(variable.name)
            )

    # ---------------------------------------------------------------- assignments

    def assignment(self, s: Assign) -> None:
        """An assignment after, or before, that of its tangent."""
        targets = [v.name for v in operand_variables(s.target)]
        active = [name for name in targets if name in self.active]
        if not active:
            self.spec.emit(s)
            return
        if isinstance(s.value, Apply) and s.value.function in (new_stack, new_list):
            self.spec.emit(s)
            self.dot_kinds[targets[0]] = self.full_kind(targets[0])
            self.spec.emit(replace(s, target=self.dot(targets[0])))
            return
        if isinstance(s.value, Apply) and s.value.function is shortened_stack:
            self.spec.emit(s)
            own, height = self.dot(targets[0]), s.value.args[1]
            shortened = replace(s.value, args=(own, height))
            self.spec.emit(replace(s, target=own, value=shortened))
            return
        given = [name for name in active if name in self.given]
        if given and is_projection(s, self.function.kinds):
            self.spec.emit(s)
            leaf = self.given[given[0]]
            self.spec.assign(self.dot(given[0]), leaf.operand, leaf.kind)
            self.dot_kinds[given[0]] = leaf.kind
            return
        if is_procedure_call(s.value) and any(map(self._varies, s.value.args)):  # type: ignore[union-attr]
            return self.procedure_call(s, targets)
        with self.spec.new_block() as lines:
            placeholders = self.push_forward(s)
        live = frozenset(self.dot(name).name for name in active)
        kept = without_dead_lines(tuple(lines), live)
        self._emit_in_order(s, kept, placeholders)

    def _varies(self, argument: Any) -> bool:
        return self.is_active(self.value(argument))

    def procedure_call(self, s: Assign, targets: list[str]) -> None:
        """The call of the program that carries tangents."""
        call = s.value
        assert isinstance(call, Apply) and isinstance(call.function, Procedure)
        active = active_parameters(call.function, call.args, self._varies)
        pushed = pushforward_of(call.function, active)
        names = [str(p.operand) for p in call.function.details.parameters]
        dots = [
            operand_of(self.filled_tangent(argument))  # type: ignore[arg-type]
            for argument, name in zip(call.args, names, strict=True)
            if name in active
        ]
        kinds = [self.kind(name) for name in targets]
        own = [
            self.dot(name) if name in self.active else self.spec.fresh("unused")
            for name in targets
        ]
        tangents = [tangent_kind(kind) for kind in kinds]
        for name, kind in zip(targets, tangents, strict=True):
            if name in self.active:
                self.dot_kinds[name] = kind
        items = (*map(Var, targets), *own)
        structure = Structure(tuple, tuple(range(len(items))), (*kinds, *tangents))
        value = replace(call, function=pushed, args=(*call.args, *dots))
        self.spec.emit(
            replace(s, target=pack_tuple(*items), value=value, kind=structure)
        )

    def _emit_in_order(
        self, s: Assign, lines: Block, placeholders: Mapping[str, str]
    ) -> None:
        reads = {v.name for line in walk(lines) for v in direct_reads(line)}
        used = {p: name for p, name in placeholders.items() if p in reads}
        own = {v.name for v in direct_reads(s)}
        first: Block
        second: Block
        if self.attempts and isinstance(s.target, Var) and may_raise(s):
            # the tangent changes only where the value does
            result = self.spec.fresh(s.target.name)
            self.function.kinds[result.name] = s.kind or self.kind(s.target.name)  # type: ignore[index]
            lines = rename_reads(lines, dict.fromkeys(used, result.name))
            copy = Assign(s.span, s.target, result, s.kind)
            first, second = (replace(s, target=result), *lines), (copy,)
        elif not used:
            after_target = reads & {v.name for v in operand_variables(s.target)} - own
            first, second = ((s,), lines) if after_target else (lines, (s,))
        elif any(name in own for name in used.values()):
            (placeholder,) = used
            self.function.kinds[placeholder] = self.kind(used[placeholder])  # type: ignore[index]
            kept = replace(s, target=Var(placeholder))
            copy = Assign(s.span, s.target, Var(placeholder), s.kind)
            first, second = (kept, *lines), (copy,)
        else:
            first, second = (s,), rename_reads(lines, used)
        for statement in (*first, *second):
            self.spec.emit(statement)

    def push_forward(self, s: Assign) -> dict[str, str]:
        """Emit the tangent of an assignment; returns the stand-ins for its result."""
        value = s.value
        if not isinstance(value, Apply):
            tangent: Value = constant(0.0)
            out: Value | None = None
            if isinstance(value, Var):
                out = Leaf(value, s.kind or self.kind(value.name))
            if isinstance(value, Var) and value.name in self.active:
                tangent = self.tangent_of(value)
            elif value == Const(None) and isinstance(s.target, Var):
                # no value yet, and no tangent
                self.spec.assign(self.dot(s.target.name), Const(None), s.kind)  # type: ignore[arg-type]
                return {}
            self._assign_tangents(s, tangent, out)
            return {}
        rule = rule_for(value.function)
        if rule is None:
            if not any(v.name in self.active for v in direct_reads(s)):
                out, placeholders = self._result(s)
                self._assign_tangents(s, constant(0.0), out)
                return placeholders
            raise_without_rule(self.spec, value, s)
        if not rule.differentiates:
            out, placeholders = self._result(s)
            self._assign_tangents(s, constant(0.0), out)
            return placeholders
        bound = self.bound_arguments(rule, value)
        if not any(self.is_active(bound[n]) for n in rule.differentiable if n in bound):
            out, placeholders = self._result(s)
            self._assign_tangents(s, constant(0.0), out)
            return placeholders
        self.refuse_complex(s, value)
        self._statement_names = [v.name for v in direct_reads(s)]
        out, placeholders = self._result(s)
        self._assign_tangents(s, self._pushed(rule, value, bound, out), out)
        return placeholders

    def tangent_of(self, variable: Var) -> Leaf:
        """The tangent of an active variable as it is, maybe lazy."""
        name = variable.name
        return Leaf(self.dot(name), self.dot_kinds.get(name, self.full_kind(name)))

    def _tangent_value(self, value: Value, full: bool) -> Value:
        def tangent(leaf: Leaf, path: tuple) -> Leaf:
            if not self.is_active(leaf):
                return constant(0.0)
            assert isinstance(leaf.operand, Var)
            return (
                self.filled_tangent(leaf.operand)
                if full
                else self.tangent_of(leaf.operand)
            )

        return map_leaves(value, tangent)

    def _pushed(
        self, rule: Rule, value: Apply, bound: Mapping[str, Value], out: Value
    ) -> Value:
        names = [n for n in rule.differentiable if n in bound]
        if rule.forward is not None:
            elementwise = rule.partials is not None
            dots = {
                f"{n}_dot": self._tangent_value(bound[n], full=not elementwise)
                for n in names
            }
            missing = {
                f"{n}_dot": constant(0.0) for n in rule.differentiable if n not in bound
            }
            return expand(
                self.spec, rule.forward, {**bound, "out": out, **dots, **missing}
            )
        if rule.partials is not None:
            return self._pushed_elementwise(rule, bound, out)
        if rule.linear:
            first, *rest = value.args
            tangent = self._linear_tangent(self.value(first))
            return self.spec.apply(
                value.function,
                (tangent, *(self.value(a) for a in rest)),
                {k: self.value(v) for k, v in value.keywords},
                spelling=value.spelling,
            )
        raise Unsupported(
            None,
            f"the rule of {getattr(rule.function, '__name__', rule.function)} has no "
            "pushforward, and forward mode needs one",
            "add it with s2sad.rule.forward_of",
        )

    def _linear_tangent(self, value: Value) -> Value:
        """Tangents of a list of arrays, zeros for those that don't vary."""

        def tangent(leaf: Leaf, path: tuple) -> Value:
            if self.is_active(leaf):
                return self.filled_tangent(leaf.operand)  # type: ignore[arg-type]
            if isinstance(leaf.kind, Scalar | NumPyScalar):
                return constant(0.0)
            return self.spec.apply(np.zeros_like, (leaf,), hint="zeros")

        return map_leaves(value, tangent)

    def _pushed_elementwise(
        self, rule: Rule, bound: Mapping[str, Value], out: Value
    ) -> Value:
        assert rule.partials is not None
        partials = expand(self.spec, rule.partials, {**bound, "out": out})
        parts = [partials] if len(rule.differentiable) == 1 else list(partials.items)  # type: ignore[union-attr]
        by_argument: dict[Value, Value] = {}
        for name, partial in zip(rule.differentiable, parts, strict=True):
            argument = bound.get(name)
            if argument is not None and self.is_active(argument):
                known = by_argument.get(argument, constant(0.0))
                by_argument[argument] = operate(
                    self.spec,
                    operator.add,
                    (known, partial),
                    None,
                )
        total: Value = constant(0.0)
        for argument, partial in by_argument.items():
            assert isinstance(argument, Leaf) and isinstance(argument.operand, Var)
            tangent = self.tangent_of(argument.operand)
            term = operate(self.spec, operator.mul, (tangent, partial), None)
            total = operate(self.spec, operator.add, (total, term), None)
        return total

    def _assign_tangents(self, s: Assign, tangent: Value, out: Value | None) -> None:
        """``out`` has the shape of what the statement assigns."""
        if isinstance(s.target, Pack):
            items = tangent.items if isinstance(tangent, Aggregate) else None
            for k, variable in enumerate(operand_variables(s.target)):
                part = items[k] if items is not None else constant(0.0)
                whole = out.items[k] if isinstance(out, Aggregate) else None
                self._assign_tangent(s, variable, part, whole)
        else:
            self._assign_tangent(s, s.target, tangent, out)

    def _assign_tangent(
        self, s: Assign, variable: Var, tangent: Value, out: Value | None
    ) -> None:
        name = variable.name
        if name not in self.active:
            return
        assert isinstance(tangent, Leaf)
        kind = s.kind or self.kind(name)
        if isinstance(kind, List) and not isinstance(tangent.kind, List):
            like = out if isinstance(out, Leaf) else Leaf(variable, kind)
            none = self.spec.apply(zero_items, (like,))
            assert isinstance(none, Leaf)
            tangent = none
        elif name in self.written_often and not self.is_full(tangent.kind, kind):
            tangent = self.filled(name, tangent, s, out)
        self.move(tangent, self.dot(name))
        if name in self.written_often:
            self.dot_kinds[name] = self.full_kind(name)
        else:
            self.dot_kinds[name] = tangent.kind
