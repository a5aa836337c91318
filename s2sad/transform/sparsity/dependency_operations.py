"""How the nodes of a result follow from those of the arguments, by operation.

There is one table for each form (see :mod:`s2sad.transform.sparsity.dependencies`).
*Moving* operations only move elements, and are run on nodes as they are; *elementwise*
ones join the nodes of all arguments; *reductions* join along axes; others have a
function of their own. What stands in no table depends on all that any argument depends
on."""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from s2sad import ops
from s2sad.ops import buffers, inner_lists, lists, selections
from s2sad.ops.numerics import matrices
from s2sad.ops.runtime import broadcasting, rows, sequences
from s2sad.rules.python.choice import choose
from s2sad.rules.registry import Rule

MOVING: frozenset[Any] = frozenset(
    (
        *(np.where, choose, np.diagonal, np.diag, np.reshape, np.ravel),
        *(np.ndarray.flatten, np.transpose, np.matrix_transpose, np.swapaxes),
        *(np.moveaxis, np.expand_dims, np.squeeze, np.flip, np.fliplr, np.flipud),
        *(np.rot90, np.roll, np.tril, np.triu, np.broadcast_to, np.atleast_1d),
        *(np.atleast_2d, np.lib.stride_tricks.sliding_window_view),
        *(np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack),
        *(np.split, np.array_split, np.tile, np.repeat, np.resize, np.pad),
        *(np.meshgrid, np.full, np.array, np.asarray, np.asanyarray),
        *(np.ascontiguousarray, operator.getitem, np.take, np.take_along_axis),
        *(buffers.stored, buffers.index_set, buffers.overwritten_part),
        *(broadcasting.broadcast_along_items, broadcasting.reshape_as),
        *(broadcasting.restore_reduced_axes, sequences.part_along_axis),
        *(sequences.split_like, sequences.unstack, sequences.nested_like),
        *(sequences.zero_row_inserted, sequences.stacked_tangents),
        *(sequences.zero_row_in_each, sequences.without_row_in_each),
        sequences.unless_empty,
        *(rows.repeated_rows, rows.stacked_rows),
        *(
            rows.rows_apart,
            ops.rows_of,
            ops.own_rows,
            ops.with_row,
            ops.with_zero_row,
            ops.without_row,
        ),
        *(lists.tuple_of, lists.list_of, lists.appended, lists.with_inserted_item),
        *(lists.without_item, lists.with_item_stored, lists.zero_inserted),
        *(lists.zero_appended, lists.without_place, lists.tuple_with),
        *(lists.joined_tuples, lists.joined_lists, lists.repeated),
        *(lists.without_last, lists.as_list, lists.as_tuple, lists.shaped_as_items),
        *(inner_lists.item_within, inner_lists.with_item_stored_within),
        *(inner_lists.appended_within, inner_lists.without_item_within),
        *(inner_lists.with_zero_element, inner_lists.with_shorter_row),
        *(inner_lists.with_longer_row, selections.gathered),
    )
)
"""Operations that only move elements; where they put zeros, node 0 is right."""

_ELEMENTWISE = frozenset(
    (
        *(np.absolute, builtins.abs, np.maximum, np.minimum, np.fmax, np.fmin, np.clip),
        *(np.heaviside, np.nan_to_num, np.real, np.imag, np.conjugate),
        *(
            np.ndarray.astype,
            getattr(np, "astype", None),
            np.copy,
            np.ndarray.copy,
            broadcasting.as_dtype_of,
        ),
        *(matrices.lower_with_half_diagonal, buffers.shared_result),
    )
)

REDUCTIONS = frozenset(
    (
        *(np.sum, np.mean, np.prod, np.max, np.amax, np.min, np.amin, np.ptp),
        *(np.var, np.std, np.average, np.median, np.linalg.norm),
    )
)
"""Reductions along ``axis``, with ``keepdims``."""

ALONG_AXIS = {np.cumsum: None, np.cumprod: None, np.sort: -1, np.partition: -1}
"""Operations that turn each lane along an axis into another; the default axis."""

SPREAD = {
    np.full_like: ("fill_value", "a"),
    broadcasting.broadcast_to_shape_of: ("cotangent", "x"),
    buffers.broadcast_like: ("value", "x"),
    buffers.full_like_of: ("value", "x"),
}
"""The first parameter is spread out to the shape of the second."""

ADDING = (buffers.index_add, buffers.added_to, buffers.subtracted_from)
"""Sums into elements of a buffer, each named once unless ``repeats``."""

PRODUCTS = (operator.matmul, np.matmul, operator.imatmul, np.dot)

COUNTED_STORES: dict[Any, int] = {
    **dict.fromkeys((*buffers.STORES, lists.with_item_stored), 3),
    lists.without_item: 2,
}
"""So many arguments matter; one behind them tells what is overwritten."""


def is_elementwise(rule: Rule) -> bool:
    """True where an element of the result depends on those at its place alone."""
    return rule.partials is not None or rule.function in _ELEMENTWISE
