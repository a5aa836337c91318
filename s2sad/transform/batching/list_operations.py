"""The table of operations on lists that are batched, see
:mod:`s2sad.transform.batching.lists`."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.frontend.specialise.core.exceptions import NotBatched
from s2sad.frontend.specialise.core.values import (
    Value,
    kind_of,
)
from s2sad.ir.kinds import (
    List,
)
from s2sad.ops.buffers import (
    STORES,
    index_add,
    index_set,
    overwritten_part,
)
from s2sad.ops.inner_lists import OF_ONE_LIST, item_within
from s2sad.ops.lists import (
    appended,
    as_list,
    as_tuple,
    joined_lists,
    joined_tuples,
    list_of,
    repeated,
    shaped_as_items,
    tuple_of,
    tuple_with,
    with_inserted_item,
    with_item_stored,
    without_item,
)
from s2sad.ops.rows import (
    added_rows,
    own_rows,
    rows_of,
    with_row,
    with_zero_row,
    without_row,
)
from s2sad.ops.runtime.sequences import (
    split_like,
)
from s2sad.transform.batching.calls import Batch, Call, plain
from s2sad.transform.batching.list_arrays import (
    as_array,
    joined_arrays,
    joined_columns,
    joined_rows,
    sum_of_list,
)
from s2sad.transform.batching.list_cotangents import (
    rows_of_array,
    shaped_as_primal,
    split_cotangent,
    with_row_like,
    without_row_of_list,
)
from s2sad.transform.batching.lists import (
    changed_within,
    is_batched_list,
    item_of_list,
    item_within_list,
    moved,
    store_in_list,
)


def list_operation(call: Call) -> Callable[[Call], Value] | None:
    """How an operation is batched that takes or gives a list; None where none does."""
    handler = _OF_LISTS.get(call.value.function)
    if handler is not None and (
        call.value.function in _GIVES_LISTS or _is_list(call.args[0])
    ):
        return handler
    return _refused if any(map(is_batched_list, call.args)) else None


def _is_list(value: Any) -> bool:
    kind = value.item if isinstance(value, Batch) else kind_of(plain(value))
    return isinstance(kind, List)


def _refused(call: Call) -> Value:
    raise NotBatched("nothing is known of it for a list of tangents")


_MOVES = (
    *(appended, with_inserted_item, without_item, with_item_stored, tuple_with),
    *(joined_lists, joined_tuples, repeated, as_tuple, as_list, list_of, tuple_of),
    *(own_rows, added_rows),
)
_OF_LISTS: dict[Any, Callable[[Call], Value]] = {
    **dict.fromkeys(_MOVES, moved),
    **dict.fromkeys((np.array, np.asarray, np.asanyarray, np.stack), as_array),
    **dict.fromkeys((operator.getitem, overwritten_part), item_of_list),
    **dict.fromkeys((index_add, index_set, *STORES), store_in_list),
    item_within: item_within_list,
    **dict.fromkeys(OF_ONE_LIST, changed_within),
    **dict.fromkeys((builtins.sum, math.fsum), sum_of_list),
    np.concatenate: joined_arrays,
    np.vstack: joined_rows,
    np.hstack: joined_columns,
    rows_of: rows_of_array,
    split_like: split_cotangent,
    shaped_as_items: shaped_as_primal,
    **dict.fromkeys((with_row, with_zero_row), with_row_like),
    without_row: without_row_of_list,
}
_GIVES_LISTS = (list_of, tuple_of, rows_of, shaped_as_items, split_like)
"""What is here for whatever it takes."""
