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

from s2sad.frontend.specialise.core.activations import Frame
from s2sad.frontend.specialise.core.context import Context
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Choice,
    Leaf,
    Value,
    map_leaves,
)
from s2sad.ir.kinds import BOOL, NONE, Scalar, Unknown
from s2sad.ir.nodes import Apply, Const, Operand, Var

Facts = tuple[frozenset[Operand], frozenset[Operand]]
"""Variables that aren't None if a test is true, and if it is false."""
NOTHING: Facts = (frozenset(), frozenset())


def facts_of(spec: Context, test: Value) -> Facts:
    """What the truth of a value says."""
    if isinstance(test, Choice):
        return frozenset({test.which.operand}), frozenset()
    if not isinstance(test, Leaf):
        return NOTHING
    known: Facts = spec.facts.get(test.operand, NOTHING)
    if _may_be_none(test):
        return known[0] | {test.operand}, known[1]
    return known


def note(spec: Context, test: Value, facts: Facts) -> Value:
    """Remember what a test says; returns the test."""
    if isinstance(test, Leaf) and isinstance(test.operand, Var) and any(facts):
        spec.facts[test.operand] = facts
    return test


def note_comparison(
    spec: Context, op: ast.cmpop, left: Value, right: Value, test: Value
) -> Value:
    """``x is None`` and ``x is not None`` say whether x is a value."""
    for value, other in ((left, right), (right, left)):
        if isinstance(other, Leaf) and other.kind == NONE and _may_be_none(value):
            found = frozenset({value.operand})  # type: ignore[union-attr]
            if isinstance(op, ast.IsNot | ast.NotEq):
                return note(spec, test, (found, frozenset()))
            if isinstance(op, ast.Is | ast.Eq):
                return note(spec, test, (frozenset(), found))
    return test


def choice_is_none(spec: Context, choice: Choice, op: ast.cmpop) -> Value:
    """``function is None``, or ``is not``, of one of several functions."""
    which = choice.which.operand
    negated = isinstance(op, ast.IsNot)
    operation = Apply(
        operator.is_not if negated else operator.is_, (which, Const(None))
    )
    test = spec.assign(spec.fresh("condition"), operation, BOOL)
    present: frozenset[Operand] = frozenset({which})
    return note(
        spec, test, (present, frozenset()) if negated else (frozenset(), present)
    )


def narrow(frames: list[Frame], present: frozenset[Operand]) -> None:
    """In these activations the variables are values, not None."""
    if not present:
        return
    for frame in frames:
        for name, value in frame.names.items():
            frame.names[name] = narrowed(value, present)


def tell_flag(frames: list[Frame], test: Leaf, truth: bool) -> None:
    """In a branch on the flag of a jump (whether a function has returned), it is known;
    behind one whose other branch raises it still is."""
    if test.kind != BOOL or not isinstance(test.operand, Var):
        return
    for frame in frames:
        for name, value in frame.names.items():
            if isinstance(value, Leaf) and value.operand == test.operand:
                if name.startswith("."):
                    frame.names[name] = Leaf(test.operand, Scalar("bool", truth))


def narrowed(value: Value, present: frozenset[Operand]) -> Value:
    """The value with what isn't None known by its kind."""

    def sharper(leaf: Leaf, path: tuple[Any, ...]) -> Leaf:
        if leaf.operand in present and _may_be_none(leaf):
            return Leaf(leaf.operand, leaf.kind.present, leaf.path)  # type: ignore
        return leaf

    if isinstance(value, Aggregate):
        parts = tuple(narrowed(part, present) for part in value.items)
        return value if parts == value.items else replace(value, items=parts)
    if isinstance(value, Choice) and value.which.operand in present:
        options = tuple((tag, one) for tag, one in value.options if tag is not None)
        return replace(value, options=options) if options else value
    return map_leaves(value, sharper)


def _may_be_none(value: Value) -> bool:
    return (
        isinstance(value, Leaf)
        and isinstance(value.operand, Var)
        and isinstance(value.kind, Unknown)
        and value.kind.present is not None
    )
