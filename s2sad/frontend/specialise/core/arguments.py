"""Arguments of the whole function: the values of its parameters."""

from __future__ import annotations

import operator
from collections.abc import Hashable
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise.core.bindings import Bindings
from s2sad.frontend.specialise.core.values import Aggregate, Leaf, Value, constant


class Arguments(Bindings):
    """Binds parameters; what a structure holds is read from it."""

    def bind_argument(self, name: str, kind: ir.Kind, path: Hashable) -> Value:
        """The value of a parameter of the whole function; projections unpack
        structures."""
        self.note_symbols(kind)
        if not isinstance(kind, ir.Structure):
            value = self.argument_value(ir.Var(name), kind, path)
            self.user_names.add(name)
            self.frame.names[name] = value
            return value
        items = tuple(
            self._project(ir.Var(name), kind, (path, key), item, key, (name, key))
            for key, item in zip(kind.keys, kind.items, strict=True)
        )
        whole = Aggregate(kind.constructor, kind.keys, items)
        self.frame.names[name] = whole
        return whole

    def argument_value(self, operand: Any, kind: ir.Kind, path: Hashable) -> Leaf:
        """A leaf of the arguments; what is known by value becomes a constant."""
        known = (
            getattr(kind, "value", None) if not isinstance(kind, ir.Scalar) else None
        )
        if known is not None or kind == constant(None).kind:
            return Leaf(constant(known).operand, kind, path)
        return Leaf(operand, kind, path)

    def _project(
        self,
        holder: ir.Var,
        kind: ir.Structure,
        path: Hashable,
        item: ir.Kind,
        key: Hashable,
        names: tuple[Hashable, ...],
    ) -> Value:
        target = self.variable(str(names[0]), names[1:])
        operation = projection(kind.constructor, holder, key)
        if isinstance(item, ir.Structure):
            self.assign(target, operation, item)
            items = tuple(
                self._project(target, item, (path, k), inner, k, (*names, k))
                for k, inner in zip(item.keys, item.items, strict=True)
            )
            return Aggregate(item.constructor, item.keys, items)
        leaf = self.argument_value(target, item, path)
        if leaf.operand == target:
            self.assign(target, operation, item)
        return leaf

    def note_symbols(self, kind: ir.Kind) -> None:
        """Remember which axis symbols are known not to have length one."""
        if isinstance(kind, ir.Structure):
            for item in kind.items:
                self.note_symbols(item)
        elif isinstance(kind, ir.Array) and kind.axes is not None:
            self.argument_symbols.update(a.symbol for a in kind.axes)
            self.many_symbols.update(
                a.symbol
                for a in kind.axes
                if a.length == "many" and a.symbol is not None
            )


def projection(constructor: Any, holder: ir.Var, key: Hashable) -> ir.Apply:
    """Reading one item of a structure."""
    if constructor in (tuple, list, dict):
        return ir.Apply(operator.getitem, (holder, constant(key).operand))
    return ir.Apply(getattr, (holder, constant(key).operand), (), f"attribute:{key}")
