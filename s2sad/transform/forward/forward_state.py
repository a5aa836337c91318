"""Tangents of variables: their names and kinds, and zeros where there are none."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.analysis.numbers.singular_values import may_be_masked
from s2sad.frontend.specialise import Specialised
from s2sad.frontend.specialise.core.values import Leaf, constant, kind_of, operand_of
from s2sad.ir.kinds import (
    COMPLEX,
    FLOAT,
    Kind,
    List,
    Numeric,
    NumPyScalar,
    Scalar,
    is_complex,
    is_promoted,
    is_real_number_kind,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    Function,
    Global,
    Operand,
    Pack,
    Restore,
    Var,
)
from s2sad.ir.walking import operand_variables, walk
from s2sad.ops.lists import zero_items
from s2sad.ops.runtime.broadcasting import broadcast_to_shape_of
from s2sad.transform.adjoints.adjoints import unused_suffix
from s2sad.transform.adjoints.contributions import Contributions


class ForwardState(Contributions):
    """The tangents that a function carries along."""

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
        self.unit: set[str] = set()
        """Variables whose tangents are zero but for few elements: unit tangents, and
        what came from them without sums."""
        self.masked = may_be_masked(function.body, active)
        self.attempts = 0
        """How many try bodies are around."""
        writes = dict.fromkeys(function.parameters, 1)
        for s in walk(function.body):
            if isinstance(s, Assign | Restore):
                for v in operand_variables(s.target):
                    writes[v.name] = writes.get(v.name, 0) + 1
        self.written_often = {n for n, count in writes.items() if count > 1}

    def full_kind(self, name: str) -> Kind:
        """The kind of a variable's tangent at full shape; that of a list is a list."""
        kind = self.kind(name)
        return kind if isinstance(kind, List) else super().full_kind(name)

    def is_full(self, cotangent: Kind, kind: Kind) -> bool:
        """True where a tangent is known to have the shape of a value of this kind."""
        return isinstance(cotangent, List) or super().is_full(cotangent, kind)

    def _where_made(self, operand: Operand, target: Var) -> int | None:
        """Other lines may read the tangent of a variable, too."""
        if isinstance(operand, Var) and operand.name.endswith(self.dot_suffix):
            return None
        return super()._where_made(operand, target)

    def dot(self, name: str) -> Var:
        """The tangent variable of a variable."""
        tangent = f"{name}{self.dot_suffix}"
        if name in self.function.temporaries:
            self.spec.temporaries.add(tangent)
        return Var(tangent)

    def tangents(self, operand: Any) -> Any:
        """The operand with each variable's tangent in its place, at full shape."""
        if isinstance(operand, Pack):
            return replace(operand, items=tuple(map(self.tangents, operand.items)))
        if isinstance(operand, Var) and is_real_number_kind(self.kind(operand.name)):
            return operand_of(self.complex_where_value_is(operand))
        if isinstance(operand, Const) and isinstance(operand.value, float | complex):
            return Const(type(operand.value)(0.0))
        if isinstance(operand, Global):
            value = self.value(operand)
            kind = kind_of(value)
            if isinstance(kind, Scalar | NumPyScalar) and is_real_number_kind(kind):
                return _zero(kind).operand
            if is_real_number_kind(kind):
                return operand_of(self.spec.apply(np.zeros_like, (value,)))
        return Const(None)

    def complex_where_value_is(self, variable: Var) -> Leaf:
        """The tangent of a variable that is returned: what varies of a complex number
        may be its real part alone."""
        tangent, kind = self.filled_tangent(variable), self.kind(variable.name)
        if not isinstance(kind, Numeric) or not is_complex(kind):
            return tangent
        if is_complex(tangent.kind):
            return tangent
        made = self.spec.apply(operator.add, (tangent, constant(0j)), hint="tangent")
        assert isinstance(made, Leaf)
        return made

    def filled_tangent(self, variable: Var) -> Leaf:
        """The tangent of a variable at full shape; zeros where it has none."""
        name = variable.name
        if name not in self.active:
            kind = self.kind(name)
            if isinstance(kind, Scalar | NumPyScalar):
                return _zero(kind)
            if isinstance(kind, List):
                none = self.spec.apply(zero_items, (Leaf(variable, kind),))
                assert isinstance(none, Leaf)
                return none
            zeros = self.spec.apply(
                np.zeros_like, (Leaf(variable, kind),), hint="zeros"
            )
            assert isinstance(zeros, Leaf)
            return zeros
        tangent = Leaf(self.dot(name), self.dot_kinds.get(name, self.full_kind(name)))
        own = self.kind(name)
        if not is_promoted(own):
            return self.filled(name, tangent)
        # one may be a number where the other is an array
        spread = (tangent, Leaf(variable, own))
        filled = self.spec.apply(broadcast_to_shape_of, spread, hint="full")
        assert isinstance(filled, Leaf)
        return filled

    def assign_zero_tangent(self, variable: Var) -> None:
        """``x.dot = 0`` of the shape of ``x``."""
        kind = self.kind(variable.name)
        self.dot_kinds.setdefault(variable.name, self.full_kind(variable.name))
        if isinstance(kind, Scalar | NumPyScalar):
            zero = _zero(kind)
            self.spec.assign(self.dot(variable.name), zero.operand, zero.kind)
        elif isinstance(kind, List):
            none = Apply(zero_items, (variable,))
            self.spec.assign(self.dot(variable.name), none, kind)
        else:
            zeros = Apply(np.zeros_like, (variable,))
            self.spec.assign(
                self.dot(variable.name), zeros, self.full_kind(variable.name)
            )

    def tangent_of(self, variable: Var) -> Leaf:
        """The tangent of an active variable as it is, maybe lazy."""
        name = variable.name
        return Leaf(self.dot(name), self.dot_kinds.get(name, self.full_kind(name)))


def _zero(kind: Kind) -> Leaf:
    """The tangent of a number that doesn't vary."""
    return Leaf(Const(0j), COMPLEX) if is_complex(kind) else Leaf(Const(0.0), FLOAT)
