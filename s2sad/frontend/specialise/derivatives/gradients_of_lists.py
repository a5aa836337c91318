"""Gradients with respect to lists and tuples of any length: in the structure of the
argument."""

from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.ops.runtime.arguments import gradient_of_items


def in_form_of(
    spec: Specialiser, cotangent: core.Leaf, items: core.Leaf, *, own: bool = True
) -> core.Leaf:
    """The cotangent of a list, of full shape, as a list or tuple of numbers, of arrays,
    or of such lists, as ``items`` is. With ``own`` it gets memory of its own."""
    kind, found = items.kind, cotangent.kind
    assert isinstance(kind, ir.List)

    def made(function: Any, *more: core.Leaf, kind: ir.Kind) -> core.Leaf:
        operands = (cotangent.operand, *(leaf.operand for leaf in more))
        target = spec.fresh("gradient")
        spec.assign(target, ir.Apply(function, operands), kind)
        return core.Leaf(target, kind)

    item = _innermost(kind)
    wanted = ir.dtype_of(item)
    if isinstance(found, ir.Array):
        if wanted and ir.dtype_of(found) != wanted:
            cotangent = _cast(spec, cotangent, replace(found, dtype=wanted))
    elif own and isinstance(item, ir.Array):
        cotangent = made(ops.own_rows, kind=found)
    whole = replace(kind, constructor=list)
    if ir.holds_unlike_numbers(kind):
        cotangent = made(gradient_of_items, items, kind=whole)
    elif not (isinstance(found, ir.List) and isinstance(kind.item, ir.Array)):
        cotangent = made(ops.in_lists, items, kind=whole)
    if kind.constructor is tuple:
        cotangent = made(ops.as_tuple, kind=kind)
    return core.Leaf(cotangent.operand, kind)


def _innermost(kind: ir.Kind | None) -> ir.Kind:
    while isinstance(kind, ir.List):
        kind = kind.item
    return kind or ir.UNKNOWN


def _cast(spec: Specialiser, cotangent: core.Leaf, kind: ir.Array) -> core.Leaf:
    target = spec.fresh("gradient")
    operands = (cotangent.operand, ir.Const(np.dtype(kind.dtype).type))
    spec.assign(
        target, ir.Apply(np.ndarray.astype, operands, (), "method:astype"), kind
    )
    return core.Leaf(target, kind)
