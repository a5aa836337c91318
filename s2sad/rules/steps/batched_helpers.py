"""Steps of derivatives that rules and optimisations write, along one more axis in
front: of many tangents or cotangents, as Jacobians take them."""

import numpy as np

from s2sad import rules
from s2sad.ops.runtime import broadcasting
from s2sad.ops.runtime.products import linear_combinations, matmul_of_stack


@rules.batched_as(broadcasting.sum_each_to_shape_of)
def _summed(cotangents, x, *, batched):
    if batched != ("cotangents",) or rules.known_rank(cotangents) == -1:
        return None
    total = broadcasting.sum_each_to_shape_of(joined_in_front(cotangents), x)
    return np.reshape(total, cotangents.shape[:2] + total.shape[1:])


@rules.batched_as(broadcasting.broadcast_each_to_shape_of)
def _spread(values, x, *, batched):
    if (
        batched != ("values",)
        or rules.known_rank(values) == -1
        or rules.known_rank(x) == -1
    ):
        return None
    added = rules.known_rank(x) + 1 - rules.known_rank(values)
    ones = np.reshape(values, values.shape[:2] + (1,) * added + values.shape[2:])
    return np.broadcast_to(ones, values.shape[:1] + x.shape)


@rules.batched_as(matmul_of_stack)
def _products(stack, matrix, *, batched):
    if "matrix" in batched:
        return stack @ np.expand_dims(matrix, 1)
    total = matmul_of_stack(joined_in_front(stack), matrix)
    return np.reshape(total, stack.shape[:2] + total.shape[1:])


@rules.batched_as(linear_combinations)
def _combinations(coefficients, tangents, *, batched):
    if batched != ("tangents",):
        return None
    beside = np.moveaxis(tangents, 0, 1)
    total = linear_combinations(coefficients, np.reshape(beside, (beside.shape[0], -1)))
    return np.moveaxis(np.reshape(total, total.shape[:1] + beside.shape[1:]), 1, 0)


def joined_in_front(x):
    """The two leading axes as one."""
    return np.reshape(x, (x.shape[0] * x.shape[1],) + x.shape[2:])
