"""Reading parts of arrays: ``x[index]``, take, take_along_axis."""

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.ops.runtime.indices import index_along_axis, last_writes
from s2sad.rules.numpy.kinds_of_arrays import (
    LAST,
    NOT_GIVEN,
    as_array,
    settled_array_axes,
    settled_axes_of,
)
from s2sad.rules.own_tangents import own_tangent
from s2sad.rules.steps.scatter import Scattered
from s2sad.rules.steps.shape_steps import reduced_to, shaped_like

BOUNDS = ("lower", "upper", "step")


def index_items(index: ir.Kind) -> list[ir.Kind]:
    """The entries of an index, slices and lists in one form."""
    if isinstance(index, ir.Known) and isinstance(index.value, tuple):
        return [i for item in index.value for i in index_items(ir.Known(item))]
    if isinstance(index, ir.Structure) and index.constructor is tuple:
        return [i for item in index.items for i in index_items(item)]
    if isinstance(index, ir.Known) and isinstance(index.value, slice):
        parts = (index.value.start, index.value.stop, index.value.step)
        kinds = tuple(
            ir.Known(None) if p is None else ir.Scalar("int", int(p)) for p in parts
        )
        return [ir.Structure(slice, BOUNDS, kinds)]
    if isinstance(index, ir.Known) and type(index.value) is int:
        return [ir.Scalar("int", index.value)]
    of_items = isinstance(index, ir.List) and index.item is not None
    if of_items or (isinstance(index, ir.Structure) and index.constructor is list):
        return [as_array(index)]
    return [index]


def is_whole_number(kind: ir.Kind) -> bool:
    """An int, which takes one place of an axis."""
    if isinstance(kind, ir.Scalar):
        return kind.type == "int"
    name = kind.dtype or "" if isinstance(kind, ir.NumPyScalar) else ""
    return name.startswith(("int", "uint"))


def is_index_array(kind: ir.Kind) -> bool:
    """An array of positions or a mask."""
    name = ir.dtype_of(kind) or ""
    known = isinstance(kind, ir.Array) and settled_array_axes(kind) is not None
    return known and name.startswith(("int", "uint", "bool"))


def is_mask(kind: ir.Kind) -> bool:
    """A boolean array."""
    return isinstance(kind, ir.Array) and kind.dtype == "bool"


def axes_consumed(item: ir.Kind) -> int:
    """How many axes of the array an entry of the index stands for."""
    if isinstance(item, ir.Known):
        return 0
    return len(ir.axes_of(item) or ()) if is_mask(item) else 1


def sliced_axis(axis: ir.Axis, bounds: ir.Structure) -> ir.Axis:
    """The axis that a slice leaves."""
    lower, upper, step = bounds.items
    nothing = ir.Known(None)
    whole = lower == nothing and upper == nothing
    stride = 1 if step == nothing else getattr(step, "value", None)
    if whole and stride in (1, -1):
        return axis
    if axis.symbol is None or stride is None:
        return ir.Axis("any")
    start = 0 if lower == nothing else _bound(lower)
    stop = None if upper == nothing else _bound(upper)
    if start is None or (stop is None and upper != nothing):
        return ir.Axis("any")
    if stride == 1 and isinstance(start, int) and start >= 0:
        if stop is None:
            return ir.Axis("any", ("shorter", axis.symbol, start))
        if isinstance(stop, int) and stop < 0:
            return ir.Axis("any", ("shorter", axis.symbol, start - stop))
    return ir.Axis("any", ("part", axis.symbol, start, stop, stride))


def _bound(kind: ir.Kind) -> Any:
    """A bound by its value or the axis it measures; None if neither is known."""
    if not isinstance(kind, ir.Scalar):
        return None
    return kind.length_of if kind.value is None else kind.value


def getitem_kind(a: ir.Kind, b: ir.Kind) -> ir.Kind:
    if isinstance(a, ir.List):
        place, *rest = index_items(b)
        if not rest:
            return item_kind(a, b)
        inner = ir.Structure(tuple, tuple(range(len(rest))), tuple(rest))
        return getitem_kind(item_kind(a, place), inner)
    axes, items = settled_array_axes(a), index_items(b)
    if not isinstance(a, ir.Array | ir.NumPyScalar):
        return ir.UNKNOWN
    if isinstance(a, ir.Array) and a.promoted and all(map(_needs_axis, items)):
        axes = a.axes  # a number in its place has no items
    usable = all(
        is_whole_number(i)
        or is_index_array(i)
        or (isinstance(i, ir.Known) and (i.value is None or i.value is Ellipsis))
        or (isinstance(i, ir.Structure) and i.constructor is slice)
        for i in items
    )
    if axes is None or not usable:
        return ir.Array(a.dtype, None)
    dots = [k for k, i in enumerate(items) if i == ir.Known(Ellipsis)]
    free = len(axes) - sum(map(axes_consumed, items))
    if free < 0 or len(dots) > 1:
        return ir.UNKNOWN
    at = dots[0] if dots else len(items)
    everything = ir.Structure(slice, BOUNDS, (ir.Known(None),) * 3)
    between = [everything] * free or items[at : at + 1]  # dots for no axis part, too
    items = [*items[:at], *between, *items[at + 1 :]]
    result = indexed_axes(axes, items)
    return ir.Array(a.dtype, result) if dots else rules.array_or_number(a.dtype, result)


def _read_kind(a: ir.Kind, b: ir.Kind) -> ir.Kind:
    if (
        ir.rank_of(a) == 0
        and not ir.is_promoted(a)
        and any(_is_truth(item) for item in index_items(b))
    ):
        raise rules.CallRefused(
            "this reads what a mask chooses of an array without axes",
            "test it with if, or use np.where",
        )
    return getitem_kind(a, b)


def _is_truth(index: ir.Kind) -> bool:
    return ir.rank_of(index) == 0 and ir.dtype_of(index) == "bool"


def _needs_axis(index: ir.Kind) -> bool:
    """An entry of an index that a number doesn't take."""
    return is_whole_number(index) or (
        isinstance(index, ir.Structure) and index.constructor is slice
    )


def item_kind(a: ir.List, b: ir.Kind) -> ir.Kind:
    """An item or a slice of a list."""
    if isinstance(b, ir.Structure) and b.constructor is slice:
        return replace(a, axis=sliced_axis(a.axis, b))
    if is_whole_number(b):
        if a.item is None:
            raise rules.NothingToTake(
                "an item of an empty list", "check its length first"
            )
        return a.item
    raise rules.CallRefused(
        "a list is indexed by something that isn't known to be a whole number",
        "use an int, or put the items into an array",
    )


def indexed_axes(
    axes: tuple[ir.Axis, ...], items: list[ir.Kind]
) -> tuple[ir.Axis, ...]:
    """The axes of an indexed array; the index has an entry for each axis."""
    with_arrays = any(map(is_index_array, items))
    rest = iter(axes)
    result: list[ir.Axis] = []
    arrays: list[ir.Kind] = []
    places: list[int] = []
    position = 0
    for k, item in enumerate(items):
        if item == ir.Known(Ellipsis):
            continue
        if item == NOT_GIVEN:
            result.append(ir.ONE)
        elif isinstance(item, ir.Structure):
            result.append(sliced_axis(next(rest), item))
        else:
            for _ in range(axes_consumed(item)):
                next(rest)
            if with_arrays:
                position = len(result) if not places else position
                places.append(k)
                arrays.append(
                    ir.Array("int64", (ir.Axis("any"),)) if is_mask(item) else item
                )
    together = places == list(range(places[0], places[-1] + 1)) if places else True
    found = rules.broadcast_axes(arrays) or () if arrays else ()
    position = position if together else 0
    return (*result[:position], *found, *result[position:])


@rules.static_predicate
def may_repeat(index: ir.Kind) -> bool:
    """The index may name an element more than once: it holds an array of positions."""
    return not all(
        is_whole_number(i) or is_mask(i) or isinstance(i, ir.Known) or _is_slice(i)
        for i in index_items(index)
    )


def _is_slice(index: ir.Kind) -> bool:
    return isinstance(index, ir.Structure) and index.constructor is slice


@rules.static_predicate
def only_adds_axes(index: ir.Kind, out: ir.Kind, out_bar: ir.Kind) -> bool:
    """The index is all of an array with more axes, and the cotangent has the shape of
    the result."""
    axes, own = ir.axes_of(out), ir.axes_of(out_bar)
    arrays = isinstance(out, ir.Array) and isinstance(out_bar, ir.Array)
    if not arrays or axes is None or own is None or len(own) != len(axes):
        return False
    if ir.is_promoted(out) or ir.is_promoted(out_bar):
        return False
    added = _places_of_added(index)
    return 0 < len(added) < len(axes) and all(
        mine.length == "many"  # a cotangent has the result's length there, or 1
        or mine.length == theirs.length == "one"
        or (theirs.symbol is not None and mine.symbol == theirs.symbol)
        for mine, theirs in zip(own, axes)
    )


@rules.static_predicate
def added_axes(index: ir.Kind) -> int | tuple[int, ...]:
    """The axes that an index adds."""
    added = _places_of_added(index)
    return added[0] if len(added) == 1 else added


def _places_of_added(index: ir.Kind) -> tuple[int, ...]:
    """The places of None in an index that else takes all of each axis."""
    items = index_items(index)
    whole = ir.Structure(slice, BOUNDS, (NOT_GIVEN,) * 3)
    if any(item not in (NOT_GIVEN, whole) for item in items):
        return ()
    return tuple(k for k, item in enumerate(items) if item == NOT_GIVEN)


@rules.reverse_of(
    operator.getitem,
    kind=_read_kind,
    linear=True,
    view=True,
    lazy=True,
    masking=True,
    cheap=True,
)
def _getitem(a, b, *, out, out_bar):
    return (
        np.squeeze(out_bar, added_axes(b))
        if only_adds_axes(b, out, out_bar)
        else of_number(out_bar, out, a)
        if rules.known_rank(a) == 0  # whose cotangent is a number, of an array too
        else Scattered(b, out_bar, may_repeat(b))
    )


def of_number(out_bar, out, a):
    """The cotangent of a number that an index gave axes, or left as it is."""
    return shaped_like(out_bar, a) if rules.is_array(out) else out_bar


def _stored_kind(
    array: ir.Kind, index: ir.Kind, value: ir.Kind, old: ir.Kind = NOT_GIVEN
) -> ir.Kind:
    return array


@rules.reverse_of(
    ops.stored, kind=_stored_kind, differentiable=("array", "value"), masking=True
)
def _stored(array, index, value, old=None, *, out, out_bar):
    part = ops.overwritten_part(out_bar, index)
    if may_repeat(index):
        part = np.where(last_writes(out_bar, index), part, 0.0)
    value_bar = reduced_to(part, value)
    return ops.stored(out_bar, index, 0.0), value_bar


@rules.forward_of(ops.stored)
def _stored_forward(array, index, value, old=None, *, out, array_dot, value_dot):
    return ops.stored(own_tangent(array_dot, array), index, value_dot)


@rules.reverse_of(
    (ops.accumulated, ops.added_to),
    kind=_stored_kind,
    differentiable=("array", "value"),
)
def _accumulated(array, index, value, old=None, *, out, out_bar):
    value_bar = reduced_to(out_bar[index], value)
    return out_bar, value_bar


@rules.forward_of(ops.accumulated)
def _accumulated_forward(array, index, value, old=None, *, out, array_dot, value_dot):
    return ops.accumulated(own_tangent(array_dot, array), index, value_dot)


@rules.forward_of(ops.added_to)
def _added_to_forward(array, index, value, old=None, *, out, array_dot, value_dot):
    return ops.added_to(own_tangent(array_dot, array), index, value_dot)


@rules.reverse_of(
    ops.subtracted_from, kind=_stored_kind, differentiable=("array", "value")
)
def _subtracted_from(array, index, value, old=None, *, out, out_bar):
    value_bar = -reduced_to(out_bar[index], value)
    return out_bar, value_bar


@rules.forward_of(ops.subtracted_from)
def _subtracted_from_forward(
    array, index, value, old=None, *, out, array_dot, value_dot
):
    return ops.subtracted_from(own_tangent(array_dot, array), index, value_dot)


@rules.reverse_of(ops.overwritten_part, kind=getitem_kind, masking=True)
def _overwritten_part(a, b, *, out, out_bar):
    return Scattered(b, out_bar, may_repeat(b))


@rules.forward_of(ops.overwritten_part)
def _overwritten_part_forward(a, b, *, out, a_dot):
    return ops.overwritten_part(own_tangent(a_dot, a), b)


def _last_writes_kind(x: ir.Kind, index: ir.Kind) -> ir.Kind:
    named = getitem_kind(x, index)
    return ir.Array("bool", named.axes if isinstance(named, ir.Array) else None)


rules.without_derivative(last_writes, kind=_last_writes_kind)


def take_kind(a: ir.Kind, indices: ir.Kind, axis: ir.Kind = NOT_GIVEN) -> ir.Kind:
    axes, found = settled_array_axes(a), settled_array_axes(as_array(indices))
    if rules.static_value(axis) is None:
        return rules.array_or_number(ir.dtype_of(a), found)
    if axes is None:
        raise rules.CallRefused(
            "np.take along an axis has a rule for arrays of known rank",
            "annotate the array",
        )
    if found is None:
        return ir.Array(ir.dtype_of(a), None)
    k = settled_axes_of(axis, len(axes))[0]
    return rules.array_or_number(ir.dtype_of(a), (*axes[:k], *found, *axes[k + 1 :]))


@rules.reverse_of(np.take, kind=take_kind, linear=True, masking=True)
def _take(a, indices, axis=None, *, out, out_bar):
    if axis is None:
        if rules.known_rank(a) == 1:
            return Scattered(indices, out_bar, True)
        return Scattered(np.unravel_index(indices, a.shape), out_bar, True)
    k = rules.settled_axes(axis, a)[0]
    if k == 0:
        return Scattered(indices, out_bar, True)
    return Scattered((slice(None),) * k + (indices,), out_bar, True)


def take_along_axis_kind(
    arr: ir.Kind, indices: ir.Kind, axis: ir.Kind = LAST
) -> ir.Kind:
    axes, chosen = settled_array_axes(arr), settled_array_axes(indices)
    if axes is None or chosen is None or rules.static_value(axis) is None:
        return ir.Array(
            ir.dtype_of(arr), chosen if rules.static_value(axis) is None else None
        )
    k = settled_axes_of(axis, len(axes))[0]
    others = rules.broadcast_axes([ir.Array(None, axes), ir.Array(None, chosen)]) or ()
    return ir.Array(ir.dtype_of(arr), (*others[:k], chosen[k], *others[k + 1 :]))


@rules.reverse_of(
    np.take_along_axis, kind=take_along_axis_kind, linear=True, masking=True
)
def _take_along_axis(arr, indices, axis=-1, *, out, out_bar):
    if axis is None:
        return Scattered(np.unravel_index(indices, arr.shape), out_bar, True)
    if rules.known_rank(arr) == 1:
        return Scattered(indices, out_bar, True)
    return Scattered(index_along_axis(indices, arr, axis), out_bar, True)
