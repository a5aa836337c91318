"""Operations that write into arrays, as functions of the IR.

In the IR they return a new value, so that analyses need no notion of memory; the
emitter writes them as stores into a buffer that is known to be unshared (``x_bar[i] +=
value``).
"""

from typing import Any

import numpy as np

from s2sad.ops.rows import CHANGES_OF_ROWS


def index_add(buffer: Any, index: Any, value: Any, repeats: bool = False) -> Any:
    """``buffer`` with ``value`` added at ``index``; ``repeats``: an element may be
    named twice."""
    result = np.array(buffer)
    if repeats:
        np.add.at(result, index, value)
    else:
        result[index] += value
    return result


def index_set(buffer: Any, index: Any, value: Any) -> Any:
    """``buffer`` with ``value`` at ``index``, where it was zero."""
    result = np.array(buffer)
    result[index] = value
    return result


def stored(array: Any, index: Any, value: Any, old: Any = None) -> Any:
    """``array[index] = value`` of the user's program. ``old`` is what stood there,
    which the reverse sweep may put back."""
    result = np.array(array)
    result[index] = value
    return result


def added_to(array: Any, index: Any, value: Any, old: Any = None) -> Any:
    """``array[index] += value`` of the user's program; the index names no element
    twice."""
    result = np.array(array)
    result[index] += value
    return result


def subtracted_from(array: Any, index: Any, value: Any, old: Any = None) -> Any:
    """``array[index] -= value`` of the user's program; as :func:`added_to`."""
    result = np.array(array)
    result[index] -= value
    return result


def accumulated(array: Any, index: Any, value: Any, old: Any = None) -> Any:
    """``np.add.at(array, index, value)`` of the user's program."""
    result = np.array(array)
    np.add.at(result, index, value)
    return result


def overwritten_part(array: Any, index: Any) -> Any:
    """``array[index]`` in memory of its own."""
    return np.array(array[index])


def shared_result(value: Any) -> Any:
    """``value``, which somebody else may hold, too."""
    return value


STORES = (stored, added_to, subtracted_from, accumulated)
"""Stores of the user's program. With four operands they name what they overwrite."""
WRITES = (index_add, index_set, *STORES, *CHANGES_OF_ROWS)
"""The operations that the emitter writes as stores into their first operand."""


def broadcast_like(value: Any, x: Any) -> Any:
    """``value`` spread out to the shape of ``x``, as a read-only view."""
    return np.broadcast_to(value, np.shape(x))


def own_copy(value: Any) -> Any:
    """A copy that shares no memory: ``value.copy()``."""
    return np.array(value)


def full_like_of(value: Any, x: Any) -> Any:
    """A writable array of the shape of ``x`` filled from ``value``, which broadcasts to
    it."""
    return np.array(np.broadcast_to(value, np.shape(x)))
