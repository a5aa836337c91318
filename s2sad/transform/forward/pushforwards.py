"""The tangent of one assignment, from the rule of its operation."""

import inspect
import operator
from collections import OrderedDict
from collections.abc import Mapping

import numpy as np

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.foreign import without_rule
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.forward.forward_state import ForwardState
from s2sad.transform.programs import narrow_operands
from s2sad.transform.programs.users_rules import parts_of_rule
from s2sad.transform.reverse.guards import guard, while_tangents_are_zero

MOST_ORIGINS = 4
_APART = (*ops.WRITES, ops.own_copy, np.where, np.array, np.stack, np.concatenate)
"""Operations that move elements without adding them up."""


class Pushforwards(ForwardState):
    """Emits the tangents of assignments."""

    def push_forward(self, s: ir.Assign) -> dict[str, str]:
        """Emit the tangent of an assignment; returns the stand-ins for its result."""
        placeholders = self._push_forward(s)
        if self.unit and self._keeps_elements_apart(s):
            self.unit |= {v.name for v in ir.operand_variables(s.target)}
            self._note_origins(s)
        return placeholders

    def _keeps_elements_apart(self, s: ir.Assign) -> bool:
        """True where the tangent is zero but for few elements since those are that it
        comes from."""
        if isinstance(s.value, ir.Apply):
            rule = rules.rule_for(s.value.function)
            if rule is None or not (
                rule.partials is not None or rule.view or s.value.function in _APART
            ):
                return False
        varying = ir.names_read(s) & self.active
        return bool(varying) and varying <= self.unit

    def _note_origins(self, s: ir.Assign) -> None:
        """Note of which unit tangents, element by element, that of a result is made."""
        if not isinstance(s.target, ir.Var) or s.target.name in self.written_often:
            return
        if isinstance(s.value, ir.Apply):
            rule = rules.rule_for(s.value.function)
            if rule is None or rule.partials is None:
                return
        axes = ir.axes_of(self.kind(s.target.name))
        names = [n for n in ir.in_order(ir.names_read(s)) if n in self.active]
        if axes is None or any(
            n in self.written_often
            or ir.axes_of(self.kind(n)) != axes
            or any(a.length != "one" and a.symbol is None for a in axes)
            for n in names
        ):
            return
        own = (self.origins.get(n, (n,)) for n in names)
        origins = tuple(dict.fromkeys(n for group in own for n in group))
        if len(origins) <= MOST_ORIGINS:
            self.origins[s.target.name] = origins

    def _flag_of_origins(self, name: str) -> core.Leaf | None:
        """The flag that a tangent isn't zero for those that it is made of are; None for
        one that tells by itself."""
        flag: core.Leaf | None = None
        for origin in self.origins.get(name, ()):
            own = self.settled_flag(self.tangent_of(ir.Var(origin)))
            flag = own if flag is None else self._either(flag, own)
        return flag

    def _push_forward(self, s: ir.Assign) -> dict[str, str]:
        value = s.value
        if not isinstance(value, ir.Apply):
            tangent: core.Value = core.constant(0.0)
            out: core.Value | None = None
            if isinstance(value, ir.Var):
                out = core.Leaf(value, s.kind or self.kind(value.name))
            if isinstance(value, ir.Var) and value.name in self.active:
                tangent = self.tangent_of(value)
            elif value == ir.Const(None) and isinstance(s.target, ir.Var):
                # no value yet, and no tangent
                self.spec.assign(self.dot(s.target.name), ir.Const(None), s.kind)  # type: ignore[arg-type]
                return {}
            self._assign_tangents(s, tangent, out)
            return {}
        rule = rules.rule_for(value.function)
        bound = self._bound_to_vary(rule, s)
        if rule is None or bound is None:
            out, placeholders = self._result(s)
            self._assign_tangents(s, core.constant(0.0), out)
            return placeholders
        self.refuse_complex(s, value, rule)
        if factors := guard(value, self.guards):
            bound["condition"] = while_tangents_are_zero(
                self.spec, bound["condition"], factors, self._tangent_if_any
            )
        self._statement_names = [v.name for v in ir.direct_reads(s)]
        out, placeholders = self._result(s)
        self._assign_tangents(s, self._pushed(rule, value, bound, out), out)
        return placeholders

    def _bound_to_vary(
        self, rule: rules.Rule | None, s: ir.Assign
    ) -> dict[str, core.Value] | None:
        """The arguments of an operation, if its result varies with some."""
        assert isinstance(s.value, ir.Apply)
        if rule is None:
            if any(v.name in self.active for v in ir.direct_reads(s)):
                raise without_rule(s.value)
            return None
        if not rule.differentiates:
            return None
        bound = self.bound_arguments(rule, s.value)
        given = (bound[n] for n in rule.differentiable if n in bound)
        return bound if any(map(self.is_active, given)) else None

    def _tangent_if_any(self, variable: ir.Var) -> core.Leaf | None:
        return self.tangent_of(variable) if variable.name in self.active else None

    def _tangent_value(self, value: core.Value, full: bool) -> core.Value:
        def tangent(leaf: core.Leaf) -> core.Leaf:
            if not self.is_active(leaf):
                return core.constant(0.0)
            assert isinstance(leaf.operand, ir.Var)
            found = self.filled_tangent if full else self.tangent_of
            return found(leaf.operand)

        return core.map_leaves(value, tangent)

    def _pushed(
        self,
        rule: rules.Rule,
        value: ir.Apply,
        bound: Mapping[str, core.Value],
        out: core.Value,
    ) -> core.Value:
        names = [n for n in rule.differentiable if n in bound]
        if rule.written and rule.forward is not None:
            dots = {
                n: self._tangent_value(bound[n], full=True)
                for n in names
                if self.is_active(bound[n])
            }
            return rule.forward(self.spec, bound, out, dots)
        if rule.forward is not None:
            elementwise = rule.partials is not None
            dots = {
                f"{n}_dot": self._tangent_value(bound[n], full=not elementwise)
                for n in names
            }
            others = [f"{n}_dot" for n in rule.differentiable if n not in bound]
            missing = dict.fromkeys(others, core.constant(0.0))
            given = {**bound, "out": out, **dots, **missing}
            return narrow_operands.expanded(self.spec, rule, rule.forward, given)
        if rule.partials is not None:
            return self._pushed_elementwise(rule, bound, out)
        if rule.linear:
            first, *rest = value.args
            tangent = self._linear_tangent(self.value(first))
            number = isinstance(core.kind_of(tangent), ir.Scalar | ir.NumPyScalar)
            if number and value.function is operator.getitem:
                return tangent  # of an array of rank 0
            if number and inspect.ismethoddescriptor(value.function):
                # The method of an array that no function of NumPy's stands for.
                tangent, number = self.spec.apply(np.asarray, (tangent,)), False
            return self.spec.apply(
                value.function,
                (tangent, *(self.value(a) for a in rest)),
                {k: self.value(v) for k, v in value.keywords},
                spelling="" if number else value.spelling,
            )
        if rule.bilinear:
            return self._pushed_bilinear(rule, bound)
        raise core.Unsupported(
            f"the rule of {getattr(rule.function, '__name__', rule.function)} has no "
            "pushforward, and forward mode needs one",
            "add it with s2sad.rule.forward_of",
        )

    def _pushed_bilinear(
        self, rule: rules.Rule, bound: Mapping[str, core.Value]
    ) -> core.Value:
        """The sum of the function applied to each tangent beside the other arguments,
        with the defaults of the rule."""
        parameters = rule.signature.parameters.values()
        given = {
            p.name: core.constant(p.default)
            for p in parameters
            if p.default is not p.empty
        }
        total: core.Value = core.constant(0.0)
        for name in rule.differentiable:
            if self.is_active(bound[name]):
                dot = self._tangent_value(bound[name], full=True)
                call = inspect.BoundArguments(
                    rule.signature, OrderedDict({**given, **bound, name: dot})
                )
                part = self.spec.call_function(rule.function, call.args, call.kwargs)
                total = self.spec.operate(operator.add, (total, part))
        return total

    def _linear_tangent(self, value: core.Value) -> core.Value:
        """Tangents of a list of arrays, zeros for those that don't vary."""

        def tangent(leaf: core.Leaf) -> core.Value:
            if self.is_active(leaf):
                return self.filled_tangent(leaf.operand)  # type: ignore[arg-type]
            if isinstance(leaf.kind, ir.Scalar | ir.NumPyScalar):
                return core.constant(0.0)
            zeros = ops.zero_items if isinstance(leaf.kind, ir.List) else np.zeros_like
            return self.spec.apply(zeros, (leaf,), hint="zeros")

        return core.map_leaves(value, tangent)

    def _pushed_elementwise(
        self, rule: rules.Rule, bound: Mapping[str, core.Value], out: core.Value
    ) -> core.Value:
        assert rule.partials is not None
        given = {**bound, "out": out}
        partials = narrow_operands.expanded(self.spec, rule, rule.partials, given)
        parts = parts_of_rule(rule, partials, "partial derivatives")
        by_argument: dict[core.Value, core.Value] = {}
        for name, partial in zip(rule.differentiable, parts, strict=True):
            argument = bound.get(name)
            if argument is not None and self.is_active(argument):
                known = by_argument.get(argument, core.constant(0.0))
                terms = (known, partial)
                by_argument[argument] = self.spec.operate(operator.add, terms)
        total: core.Value = core.constant(0.0)
        for argument, partial in by_argument.items():
            assert isinstance(argument, core.Leaf) and isinstance(
                argument.operand, ir.Var
            )
            tangent = self.tangent_of(argument.operand)
            name = argument.operand.name
            masked = Masked.UNIT if name in self.unit else Masked.NO
            masked = Masked.SELECTED if name in self.masked else masked
            guarded = bool(masked) and self.may_be_infinite(rule, bound, out, masked)
            unit = guarded and masked is Masked.UNIT
            flag = self._flag_of_origins(name) if unit else None
            term = self.weighted(tangent, partial, guarded, flag)
            total = self.spec.operate(operator.add, (total, term))
        return total

    def _assign_tangents(
        self, s: ir.Assign, tangent: core.Value, out: core.Value | None
    ) -> None:
        """``out`` has the shape of what the statement assigns."""
        if isinstance(s.target, ir.Pack):
            items = tangent.items if isinstance(tangent, core.Aggregate) else None
            for k, variable in enumerate(ir.operand_variables(s.target)):
                part = items[k] if items is not None else core.constant(0.0)
                whole = out.items[k] if isinstance(out, core.Aggregate) else None
                self._assign_tangent(s, variable, part, whole)
        else:
            self._assign_tangent(s, s.target, tangent, out)

    def _assign_tangent(
        self,
        s: ir.Assign,
        variable: ir.Var,
        tangent: core.Value,
        out: core.Value | None,
    ) -> None:
        name = variable.name
        if name not in self.active:
            return
        assert isinstance(tangent, core.Leaf)
        kind = s.kind or self.kind(name)
        if isinstance(kind, ir.List) and not isinstance(tangent.kind, ir.List):
            like = out if isinstance(out, core.Leaf) else core.Leaf(variable, kind)
            tangent = core.single(self.spec.apply(ops.zero_items, (like,)))
        elif name in self.written_often and not self.is_full(tangent.kind, kind):
            tangent = self.filled(name, tangent, s, out)
        elif (
            name in self.written_often
            and ir.axes_of(kind) == ()
            and isinstance(kind, ir.Array)
        ):
            if not isinstance(tangent.kind, ir.Array):
                made = self.spec.apply(np.asarray, (tangent,), hint="tangent")
                tangent = core.single(made)
        self.move(tangent, self.dot(name))
        often = name in self.written_often
        self.dot_kinds[name] = self.full_kind(name) if often else tangent.kind
