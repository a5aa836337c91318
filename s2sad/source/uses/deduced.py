"""Annotations in place of those that the user left out, by how functions read what they
are given.

Takes a function that was read; gives the annotations of its parameters, and of the
attributes of classes, that have none. They are what the function most simply may be
meant for. A file checks its arguments, so that others are refused where it runs::

    def energy(springs, scale):              springs: list[Spring]
        total = 0.0                          scale: float
        for s in springs:          ->        Spring.k: float
            total += scale * s.k
        return total
"""

import collections
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.source.annotations.annotation_nodes import is_structure, stand_in_of
from s2sad.source.static.values import StaticClass, StaticFunction
from s2sad.source.uses.places import ITEM, KEY, Place, unite
from s2sad.source.uses.statements import read_all
from s2sad.source.uses.table import Table

_SEQUENCES = ("iterated", "summed", "sized", "list", "indexed", "sliced", "run over")
_PLAIN = (float, int, str)
MOST_CLASSES = 8
"""So many classes may have what is read."""


@dataclass(frozen=True)
class Deduced:
    """Annotations that are in no text."""

    parameters: Mapping[str, Any]
    """Those of lists, dicts and objects, and of numbers beside them."""
    attributes: Mapping[tuple[StaticClass, str], Any]
    certain: tuple[str, ...]
    """Parameters that are no arrays, with the numbers beside them."""


def deduced(function: StaticFunction) -> Deduced:
    """What the parameters of a function are that have no annotation, and the attributes
    of classes, as far as the text tells."""
    table = Table(function.source)
    owner = None
    if function.owner is not None and "staticmethod" not in function.decorators:
        owner = function.owner
    uses = table.uses(function.source, owner)
    read_all(table)
    table.inherit()
    uses.result.note("one", "number")
    _note_keys(table)
    _note_operands(table)
    annotations = _Annotations(table)
    parameters = {}
    for name, place in uses.parameters.items():
        if place.found().annotation is None:
            parameters[name] = annotations.of(place)
    parameters = {
        n: told
        for n, told in parameters.items()
        if told in _PLAIN or is_structure(told)
    }
    if not any(map(is_structure, parameters.values())):
        parameters = {}
    attributes = {
        (cls, name): annotations.of(place)
        for (cls, name), place in list(table.attributes.items())
        if table.fields(cls)[name][0] is Any
    }
    certain = [n for n in parameters if annotations.is_no_array(uses.parameters[n])]
    return Deduced(
        parameters,
        {key: told for key, told in attributes.items() if told is not Any},
        tuple(certain and parameters),
    )


def _note_keys(table: Table) -> None:
    """Tell whether places are indexed by keys or by whole numbers."""
    for place in table.indexed:
        if ITEM in place.found().steps:
            for _, part in place.steps_of("at"):
                unite(place.step(ITEM), part)
    indexed = [place for place in table.indexed if KEY in place.found().steps]
    for place in indexed:
        if place.has("dict") and not place.step(KEY).has("whole"):
            place.step(KEY).note("key")
    for place in indexed:
        key = place.step(KEY)
        if is_dict(place) or key.has("whole", "constant"):
            continue
        if place.has("list", "sliced", "run over"):
            key.note("whole")
        elif not place.has("iterated", "summed", "sized") and not key.words:
            key.note("a key or a place")


def _note_operands(table: Table) -> None:
    """Of what is computed element by element a single number is made of such alone, and
    a whole one of whole ones where nothing is divided."""
    known = -1
    while known != (
        known := sum(r.has("one") + r.has("whole") for r, _, _ in table.operations)
    ):
        for result, operands, exact in table.operations:
            for operand in operands:
                if result.has("one"):
                    operand.note("one")
                if exact and result.has("whole"):
                    operand.note("whole")


def is_dict(place: Place) -> bool:
    """Whether what stands at a place is used as dicts are."""
    if place.has("dict") or any(True for _ in place.steps_of("named")):
        return True
    if KEY not in place.found().steps or place.has("list"):
        return False
    key = place.step(KEY)
    return (
        key.has("text", "key")
        or (key is place.step(ITEM) and not key.has("whole"))  # for k in d: d[k]
        or place.has("searched")
    )


class _Annotations:
    """Annotations for places."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.inside: list[Place] = []

    def is_no_array(self, place: Place, seen: frozenset[Place] = frozenset()) -> bool:
        """Whether a place, or an item of it, is read as no array is: by a text, by the
        name of an attribute."""
        place = place.found()
        return place not in seen and (
            is_dict(place)
            or len(self.table.classes_at(place)) > 0
            or any(
                self.is_no_array(inner, seen | {place})
                for inner in place.steps.values()
            )
        )

    def of(self, place: Place) -> Any:
        """The annotation of what stands at a place; ``Any`` where it isn't known."""
        place = place.found()
        if place.annotation is not None:
            return place.annotation
        if any(place is one for one in self.inside):
            return Any  # a list that holds itself
        self.inside.append(place)
        told = self._present(place)
        self.inside.pop()
        if told is Any or not (place.has("none") or self._is_asked_for(place)):
            return told
        return typing.Optional[told]  # noqa: UP045

    def _is_asked_for(self, place: Place) -> bool:
        """Whether an object is tested that is always true where there is one."""
        classes = self.table.classes_at(place) if place.has("truth") else []
        tests = ("__bool__", "__len__")
        return len(classes) > 0 and not any(
            self.table.has(cls, name) for cls in classes for name in tests
        )

    def _present(self, place: Place) -> Any:
        classes = self.table.classes_at(place)
        if place.has("several sorts") or len(classes) > MOST_CLASSES:
            return Any
        if classes:
            return typing.Union[tuple(map(stand_in_of, classes))]  # noqa: UP007
        if place.has("array", "like an array") and not place.has("list", "dict"):
            return np.ndarray
        if place.has("text") and not place.has("list", "dict"):
            return str
        if is_dict(place):
            return self._of_dict(place, dict(place.steps_of("named")))
        if place.has("deque"):
            return collections.deque[self.of(place.step(ITEM))]  # type: ignore[misc]
        parts = dict(place.steps_of("at"))
        if place.has("unpacked") and not place.has("iterated", "list", "indexed"):
            return self._of_tuple(parts)
        if parts or place.has(*_SEQUENCES):
            if place.has("indexed") and not place.step(KEY).has("whole", "constant"):
                either = place.step(KEY).has("a key or a place")
                return self._of_dict(place, {}) if either else Any
            for part in parts.values():
                unite(place.step(ITEM), part)
            return list[self.of(place.step(ITEM))]  # type: ignore[misc]
        return self._of_number(place)

    def _of_dict(self, place: Place, named: dict[str, Place]) -> Any:
        """A dict of any keys, or one of these names where unlike things stand under
        them."""
        if ITEM in place.steps:
            named = named | {ITEM: place.step(ITEM)}
        found = [self.of(inner) for inner in named.values()]
        told = found[0] if found else Any
        if any(other != told for other in found):
            if all(other in (float, np.ndarray, _EITHER) for other in found):
                told = _EITHER
            elif ITEM in named:
                return Any
            else:
                return typing.TypedDict("Record", dict(zip(named, found)))  # type: ignore[operator]
        key: Any = str
        if KEY in place.steps and place.step(KEY) is not place.step(ITEM):
            key = self.of(place.step(KEY))
            key = int if key is float else key
        return dict[str if key is Any else key, told]  # type: ignore[misc]

    def _of_tuple(self, parts: dict[int, Place]) -> Any:
        last = max(parts, default=-1)
        if sorted(parts) != list(range(last + 1)):
            return Any
        return tuple[tuple(self.of(parts[at]) for at in range(last + 1))]  # type: ignore[misc]

    def _of_number(self, place: Place) -> Any:
        if place.has("whole"):
            return int
        if place.has("key", "a key or a place") and not place.has("number"):
            return str
        if place.has("handed to a library"):
            return np.ndarray if not place.has("number") else _EITHER
        if place.has("number"):
            one = place.has("one") or not self.table.of_arrays
            return float if one else _EITHER
        if place.has("counted"):
            return int
        return bool if place.has("truth") else Any


_EITHER = float | np.ndarray
