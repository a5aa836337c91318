"""What a test says of values that may be None.

    prev = None                              (prev: float or None)
    for h in values:
        if prev is not None:        ->           prev is a float in this branch
            total += (h - prev) ** 2
        prev = h

A fact holds for the statement that makes the test: later, the variable may be bound
anew.
"""

from __future__ import annotations

import ast
import operator
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.context import Context

Presence = tuple[frozenset[ir.Operand], frozenset[ir.Operand]]
"""Variables that aren't None if a test is true, and if it is false."""
NOTHING: Presence = (frozenset(), frozenset())


def presence_of(spec: Context, test: core.Value) -> Presence:
    """What the truth of a value says."""
    if isinstance(test, core.Choice):
        return frozenset({test.which.operand}), frozenset()
    if not isinstance(test, core.Leaf):
        return NOTHING
    known: Presence = spec.presence.get(test.operand, NOTHING)
    if _may_be_none(test):
        return known[0] | {test.operand}, known[1]
    return known


def note(spec: Context, test: core.Value, presence: Presence) -> core.Value:
    """Remember what a test says; returns the test."""
    if (
        isinstance(test, core.Leaf)
        and isinstance(test.operand, ir.Var)
        and any(presence)
    ):
        spec.presence[test.operand] = presence
    return test


def note_comparison(
    spec: Context, op: ast.cmpop, left: core.Value, right: core.Value, test: core.Value
) -> core.Value:
    """``x is None`` and ``x is not None`` say whether x is a value."""
    for value, other in ((left, right), (right, left)):
        if (
            isinstance(other, core.Leaf)
            and other.kind == ir.NONE
            and _may_be_none(value)
        ):
            found = frozenset({value.operand})  # type: ignore[union-attr]
            if isinstance(op, ast.IsNot | ast.NotEq):
                return note(spec, test, (found, frozenset()))
            if isinstance(op, ast.Is | ast.Eq):
                return note(spec, test, (frozenset(), found))
    return test


def choice_is_none(spec: Context, choice: core.Choice, op: ast.cmpop) -> core.Value:
    """``function is None``, or ``is not``, of one of several functions."""
    which = choice.which.operand
    negated = isinstance(op, ast.IsNot)
    operation = ir.Apply(
        operator.is_not if negated else operator.is_, (which, ir.Const(None))
    )
    test = spec.assign(spec.fresh("condition"), operation, ir.BOOL)
    present: frozenset[ir.Operand] = frozenset({which})
    return note(
        spec, test, (present, frozenset()) if negated else (frozenset(), present)
    )


def narrow(frames: list[core.Frame], present: frozenset[ir.Operand]) -> None:
    """In these activations the variables are values, not None."""
    if not present:
        return
    for frame in frames:
        for name, value in frame.names.items():
            frame.names[name] = narrowed(value, present)


def tell_flag(frames: list[core.Frame], test: core.Leaf, truth: bool) -> None:
    """In a branch on the flag of a jump (whether a function has returned), it is known;
    behind one whose other branch raises it still is."""
    if test.kind != ir.BOOL or not isinstance(test.operand, ir.Var):
        return
    for frame in frames:
        for name, value in frame.names.items():
            if isinstance(value, core.Leaf) and value.operand == test.operand:
                if name.startswith("."):
                    frame.names[name] = core.Leaf(
                        test.operand, ir.Scalar("bool", truth)
                    )


def narrowed(value: core.Value, present: frozenset[ir.Operand]) -> core.Value:
    """The value with what isn't None known by its kind."""

    def sharper(leaf: core.Leaf, path: tuple[Any, ...]) -> core.Leaf:
        if leaf.operand in present and _may_be_none(leaf):
            return core.Leaf(leaf.operand, leaf.kind.present, leaf.path)  # type: ignore
        return leaf

    if isinstance(value, core.Aggregate):
        parts = tuple(narrowed(part, present) for part in value.items)
        return value if parts == value.items else replace(value, items=parts)
    if isinstance(value, core.Choice) and value.which.operand in present:
        options = tuple((tag, one) for tag, one in value.options if tag is not None)
        return replace(value, options=options) if options else value
    return core.map_leaves(value, sharper)


def _may_be_none(value: core.Value) -> bool:
    return (
        isinstance(value, core.Leaf)
        and isinstance(value.operand, ir.Var)
        and isinstance(value.kind, ir.Unknown)
        and value.kind.present is not None
    )
