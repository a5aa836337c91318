"""What is asked of a call that is written as others, and the lines that it becomes."""

from typing import Any

import numpy as np

from s2sad import ir
from s2sad.codegen.numba.programs import Facts, is_array

ANY = ir.Axis("any")


class CallLines:
    """Writes lines in front of one that is changed."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.changed: dict[str, ir.Kind] = {}
        """The kinds of variables that got others."""
        self.lines: list[ir.Statement] = []
        """What stands in front of the line at hand."""
        self.like: ir.Assign = ir.Assign(None, ir.Var(""), ir.Const(None))

    def kind(self, operand: ir.Operand) -> ir.Kind | None:
        return self.facts.kind(operand)

    def axes(self, operand: ir.Operand) -> tuple[ir.Axis, ...]:
        kind = self.kind(operand)
        return kind.axes or () if isinstance(kind, ir.Array) and is_array(kind) else ()

    def setting(self, value: ir.Apply, place: int, name: str) -> Any:
        """What is said for a parameter; None where nothing is, or it isn't known."""
        words = dict(value.keywords)
        given = value.args[place] if len(value.args) > place else words.get(name)
        return known_value(given)

    def named(self, value: Any, kind: ir.Kind, stem: str = "part") -> ir.Var:
        """A variable for an operation in front of the line at hand."""
        target = self.facts.fresh(stem, kind)
        like = self.like
        line = ir.Assign(like.span, target, value, kind, derived=like.derived)
        self.lines.append(line)
        return target

    def _axis(
        self, value: ir.Apply, place: int, default: int | None = None
    ) -> int | None:
        """The axis that a call names, counted from 0; None where it names none, or says
        that all elements count as one line."""
        words = dict(value.keywords)
        named = len(value.args) > place or "axis" in words
        axis = self.setting(value, place, "axis") if named else default
        rank = len(self.axes(value.args[0]))
        return axis % rank if type(axis) is int and rank else None

    def _to_front(self, x: ir.Operand, axis: int) -> ir.Operand:
        if axis == 0:
            return x
        axes = self.axes(x)
        kind = self.kind(x)
        assert isinstance(kind, ir.Array)
        moved = ir.Array(kind.dtype, (axes[axis], *axes[:axis], *axes[axis + 1 :]))
        return self.named(
            ir.Apply(np.moveaxis, (x, ir.Const(axis), ir.Const(0))), moved
        )


def known_value(operand: Any) -> Any:
    """What is known of an operand, tuples of constants too; None where nothing is."""
    if isinstance(operand, ir.Const):
        return operand.value
    if isinstance(operand, ir.Pack):
        items = tuple(map(known_value, operand.items))
        return None if None in items else items
    return None
