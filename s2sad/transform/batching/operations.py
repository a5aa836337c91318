"""How operations are batched: what they are on arrays with one more axis in front.

Takes an operation of which some operands are batched
(:mod:`s2sad.transform.batching.batch`); gives its result, batched too. Elementwise
operations need their operands aligned, those along an axis another number for the axis,
products another product::

    sum(x, axis=0)     ->   sum(x, axis=1)
    mul(s, x)          ->   mul(expand_dims(s, 1), x)          # s: a number for each
    matmul(a, x)       ->   matmul(x, a.T)                     # x: a vector for each
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.ops.numerics.matrices import lower_with_half_diagonal
from s2sad.ops.runtime.broadcasting import (
    as_dtype_of,
    broadcast_to_shape_of,
    reshape_as,
    sum_to_shape_of,
)
from s2sad.ops.runtime.fitting import only_looked_at
from s2sad.ops.runtime.indices import last_writes
from s2sad.ops.runtime.scalars import quotient
from s2sad.ops.runtime.sequences import (
    part_along_axis,
    unless_empty,
    unstack,
    zero_row_inserted,
)
from s2sad.rules.python.choice import choose, equals_zero
from s2sad.rules.registry import rule_for
from s2sad.rules.steps.batched_products import BATCHED_PRODUCTS
from s2sad.transform.batching.arrangements import (
    at_least_items,
    flattened_first,
    joined_side_by_side,
    mirrored_items,
    padded_items,
    rolled_items,
    summed_to_shape,
    tiled_items,
)
from s2sad.transform.batching.axes import (
    along,
    diagonal_items,
    squeezed_items,
    with_inner_axes,
)
from s2sad.transform.batching.calls import (
    Call,
    aligned,
    as_it_is,
    as_value,
    is_batched,
    plain,
    rank_of_item,
)
from s2sad.transform.batching.creation import (
    filled_items,
    filled_like_items,
    grids_of_items,
    spaced_items,
    summed_items,
)
from s2sad.transform.batching.elements import (
    item_of_array,
    item_of_each,
    last_writes_of_each,
    part_of_each,
    store_in_each,
    without_last_item,
)
from s2sad.transform.batching.joins import (
    array_of_items,
    einsum_of_items,
    joined_items,
    split_items,
    tensordot_of_items,
    unstacked_items,
)
from s2sad.transform.batching.lists.list_cotangents import (
    unless_empty_in_each,
    without_row_of_each,
    zero_row_of_each,
)
from s2sad.transform.batching.lists.list_operations import list_operation
from s2sad.transform.batching.loops import one_by_one
from s2sad.transform.batching.matrices import (
    diagonal_of_each,
    product_of_matrices,
    solution_of_each,
)
from s2sad.transform.batching.shapes import (
    broadcast_items,
    flattened_items,
    reshaped_as_other,
    reshaped_items,
    spread_items,
)


def batched_call(
    mode: Any,
    value: ir.Apply,
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    item: ir.Kind,
) -> core.Value:
    """The operation on batched operands."""
    call = Call(mode, value, args, keywords, item)
    of_lists = list_operation(call)
    if of_lists is not None:
        mark = len(mode.spec.block)
        try:
            return of_lists(call)
        except (core.NotBatched, core.Unsupported):
            del mode.spec.block[mark:]
        return one_by_one(call)
    rule = rule_for(value.function)
    if rule is not None and rule.batched is not None:
        known = _by_text(call, rule.batched, rule.arguments_of(args, keywords))
        if known is not None:
            return known
    product = BATCHED_PRODUCTS.get(value.function)
    if product is not None and len(args) == 2 and not keywords:
        turned = _matrix_before_transposition(mode, args)
        if turned is not None and value.function in (operator.matmul, np.matmul):
            return call.apply(value.function, args[1], turned)
        known = _by_text(call, product, dict(zip(("x", "y"), args, strict=True)))
        if known is not None:
            return known
    handler = _handler(value.function)
    if handler is not None:
        mark = len(mode.spec.block)
        try:
            return handler(call)
        except (core.NotBatched, core.Unsupported):
            del mode.spec.block[mark:]
    return one_by_one(call)


def _handler(function: Any) -> Callable[[Call], core.Value] | None:
    """What batches an operation: its own way, or that of all that do the same."""
    known, rule = ops.record_of(function), rule_for(function)
    if function in _OPERATIONS:
        return _OPERATIONS[function]
    if rule is not None and rule.partials is not None:
        return elementwise
    if known is None or rule is None:
        return None
    for does, handler in _BY_RECORD.items():
        if does in known.does:
            return handler
    return None


def _matrix_before_transposition(mode: Any, args: tuple[Any, ...]) -> core.Leaf | None:
    """``w`` where ``w.T`` multiplies a vector for each tangent."""
    x, y = args
    if (
        not isinstance(x, core.Leaf)
        or not isinstance(x.operand, ir.Var)
        or is_batched(x)
    ):
        return None
    (made, *others) = mode.definitions.get(x.operand.name, [None])
    if made is None or others or rank_of_item(x) != 2 or rank_of_item(y) != 1:
        return None
    match made.value:
        case ir.Apply(args=(ir.Var() as matrix,)) if ops.is_plain_transpose(made.value):
            leaf: core.Leaf = mode.leaf(matrix.name)
            return None if matrix.name in mode.batched else leaf
    return None


def _by_text(
    call: Call, text: Callable[..., Any], arguments: Mapping[str, Any]
) -> core.Value | None:
    """A rule for batched operands, written in Python; ``batched`` tells it which. None
    where the rule returns None: it isn't for such operands."""
    names = tuple(name for name, value in arguments.items() if is_batched(value))
    values = {name: plain(value) for name, value in arguments.items()}
    marks = {"batched": as_value(())} | {"batched": _texts(names)}
    mark = len(call.mode.spec.block)
    made = call.mode.spec.expand(text, {**values, **marks})
    if core.kind_of(made) != ir.NONE:
        return made
    del call.mode.spec.block[mark:]
    return None


def _texts(names: tuple[str, ...]) -> core.Value:
    items = tuple(map(core.constant, names))
    return core.Aggregate(tuple, tuple(range(len(items))), items)


def elementwise(call: Call) -> core.Value:
    """Operands of lower rank get axes behind the leading one."""
    function = _OF_ARRAYS.get(call.value.function, call.value.function)
    if not isinstance(function, np.ufunc) and getattr(
        function, "__module__", ""
    ) not in ("_operator", "numpy", "s2sad.ops.runtime.broadcasting"):
        raise core.NotBatched("it is a function of single numbers")
    rank = max(map(rank_of_item, call.args))
    if any(map(is_batched, call.keywords.values())):
        raise core.NotBatched("a keyword is batched")
    aligned_args = [aligned(call, value, rank) for value in call.args]
    return call.apply(function, *aligned_args, **call.keywords)


_OF_ARRAYS: dict[Any, Any] = {
    quotient: operator.truediv,
    builtins.abs: np.abs,
    builtins.pow: operator.pow,
    choose: np.where,
    equals_zero: operator.eq,
}
"""What stands for a function of numbers where there are many."""


def _as_float(call: Call) -> core.Value:
    """``float(x)`` of numbers."""
    x = call.only_first()
    if ir.dtype_of(x.item) == "float64":
        return x.leaf
    cast = core.constant(np.float64)
    return call.apply(np.ndarray.astype, x, cast, spelling="method:astype")


def _as_dtype(call: Call) -> core.Value:
    """``np.float32(x)`` of numbers."""
    x = call.only_first()
    if rank_of_item(x) > 0:
        return as_it_is(call)
    cast = core.constant(call.value.function)
    return call.apply(np.ndarray.astype, x, cast, spelling="method:astype")


_SHAPELESS = (
    only_looked_at,
    *(
        np.copy,
        np.ndarray.copy,
        np.ndarray.astype,
        np.astype,
        ops.own_copy,
        ops.shared_result,
    ),
    *(np.zeros_like, np.ones_like, np.empty_like, np.ascontiguousarray, np.tril),
    *(np.triu, np.nan_to_num, as_dtype_of, lower_with_half_diagonal),
)
_FLATTENING = (np.repeat, np.take, np.argmax, np.argmin)

_OPERATIONS: dict[Any, Callable[[Call], core.Value]] = {
    **dict.fromkeys(_SHAPELESS, as_it_is),
    **dict.fromkeys(_FLATTENING, flattened_first),
    np.roll: rolled_items,
    np.cross: elementwise,
    np.tile: tiled_items,
    np.pad: padded_items,
    **dict.fromkeys((np.flipud, np.fliplr), mirrored_items),
    **dict.fromkeys((np.atleast_1d, np.atleast_2d), at_least_items),
    **dict.fromkeys((np.hstack, np.vstack, np.column_stack), joined_side_by_side),
    sum_to_shape_of: summed_to_shape,
    **dict.fromkeys((operator.matmul, np.matmul), product_of_matrices),
    np.linalg.solve: solution_of_each,
    np.diag: diagonal_of_each,
    np.flip: along,
    np.squeeze: squeezed_items,
    np.argsort: along,
    np.diff: along,
    builtins.float: _as_float,
    **dict.fromkeys((np.float64, np.float32, np.float16, np.longdouble), _as_dtype),
    np.matrix_transpose: as_it_is,
    np.diagonal: diagonal_items,
    np.trace: diagonal_items,
    np.reshape: reshaped_items,
    np.ravel: flattened_items,
    np.ndarray.flatten: flattened_items,
    np.broadcast_to: broadcast_items,
    ops.broadcast_like: spread_items,
    ops.full_like_of: spread_items,
    broadcast_to_shape_of: spread_items,
    reshape_as: reshaped_as_other,
    operator.getitem: item_of_each,
    last_writes: last_writes_of_each,
    ops.item_within: item_of_array,
    ops.overwritten_part: part_of_each,
    **dict.fromkeys((ops.index_add, ops.index_set, *ops.STORES), store_in_each),
    np.einsum: einsum_of_items,
    np.tensordot: tensordot_of_items,
    np.concatenate: joined_items,
    np.stack: joined_items,
    **dict.fromkeys((np.array, np.asarray, np.asanyarray), array_of_items),
    np.full: filled_items,
    np.full_like: filled_like_items,
    np.linspace: spaced_items,
    np.meshgrid: grids_of_items,
    **dict.fromkeys((builtins.sum, math.fsum), summed_items),
    part_along_axis: along,
    np.split: split_items,
    np.array_split: split_items,
    unstack: unstacked_items,
    ops.without_last: without_last_item,
    **dict.fromkeys(
        (ops.zero_appended, ops.zero_inserted, zero_row_inserted), zero_row_of_each
    ),
    ops.without_place: without_row_of_each,
    unless_empty: unless_empty_in_each,
}
_BY_RECORD = {
    ops.Does.ELEMENTWISE: elementwise,
    ops.Does.REDUCES: along,
    ops.Does.RUNS: flattened_first,
    ops.Does.REARRANGES: with_inner_axes,
}
