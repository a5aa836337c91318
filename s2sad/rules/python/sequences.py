"""Lists and tuples whose length is known only when the program runs.

The cotangent of a list is an array whose first axis runs along the list. A list that
is built in a loop has its items at known places: their cotangents are read there, and
the loop's reverse only reads the array.
"""

import bisect
from dataclasses import replace

import numpy as np

from s2sad import ir, ops, rules
from s2sad.ops.runtime import broadcasting, indices, sequences
from s2sad.ops.runtime.results import require_array
from s2sad.ops.runtime.rows import sum_of_repeats
from s2sad.rules.numpy.kinds_of_arrays import NOT_GIVEN
from s2sad.rules.steps.scatter import Scattered
from s2sad.rules.steps.shape_steps import reduced_to


def appended_kind(
    items: ir.Kind, item: ir.Kind, position: ir.Kind = NOT_GIVEN
) -> ir.Kind:
    """The kind of a list with one more item. With a place, the list has the length
    already that it will have."""
    if not isinstance(items, ir.List):
        return ir.UNKNOWN
    held = ir.as_item(ir.without_value(item))
    if items.item is not None:
        held = ir.as_item(ir.join(items.item, held))
    if position is NOT_GIVEN or position == ir.Known(None):
        return ir.List(held, changed_axis(items.axis, 1), items.constructor)
    return ir.List(held, items.axis, items.constructor)


def changed_axis(axis: ir.Axis, by: int) -> ir.Axis:
    """The axis along a list that grew by so many items, or shrank."""
    return ir.Axis("any", ir.longer_by(axis.symbol, by))


def _with_item_kind(items: ir.Kind, place: ir.Kind, item: ir.Kind) -> ir.Kind:
    return appended_kind(items, item)


def without_item_kind(
    items: ir.Kind, place: ir.Kind, taken: ir.Kind = NOT_GIVEN
) -> ir.Kind:
    """The kind of a list with one item less."""
    if not isinstance(items, ir.List):
        return ir.UNKNOWN
    return ir.List(items.item, changed_axis(items.axis, -1), items.constructor)


def stored_item_kind(
    items: ir.Kind, place: ir.Kind, item: ir.Kind, old: ir.Kind = NOT_GIVEN
) -> ir.Kind:
    """The kind of a list with another item at a place."""
    if not isinstance(items, ir.List):
        return ir.UNKNOWN
    held = ir.as_item(ir.without_value(item))
    if items.item is not None:
        held = ir.as_item(ir.join(items.item, held))
    return ir.List(held, items.axis, items.constructor)


def _grown_tuple_kind(items: ir.Kind, item: ir.Kind) -> ir.Kind:
    return longer_kind(tuple, items, ir.List(ir.as_item(ir.without_value(item))))


def longer_kind(constructor: type, first: ir.Kind, second: ir.Kind) -> ir.Kind:
    """The kind of two lists or tuples, one behind the other."""
    if not (isinstance(first, ir.List) and isinstance(second, ir.List)):
        return ir.UNKNOWN
    both = ir.join(
        ir.List(first.item), ir.List(second.item), ("joined", first.axis.symbol)
    )
    assert isinstance(both, ir.List)
    lengths = (first.axis.symbol, second.axis.symbol)
    symbol = None if None in lengths else ir.Passing(("joined", *lengths))
    return ir.List(both.item, ir.Axis("any", symbol), constructor)


def _items_kind(items: ir.Kind) -> ir.Kind:
    if not isinstance(items, ir.Structure):
        return ir.UNKNOWN
    count = len(items.items)
    axis = ir.Axis("one" if count == 1 else "many", ("length", count))
    kind: ir.Kind = ir.List(None, axis, items.constructor)
    for item in items.items:
        kind = appended_kind(kind, item)
    return kind


@rules.reverse_of(ops.list_of, kind=_items_kind, linear=True, takes_sequence=True)
@rules.reverse_of(ops.tuple_of, kind=_items_kind, linear=True, takes_sequence=True)
def _items(items, *, out, out_bar):
    parts = ()
    for k, item in enumerate(items):
        if rules.is_list(out_bar):
            parts = parts + (out_bar[k],)
        else:
            part = out_bar[k] if rules.runs_along(out_bar, out) else out_bar
            parts = parts + (reduced_to(part, item),)
    return parts


rules.without_derivative(ops.new_list, kind=lambda: ir.List(None))


@rules.reverse_of(
    ops.appended,
    kind=appended_kind,
    differentiable=("items", "item"),
    lazy=True,
    divides=True,
)
def _appended(items, item, position=None, *, out, out_bar):
    if not rules.runs_along(out_bar, out):
        return out_bar, reduced_to(out_bar, item)
    if rules.is_none(position):
        if rules.is_list(out_bar):
            part = ops.overwritten_part(out_bar, -1)
            return ops.without_row(out_bar, -1, part), part
        return ops.without_last(out_bar), reduced_to(out_bar[-1], item)
    if rules.is_list(out_bar):
        return out_bar, out_bar[position]
    return out_bar, reduced_to(out_bar[position], item)


@rules.forward_of(ops.appended)
def _appended_forward(items, item, position=None, *, out, items_dot, item_dot):
    tangents = full_items(items_dot, items)
    return ops.appended(tangents, full_like(item_dot, item), position)


@rules.reverse_of(
    ops.with_inserted_item,
    kind=_with_item_kind,
    differentiable=("items", "item"),
    divides=True,
)
def _with_inserted(items, place, item, *, out, out_bar):
    at = 0
    if not rules.is_literal_zero(place):
        at = indices.place_of_insertion(place, len(out_bar) - 1)
    if rules.is_list(out_bar):
        part = ops.overwritten_part(out_bar, at)
        return ops.without_row(out_bar, at, part), part
    return ops.without_place(out_bar, at), reduced_to(out_bar[at], item)


@rules.forward_of(ops.with_inserted_item)
def _with_inserted_forward(items, place, item, *, out, items_dot, item_dot):
    tangents = full_items(items_dot, items)
    return ops.with_inserted_item(tangents, place, full_like(item_dot, item))


@rules.reverse_of(ops.without_item, kind=without_item_kind, divides=True, masking=True)
def _without(items, place, taken=None, *, out, out_bar):
    if rules.is_list(out_bar):
        like = items[place] if rules.is_none(taken) else taken
        if rules.is_literal_minus_one(place) or rules.is_literal_zero(place):
            return ops.with_row(out_bar, place, like)
        return ops.with_row(out_bar, place % (len(out_bar) + 1), like)
    if rules.is_literal_minus_one(place):
        if rules.is_none(taken):
            return ops.zero_appended(out_bar)
        return sequences.zero_row_inserted(out_bar, len(out_bar), taken)
    at = 0 if rules.is_literal_zero(place) else place % (len(out_bar) + 1)
    if rules.is_none(taken):
        return ops.zero_inserted(out_bar, at)
    return sequences.zero_row_inserted(out_bar, at, taken)


@rules.forward_of(ops.without_item)
def _without_forward(items, place, taken=None, *, out, items_dot):
    return ops.without_item(items_dot, place)


@rules.reverse_of(
    ops.with_item_stored,
    kind=stored_item_kind,
    differentiable=("items", "item"),
    divides=True,
    masking=True,
)
def _with_stored(items, place, item, old=None, *, out, out_bar):
    part = ops.overwritten_part(out_bar, place)
    if rules.is_list(out_bar):
        like = items[place] if rules.is_none(old) else old
        return ops.with_zero_row(out_bar, place, like, part), part
    return ops.stored(out_bar, place, 0.0), reduced_to(part, item)


@rules.forward_of(ops.with_item_stored)
def _with_stored_forward(items, place, item, old=None, *, out, items_dot, item_dot):
    tangents = full_items(items_dot, items)
    return ops.with_item_stored(tangents, place, full_like(item_dot, item))


def _changed_array_kind(by: int) -> rules.KindFunction:
    def kind(cotangent: ir.Kind, place: ir.Kind = NOT_GIVEN) -> ir.Kind:
        if not isinstance(cotangent, ir.Array) or not cotangent.axes:
            return cotangent
        first, *others = cotangent.axes
        return replace(cotangent, axes=(changed_axis(first, by), *others))

    return kind


@rules.reverse_of(ops.zero_inserted, kind=_changed_array_kind(1), linear=True)
def _zero_inserted(cotangent, place, *, out, out_bar):
    return ops.without_place(out_bar, place)


@rules.reverse_of(
    sequences.zero_row_inserted,
    kind=lambda cotangent, place, like: _changed_array_kind(1)(cotangent),
    linear=True,
)
def _zero_row_inserted(cotangent, place, like, *, out, out_bar):
    return ops.without_place(out_bar, place)


@rules.reverse_of(
    sequences.unless_empty,
    kind=lambda cotangent, axis=NOT_GIVEN: cotangent,
    linear=True,
    view=True,
)
def _unless_empty(cotangent, axis=0, *, out, out_bar):
    return sequences.zeros_if_empty(out_bar, cotangent, axis)


@rules.reverse_of(
    sequences.zeros_if_empty,
    kind=lambda cotangent, like, axis=NOT_GIVEN: like,
    linear=True,
    view=True,
)
def _zeros_if_empty(cotangent, like, axis=0, *, out, out_bar):
    return sequences.unless_empty(out_bar, axis)


@rules.reverse_of(ops.zero_appended, kind=_changed_array_kind(1), linear=True)
def _zero_appended(cotangent, *, out, out_bar):
    return ops.without_last(out_bar)


@rules.reverse_of(ops.without_place, kind=_changed_array_kind(-1), linear=True)
def _without_place(cotangent, place, *, out, out_bar):
    return ops.zero_inserted(out_bar, place)


rules.without_derivative(ops.place_in_list, kind=rules.python_int, cheap=True)
rules.without_derivative(ops.place_of_object, kind=rules.python_int, cheap=True)
rules.without_derivative(indices.place_of_insertion, kind=rules.python_int)
rules.without_derivative(indices.end_of_slice, kind=rules.python_int)
rules.without_derivative(
    (indices.first_of_slice, indices.count_of_slice), kind=rules.python_int
)


def full_items(tangent, items):
    """The tangent of a list, zeros included."""
    return ops.zero_items(items) if rules.is_literal_zero(tangent) else tangent


def full_like(tangent, item):
    """The tangent of an item, zeros included, in its shape."""
    if rules.is_number(item):
        return tangent
    if rules.is_list(item):
        return ops.zero_items(item) if rules.is_number(tangent) else tangent
    return ops.full_like_of(tangent, item) if rules.is_number(tangent) else tangent


@rules.reverse_of(
    ops.tuple_with,
    kind=_grown_tuple_kind,
    differentiable=("items", "item"),
    lazy=True,
    divides=True,
)
def _tuple_with(items, item, *, out, out_bar):
    if not rules.runs_along(out_bar, out):
        return out_bar, reduced_to(out_bar, item)
    if rules.is_list(out_bar):
        part = ops.overwritten_part(out_bar, -1)
        return ops.without_row(out_bar, -1, part), part
    return ops.without_last(out_bar), reduced_to(out_bar[-1], item)


@rules.forward_of(ops.tuple_with)
def _tuple_with_forward(items, item, *, out, items_dot, item_dot):
    return ops.tuple_with(full_items(items_dot, items), full_like(item_dot, item))


@rules.reverse_of(
    ops.joined_lists,
    kind=lambda first, second: longer_kind(list, first, second),
    differentiable=("first", "second"),
    lazy=True,
    divides=True,
)
@rules.reverse_of(
    ops.joined_tuples,
    kind=lambda first, second: longer_kind(tuple, first, second),
    differentiable=("first", "second"),
    lazy=True,
    divides=True,
)
def _joined(first, second, *, out, out_bar):
    if not rules.runs_along(out_bar, out):
        return out_bar, out_bar
    count = len(first)
    return out_bar[:count], out_bar[count:]


@rules.forward_of(ops.joined_lists)
def _joined_forward(first, second, *, out, first_dot, second_dot):
    return ops.joined_lists(
        full_items(first_dot, first), full_items(second_dot, second)
    )


@rules.forward_of(ops.joined_tuples)
def _joined_tuples_forward(first, second, *, out, first_dot, second_dot):
    return ops.joined_tuples(
        full_items(first_dot, first), full_items(second_dot, second)
    )


def _repeated_kind(items: ir.Kind, count: ir.Kind) -> ir.Kind:
    if not isinstance(items, ir.List):
        return ir.UNKNOWN
    length = getattr(count, "length_of", None) if items.axis.length == "one" else None
    times, own = getattr(count, "value", None), items.axis.symbol
    if length is None and times is not None and own is not None:
        length = ir.Passing(("repeated", own, times))
    return ir.List(items.item, ir.Axis("any", length), items.constructor)


@rules.reverse_of(ops.repeated, kind=_repeated_kind, linear=True)
def _repeated(items, count, *, out, out_bar):
    if not rules.runs_along(out_bar, out):
        return out_bar * len(out) / len(items)
    if rules.is_list(out_bar):
        return sum_of_repeats(out_bar, items)
    if rules.has_one_item(items):
        return np.sum(out_bar, axis=0, keepdims=True)
    shape = (max(count, 0), len(items)) + out_bar.shape[1:]
    return np.sum(np.reshape(out_bar, shape), axis=0)


@rules.reverse_of(
    ops.without_last, kind=_changed_array_kind(-1), linear=True, view=True, cheap=True
)
def _without_last(cotangent, *, out, out_bar):
    return Scattered(slice(None, -1), out_bar)


def _surely_array(value: ir.Kind) -> ir.Kind:
    return replace(value, promoted=False) if isinstance(value, ir.Array) else ir.UNKNOWN


@rules.reverse_of(require_array, kind=_surely_array, linear=True, view=True, lazy=True)
def _require_array(value, *, out, out_bar):
    return out_bar


@rules.forward_of(require_array)
def _require_array_forward(value, *, out, value_dot):
    return broadcasting.broadcast_to_shape_of(value_dot, out)


def _made_of(constructor: type):
    return lambda items: (
        replace(items, constructor=constructor)
        if isinstance(items, ir.List)
        else ir.UNKNOWN
    )


@rules.reverse_of(
    ops.as_tuple, kind=_made_of(tuple), linear=True, view=True, lazy=True, divides=True
)
@rules.reverse_of(
    ops.as_list, kind=_made_of(list), linear=True, view=True, lazy=True, divides=True
)
def _made(items, *, out, out_bar):
    return out_bar


def _zeros_kind(items: ir.Kind, dtype: ir.Kind = NOT_GIVEN) -> ir.Kind:
    return ir.array_of_list(items) or ir.UNKNOWN


rules.without_derivative(ops.zeros_along, kind=_zeros_kind, cheap=True)


def _shaped_kind(value: ir.Kind, items: ir.Kind) -> ir.Kind:
    return ir.array_of_list(items) or ir.UNKNOWN


@rules.reverse_of(ops.shaped_as_items, kind=_shaped_kind, linear=True, view=True)
def _shaped(value, items, *, out, out_bar):
    if rules.is_list(value):
        return ops.rows_of(out_bar)
    return np.reshape(out_bar, value.shape)


rules.without_derivative(ops.zero_items, kind=lambda items: items)
rules.without_derivative(ops.index_of_first, kind=rules.python_int)
rules.without_derivative(
    sequences.order_of_items, kind=lambda items, descending: ir.List(ir.INT, items.axis)
)
rules.without_derivative(
    sequences.order_of_rows, kind=lambda descending, columns: ir.List(ir.INT)
)
rules.without_derivative(ops.column_of, kind=lambda rows, keys: ir.List(ir.OPAQUE))
rules.without_derivative(ops.count_of_range, kind=rules.python_int)


def _place_kind(a: ir.Kind, x: ir.Kind, **_: ir.Kind) -> ir.Kind:
    return ir.Scalar("int")


rules.without_derivative(
    (bisect.bisect_left, bisect.bisect_right),
    lambda a, x, lo=0, hi=None: None,
    kind=_place_kind,
    takes_sequence=True,
)
