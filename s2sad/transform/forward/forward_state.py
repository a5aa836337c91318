"""Tangents of variables: their names and kinds, and zeros where there are none."""

import operator
from collections.abc import Mapping, Set
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.numbers.infinite_values import may_be_masked
from s2sad.frontend.specialise import Specialised, core
from s2sad.ops.runtime.broadcasting import broadcast_to_shape_of
from s2sad.transform.adjoints import adjoints, contributions
from s2sad.transform.run_time.zeros import zeros_of


class ForwardState(contributions.Contributions):
    """The tangents that a function carries along."""

    def __init__(
        self,
        function: ir.Function,
        specialised: Specialised,
        active: set[str],
        tangents: Mapping[str, core.Leaf],
        masked: Set[str] = frozenset(),
    ) -> None:
        super().__init__(function, specialised.specialiser, active)
        self.given_as = specialised.given
        self.given = tangents
        self.dot_kinds: dict[str, ir.Kind] = {}
        self.dot_suffix = adjoints.unused_suffix(function, ".dot")
        self.unit: set[str] = set()
        """Variables whose tangents are zero but for few elements: unit tangents, and
        what came from them without sums."""
        self.origins: dict[str, tuple[str, ...]] = {}
        """Of some of these, the variables whose unit tangents they are made of element
        by element: where one of those isn't zero, such a tangent is so by chance."""
        self.masked = may_be_masked(function.body, active, masked)
        self.is_called = False
        """True for a program that others call: they take tangents of references as they
        are, not in the user's classes."""
        self.attempts = 0
        """How many try bodies are around."""
        writes = dict.fromkeys(function.parameters, 1)
        for s in ir.walk(function.body):
            if isinstance(s, ir.Assign | ir.Restore):
                for v in ir.operand_variables(s.target):
                    writes[v.name] = writes.get(v.name, 0) + 1
        self.written_often = {n for n, count in writes.items() if count > 1}

    def full_kind(self, name: str) -> ir.Kind:
        """The kind of a variable's tangent at full shape; that of a list is a list."""
        kind = ir.without_none(self.kind(name))
        own = isinstance(kind, ir.List | ir.Reference)
        return kind if own else super().full_kind(name)

    def is_full(self, cotangent: ir.Kind, kind: ir.Kind) -> bool:
        """True where a tangent is known to have the shape of a value of this kind."""
        own = isinstance(cotangent, ir.List | ir.Reference)
        return own or super().is_full(cotangent, kind)

    def _where_made(self, operand: ir.Operand, target: ir.Var) -> int | None:
        """Other lines may read the tangent of a variable, too."""
        if isinstance(operand, ir.Var) and operand.name.endswith(self.dot_suffix):
            return None
        return super()._where_made(operand, target)

    def dot(self, name: str) -> ir.Var:
        """The tangent variable of a variable."""
        tangent = f"{name}{self.dot_suffix}"
        if name in self.function.temporaries:
            self.spec.temporaries.add(tangent)
        return ir.Var(tangent)

    def tangents(self, operand: Any) -> Any:
        """The operand with each variable's tangent in its place, at full shape."""
        if isinstance(operand, ir.Pack):
            return replace(operand, items=tuple(map(self.tangents, operand.items)))
        if isinstance(operand, ir.Var) and ir.is_real_number_kind(
            self.kind(operand.name)
        ):
            if ir.is_of_references(self.kind(operand.name)):
                return self._returned(operand)
            return core.operand_of(self.complex_where_value_is(operand))
        if isinstance(operand, ir.Const) and isinstance(operand.value, float | complex):
            return ir.Const(type(operand.value)(0.0))
        if isinstance(operand, ir.Global):
            value = self.value(operand)
            kind = core.kind_of(value)
            if isinstance(kind, ir.Scalar | ir.NumPyScalar) and ir.is_real_number_kind(
                kind
            ):
                return _zero(kind).operand
            if ir.is_of_references(kind):
                return self._returned(operand)
            if ir.is_real_number_kind(kind):
                zeros = ops.zero_items if isinstance(kind, ir.List) else np.zeros_like
                return core.operand_of(self.spec.apply(zeros, (value,)))
        return ir.Const(None)

    def _returned(self, whole: ir.Var | ir.Global) -> ir.Operand:
        if self.is_called:
            return self.tangent_of_reference(whole)
        return self.returned_reference(whole)

    def complex_where_value_is(self, variable: ir.Var) -> core.Leaf:
        """The tangent of a variable that is returned: what varies of a complex number
        may be its real part alone."""
        tangent, kind = self.filled_tangent(variable), self.kind(variable.name)
        if not isinstance(kind, ir.Numeric) or not ir.is_complex(kind):
            return tangent
        if ir.is_complex(tangent.kind):
            return tangent
        return core.single(
            self.spec.apply(operator.add, (tangent, core.constant(0j)), hint="tangent")
        )

    def tangent_of_reference(self, operand: ir.Operand) -> ir.Operand:
        """The tangent of an operand that is a reference; others as they are."""
        raise NotImplementedError

    def returned_reference(self, whole: ir.Var | ir.Global) -> ir.Operand:
        """The tangent of a reference that is returned, in the classes of the value."""
        raise NotImplementedError

    def filled_tangent(self, variable: ir.Var) -> core.Leaf:
        """The tangent of a variable at full shape; zeros where it has none."""
        name = variable.name
        if ir.is_of_references(self.kind(name)):
            return core.Leaf(self.tangent_of_reference(variable), self.kind(name))
        if name not in self.active:
            kind = self.kind(name)
            if isinstance(kind, ir.Scalar | ir.NumPyScalar):
                return _zero(kind)
            if isinstance(kind, ir.List):
                return core.single(
                    self.spec.apply(ops.zero_items, (core.Leaf(variable, kind),))
                )
            dtype = map(core.constant, self.dtype_of_zeros(name, kind))
            return core.single(
                self.spec.apply(
                    np.zeros_like, (core.Leaf(variable, kind), *dtype), hint="zeros"
                )
            )
        tangent = core.Leaf(
            self.dot(name), self.dot_kinds.get(name, self.full_kind(name))
        )
        own = self.kind(name)
        if not ir.is_promoted(own):
            return self.filled(name, tangent)
        # one may be a number where the other is an array
        spread = (tangent, core.Leaf(variable, own))
        return core.single(self.spec.apply(broadcast_to_shape_of, spread, hint="full"))

    def assign_zero_tangent(self, variable: ir.Var) -> None:
        """``x.dot = 0`` of the shape of ``x``."""
        kind = self.kind(variable.name)
        self.dot_kinds.setdefault(variable.name, self.full_kind(variable.name))
        if ir.is_of_references(kind):
            zeros = zeros_of(self.spec, variable)
            self.spec.assign(self.dot(variable.name), zeros, kind)
            return
        if isinstance(kind, ir.Scalar | ir.NumPyScalar):
            zero = _zero(kind)
            self.spec.assign(self.dot(variable.name), zero.operand, zero.kind)
        elif isinstance(kind, ir.List):
            none = ir.Apply(ops.zero_items, (variable,))
            self.spec.assign(self.dot(variable.name), none, kind)
        else:
            zeros = self.zeros_like(variable, kind)
            self.spec.assign(
                self.dot(variable.name), zeros, self.full_kind(variable.name)
            )

    def tangent_of(self, variable: ir.Var) -> core.Leaf:
        """The tangent of an active variable as it is, maybe lazy."""
        name = variable.name
        return core.Leaf(self.dot(name), self.dot_kinds.get(name, self.full_kind(name)))


def _zero(kind: ir.Kind) -> core.Leaf:
    """The tangent of a number that doesn't vary."""
    return (
        core.Leaf(ir.Const(0j), ir.COMPLEX)
        if ir.is_complex(kind)
        else core.Leaf(ir.Const(0.0), ir.FLOAT)
    )
