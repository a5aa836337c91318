"""Calls of the helpers of rules: one line a call."""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

import numpy as np

from s2sad.ops.runtime.broadcasting import (
    as_dtype_of,
    broadcast_each_to_shape_of,
    broadcast_to_shape_of,
    divide_or_zero,
    reshape_as,
    restore_reduced_axes,
    sum_each_to_shape_of,
    sum_to_shape_of,
)
from s2sad.ops.runtime.indices import diagonal_index, index_along_axis
from s2sad.ops.runtime.products import (
    dot_cotangent_of_left,
    dot_cotangent_of_right,
    linear_combinations,
    matmul_cotangent_of_left,
    matmul_cotangent_of_right,
    matmul_of_stack,
    product_of_others,
)
from s2sad.ops.runtime.sequences import (
    index_of_part,
    nested_like,
    part_along_axis,
    split_like,
    unstack,
)
from s2sad.ops.runtime.ties import mean_of_ties, weights_of_median
from tests.rules.cases.arrays import (
    M31,
    M34,
    M43,
    ROWS,
    T234,
    V3,
    V4,
    ZEROS,
    draw,
    single,
)
from tests.rules.cases.form import case_by_first
from tests.rules.cases.numpy.products import DOT_PAIRS, MATRIX_PAIRS

CASES = [
    case_by_first(sum_to_shape_of, T234, M34),
    case_by_first(sum_to_shape_of, T234, M31),
    case_by_first(sum_to_shape_of, T234, 1.0),
    case_by_first(sum_to_shape_of, V4, T234),
    case_by_first(broadcast_each_to_shape_of, M34, draw(3, 2, 4)),
    case_by_first(sum_each_to_shape_of, T234, V4),
    case_by_first(sum_each_to_shape_of, T234, M31),
    case_by_first(sum_each_to_shape_of, T234, M34),
    case_by_first(broadcast_to_shape_of, 1.5, M34),
    case_by_first(broadcast_to_shape_of, V4, M34),
    case_by_first(broadcast_to_shape_of, 1.5, 2.0),
    case_by_first(reshape_as, M34, T234[0]),
    case_by_first(reshape_as, draw(1), 1.0),
    case_by_first(restore_reduced_axes, V3, M34, 1, False),
    case_by_first(restore_reduced_axes, V4, M34, 0, False),
    case_by_first(restore_reduced_axes, V3, T234, (0, 2), False),
    case_by_first(restore_reduced_axes, M31, M34, 1, True),
    case_by_first(as_dtype_of, M34, M34),
    case_by_first(as_dtype_of, single(3), V3),
    case_by_first(as_dtype_of, 1.5, V3),
    case_by_first(divide_or_zero, M34, V4, wrt=(0, 1)),
    case_by_first(divide_or_zero, 1.5, 0.5, wrt=(0, 1)),
    case_by_first(part_along_axis, T234, 1, 3, -1),
    case_by_first(index_of_part, T234, 1, 3, -1, wrt=()),
    case_by_first(split_like, draw(7), [V3, V4], 0),
    case_by_first(split_like, draw(3, 5), [M34, M31], 1),
    case_by_first(split_like, draw(15), [M34, V3], None),
    case_by_first(unstack, M34, 0),
    case_by_first(unstack, T234, 1),
    case_by_first(nested_like, M34, [V4.tolist()] * 3),
    case_by_first(nested_like, M34, [V4] * 3),
    case_by_first(nested_like, M34, M34),
    case_by_first(product_of_others, V4, 0),
    case_by_first(product_of_others, M34, None),
    case_by_first(product_of_others, M34, 0),
    case_by_first(product_of_others, T234, (0, 2)),
    case_by_first(product_of_others, ZEROS, 1),
    case_by_first(product_of_others, 1.5, None),
    case_by_first(diagonal_index, M34, 1, wrt=()),
    case_by_first(index_along_axis, ROWS, V4, 0, wrt=()),
    case_by_first(mean_of_ties, V4, np.array([1.0, 2.0, 2.0, 3.0]), 0, wrt=(0,)),
    case_by_first(mean_of_ties, M34, np.array([[1.0, 1.0, 1.0, 3.0], [1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 1.0, 1.0]]), 1, wrt=(0,)),
    case_by_first(mean_of_ties, M34, np.sort(np.round(M34), 0), 0, wrt=(0,)),
    case_by_first(weights_of_median, M34, 1, wrt=()),
    case_by_first(weights_of_median, np.ones((3, 4)), None, wrt=()),
    *(case_by_first(matmul_cotangent_of_left, np.ones_like(x @ y), x, y, wrt=(0, 2)) for x, y in MATRIX_PAIRS[:14]),
    *(case_by_first(matmul_cotangent_of_right, np.ones_like(x @ y), x, y, wrt=(0, 1)) for x, y in MATRIX_PAIRS[:14]),
    case_by_first(matmul_of_stack, T234, M43, wrt=(0, 1)),
    case_by_first(linear_combinations, M34, M43, wrt=(0, 1)),
    *(case_by_first(dot_cotangent_of_left, np.ones_like(np.dot(a, b)), a, b, wrt=(0, 2)) for a, b in DOT_PAIRS[:12]),
    *(case_by_first(dot_cotangent_of_right, np.ones_like(np.dot(a, b)), a, b, wrt=(0, 1)) for a, b in DOT_PAIRS[:12]),
]
