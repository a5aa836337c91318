"""Rules of the operations on many tangents, or cotangents, of a list at once; see
:mod:`s2sad.transform.batching.lists`. They stand along the first axis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from s2sad.ir.kinds import (
    UNKNOWN,
    Array,
    Axis,
    Kind,
    List,
    array_of_list,
    axes_of,
    dtype_of,
)
from s2sad.ops.runtime.sequences import (
    stacked_tangents,
    without_row_in_each,
    zero_row_in_each,
    zero_tangents,
)
from s2sad.rules.numpy.arguments import NOT_GIVEN
from s2sad.rules.python.sequences import changed_axis
from s2sad.rules.registry import KindFunction, reverse_of, without_derivative


def _axis_of_tangents(count: Kind) -> Axis:
    return Axis("any", getattr(count, "length_of", None))


def _stacked_kind(items: Kind, count: Kind, rank: Kind) -> Kind:
    if not isinstance(items, List):
        return UNKNOWN
    if items.item is None:
        return Array("float64", (_axis_of_tangents(count), items.axis))
    axes = axes_of(items.item)
    if not axes:
        return UNKNOWN
    return Array(dtype_of(items.item), (axes[0], items.axis, *axes[1:]))


@reverse_of(
    stacked_tangents, kind=_stacked_kind, differentiable=("items",), linear=True
)
def _stacked_tangents(items, count, rank, *, out, out_bar):
    return np.moveaxis(out_bar, 1, 0)


def _zero_tangents_kind(items: Kind, count: Kind) -> Kind:
    array = array_of_list(items)
    if array is None or array.axes is None:
        return UNKNOWN
    return replace(array, axes=(_axis_of_tangents(count), *array.axes))


without_derivative(zero_tangents, lambda items, count: None, kind=_zero_tangents_kind)


def _changed_kind(by: int) -> KindFunction:
    def kind(cotangents: Kind, place: Kind, like: Kind = NOT_GIVEN) -> Kind:
        if not isinstance(cotangents, Array) or len(cotangents.axes or ()) < 2:
            return UNKNOWN
        count, first, *others = cotangents.axes or ()
        return replace(cotangents, axes=(count, changed_axis(first, by), *others))

    return kind


@reverse_of(
    zero_row_in_each,
    kind=_changed_kind(1),
    differentiable=("cotangents",),
    linear=True,
)
def _zero_row_in_each(cotangents, place, like=None, *, out, out_bar):
    return without_row_in_each(out_bar, place)


@reverse_of(
    without_row_in_each,
    kind=_changed_kind(-1),
    differentiable=("cotangents",),
    linear=True,
)
def _without_row_in_each(cotangents, place, *, out, out_bar):
    return zero_row_in_each(out_bar, place)
