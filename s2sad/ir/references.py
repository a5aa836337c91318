"""References: kinds of lists, dicts, tuples and objects that the program keeps as they
are.

What such a value holds is said once for each class of objects and for each place where
a container stands, its *form*, whatever the number of items is. Forms may hold
themselves, as those of trees do::

    Node(value: float, children: list of Node)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2sad.ir.kinds import (
    NONE,
    Array,
    Axis,
    Kind,
    Known,
    List,
    Numeric,
    Scalar,
    Structure,
    Unknown,
    is_complex,
    is_promoted,
    is_real_number_kind,
    tangent_kind,
)


@dataclass(eq=False, slots=True)
class Form:
    """What objects of a class hold, or the containers at one place.

    A form is made before what it holds is known, and is complete when a table of forms
    has been filled (:mod:`s2sad.source.kinds.references`); it doesn't change from there
    on. Compared by identity."""

    constructor: type
    """One of ``CONTAINERS``, or the class of the objects."""
    keys: tuple[Hashable, ...] = ()
    """The attributes or positions; ``(EACH,)`` of a container of any length and of a
    dict."""
    slots: dict[Hashable, Kind] = field(default_factory=dict)
    """The kind of what stands under each key that isn't always empty."""
    key: Kind | None = None
    """The kind of a dict's keys."""
    types: dict[Hashable, Any] = field(default_factory=dict)
    """The classes that were met in each slot; a check allows no others."""
    active: bool | None = None
    """Whether numbers with a derivative can be reached from here; None: not known."""
    gradient: Form | None = None
    """The form of gradients with respect to such values, once somebody asked."""
    optional: set[Hashable] = field(default_factory=set)
    """The attributes that some of the objects don't have, and the keys that some of the
    dicts don't have, or have in another order."""
    from_class: set[Hashable] = field(default_factory=set)
    """Attributes that objects which the program makes or is given have only in their
    class at first, and into which it stores: they are made and copied with what it
    holds."""
    sort: tuple[type, Hashable] | None = None
    """Of dicts that the program makes of a class derived from dict, which are plain
    ones when it runs: the class, and the expression that tells what one makes for a key
    that it doesn't have."""
    is_made: bool = False
    """True for lists and dicts that the program makes: none of them is given."""
    is_open: bool = False
    """True for dicts that the program makes and gives keys that only the run knows."""
    has_known_keys: bool = False
    """True for such dicts that are made with keys which are written out."""
    is_record: bool | None = None
    """True for dicts that were taken for such, and hold unlike things under the keys
    with which they are made; False where they get other keys all the same."""
    has_limits: bool = False
    """True for deques that the program makes, some with a greatest length."""
    makers: frozenset[Hashable] = frozenset()
    """Of lists and dicts that the program makes: the expressions that made the first
    one which was put where those of this form stand."""
    gathers: bool = False
    """True for lists that hold what a generator yields: no name of the user's holds
    one."""
    is_value: bool = False
    """True for a number, array or text where other values of the place are references:
    its slot ``ITSELF`` is the value itself."""

    @property
    def is_number(self) -> bool:
        """True for such a value that has no items and no attributes of the user's."""
        return self.is_value and not issubclass(self.constructor, str | np.ndarray)

    @property
    def called(self) -> type:
        """The class of such values as the program knows it."""
        return self.constructor if self.sort is None else self.sort[0]

    @property
    def is_uniform(self) -> bool:
        """True for a container of any length, and for a dict."""
        return self.keys == (EACH,)

    @property
    def is_empty_tuple(self) -> bool:
        """True for ``()``, which beside lists and tuples of any length is one of these
        that holds nothing."""
        return self.constructor is tuple and not self.keys


CONTAINERS = (list, tuple, dict, deque)
"""What isn't an object with attributes, and classes derived from these."""
EACH = "each item"
"""The slot of containers of any length."""
ITSELF = "value"
"""The slot of a value, and the attribute of its adjoint that takes what is added."""


def text_in_front(form: Form) -> str | None:
    """The text with which all tuples of a form begin; None for other forms."""
    first = form.slots.get(0) if form.constructor is tuple else None
    text = first.value if isinstance(first, Known) else None
    return text if isinstance(text, str) else None


@dataclass(frozen=True, slots=True)
class Reference(Kind):
    """A list, dict, tuple or object that is kept as it is. Of several forms only the
    run knows which one it has."""

    forms: tuple[Form, ...]
    may_be_none: bool = False
    adjoint: bool = False
    """True for the adjoint of such a value: the same structure, with the adjoints of
    its numbers."""

    def __str__(self) -> str:
        names = " or ".join(dict.fromkeys(f.constructor.__name__ for f in self.forms))
        none = " or None" if self.may_be_none else ""
        return f"{'adjoint of ' if self.adjoint else ''}{names}{none}"

    def leads_to_numbers(self) -> bool:
        """Whether numbers that may carry a derivative can be reached from here."""
        return any(map(_is_active, self.forms))

    def is_empty_tuple(self) -> bool:
        """True for what is surely ``()``."""
        return not self.may_be_none and all(f.is_empty_tuple for f in self.forms)

    @property
    def constructor(self) -> type | None:
        """The class of the value; None where there are several."""
        classes = {form.constructor for form in self.forms}
        return classes.pop() if len(classes) == 1 else None

    def gradient_kind(self) -> Kind:
        """The kind of a gradient with respect to the value: of its classes, with None
        in place of what has no derivative."""
        reached = tuple(reached_forms(self))
        for form in reached:
            if form.gradient is None:
                types = _types_of_gradient(form)
                form.gradient = replace(form, slots={}, types=types, active=None)
        for form in reached:
            for key, slot in form.slots.items():
                form.gradient.slots.setdefault(key, _slot_of_gradient(slot))  # type: ignore[union-attr]
        return _with_forms_of_gradients(self)

    def among(self, forms: tuple[Form, ...]) -> Reference:
        """The kind of the value where it has one of these forms."""
        left = tuple(form for form in self.forms if form in forms)
        return replace(self, forms=left) if left else self

    def present(self) -> Reference:
        """The kind of the value where it isn't None."""
        return replace(self, may_be_none=False)


_OF_VALUES: dict[tuple[type, Kind], Form] = {}


def form_of_value(cls: type, kind: Kind) -> Form:
    """The form of values of a class that stand where references do."""
    form = Form(cls, (ITSELF,), {ITSELF: kind}, is_value=True)
    form.types[ITSELF] = frozenset({cls})
    return _OF_VALUES.setdefault((cls, kind), form)


def is_value(kind: Kind | None) -> bool:
    """True for a number, array or text, which may stand where references do."""
    if isinstance(kind, Known):
        return isinstance(kind.value, str)
    if isinstance(kind, Scalar) and kind.cls is not None:
        return False
    return isinstance(kind, Numeric) and not (is_promoted(kind) or is_complex(kind))


def are_values(kind: Kind | None) -> bool:
    """True for a reference to what is surely a number, array or text."""
    if not isinstance(kind, Reference) or kind.may_be_none:
        return False
    return all(form.is_value for form in kind.forms)


_OF_ARRAYS: dict[tuple[str | None, int | None], Form] = {}


def reference_to_array(kind: Array) -> Reference:
    """The kind of an array as one that stands in run-time values and is written
    into."""
    rank = None if kind.axes is None else len(kind.axes)
    axes = None if rank is None else (Axis("any"),) * rank
    form = Form(np.ndarray, (EACH,), {EACH: Array(kind.dtype, axes)})
    return Reference((_OF_ARRAYS.setdefault((kind.dtype, rank), form),))


def is_array_reference(kind: Kind | None) -> bool:
    """True for such a reference, and for lists of them."""
    if isinstance(kind, List):
        return is_array_reference(kind.item)
    return isinstance(kind, Reference) and any(
        form.constructor is np.ndarray for form in kind.forms
    )


def array_referred_to(kind: Kind | None) -> Array:
    """The kind of the array that such a reference leads to."""
    assert isinstance(kind, Reference)
    held = kind.forms[0].slots[EACH]
    assert isinstance(held, Array)
    return held


def may_lack(kind: Kind | None, name: Hashable) -> bool:
    """True where some of the objects that a value may be don't have an attribute."""
    forms = kind.forms if isinstance(kind, Reference) else ()
    return any(name in form.optional for form in forms)


def is_of_references(kind: Kind | None) -> bool:
    """True for references, and lists of them."""
    if isinstance(kind, List):
        return is_of_references(kind.item)
    return isinstance(kind, Reference)


def is_adjoint(kind: Kind | None) -> bool:
    """True for adjoints of references, and lists of them."""
    if isinstance(kind, List):
        return is_adjoint(kind.item)
    return isinstance(kind, Reference) and kind.adjoint


def adjoint_kind(kind: Kind) -> Kind:
    """The kind of the adjoint of a reference, or of a list of them."""
    if isinstance(kind, List) and kind.item is not None:
        return replace(kind, item=adjoint_kind(kind.item))
    assert isinstance(kind, Reference)
    return replace(kind, adjoint=True)


@dataclass(frozen=True, slots=True)
class OneOf(Unknown):
    """A function or class that is one of few."""

    inactive: bool = True
    values: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return " or ".join(getattr(v, "__name__", repr(v)) for v in self.values)


def reached_forms(kind: Kind) -> Iterator[Form]:
    """The forms of a reference and of all that it leads to, each once."""
    seen: set[int] = set()
    waiting = list(kind.forms) if isinstance(kind, Reference) else []
    while waiting:
        form = waiting.pop()
        if id(form) in seen:
            continue
        seen.add(id(form))
        yield form
        for slot in form.slots.values():
            waiting += slot.forms if isinstance(slot, Reference) else ()


def forms_in(kind: Kind) -> Iterator[Form]:
    """The forms of what a value of a kind holds at any depth."""
    if isinstance(kind, Structure):
        for item in kind.items:
            yield from forms_in(item)
    elif isinstance(kind, List) and kind.item is not None:
        yield from forms_in(kind.item)
    else:
        yield from reached_forms(kind)


def _types_of_gradient(form: Form) -> dict[Hashable, frozenset[type]]:
    """The classes by which a gradient is told from others that stand there."""
    if not form.is_value:
        return {}
    real = issubclass(form.constructor, float)
    return {ITSELF: frozenset({float, np.float64} if real else {form.constructor})}


def _slot_of_gradient(slot: Kind) -> Kind:
    """The kind of what stands in a gradient where a slot is of a kind."""
    if isinstance(slot, Reference):
        return _with_forms_of_gradients(slot)
    if isinstance(slot, Unknown):
        return slot if is_real_number_kind(slot) else NONE
    return tangent_kind(slot) if is_real_number_kind(slot) else NONE


def _with_forms_of_gradients(kind: Reference) -> Reference:
    forms = tuple(form.gradient for form in kind.forms if form.gradient is not None)
    none = any(form.is_value and NONE in form.slots.values() for form in forms)
    left = tuple(f for f in forms if not f.is_value or NONE not in f.slots.values())
    return replace(kind, forms=left or forms, may_be_none=none or kind.may_be_none)


def may_be_no_number(form: Form, key: Hashable) -> bool:
    """True for a slot of numbers in which an int or None may stand, too, of which the
    gradient is None."""
    slot = form.slots.get(key)
    if slot is None or isinstance(slot, Reference):
        return False
    classes = form.types.get(key, frozenset())
    real = [cls for cls in classes if issubclass(cls, float | np.inexact | np.ndarray)]
    return is_real_number_kind(slot) and len(real) < len(classes)


def _is_active(form: Form) -> bool:
    if form.active is None:
        form.active = any(
            is_real_number_kind(slot)
            for reached in reached_forms(Reference((form,)))
            for slot in reached.slots.values()
            if not isinstance(slot, Reference)
        )
    return form.active
