"""Cotangents: contributions to them, their shapes, zeros and sums over broadcast axes.

A cotangent may be *lazy*: of a shape that only broadcasts to that of its variable (the adjoint of the
argument of ``np.mean`` is a number). It is filled to full shape where a rule or a loop needs that.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np

from s2sad.codegen.helper_functions.broadcasting import (
    broadcast_to_shape_of,
    sum_to_shape_of,
)
from s2sad.frontend.specialise import expand
from s2sad.frontend.specialise.context import Unsupported
from s2sad.frontend.specialise.expressions import operate
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.values import (
    Aggregate,
    Leaf,
    Value,
    constant,
    kind_of,
    leaves,
)
from s2sad.ir.kinds import (
    FLOAT,
    UNKNOWN,
    Array,
    Axis,
    Kind,
    NumPyScalar,
    Scalar,
    Unknown,
    axes_of,
    dtype_of,
    join,
    rank_of,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    Function,
    Global,
    Operand,
    Pack,
    Slice,
    Var,
    function_name,
    operand_variables,
    value_variables,
    walk,
)
from s2sad.rules.registry import Rule, rule_for
from s2sad.rules.scatter import Scattered
from s2sad.rules.shape_queries import axis_length
from s2sad.transform.buffers import broadcast_like, index_add


class Masked(IntEnum):
    """Whether a cotangent may hold structural zeros, which a singular partial mustn't turn into nan."""

    NO = 0
    GATHERED = 1
    """Elements that an index didn't read are zero; sums over them aren't."""
    SELECTED = 2
    """Parts that ``where``, a mask or ``clip`` selected away are zero."""


@dataclass(frozen=True)
class Cotangent:
    """The cotangent of a variable, as it stands at one place of the reverse sweep."""

    value: Leaf
    masked: Masked = Masked.NO


class Contributions:
    """The table of cotangents and the lines that add to them."""

    def __init__(self, function: Function, spec: Specialiser, active: set[str]) -> None:
        self.function = replace(function, kinds=dict(function.kinds))
        self.spec = spec
        self.active = active
        self.state: dict[str, Cotangent] = {}
        self._statement_names: list[str] = []
        self.definitions: dict[str, list[Assign]] = {}
        for statement in walk(function.body):
            if isinstance(statement, Assign):
                for variable in operand_variables(statement.target):
                    self.definitions.setdefault(variable.name, []).append(statement)

    # ---------------------------------------------------------------- names and kinds

    def bar(self, name: str) -> Var:
        """The adjoint variable of a variable."""
        adjoint = f"{name}.bar"
        if name in self.function.temporaries:
            self.spec.temporaries.add(adjoint)
        return Var(adjoint)

    def kind(self, name: str) -> Kind:
        """The kind of a variable of the function."""
        return self.function.kinds.get(name, UNKNOWN)

    def full_kind(self, name: str) -> Kind:
        """The kind of a variable's adjoint at full shape."""
        kind = self.kind(name)
        if isinstance(kind, Scalar):
            return FLOAT
        return kind if isinstance(kind, NumPyScalar | Array) else UNKNOWN

    def kind_or_zero(self, kind: Kind) -> Kind:
        """The kind of what is either such a cotangent or the number 0.0."""
        return join(kind, FLOAT)

    def value(self, operand: Operand) -> Value:
        """The value of an operand of the function."""
        match operand:
            case Var(name=name):
                return Leaf(operand, self.kind(name))
            case Const(value=value):
                return constant(value)
            case Pack():
                return Aggregate(
                    operand.constructor, operand.keys, tuple(map(self.value, operand.items))
                )
            case Slice():
                bounds = (operand.lower, operand.upper, operand.step)
                return Aggregate(
                    slice,
                    ("lower", "upper", "step"),
                    tuple(constant(None) if b is None else self.value(b) for b in bounds),
                )
            case Global():
                return Leaf(operand, self.spec_kind_of_global(operand))
        raise TypeError(f"no value for {operand!r}")

    def spec_kind_of_global(self, operand: Global) -> Kind:
        """The kind of module data, as found when the function was specialised."""
        return self.spec.global_kinds.get(operand, UNKNOWN)

    # ---------------------------------------------------------------- pulling back

    def pull_back(
        self, statement: Assign, cotangents: list[Cotangent | None]
    ) -> dict[str, str]:
        """Emit the contributions of one assignment to the variables it reads.

        Returns the stand-ins that the lines read for the result, and the variables they stand for.
        """
        value = statement.value
        if isinstance(value, Var):
            (cotangent,) = cotangents
            assert cotangent is not None
            if value.name in self.active:
                kind = statement.kind or self.kind(value.name)
                reduced = cotangent.value
                if kind != self.kind(value.name):
                    reduced = self.reduced(reduced, Leaf(value, kind), self.value(value))
                self.contribute(value, reduced, cotangent.masked)
            return {}
        if not isinstance(value, Apply):
            return {}
        rule = rule_for(value.function)
        if rule is None:
            raise_without_rule(self.spec, value, statement)
        if not rule.differentiates:
            return {}
        bound = self.bound_arguments(rule, value)
        self._statement_names = [
            v.name for v in (*value_variables(value), *operand_variables(statement.target))
        ]
        out, placeholders = self._result(statement)
        if rule.partials is not None:
            self._pull_back_elementwise(rule, bound, out, cotangents[0])  # type: ignore[arg-type]
        else:
            self._pull_back_by_rule(rule, bound, out, statement, cotangents)
        return placeholders

    def bound_arguments(self, rule: Rule, operation: Apply) -> dict[str, Value]:
        """The values of the arguments under the names of the rule's parameters."""
        bound = rule.signature.bind(
            *map(self.value, operation.args),
            **{k: self.value(v) for k, v in operation.keywords},
        ).arguments
        return {
            name: Aggregate(tuple, tuple(range(len(v))), v) if isinstance(v, tuple) else v
            for name, v in bound.items()
        }

    def _result(self, statement: Assign) -> tuple[Value, dict[str, str]]:
        placeholders: dict[str, str] = {}

        def stand_in(variable: Var, kind: Kind) -> Leaf:
            name = self.spec.fresh("out").name
            placeholders[name] = variable.name
            return Leaf(Var(name), kind)

        target = statement.target
        if isinstance(target, Var):
            return stand_in(target, statement.kind or self.kind(target.name)), placeholders
        items = tuple(
            stand_in(v, self.kind(v.name)) for v in operand_variables(target)
        )
        return Aggregate(tuple, target.keys, items), placeholders

    def _pull_back_elementwise(
        self, rule: Rule, bound: Mapping[str, Value], out: Value, cotangent: Cotangent
    ) -> None:
        assert rule.partials is not None and isinstance(out, Leaf)
        partials = expand(self.spec, rule.partials, {**bound, "out": out})
        names = rule.differentiable
        parts = [partials] if len(names) == 1 else list(partials.items)  # type: ignore[union-attr]
        masked = Masked.SELECTED if rule.masking else cotangent.masked
        total: dict[Value, Value] = {}
        for name, partial in zip(names, parts, strict=True):
            argument = bound.get(name)
            if argument is None or not self.is_active(argument):
                continue
            total[argument] = operate(
                self.spec, operator.add, (total[argument], partial), None  # type: ignore[arg-type]
            ) if argument in total else partial
        # x = x * y: the adjoint of x is read by the others before it changes
        for argument in sorted(total, key=lambda a: self._order(a, cotangent)):
            contribution = self.weighted(cotangent, total[argument], rule)
            # Ranks that aren't known are equal where nothing else could be broadcast.
            alone = all(v == argument or rank_of(kind_of(v)) == 0 for v in bound.values())
            reduced = contribution
            if not alone or axes_of(out.kind) is not None:
                reduced = self.reduced(contribution, out, argument)
            summed = reduced != contribution and masked is Masked.GATHERED
            own_mask = Masked.NO if summed else masked
            self.contribute(argument.operand, reduced, own_mask)  # type: ignore[union-attr,arg-type]

    def _order(self, argument: Value, cotangent: Cotangent) -> tuple[bool, bool]:
        """Sums first, new adjoints (which may take the place of the one pulled back) after them."""
        names = [leaf.operand.name for leaf in leaves(argument)]  # type: ignore[union-attr]
        return self._is_own(argument, cotangent), not any(n in self.state for n in names)

    def _is_own(self, argument: Value, cotangent: Cotangent | None) -> bool:
        """True where a contribution to the argument would overwrite the cotangent pulled back."""
        return cotangent is not None and any(
            isinstance(leaf.operand, Var)
            and self.bar(leaf.operand.name) == cotangent.value.operand
            for leaf in leaves(argument)
        )

    def weighted(self, cotangent: Cotangent, partial: Value, rule: Rule) -> Leaf:
        """Cotangent times partial derivative; where a mask made the cotangent zero, a singular
        partial doesn't turn it into nan."""
        product = operate(self.spec, operator.mul, (cotangent.value, partial), None)  # type: ignore[arg-type]
        varies = not isinstance(getattr(partial, "operand", None), Const)
        if cotangent.masked and rule.singular and varies:
            zero = operate(
                self.spec, operator.eq, (cotangent.value, constant(0.0)), None  # type: ignore[arg-type]
            )
            product = self.spec.apply(np.where, (zero, constant(0.0), product))
        assert isinstance(product, Leaf)
        return product

    def _pull_back_by_rule(
        self,
        rule: Rule,
        bound: Mapping[str, Value],
        out: Value,
        statement: Assign,
        cotangents: list[Cotangent | None],
    ) -> None:
        assert rule.reverse is not None
        values = []
        for variable, cotangent in zip(
            operand_variables(statement.target), cotangents, strict=True
        ):
            if cotangent is None:
                values.append(constant(0.0))
            elif rule.lazy:
                values.append(cotangent.value)
            else:
                values.append(self.filled(variable.name, cotangent.value, statement))
        out_bar = values[0] if isinstance(out, Leaf) else Aggregate(tuple, out.keys, tuple(values))  # type: ignore[union-attr]
        result = expand(self.spec, rule.reverse, {**bound, "out": out, "out_bar": out_bar})
        names = rule.differentiable
        parts = (result,) if len(names) == 1 else result.items  # type: ignore[union-attr]
        masked = max((c.masked for c in cotangents if c is not None), default=Masked.NO)
        if rule.masking:
            masked = Masked.SELECTED
        elif masked is Masked.GATHERED and not rule.view:
            masked = Masked.NO
        pairs = [(bound[n], p) for n, p in zip(names, parts, strict=True) if n in bound]
        pairs.sort(key=lambda pair: any(self._is_own(pair[0], c) for c in cotangents))
        for argument, part in pairs:
            self._contribute_structure(argument, part, masked)

    def _contribute_structure(self, argument: Value, part: Value, masked: Masked) -> None:
        if isinstance(argument, Aggregate):
            assert isinstance(part, Aggregate)
            for item, cotangent in zip(argument.items, part.items, strict=True):
                self._contribute_structure(item, cotangent, masked)
        elif self.is_active(argument):
            if isinstance(part, Aggregate) and part.constructor is Scattered:
                self.scatter(argument.operand, part)  # type: ignore[union-attr,arg-type]
            else:
                assert isinstance(part, Leaf)
                self.contribute(argument.operand, part, masked)  # type: ignore[union-attr,arg-type]

    def is_active(self, value: Value) -> bool:
        """True for a variable that has an adjoint."""
        if isinstance(value, Aggregate):
            return any(map(self.is_active, leaves(value)))
        return (
            isinstance(value, Leaf)
            and isinstance(value.operand, Var)
            and value.operand.name in self.active
        )

    # ---------------------------------------------------------------- adding up

    def contribute(self, variable: Var, value: Leaf, masked: Masked) -> None:
        """Add to the cotangent of a variable; the first contribution assigns."""
        known = self.state.get(variable.name)
        if known is not None:
            if value == constant(0.0):
                return
            total = operate(self.spec, operator.add, (known.value, value), None)  # type: ignore[arg-type]
            assert isinstance(total, Leaf)
            value, masked = total, min(masked, known.masked)
        target = self.bar(variable.name)
        self.move(value, target)
        self.state[variable.name] = Cotangent(Leaf(target, value.kind), masked)

    def move(self, value: Leaf, target: Var) -> None:
        """``target = value``, by naming the operation's result so where that is possible."""
        last = self.spec.block[-1] if self.spec.block else None
        if (
            isinstance(last, Assign)
            and last.target == value.operand
            and isinstance(last.value, Apply)
            and value.operand.name in self.spec.temporaries  # type: ignore[union-attr]
            and not value.operand.name.endswith(".bar")  # type: ignore[union-attr]
        ):
            self.spec.block[-1] = replace(last, target=target)
        elif value.operand != target:
            self.spec.assign(target, value.operand, value.kind)

    def scatter(self, variable: Var, part: Aggregate) -> None:
        """Add into elements of one buffer."""
        from s2sad.frontend.specialise.values import operand_of

        known = self.state.get(variable.name)
        target = self.bar(variable.name)
        kind = self.full_kind(variable.name)
        if known is None:
            self.assign_zero(variable.name)
        else:
            self.fill(variable.name, known)
        operands = tuple(operand_of(item) for item in part.items)
        self.spec.assign(target, Apply(index_add, (target, *operands)), kind)
        by_mask = any(dtype_of(kind_of(i)) == "bool" for i in leaves(part.items[0]))
        masked = Masked.SELECTED if by_mask else Masked.GATHERED
        if known is not None:
            masked = min(masked, known.masked)
        self.state[variable.name] = Cotangent(Leaf(target, kind), masked)

    # ---------------------------------------------------------------- shapes

    def assign_zero(self, name: str) -> None:
        """The adjoint starts as zeros of its variable's shape."""
        kind = self.kind(name)
        if isinstance(kind, Scalar | NumPyScalar):
            self.spec.assign(self.bar(name), Const(0.0), FLOAT)
        else:
            source = self.shape_source(name)
            zeros = Apply(np.zeros_like, (Var(source),))
            self.spec.assign(self.bar(name), zeros, self.full_kind(name))

    def fill(self, name: str, cotangent: Cotangent) -> None:
        """Bring an adjoint to full shape, in its own variable."""
        value = self.filled(name, cotangent.value)
        self.move(value, self.bar(name))

    def filled(self, name: str, value: Leaf, statement: Assign | None = None) -> Leaf:
        """A cotangent of full shape; a view where the shape is spread out."""
        kind = (statement.kind if statement else None) or self.kind(name)
        if self.is_full(value.kind, kind):
            return value
        source = Var(self.shape_source(name))
        if isinstance(kind, Unknown) or axes_of(kind) is None:
            result = self.spec.apply(
                broadcast_to_shape_of, (value, Leaf(source, kind)), hint="full"
            )
        else:
            result = self.spec.apply(
                broadcast_like, (value, Leaf(source, kind)), hint="full"
            )
        assert isinstance(result, Leaf)
        return result

    def is_full(self, cotangent: Kind, kind: Kind) -> bool:
        """True where a cotangent is known to have the shape of a value of this kind."""
        if isinstance(kind, Scalar | NumPyScalar):
            return True
        if isinstance(kind, Array) and kind.promoted:
            return True
        axes, wanted = axes_of(cotangent), axes_of(kind)
        if axes is None or wanted is None or len(axes) != len(wanted):
            return False
        if isinstance(cotangent, Array) and cotangent.promoted:
            return False
        return all(
            a.length == "many"
            or b.length == "one"
            or (a.symbol is not None and a.symbol == b.symbol)
            for a, b in zip(axes, wanted, strict=True)
        )

    def shape_source(self, name: str) -> str:
        """A variable of the same shape, preferably one that the user named."""
        while name in self.function.temporaries:
            definitions = self.definitions.get(name, [])
            if len(definitions) != 1 or not isinstance(definitions[0].value, Apply):
                break
            operation = definitions[0].value
            rule = rule_for(operation.function)
            if rule is None or rule.partials is None:
                break
            kind = definitions[0].kind
            same = [
                v.name
                for argument in operation.args
                for v in operand_variables(argument)
                if _same_shape_and_dtype(self.kind(v.name), kind)
            ]
            if not same:
                break
            name = next((n for n in same if n not in self.function.temporaries), same[0])
        return name

    def reduced(self, value: Leaf, result: Leaf, argument: Value) -> Leaf:
        """Sum a contribution over the axes in which the argument was broadcast to the result."""
        out, kind = result.kind, kind_of(argument)
        axes, wanted = axes_of(out), axes_of(kind)
        promoted = [k for k in (out, kind) if isinstance(k, Array) and k.promoted]
        if promoted and kind == out:
            return value
        if isinstance(kind, Array) and kind.promoted and wanted is not None:
            if axes is not None and len(axes) == len(wanted):
                return value
        if axes is None or wanted is None or len(wanted) > len(axes):
            return self._summed_at_run_time(value, result, argument)
        offset = len(axes) - len(wanted)
        summed: list[int] = []
        for position, axis in enumerate(axes):
            own = None if position < offset else wanted[position - offset]
            if axis.length == "one" or (own is not None and own.length == "many"):
                continue
            if own is None or own.length == "one":
                summed.append(position)
            elif own.symbol is None or own.symbol != axis.symbol:
                return self._summed_at_run_time(value, result, argument)
        if not offset and not summed:
            return value
        return self._summed(value, axes, summed, offset, result, argument)

    def _summed_at_run_time(self, value: Leaf, result: Leaf, argument: Value) -> Leaf:
        """Decided when the program runs, from a contribution of the result's full shape."""
        if not self.is_full(value.kind, result.kind):
            spread = broadcast_to_shape_of if axes_of(result.kind) is None else broadcast_like
            filled = self.spec.apply(spread, (value, result), hint="full")
            assert isinstance(filled, Leaf)
            value = filled
        summed = self.spec.apply(sum_to_shape_of, (value, argument), hint="reduced")
        assert isinstance(summed, Leaf)
        return summed

    def _summed(
        self,
        value: Leaf,
        axes: tuple[Axis, ...],
        summed: list[int],
        offset: int,
        out: Leaf,
        argument: Value,
    ) -> Leaf:
        """Sum over known axes. An axis along which the contribution is constant is counted, not
        summed."""
        present = axes_of(value.kind)
        if present is None or (isinstance(value.kind, Array) and value.kind.promoted):
            return self._summed_at_run_time(value, out, argument)
        shift = len(axes) - len(present)
        spread = [
            p for p in summed if p < shift or present[p - shift].length == "one"
        ]
        real = [p - shift for p in summed if p not in spread]
        result: Value = value
        for position in spread:
            count = self._length_of_result(position, axes)
            result = operate(self.spec, operator.mul, (result, count), None)  # type: ignore[arg-type]
        result = self._sum_over(result, real, offset - shift, present)
        assert isinstance(result, Leaf)
        return result

    def _length_of_result(self, position: int, axes: tuple[Axis, ...]) -> Value:
        symbol = axes[position].symbol
        name, place = self.find_axis(symbol, position)
        return self.spec.apply(
            axis_length,
            (Leaf(Var(name), self.kind(name)), constant(place)),
            hint="length",
        )

    def find_axis(self, symbol: Any, position: int) -> tuple[str, int]:
        """A variable read or written by the current statement that has an axis of this symbol."""
        for name in self._statement_names:
            axes = axes_of(self.kind(name)) or ()
            for place, axis in enumerate(axes):
                if axis.symbol == symbol and symbol is not None:
                    return name, place
        raise LookupError(f"no array with the axis {symbol!r}")

    def _sum_over(
        self, value: Value, axes: list[int], offset: int, present: tuple[Axis, ...]
    ) -> Value:
        leading = list(range(max(offset, 0)))
        inner = [p - len(leading) for p in axes if p >= len(leading)]
        if leading and len(leading) == len(present):
            return self.spec.apply(np.sum, (value,), hint="total")
        if leading:
            value = self.spec.apply(
                np.sum, (value,), {"axis": _axis(leading)}, hint="total"
            )
        if inner:
            value = self.spec.apply(
                np.sum,
                (value,),
                {"axis": _axis(inner), "keepdims": constant(True)},
                hint="total",
            )
        return value


def _axis(axes: list[int]) -> Value:
    from s2sad.frontend.specialise.values import aggregate_of

    if len(axes) == 1:
        return constant(axes[0])
    return aggregate_of(tuple(constant(a) for a in axes))


def _same_shape_and_dtype(a: Kind, b: Kind | None) -> bool:
    axes, others = axes_of(a), axes_of(b) if b is not None else None
    if axes is None or others is None or len(axes) != len(others):
        return False
    if dtype_of(a) != dtype_of(b) or (isinstance(a, Array) and a.promoted):  # type: ignore[arg-type]
        return False
    return all(
        x.length == y.length and (x.length == "one" or x.symbol == y.symbol)
        for x, y in zip(axes, others, strict=True)
    )


def raise_without_rule(spec: Specialiser, operation: Apply, statement: Assign) -> Any:
    """An active call of a function that has no rule."""
    name = function_name(operation.function)
    module = getattr(operation.function, "__module__", None)
    full = f"{module}.{name}" if module and module != "builtins" else name
    raise Unsupported(
        statement.span,  # type: ignore[arg-type]
        f"there is no derivative rule for {full}",
        "register one with s2sad.rule, or compute it from functions that have rules",
    )


