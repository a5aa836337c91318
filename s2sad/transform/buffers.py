"""Operations on adjoint buffers, as functions of the IR.

In the IR they return a new value, so that analyses need no notion of memory; the
emitter writes them as stores into a buffer that is known to be unshared (``x_bar[i] +=
value``).
"""

from __future__ import annotations

from typing import Any

import numpy as np


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
