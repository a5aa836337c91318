"""Numbers in structures of objects: as a vector, and put back in the same structure.
What is one object in two places counts once."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np


def mapped(of_number: Callable[[Any], Any], value: Any) -> Any:
    """A structure with other numbers; None, strings and whole numbers stay."""
    made: dict[int, Any] = {}

    def visit(value: Any) -> Any:
        if isinstance(value, float | np.ndarray):
            return of_number(value)
        if isinstance(value, tuple):
            items = map(visit, value)
            return value._make(items) if hasattr(value, "_fields") else tuple(items)
        if id(value) in made:
            return made[id(value)]
        if isinstance(value, list):
            made[id(value)] = whole = []
            whole += map(visit, value)
            return whole
        if isinstance(value, dict):
            made[id(value)] = whole = dict.fromkeys(value)
            whole.update({key: visit(part) for key, part in value.items()})
            return whole
        names = [
            *getattr(value, "__dict__", ()),
            *(n for cls in type(value).__mro__ for n in vars(cls).get("__slots__", ())),
        ]
        if not names:
            return value
        made[id(value)] = whole = copy.copy(value)
        for name in names:
            object.__setattr__(whole, name, visit(getattr(value, name)))
        return whole

    return visit(value)


def vector(value: Any) -> np.ndarray:
    """The numbers of a structure, one behind the other."""
    found: list[np.ndarray] = []
    mapped(lambda number: found.append(np.ravel(number)), value)
    return np.concatenate([np.zeros(0), *found])


def with_numbers(value: Any, numbers: np.ndarray) -> Any:
    """The structure with the numbers of a vector."""
    place = 0

    def put(number: Any) -> Any:
        nonlocal place
        start, place = place, place + np.size(number)
        part = np.asarray(numbers[start:place], float).reshape(np.shape(number))
        return part.copy() if isinstance(number, np.ndarray) else float(part)

    made = mapped(put, value)
    assert place == len(numbers)
    return made
