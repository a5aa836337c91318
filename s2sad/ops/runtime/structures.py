"""Adjoints of lists, dicts and objects that a program keeps as they are: structures of
the same form that hold the adjoints of the numbers."""

import enum
import functools
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np


def zeros_of_structure(value: Any) -> Any:
    """The adjoint of a list, dict, tuple or object before anything was added to it.

    Lists and tuples are lists in it, objects records of their attributes; a number is
    0.0, an array one of zeros, anything else None. What appears twice among mutable
    values has one adjoint; each tuple has one of its own. Nothing is recursive.

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
            cls: Any = type(item)
            if cls is float or cls is int:
                bars[key] = 0.0
            elif cls is complex:
                bars[key] = 0j
            elif cls is np.ndarray:
                bars[key] = np.zeros_like(item) if item.dtype.kind in "fc" else None
            elif item is None:  # where a number may stand
                bars[key] = 0.0
            elif cls is str or cls is bool:
                continue
            elif isinstance(item, np.inexact):
                bars[key] = cls(0.0)
            elif isinstance(item, tuple):
                inner: Any = [None] * len(item)
                bars[key] = inner
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
            elif holds_parts(cls):
                parts = attributes_in(item)
                bars[key] = made[id(item)] = SimpleNamespace(**dict.fromkeys(parts))
                waiting.append((parts, vars(bars[key]), parts))
    return adjoint[0]


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
            holder, place, sort = finish
            if sort is None:
                for name, part in given.items():
                    object.__setattr__(holder, name, part)
            else:
                holder[place] = sort(given) if sort is tuple else sort._make(given)
            continue
        for key in keys:
            item = held[key]
            cls: Any = type(item)
            if cls in (float, complex, np.ndarray) or isinstance(item, np.inexact):
                given[key] = bars[key]
            elif cls in (str, bool, int) or item is None:
                continue
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
            elif holds_parts(cls):
                parts = attributes_in(item)
                given[key] = made[id(item)] = object.__new__(cls)
                inner = dict.fromkeys(parts)
                waiting.append((None, None, inner, (), (given[key], None, None)))
                waiting.append((parts, vars(bars[key]), inner, parts, None))
    return result[0]


def add_to_items(adjoint: Any, amounts: Any) -> None:
    """Add a number or array to each item of a list, or of the lists in it.

    >>> adjoint = [0.0, 1.0]
    >>> add_to_items(adjoint, [2.0, 3.0])
    >>> adjoint
    [2.0, 4.0]
    """
    if not isinstance(amounts, list | tuple) and np.ndim(amounts) == 0:
        amounts = [amounts] * len(adjoint)
    for k, amount in enumerate(amounts):
        if isinstance(adjoint[k], list):
            add_to_items(adjoint[k], amount)
        else:
            adjoint[k] += amount


@functools.lru_cache(maxsize=1024)
def holds_parts(cls: type) -> bool:
    """True for users' classes: their objects are nothing but their attributes."""
    root = cls.__module__.partition(".")[0]
    if root != "__main__" and root in (*sys.stdlib_module_names, "numpy", "scipy"):
        return cls is SimpleNamespace
    return not issubclass(cls, enum.Enum | BaseException | type)


def attributes_in(value: Any) -> dict[str, Any]:
    """The attributes of an object, in a dict."""
    found = {
        name: getattr(value, name)
        for cls in reversed(type(value).__mro__)
        for name in cls.__dict__.get("__slots__", ())
        if name != "__dict__" and hasattr(value, name)
    }
    return found | getattr(value, "__dict__", {})
