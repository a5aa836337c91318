"""How operations are batched: what they are on arrays with one more axis in front.

Takes an operation of which some operands are batched
(:mod:`s2sad.transform.batching.batch`); gives its result, batched too. Elementwise
operations need their operands aligned, those along an axis another number for the axis,
products another product::

    sum(x, axis=0)     ->   sum(x, axis=1)
    mul(s, x)          ->   mul(expand_dims(s, 1), x)          # s: a number for each
    matmul(a, x)       ->   matmul(x, a.T)                     # x: a vector for each
"""

import builtins
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.ops.numerics.matrices import lower_with_half_diagonal
from s2sad.ops.runtime import broadcasting, fitting, indices, scalars, sequences
from s2sad.rules.python.choice import choose, equals_zero
from s2sad.rules.steps.batched_products import BATCHED_PRODUCTS
from s2sad.transform.batching import (
    arrangements,
    axes,
    calls,
    creation,
    elements,
    joins,
    matrices,
    shapes,
)
from s2sad.transform.batching.lists import list_cotangents, list_operations
from s2sad.transform.batching.loops import one_by_one


def batched_call(
    mode: Any,
    value: ir.Apply,
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    item: ir.Kind,
) -> core.Value:
    """The operation on batched operands."""
    call = calls.Call(mode, value, args, keywords, item)
    of_lists = list_operations.list_operation(call)
    if of_lists is not None:
        mark = len(mode.spec.block)
        try:
            return of_lists(call)
        except (core.NotBatched, core.Unsupported):
            del mode.spec.block[mark:]
        return one_by_one(call)
    rule = rules.rule_for(value.function)
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


def _handler(function: Any) -> Callable[[calls.Call], core.Value] | None:
    """What batches an operation: its own way, or that of all that do the same."""
    known, rule = ops.record_of(function), rules.rule_for(function)
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
    made = mode.only_value(x.operand) if isinstance(x, core.Leaf) else None
    if made is None or calls.rank_of_item(x) != 2 or calls.rank_of_item(y) != 1:
        return None
    matrix = made.args[0] if ops.is_plain_transpose(made) else None
    if not isinstance(matrix, ir.Var) or matrix.name in mode.batched:
        return None
    leaf: core.Leaf = mode.leaf(matrix.name)
    return leaf


def _by_text(
    call: calls.Call, text: Callable[..., Any], arguments: Mapping[str, Any]
) -> core.Value | None:
    """A rule for batched operands, written in Python; ``batched`` tells it which. None
    where the rule returns None: it isn't for such operands."""
    names = tuple(name for name, value in arguments.items() if calls.is_batched(value))
    values = {name: calls.plain(value) for name, value in arguments.items()}
    mark = len(call.mode.spec.block)
    made = call.mode.spec.expand(text, {**values, "batched": calls.as_value(names)})
    if core.kind_of(made) != ir.NONE:
        return made
    del call.mode.spec.block[mark:]
    return None


def elementwise(call: calls.Call) -> core.Value:
    """Operands of lower rank get axes behind the leading one."""
    function = _OF_ARRAYS.get(call.value.function, call.value.function)
    module = getattr(function, "__module__", "")
    if not isinstance(function, np.ufunc) and module not in _MODULES_OF_ARRAYS:
        raise core.NotBatched("it is a function of single numbers")
    rank = max(map(calls.rank_of_item, call.args))
    if any(map(calls.is_batched, call.keywords.values())):
        raise core.NotBatched("a keyword is batched")
    aligned_args = [calls.aligned(call, value, rank) for value in call.args]
    return call.apply(function, *aligned_args, **call.keywords)


_MODULES_OF_ARRAYS = (
    *("_operator", "numpy", "numpy.linalg", "s2sad.ops.runtime.broadcasting"),
)
_OF_ARRAYS: dict[Any, Any] = {
    scalars.quotient: operator.truediv,
    builtins.abs: np.abs,
    builtins.pow: operator.pow,
    choose: np.where,
    equals_zero: operator.eq,
}
"""What stands for a function of numbers where there are many."""


def _as_float(call: calls.Call) -> core.Value:
    """``float(x)`` of numbers."""
    x = call.only_first()
    if ir.dtype_of(x.item) == "float64":
        return x.leaf
    cast = core.constant(np.float64)
    return call.apply(np.ndarray.astype, x, cast, spelling="method:astype")


def _as_dtype(call: calls.Call) -> core.Value:
    """``np.float32(x)`` of numbers."""
    x = call.only_first()
    if calls.rank_of_item(x) > 0:
        return calls.as_it_is(call)
    cast = core.constant(call.value.function)
    return call.apply(np.ndarray.astype, x, cast, spelling="method:astype")


_SHAPELESS = (
    fitting.only_looked_at,
    *(
        np.copy,
        np.ndarray.copy,
        np.ndarray.astype,
        np.astype,
        ops.own_copy,
        ops.shared_result,
    ),
    *(np.zeros_like, np.ones_like, np.empty_like, np.ascontiguousarray, np.tril),
    *(np.triu, np.nan_to_num, broadcasting.as_dtype_of, lower_with_half_diagonal),
)
_FLATTENING = (np.repeat, np.take, np.argmax, np.argmin)

_OPERATIONS: dict[Any, Callable[[calls.Call], core.Value]] = {
    **dict.fromkeys(_SHAPELESS, calls.as_it_is),
    **dict.fromkeys(_FLATTENING, arrangements.flattened_first),
    np.roll: arrangements.rolled_items,
    np.linalg.cross: elementwise,
    np.tile: arrangements.tiled_items,
    np.pad: arrangements.padded_items,
    **dict.fromkeys((np.flipud, np.fliplr), arrangements.mirrored_items),
    **dict.fromkeys((np.atleast_1d, np.atleast_2d), arrangements.at_least_items),
    **dict.fromkeys(
        (np.hstack, np.vstack, np.column_stack), arrangements.joined_side_by_side
    ),
    broadcasting.sum_to_shape_of: arrangements.summed_to_shape,
    **dict.fromkeys((operator.matmul, np.matmul), matrices.product_of_matrices),
    np.linalg.solve: matrices.solution_of_each,
    np.diag: matrices.diagonal_of_each,
    np.flip: axes.along,
    np.squeeze: axes.squeezed_items,
    np.argsort: axes.along,
    np.diff: axes.along,
    builtins.float: _as_float,
    **dict.fromkeys((np.float64, np.float32, np.float16, np.longdouble), _as_dtype),
    np.matrix_transpose: calls.as_it_is,
    np.diagonal: axes.diagonal_items,
    np.trace: axes.diagonal_items,
    np.reshape: shapes.reshaped_items,
    np.ravel: shapes.flattened_items,
    np.ndarray.flatten: shapes.flattened_items,
    np.broadcast_to: shapes.broadcast_items,
    ops.broadcast_like: shapes.spread_items,
    ops.full_like_of: shapes.spread_items,
    broadcasting.broadcast_to_shape_of: shapes.spread_items,
    broadcasting.reshape_as: shapes.reshaped_as_other,
    operator.getitem: elements.item_of_each,
    indices.last_writes: elements.last_writes_of_each,
    ops.item_within: elements.item_of_array,
    ops.overwritten_part: elements.part_of_each,
    **dict.fromkeys(
        (ops.index_add, ops.index_set, *ops.STORES), elements.store_in_each
    ),
    np.einsum: joins.einsum_of_items,
    np.tensordot: joins.tensordot_of_items,
    np.concatenate: joins.joined_items,
    np.stack: joins.joined_items,
    **dict.fromkeys((np.array, np.asarray, np.asanyarray), joins.array_of_items),
    np.full: creation.filled_items,
    np.full_like: creation.filled_like_items,
    np.linspace: creation.spaced_items,
    np.meshgrid: creation.grids_of_items,
    **dict.fromkeys((builtins.sum, math.fsum), creation.summed_items),
    sequences.part_along_axis: axes.along,
    np.split: joins.split_items,
    np.array_split: joins.split_items,
    sequences.unstack: joins.unstacked_items,
    ops.without_last: elements.without_last_item,
    **dict.fromkeys(
        (ops.zero_appended, ops.zero_inserted, sequences.zero_row_inserted),
        list_cotangents.zero_row_of_each,
    ),
    ops.without_place: list_cotangents.without_row_of_each,
    sequences.unless_empty: list_cotangents.unless_empty_in_each,
}
_BY_RECORD = {
    ops.Does.ELEMENTWISE: elementwise,
    ops.Does.REDUCES: axes.along,
    ops.Does.RUNS: arrangements.flattened_first,
    ops.Does.REARRANGES: axes.with_inner_axes,
}
