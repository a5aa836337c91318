"""Batched products of matrices of any ranks, and solutions of linear systems.

A vector becomes a matrix of one row or column, and stacks of matrices are aligned
behind the leading axis, so that ``np.matmul`` and ``np.linalg.solve`` broadcast.
"""

import operator
from typing import Any

import numpy as np

from s2sad.frontend.specialise import core
from s2sad.transform.batching import calls


def product_of_matrices(call: calls.Call) -> core.Value:
    """``x @ y``."""
    x, y = call.args
    ranks = calls.rank_of_item(x), calls.rank_of_item(y)
    if 0 in ranks:
        raise core.NotBatched("a number is multiplied as a matrix")
    rows = _with_axis(call, x, 0) if ranks[0] == 1 else x
    columns = _with_axis(call, y, 1) if ranks[1] == 1 else y
    rank = max(2, *ranks)
    made = call.apply(
        operator.matmul,
        calls.aligned(call, rows, rank),
        calls.aligned(call, columns, rank),
    )
    gone = [k for k, own in zip((-2, -1), ranks, strict=True) if own == 1]
    if not gone:
        return made
    axes = tuple(rank + 1 + k for k in gone)
    return call.apply(np.squeeze, made, axis=calls.one_or_all(axes))


def solution_of_each(call: calls.Call) -> core.Value:
    """``np.linalg.solve(a, b)``."""
    a, b = call.args
    ranks = calls.rank_of_item(a), calls.rank_of_item(b)
    rank = max(ranks)
    a = calls.aligned(call, a, rank)
    if ranks[1] > 1:
        return call.apply(np.linalg.solve, a, calls.aligned(call, b, rank))
    columns = calls.aligned(call, _with_axis(call, b, 1), rank)
    made = call.apply(np.linalg.solve, a, columns)
    return call.apply(np.squeeze, made, axis=rank)


def _with_axis(call: calls.Call, value: Any, place: int) -> Any:
    """A vector as a matrix of one row (axis 0) or column (axis 1)."""
    if not calls.is_batched(value):
        return call.apply(np.expand_dims, value, place)
    return calls.with_rank(call, value, (place,))


def diagonal_of_each(call: calls.Call) -> core.Value:
    """``np.diag`` of a vector, or of a matrix."""
    x = call.only_first()
    offset = call.given("k", 1, 0)
    if calls.rank_of_item(x) == 2:
        return call.apply(np.diagonal, x, offset, 1, 2)
    if calls.rank_of_item(x) != 1:
        raise core.NotBatched("it is neither a vector nor a matrix")
    length = call.mode.length_of(x.leaf, 1)
    places = call.apply(np.eye, length)
    inside = call.apply(operator.eq, places, 1)
    wide = call.apply(np.expand_dims, x, 1)
    square = call.apply(np.where, inside, wide, core.constant(0.0))
    if not offset:
        return square
    beside = (0, offset) if offset > 0 else (-offset, 0)
    return call.apply(np.pad, square, ((0, 0), beside, beside[::-1]))
