"""What a function that calls itself returns, guessed until it no longer changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.recursion.forms import form_shape, is_stand_in, is_static


def leaf_kinds(value: core.Value) -> list[Any]:
    """What must stay the same from one guess to the next."""
    return [
        repr(leaf.operand) if is_static(leaf) and not is_stand_in(leaf) else leaf.kind
        for leaf in core.leaves(value)
    ]


def join_guesses(a: core.Value, b: core.Value, node: Any) -> core.Value:
    """What a procedure returns, from two guesses."""
    first, second = form_shape(a), form_shape(b)
    if first != second:
        raise core.Unsupported(
            node,
            f"a function that calls itself returns {core.describe(a)} on one path and "
            f"{core.describe(b)} on another",
            "return the same structure on all paths",
        )
    others = iter(core.leaves(b))

    def both(leaf: core.Leaf, path: tuple) -> core.Leaf:
        other = next(others)
        if is_static(leaf) and leaf == other:
            return leaf
        if is_stand_in(leaf):
            return leaf if leaf == other else replace(leaf, kind=ir.OPAQUE)
        kind = ir.join(ir.without_value(leaf.kind), ir.without_value(other.kind), path)
        return core.Leaf(ir.Var("result"), kind)

    return core.map_leaves(a, both)


def without_operands(value: core.Value | None) -> core.Value:
    """The value with its structure, constants and kinds alone."""
    assert value is not None

    def bare(leaf: core.Leaf, path: tuple) -> core.Leaf:
        if is_static(leaf):
            return leaf
        return core.Leaf(ir.Var("result"), ir.without_value(leaf.kind))

    return core.map_leaves(value, bare)
