"""Forms of run-time values that annotations promise: of lists, dicts and objects that a
file's derivatives keep as they are.

One form is made for each class, and one for each place where an annotation speaks of a
container, so that classes may lead to themselves::

    class Node:                       Node(value: float, kids: list of Node)
        value: float         ->
        kids: list["Node"]
"""

import dataclasses
from collections.abc import Callable, Hashable, Iterable
from types import NoneType
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.source.annotations.annotation_nodes import stand_in_of
from s2sad.source.kinds import lists
from s2sad.source.static.attributes import slots_of_class
from s2sad.source.static.values import StaticClass


@dataclasses.dataclass(eq=False)
class AnnotatedForms:
    """The forms that the annotation of one parameter speaks of."""

    of_classes: dict[Any, ir.Form] = dataclasses.field(default_factory=dict)
    is_told: bool = True
    """False where an annotation says too little of what stands in a slot."""

    def of_class(
        self, cls: Any, fields: Callable[[], Iterable[tuple[Hashable, ir.Kind]]]
    ) -> ir.Reference:
        """The kind of the objects of a class; ``fields`` gives those that they have,
        and is asked once."""
        form = self.of_classes.get(cls)
        if form is None:
            constructor: Any = cls
            if isinstance(cls, StaticClass):
                constructor = stand_in_of(cls)
            names = {f.constructor.__name__ for f in self.of_classes.values()}
            form = self.of_classes[cls] = ir.Form(constructor)
            alike = constructor.__name__ in names  # a file tells them by their names
            slots = _slots_of(cls)
            self.is_told &= not alike and slots is not None
            others = dict.fromkeys(slots or (), ir.UNKNOWN)
            self._fill(form, list((others | dict(fields())).items()), all_told=False)
        return ir.Reference((form,))

    def of_record(
        self, constructor: type, fields: Iterable[tuple[Hashable, ir.Kind]]
    ) -> ir.Reference:
        """The kind of tuples, and of dicts with these keys."""
        form = ir.Form(constructor)
        self._fill(form, list(fields))
        return ir.Reference((form,))

    def of_container(
        self, constructor: type, item: ir.Kind, key: ir.Kind | None = None
    ) -> ir.Reference:
        """The kind of lists, tuples and dicts of any length."""
        form = ir.Form(constructor, key=key)
        self.is_told &= key in (None, ir.OPAQUE) or classes_of(key) is not None
        self._fill(form, [(ir.EACH, item)])
        return ir.Reference((form,))

    def join(self, a: ir.Kind, b: ir.Kind) -> ir.Kind:
        """The kind of a slot of which either is promised."""
        if isinstance(b, ir.Reference) and not isinstance(a, ir.Reference):
            a, b = b, a
        if {a, b} == {ir.FLOAT, ir.INT}:
            return MIXED
        if isinstance(a, ir.Array) and b == ir.FLOAT:
            a, b = b, a
        if a == ir.FLOAT and isinstance(b, ir.Array):
            return dataclasses.replace(b, promoted=True)
        if not isinstance(a, ir.Reference):
            return ir.join(a, b)
        if b == ir.NONE:
            return dataclasses.replace(a, may_be_none=True)
        if not isinstance(b, ir.Reference):
            values = _forms_of_values(b)
            self.is_told &= values != ()
            b = ir.Reference(values) if values else ir.UNKNOWN
        if not isinstance(b, ir.Reference):
            return b
        forms = tuple(dict.fromkeys((*a.forms, *b.forms)))
        none = a.may_be_none or b.may_be_none
        return ir.Reference(forms, may_be_none=none)

    def _fill(
        self,
        form: ir.Form,
        fields: list[tuple[Hashable, ir.Kind]],
        *,
        all_told: bool = True,
    ) -> None:
        """Say what each slot holds. An attribute of which nothing is known has none: it
        is there, and may not be read."""
        form.keys = tuple(key for key, _ in fields)
        for key, kind in fields:
            slot = _without_symbols(kind)
            if isinstance(slot, ir.Array) and slot.promoted and not slot.axes:
                # of any rank is a number, too
                form.types[key] = classes_of(slot)
                slot = dataclasses.replace(slot, promoted=False)
            if slot is None:
                self.is_told &= not all_told
                continue
            form.slots[key] = _without_mixture(slot)
            classes = classes_of(slot)
            if classes is not None:
                form.types.setdefault(key, classes)


def _forms_of_values(kind: ir.Kind) -> tuple[ir.Form, ...]:
    """The forms of numbers and arrays that are promised beside references; none of what
    isn't known to be such."""
    if isinstance(kind, ir.Array):
        slot = _without_symbols(kind)
        assert slot is not None
        return (ir.form_of_value(np.ndarray, slot),) if not kind.promoted else ()
    is_number = kind == MIXED or ir.is_value(kind)
    classes = classes_of(kind) or () if is_number else ()
    return tuple(ir.form_of_value(cls, _KINDS[cls]) for cls in classes if cls in _KINDS)


def _slots_of(cls: Any) -> tuple[str, ...] | None:
    """The slots of a class; None where they aren't known, or it is live and has some:
    a file doesn't make objects of it."""
    if isinstance(cls, StaticClass):
        return slots_of_class(cls)
    return None if any("__slots__" in vars(b) for b in cls.__mro__[:-1]) else ()


def _without_mixture(slot: ir.Kind) -> ir.Kind:
    """The kind of a slot that may hold ints beside floats: floats."""
    if isinstance(slot, ir.Unknown) and slot.present == MIXED:
        return dataclasses.replace(slot, present=ir.FLOAT)
    return ir.FLOAT if slot == MIXED else slot


def _without_symbols(kind: ir.Kind) -> ir.Kind | None:
    """The kind as that of a slot; None where it says too little."""
    if isinstance(kind, ir.Known) and kind != ir.NONE:
        return ir.OPAQUE  # a text of a Literal
    if isinstance(kind, ir.Scalar):
        return dataclasses.replace(kind, value=None)
    if isinstance(kind, ir.Array):
        axes = kind.axes and tuple(ir.Axis(a.length) for a in kind.axes)
        return ir.Array(kind.dtype, axes, kind.promoted)
    if isinstance(kind, ir.Reference | ir.NumPyScalar | ir.Members):
        return kind
    if kind in (ir.NONE, ir.OPAQUE):
        return kind
    present = getattr(kind, "present", None)
    return kind if present is not None and ir.is_real_number_kind(present) else None


_CLASSES: dict[ir.Kind, type] = {
    ir.FLOAT: float,
    ir.INT: int,
    ir.BOOL: bool,
    ir.COMPLEX: complex,
    ir.NONE: NoneType,
}
_KINDS = {cls: kind for kind, cls in _CLASSES.items()}
MIXED = lists.MIXED
"""Of a float or an int."""


def classes_of(kind: ir.Kind) -> frozenset[type] | None:
    """The classes that stand in a slot of a kind; None where that isn't known.

    >>> sorted(cls.__name__ for cls in classes_of(ir.FLOAT))
    ['float']
    """
    if kind == MIXED:
        return frozenset((float, int))
    if kind in _CLASSES:
        return frozenset((_CLASSES[kind],))
    if isinstance(kind, ir.NumPyScalar):
        return frozenset((np.dtype(kind.dtype).type,))
    if isinstance(kind, ir.Array):
        return frozenset((np.ndarray, *[float] * kind.promoted))
    if isinstance(kind, ir.Reference):
        none = (NoneType,) if kind.may_be_none else ()
        return frozenset((*(form.constructor for form in kind.forms), *none))
    present = getattr(kind, "present", None)
    found = None if present is None else classes_of(present)
    return None if found is None else found | {NoneType}
