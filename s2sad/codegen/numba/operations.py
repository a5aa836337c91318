"""The table of what the Numba emission knows.

An entry of the table says for which operands a function may be left to Numba. What has
no entry, or whose operands are of other kinds, is a problem of the user's line: Numba
would say so in words of its own, of code that the user didn't write, or would compute
something else.
"""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba import functions, helpers
from s2sad.codegen.numba.arrays import array_helpers
from s2sad.codegen.numba.arrays.operands import (
    Call,
    Test,
    an_array,
    anything,
    array_alone,
    array_and_dtype,
    floats,
    joined_arrays,
    new_array,
    numbers_written_out,
    of_all_elements,
    of_arrays_in_place,
    part_of_array,
    power_of_numbers,
    product,
    reshaped_array,
    write_into_array,
)
from s2sad.codegen.numba.calls.residuals import sample_of
from s2sad.codegen.numba.lists.stack_arrays import list_item, list_length
from s2sad.ops import buffers
from s2sad.ops.numerics import matrices
from s2sad.ops.runtime.broadcasting import as_dtype_of
from s2sad.rules.numpy.shapes import CASTS
from s2sad.rules.steps.shape_queries import axis_length, shape_of

OF_ARRAYS = (
    array_helpers.sums_so_far,
    array_helpers.products_so_far,
    array_helpers.sorted_columns,
    array_helpers.order_in_columns,
    array_helpers.taken_in_columns,
    array_helpers.mean_of_equals,
    array_helpers.mean_of_equals_in_columns,
    array_helpers.products_of_others,
    array_helpers.products_of_others_in_columns,
    array_helpers.weights_in_median,
    array_helpers.with_zeros_around,
    array_helpers.cross_product,
)
"""Helpers that take an array."""

TABLE: dict[Any, Test] = {
    **dict.fromkeys(functions.OF_NUMBERS, Call.are_numbers),
    **dict.fromkeys(functions.ELEMENTWISE, Call.are_numbers),
    **dict.fromkeys((operator.pow, np.power, builtins.pow), power_of_numbers),
    as_dtype_of: lambda c: isinstance(c.first, ir.Scalar | ir.NumPyScalar),
    **dict.fromkeys(CASTS, lambda c: isinstance(c.first, ir.Scalar | ir.NumPyScalar)),
    **dict.fromkeys((operator.is_, operator.is_not), anything),
    **dict.fromkeys(functions.IN_PLACE, of_arrays_in_place),
    **dict.fromkeys(
        (np.sum, np.mean, np.max, np.min, np.amax, np.amin), of_all_elements
    ),
    **dict.fromkeys((np.prod, np.var, np.std, np.any, np.all), of_all_elements),
    **dict.fromkeys((np.argmax, np.argmin, np.median), of_all_elements),
    **dict.fromkeys((np.zeros, np.ones, np.empty), new_array),
    **dict.fromkeys((np.zeros_like, np.ones_like, np.empty_like), array_and_dtype),
    **dict.fromkeys((operator.matmul, np.matmul, np.dot), product),
    **dict.fromkeys((np.concatenate, np.stack), joined_arrays),
    **dict.fromkeys((np.copy, np.ndarray.copy, buffers.own_copy), an_array),
    **dict.fromkeys(
        (buffers.index_add, buffers.index_set, *buffers.STORES), write_into_array
    ),
    **dict.fromkeys((operator.getitem, buffers.overwritten_part), part_of_array),
    **dict.fromkeys((np.ravel, np.ndarray.flatten), array_alone),
    **dict.fromkeys((np.linalg.inv, np.linalg.det), floats((2,))),
    np.linalg.cholesky: lambda c: floats((2,))(c) and array_alone(c),
    np.linalg.solve: lambda c: (
        ir.rank_of(c.first) == 2 and floats((1, 2))(c)  # type: ignore[arg-type]
    ),
    np.cumsum: lambda c: of_all_elements(c) and ir.rank_of(c.first) == 1,  # type: ignore[arg-type]
    np.cumprod: lambda c: of_all_elements(c) and ir.rank_of(c.first) == 1,  # type: ignore[arg-type]
    matrices.lower_with_half_diagonal: floats((2,)),
    matrices.cofactors: floats((2,)),
    matrices.inverse_or_nan: floats((2,)),
    np.outer: floats((1,)),
    np.trace: lambda c: floats((2,))(c) and array_alone(c),
    np.diag: lambda c: an_array(c) and len(c.kinds) == 1,
    np.eye: lambda c: c.are_numbers() and not c.words(),
    np.identity: lambda c: c.are_numbers() and not c.words(),
    np.arange: lambda c: c.are_numbers() and not c.words(),
    np.linspace: lambda c: c.are_numbers() and not c.words(),
    np.full: lambda c: not c.words() and len(c.kinds) == 2,
    np.array: numbers_written_out,
    np.transpose: array_alone,
    np.reshape: reshaped_array,
    np.tril: an_array,
    np.triu: an_array,
    np.expand_dims: an_array,
    np.sort: of_all_elements,
    np.flip: of_all_elements,
    np.linalg.norm: of_all_elements,
    np.argsort: lambda c: an_array(c) and not set(c.words()) - {"kind"},
    np.searchsorted: an_array,
    np.size: an_array,
    len: an_array,
    axis_length: an_array,
    shape_of: an_array,
    np.tri: lambda c: c.are_numbers() and not c.words(),
    **dict.fromkeys(OF_ARRAYS, an_array),
    array_helpers.order_of_numbers: an_array,
    **dict.fromkeys((array_helpers.are_last, array_helpers.are_last_pairs), anything),
    ops.new_stack: anything,
    **dict.fromkeys((sample_of, list_length, list_item), anything),
    helpers.grown: anything,
    helpers.power_of_whole: Call.are_numbers,
    buffers.shared_result: anything,
    print: lambda c: c.are_numbers() and not c.words(),
    ops.evaluated: anything,
}
"""For each function: which operations with it are left to Numba."""
