"""Products of a sparse matrix of SciPy and what may vary."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.values import (
    Leaf,
    Value,
    kind_of,
    leaves,
    operand_of,
)
from s2sad.ir.kinds import Array, Sparse, is_real_number_kind, rank_of
from s2sad.ir.nodes import Apply
from s2sad.ops.sparse_products import (
    sparse_times,
    sparse_transposed,
    times_sparse,
)
from s2sad.rules.numpy.kinds_of_arrays import result_dtype


def sparse_product(
    spec: Any, function: Any, operands: tuple[Value, ...], node: Any
) -> Value | None:
    """``X @ w`` or ``w @ X``, and ``X * w`` of a ``spmatrix``, for a dense ``w``; ``X``
    times a constant; None for other operations."""
    if spec.derived or not any(map(is_sparse, operands)):
        return None
    if function is operator.neg:
        return _scaled(spec, function, operands, node)
    if len(operands) != 2:
        return None
    left, right = operands
    matrix, w = (left, right) if is_sparse(left) else (right, left)
    assert isinstance(matrix, Leaf) and isinstance(matrix.kind, Sparse)
    if function in (operator.mul, operator.truediv) and rank_of(kind_of(w)) == 0:
        if function is operator.mul or matrix is left:
            return _scaled(spec, function, operands, node)
    by_star = function is operator.mul and matrix.kind.star_is_product
    if not (function is operator.matmul or (by_star and _is_array(w))):
        return None
    if is_sparse(w) or not isinstance(w, Leaf) or not is_real_number_kind(w.kind):
        return None
    product = sparse_times if matrix is left else times_sparse
    return spec.apply(product, (w, matrix), node=node, hint="product")


def _scaled(spec: Any, function: Any, operands: tuple[Value, ...], node: Any) -> Value:
    """A sparse matrix times a constant."""
    from s2sad.frontend.specialise.calls.foreign_operands import may_vary

    matrix = next(filter(is_sparse, operands))
    assert isinstance(matrix, Leaf) and isinstance(matrix.kind, Sparse)
    if any(may_vary(leaf) for value in operands for leaf in leaves(value)):
        raise Unsupported(
            node,
            f"a {matrix.kind.cls.__name__} is multiplied by what may vary",
            "multiply the product: s * (X @ w)",
        )
    dense = Array(matrix.kind.dtype, None)
    factors = [dense if o is matrix else kind_of(o) for o in operands]
    made = replace(matrix.kind, dtype=result_dtype(function, factors))
    operation = Apply(function, tuple(map(operand_of, operands)))
    return spec.define(operation, made, "scaled")


def sparse_attribute(spec: Any, value: Value, name: str, node: Any) -> Value | None:
    """``X.T``; None for other attributes."""
    if name != "T" or not is_sparse(value):
        return None
    return spec.apply(sparse_transposed, (value,), node=node, hint="transposed")


def sparse_method(
    spec: Any, value: Value, name: str, args: tuple[Value, ...], node: Any
) -> Value | None:
    """``X.dot(w)`` and ``X.transpose()``; None for other methods."""
    if name == "transpose" and not args:
        return sparse_attribute(spec, value, "T", node)
    if name == "dot" and len(args) == 1:
        return sparse_product(spec, operator.matmul, (value, *args), node)
    return None


def is_sparse(value: Value) -> bool:
    """True for a sparse matrix."""
    return isinstance(value, Leaf) and isinstance(value.kind, Sparse)


def _is_array(value: Value) -> bool:
    kind = value.kind if isinstance(value, Leaf) else None
    return isinstance(kind, Array) and bool(kind.axes)
