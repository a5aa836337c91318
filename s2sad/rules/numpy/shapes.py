"""Functions that rearrange one array: reshape, transpose, flip, tile, pad, casts."""

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.ops.runtime.broadcasting import as_dtype_of
from s2sad.rules.numpy import kinds_of_arrays
from s2sad.rules.steps.shape_steps import reduced_to, shaped_like


def axis_left_over(a: ir.Kind, axes: tuple[ir.Axis, ...]) -> ir.Axis:
    """The axis that -1 stands for, from the axes that aren't named."""
    source = kinds_of_arrays.settled_array_axes(a)
    if source is None:
        return ir.Axis("any")
    rest = [x for x in source if x.length != "one"]
    for axis in axes:
        if axis.length == "one":
            continue
        match = [x for x in rest if x.symbol is not None and x.symbol == axis.symbol]
        if not match:
            return ir.Axis("any")
        rest.remove(match[0])
    return kinds_of_arrays.axis_product(rest)


def reshape_kind(a: ir.Kind, shape: ir.Kind) -> ir.Kind:
    axes = kinds_of_arrays.axes_of_shape(shape)
    entries = shape.items if isinstance(shape, ir.Structure) else (shape,)
    if axes is not None and any(getattr(e, "value", None) == -1 for e in entries):
        lengths = [getattr(e, "value", None) for e in entries]
        others = tuple(x for x, n in zip(axes, lengths) if n != -1)
        free = axis_left_over(kinds_of_arrays.as_array(a), others)
        axes = tuple(free if n == -1 else x for x, n in zip(axes, lengths))
    return ir.Array(ir.dtype_of(kinds_of_arrays.as_array(a)), axes)


@rules.reverse_of(np.reshape, kind=reshape_kind, linear=True, view=True)
def _reshape(a, shape, *, out, out_bar):
    return shaped_like(out_bar, a)


def flat_kind(a: ir.Kind) -> ir.Kind:
    a = kinds_of_arrays.as_array(a)
    return ir.Array(
        ir.dtype_of(a),
        (kinds_of_arrays.axis_product(kinds_of_arrays.settled_array_axes(a)),),
    )


@rules.reverse_of(np.ravel, kind=flat_kind, linear=True, view=True)
def _ravel(a, *, out, out_bar):
    return shaped_like(out_bar, a)


@rules.reverse_of(np.ndarray.flatten, kind=flat_kind, linear=True)
def _flatten(a, *, out, out_bar):
    return shaped_like(out_bar, a)


def rearranged(function: Callable[..., Any]) -> rules.KindFunction:
    """The kind function of an operation that has an index map."""

    def kind(**operands: ir.Kind) -> ir.Kind:
        array, *rest = operands
        a = kinds_of_arrays.as_array(operands[array])
        axes = kinds_of_arrays.settled_array_axes(a)
        if axes is None:
            return ir.Array(ir.dtype_of(a), None)
        words = {name: rules.static_value(operands[name]) for name in rest}
        moved = ops.index_map(function, len(axes), **words)
        settled = None if moved is None else moved.through(axes, ir.ONE)
        return ir.Array(ir.dtype_of(a), settled)

    return kind


@rules.reverse_of(np.transpose, kind=rearranged(np.transpose), linear=True, view=True)
def _transpose(a, axes=None, *, out, out_bar):
    if axes is None:
        return np.transpose(out_bar)
    return np.transpose(out_bar, rules.inverse_permutation(axes))


@rules.reverse_of(
    np.matrix_transpose, kind=rearranged(np.matrix_transpose), linear=True, view=True
)
def _matrix_transpose(x, *, out, out_bar):
    return np.swapaxes(out_bar, -1, -2)


@rules.reverse_of(np.swapaxes, kind=rearranged(np.swapaxes), linear=True, view=True)
def _swapaxes(a, axis1, axis2, *, out, out_bar):
    return np.swapaxes(out_bar, axis1, axis2)


@rules.reverse_of(np.moveaxis, kind=rearranged(np.moveaxis), linear=True, view=True)
def _moveaxis(a, source, destination, *, out, out_bar):
    return np.moveaxis(out_bar, destination, source)


@rules.reverse_of(
    np.expand_dims, kind=rearranged(np.expand_dims), linear=True, view=True
)
def _expand_dims(a, axis, *, out, out_bar):
    return np.sum(out_bar) if rules.known_rank(a) == 0 else np.squeeze(out_bar, axis)


def squeeze_kind(a: ir.Kind, axis: ir.Kind = kinds_of_arrays.NOT_GIVEN) -> ir.Kind:
    axes = kinds_of_arrays.settled_array_axes(a)
    if axes is None or rules.static_value(axis) is not None:
        return rearranged(np.squeeze)(a=a, axis=axis)
    if any(x.length == "any" for x in axes):
        return ir.Array(ir.dtype_of(a), None)
    return ir.Array(ir.dtype_of(a), tuple(x for x in axes if x.length == "many"))


@rules.reverse_of(np.squeeze, kind=squeeze_kind, linear=True, view=True)
def _squeeze(a, axis=None, *, out, out_bar):
    if axis is None:
        return shaped_like(out_bar, a)
    return np.expand_dims(out_bar, axis)


def same_array(**operands: ir.Kind) -> ir.Kind:
    a = kinds_of_arrays.as_array(next(iter(operands.values())))
    return (
        ir.Array(ir.dtype_of(a), kinds_of_arrays.settled_array_axes(a))
        if isinstance(a, kinds_of_arrays.NUMERIC)
        else ir.UNKNOWN
    )


@rules.reverse_of(np.flip, kind=rearranged(np.flip), linear=True, view=True)
def _flip(m, axis=None, *, out, out_bar):
    return np.flip(out_bar) if axis is None else np.flip(out_bar, axis)


@rules.reverse_of(np.fliplr, kind=rearranged(np.fliplr), linear=True, view=True)
def _fliplr(m, *, out, out_bar):
    return np.fliplr(out_bar)


@rules.reverse_of(np.flipud, kind=rearranged(np.flipud), linear=True, view=True)
def _flipud(m, *, out, out_bar):
    return np.flipud(out_bar)


@rules.reverse_of(np.rot90, kind=rearranged(np.rot90), linear=True, view=True)
def _rot90(m, k=1, axes=(0, 1), *, out, out_bar):
    return np.rot90(out_bar, -k, axes)


@rules.reverse_of(np.roll, kind=same_array, linear=True)
def _roll(a, shift, axis=None, *, out, out_bar):
    back = ()
    if isinstance(shift, tuple):
        for steps in shift:
            back = back + (-steps,)
    elif isinstance(shift, list):
        back = -np.array(shift)
    else:
        back = -shift
    return np.roll(out_bar, back) if axis is None else np.roll(out_bar, back, axis)


@rules.reverse_of(np.tril, kind=same_array, linear=True, masking=True)
def _tril(m, k=0, *, out, out_bar):
    return np.tril(out_bar, k)


@rules.reverse_of(np.triu, kind=same_array, linear=True, masking=True)
def _triu(m, k=0, *, out, out_bar):
    return np.triu(out_bar, k)


def broadcast_kind(array: ir.Kind, shape: ir.Kind) -> ir.Kind:
    array = kinds_of_arrays.as_array(array)
    axes, source = (
        kinds_of_arrays.axes_of_shape(shape),
        kinds_of_arrays.settled_array_axes(array),
    )
    if axes is None or source is None:
        return ir.Array(ir.dtype_of(array), axes)
    rank = len(axes)
    settled = list(axes)
    for k in range(-min(rank, len(source)), 0):
        if source[k].length == "many":
            settled[k] = source[k]
    return ir.Array(ir.dtype_of(array), tuple(settled))


@rules.reverse_of(np.broadcast_to, kind=broadcast_kind, linear=True, view=True)
def _broadcast_to(array, shape, *, out, out_bar):
    return reduced_to(out_bar, array)


@rules.reverse_of(np.atleast_1d, kind=rearranged(np.atleast_1d), linear=True, view=True)
def _atleast_1d(ary, *, out, out_bar):
    return out_bar if rules.known_rank(ary) > 0 else shaped_like(out_bar, ary)


@rules.reverse_of(np.atleast_2d, kind=rearranged(np.atleast_2d), linear=True, view=True)
def _atleast_2d(ary, *, out, out_bar):
    return out_bar if rules.known_rank(ary) > 1 else shaped_like(out_bar, ary)


@rules.reverse_of(np.copy, kind=same_array, linear=True)
def _copy(a, order="K", *, out, out_bar):
    return out_bar


@rules.reverse_of(np.ndarray.copy, kind=same_array, linear=True)
def _copy_of_array(a, *, out, out_bar):
    return out_bar


def cast_kind(
    x: ir.Kind, dtype: ir.Kind, order: ir.Kind = kinds_of_arrays.NOT_GIVEN
) -> ir.Kind:
    name = kinds_of_arrays.dtype_named(dtype, None)
    axes = kinds_of_arrays.settled_array_axes(x)
    return ir.Array(name, axes)


CASTS = tuple(
    f for f in (np.ndarray.astype, getattr(np, "astype", None)) if f is not None
)


@rules.reverse_of(CASTS, kind=cast_kind, linear=True)
def _astype(x, dtype, order="K", *, out, out_bar):
    if rules.dtype_name(x) is not None and rules.dtype_name(x) == rules.dtype_name(out):
        return out_bar
    return as_dtype_of(out_bar, x)
