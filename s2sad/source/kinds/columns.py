"""Columns of objects and dicts: what stands under each attribute of all objects of a
class, and under each key of dicts whose keys are names."""

import itertools
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.source.kinds import attributes

MOST_ATTRIBUTES = 64
"""Objects of one class that have more between them, and not the same, aren't kept; nor
are dicts of unlike values."""
LONGEST_RECORD = 16
"""A tuple of more items is a sequence of items that are alike, and so is a dict."""


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


def names_of_records(dicts: Sequence[Any]) -> tuple[str, ...] | None:
    """The keys of dicts that have the same texts as keys and values of different
    classes under them; None where their values are alike."""
    names = tuple(dicts[0])
    if not 0 < len(names) <= LONGEST_RECORD:
        return None
    if not all(type(name) is str for name in names):
        return None
    if any(tuple(value) != names for value in dicts):
        return None
    classes, ranks = _classes_in(dicts)
    users = all(map(attributes.is_users_class, classes))
    return None if users or (len(classes) <= 1 and len(ranks) <= 1) else names


def are_unlike(dicts: Sequence[Any]) -> bool:
    """True for dicts whose keys are texts and whose values no one kind is of."""
    if not all(type(name) is str for value in dicts for name in value):
        return False
    classes, ranks = _classes_in(dicts)
    users = all(map(attributes.is_users_class, classes))
    numbers = classes <= {float, int, bool}
    return len(ranks) > 1 or (len(classes) > 1 and not users and not numbers)


def _classes_in(dicts: Sequence[Any]) -> tuple[set[Any], set[int]]:
    """The classes of what dicts hold, but for None, and the ranks of arrays."""
    classes = {type(item) for value in dicts for item in value.values()}
    arrays = {
        item.ndim
        for value in dicts
        for item in value.values()
        if type(item) is np.ndarray
    }
    return classes - {type(None)}, arrays


def note_names(form: ir.Form, dicts: Sequence[Any]) -> bool:
    """Let a form know the keys of dicts, which are names: those that not all have, or
    have in another order, are ``optional``. False where these are too many."""
    for names in dict.fromkeys(map(tuple, dicts)):
        if names == form.keys:
            continue
        if form.constructor is not dict or not all(type(n) is str for n in names):
            return False
        pairs = zip(form.keys, names, strict=False)
        alike = sum(1 for _ in itertools.takewhile(lambda p: p[0] == p[1], pairs))
        form.optional.update(form.keys[alike:], names[alike:])
        form.keys = tuple(dict.fromkeys((*form.keys, *names)))
        if len(form.keys) > MOST_ATTRIBUTES:
            return False
    return True


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
