"""Reading shapes: functions of the IR that depend on an array's shape alone, never on
its values."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.ir.kinds import OPAQUE, Array, Kind, Scalar, axes_of
from s2sad.rules.registry import without_derivative
from s2sad.rules.result_kinds import static_value


def axis_length(x: Any, axis: int) -> int:
    """``x.shape[axis]``."""
    return x.shape[axis]


def shape_of(x: Any) -> tuple[int, ...]:
    """``x.shape``, where the rank isn't known."""
    return x.shape


def dtype_of_array(x: Any) -> Any:
    """``x.dtype``, where it isn't known."""
    return x.dtype


def rank_of_array(x: Any) -> int:
    """``x.ndim``, where it isn't known."""
    return x.ndim


def axis_length_kind(x: Kind, axis: Kind) -> Kind:
    """An int that remembers which axis it measures."""
    axes = axes_of(x)
    if axes is None:
        return Scalar("int")
    found = axes[static_value(axis)]
    if found.length == "one":
        return Scalar("int", 1)
    return Scalar("int", None, found.symbol)


def size_kind(x: Kind) -> Kind:
    """The number of elements of a vector is the length of its axis."""
    axes = axes_of(x)
    if axes is not None and len(axes) == 1 and axes[0].length != "one":
        return Scalar("int", None, axes[0].symbol)
    return Scalar("int")


def length_kind(x: Kind) -> Kind:
    """The length of an array is that of its first axis."""
    if isinstance(x, Array) and x.axes:
        return axis_length_kind(x, Scalar("int", 0))
    return Scalar("int")


without_derivative(axis_length, lambda x, axis: None, kind=axis_length_kind, cheap=True)
without_derivative(shape_of, lambda x: None, kind=lambda x: OPAQUE, cheap=True)
without_derivative(dtype_of_array, lambda x: None, kind=lambda x: OPAQUE, cheap=True)
without_derivative(rank_of_array, lambda x: None, kind=lambda x: Scalar("int"))
without_derivative(np.size, lambda x: None, kind=size_kind, cheap=True)
without_derivative(len, lambda x: None, kind=length_kind, cheap=True)

SHAPE_QUERIES = (axis_length, shape_of, dtype_of_array, rank_of_array, np.size, len)
"""Functions whose result doesn't depend on the values of their first argument."""
