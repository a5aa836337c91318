"""The forms of run-time values: what lists, dicts and objects of a call hold.

Takes the values that stand at one place of the arguments, all of them at once; gives
one kind for the place. Values are gone through column by column (all items of all
lists that stand at a place, one attribute of all objects of a class), so that much data
of one sort costs little more than a loop over it, and without recursion.

>>> @dataclasses.dataclass
... class Spring:
...     k: float
>>> str(kind_of_reference([Spring(1.0), Spring(2.0)], "springs"))
'list'
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.source.kinds import attributes, foreign_classes
from s2sad.source.kinds.kinds_of_values import PYTHON_NUMBERS, kind_of_value

LONGEST_RECORD = 16
"""A tuple of more items is a sequence of items that are alike."""
CONTAINERS = (list, tuple, dict)


class NoForm(Exception):
    """What stands at a place can't be held by reference."""


@dataclasses.dataclass
class _Slot:
    """A place that values stand at."""

    form: ir.Form
    key: Hashable
    values: list[Any]


class Forms:
    """A table of forms, filled with the values of a call."""

    def __init__(self) -> None:
        self.of_classes: dict[type, ir.Form] = {}
        self.of_places: dict[tuple[int, Hashable, Any], ir.Form] = {}
        self._seen: dict[int, Any] = {}
        """What was gone through, by identity; values that are alive."""
        self._waiting: list[_Slot] = []

    def kind(self, value: Any, path: Hashable) -> ir.Kind:
        """The kind of a run-time value at a place of the arguments.

        Raises NoForm where it holds what can't be held so."""
        root = ir.Form(object)
        self.of_places[(id(root), path, None)] = root  # stays alive
        self._waiting.append(_Slot(root, path, [value]))
        while self._waiting:
            slot = self._waiting.pop()
            self._fill(slot)
        return root.slots[path]

    def _fill(self, slot: _Slot) -> None:
        """Join the kinds of more values at a place with what is known of it."""
        form, key = slot.form, slot.key
        by_class: dict[type, list[Any]] = {}
        classes = set(map(type, slot.values))
        if len(classes) == 1:
            by_class[classes.pop()] = slot.values
        else:
            for value in slot.values:
                by_class.setdefault(type(value), []).append(value)
        kind = form.slots.get(key)
        for cls, values in by_class.items():
            own = self._kind_of(cls, values, form, key)
            kind = own if kind is None else ir.join(kind, own)
        if kind is None:
            return
        if isinstance(kind, ir.Unknown) and not kind.inactive:
            if kind.present is None:
                raise NoForm(f"values of unlike sorts stand at {key!r}")
        form.slots[key] = kind
        form.types[key] = form.types.get(key, frozenset()) | by_class.keys()

    def _kind_of(
        self, cls: type, values: Sequence[Any], holder: ir.Form, key: Hashable
    ) -> ir.Kind:
        """The kind of values of one class that stand at a place."""
        if cls in PYTHON_NUMBERS:
            return PYTHON_NUMBERS[cls]
        if cls is np.ndarray:
            return _kind_of_arrays(values)
        if cls in CONTAINERS or hasattr(cls, "_fields"):
            return self._kind_of_containers(cls, values, holder, key)
        first = values[0]
        if attributes.is_users_class(cls) and not callable_alone(first):
            names = attributes.attributes_of(first)
            if names is not None:
                return self._kind_of_objects(cls, values)
        if foreign_classes.is_foreign(cls):
            raise NoForm(f"a {cls.__name__} stands at {key!r}")
        kind = kind_of_value(first, key)
        if isinstance(kind, ir.Known):
            if kind == ir.NONE:
                return kind
            same = all(ir.Known(value) == kind for value in values)
            if callable(first) or isinstance(first, type):
                if not same:
                    raise NoForm(f"different functions stand at {key!r}")
                return kind
            return ir.OPAQUE
        if ir.is_real_number_kind(kind) and not isinstance(kind, ir.Numeric):
            raise NoForm(f"a {cls.__name__} stands at {key!r}")
        return kind

    def _kind_of_objects(self, cls: type, values: Sequence[Any]) -> ir.Kind:
        form = self.of_classes.get(cls)
        if form is None:
            names = attributes.attributes_of(values[0]) or ()
            form = self.of_classes[cls] = ir.Form(cls, names)
        fresh = self._fresh(values)
        if not hold_alike(fresh, form.keys):
            raise NoForm(f"objects of {cls.__name__} have different attributes")
        for name in form.keys:
            column = [getattr(value, name) for value in fresh]  # type: ignore[call-overload]
            self._waiting.append(_Slot(form, name, column))
        return ir.Reference((form,))

    def _kind_of_containers(
        self, cls: type, values: Sequence[Any], holder: ir.Form, key: Hashable
    ) -> ir.Kind:
        record = cls not in CONTAINERS or (
            cls is tuple
            and len(values[0]) <= LONGEST_RECORD
            and len(set(map(len, values))) == 1
        )
        keys: tuple[Hashable, ...] = (ir.EACH,)
        if record:
            keys = getattr(cls, "_fields", tuple(range(len(values[0]))))
        place = (id(holder), key, cls)
        form = self.of_places.get(place)
        if form is None:
            form = self.of_places[place] = ir.Form(cls, keys)
        elif form.keys != keys:
            raise NoForm(f"tuples of unlike lengths stand at {key!r}")
        fresh = self._fresh(values)
        if cls is dict:
            names = (name for value in fresh for name in value)
            form.key = self._joined_keys(form.key, names)
            items: list[Any] = [item for value in fresh for item in value.values()]
            self._waiting.append(_Slot(form, ir.EACH, items))
        elif record:
            for place_in, name in enumerate(keys):
                column = [value[place_in] for value in fresh]
                self._waiting.append(_Slot(form, name, column))
        else:
            items = [item for value in fresh for item in value]
            self._waiting.append(_Slot(form, ir.EACH, items))
        return ir.Reference((form,))

    def _joined_keys(self, known: ir.Kind | None, keys: Iterable[Any]) -> ir.Kind:
        classes = set(map(type, keys))
        kinds = [PYTHON_NUMBERS.get(cls, ir.OPAQUE) for cls in classes]
        for kind in kinds:
            known = kind if known is None else ir.join(known, kind)
        return ir.OPAQUE if known is None else known

    def _fresh(self, values: Iterable[Any]) -> list[Any]:
        """Those that weren't gone through yet."""
        seen = self._seen
        fresh = []
        for value in values:
            if id(value) not in seen:
                seen[id(value)] = value
                fresh.append(value)
        return fresh


def hold_alike(objects: Sequence[Any], names: tuple[Hashable, ...]) -> bool:
    """True for objects that have these attributes and no others."""
    wanted = frozenset(names)
    for value in objects:
        held = getattr(value, "__dict__", None)
        if held is None or held.keys() != wanted:
            found = attributes.attributes_of(value)
            if found is None or frozenset(found) != wanted:
                return False
    return True


def callable_alone(value: Any) -> bool:
    """True for functions in disguise."""
    return isinstance(getattr(value, "__wrapped__", None), type(callable_alone))


def _kind_of_arrays(values: Sequence[Any]) -> ir.Kind:
    told = {(v.dtype, tuple(map(_sort_of_length, v.shape))) for v in values}
    kind: ir.Kind | None = None
    for dtype, lengths in told:
        if dtype.names is not None or dtype.kind == "O":
            raise NoForm("an array of records or objects")
        own = ir.Array(dtype.name, tuple(ir.Axis(length) for length in lengths))
        kind = own if kind is None else ir.join(kind, own)
    assert isinstance(kind, ir.Array)
    if kind.axes is None:
        raise NoForm("arrays of unlike ranks")
    return dataclasses.replace(kind, axes=tuple(ir.Axis(a.length) for a in kind.axes))


def _sort_of_length(length: int) -> str:
    return "one" if length == 1 else "many"


def kind_of_reference(value: Any, path: Hashable) -> ir.Kind:
    """The kind of a list, dict or object that is held at run time, by itself."""
    return Forms().kind(value, path)


FEW = 4
"""Up to so many items that are alike are followed one by one."""


class KeptAtRunTime:
    """Keeps what has many items, and objects that lead to others of their class."""

    everything = False
    """Keeps all lists, dicts and objects."""

    def __init__(self) -> None:
        self.forms = Forms()
        self.kept = False
        """Whether anything was kept."""

    def kind(self, value: Any, path: Hashable) -> ir.Kind | None:
        """The kind of a list, dict or object that is kept; None for others."""
        kept = _has_many_alike(value) or _leads_to_its_class(value)
        if not (kept or self.everything):
            return None
        try:
            found = self.forms.kind(value, path)
        except NoForm:
            return None
        self.kept = True
        return found


def _has_many_alike(value: Any) -> bool:
    if type(value) not in CONTAINERS or len(value) <= FEW:
        return False
    items = value.values() if isinstance(value, dict) else value
    classes = set(map(type, items)) - {type(None)}
    if classes <= {float, int}:
        return len(classes) > 0 and (type(value) is dict)
    if len(classes) != 1:
        return all(map(attributes.is_users_class, classes))
    (cls,) = classes
    if cls is np.ndarray:
        return type(value) is dict and len({item.ndim for item in items}) == 1
    return (
        cls in CONTAINERS or hasattr(cls, "_fields") or attributes.is_users_class(cls)
    )


def _leads_to_its_class(value: Any) -> bool:
    """True for an object from which another one of its class can be reached: a tree, a
    chain, parents and children."""
    cls = type(value)
    if not attributes.is_users_class(cls):
        return False
    seen = {id(value)}
    waiting = [value]
    while waiting and len(seen) < 1000:
        holder = waiting.pop()
        if isinstance(holder, dict):
            parts: Iterable[Any] = holder.values()
        elif isinstance(holder, list | tuple):
            parts = holder[:8]
        else:
            names = attributes.attributes_of(holder) or ()
            parts = [getattr(holder, name) for name in names]
        for part in parts:
            if type(part) is cls:
                return True
            if id(part) not in seen and (
                isinstance(part, list | tuple | dict)
                or attributes.is_users_class(type(part))
            ):
                seen.add(id(part))
                waiting.append(part)
    return False
