"""The check that a run-time value has the forms that were compiled for.

Values are gone through column by column, as in :mod:`s2sad.source.kinds.references`."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.source.kinds import attributes


def holds(value: Any, of: ir.Reference) -> bool:
    """True for a value of these forms; shared parts are looked at once."""
    seen: dict[int, set[int]] = {}
    """What was looked at as a value of each form."""
    waiting: list[tuple[list[Any], ir.Kind | None, Any]] = [([value], of, None)]
    while waiting:
        values, kind, classes = waiting.pop()
        if not values:
            continue
        found = set(map(type, values))
        if classes is not None and not found <= classes:
            return False
        if isinstance(kind, ir.Reference):
            allowed = {form.constructor for form in kind.forms}
            if not found <= (allowed | {type(None)} if kind.may_be_none else allowed):
                return False
            if type(None) in found:
                values = [v for v in values if v is not None]
            if tuple in found and _are_told_by_texts(kind.forms):
                columns = _columns_of_told(values, kind.forms, seen)
                if columns is None:
                    return False
                waiting += columns
                continue
            for form in kind.forms:
                own = values
                if len(found) > 1:
                    own = [v for v in values if type(v) is form.constructor]
                elif form.constructor not in found:
                    continue
                fresh = own
                if form.constructor is not tuple or not _is_flat(form):
                    fresh = _not_seen(own, seen.setdefault(id(form), set()))
                columns = _columns(fresh, form)
                if columns is None:
                    return False
                waiting += columns
        elif isinstance(kind, ir.Array):
            if not _are_arrays(values, kind):
                return False
        elif isinstance(kind, ir.OneOf):
            known = set(map(id, kind.values))
            if any(id(v) not in known for v in values):
                return False
        elif isinstance(kind, ir.Known) and kind != ir.NONE:
            if any(ir.Known(v) != kind for v in values):
                return False
    return True


def _not_seen(values: list[Any], seen: set[int]) -> list[Any]:
    """Those that weren't looked at yet, each once."""
    found = dict(zip(map(id, values), values, strict=True))
    for known in found.keys() & seen:
        del found[known]
    seen.update(found)
    return list(found.values())


def _hold_so_many(objects: list[Any], count: int) -> bool:
    """True for objects of so many attributes (reading those that are known fails where
    one is missing)."""
    try:
        return set(map(len, map(vars, objects))) <= {count}
    except TypeError:  # they have slots
        found = map(attributes.attributes_of, objects)
        return all(names is not None and len(names) == count for names in found)


def _are_told_by_texts(forms: tuple[ir.Form, ...]) -> bool:
    return all(isinstance(form.slots.get(0), ir.Known) for form in forms)


def _columns_of_told(
    values: list[Any], forms: tuple[ir.Form, ...], seen: dict[int, set[int]]
) -> list[Any] | None:
    """The same of tuples of which the first item says what else they hold."""
    by_text: dict[Any, tuple[ir.Form, list[Any]]] = {
        (form.slots[0].value, len(form.keys)): (form, [])  # type: ignore[attr-defined]
        for form in forms
    }
    for value in values:
        told = (value[0], len(value)) if value and type(value[0]) is str else None
        if told not in by_text:
            return None
        by_text[told][1].append(value)
    found = []
    for form, alike in by_text.values():
        alike = _not_seen(alike, seen.setdefault(id(form), set()))
        for place in form.keys[1:]:
            column = [value[place] for value in alike]
            found.append((column, form.slots.get(place), form.types.get(place)))
    return found


def _columns(values: list[Any], form: ir.Form) -> list[Any] | None:
    """What stands in each slot, with its kind and classes; None where the values are of
    other forms."""
    constructor = form.constructor
    if form.is_uniform:
        slot, classes = form.slots.get(ir.EACH), form.types.get(ir.EACH)
        if issubclass(constructor, dict):
            items = list(chain.from_iterable(map(constructor.values, values)))
        elif len(values) == 1:
            items = values[0] if type(values[0]) is list else list(values[0])
        else:
            items = list(chain.from_iterable(values))
        if slot is None:
            return None if items else []
        return [(items, slot, classes)]
    of_tuples: list[Any] = []
    if issubclass(constructor, tuple):
        if not {len(form.keys)}.issuperset(map(len, values)):
            return None
        of_tuples = list(zip(*values, strict=True)) or [()] * len(form.keys)
    elif issubclass(constructor, dict):
        if any(tuple(v) != form.keys for v in values):
            return None
    elif not _hold_so_many(values, len(form.keys)):
        return None
    found: list[Any] = []
    for place, key in enumerate(form.keys):
        if issubclass(constructor, tuple):
            column = of_tuples[place]
        elif issubclass(constructor, dict):
            column = [v[key] for v in values]
        else:
            column = list(map(attrgetter(key), values))  # type: ignore[call-overload]
        slot, classes = form.slots.get(key), form.types.get(key)
        if isinstance(slot, _LOOKED_INTO):
            found.append((column, slot, classes))
        elif classes is not None and not classes.issuperset(map(type, column)):
            return None  # of the others the class is all that is asked
    return found


def _is_flat(form: ir.Form) -> bool:
    return not any(isinstance(slot, ir.Reference) for slot in form.slots.values())


_LOOKED_INTO = (ir.Reference, ir.Array, ir.OneOf, ir.Known)


def _are_arrays(values: list[Any], kind: ir.Array) -> bool:
    assert kind.axes is not None
    told = {(v.dtype, v.shape) for v in values}
    for dtype, shape in told:
        if kind.dtype is not None and dtype != np.dtype(kind.dtype):
            return False
        if len(shape) != len(kind.axes):
            return False
        for length, axis in zip(shape, kind.axes, strict=True):
            if axis.length != "any" and (length == 1) != (axis.length == "one"):
                return False
    return True
