"""Which variables vector mode batches, and the kinds they have then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.ir.joins import join
from s2sad.ir.kinds import (
    Array,
    Axis,
    Kind,
    List,
    NumPyScalar,
    Scalar,
    axes_of,
    dtype_of,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Function,
    Pack,
    Restore,
    Save,
    Var,
)
from s2sad.ir.walking import (
    operand_variables,
    value_variables,
    walk,
)
from s2sad.ops.lists import zero_items
from s2sad.ops.rows import zero_rows
from s2sad.rules.steps.shape_queries import (
    SHAPE_QUERIES,
    shape_of,
)

_ZEROS = (np.zeros_like, np.zeros, zero_items, zero_rows)


def with_leading_axis(kind: Kind, axis: Axis) -> Kind:
    """The kind of many values of a kind.

    >>> str(with_leading_axis(NumPyScalar("float64"), Axis("any", "k")))
    'float64[?]'
    """
    if isinstance(kind, Scalar | NumPyScalar | Array):
        axes = axes_of(kind)
        return Array(dtype_of(kind), None if axes is None else (axis, *axes))
    if isinstance(kind, List) and kind.item is not None:
        return replace(kind, item=with_leading_axis(kind.item, axis))
    return kind


def sharper(made: Kind | None, kind: Kind) -> Kind | None:
    """The kind that an operation gives, with what else is known of the lengths."""
    own, known = axes_of(made) if made is not None else None, axes_of(kind)
    if not isinstance(made, Array) or not isinstance(kind, Array) or made.promoted:
        return made
    if own is None or known is None or len(own) != len(known):
        return made
    axes = tuple(b if a.length == "any" else a for a, b in zip(own, known, strict=True))
    return replace(made, axes=axes)


def batched_variables(block: Block, given: Mapping[str, Kind]) -> set[str]:
    """The variables that depend on those given, by their values and not only by their
    shapes."""
    batched = set(given)
    before = -1
    while len(batched) != before:
        before = len(batched)
        for s in walk(block):
            match s:
                case Assign():
                    if _reads(s.value, batched):
                        batched |= {v.name for v in operand_variables(s.target)}
                case Save():
                    if _reads(s.value, batched):
                        batched.add(s.stack.name)
                case Restore():
                    if s.stack.name in batched:
                        batched.add(s.target.name)
    return batched


def _reads(value: Any, batched: set[str]) -> bool:
    if isinstance(value, Apply):
        if value.function in SHAPE_QUERIES or value.function is shape_of:
            return False
        if value.function in _ZEROS:
            return False
    return any(v.name in batched for v in value_variables(value))


def stacks_of(block: Block) -> set[str]:
    lines = list(walk(block))
    return {s.stack.name for s in lines if isinstance(s, Save | Restore)}


def kinds_of_block(function: Function) -> dict[str, Kind]:
    """The kinds of variables, also of those that have one only where they are
    assigned."""
    found = dict(function.kinds)
    for s in walk(function.body):
        if not isinstance(s, Assign) or s.kind is None:
            continue
        if isinstance(s.target, Pack):
            kinds = getattr(s.kind, "items", ())
            pairs = list(zip(s.target.items, kinds, strict=False))
        else:
            pairs = [(s.target, s.kind)]
        for target, kind in pairs:
            if isinstance(target, Var) and target.name not in function.kinds:
                known = found.get(target.name)
                found[target.name] = kind if known is None else join(known, kind)
    return found
