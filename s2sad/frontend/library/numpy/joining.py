"""Functions of NumPy that join arrays, take them apart, and move their axes."""

from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.library.numpy.joined_rows import depths_of_list
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.runtime.broadcasting import as_dtype_of
from s2sad.ops.runtime.indices import inserted_places, kept_places

# ------------------------------------------------------------------ joining


@stands_for((type(np.r_), "__getitem__"), always=True)
def joined_in_a_row(key):
    """``np.r_[key]``."""
    parts: tuple[Any, ...] = ()
    items = key if isinstance(key, tuple) else (key,)
    for item in items:
        parts = (*parts, _part(item, items))
    return np.concatenate(parts)


@stands_for((type(np.c_), "__getitem__"), always=True)
def joined_in_columns(key):
    """``np.c_[key]``."""
    parts: tuple[Any, ...] = ()
    items = key if isinstance(key, tuple) else (key,)
    for item in items:
        part = _part(item, items)
        parts = (*parts, part[:, None] if part.ndim == 1 else part)
    return np.concatenate(parts, axis=-1)


def _part(item, items):
    """What ``np.r_`` makes of a slice, number, list or array. Numbers don't widen
    arrays of floats."""
    if rules.is_text(item):
        rules.not_supported("np.r_ with an axis given as text", "use np.concatenate")
    if rules.is_slice(item):
        start = 0 if item.start is None else item.start
        return np.arange(start, item.stop, 1 if item.step is None else item.step)
    if rules.is_array(item):
        return np.atleast_1d(item)
    if rules.is_python_number(item):
        for other in items:
            if (
                rules.is_array(other)
                and rules.is_floating(other)
                and not rules.is_double(other)
            ):
                return np.atleast_1d(as_dtype_of(np.asarray(item), other))
    return np.atleast_1d(np.asarray(item))


@stands_for(np.dstack)
def dstack(tup):
    """``np.dstack(tup)``."""
    if rules.is_list(tup):
        return depths_of_list(tup)
    return np.concatenate(tuple(atleast_3d(part) for part in tup), axis=2)


@stands_for(np.block)
def block(arrays):
    """``np.block(arrays)`` of one or two levels of lists."""
    if not rules.is_sequence(arrays):
        return np.array(arrays)
    if not rules.is_sequence(arrays[0]):
        return _row_of_blocks(arrays, 1)
    rows = tuple(_row_of_blocks(row, 2) for row in arrays)
    return np.concatenate(rows, axis=-2)


def _row_of_blocks(row, rank):
    if any(rules.is_sequence(item) for item in row):
        rules.not_supported("np.block of more than two levels", "use np.concatenate")
    if any(rules.known_rank(item) > rank for item in row):
        return np.concatenate(tuple(row), axis=-1)
    if rank == 1:
        return np.concatenate(tuple(np.atleast_1d(item) for item in row), axis=-1)
    return np.concatenate(tuple(np.atleast_2d(item) for item in row), axis=-1)


@stands_for(np.insert)
def insert(arr, obj, values, axis=None):
    """``np.insert(arr, obj, values, axis)``."""
    arr = arr if rules.is_array(arr) else np.asarray(arr)
    if axis is None:
        arr, axis = np.ravel(arr), 0
    k = axis % rules.known_rank(arr)
    values = _cast(values, arr)
    one = rules.is_sequence(obj) and len(obj) == 1
    if rules.is_number(obj) or one:
        obj, values = (obj[0], _by_rows(values, arr, k)) if one else (obj, values)
        place = obj if obj >= 0 else obj + arr.shape[k]
        parts = (arr[_span(k, None, place)], arr[_span(k, place, None)])
        between = _inserted(values, arr, k)
        return np.concatenate((parts[0], between, parts[1]), axis=k)
    if isinstance(obj, slice):
        obj = np.arange(arr.shape[k])[obj]
    count = len(inserted_places(arr.shape[k], obj, 1)) - arr.shape[k]
    values = np.broadcast_to(values, (*arr.shape[:k], count, *arr.shape[k + 1 :]))
    together = np.concatenate((arr, values), axis=k)
    return np.take(together, inserted_places(arr.shape[k], obj, count), axis=k)


def _cast(values, arr):
    """Values in the dtype of an array; where both are of floats the same."""
    if rules.is_double(arr):
        return values
    return as_dtype_of(values if rules.is_number(values) else np.asarray(values), arr)


def _by_rows(values, arr, k):
    """The values for one place in a list, as ``np.insert`` takes them for a number."""
    if rules.is_number(values):
        return values
    values = np.asarray(values)
    lacking = rules.known_rank(arr) - rules.known_rank(values)
    values = np.expand_dims(values, tuple(range(lacking))) if lacking > 0 else values
    return np.moveaxis(values, k, 0) if k != 0 else values


def _inserted(values, arr, k):
    """What stands at one place along an axis after ``np.insert``."""
    count = 1
    if not rules.is_number(values):
        values = np.asarray(values)
        lacking = rules.known_rank(arr) - rules.known_rank(values)
        if lacking > 0:
            values = np.expand_dims(values, tuple(range(lacking)))
        values = values if k == 0 else np.moveaxis(values, 0, k)
        count = values.shape[k]
    return np.broadcast_to(values, (*arr.shape[:k], count, *arr.shape[k + 1 :]))


def _span(k, start, stop):
    """The index of what stands between two places along an axis."""
    return slice(start, stop) if k == 0 else (*((slice(None),) * k), slice(start, stop))


@stands_for(np.delete)
def delete(arr, obj, axis=None):
    """``np.delete(arr, obj, axis)``."""
    arr = arr if rules.is_array(arr) else np.asarray(arr)
    if axis is None:
        arr, axis = np.ravel(arr), 0
    if isinstance(obj, slice):
        obj = np.arange(arr.shape[axis])[obj]
    return np.take(arr, kept_places(arr.shape[axis], obj), axis=axis)


# ------------------------------------------------------------------ taking apart


@stands_for(np.hsplit)
def hsplit(ary, indices_or_sections):
    """``np.hsplit(ary, indices_or_sections)``."""
    return np.split(
        ary, indices_or_sections, axis=0 if rules.known_rank(ary) == 1 else 1
    )


@stands_for(np.vsplit)
def vsplit(ary, indices_or_sections):
    """``np.vsplit(ary, indices_or_sections)``."""
    return np.split(ary, indices_or_sections, axis=0)


@stands_for(np.dsplit)
def dsplit(ary, indices_or_sections):
    """``np.dsplit(ary, indices_or_sections)``."""
    return np.split(ary, indices_or_sections, axis=2)


def unstack(x, *, axis=0):
    """``np.unstack(x, axis=axis)``."""
    return tuple(np.moveaxis(x, axis, 0))


if hasattr(np, "unstack"):
    stands_for(np.unstack)(unstack)


@stands_for(np.trim_zeros)
def trim_zeros(filt, trim="fb"):
    """``np.trim_zeros(filt, trim)`` of a vector."""
    filt = filt if rules.is_array(filt) else np.asarray(filt)
    if rules.known_rank(filt) != 1:
        rules.not_supported("np.trim_zeros of several axes", "trim axis by axis")
    present = np.flatnonzero(filt)
    if len(present) == 0:
        return filt[:0]
    first = present[0] if "f" in trim.lower() else 0
    last = present[-1] + 1 if "b" in trim.lower() else len(filt)
    return filt[first:last]


# ------------------------------------------------------------------ axes


@stands_for(np.atleast_3d)
def atleast_3d(ary, *more):
    """``np.atleast_3d(ary)``."""
    if len(more) > 0:
        return tuple(_with_three_axes(one) for one in (ary, *more))
    return _with_three_axes(ary)


def _with_three_axes(ary):
    ary = ary if rules.is_array(ary) else np.asarray(ary)
    if rules.known_rank(ary) == 0:
        return np.reshape(ary, (1, 1, 1))
    if rules.known_rank(ary) == 1:
        return ary[None, :, None]
    return ary[:, :, None] if rules.known_rank(ary) == 2 else ary


@stands_for(np.atleast_1d, words=("second",))
def atleast_1d(ary, second, *more):
    """``np.atleast_1d`` of several arrays."""
    return tuple(np.atleast_1d(one) for one in (ary, second, *more))


@stands_for(np.atleast_2d, words=("second",))
def atleast_2d(ary, second, *more):
    """``np.atleast_2d`` of several arrays."""
    return tuple(np.atleast_2d(one) for one in (ary, second, *more))


@stands_for(np.broadcast_arrays)
def broadcast_arrays(*args):
    """``np.broadcast_arrays(*args)``."""
    shape = common_shape(*args)
    return tuple(np.broadcast_to(one, shape) for one in args)


def common_shape(*arrays):
    """The shape to which arrays are broadcast."""
    rank = rules.common_rank(*arrays)
    shape: tuple[Any, ...] = ()
    for k in rules.all_axes(rank):
        length = 1
        for x in arrays:
            at = rules.known_rank(x) - rank + k
            if at >= 0 and np.shape(x)[at] != 1:
                length = np.shape(x)[at]
        shape = (*shape, length)
    return shape


@stands_for(np.rollaxis)
def rollaxis(a, axis, start=0):
    """``np.rollaxis(a, axis, start)``."""
    return np.moveaxis(a, axis, place_of_rolled(a, axis, start))


@rules.static_predicate
def place_of_rolled(a: ir.Kind, axis: ir.Kind, start: ir.Kind) -> int:
    """Where ``np.rollaxis`` puts an axis."""
    rank, place = ir.rank_of(a) or 1, rules.static_value(start)
    place = place + rank if place < 0 else place
    return place - 1 if rules.static_value(axis) % rank < place else place


@stands_for(np.diagflat)
def diagflat(v, k=0):
    """``np.diagflat(v, k)``."""
    return np.diag(np.ravel(v), k)


@stands_for(np.diagonal)
def diagonal(a, offset=0, axis1=0, axis2=1):
    """``np.diagonal(a, offset, axis1, axis2)``: of the last two axes by the rule."""
    rank = rules.known_rank(a)
    if (axis1 % rank, axis2 % rank) == (rank - 2, rank - 1):
        return np.diagonal(a, offset, axis1, axis2)
    return np.diagonal(np.moveaxis(a, (axis1, axis2), (-2, -1)), offset, -2, -1)


@stands_for(np.trace)
def trace(a, offset=0, axis1=0, axis2=1):
    """``np.trace(a, offset, axis1, axis2)``: of the last two axes by the rule."""
    rank = rules.known_rank(a)
    if (axis1 % rank, axis2 % rank) == (rank - 2, rank - 1):
        if axis1 == 0 and axis2 == 1 and offset == 0:
            return np.trace(a)
        return np.trace(a, offset, axis1, axis2)
    return np.trace(np.moveaxis(a, (axis1, axis2), (-2, -1)), offset, -2, -1)
