"""``x.flat``: the elements of an array in order of rows, wherever they lie.

::

    x.flat[k]             ->      x[np.unravel_index(k, x.shape)]
    x.flat[1:] = v        ->      places = np.arange(x.size)[1:]
                                  x[np.unravel_index(places, x.shape)] = v
    x.flat = v            ->      x[...] = np.resize(v, x.shape)
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.iterations import Elements
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.subscripts import item_of
from s2sad.frontend.specialise.objects.attributes import attribute_of


def flat_array(value: core.Value) -> core.Leaf | None:
    """The array ``x`` of ``x.flat``; None for anything else."""
    if not isinstance(value, core.Method) or value.name != "flat":
        return None
    array = value.receiver
    if not isinstance(array, core.Leaf) or not isinstance(array.kind, ir.Array):
        return None
    return array if ir.rank_of(array.kind) is not None else None


def flat_index(
    spec: Specialiser, array: core.Leaf, index: core.Value, node: ast.AST
) -> core.Value:
    """The index into the array of places that are counted through."""
    from s2sad.frontend.specialise.calls.calls import call_function

    if ir.rank_of(array.kind) == 1:
        return index
    if not _counts_from_the_start(core.kind_of(index)):
        size = attribute_of(spec, array, "size", node)
        places = call_function(spec, np.arange, (size,), {}, node)
        index = item_of(spec, places, index, node)
    shape = attribute_of(spec, array, "shape", node)
    return call_function(spec, np.unravel_index, (index, shape), {}, node)


def flat_item(
    spec: Specialiser, array: core.Leaf, index: core.Value, node: Any
) -> core.Value:
    """``x.flat[index]``."""
    return item_of(spec, array, flat_index(spec, array, index, node), node)


def flat_elements(
    spec: Specialiser, value: core.Value, node: ast.AST | None
) -> Elements | None:
    """What ``x.flat`` runs over: each element is read when it is reached."""
    array = flat_array(value)
    if array is None:
        return None
    size: Any = attribute_of(spec, array, "size", node)
    return Elements(size, lambda index: _counted(spec, array, index, node))


def _counted(
    spec: Specialiser, array: core.Leaf, index: core.Value, node: Any
) -> core.Value:
    from s2sad.frontend.specialise.calls.calls import call_function

    if ir.rank_of(array.kind) != 1:
        shape = attribute_of(spec, array, "shape", node)
        index = call_function(spec, np.unravel_index, (index, shape), {}, node)
    return item_of(spec, array, index, node)


def demand_unshared(spec: Specialiser, array: core.Value, value: core.Value) -> None:
    """Have it checked that a value shares no memory with what it is stored into."""
    assert isinstance(array, core.Leaf)
    for leaf in core.leaves(value):
        if isinstance(leaf.operand, ir.Var) and ir.rank_of(leaf.kind) != 0:
            operation = ir.Apply(ops.require_unshared, (array.operand, leaf.operand))
            if leaf.operand == array.operand:
                raise core.Unsupported(
                    None,
                    "an array is stored into itself, element by element",
                    "copy it first",
                )
            spec.emit(ir.Effect(spec.span, operation))


def repeated(
    spec: Specialiser, value: core.Value, like: core.Value, node: ast.AST
) -> core.Value:
    """A value as often as it takes to fill what has the shape of ``like``."""
    from s2sad.frontend.specialise.calls.calls import call_function

    if ir.rank_of(core.kind_of(value)) == 0:
        return value
    shape = attribute_of(spec, like, "shape", node)
    return call_function(spec, np.resize, (value, shape), {}, node)


def _counts_from_the_start(kind: ir.Kind) -> bool:
    """True for an int that surely isn't negative."""
    if not isinstance(kind, ir.Scalar) or kind.type != "int":
        return False
    return kind.value is not None and kind.value >= 0
