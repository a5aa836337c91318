"""Contributions: what a statement adds to the cotangents of the variables it reads."""

import functools
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.analysis.reverse.activity import may_store
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.foreign import without_rule
from s2sad.frontend.specialise.derivatives.algebra import conjugated
from s2sad.ops.runtime.broadcasting import broadcast_along_items, sum_to_shape_of
from s2sad.transform.adjoints.cotangents import Cotangent, Masked, is_one_flag
from s2sad.transform.adjoints.marks import is_scattered, marks_of_parts
from s2sad.transform.adjoints.masked_products import MaskedProducts
from s2sad.transform.programs import narrow_operands
from s2sad.transform.programs.users_rules import fitting_part, is_nothing, parts_of_rule
from s2sad.transform.reverse.guards import guard, where_it_is_nan


class Contributions(MaskedProducts):
    """The lines by which a statement adds to the table of cotangents."""

    def stores_in_call(self, value: ir.Apply | ir.Operand) -> bool:
        """True for a call that may store into what varying arguments lead to."""
        return (
            isinstance(value, ir.Apply)
            and isinstance(value.function, ir.Procedure)
            and any(self.is_active(self.value(a)) for a in value.args)
            and may_store(value.function)
        )

    def pull_back(
        self, statement: ir.Assign, cotangents: list[Cotangent | None]
    ) -> dict[str, str]:
        """Emit the contributions of one assignment to the variables it reads.

        Returns the stand-ins that the lines read for the result, and the variables they
        stand for.
        """
        value = statement.value
        cotangents = [c and self._with_settled_flag(c) for c in cotangents]
        if isinstance(value, ir.Var):
            (cotangent,) = cotangents
            assert cotangent is not None
            if value.name in self.active:
                kind = self.kind(value.name)
                here = core.Leaf(value, statement.kind or kind)
                reduced = self.settled_cotangent(statement, cotangent, here).value
                if ir.is_promoted(kind):
                    reduced = self.never_lazy(statement, reduced, here)
                if not _have_one_length(here.kind, kind):
                    reduced = self.reduced(reduced, here, self.value(value))
                whole = cotangent.full and reduced == cotangent.value
                self.contribute(
                    value,
                    reduced,
                    cotangent.masked,
                    full=whole,
                    contributed=cotangent.contributed,
                )
            return {}
        if not isinstance(value, ir.Apply):
            return {}
        if value.function in ops.READS_OF_REFERENCES:
            (cotangent,) = cotangents
            assert cotangent is not None
            placeholders: dict[Any, Any] = {}
            if ir.is_promoted(statement.kind):  # the slot may hold a number
                out, placeholders = self._result(statement)
                settled = self.spec.apply(
                    sum_to_shape_of, (cotangent.value, out), hint="settled"
                )
                cotangent = replace(cotangent, value=core.single(settled))
            optional = ir.is_optional_array(statement.kind)
            self.add_to_slot(value, cotangent, optional)
            return placeholders
        rule = rules.rule_for(value.function)
        if rule is None:
            raise without_rule(value)
        if not rule.differentiates:
            return {}
        self.refuse_complex(statement, value, rule)
        bound = self.bound_arguments(rule, value)
        if guard(value, self.guards):
            known, _, product = bound.values()
            bound["condition"] = where_it_is_nan(self.spec, known, product)
        targets = ir.operand_variables(statement.target)
        self._statement_names = [v.name for v in (*ir.value_variables(value), *targets)]
        out, placeholders = self._result(statement)
        if isinstance(out, core.Leaf):
            (cotangent,) = cotangents
            assert cotangent is not None
            cotangents = [self.settled_cotangent(statement, cotangent, out)]
        if rule.partials is not None:
            (cotangent,) = cotangents
            assert cotangent is not None
            if any(ir.is_promoted(core.kind_of(v)) for v in bound.values()):
                assert isinstance(out, core.Leaf)
                full = self.never_lazy(statement, cotangent.value, out)
                self.spec.read_again.add(full.operand)  # by each argument
                cotangent = replace(cotangent, value=full)
            self._pull_back_elementwise(rule, bound, out, cotangent)
        else:
            self._pull_back_by_rule(rule, bound, out, statement, cotangents)
        return placeholders

    def add_to_slot(
        self, read: ir.Apply, cotangent: Cotangent, optional: bool = False
    ) -> None:
        """Add a cotangent to the slot of a run-time value that was read; an
        ``optional`` array may not be there."""
        raise NotImplementedError

    def _with_settled_flag(self, cotangent: Cotangent) -> Cotangent:
        """A cotangent whose flag stays as it is while its adjoint changes."""
        own = cotangent.contributed
        return ir.altered(cotangent, contributed=own and self.settled_flag(own))

    def settled_cotangent(
        self, statement: ir.Assign, cotangent: Cotangent, out: core.Leaf
    ) -> Cotangent:
        """The cotangent of a result by which its variable is a list, or an array where
        elsewhere it is a number, or complex: at the shape that the result has here, and
        real where that is."""
        assert isinstance(statement.target, ir.Var)
        kind, own = self.kind(statement.target.name), out.kind
        value = cotangent.value
        if ir.is_complex(value.kind) and ir.dtype_of(own) and not ir.is_complex(own):
            part = core.single(self.spec.apply(np.real, (value,), hint="real"))
            self.spec.read_again.add(part.operand)  # by each argument
            cotangent, value = replace(cotangent, value=part), part
        function: Any = None
        if isinstance(kind, ir.List):
            if ir.is_promoted(value.kind):  # it may be the number 0.0
                function = broadcast_along_items
        elif ir.is_promoted(kind) and _may_be_stretched(value.kind, own):
            function = sum_to_shape_of
        if function is None:
            return cotangent
        settled = core.single(self.spec.apply(function, (value, out), hint="settled"))
        self.spec.read_again.add(settled.operand)  # by each argument
        return replace(cotangent, value=settled)

    def refuse_complex(
        self, statement: ir.Assign, operation: ir.Apply, rule: rules.Rule
    ) -> None:
        """Refuse complex numbers where the derivative isn't known to hold for them."""
        if rule.complex:
            return
        kinds = [statement.kind] if statement.kind is not None else []
        values = map(self.value, operation.args)
        kinds += [leaf.kind for value in values for leaf in core.leaves(value)]
        if any(map(ir.is_complex, kinds)):
            raise core.Unsupported(
                f"{ir.function_name(operation.function)} works on complex numbers "
                "here, for which its rule says nothing",
                "compute with the real and the imaginary part as two real numbers",
            )

    def bound_arguments(
        self, rule: rules.Rule, operation: ir.Apply
    ) -> dict[str, core.Value]:
        """The values of the arguments under the names of the rule's parameters."""
        bound = rule.arguments_of(
            [self.value(a) for a in operation.args],
            {k: self.value(v) for k, v in operation.keywords},
        )
        return {
            name: core.aggregate_of(v) if isinstance(v, tuple) else v
            for name, v in bound.items()
        }

    def _result(self, statement: ir.Assign) -> tuple[core.Value, dict[str, str]]:
        placeholders: dict[str, str] = {}

        def stand_in(variable: ir.Var, kind: ir.Kind) -> core.Leaf:
            name = self.spec.fresh("out").name
            placeholders[name] = variable.name
            return core.Leaf(ir.Var(name), kind)

        target = statement.target
        if isinstance(target, ir.Var):
            kind = statement.kind or self.kind(target.name)
            return stand_in(target, kind), placeholders
        variables = ir.operand_variables(target)
        items = tuple(stand_in(v, self.kind(v.name)) for v in variables)
        return core.Aggregate(tuple, target.keys, items), placeholders

    def _pull_back_elementwise(
        self,
        rule: rules.Rule,
        bound: Mapping[str, core.Value],
        out: core.Value,
        cotangent: Cotangent,
    ) -> None:
        assert rule.partials is not None and isinstance(out, core.Leaf)
        given = {**bound, "out": out}
        partials = narrow_operands.expanded(self.spec, rule, rule.partials, given)
        names = rule.differentiable
        parts = parts_of_rule(rule, partials, "partial derivatives")
        masked = Masked.SELECTED if rule.masking else cotangent.masked
        infinite = bool(cotangent.masked) and self.may_be_infinite(
            rule, bound, out, cotangent.masked
        )
        total: dict[core.Value, core.Value] = {}
        for name, partial in zip(names, parts, strict=True):
            argument = bound.get(name)
            if argument is None or not self.is_active(argument):
                continue
            if argument in total:
                terms = (total[argument], partial)
                partial = self.spec.operate(operator.add, terms)
            total[argument] = partial
        # x = x * y: the adjoint of x is read by the others before it changes
        for argument in sorted(total, key=lambda a: self._order(a, cotangent)):
            slope = total[argument]
            guarded = infinite and not self.is_finite_variable(rule, slope)
            if self.may_be_complex(slope):
                slope = conjugated(self.spec, slope)
            contribution = self.weighted(
                cotangent.value, slope, guarded, cotangent.contributed
            )
            # Shapes that aren't known are equal where nothing else could be broadcast.
            alone = all(
                v == argument or ir.rank_of(core.kind_of(v)) == 0
                for v in bound.values()
            )
            reduced, flag = contribution, cotangent.contributed
            if not alone or _may_be_number(argument, out):
                reduced = self.reduced(contribution, out, argument)
            summed = reduced != contribution and masked < Masked.OVERWRITTEN
            if rule.masking or (reduced != contribution and not is_one_flag(flag)):
                flag = None
            assert isinstance(argument, core.Leaf) and isinstance(
                argument.operand, ir.Var
            )
            self.contribute(
                argument.operand,
                reduced,
                Masked.NO if summed else masked,
                contributed=flag,
            )

    def _order(self, argument: core.Value, cotangent: Cotangent) -> tuple[bool, bool]:
        """Sums first, new adjoints (which may take the place of the one pulled back)
        after them."""
        names = [leaf.operand.name for leaf in core.leaves(argument)]  # type: ignore[union-attr]
        return self._is_own(argument, cotangent), not any(
            n in self.state for n in names
        )

    def _is_own(self, argument: core.Value, cotangent: Cotangent | None) -> bool:
        """True where a contribution to the argument would overwrite the cotangent
        pulled back."""
        return cotangent is not None and any(
            isinstance(leaf.operand, ir.Var)
            and self.bar(leaf.operand.name) == cotangent.value.operand
            for leaf in core.leaves(argument)
        )

    def _pull_back_by_rule(
        self,
        rule: rules.Rule,
        bound: Mapping[str, core.Value],
        out: core.Value,
        statement: ir.Assign,
        cotangents: list[Cotangent | None],
    ) -> None:
        assert rule.reverse is not None
        values = []
        for variable, cotangent in zip(
            ir.operand_variables(statement.target), cotangents, strict=True
        ):
            if cotangent is None:
                values.append(core.constant(0.0))
            elif self._takes_lazy(rule, bound, out, cotangent.value.kind):
                values.append(cotangent.value)
            else:
                own = variable in ir.value_variables(statement.value)
                full = cotangent.value
                if not cotangent.full:
                    like = out if own else None
                    full = self.filled(variable.name, full, statement, like)
                if ir.is_promoted(self.kind(variable.name)):
                    assert isinstance(out, core.Leaf)
                    full = self.of_shape(full, out.operand, out.kind)
                values.append(full)
        out_bar: core.Value = values[0]
        if isinstance(out, core.Aggregate):
            out_bar = core.Aggregate(tuple, out.keys, tuple(values))
        names = rule.differentiable
        if rule.written:
            names = tuple(n for n in names if self.is_active(bound[n]))
            result = rule.reverse(self.spec, bound, out, out_bar, names)
        else:
            given = {**bound, "out": out, "out_bar": out_bar}
            result = narrow_operands.expanded(self.spec, rule, rule.reverse, given)
        first = cotangents[0]
        guarded = rule.pointwise and first is not None and bool(first.masked)
        if guarded and first and self.may_be_infinite(rule, bound, out, first.masked):
            assert isinstance(out_bar, core.Leaf)
            result = self.unless_zero(out_bar, result, first.contributed)
        if rule.written:
            parts = (result,) if len(names) == 1 else result.items
        else:
            parts = parts_of_rule(rule, result, "cotangents")
        marks = marks_of_parts(rule, bound, cotangents)
        if self.multiplies_by_singular(rule, bound, cotangents):
            whole = first.contributed if first else None
            if whole is not None and not is_one_flag(whole):
                whole = self.spec.apply(np.any, (whole,), hint="used")  # type: ignore[assignment]
            parts = tuple(self.unless_nothing(out_bar, part, whole) for part in parts)
        pairs = [
            (n, bound[n], fitting_part(self.spec, rule, n, bound[n], p))
            for n, p in zip(names, parts, strict=True)
            if n in bound and not is_nothing(p)
        ]
        pairs.sort(key=lambda pair: any(self._is_own(pair[1], c) for c in cotangents))
        divided = rule.divides and all(
            c is not None and (c.full or self.is_given_full(rule, out))
            for c in cotangents
        )
        flag = self.flag_of_whole(rule, cotangents)
        chosen: dict[str, core.Leaf] = {}
        if rule.masking:
            assert isinstance(statement.value, ir.Apply)
            chosen = self.chosen_parts(statement.value, cotangents, pairs)
        for name, argument, part in pairs:
            self._contribute_structure(
                argument,
                part,
                functools.partial(marks, name),
                divided,
                chosen.get(name, flag),
            )

    def is_given_full(self, rule: rules.Rule, out: core.Value) -> bool:
        """True where a pullback is given the cotangent of an array at full shape."""
        return not rule.lazy and all(
            isinstance(leaf.kind, ir.Array) and not leaf.kind.promoted
            for leaf in core.leaves(out)
        )

    def _takes_lazy(
        self,
        rule: rules.Rule,
        bound: Mapping[str, core.Value],
        out: core.Value,
        cotangent: ir.Kind,
    ) -> bool:
        """True where a pullback may be given a cotangent that only broadcasts to its
        result. Pullbacks of lists tell by its rank whether it has a part for each item,
        so that has to be known."""
        if not rule.lazy or self._adds_row_by_row(bound, out):
            return False
        of_list = isinstance(out, core.Leaf) and isinstance(out.kind, ir.List)
        return (
            not of_list
            or isinstance(cotangent, ir.List)
            or ir.axes_of(cotangent) is not None
        )

    def _adds_row_by_row(
        self, bound: Mapping[str, core.Value], out: core.Value
    ) -> bool:
        """True for a part of a list whose cotangent is a list of rows, which itself is
        several rows: each is added its own."""
        return (
            isinstance(out, core.Leaf)
            and isinstance(out.kind, ir.List)
            and any(
                isinstance(self.full_kind(leaf.operand.name), ir.List)
                for value in bound.values()
                for leaf in core.leaves(value)
                if isinstance(leaf.operand, ir.Var) and self.is_active(leaf)
            )
        )

    def _contribute_structure(
        self,
        argument: core.Value,
        part: core.Value,
        mark: Callable[[core.Value], Masked],
        full: bool,
        contributed: core.Leaf | None,
    ) -> None:
        if not self.is_active(argument):  # a list of constants has one, too
            return
        if isinstance(argument, core.Aggregate):
            if not any(map(self.is_active, core.leaves(argument))):
                return
            assert isinstance(part, core.Aggregate)
            for item, cotangent in zip(argument.items, part.items, strict=True):
                self._contribute_structure(item, cotangent, mark, full, contributed)
        else:
            if is_scattered(part):
                self.scatter(argument.operand, part, mark(part))  # type: ignore[union-attr,arg-type]
            else:
                assert isinstance(part, core.Leaf) and isinstance(argument, core.Leaf)
                if ir.is_promoted(argument.kind):
                    part = self.spread(part, argument)
                elif full:
                    part = with_axes_of(part, argument)
                self.contribute(
                    argument.operand,  # type: ignore[arg-type]
                    part,
                    mark(argument),
                    full=full,
                    contributed=contributed,
                )


def with_axes_of(part: core.Leaf, argument: core.Leaf) -> core.Leaf:
    """A cotangent that surely has the shape of an array, by its kind too."""
    own, kind = part.kind, argument.kind
    if not isinstance(own, ir.Array) or not isinstance(kind, ir.Array) or own.promoted:
        return part
    if own.axes is None or kind.axes is None or len(own.axes) != len(kind.axes):
        return part
    return core.Leaf(part.operand, replace(own, axes=kind.axes))


def _have_one_length(kind: ir.Kind, other: ir.Kind) -> bool:
    """True where a variable of one kind, assigned to one of the other, surely is as
    long as that: a list is, whatever is known of its length under either name."""
    return kind == other or (isinstance(kind, ir.List) and isinstance(other, ir.List))


def _may_be_stretched(cotangent: ir.Kind, own: ir.Kind) -> bool:
    """True where a cotangent may have axes longer than a value of the kind ``own``,
    which was broadcast."""
    axes, wanted = ir.axes_of(cotangent), ir.axes_of(own)
    if axes is None:
        return bool(wanted)
    if not wanted or len(axes) < len(wanted):
        return False
    return len(axes) > len(wanted) or any(
        theirs.length != "many"
        and mine.length != "one"
        and (mine.symbol is None or mine.symbol != theirs.symbol)
        for mine, theirs in zip(axes, wanted, strict=True)
    )


def _may_be_number(argument: core.Value, out: core.Leaf) -> bool:
    """True where an operation on one array may not have its rank: one that may be a
    number on some paths."""
    kinds = (core.kind_of(argument), out.kind)
    if any(isinstance(kind, ir.Array) and kind.promoted for kind in kinds):
        return True
    ranks = [ir.rank_of(kind) for kind in kinds]
    return ranks[0] != ranks[1]
