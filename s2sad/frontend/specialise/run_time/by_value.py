"""Lists and tuples of run-time values by value, for slices, operators and functions of
libraries."""

from collections import deque
from dataclasses import replace

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import lists
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import storing
from s2sad.frontend.specialise.run_time.queries import (
    are_sequences,
    is_sequence,
    kind_of,
    may_be_deque,
)


def value_kind(spec: Specialiser, kind: ir.Reference) -> ir.List | None:
    """The kind of a list or tuple by value; None where it holds what no list does."""
    if not are_sequences(kind):
        return None
    item = ir.kind_of_slot(kind, ir.EACH)
    plain = item is None or isinstance(item, (ir.Reference, *ir.Numeric))
    plain |= isinstance(item, ir.Members)
    if not (plain or item in (ir.OPAQUE, ir.NONE) or ir.is_optional_number(item)):
        return None
    constructor = tuple if kind.constructor is tuple else list
    axis = ir.Axis("any", spec.fresh_owner("items"))
    return ir.List(item and ir.as_item(item), axis, constructor)


def is_kept_beside(value: core.Value, other: core.Value) -> bool:
    """True for a list that is kept as it is where another one is held by value."""
    return (
        isinstance(value, core.Leaf)
        and isinstance(value.kind, ir.Reference)
        and all(f.constructor is list and f.is_uniform for f in value.kind.forms)
        and not value.kind.may_be_none
        and lists.constructor_of(other) is list
    )


def items_of(spec: Specialiser, value: core.Leaf) -> core.Value:
    """The items of a list, tuple or deque as a list of unknown length by value."""
    kind = value_kind(spec, kind_of(value))
    if kind is None:
        raise core.Unsupported(
            f"a value of kind {value.kind} is used as a list of numbers", "run over it"
        )
    storing.is_empty(spec, value)
    stored = storing.names_of_stored(spec, kind_of(value))
    operation = ir.Apply(ops.stored_items if stored else ops.items_of, (value.operand,))
    items = spec.assign(spec.fresh("items"), operation, kind)
    if may_be_deque(value) and not stored:
        return spec.apply(ops.as_list, (items,), hint="items")
    return items


def copied(spec: Specialiser, value: core.Leaf) -> core.Value:
    """A new list of the items of a list, tuple or deque."""
    items = items_of(spec, value)
    if may_be_deque(value) or storing.names_of_stored(spec, kind_of(value)):
        return items  # a list of its own already
    return spec.apply(ops.as_list, (items,), hint="items")


def numbers_of(spec: Specialiser, value: core.Value) -> core.Value:
    """A list of numbers, or of lists of numbers, by value, as a function of a library
    takes it; other values as they are."""
    if isinstance(value, core.Aggregate) and value.constructor in (list, tuple):
        items = tuple(numbers_of(spec, item) for item in value.items)
        changed = any(a is not b for a, b in zip(items, value.items, strict=True))
        return replace(value, items=items) if changed else value
    if not is_sequence(value):
        return value
    if may_be_deque(value) and value_kind(spec, kind_of(value)) is not None:
        return items_of(spec, value)

    def by_value(kind: ir.Kind) -> ir.Kind | None:
        if not isinstance(kind, ir.Reference):
            plain = isinstance(kind, ir.Numeric) and not ir.is_promoted(kind)
            return kind if plain else None
        if kind.may_be_none or any(f.constructor is deque for f in kind.forms):
            return None
        held = value_kind(spec, kind)
        if held is None or held.item is None:
            return held
        item = by_value(held.item)
        return (
            None
            if item is None
            else ir.List(ir.as_item(item), held.axis, held.constructor)
        )

    kind = by_value(kind_of(value))
    if kind is None:
        return value
    if storing.leads_to_stored(spec, value.kind):
        if not isinstance(ir.kind_of_slot(kind_of(value), ir.EACH), ir.Reference):
            return items_of(spec, value)
        raise core.Unsupported(
            f"a value of kind {value.kind}, into which the program stores, is used as "
            "a list of numbers",
            "run over it",
        )
    storing.is_empty(spec, value)
    operation = ir.Apply(ops.items_of, (value.operand,))
    return spec.assign(spec.fresh("items"), operation, kind)
