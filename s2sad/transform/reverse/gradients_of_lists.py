"""The gradient with respect to a list or tuple: of the same structure, in memory of its
own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.arguments import gradient_of_items
from s2sad.transform.reverse.reverse import ReverseMode


def gradient_of_list(leaf: core.Leaf, kind: ir.List, mode: ReverseMode) -> core.Leaf:
    """The gradient as a list or tuple of numbers, of arrays, or of such lists."""
    assert isinstance(leaf.operand, ir.Var)
    name = leaf.operand.name
    target = mode.bar(name)
    cotangent = mode.state.get(name)
    if cotangent is None:
        mode.assign_zero(name)
        found = mode.full_kind(name)
    else:
        found = mode.fill(name, cotangent)
    like = ir.Var(mode.shape_source(name))
    made: ir.Operand = target
    wanted = _dtype_of_items(kind)
    if isinstance(found, ir.Array):
        if wanted and ir.dtype_of(found) != wanted:
            made = _assigned(_cast(made, wanted), replace(found, dtype=wanted), mode)
    elif _holds_arrays(kind):
        made = _assigned(ir.Apply(ops.own_rows, (made,)), found, mode)
    if ir.holds_unlike_numbers(kind):
        made = _assigned(ir.Apply(gradient_of_items, (made, like)), kind, mode)
    elif not (isinstance(found, ir.List) and isinstance(kind.item, ir.Array)):
        whole = replace(kind, constructor=list)
        made = _assigned(ir.Apply(ops.in_lists, (made, like)), whole, mode)
    if kind.constructor is tuple:
        made = _assigned(ir.Apply(ops.as_tuple, (made,)), kind, mode)
    return core.Leaf(made, kind)


def _assigned(value: ir.Apply, kind: ir.Kind, mode: ReverseMode) -> ir.Var:
    made = mode.spec.fresh("gradient")
    mode.spec.assign(made, value, kind)
    return made


def _cast(array: ir.Operand, dtype: str) -> ir.Apply:
    operands = (array, ir.Const(np.dtype(dtype).type))
    return ir.Apply(np.ndarray.astype, operands, (), "method:astype")


def _dtype_of_items(kind: ir.Kind | None) -> str | None:
    while isinstance(kind, ir.List):
        kind = kind.item
    return ir.dtype_of(kind) if kind is not None else None


def _holds_arrays(kind: ir.Kind | None) -> bool:
    while isinstance(kind, ir.List):
        kind = kind.item
    return isinstance(kind, ir.Array)
