"""Rules of the operations on many tangents, or cotangents, of a list at once; see
:mod:`s2sad.transform.batching.lists.lists`. They stand along the first axis."""

from dataclasses import replace

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime import sequences
from s2sad.rules.numpy.kinds_of_arrays import NOT_GIVEN
from s2sad.rules.python.sequences import changed_axis


def _axis_of_tangents(count: ir.Kind) -> ir.Axis:
    return ir.Axis("any", getattr(count, "length_of", None))


def _stacked_kind(items: ir.Kind, count: ir.Kind, rank: ir.Kind) -> ir.Kind:
    if not isinstance(items, ir.List):
        return ir.UNKNOWN
    if items.item is None:
        return ir.Array("float64", (_axis_of_tangents(count), items.axis))
    axes = ir.axes_of(items.item)
    if not axes:
        return ir.UNKNOWN
    return ir.Array(ir.dtype_of(items.item), (axes[0], items.axis, *axes[1:]))


@rules.reverse_of(sequences.stacked_tangents, kind=_stacked_kind, linear=True)
def _stacked_tangents(items, count, rank, *, out, out_bar):
    return np.moveaxis(out_bar, 1, 0)


def _zero_tangents_kind(items: ir.Kind, count: ir.Kind) -> ir.Kind:
    array = ir.array_of_list(items)
    if array is None or array.axes is None:
        return ir.UNKNOWN
    return replace(array, axes=(_axis_of_tangents(count), *array.axes))


rules.without_derivative(sequences.zero_tangents, kind=_zero_tangents_kind)


def _changed_kind(by: int) -> rules.KindFunction:
    def kind(cotangents: ir.Kind, place: ir.Kind, like: ir.Kind = NOT_GIVEN) -> ir.Kind:
        if not isinstance(cotangents, ir.Array) or len(cotangents.axes or ()) < 2:
            return ir.UNKNOWN
        count, first, *others = cotangents.axes or ()
        return replace(cotangents, axes=(count, changed_axis(first, by), *others))

    return kind


@rules.reverse_of(sequences.zero_row_in_each, kind=_changed_kind(1), linear=True)
def _zero_row_in_each(cotangents, place, like=None, *, out, out_bar):
    return sequences.without_row_in_each(out_bar, place)


@rules.reverse_of(sequences.without_row_in_each, kind=_changed_kind(-1), linear=True)
def _without_row_in_each(cotangents, place, *, out, out_bar):
    return sequences.zero_row_in_each(out_bar, place)
