"""What a function that calls itself returns, guessed until it no longer changes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise.calls.forms import form_shape, is_stand_in, is_static
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.values import (
    Leaf,
    Value,
    describe,
    leaves,
    map_leaves,
)
from s2sad.ir.joins import join
from s2sad.ir.kinds import OPAQUE, without_value
from s2sad.ir.nodes import Var


def leaf_kinds(value: Value) -> list[Any]:
    """What must stay the same from one guess to the next."""
    return [
        repr(leaf.operand) if is_static(leaf) and not is_stand_in(leaf) else leaf.kind
        for leaf in leaves(value)
    ]


def join_guesses(a: Value, b: Value, node: Any) -> Value:
    """What a procedure returns, from two guesses."""
    first, second = form_shape(a), form_shape(b)
    if first != second:
        raise Unsupported(
            node,
            f"a function that calls itself returns {describe(a)} on one path and "
            f"{describe(b)} on another",
            "return the same structure on all paths",
        )
    others = iter(leaves(b))

    def both(leaf: Leaf, path: tuple) -> Leaf:
        other = next(others)
        if is_static(leaf) and leaf == other:
            return leaf
        if is_stand_in(leaf):
            return leaf if leaf == other else replace(leaf, kind=OPAQUE)
        kind = join(without_value(leaf.kind), without_value(other.kind), path)
        return Leaf(Var("result"), kind)

    return map_leaves(a, both)


def without_operands(value: Value | None) -> Value:
    """The value with its structure, constants and kinds alone."""
    assert value is not None

    def bare(leaf: Leaf, path: tuple) -> Leaf:
        if is_static(leaf):
            return leaf
        return Leaf(Var("result"), without_value(leaf.kind))

    return map_leaves(value, bare)
