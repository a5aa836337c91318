"""Forms that may stand wherever others of their family do: which ones the data at hand
has at a place is no matter.

The nodes of a tree are a family, and so are the parts of an expression: tuples that
begin with texts, and the numbers and texts that stand where these do.
"""

import dataclasses
from collections.abc import Iterable

import numpy as np

from s2sad import ir


def close(root: ir.Form) -> None:
    """Let all that the forms that are reached from a slot of ``root`` may hold be
    known."""
    _close_families(root)
    _close_expressions(root)


def _close_families(root: ir.Form) -> None:
    """Where one of several classes or forms may stand at a place, and those lead to one
    another, any of them may stand wherever they do."""
    reached = list(ir.reached_forms(ir.Reference((root,))))
    families: dict[int, list[ir.Form]] = {}
    for form in reached:
        for slot in form.slots.values():
            if not isinstance(slot, ir.Reference) or len(slot.forms) < 2:
                continue
            merged: list[ir.Form] = []
            for member in slot.forms:
                if not member.is_value:
                    merged += families.get(id(member), [member])
            merged = list({id(member): member for member in merged}.values())
            families |= {id(member): merged for member in merged}
    values = {key: _values_in(family) for key, family in families.items()}
    for form in reached:
        if form is not root and id(form) not in families:
            continue
        for key, slot in form.slots.items():
            if not isinstance(slot, ir.Reference):
                continue
            first = next((f for f in slot.forms if not f.is_value), slot.forms[0])
            family = families.get(id(first), [])
            if family and (form is root or form in family) and _is_recursive(family):
                family = [*family, *values[id(first)]]
                form.slots[key] = dataclasses.replace(slot, forms=tuple(family))
                classes = {member.constructor for member in family}
                form.types[key] = form.types[key] | classes


def _close_expressions(root: ir.Form) -> None:
    """Where tuples that begin with texts stand beside numbers or texts, these are parts
    of one expression: each of them, and each of the tuples, may stand where others
    do::

        ("add", ("sin", "x"), 2.0)      ->      add(part, part), sin(part)
    """
    slots = [
        slot
        for form in ir.reached_forms(ir.Reference((root,)))
        for slot in form.slots.values()
        if isinstance(slot, ir.Reference) and any(f.is_value for f in slot.forms)
    ]
    beside = [form for slot in slots for form in slot.forms if is_told(form)]
    if not beside:
        return
    ((path, whole),) = root.slots.items()
    first = whole.forms if isinstance(whole, ir.Reference) else ()
    family = dict.fromkeys((*filter(is_told, first), *beside))
    waiting = list(family)
    while waiting:
        for slot in waiting.pop().slots.values():
            for form in slot.forms if isinstance(slot, ir.Reference) else ():
                if is_told(form) and form not in family:
                    family[form] = None
                    waiting.append(form)
    values = _values_in(family)  # names alone in their slots may be keys
    plain = [
        (form, key)
        for form in family
        for key in form.keys[1:]
        if _plain_value(form, key) in values
    ]
    parts = (*family, *values)
    classes = {part.constructor for part in parts}
    places = [(form, key) for form in family for key in form.keys[1:]]
    if any(map(is_told, first)):
        places.append((root, path))
    for form, key in places:
        held = form.slots.get(key)
        of_parts = isinstance(held, ir.Reference) and set(held.forms) <= set(parts)
        if of_parts or (form, key) in plain:
            none = isinstance(held, ir.Reference) and held.may_be_none
            form.slots[key] = ir.Reference(parts, may_be_none=none)
            form.types[key] = form.types[key] | classes


def is_told(form: ir.Form) -> bool:
    """True for tuples that begin with a text."""
    return form.constructor is tuple and isinstance(form.slots.get(0), ir.Known)


def _plain_value(form: ir.Form, key: object) -> ir.Form | None:
    """The form that floats, or texts, would have beside tuples; None for a slot of
    others: a whole number is an exponent, or an index."""
    classes = form.types.get(key, frozenset())
    if isinstance(form.slots.get(key), ir.Reference) or len(classes) != 1:
        return None
    (cls,) = classes
    kinds = {float: ir.FLOAT, str: ir.OPAQUE, np.float64: ir.NumPyScalar("float64")}
    return ir.form_of_value(cls, kinds[cls]) if cls in kinds else None


def _values_in(family: Iterable[ir.Form]) -> list[ir.Form]:
    """The forms of numbers, arrays and texts that stand where values of a family do."""
    slots = [slot for form in family for slot in form.slots.values()]
    found = (f for s in slots if isinstance(s, ir.Reference) for f in s.forms)
    return [form for form in dict.fromkeys(found) if form.is_value]


def _is_recursive(family: list[ir.Form]) -> bool:
    """True where one of the forms leads to itself."""
    for form in family:
        for slot in form.slots.values():
            if any(reached is form for reached in ir.reached_forms(slot)):
                return True
    return False
