"""Reading shapes: functions of the IR that depend on an array's shape alone, never on
its values."""

from typing import Any

import numpy as np

from s2sad import ir, rules


def axis_length(x: Any, axis: int) -> int:
    """``x.shape[axis]``."""
    return x.shape[axis]


def shape_of(x: Any) -> tuple[int, ...]:
    """``x.shape``, where the rank isn't known."""
    return x.shape


def dtype_of_array(x):
    """``x.dtype``, where it isn't known."""
    return x.dtype


def rank_of_array(x: Any) -> int:
    """``x.ndim``, where it isn't known."""
    return x.ndim


def axis_length_kind(x: ir.Kind, axis: ir.Kind) -> ir.Kind:
    """An int that remembers which axis it measures."""
    axes = ir.axes_of(x)
    if axes is None:
        return ir.Scalar("int")
    found = axes[rules.static_value(axis)]
    if found.length == "one":
        return ir.Scalar("int", 1)
    return ir.Scalar("int", None, found.symbol)


def size_kind(x: ir.Kind) -> ir.Kind:
    """The number of elements of a vector is the length of its axis."""
    axes = ir.axes_of(x)
    if axes is not None and len(axes) == 1 and axes[0].length != "one":
        return ir.Scalar("int", None, axes[0].symbol)
    return ir.Scalar("int")


def length_kind(x: ir.Kind) -> ir.Kind:
    """The length of an array is that of its first axis."""
    if isinstance(x, ir.Array) and x.axes:
        return axis_length_kind(x, ir.Scalar("int", 0))
    return ir.Scalar("int")


rules.without_derivative(axis_length, kind=axis_length_kind, cheap=True)
rules.without_derivative(shape_of, kind=rules.opaque, cheap=True)
rules.without_derivative(dtype_of_array, kind=rules.opaque, cheap=True)
rules.without_derivative(rank_of_array, kind=lambda x: ir.Scalar("int"))
rules.without_derivative(np.size, lambda x: None, kind=size_kind, cheap=True)
rules.without_derivative(len, lambda x: None, kind=length_kind, cheap=True)

SHAPE_QUERIES = (axis_length, shape_of, dtype_of_array, rank_of_array, np.size, len)
"""Functions whose result doesn't depend on the values of their first argument."""
