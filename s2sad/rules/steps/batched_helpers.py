"""Steps of derivatives that rules and optimisations write, along one more axis in
front: of many tangents or cotangents, as Jacobians take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.ops.runtime.broadcasting import (
    broadcast_each_to_shape_of,
    sum_each_to_shape_of,
)
from s2sad.ops.runtime.products import linear_combinations, matmul_of_stack
from s2sad.rules.predicates import known_rank
from s2sad.rules.registry import batched_as


@batched_as(sum_each_to_shape_of)
def _summed(cotangents, x, *, batched):
    if batched != ("cotangents",) or known_rank(cotangents) == -1:
        return None
    total = sum_each_to_shape_of(joined_in_front(cotangents), x)
    return np.reshape(total, cotangents.shape[:2] + total.shape[1:])


@batched_as(broadcast_each_to_shape_of)
def _spread(values, x, *, batched):
    if batched != ("values",) or known_rank(values) == -1 or known_rank(x) == -1:
        return None
    added = known_rank(x) + 1 - known_rank(values)
    ones = np.reshape(values, values.shape[:2] + (1,) * added + values.shape[2:])
    return np.broadcast_to(ones, values.shape[:1] + x.shape)


@batched_as(matmul_of_stack)
def _products(stack, matrix, *, batched):
    if "matrix" in batched:
        return stack @ np.expand_dims(matrix, 1)
    total = matmul_of_stack(joined_in_front(stack), matrix)
    return np.reshape(total, stack.shape[:2] + total.shape[1:])


@batched_as(linear_combinations)
def _combinations(coefficients, tangents, *, batched):
    if batched != ("tangents",):
        return None
    beside = np.moveaxis(tangents, 0, 1)
    total = linear_combinations(coefficients, np.reshape(beside, (beside.shape[0], -1)))
    return np.moveaxis(np.reshape(total, total.shape[:1] + beside.shape[1:]), 1, 0)


def joined_in_front(x: Any) -> Any:
    """The two leading axes as one."""
    return np.reshape(x, (x.shape[0] * x.shape[1],) + x.shape[2:])
