"""Adjoints and tangents of lists, dicts and objects that a program keeps as they are:
structures of the same form that hold those of the numbers.

All walks are iterative: a chain of 10^5 objects has no depth here."""

import enum
import functools
import sys
import types
from collections import deque
from types import SimpleNamespace
from typing import Any

import numpy as np


def zeros_of_structure(value: Any) -> Any:
    """The adjoint of a list, dict, tuple or object before anything was added to it.

    Lists and tuples are lists in it, objects records of their attributes; a number is
    0.0, an array one of zeros, anything else None. What appears twice among mutable
    values has one adjoint; each tuple has one of its own.

    >>> zeros_of_structure([{"w": np.ones(2), "name": "a"}, (1.0, 2.0)])
    [{'w': array([0., 0.]), 'name': None}, [0.0, 0.0]]
    """
    adjoint: list[Any] = [None]
    made: dict[int, Any] = {}
    waiting: list[Any] = [([value], adjoint, (0,))]
    while waiting:
        held, bars, keys = waiting.pop()
        for key in keys:
            item = held[key]
            cls = type(item)
            if cls is float or cls is int:
                bars[key] = 0.0
            elif cls is np.ndarray:
                bars[key] = np.zeros_like(item) if item.dtype.kind in "fc" else None
            elif cls is str or item is None:
                continue
            elif isinstance(item, np.generic | int | float | complex):
                bars[key] = _zero(item)
            elif isinstance(item, tuple):
                bars[key] = inner = _items_of_tuple(item)
                waiting.append((item, inner, range(len(item))))
            elif id(item) in made:
                bars[key] = made[id(item)]
            elif isinstance(item, list):
                if set(map(type, item)) == {float}:
                    bars[key] = made[id(item)] = [0.0] * len(item)
                    continue
                bars[key] = made[id(item)] = inner = [None] * len(item)
                waiting.append((item, inner, range(len(item))))
            elif isinstance(item, dict):
                bars[key] = made[id(item)] = inner = dict.fromkeys(item)
                waiting.append((item, inner, item))
            else:
                parts = attributes_in(item)
                if not parts:
                    continue
                bars[key] = made[id(item)] = SimpleNamespace(**dict.fromkeys(parts))
                waiting.append((parts, vars(bars[key]), parts))
    return adjoint[0]


class NamedItems(list[Any]):
    """The adjoint of a named tuple: its items may be read and set by name, too.

    >>> bars = NamedItems([0.0, 1.0])
    >>> bars.names = ("k", "rest")
    >>> bars.k += 2.0
    >>> bars, bars.rest
    ([2.0, 1.0], 1.0)
    """

    names: tuple[str, ...]

    def __getattr__(self, name: str) -> Any:
        return self[_place_of(self, name)]

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "names":
            super().__setattr__(name, value)
        else:
            self[_place_of(self, name)] = value


def _place_of(items: NamedItems, name: str) -> int:
    if name.startswith("__") or name not in items.names:
        raise AttributeError(name)
    return items.names.index(name)


def _items_of_tuple(value: tuple[Any, ...]) -> list[Any]:
    """Place for the adjoints of a tuple's items."""
    names = getattr(type(value), "_fields", None)
    if names is None:
        return [None] * len(value)
    made = NamedItems([None] * len(value))
    made.names = names
    return made


def _zero(number: Any) -> Any:
    if isinstance(number, np.inexact):
        return type(number)(0.0)
    return 0j if isinstance(number, complex) else 0.0


def as_structure(value: Any, adjoint: Any) -> Any:
    """The adjoint of a list, dict, tuple or object as a value of its classes; None in
    place of what has no derivative. Objects are made without ``__init__``.

    >>> as_structure([(1.0, "a")], [[2.0, None]])
    [(2.0, None)]
    """
    result: list[Any] = [None]
    made: dict[int, Any] = {}
    waiting: list[Any] = [([value], [adjoint], result, (0,), None)]
    while waiting:
        held, bars, given, keys, finish = waiting.pop()
        if finish is not None:
            _finish(given, *finish)
            continue
        for key in keys:
            item = held[key]
            cls = type(item)
            if cls is float or cls is np.ndarray:
                given[key] = bars[key]
            elif cls in (str, bool, int) or item is None:
                continue
            elif isinstance(item, np.generic | float | complex):
                if not isinstance(item, np.bool_ | np.integer):
                    given[key] = bars[key]
            elif isinstance(item, tuple):
                inner: Any = [None] * len(item)
                waiting.append((None, None, inner, (), (given, key, cls)))
                waiting.append((item, bars[key], inner, range(len(item)), None))
            elif id(item) in made:
                given[key] = made[id(item)]
            elif isinstance(item, list):
                given[key] = made[id(item)] = inner = [None] * len(item)
                if set(map(type, item)) == {float}:
                    inner[:] = bars[key]
                    continue
                waiting.append((item, bars[key], inner, range(len(item)), None))
            elif isinstance(item, dict):
                given[key] = made[id(item)] = inner = dict.fromkeys(item)
                waiting.append((item, bars[key], inner, item, None))
            else:
                parts = attributes_in(item)
                if not parts:
                    continue
                given[key] = made[id(item)] = _bare(cls)
                inner = dict.fromkeys(parts)
                waiting.append((None, None, inner, (), (given[key], None, None)))
                waiting.append((parts, slots_of(bars[key]), inner, parts, None))
    return result[0]


def _bare(cls: type) -> Any:
    """An object without attributes; no ``__new__`` of the user's runs."""
    base: Any = SimpleNamespace if issubclass(cls, SimpleNamespace) else object
    return base.__new__(cls)


def _finish(parts: Any, holder: Any, place: Any, cls: Any) -> None:
    """Give an object its attributes, or put a tuple of what is complete now where it
    belongs."""
    if cls is None:
        for name, part in parts.items():
            object.__setattr__(holder, name, part)
    else:
        holder[place] = cls(parts) if cls is tuple else cls._make(parts)


def own_structure(value: Any) -> Any:
    """A copy of a list, dict, tuple or object with all that it leads to, arrays
    included. What is neither a container nor made of attributes is shared.

    >>> inner = [1.0]
    >>> whole = own_structure([inner, (inner, np.ones(1))])
    >>> whole, whole[0] is whole[1][0], whole[0] is inner
    ([[1.0], ([1.0], array([1.]))], True, False)
    """
    result: list[Any] = [None]
    made: dict[int, Any] = {}
    waiting: list[Any] = [([value], result, (0,), None)]
    while waiting:
        held, own, keys, finish = waiting.pop()
        if finish is not None:
            _finish(own, *finish)
            continue
        for key in keys:
            item = held[key]
            cls = type(item)
            if cls is float or cls is int or cls is str or item is None:
                own[key] = item
            elif isinstance(item, tuple):
                inner: Any = [None] * len(item)
                waiting.append((None, inner, (), (own, key, cls)))
                waiting.append((item, inner, range(len(item)), None))
            elif id(item) in made:
                own[key] = made[id(item)]
            elif cls is np.ndarray:
                own[key] = made[id(item)] = item.copy()
            elif isinstance(item, list):
                own[key] = made[id(item)] = inner = _items_like(item)
                if set(map(type, item)) <= {float}:
                    inner[:] = item
                    continue
                waiting.append((item, inner, range(len(item)), None))
            elif isinstance(item, dict):
                own[key] = made[id(item)] = inner = _empty_like(item)
                inner.update(dict.fromkeys(item))
                waiting.append((item, inner, item, None))
            elif isinstance(item, set | bytearray | deque):
                own[key] = made[id(item)] = item.copy()
            else:
                parts = attributes_in(item)
                if not parts:
                    own[key] = item
                    continue
                own[key] = made[id(item)] = _bare(cls)
                inner = dict.fromkeys(parts)
                waiting.append((None, inner, (), (own[key], None, None)))
                waiting.append((parts, inner, parts, None))
    return result[0]


def own_structures(*values: Any) -> tuple[Any, ...]:
    """Copies of several values; what they share, the copies share."""
    copies: tuple[Any, ...] = own_structure(values)
    return copies


def _items_like(items: list[Any]) -> list[Any]:
    if type(items) is not NamedItems:
        return [None] * len(items)
    own = NamedItems([None] * len(items))
    own.names = items.names
    return own


def _empty_like(items: dict[Any, Any]) -> dict[Any, Any]:
    """A dict of the class of another one, a default factory included."""
    if type(items) is dict:
        return {}
    own = items.copy()
    own.clear()
    return own


def attributes_in(value: Any) -> dict[str, Any]:
    """The attributes of an object by name, to be read alone; none for what isn't made
    of attributes."""
    slots = _slots_of_class(type(value))
    if slots is None:
        return {}
    held: dict[str, Any] = getattr(value, "__dict__", {})
    if not slots:
        return held
    return {n: getattr(value, n) for n in slots if hasattr(value, n)} | held


def slots_of(adjoint: Any) -> dict[str, Any]:
    """The slots of the adjoint or tangent of an object."""
    if type(adjoint) is SimpleNamespace:
        return vars(adjoint)
    return attributes_in(adjoint)


_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_NEVER_RECORDS = (enum.Enum, BaseException, type, int, float, complex, str, bytes)


@functools.lru_cache(maxsize=1024)
def _slots_of_class(cls: type) -> tuple[str, ...] | None:
    """The ``__slots__`` of a class; None for classes of Python and NumPy, whose
    instances aren't looked into."""
    root = cls.__module__.partition(".")[0]
    library = root in ("numpy", "scipy") or root in sys.stdlib_module_names
    if cls is not SimpleNamespace and library and root != "__main__":
        return None
    if cls is not SimpleNamespace and not cls.__flags__ & _MADE_BY_PYTHON:
        return None
    if issubclass(cls, _NEVER_RECORDS):
        return None
    return tuple(
        name
        for base in reversed(cls.__mro__)
        for name, found in vars(base).items()
        if type(found) is types.MemberDescriptorType and name != "__dict__"
    )
