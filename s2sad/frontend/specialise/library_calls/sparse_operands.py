"""Products of a sparse matrix of SciPy and what may vary."""

import operator
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser
from s2sad.rules.numpy.kinds_of_arrays import result_dtype


@core.verb
def sparse_product(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value | None:
    """``X @ w`` or ``w @ X``, and ``X * w`` of a ``spmatrix``, for a dense ``w``; ``X``
    times a constant; None for other operations."""
    if spec.derived or not any(map(is_sparse, operands)):
        return None
    if function is operator.neg:
        return _scaled(spec, function, operands)
    if len(operands) != 2:
        return None
    left, right = operands
    matrix, w = (left, right) if is_sparse(left) else (right, left)
    assert isinstance(matrix, core.Leaf) and isinstance(matrix.kind, ir.Sparse)
    if (
        function in (operator.mul, operator.truediv)
        and ir.rank_of(core.kind_of(w)) == 0
    ):
        if function is operator.mul or matrix is left:
            return _scaled(spec, function, operands)
    by_star = function is operator.mul and matrix.kind.star_is_product
    if not (function is operator.matmul or (by_star and _is_array(w))):
        return None
    if (
        is_sparse(w)
        or not isinstance(w, core.Leaf)
        or not ir.is_real_number_kind(w.kind)
    ):
        return None
    product = ops.sparse_times if matrix is left else ops.times_sparse
    return spec.apply(product, (w, matrix), hint="product")


def _scaled(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value:
    """A sparse matrix times a constant."""
    matrix = next(filter(is_sparse, operands))
    assert isinstance(matrix, core.Leaf) and isinstance(matrix.kind, ir.Sparse)
    if any(core.may_vary(leaf) for value in operands for leaf in core.leaves(value)):
        raise core.Unsupported(
            f"a {matrix.kind.cls.__name__} is multiplied by what may vary",
            "multiply the product: s * (X @ w)",
        )
    dense = ir.Array(matrix.kind.dtype, None)
    factors = [dense if o is matrix else core.kind_of(o) for o in operands]
    made = replace(matrix.kind, dtype=result_dtype(function, factors))
    operation = ir.Apply(function, tuple(map(core.operand_of, operands)))
    return spec.define(operation, made, "scaled")


def sparse_attribute(
    spec: Specialiser, value: core.Value, name: str
) -> core.Value | None:
    """``X.T``; None for other attributes."""
    if name != "T" or not is_sparse(value):
        return None
    return spec.apply(ops.sparse_transposed, (value,), hint="transposed")


def sparse_method(
    spec: Specialiser, value: core.Value, name: str, args: Args
) -> core.Value | None:
    """``X.dot(w)`` and ``X.transpose()``; None for other methods."""
    if name == "transpose" and not args:
        return sparse_attribute(spec, value, "T")
    if name == "dot" and len(args) == 1:
        return sparse_product(spec, operator.matmul, (value, *args))
    return None


def is_sparse(value: core.Value) -> bool:
    """True for a sparse matrix."""
    return isinstance(value, core.Leaf) and isinstance(value.kind, ir.Sparse)


def _is_array(value: core.Value) -> bool:
    kind = value.kind if isinstance(value, core.Leaf) else None
    return isinstance(kind, ir.Array) and bool(kind.axes)
