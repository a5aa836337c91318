"""Stores into arrays: ``x[i] = v`` and ``x[i] += v``.

Takes the target of an assignment; gives a new value of the array's variable. Other
names of the array see it too: :mod:`s2sad.transform.memory.array_writes` follows them.

::

    x[i] = v        ->        old = overwritten_part(x, i)
                              x = stored(x, i, v, old)
"""

import ast
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import lists
from s2sad.frontend.specialise.containers.container_methods import changes
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import (
    cells,
    chosen_cells,
    flat_places,
    forming,
    places,
    subscripts,
)
from s2sad.frontend.specialise.language.expressions import OPERATORS, plain_number
from s2sad.frontend.specialise.objects import attribute_dicts
from s2sad.frontend.specialise.objects.operator_methods import called_method
from s2sad.frontend.specialise.optionals.optionals import present_under_its_name
from s2sad.frontend.specialise.run_time import owning, queries, resizing, storing
from s2sad.frontend.specialise.shaping.stopped_values import as_constant, constants
from s2sad.rules.numpy.indexing import may_repeat


def _owner(spec: Specialiser, target: ast.Subscript) -> core.Value:
    """What is written into: a place, also where values are constants."""
    with constants(spec, False):
        return spec.evaluate(target.value)


def store_item(spec: Specialiser, target: ast.Subscript, value: core.Value) -> None:
    """``target = value``, where ``value`` has been evaluated already."""
    owner = _owner(spec, target)
    index = spec.evaluate(target.slice)
    set_item(spec, owner, index, value)


def set_item(
    spec: Specialiser, owner: core.Value, index: core.Value, value: core.Value
) -> None:
    """``owner[index] = value`` of an array, list, dict or object."""
    index = subscripts.with_slices(index)
    if chosen_cells.is_choice_of_cells(owner):
        spec.shared([value], times=2)
        return chosen_cells.change_the_one(
            spec, owner, lambda one: set_item(spec, one, index, value)
        )
    if queries.is_reference(owner):
        if owning.moves(owner, index, value):
            if isinstance(index, core.Aggregate):  # a slice
                resizing.change(spec, owner, "__setitem__", (index, value), {})
                return
            owning.own_if_argument(spec, owner)
        if storing.holds_items(queries.kind_of(owner)):
            return storing.store_item(spec, owner, index, value)
        method = spec.attribute_of(owner, "__setitem__")
        spec.call_value(method, (index, value), {})
    elif core.is_attributes(owner):
        name = attribute_dicts.known_name(index)
        attribute_dicts.store(spec, owner, name, value)
    elif isinstance(owner, core.Aggregate | core.Cell) and core.has_methods(owner):
        if called_method(spec, owner, "__setitem__", (index, value)) is None:
            raise core.store_refused()
    elif changes(owner, "__setitem__"):
        resizing.change(spec, owner, "__setitem__", (index, value), {})
    else:
        _set_item_of_array(spec, owner, index, value)


def _set_item_of_array(
    spec: Specialiser, owner: core.Value, index: core.Value, value: core.Value
) -> None:
    array, index, flat = _place_of(spec, owner, index)
    if flat:
        value = as_array(spec, value)
        flat_places.demand_unshared(spec, array, value)
        if ir.rank_of(core.kind_of(value)) != 0:
            value = flat_places.repeated(spec, value, spec.item_of(array, index))
    store(spec, array, index, value)


def augmented_item(spec: Specialiser, node: ast.AugAssign) -> None:
    """``x[i] += v``, and the like: the element is read before the right-hand side."""
    target = node.target
    assert isinstance(target, ast.Subscript)
    owner = _owner(spec, target)
    index = subscripts.with_slices(spec.evaluate(target.slice))
    of_array = isinstance(owner, core.Leaf | core.Method) and not (
        core.is_attributes(owner) or queries.is_reference(owner)
    )
    if not of_array or changes(owner, "__setitem__"):
        old = spec.item_at(owner, index)
        value = plain_number(spec.evaluate(node.value))
        if core.is_slice(index) and lists.constructor_of(old) is list:
            spec.learn_changing(list)
            old = cells.as_cells(spec, old, new=True)  # a slice is a new list
        new = spec.augmented_part(node, old, value, "the item")
        if new is old and places.stands_there(old) and not core.has_methods(owner):
            return
        if storing.keeps_array(owner, None, old, new):
            return
        return set_item(spec, owner, index, new)
    array, index, _ = _place_of(spec, owner, index)
    old = spec.item_of(array, index)
    place = len(spec.block)
    value = as_array(spec, plain_number(spec.evaluate(node.value)))
    adding = {ast.Add: ops.added_to, ast.Sub: ops.subtracted_from}.get(type(node.op))
    if ir.rank_of(array.kind) == 0 or spec.constants:
        adding = None
    untouched = not any(map(ops.is_write, ir.walk(tuple(spec.block[place:]))))
    if adding is not None and untouched and not may_repeat(core.kind_of(index)):
        return store(spec, array, index, value, adding)
    with spec.at(node):
        new = spec.operate(OPERATORS[type(node.op)], (old, value))
    store(spec, array, index, new)


def store_flat(
    spec: Specialiser, target: ast.Attribute, value: core.Value, owner: core.Value
) -> bool:
    """``x.flat = value``; False where the target is something else."""
    array = flat_places.flat_array(core.Method(owner, target.attr))
    if array is None:
        return False
    value = as_array(spec, value)
    flat_places.demand_unshared(spec, array, value)
    value = flat_places.repeated(spec, value, array)
    store(spec, _writable(spec, array), core.constant(Ellipsis), value)
    return True


def _place_of(
    spec: Specialiser, owner: core.Value, index: core.Value
) -> tuple[core.Leaf, core.Value, bool]:
    """The array that a target writes into, where, and whether it is named by
    ``.flat``."""
    flat = flat_places.flat_array(owner)
    if flat is None:
        array = _writable(spec, owner)
        return array, subscripts.as_index_of_array(spec, array, index), False
    array = _writable(spec, flat)
    return array, flat_places.flat_index(spec, array, index), True


def _writable(spec: Specialiser, array: core.Value) -> core.Leaf:
    array = present_under_its_name(spec, array)
    if not isinstance(array, core.Leaf) or not isinstance(array.kind, ir.Array):
        raise core.store_refused()
    if array.kind.promoted or not isinstance(array.operand, ir.Var) or spec.derived:
        raise core.store_refused()
    return array


@core.verb
def store(
    spec: Specialiser,
    array: core.Leaf,
    index: core.Value,
    value: core.Value,
    function: Any = ops.stored,
) -> None:
    """``array[index] = value``, or what ``function`` does there."""
    value = as_array(spec, value)
    kind = array.kind
    assert isinstance(kind, ir.Array) and isinstance(array.operand, ir.Var)
    _check_dtype(kind, core.kind_of(value))
    if spec.constants:
        value, function = as_constant(spec, value), ops.stored
    old = spec.apply(ops.overwritten_part, (array, index), hint="old")
    new = spec.apply(function, (array, index, value, old), hint="stored")
    last = spec.block[-1]
    assert isinstance(last, ir.Assign) and isinstance(new, core.Leaf)
    spec.block.pop()
    spec.assign(array.operand, last.value, kind)


def as_array(spec: Specialiser, value: core.Value) -> core.Value:
    """A list or tuple as an array."""
    of_any_length = isinstance(core.kind_of(value), ir.List)
    if isinstance(value, core.Aggregate | core.Cell) or of_any_length:
        return spec.call_function(np.array, (value,), {})
    if queries.is_sequence(value):
        return spec.call_function(np.array, (value,), {})
    return value


def _check_dtype(array: ir.Kind, value: ir.Kind) -> None:
    """What may be stored. NumPy cuts numbers stored into an array of ints, through
    which no derivative goes."""
    own, other = ir.dtype_of(array), ir.dtype_of(value)
    if not isinstance(value, ir.Array | ir.NumPyScalar | ir.Scalar):
        raise core.Unsupported(
            f"{value} is stored into an array", "store numbers or arrays"
        )
    if own is None or other is None:
        raise core.Unsupported(
            "the dtype of the array or of what is stored into it isn't known",
            "make the array with a dtype: np.zeros(n)",
        )
    if np.dtype(other).kind == "c" != np.dtype(own).kind:
        raise core.Unsupported(
            "complex numbers are stored into an array of real ones",
            "make it with dtype=complex, or store the real part",
        )


def delete_item(spec: Specialiser, target: ast.Subscript) -> None:
    """``del target``."""
    owner = spec.evaluate(target.value)
    index = spec.evaluate(target.slice)
    if chosen_cells.is_choice_of_cells(owner):
        return chosen_cells.change_the_one(
            spec, owner, lambda one: _without_item(spec, one, index)
        )
    _without_item(spec, owner, index)


def _without_item(spec: Specialiser, owner: core.Value, index: core.Value) -> None:
    if isinstance(owner, core.Aggregate | core.Cell) and core.has_methods(owner):
        if called_method(spec, owner, "__delitem__", (index,)) is not None:
            return
    elif changes(owner, "__delitem__"):
        resizing.change(spec, owner, "__delitem__", (index,), {})
        return
    elif queries.is_dict(owner):
        forming.open_records(spec, queries.kind_of(owner))
    raise core.Unsupported(
        "deleting this item can't be differentiated", "build a new container without it"
    )
