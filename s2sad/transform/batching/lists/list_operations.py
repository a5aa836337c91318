"""The table of operations on lists that are batched, see
:mod:`s2sad.transform.batching.lists.lists`."""

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.runtime.sequences import split_like
from s2sad.transform.batching.calls import Batch, Call, plain
from s2sad.transform.batching.lists import list_arrays, list_cotangents, lists


def list_operation(call: Call) -> Callable[[Call], core.Value] | None:
    """How an operation is batched that takes or gives a list; None where none does."""
    handler = _OF_LISTS.get(call.value.function)
    if handler is not None and (
        call.value.function in _GIVES_LISTS or _is_list(call.args[0])
    ):
        return handler
    return _refused if any(map(lists.is_batched_list, call.args)) else None


def _is_list(value: Any) -> bool:
    kind = value.item if isinstance(value, Batch) else core.kind_of(plain(value))
    return isinstance(kind, ir.List)


def _refused(call: Call) -> core.Value:
    raise core.NotBatched("nothing is known of it for a list of tangents")


_MOVES = (
    *(
        ops.appended,
        ops.with_inserted_item,
        ops.without_item,
        ops.with_item_stored,
        ops.tuple_with,
    ),
    *(
        ops.joined_lists,
        ops.joined_tuples,
        ops.repeated,
        ops.as_tuple,
        ops.as_list,
        ops.list_of,
        ops.tuple_of,
    ),
    *(ops.own_rows, ops.added_rows),
)
_OF_LISTS: dict[Any, Callable[[Call], core.Value]] = {
    **dict.fromkeys(_MOVES, lists.moved),
    **dict.fromkeys(
        (np.array, np.asarray, np.asanyarray, np.stack), list_arrays.as_array
    ),
    **dict.fromkeys((operator.getitem, ops.overwritten_part), lists.item_of_list),
    **dict.fromkeys((ops.index_add, ops.index_set, *ops.STORES), lists.store_in_list),
    ops.item_within: lists.item_within_list,
    **dict.fromkeys(ops.OF_ONE_LIST, lists.changed_within),
    **dict.fromkeys((builtins.sum, math.fsum), list_arrays.sum_of_list),
    np.concatenate: list_arrays.joined_arrays,
    np.vstack: list_arrays.joined_rows,
    np.hstack: list_arrays.joined_columns,
    ops.rows_of: list_cotangents.rows_of_array,
    split_like: list_cotangents.split_cotangent,
    ops.shaped_as_items: list_cotangents.shaped_as_primal,
    **dict.fromkeys((ops.with_row, ops.with_zero_row), list_cotangents.with_row_like),
    ops.without_row: list_cotangents.without_row_of_list,
}
_GIVES_LISTS = (ops.list_of, ops.tuple_of, ops.rows_of, ops.shaped_as_items, split_like)
"""What is here for whatever it takes."""
