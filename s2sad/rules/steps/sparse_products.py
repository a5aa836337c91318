"""Rules of products with a constant sparse matrix: their pullbacks are products with
the transposed one."""

from dataclasses import replace

import numpy as np

from s2sad import ir, rules
from s2sad.ops.sparse_products import sparse_times, sparse_transposed, times_sparse
from s2sad.rules.numpy.kinds_of_arrays import result_dtype


def _times_kind(w: ir.Kind, matrix: ir.Kind) -> ir.Kind:
    axes, (rows, _), dtype = _parts(w, matrix)
    if axes is None:
        return ir.Array(dtype, None)
    return ir.Array(dtype, (rows, *axes[1:]))


def _times_from_left_kind(w: ir.Kind, matrix: ir.Kind) -> ir.Kind:
    axes, (_, columns), dtype = _parts(w, matrix)
    if axes is None:
        return ir.Array(dtype, None)
    return ir.Array(dtype, (*axes[:-1], columns))


def _parts(
    w: ir.Kind, matrix: ir.Kind
) -> tuple[tuple[ir.Axis, ...] | None, tuple[ir.Axis, ...], str | None]:
    assert isinstance(matrix, ir.Sparse)
    axes = ir.axes_of(w)
    if axes is not None and len(axes) not in (1, 2):
        raise rules.CallRefused(
            "a sparse matrix is multiplied with an array of "
            f"{len(axes)} axes, of which SciPy knows no product",
            "multiply vectors or matrices",
        )
    dtype = result_dtype(np.multiply, [w, ir.Array(matrix.dtype, None)])
    return axes, matrix.axes, dtype


def _transposed_kind(matrix: ir.Kind) -> ir.Kind:
    if not isinstance(matrix, ir.Sparse):
        return ir.UNKNOWN
    return replace(matrix, axes=matrix.axes[::-1])


rules.without_derivative(sparse_transposed, kind=_transposed_kind, cheap=True)


@rules.reverse_of(sparse_times, kind=_times_kind, linear=True)
def _sparse_times(w, matrix, *, out, out_bar):
    return sparse_times(out_bar, sparse_transposed(matrix))


@rules.reverse_of(times_sparse, kind=_times_from_left_kind, linear=True)
def _times_sparse(w, matrix, *, out, out_bar):
    return times_sparse(out_bar, sparse_transposed(matrix))
