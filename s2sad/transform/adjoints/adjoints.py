"""Adjoints: their names, kinds and shapes, and zeros.

An adjoint may be *lazy*: of a shape that only broadcasts to that of its variable (the
adjoint of the argument of ``np.mean`` is a number). It is filled to full shape where a
rule or a loop needs that. The adjoint of a variable that is a number on one path and an
array on another (of promoted kind) is never lazy: it has the shape of the value or, as
long as there is but one contribution, that of an array to which the value was
broadcast. It is summed where the variable is given a number.
"""

import re
from collections.abc import Mapping, Set
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.analysis.numbers.whole_numbers import WHOLE, maybe_whole
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.broadcasting import broadcast_along_items, broadcast_to_shape_of
from s2sad.transform.calls import properties


def unused_suffix(function: ir.Function, wish: str) -> str:
    """A suffix that no variable ends in: a gradient that is differentiated again has
    adjoints already."""
    occurring: set[str] = set()
    for s in ir.walk(function.body):
        occurring |= ir.names_read(s) | ir.names_written(s)
    names = {re.sub(r"~\d+$", "", name) for name in occurring}
    suffix, count = wish, 1
    while any(name.endswith(suffix) for name in names):
        count += 1
        suffix = f"{wish}{count}"
    return suffix


class Adjoints:
    """The adjoints of a function's variables: their names, kinds and shapes."""

    def __init__(
        self, function: ir.Function, spec: Specialiser, active: set[str]
    ) -> None:
        self.function = replace(function, kinds=dict(function.kinds))
        self.spec = spec
        spec.computes_complex = any(map(ir.is_complex, function.kinds.values()))
        self.active = active
        self.bound: Set[str] | None = None
        """The variables that surely have a value where lines are being written; None
        for all that these lines ask for."""
        self.unbound_rows: set[str] = set()
        """Lists of arrays that may differ in shape, and may have no value where their
        adjoints start as zeros."""
        self.given_as: Mapping[str, frozenset[str]] = {}
        """What holds of parameters, by the name of the property."""
        self.joins_precisions = False
        """True where paths that join gave an adjoint in different precisions."""
        self.suffix = unused_suffix(function, ".bar")
        self.definitions: dict[str, list[ir.Assign]] = {}
        self.restored: set[str] = set()
        """Variables that take kept values back: their assignments don't tell all."""
        for statement in ir.walk(function.body):
            if isinstance(statement, ir.Restore):
                self.restored.add(statement.target.name)
            if isinstance(statement, ir.Assign):
                for variable in ir.operand_variables(statement.target):
                    self.definitions.setdefault(variable.name, []).append(statement)

    def bar(self, name: str) -> ir.Var:
        """The adjoint variable of a variable."""
        adjoint = f"{name}{self.suffix}"
        if name in self.function.temporaries:
            self.spec.temporaries.add(adjoint)
        return ir.Var(adjoint)

    @cached_property
    def merges_numbers(self) -> bool:
        """True where numbers that vary meet from several paths: their adjoints may be
        Python numbers or of float64, whatever the precision of the numbers is."""
        return any(
            isinstance(self.kind(name), ir.Scalar | ir.NumPyScalar)
            and len(self.definitions.get(name, ())) > 1
            for name in self.active
        )

    @cached_property
    def mixes_precisions(self) -> bool:
        """True where a loop may add to an adjoint what has been computed in another
        precision: it may be of float64 from the second turn on."""
        loops = any(ir.loops_in(self.function.body))
        kinds = self.function.kinds.values() if loops else ()
        dtypes = {k.dtype for k in kinds if isinstance(k, ir.Array | ir.NumPyScalar)}
        return len(dtypes - {"bool"}) > 1

    @cached_property
    def maybe_whole(self) -> frozenset[str]:
        """The variables that may hold ints at run time, whatever their kind."""
        given = self.given_as.get(WHOLE.name, frozenset())
        calls = properties.calls_of(WHOLE, self.function, given)
        return maybe_whole(self.definitions, self.function.kinds, given, calls)

    def kind(self, name: str) -> ir.Kind:
        """The kind of a variable of the function."""
        return self.function.kinds.get(name, ir.UNKNOWN)

    def full_kind(self, name: str) -> ir.Kind:
        """The kind of a variable's adjoint at full shape."""
        kind = ir.without_none(self.kind(name))
        if isinstance(kind, ir.Scalar):
            return ir.COMPLEX if ir.is_complex(kind) else ir.FLOAT
        if isinstance(kind, ir.List):
            return ir.cotangent_kind_of_list(kind) or ir.UNKNOWN
        return kind if isinstance(kind, ir.NumPyScalar | ir.Array) else ir.UNKNOWN

    def kind_or_zero(self, name: str, kind: ir.Kind) -> ir.Kind:
        """The kind of what is either such a cotangent or the number 0.0. A list of rows
        is never a number: the variable is an empty list before it has a value."""
        if isinstance(kind, ir.List):
            self.unbound_rows.add(name)
            return kind
        return ir.join(kind, ir.FLOAT)

    def value(self, operand: ir.Operand) -> core.Value:
        """The value of an operand of the function."""
        match operand:
            case ir.Var(name=name):
                return core.Leaf(operand, self.kind(name))
            case ir.Const(value=value):
                return core.constant(value)
            case ir.Pack():
                items = tuple(map(self.value, operand.items))
                return core.Aggregate(operand.constructor, operand.keys, items)
            case ir.Slice():
                bounds = (operand.lower, operand.upper, operand.step)
                return core.slice_of(
                    *(core.NOTHING if b is None else self.value(b) for b in bounds)
                )
            case ir.Global():  # as it was when the function was specialised
                kind = self.spec.module.kinds.get(operand, ir.UNKNOWN)
                return core.Leaf(operand, kind)
        raise TypeError(f"no value for {operand!r}")

    def assign_zero(self, name: str, *, present: bool = False) -> None:
        """The adjoint starts as zeros of its variable's shape; where an element of it
        was read it is ``present``, not None."""
        kind = self.kind(name)
        if isinstance(kind, ir.Scalar | ir.NumPyScalar):
            zero, own = (0j, ir.COMPLEX) if ir.is_complex(kind) else (0.0, ir.FLOAT)
            self.spec.assign(self.bar(name), ir.Const(zero), own)
        elif not self.surely_bound(name) or (_may_be_none(kind) and not present):
            kind = self.kind_or_zero(name, self.full_kind(name))
            if isinstance(kind, ir.List):
                self.assign_zeros_along(name)
            else:
                self.spec.assign(self.bar(name), ir.Const(0.0), kind)
        elif isinstance(kind, ir.List):
            self.assign_zeros_along(name)
        else:
            zeros = self.zeros_like(ir.Var(self.shape_source(name)), kind)
            self.spec.assign(self.bar(name), zeros, self.full_kind(name))

    def zeros_like(self, variable: ir.Var, kind: ir.Kind) -> ir.Apply:
        """Zeros of the shape of an array, of floats even where it is one of ints."""
        dtype = map(ir.Const, self.dtype_of_zeros(variable.name, kind))
        return ir.Apply(np.zeros_like, (variable, *dtype))

    def dtype_of_zeros(self, name: str, kind: ir.Kind) -> tuple[type[np.float64], ...]:
        """The dtype of zeros like a variable, where it may be another one's."""
        whole = ir.dtype_of(kind) == "float64" and name in self.maybe_whole
        return (np.float64,) if whole else ()

    def assign_zeros_along(self, name: str) -> None:
        """The adjoint of a list starts as an array of zeros, whatever numbers are in
        the list, or as a list of such arrays."""
        kind = self.full_kind(name)
        if isinstance(kind, ir.List):
            rows = ir.Apply(ops.zero_rows, (ir.Var(name),))
            self.spec.assign(self.bar(name), rows, kind)
            return
        dtype = ir.dtype_of(kind)
        own = () if dtype in (None, "float64") else (ir.Const(np.dtype(dtype).type),)
        zeros = ir.Apply(ops.zeros_along, (ir.Var(name), *own))
        self.spec.assign(self.bar(name), zeros, kind)

    def is_filled(self, name: str) -> bool:
        """True where an adjoint that started as zeros, or was filled, surely has the
        shape of its variable."""
        kind = self.kind(name)
        return (
            isinstance(kind, ir.Array | ir.List)
            and not ir.is_promoted(kind)
            and self.surely_bound(name)
        )

    def surely_bound(self, name: str) -> bool:
        """False where a variable may have no value yet. Its adjoint is then the number
        0.0 at run time, whatever its shape will be."""
        return self.bound is None or name in self.bound

    def filled(
        self,
        name: str,
        value: core.Leaf,
        statement: ir.Assign | None = None,
        out: core.Value | None = None,
    ) -> core.Leaf:
        """A cotangent of full shape; a view where the shape is spread out.

        ``out`` stands for the variable's value where that is about to change.
        """
        alone = statement is not None and isinstance(statement.target, ir.Var)
        kind = (statement.kind if alone and statement else None) or self.kind(name)
        kind = ir.without_none(kind)
        if self.is_full(value.kind, kind):
            return value
        source = ir.Var(self.shape_source(name))
        if isinstance(out, core.Leaf) and isinstance(out.operand, ir.Var):
            source = out.operand
        surely = self.surely_bound(name)
        known = ir.axes_of(ir.array_of_list(kind) or kind)
        spread: Any = broadcast_to_shape_of
        if not isinstance(kind, ir.Unknown) and known is not None and surely:
            of_arrays = isinstance(kind, ir.List) and len(known) > 1
            spread = broadcast_along_items if of_arrays else ops.broadcast_like
            value = self.in_precision_of(value, kind)
        return self._spread_by(spread, value, core.Leaf(source, kind))

    def _spread_by(self, function: Any, value: core.Leaf, like: core.Leaf) -> core.Leaf:
        return core.single(self.spec.apply(function, (value, like), hint="full"))

    def in_precision_of(self, value: core.Leaf, kind: ir.Kind) -> core.Leaf:
        """A number in the precision of an array: one that is spread out to its shape
        would be of its own, and a Python number, which has none, of float64."""
        precision = ir.dtype_of(kind)
        if not isinstance(value.kind, ir.Scalar | ir.NumPyScalar) or precision is None:
            return value
        python = isinstance(value.kind, ir.Scalar)
        if ir.dtype_of(value.kind) == precision and not python:
            return value
        if precision == "float64" or np.dtype(precision).kind not in "fc":
            return value
        if precision == "complex128" and ir.is_complex(value.kind):
            return value
        number = np.dtype(precision).type
        return core.single(self.spec.apply(number, (value,), hint="number"))

    def never_lazy(
        self, statement: ir.Assign, value: core.Leaf, out: core.Leaf
    ) -> core.Leaf:
        """The cotangent of what a statement assigns, at the shape of ``out``, its
        result."""
        target = statement.target
        if isinstance(target, ir.Var) and ir.is_promoted(self.kind(target.name)):
            return value
        if self.is_full(value.kind, out.kind):
            return value
        return self._spread_by(broadcast_to_shape_of, value, out)

    def spread(self, value: core.Leaf, x: core.Leaf) -> core.Leaf:
        """A cotangent for ``x``, of promoted kind, at the shape that ``x`` then has."""
        assert isinstance(x.kind, ir.Array)
        kind = replace(x.kind, promoted=False)
        if value == core.constant(0.0) or self.is_full(value.kind, kind):
            return value
        return self._spread_by(broadcast_to_shape_of, value, x)

    def is_full(self, cotangent: ir.Kind, kind: ir.Kind) -> bool:
        """True where a cotangent is known to have the shape of a value of this kind."""
        kind = ir.without_none(kind)
        if isinstance(kind, ir.Scalar | ir.NumPyScalar):
            return True
        if isinstance(kind, ir.Array) and kind.promoted:
            return True
        if isinstance(cotangent, ir.List):
            return ir.is_ragged(kind)
        kind = ir.array_of_list(kind) or kind
        axes, wanted = ir.axes_of(cotangent), ir.axes_of(kind)
        if axes is None or wanted is None or len(axes) != len(wanted):
            return False
        if isinstance(cotangent, ir.Array) and cotangent.promoted:
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
            if len(definitions) != 1 or name in self.restored:
                break
            if not isinstance(definitions[0].value, ir.Apply):
                break
            operation = definitions[0].value
            rule = rules.rule_for(operation.function)
            if rule is None or rule.partials is None:
                break
            kind = definitions[0].kind
            operands = map(ir.operand_variables, operation.args)
            variables = [v.name for own in operands for v in own]
            alone = sum(ir.axes_of(self.kind(v)) != () for v in variables) == 1
            same = [
                v for v in variables if _same_shape_and_dtype(self.kind(v), kind, alone)
            ]
            if not same:
                break
            named = (n for n in same if n not in self.function.temporaries)
            name = next(named, same[0])
        return name


def _may_be_none(kind: ir.Kind) -> bool:
    return isinstance(kind, ir.Unknown) and kind.present is not None


def _same_shape_and_dtype(a: ir.Kind, b: ir.Kind | None, alone: bool) -> bool:
    """``alone`` says that ``b`` is the kind of a function of ``a`` and numbers."""
    axes, others = ir.axes_of(a), ir.axes_of(b) if b is not None else None
    if axes is None or others is None or len(axes) != len(others):
        return False
    if ir.dtype_of(a) != ir.dtype_of(b) or (isinstance(a, ir.Array) and a.promoted):  # type: ignore[arg-type]
        return False
    return all(
        x.length == y.length
        and (
            x.length == "one"
            or (x.symbol == y.symbol and (alone or x.symbol is not None))
        )
        for x, y in zip(axes, others, strict=True)
    )
