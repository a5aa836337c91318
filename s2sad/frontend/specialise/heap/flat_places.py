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

from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.values import Leaf, Method, Value, kind_of, leaves
from s2sad.frontend.specialise.heap.subscripts import item_of
from s2sad.frontend.specialise.iteration.iteration import Elements
from s2sad.frontend.specialise.objects.attributes import attribute_of
from s2sad.ir.kinds import Array, Kind, Scalar, rank_of
from s2sad.ir.nodes import Apply, Effect, Var
from s2sad.ops.stores import require_unshared


def flat_array(value: Value) -> Leaf | None:
    """The array ``x`` of ``x.flat``; None for anything else."""
    if not isinstance(value, Method) or value.name != "flat":
        return None
    array = value.receiver
    if not isinstance(array, Leaf) or not isinstance(array.kind, Array):
        return None
    return array if rank_of(array.kind) is not None else None


def flat_index(spec: Specialiser, array: Leaf, index: Value, node: ast.AST) -> Value:
    """The index into the array of places that are counted through."""
    from s2sad.frontend.specialise.calls.calls import call_function

    if rank_of(array.kind) == 1:
        return index
    if not _counts_from_the_start(kind_of(index)):
        size = attribute_of(spec, array, "size", node)
        places = call_function(spec, np.arange, (size,), {}, node)
        index = item_of(spec, places, index, node)
    shape = attribute_of(spec, array, "shape", node)
    return call_function(spec, np.unravel_index, (index, shape), {}, node)


def flat_item(spec: Specialiser, array: Leaf, index: Value, node: Any) -> Value:
    """``x.flat[index]``."""
    return item_of(spec, array, flat_index(spec, array, index, node), node)


def flat_elements(
    spec: Specialiser, value: Value, node: ast.AST | None
) -> Elements | None:
    """What ``x.flat`` runs over: each element is read when it is reached."""
    array = flat_array(value)
    if array is None:
        return None
    size: Any = attribute_of(spec, array, "size", node)
    return Elements(size, lambda index: _counted(spec, array, index, node))


def _counted(spec: Specialiser, array: Leaf, index: Value, node: Any) -> Value:
    from s2sad.frontend.specialise.calls.calls import call_function

    if rank_of(array.kind) != 1:
        shape = attribute_of(spec, array, "shape", node)
        index = call_function(spec, np.unravel_index, (index, shape), {}, node)
    return item_of(spec, array, index, node)


def demand_unshared(spec: Specialiser, array: Value, value: Value) -> None:
    """Have it checked that a value shares no memory with what it is stored into."""
    assert isinstance(array, Leaf)
    for leaf in leaves(value):
        if isinstance(leaf.operand, Var) and rank_of(leaf.kind) != 0:
            operation = Apply(require_unshared, (array.operand, leaf.operand))
            if leaf.operand == array.operand:
                raise Unsupported(
                    None,
                    "an array is stored into itself, element by element",
                    "copy it first",
                )
            spec.emit(Effect(spec.span, operation))


def repeated(spec: Specialiser, value: Value, like: Value, node: ast.AST) -> Value:
    """A value as often as it takes to fill what has the shape of ``like``."""
    from s2sad.frontend.specialise.calls.calls import call_function

    if rank_of(kind_of(value)) == 0:
        return value
    shape = attribute_of(spec, like, "shape", node)
    return call_function(spec, np.resize, (value, shape), {}, node)


def _counts_from_the_start(kind: Kind) -> bool:
    """True for an int that surely isn't negative."""
    if not isinstance(kind, Scalar) or kind.type != "int":
        return False
    return kind.value is not None and kind.value >= 0
