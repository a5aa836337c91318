"""Diagonals and traces."""

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime.indices import diagonal_index
from s2sad.rules.numpy.kinds_of_arrays import (
    FIRST,
    ZERO,
    numeric_dtype,
    settled_axes_of,
)
from s2sad.rules.steps.scatter import Scattered


def batch_of(
    name: str, a: ir.Kind, axis1: ir.Kind, axis2: ir.Kind
) -> tuple[ir.Axis, ...]:
    """The axes in front of the matrices, which must be in the last two."""
    axes = ir.axes_of(a)
    if axes is not None and len(axes) > 1:
        rank = len(axes)
        one, two = (settled_axes_of(axis, rank)[0] for axis in (axis1, axis2))
        if (one, two) == (rank - 2, rank - 1):
            return axes[:-2]
    raise rules.CallRefused(
        f"{name} has a rule for the last two axes of an array of known rank",
        "pass axis1=-2, axis2=-1, after np.moveaxis",
    )


def diagonal_axis(axes: tuple[ir.Axis, ...], offset: ir.Kind) -> ir.Axis:
    """The axis of a diagonal of a matrix."""
    rows, columns = axes[-2:]
    same = rows.symbol is not None and rows == columns
    known = isinstance(offset, ir.Scalar) and offset.value == 0
    return rows if same and known else ir.Axis("any")


def trace_kind(
    a: ir.Kind, offset: ir.Kind = ZERO, axis1: ir.Kind = ZERO, axis2: ir.Kind = FIRST
) -> ir.Kind:
    axes = batch_of("np.trace", a, axis1, axis2)
    return rules.array_or_number(numeric_dtype(np.sum, a), axes)


@rules.reverse_of(np.trace, kind=trace_kind, linear=True)
def _trace(a, offset=0, axis1=0, axis2=1, *, out, out_bar):
    if rules.known_rank(a) > 2:
        out_bar = np.expand_dims(out_bar, -1)
    return Scattered(diagonal_index(a, offset), out_bar)


def diagonal_kind(
    a: ir.Kind, offset: ir.Kind = ZERO, axis1: ir.Kind = ZERO, axis2: ir.Kind = FIRST
) -> ir.Kind:
    batch = batch_of("np.diagonal", a, axis1, axis2)
    return ir.Array(
        ir.dtype_of(a), (*batch, diagonal_axis(ir.axes_of(a) or (), offset))
    )


@rules.reverse_of(np.diagonal, kind=diagonal_kind, linear=True, view=True, masking=True)
def _diagonal(a, offset=0, axis1=0, axis2=1, *, out, out_bar):
    return Scattered(diagonal_index(a, offset), out_bar)


def diag_kind(v: ir.Kind, k: ir.Kind = ZERO) -> ir.Kind:
    axes = ir.axes_of(v)
    if axes is None or len(axes) not in (1, 2):
        raise rules.CallRefused(
            "np.diag has a rule for arrays known to be vectors or matrices",
            "annotate the array",
        )
    if len(axes) == 2:
        return ir.Array(ir.dtype_of(v), (diagonal_axis(axes, k),))
    if isinstance(k, ir.Scalar) and k.value == 0:
        return ir.Array(ir.dtype_of(v), axes * 2)
    origin = (axes[0].symbol, getattr(k, "value", None))
    side = ir.Axis("any", None if origin == (None, None) else ("side", *origin))
    return ir.Array(ir.dtype_of(v), (side, side))


@rules.reverse_of(np.diag, kind=diag_kind, linear=True, view=True, masking=True)
def _diag(v, k=0, *, out, out_bar):
    if rules.known_rank(v) == 1:
        return np.diag(out_bar, k)
    return Scattered(diagonal_index(v, k), out_bar)
