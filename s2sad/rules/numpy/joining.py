"""Functions that join arrays, and split them."""

import numpy as np

from s2sad import ir, ops, rules
from s2sad.ops.runtime.sequences import part_along_axis, split_like, unstack
from s2sad.rules.numpy import kinds_of_arrays
from s2sad.rules.steps.shape_steps import shaped_like


def parts_of(arrays: ir.Kind) -> list[ir.Kind] | None:
    """The kinds of the joined arrays; None where their number isn't known."""
    if isinstance(arrays, ir.Array) and arrays.axes:
        return None
    if not isinstance(arrays, ir.Structure):
        return None
    return [kinds_of_arrays.as_array(item) for item in arrays.items]


def along_first_axis(name: str, arrays: ir.List, axis: int | None) -> ir.Kind:
    """The kind of a list of arrays joined along their first axis."""
    whole = ir.array_of_list(arrays)
    if whole is None or whole.axes is None or len(whole.axes) < 2 or axis != 0:
        raise rules.CallRefused(
            f"{name} of a list whose length isn't known has a rule for arrays of "
            "known rank, joined along their first axis",
            "use np.array or np.stack, and reshape",
        )
    return ir.Array(whole.dtype, (ir.Axis("any"), *whole.axes[2:]))


def joined_list_kind(arrays: ir.List, axis: int | None) -> ir.Kind:
    """The kind of a list of arrays joined along any axis that they have."""
    whole = ir.array_of_list(arrays)
    rank = len(whole.axes) - 1 if whole is not None and whole.axes is not None else 0
    if whole is None or whole.axes is None or axis is None or not -rank <= axis < rank:
        return along_first_axis("np.concatenate", arrays, axis)
    axes = list(whole.axes[1:])
    axes[axis] = ir.Axis("any")
    return ir.Array(whole.dtype, tuple(axes))


def joined(parts: list[ir.Kind] | None, axis: int | None) -> ir.Kind:
    """The kind of arrays joined along an axis."""
    if parts is None:
        return ir.Array(None, None)
    dtype = kinds_of_arrays.promoted_dtype(parts)
    all_axes = [kinds_of_arrays.settled_array_axes(part) for part in parts]
    if None in all_axes or len({len(a or ()) for a in all_axes}) != 1:
        return ir.Array(dtype, None if axis is not None else (ir.Axis("any"),))
    if axis is None:
        flat = [ir.Array(dtype, (kinds_of_arrays.axis_product(a),)) for a in all_axes]
        return joined(flat, 0)  # type: ignore[arg-type]
    rank = len(all_axes[0] or ())
    k = axis % rank
    axes = list(kinds_of_arrays.joined_axes(parts))
    # Parts may be empty, so that the sum of lengths, none of them 1, may still be 1.
    if len(parts) > 1:
        ones = [a for a in all_axes if a and a[k].length == "one"]
        axes[k] = ir.Axis("many" if len(ones) > 1 else "any")
    return ir.Array(dtype, tuple(axes))


def concatenate_kind(arrays: ir.Kind, axis: ir.Kind = kinds_of_arrays.ZERO) -> ir.Kind:
    if isinstance(arrays, ir.List):
        return joined_list_kind(arrays, rules.static_value(axis))
    return joined(parts_of(arrays), rules.static_value(axis))


def consecutive_parts(arrays, axis, out, out_bar):
    """The parts of a cotangent that belong to the arrays joined along an axis."""
    if rules.known_rank(out) == -1:
        parts, start = (), 0
        for array in arrays:
            stop = start + array.shape[axis]
            parts = parts + (part_along_axis(out_bar, start, stop, axis),)
            start = stop
        return parts
    k, last = rules.settled_axis(axis, out), len(arrays) - 1
    if last == 0:
        return (out_bar,)
    stop = arrays[0].shape[k]
    parts = (
        out_bar[:stop]
        if k == 0
        else out_bar[(slice(None),) * k + (slice(None, stop),)],
    )
    for array in arrays[1:last]:
        start, stop = stop, stop + array.shape[k]
        part = (
            out_bar[start:stop]
            if k == 0
            else out_bar[(slice(None),) * k + (slice(start, stop),)]
        )
        parts = parts + (part,)
    return parts + (
        out_bar[stop:]
        if k == 0
        else out_bar[(slice(None),) * k + (slice(stop, None),)],
    )


@rules.reverse_of(
    np.concatenate,
    kind=concatenate_kind,
    linear=True,
    takes_sequence=True,
    divides=True,
)
def _concatenate(arrays, axis=0, *, out, out_bar):
    if rules.has_rows(arrays):
        return split_like(out_bar, arrays, axis)
    if rules.is_list(arrays):
        if rules.settled_axis(axis, out) > 0:
            return split_like(out_bar, arrays, axis)
        return ops.shaped_as_items(out_bar, arrays)
    if not rules.is_sequence(arrays):
        return split_like(out_bar, arrays, axis)
    if axis is not None:
        return consecutive_parts(arrays, axis, out, out_bar)
    parts, start = (), 0
    for array in arrays:
        stop = start + (1 if rules.known_rank(array) == 0 else array.size)
        parts = parts + (shaped_like(out_bar[start:stop], array),)
        start = stop
    return parts


def stack_kind(arrays: ir.Kind, axis: ir.Kind = kinds_of_arrays.ZERO) -> ir.Kind:
    if isinstance(arrays, ir.List):
        whole = ir.array_of_list(arrays)
        if whole is None or whole.axes is None:
            return ir.UNKNOWN
        first, *rest = whole.axes
        rest.insert(rules.static_value(axis) % len(whole.axes), first)
        return ir.Array(whole.dtype, tuple(rest))
    parts = parts_of(arrays)
    if parts is None:
        return ir.Array(None, None)
    all_axes = [kinds_of_arrays.settled_array_axes(part) for part in parts]
    if None in all_axes:
        return ir.Array(kinds_of_arrays.promoted_dtype(parts), None)
    axes = list(kinds_of_arrays.joined_axes(parts))
    k = rules.static_value(axis) % (len(axes) + 1)
    axes.insert(
        k, ir.ONE if len(parts) == 1 else ir.Axis("many", ("length", len(parts)))
    )
    return ir.Array(kinds_of_arrays.promoted_dtype(parts), tuple(axes))


def slices_along(arrays, axis, out_bar):
    """The entries of a cotangent along an axis."""
    parts = ()
    for k, _ in enumerate(arrays):
        part = out_bar[k] if axis == 0 else out_bar[(slice(None),) * axis + (k,)]
        parts = parts + (part,)
    return parts


@rules.reverse_of(
    np.stack, kind=stack_kind, linear=True, takes_sequence=True, divides=True
)
def _stack(arrays, axis=0, *, out, out_bar):
    if rules.is_list(arrays):
        if rules.settled_axis(axis, out) == 0:
            return out_bar
        return np.moveaxis(out_bar, axis, 0)
    if not rules.is_sequence(arrays):
        return unstack(out_bar, axis)
    if rules.known_rank(out) == -1:
        return slices_along(
            arrays, 0, out_bar if axis == 0 else np.moveaxis(out_bar, axis, 0)
        )
    return slices_along(arrays, rules.settled_axis(axis, out), out_bar)


def of_known_rank(name: str, tup: ir.Kind) -> list[ir.Kind]:
    """The kinds of the joined arrays; refuses what is of unknown length or rank."""
    parts = parts_of(tup)
    if parts is None or any(
        kinds_of_arrays.settled_array_axes(part) is None for part in parts
    ):
        raise rules.CallRefused(
            f"{name} has a rule for arrays of known rank, listed in the call",
            "use np.concatenate or np.stack",
        )
    return parts


def with_rank(part: ir.Kind, rank: int, behind: bool = False) -> ir.Kind:
    """The array with axes of length 1 added, in front or behind."""
    axes = kinds_of_arrays.settled_array_axes(part) or ()
    ones = (ir.ONE,) * (rank - len(axes))
    return ir.Array(ir.dtype_of(part), axes + ones if behind else ones + axes)


def hstack_kind(tup: ir.Kind) -> ir.Kind:
    if isinstance(tup, ir.List):
        whole = ir.array_of_list(tup)
        if whole is not None and len(whole.axes or ()) == 1:
            return whole
        flat = whole is None or ir.rank_of(whole) != 2
        return along_first_axis("np.hstack", tup, 1 if flat else 0)
    parts = [with_rank(part, 1) for part in of_known_rank("np.hstack", tup)]
    return joined(
        parts, 0 if len(kinds_of_arrays.settled_array_axes(parts[0]) or ()) == 1 else 1
    )


@rules.reverse_of(
    np.hstack, kind=hstack_kind, linear=True, takes_sequence=True, divides=True
)
def _hstack(tup, *, out, out_bar):
    if rules.has_rows(tup):
        return split_like(out_bar, tup, 0 if rules.known_rank(out) == 1 else 1)
    if rules.is_list(tup):
        return ops.shaped_as_items(out_bar, tup)
    if rules.known_rank(out) > 1:
        return consecutive_parts(tup, 1, out, out_bar)
    parts, start = (), 0
    for array in tup:
        if rules.known_rank(array) == 0:
            stop = start + 1
            parts = parts + (out_bar[start],)
        else:
            stop = start + array.shape[0]
            parts = parts + (out_bar[start:stop],)
        start = stop
    return parts


def vstack_kind(tup: ir.Kind) -> ir.Kind:
    if isinstance(tup, ir.List):
        whole = ir.array_of_list(tup)
        if whole is not None and len(whole.axes or ()) < 3:
            return with_rank(whole, 2, behind=True)
        return along_first_axis("np.vstack", tup, 0)
    parts = [with_rank(part, 2) for part in of_known_rank("np.vstack", tup)]
    return joined(parts, 0)


@rules.reverse_of(
    np.vstack, kind=vstack_kind, linear=True, takes_sequence=True, divides=True
)
def _vstack(tup, *, out, out_bar):
    if rules.has_rows(tup):
        return out_bar if rules.holds_vectors(tup) else split_like(out_bar, tup, 0)
    if rules.is_list(tup):
        return ops.shaped_as_items(out_bar, tup)
    parts, start = (), 0
    for array in tup:
        if rules.known_rank(array) < 2:
            stop = start + 1
            parts = parts + (shaped_like(out_bar[start], array),)
        else:
            stop = start + array.shape[0]
            parts = parts + (out_bar[start:stop],)
        start = stop
    return parts


def column_stack_kind(tup: ir.Kind) -> ir.Kind:
    parts = of_known_rank("np.column_stack", tup)
    return joined([with_rank(part, 2, behind=True) for part in parts], 1)


@rules.reverse_of(
    np.column_stack,
    kind=column_stack_kind,
    linear=True,
    takes_sequence=True,
    divides=True,
)
def _column_stack(tup, *, out, out_bar):
    parts, start = (), 0
    for array in tup:
        if rules.known_rank(array) < 2:
            stop = start + 1
            parts = parts + (shaped_like(out_bar[:, start], array),)
        else:
            stop = start + array.shape[1]
            parts = parts + (out_bar[:, start:stop],)
        start = stop
    return parts


def split_kind(
    ary: ir.Kind, indices_or_sections: ir.Kind, axis: ir.Kind = kinds_of_arrays.ZERO
) -> ir.Kind:
    axes = kinds_of_arrays.settled_array_axes(ary)
    if axes is None or not isinstance(indices_or_sections, ir.Scalar | ir.Structure):
        return ir.UNKNOWN
    if isinstance(indices_or_sections, ir.Structure):
        count = len(indices_or_sections.items) + 1
    else:
        count = rules.static_value(indices_or_sections)
    k = kinds_of_arrays.settled_axes_of(axis, len(axes))[0]
    if count == 1:
        return kinds_of_arrays.structure([ary], list)
    part = ir.Array(ir.dtype_of(ary), (*axes[:k], ir.Axis("any"), *axes[k + 1 :]))
    return kinds_of_arrays.structure([part] * count, list)


@rules.reverse_of((np.split, np.array_split), kind=split_kind, linear=True, view=True)
def _split(ary, indices_or_sections, axis=0, *, out, out_bar):
    parts = ()
    for k, part in enumerate(out_bar):
        zero = rules.is_literal_zero(part)
        parts = parts + (np.zeros_like(out[k]) if zero else part,)
    return np.concatenate(parts, axis=axis)
