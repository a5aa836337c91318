"""Columns of objects: what stands under each attribute of all objects of a class."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from s2sad import ir
from s2sad.source.kinds import attributes

MOST_ATTRIBUTES = 64
"""Objects of one class that have more between them, and not the same, aren't kept."""


def columns_of(
    form: ir.Form, objects: Sequence[Any]
) -> dict[Hashable, list[Any]] | None:
    """What stands under each attribute of objects; the form learns which attributes
    not all of them have. None where these are too many, or a field was never set."""
    if not form.optional and _hold_alike(objects, form.keys):
        return {name: [getattr(value, name) for value in objects] for name in form.keys}  # type: ignore[call-overload]
    columns: dict[Hashable, list[Any]] = {name: [] for name in form.keys}
    for value in objects:
        names = attributes.attributes_of(value)
        if names is None:
            return None
        form.optional.update(set(form.keys).symmetric_difference(names))
        form.keys = tuple(dict.fromkeys((*form.keys, *names)))
        told = all(attributes.tells_of(form.constructor, str(n)) for n in form.optional)
        if len(form.keys) > MOST_ATTRIBUTES or not told:
            return None
        for name in names:
            columns.setdefault(name, []).append(getattr(value, name))
    return columns


def _hold_alike(objects: Sequence[Any], names: tuple[Hashable, ...]) -> bool:
    """True for objects that have these attributes and no others."""
    wanted = frozenset(names)
    for value in objects:
        held = getattr(value, "__dict__", None)
        if held is None or held.keys() != wanted:
            found = attributes.attributes_of(value)
            if found is None or frozenset(found) != wanted:
                return False
    return True
