"""Jacobians of and with respect to lists, dicts and objects that are kept as they are:
the operations that make unit tangents for them, and Jacobians of what became of them.
"""

from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime import jacobians


def is_kept(leaf: core.Leaf) -> bool:
    """True for a list, dict or object that is kept, and for a list by value."""
    return isinstance(leaf.kind, ir.Reference | ir.List)


def holds_complex(kind: ir.Kind) -> bool:
    """True for complex numbers, and for what leads to some."""
    slots = (s for form in ir.reached_forms(kind) for s in form.slots.values())
    return ir.is_complex(kind) or any(map(ir.is_complex, slots))


def number_of_tangents(spec: Specialiser, x: core.Leaf) -> core.Leaf:
    """How many unit tangents a structure has."""
    return _made(spec, "count", ir.INT, jacobians.numbers_of, x)


def unit_tangents(
    spec: Specialiser, x: core.Leaf, count: core.Leaf, start: core.Leaf
) -> core.Leaf:
    """All of them, as one structure."""
    return _made(spec, "seeds", x.kind, jacobians.unit_tangents, x, count, start)


def unit_tangent(spec: Specialiser, x: core.Leaf, place: core.Leaf) -> core.Leaf:
    """One of them; zeros where there is none."""
    return _made(spec, "seed", x.kind, jacobians.unit_tangent, x, place)


def by_columns(
    spec: Specialiser, columns: core.Leaf, y: core.Leaf, x: core.Leaf, start: core.Leaf
) -> core.Leaf:
    """The Jacobian of a value from its tangents."""
    function = jacobians.jacobian_by_columns
    return _made(spec, "jacobian", ir.UNKNOWN, function, columns, y, x, start)


def joined(
    spec: Specialiser, y: core.Leaf, blocks: list[core.Leaf], outline: core.Value
) -> core.Leaf:
    """The Jacobian of a structure with respect to several values: the places of the
    ``blocks`` stand in the outline of what is asked for."""
    whole = core.aggregate_of(tuple(blocks))
    operands = (y.operand, core.operand_of(whole), core.operand_of(outline))
    operation = ir.Apply(jacobians.joined_blocks, operands)
    derived, spec.derived = spec.derived, True  # it looks at structures alone
    try:
        return spec.assign(spec.fresh("jacobian"), operation, ir.UNKNOWN)
    finally:
        spec.derived = derived


def by_rows(
    spec: Specialiser, rows: core.Leaf, y: core.Leaf, x: core.Leaf, start: core.Leaf
) -> core.Leaf:
    """The Jacobian with respect to a structure from its adjoints."""
    function = jacobians.jacobian_by_rows
    return _made(spec, "jacobian", ir.UNKNOWN, function, rows, y, x, start)


def stacked(spec: Specialiser, parts: core.Leaf, like: core.Leaf) -> core.Leaf:
    """A list of structures as one."""
    function = jacobians.stacked_structures
    return _made(spec, "rows", like.kind, function, parts, like)


def _made(
    spec: Specialiser, hint: str, kind: ir.Kind, function: Any, *args: core.Leaf
) -> core.Leaf:
    operands = tuple(leaf.operand for leaf in args)
    return spec.assign(spec.fresh(hint), ir.Apply(function, operands), kind)
