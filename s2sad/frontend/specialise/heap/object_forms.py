"""What is known of the objects of a class that are held by references: the attributes
that all of them have, see ``references.py``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any, TypeGuard

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers.lists import axis_of, empty_list
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.optionals import optional_keys
from s2sad.frontend.specialise.run_time import owning, queries
from s2sad.source.annotations.annotation_nodes import class_meant

KEY = ""
"""The only key of a reference: it is kept in a variable with the name itself."""


STAND_IN = core.Leaf(ir.Const(core.Reference), ir.OPAQUE)
"""Of an attribute that differs between objects."""


EMPTY = core.Leaf(ir.Const(list), ir.OPAQUE)
"""Of an attribute that is an empty list: what it will hold isn't known."""


TEXT = core.Leaf(ir.Const(str), ir.OPAQUE)
"""Of an attribute that is a text, not the same in all objects."""
STAND_INS = (STAND_IN, EMPTY, TEXT)


@cache
def reference_to(cls: Any) -> type[core.Reference]:
    """The mark of references to objects of a class."""
    return type(cls.__name__, (core.Reference,), {"cls": cls})


def is_reference(value: core.Value | None) -> TypeGuard[core.Aggregate]:
    """True for the place of an object."""
    return (
        isinstance(value, core.Aggregate)
        and isinstance(value.constructor, type)
        and issubclass(value.constructor, core.Reference)
    )


@core.verb
def let_share(spec: Specialiser, value: Any, surely: bool = False) -> None:
    """Where an object can't be followed as a cell: specialise the program again, with
    references to the objects of its class. Does nothing for what isn't such a cell.
    In a run that learned facts names may hold two cells for one object: they count only
    if it is ``surely`` so, whatever names hold."""
    if isinstance(value, core.Missing):
        if value.keeps is not None and not spec.derived:
            owning.let_be_kept(spec, *value.keeps)
        value = value.cls
    cls = value.constructor if isinstance(value, core.Cell | core.Aggregate) else value
    known = spec.facts.shared
    spec.lists_differ |= cls is list
    if cls in owning.OWNED and not spec.derived:
        owning.own_all(spec, cls)
    if queries.may_be_kept(spec, cls) and not spec.derived:
        if surely or not spec.has_learned:
            queries.let_be_kept(spec, cls)
        raise core.Learned
    if queries.class_of_kept(cls) in spec.facts.made:
        return
    if core.is_plain_class(cls) and cls not in known and not spec.derived:
        if surely or not spec.has_learned:
            spec.learn(spec.facts.with_shared(cls))
        raise core.Learned


def let_share_one_of(spec: Specialiser, values: Iterable[core.Value]) -> None:
    """The same for the first object among values and what is in them."""
    for value in values:
        if core.is_object(value) or core.is_cell_of_object(value):
            let_share(spec, value)
        let_share_one_of(spec, (part for _, part in core.parts_of(value)))


@core.verb
@contextmanager
def sharing(spec: Specialiser, *values: core.Value | None) -> Iterator[None]:
    """Where an object among the values can't be held as what it is, hold references to
    objects of its class."""
    try:
        yield
    except core.Unsupported:
        let_share_one_of(spec, (v for v in values if v is not None))
        raise


def template_of(value: core.Value) -> core.Value:
    """What of an object is the same for all of its class, as far as this one tells."""
    if is_reference(value):
        return replace(value, items=(STAND_IN,))
    if optional_keys.is_entry(value):
        return replace(value, items=(TEXT, template_of(value.item(""))))
    if not isinstance(value, core.Leaf):
        parts = tuple(template_of(part) for _, part in core.parts_of(value))
        return core.with_parts(value, parts) if parts else value
    kind = value.kind
    if isinstance(kind, ir.List) and kind.item is None:
        return EMPTY
    if kind == ir.OPAQUE:
        return TEXT
    return core.constant(kind.value) if isinstance(kind, ir.Known) else STAND_IN


def merged(spec: Specialiser, a: core.Value, b: core.Value, cls: Any) -> core.Value:
    """The template of objects of which some have one form, some another."""
    if a == b:
        return a
    for one, other in ((a, b), (b, a)):
        if is_reference(one) and is_none(other):
            _let_be_none(spec, one)
            return one
        if core.is_object(one) and is_none(other):
            let_share(spec, one)
        if one == EMPTY and (other == STAND_IN or core.is_rows(other)):
            return other
    if isinstance(a, core.Leaf) and isinstance(b, core.Leaf):
        if all(leaf == TEXT or _is_text(leaf) for leaf in (a, b)):
            return TEXT
    if _is_dict(a) and _is_dict(b):
        found = optional_keys.merged_entries(
            a, b, lambda x, y: merged(spec, x, y, cls), TEXT
        )
        if found is not None:
            return found
    elif isinstance(a, core.Aggregate) and isinstance(b, core.Aggregate):
        same = a.constructor is b.constructor and set(a.keys) == set(b.keys)
        if same and len(a.keys) == len(b.keys):
            items = tuple(merged(spec, a.item(k), b.item(k), cls) for k in a.keys)
            return replace(a, items=items)
    order = ""
    if _is_dict(a) and _is_dict(b) and set(a.keys) == set(b.keys):
        order = ", with its keys in another order"
    raise core.Unsupported(
        None,
        f"objects of {cls.__name__}, which only the run can tell apart, hold different "
        f"things: {_of(a)}, and {_of(b)}{order}",
        "give all of them the same attributes, with values of the same sort",
    )


def _of(value: core.Value) -> str:
    if value == EMPTY:
        return "an empty list"
    if value == TEXT:
        return "a text"
    return "a number or array" if value == STAND_IN else core.describe(value)


def is_none(value: core.Value) -> bool:
    return isinstance(value, core.Leaf) and value.kind == ir.NONE


def _is_dict(value: core.Value) -> TypeGuard[core.Aggregate]:
    return (
        isinstance(value, core.Aggregate) and value.constructor in optional_keys.DICTS
    )


def _is_text(leaf: core.Leaf) -> bool:
    return isinstance(leaf.kind, ir.Known) and isinstance(leaf.kind.value, str)


def _let_be_none(spec: Specialiser, value: core.Aggregate) -> None:
    cls = value.constructor.cls  # type: ignore[attr-defined]
    if not spec.facts.shared[cls].nullable:
        spec.learn(spec.facts.with_shared(cls, nullable=True))


def fitted(spec: Specialiser, value: core.Value, template: core.Value) -> core.Value:
    """A value in the form of a template: None as a reference to nothing, attributes in
    its order."""
    if is_reference(template):
        return met_as_reference(spec, value, template)
    if core.is_rows(template) and template_of(value) == EMPTY:
        assert isinstance(template, core.Aggregate)
        return empty_list(spec, axis_of(spec, None), template.items[0])
    if _is_dict(template) and _is_dict(value):
        held = dict(zip(value.keys, value.items, strict=True))
        if set(held) <= set(template.keys):
            items = tuple(
                _fitted_entry(spec, held.get(key), part)
                for key, part in zip(template.keys, template.items, strict=True)
            )
            return replace(template, items=items)
    elif isinstance(template, core.Aggregate) and isinstance(value, core.Aggregate):
        same = template.constructor is value.constructor
        if same and set(template.keys) == set(value.keys):
            items = tuple(
                fitted(spec, value.item(key), part)
                for key, part in zip(template.keys, template.items, strict=True)
            )
            return replace(template, items=items)
    if isinstance(template, core.Leaf) and isinstance(value, core.Leaf):
        changes = template in STAND_INS or isinstance(template.kind, ir.List)
        if changes or value.kind == template.kind:
            return value
    raise core.Unsupported(
        None,
        f"{_of(value)} is stored where other objects of the class hold {_of(template)}",
        "give all of them the same attributes, with values of the same sort",
    )


def _fitted_entry(
    spec: Specialiser, value: core.Value | None, template: core.Value
) -> core.Value:
    """What stands under a key of a dict, in the form of a template."""
    if optional_keys.is_entry(template):
        which, held = optional_keys.entry_of(value).items
        return replace(template, items=(which, fitted(spec, held, template.item(""))))
    if value is None:
        raise core.Unsupported(
            None, "a dict lacks a key that others of its class have", ""
        )
    return fitted(spec, value, template)


def met_as_reference(
    spec: Specialiser, value: core.Value, other: core.Aggregate
) -> core.Value:
    """What a value is where it meets a reference, or takes its place: None becomes one
    that leads to nothing."""
    if is_reference(value) and value.constructor is other.constructor:
        return value
    if is_none(value):
        _let_be_none(spec, other)
        return replace(other, items=(core.Leaf(ir.Const(None), ir.OPAQUE),))
    raise core.Unsupported(
        None,
        f"{core.describe(value)} is stored where others hold {core.describe(other)}",
        "store an object of the same class, or None",
    )


def kept_while_made(draft: core.Value) -> tuple[str, str]:
    """Why an object can't be used under a name that it was given while it was made: it
    has its place in the lists only behind that."""
    return (
        f"{core.describe(draft)} that only the run can tell from others is put "
        "somewhere by its own __init__",
        "put it there behind the call that makes it",
    )


def class_in(value: core.Value) -> Any:
    """The class of a list, dict or object; None for other values."""
    if isinstance(value, core.Cell):
        return class_meant(value.constructor)
    if isinstance(value, core.Leaf):
        is_list = isinstance(value.kind, ir.List) and value.kind.constructor is list
        return list if is_list else None
    if isinstance(value, core.Part):
        return value.constructor
    if isinstance(value, core.Aggregate) and not is_reference(value):
        return _CLASSES.get(value.constructor, value.constructor)
    return None


_CLASSES: dict[Any, Any] = {core.Rows: list, core.Entries: dict, core.Partly: dict}
