"""Joins: the kind of a variable that has different kinds on different paths.

>>> from s2sad.ir.kinds import FLOAT, INT
>>> str(join(FLOAT, INT))
'float'
"""

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.ir.kinds import (
    NONE,
    ONE,
    OPAQUE,
    UNKNOWN,
    Array,
    Axis,
    Kind,
    Known,
    List,
    Members,
    Numeric,
    NumPyScalar,
    Passing,
    Scalar,
    Structure,
    Unknown,
    as_item,
    dtype_of,
    is_complex,
    is_real_number_kind,
    may_be_python_number,
    without_value,
)
from s2sad.ir.references import EACH, Form, OneOf, Reference

_WIDTH = {"bool": 0, "int": 1, "float": 2, "complex": 3}


def join(a: Kind, b: Kind, owner: Hashable = None) -> Kind:
    """The kind of a variable that is ``a`` on one path and ``b`` on another.

    int joins float, a number joins an array (``promoted``). ``owner`` names the symbols
    of axes on which the two disagree.
    """
    if a == b:
        return a
    if isinstance(a, Reference) or isinstance(b, Reference):
        return _join_references(a, b)
    if isinstance(a, OneOf) or isinstance(b, OneOf):
        values = [v for k in (a, b) for v in _functions_in(k)]
        if None not in values:
            return OneOf(values=tuple(dict.fromkeys(values)))
    optional = _join_with_none(a, b, owner)
    if optional is not None:
        return optional
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        wider = a if _WIDTH[a.type] >= _WIDTH[b.type] else b
        same = a.type == b.type
        return Scalar(
            wider.type,
            a.value if same and a.value == b.value else None,
            a.length_of if same and a.length_of == b.length_of else None,
            a.cls if a.cls is b.cls else object,
        )
    if isinstance(a, Scalar | NumPyScalar) and isinstance(b, Scalar | NumPyScalar):
        mixed = may_be_python_number(a) or may_be_python_number(b)
        return NumPyScalar(_join_dtype(a, b), mixed)
    if isinstance(a, Array) and isinstance(b, Array):
        return _join_arrays(a, b, owner)
    if isinstance(a, Array) and isinstance(b, Scalar | NumPyScalar):
        return _promote(a, b)
    if isinstance(b, Array) and isinstance(a, Scalar | NumPyScalar):
        return _promote(b, a)
    if isinstance(a, Structure) and isinstance(b, Structure):
        if a.constructor is b.constructor and a.keys == b.keys:
            items = tuple(
                join(x, y, (owner, k))
                for k, x, y in zip(a.keys, a.items, b.items, strict=True)
            )
            return replace(a, items=items)
        return UNKNOWN
    if isinstance(a, List) and isinstance(b, List) and a.constructor is b.constructor:
        return _join_lists(a, b, owner)
    if isinstance(a, Members) and isinstance(b, Members):
        if a.constructor is b.constructor:
            outside = a.of_module or b.of_module
            return Members(constructor=a.constructor, of_module=outside)
    active = is_real_number_kind(a) or is_real_number_kind(b)
    return UNKNOWN if active else OPAQUE


def _join_lists(a: List, b: List, owner: Hashable) -> Kind:
    if a.item is None or b.item is None:
        item = b.item if a.item is None else a.item
    else:
        item = as_item(join(a.item, b.item, (owner, "item")))
    length = a.axis.length if a.axis.length == b.axis.length else "any"
    same = a.axis.symbol is not None and a.axis.symbol == b.axis.symbol
    axis = (
        a.axis
        if a.axis == b.axis
        else Axis(length, a.axis.symbol if same else Passing((owner, "length")))
    )
    return List(item, axis, a.constructor)


def _join_with_none(a: Kind, b: Kind, owner: Hashable) -> Kind | None:
    """The kind of a number or array on one path, and of None on another."""
    inner: list[Kind] = []
    missing = False
    for kind in (a, b):
        if kind == NONE:
            missing = True
        elif isinstance(kind, Unknown) and kind.present is not None:
            missing = True
            inner.append(kind.present)
        else:
            inner.append(kind)
    if not missing or not inner:
        return None
    present = inner[0] if len(inner) == 1 else join(inner[0], inner[1], owner)
    if not isinstance(present, Numeric):
        return None
    active = is_real_number_kind(present)
    return Unknown(inactive=not active, present=without_value(present))


def _functions_in(kind: Kind) -> tuple[Any, ...]:
    if isinstance(kind, OneOf):
        return kind.values
    return (kind.value if isinstance(kind, Known) and callable(kind.value) else None,)


def _join_references(a: Kind, b: Kind) -> Kind:
    """The kind of one of several references, or of a reference or None."""
    references = [k for k in (a, b) if isinstance(k, Reference)]
    if any(k != NONE for k in (a, b) if not isinstance(k, Reference)):
        active = is_real_number_kind(a) or is_real_number_kind(b)
        return UNKNOWN if active else OPAQUE
    forms = {id(form): form for k in references for form in k.forms}
    none = len(references) == 1 or any(k.may_be_none for k in references)
    adjoint = any(k.adjoint for k in references)
    return Reference(tuple(forms.values()), none, adjoint)


def _join_dtype(a: Kind, b: Kind) -> str | None:
    """The common dtype; a Python number takes the other's dtype where that can hold
    it."""
    x, y = dtype_of(a), dtype_of(b)
    if x == y:
        return x
    if x is None or y is None:
        return None
    if "c" in (np.dtype(x).kind, np.dtype(y).kind):
        return str(np.result_type(x, y).name)  # real numbers are complex, too
    if isinstance(a, Scalar) and np.dtype(y).kind in "fc" and a.type != "complex":
        return y if y == "float64" or a.type != "float" else None
    if isinstance(b, Scalar):
        return _join_dtype(b, a) if not isinstance(a, Scalar) else None
    return None


def _join_arrays(a: Array, b: Array, owner: Hashable) -> Array:
    dtype = a.dtype if a.dtype == b.dtype else None
    if is_complex(a) or is_complex(b):
        dtype = _join_dtype(a, b)
    promoted = a.promoted or b.promoted
    if a.axes is None or b.axes is None or len(a.axes) != len(b.axes):
        return Array(dtype, None)
    axes = []
    for k, (x, y) in enumerate(zip(a.axes, b.axes, strict=True)):
        length = x.length if x.length == y.length else "any"
        if length == "one":
            axes.append(ONE)
        else:
            same = x.symbol is not None and x.symbol == y.symbol
            axes.append(Axis(length, x.symbol if same else Passing((owner, k))))
    return Array(dtype, tuple(axes), promoted)


def _promote(array: Array, number: Kind) -> Array:
    dtype = _join_dtype(number, array)
    if array.axes is None:
        return Array(dtype, None)
    return Array(dtype, array.axes, promoted=True)


def kind_of_slot(kind: Reference, key: Hashable) -> Kind | None:
    """The kind of what stands under an attribute, a position, or ``EACH`` of a
    reference; None where one of its forms has no such slot, or holds nothing there."""
    found: Kind | None = None
    for form in kind.forms:
        if form.is_empty_tuple and key == EACH:
            continue
        if key not in form.keys:
            return None
        slot = form.slots.get(key)
        if slot is not None:
            found = slot if found is None else join(found, slot)
    return found


def kind_held(kind: Kind, key: Any) -> Kind | None:
    """The same for a key as the program writes it, which may be negative, or None where
    only the run knows it; of those forms that have such a slot."""
    found: Kind | None = None
    for form in kind.forms if isinstance(kind, Reference) else ():
        slot = _slot_at(form, key)
        if slot is not None:
            found = slot if found is None else join(found, slot)
    return found


def kinds_held(kind: Kind, key: Any) -> set[Kind]:
    """The kinds of all that may stand under such a key; where only the run knows it,
    of all items of a record."""
    found: set[Kind | None] = set()
    for form in kind.forms if isinstance(kind, Reference) else ():
        of_record = key is None and not form.is_uniform
        found |= {*form.slots.values()} if of_record else {_slot_at(form, key)}
    return {held for held in found if held is not None}


def _slot_at(form: Form, key: Any) -> Kind | None:
    place = EACH if form.is_uniform else key
    if place not in form.keys and isinstance(key, int) and key < 0:
        place = key + len(form.keys)
    return form.slots.get(place)
