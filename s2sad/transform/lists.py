"""Operations on lists whose length is known only when the program runs, as functions of
the IR.

A list is treated by value: ``appended`` gives a new list. The emitter writes
``items.append(item)`` where nobody else can see the old one, see
:mod:`s2sad.optimise.own_lists`. The cotangent of a list is an array whose first axis
runs along the list; its tangent is a list.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def new_list() -> list[Any]:
    """``[]``."""
    return []


def appended(items: list[Any], item: Any, position: Any = None) -> list[Any]:
    """``items`` with ``item`` at its end; its place there is ``position``, where that
    is known."""
    return [*items, item]


def without_last(cotangent: Any) -> Any:
    """The cotangent of a list before its last item was appended: ``cotangent[:-1]``."""
    return cotangent[:-1]


def joined_lists(first: list[Any], second: list[Any]) -> list[Any]:
    """``first + second``."""
    return [*first, *second]


def as_tuple(items: list[Any]) -> Any:
    """``tuple(items)``, which is read like a list."""
    return tuple(items)


def zeros_along(items: list[Any], dtype: Any = float) -> Any:
    """An array of zeros with the shape of ``np.array(items)``."""
    return np.zeros(np.shape(items), dtype)


def shaped_as_items(value: Any, items: list[Any]) -> Any:
    """``value`` in the shape of ``np.array(items)``, which has as many elements."""
    return np.reshape(value, np.shape(items))


def zero_items(items: list[Any]) -> list[Any]:
    """A list of zeros, one for each item and of its shape."""
    return [0.0 * np.asarray(item) for item in items]


def index_of_first(items: list[Any], value: Any) -> int:
    """``items.index(value)``."""
    return items.index(value)


def count_of_range(start: int, stop: int, step: int) -> int:
    """``len(range(start, stop, step))``."""
    return len(range(start, stop, step))
