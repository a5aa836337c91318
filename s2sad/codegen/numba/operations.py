"""The table of what the Numba emission knows.

An entry of the table says for which operands a function may be left to Numba. What has
no entry, or whose operands are of other kinds, is a problem of the user's line: Numba
would say so in words of its own, of code that the user didn't write, or would compute
something else.
"""

import builtins
import operator
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba import functions, helpers
from s2sad.codegen.numba.arrays import array_helpers, operands
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

TABLE: dict[Any, operands.Test] = {
    **dict.fromkeys(functions.OF_NUMBERS, operands.Call.are_numbers),
    **dict.fromkeys(functions.ELEMENTWISE, operands.Call.are_numbers),
    **dict.fromkeys((operator.pow, np.power, builtins.pow), operands.power_of_numbers),
    as_dtype_of: lambda c: isinstance(c.first, ir.Scalar | ir.NumPyScalar),
    **dict.fromkeys(CASTS, lambda c: isinstance(c.first, ir.Scalar | ir.NumPyScalar)),
    **dict.fromkeys((operator.is_, operator.is_not), operands.anything),
    **dict.fromkeys(functions.IN_PLACE, operands.of_arrays_in_place),
    **dict.fromkeys(
        (np.sum, np.mean, np.max, np.min, np.amax, np.amin), operands.of_all_elements
    ),
    **dict.fromkeys(
        (np.prod, np.var, np.std, np.any, np.all), operands.of_all_elements
    ),
    **dict.fromkeys((np.argmax, np.argmin, np.median), operands.of_all_elements),
    **dict.fromkeys((np.zeros, np.ones, np.empty), operands.new_array),
    **dict.fromkeys(
        (np.zeros_like, np.ones_like, np.empty_like), operands.array_and_dtype
    ),
    **dict.fromkeys((operator.matmul, np.matmul, np.dot), operands.product),
    **dict.fromkeys((np.concatenate, np.stack), operands.joined_arrays),
    **dict.fromkeys((np.copy, np.ndarray.copy, buffers.own_copy), operands.an_array),
    **dict.fromkeys(
        (buffers.index_add, buffers.index_set, *buffers.STORES),
        operands.write_into_array,
    ),
    **dict.fromkeys(
        (operator.getitem, buffers.overwritten_part), operands.part_of_array
    ),
    **dict.fromkeys((np.ravel, np.ndarray.flatten), operands.array_alone),
    **dict.fromkeys((np.linalg.inv, np.linalg.det), operands.floats((2,))),
    np.linalg.cholesky: lambda c: operands.floats((2,))(c) and operands.array_alone(c),
    np.linalg.solve: lambda c: (
        ir.rank_of(c.first) == 2 and operands.floats((1, 2))(c)  # type: ignore[arg-type]
    ),
    np.cumsum: lambda c: operands.of_all_elements(c) and ir.rank_of(c.first) == 1,  # type: ignore[arg-type]
    np.cumprod: lambda c: operands.of_all_elements(c) and ir.rank_of(c.first) == 1,  # type: ignore[arg-type]
    matrices.lower_with_half_diagonal: operands.floats((2,)),
    matrices.cofactors: operands.floats((2,)),
    matrices.inverse_or_nan: operands.floats((2,)),
    np.outer: operands.floats((1,)),
    np.trace: lambda c: operands.floats((2,))(c) and operands.array_alone(c),
    np.diag: lambda c: operands.an_array(c) and len(c.kinds) == 1,
    np.eye: lambda c: c.are_numbers() and not c.words(),
    np.identity: lambda c: c.are_numbers() and not c.words(),
    np.arange: lambda c: c.are_numbers() and not c.words(),
    np.linspace: lambda c: c.are_numbers() and not c.words(),
    np.full: lambda c: not c.words() and len(c.kinds) == 2,
    np.array: operands.numbers_written_out,
    np.transpose: operands.array_alone,
    np.reshape: operands.reshaped_array,
    np.tril: operands.an_array,
    np.triu: operands.an_array,
    np.expand_dims: operands.an_array,
    np.sort: operands.of_all_elements,
    np.flip: operands.of_all_elements,
    np.linalg.norm: operands.of_all_elements,
    np.argsort: lambda c: operands.an_array(c) and not set(c.words()) - {"kind"},
    np.searchsorted: operands.an_array,
    np.size: operands.an_array,
    len: operands.an_array,
    axis_length: operands.an_array,
    shape_of: operands.an_array,
    np.tri: lambda c: c.are_numbers() and not c.words(),
    **dict.fromkeys(OF_ARRAYS, operands.an_array),
    array_helpers.order_of_numbers: operands.an_array,
    **dict.fromkeys(
        (array_helpers.are_last, array_helpers.are_last_pairs), operands.anything
    ),
    ops.new_stack: operands.anything,
    **dict.fromkeys((sample_of, list_length, list_item), operands.anything),
    helpers.grown: operands.anything,
    helpers.power_of_whole: operands.Call.are_numbers,
    buffers.shared_result: operands.anything,
    print: lambda c: c.are_numbers() and not c.words(),
    ops.evaluated: operands.anything,
}
"""For each function: which operations with it are left to Numba."""
