"""Functions that make an array larger or smaller: tile, repeat, pad, meshgrid."""

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime.indices import inserted_places, kept_places, padded_places
from s2sad.rules.numpy.kinds_of_arrays import (
    CONSTANT,
    NOT_GIVEN,
    XY,
    ZERO,
    as_array,
    axes_of_shape,
    axis_product,
    settled_array_axes,
    settled_axes_of,
    structure,
)
from s2sad.rules.steps.scatter import Scattered
from s2sad.rules.steps.shape_steps import shaped_like


def repeated_axis(axis: ir.Axis, count: ir.Kind) -> ir.Axis:
    """An axis that stands several times in a row."""
    if isinstance(count, ir.Scalar) and count.value == 1:
        return axis
    if (
        axis.length == "one"
        and isinstance(count, ir.Scalar)
        and count.length_of is not None
    ):
        return ir.Axis("any", count.length_of)
    return ir.Axis("any")


def tile_kind(A: ir.Kind, reps: ir.Kind) -> ir.Kind:
    axes = settled_array_axes(as_array(A))
    counts = reps.items if isinstance(reps, ir.Structure) else (reps,)
    known = isinstance(reps, ir.Structure) or ir.rank_of(reps) == 0
    if axes is None or not known:
        raise rules.CallRefused(
            "np.tile has a rule for arrays of known rank, repeated by numbers",
            "pass a number or a tuple of numbers",
        )
    rank = max(len(axes), len(counts))
    axes = (ir.Axis("one"),) * (rank - len(axes)) + axes
    counts = (ir.Scalar("int", 1),) * (rank - len(counts)) + tuple(counts)
    return ir.Array(ir.dtype_of(as_array(A)), tuple(map(repeated_axis, axes, counts)))


@rules.reverse_of(np.tile, kind=tile_kind, linear=True)
def _tile(A, reps, *, out, out_bar):
    counts = reps if isinstance(reps, tuple) else (reps,)
    lengths = () if rules.known_rank(A) == 0 else A.shape
    split, copies, position = (), (), 0
    more = len(lengths) - len(counts)
    for count, length in zip((1,) * more + counts, (1,) * -more + lengths):
        split = split + (count, length)
        copies = copies + (position,)
        position = position + 2
    total = np.sum(np.reshape(out_bar, split), axis=copies)
    same = rules.known_rank(A) == rules.known_rank(out) and rules.known_rank(A) > 0
    return total if same else shaped_like(total, A)


def repeat_kind(a: ir.Kind, repeats: ir.Kind, axis: ir.Kind = NOT_GIVEN) -> ir.Kind:
    a = as_array(a)
    axes = settled_array_axes(a)
    if axes is None:
        raise rules.CallRefused(
            "np.repeat has a rule for arrays of known rank", "annotate the array"
        )
    if rules.static_value(axis) is None:
        return ir.Array(ir.dtype_of(a), (repeated_axis(axis_product(axes), repeats),))
    k = settled_axes_of(axis, len(axes))[0]
    longer = repeated_axis(axes[k], repeats)
    return ir.Array(ir.dtype_of(a), (*axes[:k], longer, *axes[k + 1 :]))


@rules.reverse_of(np.repeat, kind=repeat_kind, linear=True)
def _repeat(a, repeats, axis=None, *, out, out_bar):
    if rules.known_rank(a) == 0:
        return np.sum(out_bar)
    if rules.is_number(repeats) and axis is None:
        return shaped_like(np.sum(np.reshape(out_bar, (a.size, repeats)), axis=1), a)
    if axis is None:
        places = np.unravel_index(np.repeat(np.arange(a.size), repeats), a.shape)
        return Scattered(places, out_bar, True)
    k = rules.settled_axes(axis, a)[0]
    if rules.is_number(repeats):
        split = a.shape[: k + 1] + (repeats,) + a.shape[k + 1 :]
        return np.sum(np.reshape(out_bar, split), axis=k + 1)
    places = np.repeat(np.arange(a.shape[k]), repeats)
    return Scattered((slice(None),) * k + (places,), out_bar, True)


def resized_kind(a: ir.Kind, new_shape: ir.Kind) -> ir.Kind:
    return ir.Array(ir.dtype_of(as_array(a)), axes_of_shape(new_shape))


@rules.reverse_of(np.resize, kind=resized_kind, linear=True)
def _resize(a, new_shape, *, out, out_bar):
    if rules.known_rank(a) == 0:
        return np.sum(out_bar)
    count = out.size * min(a.size, 1)  # an array of no elements is filled up with 0
    places = np.unravel_index(np.resize(np.arange(a.size), count), a.shape)
    return Scattered(places, np.ravel(out_bar)[:count], True)


def pad_kind(
    array: ir.Kind,
    pad_width: ir.Kind,
    mode: ir.Kind = CONSTANT,
    constant_values: ir.Kind = ZERO,
) -> ir.Kind:
    array = as_array(array)
    axes = settled_array_axes(array)
    if mode != ir.Known("constant"):
        raise rules.CallRefused(
            "np.pad has a rule for mode='constant' alone",
            "write the padding with np.concatenate",
        )
    if axes is None or (
        not isinstance(pad_width, ir.Structure) and ir.rank_of(pad_width) != 0
    ):
        raise rules.CallRefused(
            "np.pad has a rule for arrays of known rank and widths given as numbers",
            "pass a number or a tuple of pairs",
        )
    if ir.rank_of(constant_values) != 0:
        raise rules.CallRefused(
            "np.pad has a rule for one constant alone", "pass a number, or join parts"
        )
    padded = tuple(
        a if widths == (0, 0) else ir.Axis("any")
        for a, widths in zip(axes, _constant_widths(pad_width, len(axes)))
    )
    return ir.Array(ir.dtype_of(array), padded)


def _constant_widths(pad_width: ir.Kind, rank: int) -> list[tuple[object, ...]]:
    """The widths of each axis, None where they are known only when the program runs."""
    if not isinstance(pad_width, ir.Structure):
        return [(getattr(pad_width, "value", None),) * 2] * rank
    if any(isinstance(item, ir.Structure) for item in pad_width.items):
        rows = [
            tuple(getattr(n, "value", None) for n in item.items)  # type: ignore[attr-defined]
            for item in pad_width.items
        ]
    else:
        rows = [tuple(getattr(n, "value", None) for n in pad_width.items)]
    rows = [row * 2 if len(row) == 1 else row for row in rows]
    return rows * rank if len(rows) == 1 else rows


def places_kind(length: ir.Kind, **_: ir.Kind) -> ir.Kind:
    return ir.Array("int64", (ir.Axis("any"),))


rules.without_derivative(padded_places, kind=places_kind)
rules.without_derivative(inserted_places, kind=places_kind)
rules.without_derivative(kept_places, kind=places_kind)


def inner_part(array, pad_width):
    """The index of the original inside the padded array."""
    index = ()
    for k, length in enumerate(array.shape):
        if rules.is_number(pad_width):
            before = pad_width
        elif rules.is_number(pad_width[0]):
            before = pad_width[0]
        else:
            before = pad_width[k if len(pad_width) > 1 else 0][0]
        index = index + (slice(before, before + length),)
    return index


@rules.reverse_of(
    np.pad, kind=pad_kind, differentiable=("array", "constant_values"), view=False
)
def _pad(array, pad_width, mode="constant", *, constant_values=0, out, out_bar):
    array_bar = out_bar[inner_part(array, pad_width)]
    return array_bar, np.sum(out_bar) - np.sum(array_bar)


@rules.forward_of(np.pad)
def _pad_forward(
    array,
    pad_width,
    mode="constant",
    *,
    constant_values=0,
    out,
    array_dot,
    constant_values_dot,
):
    if rules.is_literal_zero(array_dot):
        array_dot = np.zeros_like(array)
    return np.pad(array_dot, pad_width, constant_values=constant_values_dot)


def meshgrid_kind(xi: ir.Kind, indexing: ir.Kind = XY) -> ir.Kind:
    if not isinstance(xi, ir.Structure):
        return ir.UNKNOWN
    own = [settled_array_axes(as_array(x)) for x in xi.items]
    if any(axes is None or len(axes) > 1 for axes in own):
        raise rules.CallRefused(
            "np.meshgrid has a rule for vectors and numbers", "use np.ravel first"
        )
    axes = [axis_product(vector) for vector in own]
    if rules.static_value(indexing) == "xy" and len(axes) > 1:
        axes[0], axes[1] = axes[1], axes[0]
    return structure(
        [ir.Array(ir.dtype_of(as_array(x)), tuple(axes)) for x in xi.items]
    )


@rules.reverse_of(np.meshgrid, kind=meshgrid_kind)
def _meshgrid(*xi, indexing="xy", out, out_bar):
    cotangents = ()
    for k, x in enumerate(xi):
        x_bar = out_bar[k]
        if len(xi) > 1 and not rules.is_literal_zero(x_bar):
            x_bar = np.sum(x_bar, axis=rules.other_grid_axes(k, xi, indexing))
        if rules.known_rank(x) == 0:
            x_bar = shaped_like(x_bar, x)
        cotangents = cotangents + (x_bar,)
    return cotangents


@rules.forward_of(np.meshgrid)
def _meshgrid_forward(*xi, indexing="xy", out, xi_dot):
    tangents = ()
    for x, x_dot in zip(xi, xi_dot):
        if rules.is_literal_zero(x_dot):
            x_dot = np.zeros_like(x)
        tangents = tangents + (x_dot,)
    grids, grids_dot = np.meshgrid(*tangents, indexing=indexing), ()
    for grid, x_dot in zip(grids, xi_dot):
        grids_dot = grids_dot + (0.0 if rules.is_literal_zero(x_dot) else grid,)
    return grids_dot
