"""Adjoints: their names and kinds, zeros, and sums over axes that were broadcast.

An adjoint may be *lazy*: of a shape that only broadcasts to that of its variable (the
adjoint of the argument of ``np.mean`` is a number). It is filled to full shape where a
rule or a loop needs that. The adjoint of a variable that is a number on one path and an
array on another (of promoted kind) is never lazy: it has the shape of the value or, as
long as there is but one contribution, that of an array to which the value was
broadcast. It is summed where the variable is given a number.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

import numpy as np

from s2sad.codegen.helper_functions.broadcasting import (
    broadcast_along_items,
    broadcast_to_shape_of,
    sum_to_shape_of,
)
from s2sad.frontend.specialise.expressions import operate
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.values import (
    Aggregate,
    Leaf,
    Value,
    aggregate_of,
    constant,
    kind_of,
)
from s2sad.ir.kinds import (
    FLOAT,
    UNKNOWN,
    Array,
    Axis,
    Kind,
    List,
    NumPyScalar,
    Scalar,
    Unknown,
    array_of_list,
    axes_of,
    dtype_of,
    join,
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
    direct_reads,
    direct_writes,
    operand_variables,
    walk,
)
from s2sad.rules.registry import rule_for
from s2sad.rules.shape_queries import axis_length
from s2sad.transform.buffers import broadcast_like
from s2sad.transform.lists import zeros_along


class Masked(IntEnum):
    """Whether a cotangent may hold structural zeros, which a singular partial mustn't
    turn into nan."""

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
    only_if: str = ""
    """A jump's flag: where it is false at this place, the cotangent is zero."""
    full: bool = False
    """True where it surely has the shape of the variable's value, which its kind may
    not tell."""


def unused_suffix(function: Function, wish: str) -> str:
    """A suffix that no variable ends in: a gradient that is differentiated again has
    adjoints already."""
    names = {
        v.name.split("~")[0]
        for s in walk(function.body)
        for v in (*direct_reads(s), *direct_writes(s))
    }
    suffix, count = wish, 1
    while any(name.endswith(suffix) for name in names):
        count += 1
        suffix = f"{wish}{count}"
    return suffix


class Adjoints:
    """The adjoints of a function's variables: their names, kinds and shapes."""

    def __init__(self, function: Function, spec: Specialiser, active: set[str]) -> None:
        self.function = replace(function, kinds=dict(function.kinds))
        self.spec = spec
        self.active = active
        self.state: dict[str, Cotangent] = {}
        self.bound: frozenset[str] | None = None
        """The variables that surely have a value where lines are being written; None
        for all that these lines ask for."""
        self._statement_names: list[str] = []
        self.suffix = unused_suffix(function, ".bar")
        self.definitions: dict[str, list[Assign]] = {}
        for statement in walk(function.body):
            if isinstance(statement, Assign):
                for variable in operand_variables(statement.target):
                    self.definitions.setdefault(variable.name, []).append(statement)

    def bar(self, name: str) -> Var:
        """The adjoint variable of a variable."""
        adjoint = f"{name}{self.suffix}"
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
        if isinstance(kind, List):
            return array_of_list(kind) or UNKNOWN
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
                    operand.constructor,
                    operand.keys,
                    tuple(map(self.value, operand.items)),
                )
            case Slice():
                bounds = (operand.lower, operand.upper, operand.step)
                return Aggregate(
                    slice,
                    ("lower", "upper", "step"),
                    tuple(
                        constant(None) if b is None else self.value(b) for b in bounds
                    ),
                )
            case Global():
                return Leaf(operand, self.spec_kind_of_global(operand))
        raise TypeError(f"no value for {operand!r}")

    def spec_kind_of_global(self, operand: Global) -> Kind:
        """The kind of module data, as found when the function was specialised."""
        return self.spec.global_kinds.get(operand, UNKNOWN)

    def assign_zero(self, name: str) -> None:
        """The adjoint starts as zeros of its variable's shape."""
        kind = self.kind(name)
        if isinstance(kind, Scalar | NumPyScalar):
            self.spec.assign(self.bar(name), Const(0.0), FLOAT)
        elif not self.surely_bound(name) or _may_be_none(kind):
            kind = self.kind_or_zero(self.full_kind(name))
            self.spec.assign(self.bar(name), Const(0.0), kind)
        elif isinstance(kind, List):
            self.assign_zeros_along(name)
        else:
            source = self.shape_source(name)
            zeros = Apply(np.zeros_like, (Var(source),))
            self.spec.assign(self.bar(name), zeros, self.full_kind(name))

    def assign_zeros_along(self, name: str) -> None:
        """The adjoint of a list starts as an array of zeros, whatever numbers are in
        the list."""
        kind = self.full_kind(name)
        dtype = dtype_of(kind)
        own = () if dtype in (None, "float64") else (Const(np.dtype(dtype).type),)
        zeros = Apply(zeros_along, (Var(name), *own))
        self.spec.assign(self.bar(name), zeros, kind)

    def is_filled(self, name: str) -> bool:
        """True where an adjoint that started as zeros, or was filled, surely has the
        shape of its variable."""
        kind = self.kind(name)
        return (
            isinstance(kind, Array | List)
            and not is_promoted(kind)
            and self.surely_bound(name)
        )

    def surely_bound(self, name: str) -> bool:
        """False where a variable may have no value yet. Its adjoint is then the number
        0.0 at run time, whatever its shape will be."""
        return self.bound is None or name in self.bound

    def filled(
        self,
        name: str,
        value: Leaf,
        statement: Assign | None = None,
        out: Value | None = None,
    ) -> Leaf:
        """A cotangent of full shape; a view where the shape is spread out.

        ``out`` stands for the variable's value where that is about to change.
        """
        sharper = (
            statement.kind if statement and isinstance(statement.target, Var) else None
        )
        kind = sharper or self.kind(name)
        if self.is_full(value.kind, kind):
            return value
        source = Var(self.shape_source(name))
        if isinstance(out, Leaf) and isinstance(out.operand, Var):
            source = out.operand
        surely = self.surely_bound(name)
        known = axes_of(array_of_list(kind) or kind)
        if isinstance(kind, Unknown) or known is None or not surely:
            result = self.spec.apply(
                broadcast_to_shape_of, (value, Leaf(source, kind)), hint="full"
            )
        else:
            of_arrays = isinstance(kind, List) and len(known) > 1
            spread = broadcast_along_items if of_arrays else broadcast_like
            result = self.spec.apply(spread, (value, Leaf(source, kind)), hint="full")
        assert isinstance(result, Leaf)
        return result

    def never_lazy(self, statement: Assign, value: Leaf, out: Leaf) -> Leaf:
        """The cotangent of what a statement assigns, at the shape of ``out``, its
        result."""
        target = statement.target
        if isinstance(target, Var) and is_promoted(self.kind(target.name)):
            return value
        if self.is_full(value.kind, out.kind):
            return value
        result = self.spec.apply(broadcast_to_shape_of, (value, out), hint="full")
        assert isinstance(result, Leaf)
        return result

    def spread(self, value: Leaf, x: Leaf) -> Leaf:
        """A cotangent for ``x``, of promoted kind, at the shape that ``x`` then has."""
        kind = x.kind
        assert isinstance(kind, Array)
        if value == constant(0.0) or self.is_full(
            value.kind, replace(kind, promoted=False)
        ):
            return value
        result = self.spec.apply(broadcast_to_shape_of, (value, x), hint="full")
        assert isinstance(result, Leaf)
        return result

    def of_shape(self, value: Leaf, x: Operand, kind: Kind | None = None) -> Leaf:
        """A cotangent of ``x``, of promoted kind, summed to the shape of ``x``."""
        if axes_of(value.kind) == ():
            return value
        if kind is None:
            kind = self.kind(x.name)  # type: ignore[union-attr]
        wanted = Leaf(x, kind)
        result = self.spec.apply(sum_to_shape_of, (value, wanted), hint="reduced")
        assert isinstance(result, Leaf)
        return result

    def of_number(self, value: Leaf) -> Leaf:
        """The cotangent of a number, from that of the array that it joined."""
        if axes_of(value.kind) == ():
            return value
        result = self.spec.apply(np.sum, (value,), hint="total")
        assert isinstance(result, Leaf)
        return result

    def is_full(self, cotangent: Kind, kind: Kind) -> bool:
        """True where a cotangent is known to have the shape of a value of this kind."""
        if isinstance(kind, Scalar | NumPyScalar):
            return True
        if isinstance(kind, Array) and kind.promoted:
            return True
        kind = array_of_list(kind) or kind
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
            name = next(
                (n for n in same if n not in self.function.temporaries), same[0]
            )
        return name

    def reduced(self, value: Leaf, result: Leaf, argument: Value) -> Leaf:
        """Sum a contribution over the axes in which the argument was broadcast to the
        result."""
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
        """Decided when the program runs, from a contribution of the result's full
        shape."""
        if not self.is_full(value.kind, result.kind):
            spread = (
                broadcast_to_shape_of
                if axes_of(result.kind) is None
                else broadcast_like
            )
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
        """Sum over known axes. An axis along which the contribution is constant is
        counted, not summed."""
        present = axes_of(value.kind)
        if present is None or (isinstance(value.kind, Array) and value.kind.promoted):
            return self._summed_at_run_time(value, out, argument)
        shift = len(axes) - len(present)
        spread = [p for p in summed if p < shift or present[p - shift].length == "one"]
        real = [p - shift for p in summed if p not in spread]
        result: Value = value
        for position in spread:
            count = self._length_of_result(position, axes, out)
            result = operate(self.spec, operator.mul, (result, count), None)
        result = self._sum_over(result, real, offset - shift, present)
        assert isinstance(result, Leaf)
        return result

    def _length_of_result(
        self, position: int, axes: tuple[Axis, ...], out: Leaf
    ) -> Value:
        array, place = self.find_axis(axes[position].symbol) or (out, position)
        return self.spec.apply(axis_length, (array, constant(place)), hint="length")

    def find_axis(self, symbol: Any) -> tuple[Leaf, int] | None:
        """A variable read or written by the current statement that has an axis of this
        symbol."""
        for name in self._statement_names:
            axes = axes_of(self.kind(name)) or ()
            for place, axis in enumerate(axes):
                if axis.symbol == symbol and symbol is not None:
                    return Leaf(Var(name), self.kind(name)), place
        return None

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


def _may_be_none(kind: Kind) -> bool:
    return isinstance(kind, Unknown) and kind.present is not None


def is_promoted(kind: Kind | None) -> bool:
    """True for what is a number on one path and an array on another."""
    return isinstance(kind, Array) and kind.promoted


def _axis(axes: list[int]) -> Value:
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
