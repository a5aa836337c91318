"""Reading items and attributes of run-time values.

A slot that holds a number or array gives a number or array, any other a reference::

    s = springs[k]           (s: a reference to a Spring)
    k = s.k                  (k: float)
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Any, TypeGuard

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.objects import objects
from s2sad.frontend.specialise.objects.members import mangled, member_of, no_attribute


def is_reference(value: core.Value) -> TypeGuard[core.Leaf]:
    """True for a value that is kept as it is when the program runs."""
    return isinstance(value, core.Leaf) and isinstance(value.kind, ir.Reference)


def kind_of(value: core.Leaf) -> ir.Reference:
    """The kind of a reference."""
    assert isinstance(value.kind, ir.Reference)
    return value.kind


def classes_of(value: core.Leaf) -> tuple[type, ...]:
    """The classes that a reference may lead to."""
    return tuple(dict.fromkeys(form.constructor for form in kind_of(value).forms))


def is_record(value: core.Leaf) -> bool:
    """True for a tuple of which each item has a kind of its own."""
    forms = kind_of(value).forms
    return all(issubclass(f.constructor, tuple) and not f.is_uniform for f in forms)


def is_sequence(value: core.Leaf) -> bool:
    """True for a list or tuple whose items are alike."""
    return all(
        f.constructor in (list, tuple) and f.is_uniform for f in kind_of(value).forms
    )


def attribute_of_reference(
    spec: Specialiser, value: core.Leaf, name: str, node: Any
) -> core.Value:
    """``value.name``: what the object holds, or what its class does."""
    classes = classes_of(value)
    if len(classes) > 1:
        raise core.Unsupported(node, "one of several classes", "")
    (cls,) = classes
    if cls in (list, dict, tuple):
        return core.Method(value, name)
    name = mangled(name, spec)
    member = member_of(cls, name)
    held = ir.kind_of_slot(kind_of(value), name)
    if held is not None and (member is None or member.sort != "property"):
        return read(spec, value, name, held)
    if name == "__class__":
        return core.constant(cls)
    if member is None:
        raise no_attribute(cls, name, node)
    return objects.bound_member(spec, value, name, member, node)


def read(
    spec: Specialiser, value: core.Leaf, key: Hashable | core.Value, kind: ir.Kind
) -> core.Value:
    """What stands in a slot: an attribute's name, or the operand of an index or key."""
    if isinstance(kind, ir.Known):
        return core.constant(kind.value)
    if isinstance(key, str):
        operation = ir.Apply(ops.read_attribute, (value.operand, ir.Const(key)))
        return spec.assign(spec.fresh(key), operation, kind)
    assert isinstance(key, core.Leaf)
    operation = ir.Apply(ops.read_item, (value.operand, key.operand))
    return spec.assign(spec.fresh("item"), operation, kind)


def item_of_reference(
    spec: Specialiser, value: core.Leaf, index: core.Value, node: ast.AST
) -> core.Value:
    """``value[index]``."""
    kind = kind_of(value)
    cls = kind.constructor
    if cls not in (list, dict, tuple) and not hasattr(cls, "_fields"):
        method = attribute_of_reference(spec, value, "__getitem__", node)
        return spec.call_value(method, (index,), {}, node)
    if isinstance(index, core.Aggregate) and index.constructor is slice:
        return spec.item_of(items_of(spec, value, node), index, node)
    if not all(form.is_uniform for form in kind.forms):
        known = (
            index.kind.value
            if isinstance(index, core.Leaf) and isinstance(index.kind, ir.Scalar)
            else None
        )
        if known is None:
            raise core.Unsupported(node, "index of a tuple of unlike items", "")
        keys = kind.forms[0].keys
        slot = ir.kind_of_slot(kind, keys[known])
        return read(spec, value, index, slot)
    slot = ir.kind_of_slot(kind, ir.EACH)
    if slot is None:
        raise core.Unsupported(node, "an item of a list that is always empty", "")
    return read(spec, value, index, slot)


def items_of(spec: Specialiser, value: core.Leaf, node: Any) -> core.Value:
    """The items of a list or tuple as a list of unknown length by value."""
    kind = kind_of(value)
    item = ir.kind_of_slot(kind, ir.EACH)
    if item is not None and not isinstance(item, (*ir.Numeric, ir.Reference)):
        raise core.Unsupported(node, f"items of kind {item}", "run over them")
    constructor = tuple if kind.constructor is tuple else list
    held = ir.List(item, ir.Axis("any", spec.fresh_owner("length")), constructor)
    operation = ir.Apply(ops.items_of, (value.operand,))
    return spec.assign(spec.fresh("items"), operation, held)


def length_of(spec: Specialiser, value: core.Leaf) -> core.Value:
    """``len(value)``."""
    kind = kind_of(value)
    counts = {len(form.keys) for form in kind.forms if not form.is_uniform}
    if len(counts) == 1 and not any(form.is_uniform for form in kind.forms):
        return core.constant(counts.pop())
    operation = ir.Apply(len, (value.operand,))
    return spec.assign(spec.fresh("count"), operation, ir.INT)


def run_over(spec: Specialiser, value: core.Leaf, node: Any) -> core.Iteration:
    """What a loop over a list, tuple or dict runs over."""
    kind = kind_of(value)
    if not all(form.is_uniform for form in kind.forms):
        return core.aggregate_of(unpacked(spec, value))
    if kind.constructor is dict:
        return keys_of(spec, value)
    slot = ir.kind_of_slot(kind, ir.EACH)
    if slot is None:
        return core.aggregate_of((), kind.constructor or list)
    return core.Elements(
        length_of(spec, value), lambda index: read(spec, value, index, slot)
    )


def unpacked(spec: Specialiser, value: core.Leaf) -> tuple[core.Value, ...]:
    """The items of a tuple of which each has a kind of its own."""
    kind = kind_of(value)
    found = []
    for place, key in enumerate(kind.forms[0].keys):
        slot = ir.kind_of_slot(kind, key)
        assert slot is not None
        found.append(read(spec, value, core.constant(place), slot))
    return tuple(found)


def keys_of(spec: Specialiser, value: core.Leaf) -> core.Elements:
    """The keys of a dict, in their order."""
    kind = kind_of(value)
    key = kind.forms[0].key or ir.OPAQUE
    listed = spec.assign(
        spec.fresh("keys"), ir.Apply(list, (value.operand,)), ir.OPAQUE
    )

    def element(index: core.Leaf) -> core.Value:
        operation = ir.Apply(ops.read_item, (listed.operand, index.operand))
        return spec.assign(spec.fresh("key"), operation, key)

    return core.Elements(length_of(spec, value), element)
