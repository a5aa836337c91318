"""Adjoints of lists, dicts and objects that a program keeps as they are: structures of
the same form that hold the adjoints of the numbers."""

from types import SimpleNamespace
from typing import Any

import numpy as np


def zeros_of_structure(value: Any) -> Any:
    """The adjoint of a list, dict, tuple or object before anything was added to it.

    Lists and others are lists in it, objects records of their attributes; a number is
    0.0, an array one of zeros, anything else None. What appears twice among mutable
    values has one adjoint; each tuple has one of its own. Nothing is recursive.

    >>> zeros_of_structure([{"w": np.ones(2), "name": "a"}, (1.0, 2.0)])
    [{'w': array([0., 0.]), 'name': None}, [0.0, 0.0]]
    """
    adjoint: list[Any] = [None]
    made: dict[int, Any] = {}
    slots: dict[type, tuple[str, ...]] = {}
    waiting: list[Any] = [(value, adjoint, 0)]
    while waiting:
        item, holder, place = waiting.pop()
        cls = type(item)
        if cls is np.ndarray:
            holder[place] = np.zeros_like(item) if item.dtype.kind in "fc" else None
            continue
        if cls is not tuple and id(item) in made:
            holder[place] = made[id(item)]
            continue
        if isinstance(item, list | tuple):
            if set(map(type, item)) <= {float, int}:
                bars: Any = [0.0] * len(item)
                parts: Any = ()
            else:
                bars = [None] * len(item)
                parts = enumerate(item)
            holder[place] = bars
        elif isinstance(item, dict):
            holder[place] = bars = dict.fromkeys(item)
            parts = item.items()
        else:
            if cls not in slots:
                slots[cls] = slots_of(cls)
            holder[place] = record = SimpleNamespace()
            bars = record.__dict__
            parts = held_in(item, slots[cls]) if slots[cls] else item.__dict__.items()
        made[id(item)] = holder[place]
        for key, part in parts:
            of = type(part)
            if of is float or of is int:
                bars[key] = 0.0
            elif of is str or of is bool or part is None:
                bars[key] = None
            elif isinstance(part, np.generic):
                bars[key] = of(0) if isinstance(part, np.inexact) else None
            else:
                waiting.append((part, bars, key))
    return adjoint[0]


def as_structure(value: Any, adjoint: Any) -> Any:
    """The adjoint of a list, dict, tuple or object as a value of its classes; None in
    place of what has no derivative. Objects are made without ``__init__``.

    >>> as_structure([(1.0, "a")], [[2.0, None]])
    [(2.0, None)]
    """
    result: list[Any] = [None]
    made: dict[int, Any] = {}
    slots: dict[type, tuple[str, ...]] = {}
    waiting: list[Any] = [(value, adjoint, result, 0)]
    others: list[Any] = []
    while waiting:
        item, bars, holder, place = waiting.pop()
        cls = type(item)
        if cls is np.ndarray or bars is None:
            holder[place] = bars
            continue
        given: Any
        if isinstance(item, tuple):
            given = [None] * len(item)
            parts: Any = enumerate(item)
            others.append((holder, place, cls, given))
        elif id(item) in made:
            holder[place] = made[id(item)]
            continue
        elif isinstance(item, list):
            holder[place] = given = [None] * len(item)
            parts = enumerate(item)
            if set(map(type, item)) == {float}:
                given[:] = bars
                parts = ()
        elif isinstance(item, dict):
            holder[place] = given = dict.fromkeys(item)
            parts = item.items()
        else:
            if cls not in slots:
                slots[cls] = slots_of(cls)
            bars = bars.__dict__
            holder[place] = whole = object.__new__(cls)
            if slots[cls]:
                parts = held_in(item, slots[cls])
                given = {}
                others.append((whole, None, None, given))
            else:
                parts, given = item.__dict__.items(), whole.__dict__
        made[id(item)] = holder[place]
        for key, part in parts:
            of = type(part)
            if of is float:
                given[key] = bars[key]
            elif of is str or of is int or of is bool or part is None:
                given[key] = None
            elif isinstance(part, np.generic):
                given[key] = bars[key]
            else:
                waiting.append((part, bars[key], given, key))
    for whole, place, cls, given in reversed(others):
        if cls is None:
            for key, part in given.items():
                object.__setattr__(whole, key, part)
        else:
            whole[place] = cls(given) if cls is tuple else cls._make(given)
    return result[0]


def slots_of(cls: type) -> tuple[str, ...]:
    """The attributes that objects of a class hold in slots, its bases' first."""
    return tuple(
        name
        for base in reversed(cls.__mro__)
        for name, found in base.__dict__.items()
        if type(found).__name__ == "member_descriptor"
    )


def held_in(value: Any, slots: tuple[str, ...]) -> Any:
    """The attributes of an object that has slots, each with what it holds."""
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return (held | getattr(value, "__dict__", {})).items()
