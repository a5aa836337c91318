"""Forms that may stand wherever others of their family do: which ones the data at hand
has at a place is no matter.

The nodes of a tree are a family, and so are the parts of an expression: tuples that
begin with texts, and the numbers and texts that stand where these do.
"""

import dataclasses
from collections.abc import Callable, Hashable, Iterable

import numpy as np

from s2sad import ir


def close(root: ir.Form, expressions: bool = False) -> None:
    """Let all that the forms that are reached from a slot of ``root`` may hold be
    known. With ``expressions`` tuples that begin with texts are parts of one, also
    where each of their slots holds values of one sort."""
    _close_families(root)
    _close_expressions(root, expressions)


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


def _close_expressions(root: ir.Form, always: bool) -> None:
    """Where tuples that begin with texts stand beside numbers or texts, these are parts
    of one expression: each of them, and each of the tuples, may stand where others
    do::

        ("add", ("sin", "x"), 2.0)      ->      add(part, part), sin(part)
    """
    reached = list(ir.reached_forms(ir.Reference((root,))))
    beside = _beside_values(reached, is_told)
    inside = [form for form in reached if always and is_told(form)]
    if not beside and not inside:
        return
    ((path, whole),) = root.slots.items()
    first = whole.forms if isinstance(whole, ir.Reference) else ()
    family = _reached((*filter(is_told, first), *beside, *inside), is_told)
    plain = [_plain_value(form, key) for form in inside for key in form.keys[1:]]
    parts = _close_parts(family, family, filter(None, plain))
    if any(map(is_told, first)):
        _may_be(root, path, parts)


def close_made(made: list[ir.Form]) -> None:
    """The same of the tuples that a program makes: parts of what it is given may stand
    in them, too. A text in front that only the run knows may be any."""
    inside = [form for form in made if begins_with_text(form) and _is_recursive([form])]
    seeds = (*_beside_values(made, begins_with_text), *inside)
    family = _reached(seeds, begins_with_text)
    _close_parts(family, [form for form in family if form in made])


def _beside_values(
    forms: Iterable[ir.Form], is_part: Callable[[ir.Form], bool]
) -> list[ir.Form]:
    """The tuples that stand where numbers, arrays or texts do."""
    slots = [slot for form in forms for slot in form.slots.values()]
    references = [slot.forms for slot in slots if isinstance(slot, ir.Reference)]
    beside = [held for held in references if any(f.is_value for f in held)]
    return [form for held in beside for form in held if is_part(form)]


def _reached(
    seeds: Iterable[ir.Form], is_part: Callable[[ir.Form], bool]
) -> list[ir.Form]:
    """These parts of an expression, and all that they lead to."""
    family = dict.fromkeys(seeds)
    waiting = list(family)
    while waiting:
        for slot in waiting.pop().slots.values():
            for form in slot.forms if isinstance(slot, ir.Reference) else ():
                if is_part(form) and form not in family:
                    family[form] = None
                    waiting.append(form)
    return list(family)


def _close_parts(
    family: list[ir.Form], changed: Iterable[ir.Form], plain: Iterable[ir.Form] = ()
) -> tuple[ir.Form, ...]:
    """Let any part of an expression stand where another one stands in some of its
    tuples; gives all parts. ``plain`` are values that stand alone in their slots."""
    # names alone in their slots may be keys
    values = list(dict.fromkeys((*_values_in(family), *plain)))
    parts = (*family, *values)
    for form in changed:
        for key in form.keys[1:]:
            if _plain_value(form, key) in values:
                form.slots[key] = ir.Reference(parts)
            _may_be(form, key, parts)
    return parts


def _may_be(form: ir.Form, key: Hashable, parts: tuple[ir.Form, ...]) -> None:
    """Let what stands in a slot be any of these, if it is one of them."""
    held = form.slots.get(key)
    if isinstance(held, ir.Reference) and set(held.forms) <= set(parts):
        form.slots[key] = ir.Reference(parts, may_be_none=held.may_be_none)
        form.types[key] = form.types[key] | {part.constructor for part in parts}


def is_told(form: ir.Form) -> bool:
    """True for tuples that begin with a text."""
    return form.constructor is tuple and isinstance(form.slots.get(0), ir.Known)


def begins_with_text(form: ir.Form) -> bool:
    """The same, whether the text is known or not."""
    of_the_run = form.constructor is tuple and form.slots.get(0) == ir.OPAQUE
    return of_the_run or is_told(form)


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
