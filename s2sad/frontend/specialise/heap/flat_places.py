"""``x.flat``: the elements of an array in order of rows, wherever they lie.

::

    x.flat[k]             ->      x[np.unravel_index(k, x.shape)]
    x.flat[1:] = v        ->      places = np.arange(x.size)[1:]
                                  x[np.unravel_index(places, x.shape)] = v
    x.flat = v            ->      x[...] = np.resize(v, x.shape)
"""

from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser


def flat_array(value: core.Value) -> core.Leaf | None:
    """The array ``x`` of ``x.flat``; None for anything else."""
    if not isinstance(value, core.Method) or value.name != "flat":
        return None
    array = value.receiver
    if not isinstance(array, core.Leaf) or not isinstance(array.kind, ir.Array):
        return None
    return array if ir.rank_of(array.kind) is not None else None


def flat_index(spec: Specialiser, array: core.Leaf, index: core.Value) -> core.Value:
    """The index into the array of places that are counted through."""

    if ir.rank_of(array.kind) == 1:
        return index
    if not _counts_from_the_start(core.kind_of(index)):
        size = spec.attribute_of(array, "size")
        places = spec.call_function(np.arange, (size,), {})
        index = spec.item_of(places, index)
    shape = spec.attribute_of(array, "shape")
    return spec.call_function(np.unravel_index, (index, shape), {})


def flat_item(spec: Specialiser, array: core.Leaf, index: core.Value) -> core.Value:
    """``x.flat[index]``."""
    return spec.item_of(array, flat_index(spec, array, index))


def flat_elements(spec: Specialiser, value: core.Value) -> core.Elements | None:
    """What ``x.flat`` runs over: each element is read when it is reached."""
    array = flat_array(value)
    if array is None:
        return None
    size: Any = spec.attribute_of(array, "size")
    return core.Elements(size, lambda index: _counted(spec, array, index))


def _counted(spec: Specialiser, array: core.Leaf, index: core.Value) -> core.Value:

    if ir.rank_of(array.kind) != 1:
        shape = spec.attribute_of(array, "shape")
        index = spec.call_function(np.unravel_index, (index, shape), {})
    return spec.item_of(array, index)


def demand_unshared(spec: Specialiser, array: core.Value, value: core.Value) -> None:
    """Have it checked that a value shares no memory with what it is stored into."""
    assert isinstance(array, core.Leaf)
    for leaf in core.leaves(value):
        if isinstance(leaf.operand, ir.Var) and ir.rank_of(leaf.kind) != 0:
            operation = ir.Apply(ops.require_unshared, (array.operand, leaf.operand))
            if leaf.operand == array.operand:
                raise core.Unsupported(
                    "an array is stored into itself, element by element",
                    "copy it first",
                )
            spec.emit(ir.Effect(spec.span, operation))


def repeated(spec: Specialiser, value: core.Value, like: core.Value) -> core.Value:
    """A value as often as it takes to fill what has the shape of ``like``."""

    if ir.rank_of(core.kind_of(value)) == 0:
        return value
    shape = spec.attribute_of(like, "shape")
    return spec.call_function(np.resize, (value, shape), {})


def _counts_from_the_start(kind: ir.Kind) -> bool:
    """True for an int that surely isn't negative."""
    if not isinstance(kind, ir.Scalar) or kind.type != "int":
        return False
    return kind.value is not None and kind.value >= 0
