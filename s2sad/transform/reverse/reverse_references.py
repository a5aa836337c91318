"""Run-time values in reverse mode: the adjoint of a reference is a reference.

Beside each line that gives a reference stands, in the forward sweep, the same line for
its adjoint; a number that is read adds to the slot of the adjoint that it was read
from::

    s = read_item(springs, k)        s.bar = read_item(springs.bar, k)
    x = read_attribute(s, 'k')       reverse lines:  add_to_attribute(s.bar, 'k', x.bar)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.structures import as_structure, zeros_of_structure
from s2sad.transform.adjoints.contributions import Contributions
from s2sad.transform.adjoints.cotangents import Cotangent
from s2sad.transform.adjoints.projections import is_projection


def is_of_references(kind: ir.Kind | None) -> bool:
    """True for references, and lists of them."""
    if isinstance(kind, ir.List):
        return is_of_references(kind.item)
    return isinstance(kind, ir.Reference)


def adjoint_kind(kind: ir.Kind) -> ir.Kind:
    """The kind of the adjoint of a reference, or of a list of them."""
    if isinstance(kind, ir.List) and kind.item is not None:
        return replace(kind, item=adjoint_kind(kind.item))
    assert isinstance(kind, ir.Reference)
    return replace(kind, adjoint=True)


def with_all_met(function: ir.Function, active: set[str]) -> set[str]:
    """The active variables with the references that meet active ones, which have
    adjoints, too."""
    found = set(active)
    moved = [
        (v.name, [r.name for r in ir.value_variables(s.value) if _is_one(function, r)])
        for s in ir.walk(function.body)
        if isinstance(s, ir.Assign)
        for v in ir.operand_variables(s.target)
        if _is_one(function, v)
    ]
    grown = True
    while grown:
        before = len(found)
        for target, sources in moved:
            if target in found or not found.isdisjoint(sources):
                kind = function.kinds[target]
                if ir.is_real_number_kind(kind):
                    found |= {target, *sources}
        grown = len(found) > before
    return found


def _is_one(function: ir.Function, variable: ir.Var) -> bool:
    return is_of_references(function.kinds.get(variable.name))


class ReferencePlans(Contributions):
    """Plans of lines that give references, and of what is read from them."""

    def gives_references(self, names: Iterable[str]) -> bool:
        """True for a line that assigns references."""
        return any(is_of_references(self.kind(name)) for name in names)

    def reference_assignment(self, statement: ir.Assign) -> list[ir.Plan]:
        """A line that gives a reference, with that for its adjoint."""
        assert isinstance(statement.target, ir.Var)
        name = statement.target.name
        if name not in self.active:
            return [ir.Plan(statement)]
        return [ir.Plan(statement), ir.Plan(self._beside(statement, name))]

    def _beside(self, statement: ir.Assign, name: str) -> ir.Assign:
        value = statement.value
        if name in self.independents and is_projection(statement, self.function.kinds):
            value = ir.Apply(zeros_of_structure, (ir.Var(name),))
        elif isinstance(value, ir.Apply):
            if value.function is ops.read_attribute:
                holder, key = value.args
                assert isinstance(holder, ir.Var)
                function, keys = self._place_in_adjoint(value.function, holder, [key])
                value = replace(value, function=function, args=(holder, *keys))
            args = tuple(map(self._adjoint_of, value.args))
            value = replace(value, args=args)
        else:
            value = self._adjoint_of(value)
        return self._assigned(statement.span, name, value)

    def _assigned(
        self, span: ir.Span | None, name: str, value: ir.Apply | ir.Operand
    ) -> ir.Assign:
        kind = adjoint_kind(self.kind(name))
        target = self.bar(name)
        self.function.kinds[target.name] = kind  # type: ignore[index]
        return ir.Assign(span, target, value, kind, True)

    def _adjoint_of(self, operand: ir.Operand) -> ir.Operand:
        """The adjoint of an operand that is a reference; others as they are."""
        if isinstance(operand, ir.Var) and is_of_references(self.kind(operand.name)):
            return self.bar(operand.name)
        if isinstance(operand, ir.Global):
            return self._adjoint_of_global(operand)
        if isinstance(operand, ir.Pack):
            return replace(operand, items=tuple(map(self._adjoint_of, operand.items)))
        return operand

    def _adjoint_of_global(self, operand: ir.Global) -> ir.Operand:
        """The adjoint of a value of the module that stands beside active ones: nobody
        asks for it, and the value itself must not take their contributions."""
        kind = self.spec.module.kinds.get(operand)
        if kind is None or not is_of_references(kind):
            return operand
        if operand not in self.bars_of_globals:
            target = self.spec.fresh("adjoint")
            self.function.kinds[target.name] = adjoint_kind(kind)  # type: ignore[index]
            self.bars_of_globals[operand] = target
        return self.bars_of_globals[operand]

    @cached_property
    def bars_of_globals(self) -> dict[ir.Global, ir.Var]:
        """The adjoints of values of the module, made where the sweep starts."""
        return {}

    def adjoints_of_parameters(self) -> list[ir.Plan]:
        """The lines that make the adjoints of parameters."""
        of_globals = [
            ir.Plan(
                ir.Assign(
                    None,
                    target,
                    ir.Apply(zeros_of_structure, (operand,)),
                    self.function.kinds[target.name],
                    True,
                )
            )
            for operand, target in self.bars_of_globals.items()
        ]
        return of_globals + [
            ir.Plan(
                self._assigned(
                    None, name, ir.Apply(zeros_of_structure, (ir.Var(name),))
                )
            )
            for name in self.function.parameters
            if name in self.active and is_of_references(self.kind(name))
        ]

    def add_to_slot(self, read: ir.Apply, cotangent: Cotangent) -> None:
        """Add the cotangent of a number or array to the slot it was read from."""
        holder, *keys = read.args
        if not isinstance(holder, ir.Var) or holder.name not in self.active:
            return
        function, keys = self._place_in_adjoint(read.function, holder, keys)
        add: Any = ops.READS_OF_REFERENCES[function]
        amount = cotangent.value.operand
        operation = ir.Apply(add, (self.bar(holder.name), *keys, amount))
        self.spec.emit(ir.Effect(self.spec.span, operation))

    def _place_in_adjoint(
        self, read: Any, holder: ir.Var, keys: list[ir.Operand]
    ) -> tuple[Any, list[ir.Operand]]:
        """How a slot is read in the adjoint: tuples with names are lists there."""
        kind = self.kind(holder.name)
        if read is ops.read_attribute and isinstance(kind, ir.Reference):
            form = kind.forms[0]
            if issubclass(form.constructor, tuple):
                (name,) = keys
                assert isinstance(name, ir.Const)
                return ops.read_item, [ir.Const(form.keys.index(name.value))]
        return read, keys

    def gradient_of_reference(self, leaf: core.Leaf) -> core.Leaf:
        """The gradient with respect to an argument, in its own classes."""
        assert isinstance(leaf.operand, ir.Var)
        adjoint: ir.Operand = self.bar(leaf.operand.name)
        if leaf.operand.name not in self.active:
            zeros = ir.Apply(zeros_of_structure, (leaf.operand,))
            made = self.spec.assign(self.spec.fresh("zeros"), zeros, ir.OPAQUE)
            adjoint = made.operand
        gradient = ir.Apply(as_structure, (leaf.operand, adjoint))
        return self.spec.assign(self.spec.fresh("gradient"), gradient, leaf.kind)
