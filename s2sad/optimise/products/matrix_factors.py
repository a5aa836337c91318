"""Factors of matrix products: what all tangents share is multiplied first.

::

    p = matmul(w, y.dot)                 q = mul(s, w)         # of shape (n, m)
    z.dot = mul(s, p)              ->    z.dot = matmul(q, y.dot)     # (k, n, l)
    t = mul(y.dot, v)
    z.dot = sum(t, axis=1)         ->    z.dot = matmul(y.dot, v)     # v a vector
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

import numpy as np

from s2sad import ir

Kinds = Mapping[str, ir.Kind]
_MATMUL = (operator.matmul, np.matmul)


def scaled_matrix_product(
    value: ir.Apply,
    kinds: Kinds,
    single_equation: Callable[[ir.Operand], ir.Apply | None],
    named: Callable[[ir.Apply, ir.Kind], ir.Operand],
) -> ir.Apply | None:
    """``mul(s, matmul(w, y))`` as ``matmul(mul(s, w), y)`` where ``s`` has one number
    for each row of ``w`` and there are many ``y``; or one for each column of what
    stands behind. ``single_equation`` gives what a variable read once is made by,
    ``named`` a name for a new line."""
    for scale, product in (value.args, value.args[::-1]):
        own = _plain_axes(scale, kinds)
        equation = single_equation(product)
        if own is None or equation is None or equation.function not in _MATMUL:
            continue
        first, second = (_plain_axes(a, kinds) for a in equation.args)
        if first is None or second is None:
            continue
        w, y = equation.args
        dtypes = {getattr(kinds.get(str(a)), "dtype", None) for a in (scale, w, y)}
        if len(dtypes) > 1:
            continue
        if len(first) == 2 and len(second) > 2:
            rows = own[0].length == "one" or _same(own[0], first[0])
            if len(own) == 2 and rows and own[1].length == "one":
                kind = kinds[str(w)]
                return ir.Apply(operator.matmul, (named(_mul(scale, w), kind), y))
        elif len(first) > 2 and len(second) == 2:
            if len(own) == 1 or (len(own) == 2 and own[0].length == "one"):
                if own[-1].length == "many" and _same(own[-1], second[-1]):
                    kind = kinds[str(y)]
                    return ir.Apply(operator.matmul, (w, named(_mul(y, scale), kind)))
    return None


def product_with_vector(
    factors: list[ir.Operand], axis: int, kinds: Kinds
) -> ir.Apply | None:
    """``sum(mul(m, v), axis)`` of a matrix and a vector, along the last axis."""
    if len(factors) != 2:
        return None
    for matrix, vector in (factors, factors[::-1]):
        a, b = _plain_axes(matrix, kinds), _plain_axes(vector, kinds)
        if a is None or b is None or len(a) != 2 or len(b) != 1 or axis % 2 != 1:
            continue
        dtypes = {getattr(kinds.get(str(f)), "dtype", None) for f in factors}
        if len(dtypes) == 1 and _same(a[1], b[0]):
            return ir.Apply(operator.matmul, (matrix, vector))
    return None


def _mul(first: ir.Operand, second: ir.Operand) -> ir.Apply:
    return ir.Apply(operator.mul, (first, second))


def _same(a: ir.Axis, b: ir.Axis) -> bool:
    """True for axes that surely have one length, so that nothing is broadcast."""
    if a.length == b.length == "many":
        return True
    return a.symbol is not None and a.symbol == b.symbol


def _plain_axes(operand: ir.Operand, kinds: Kinds) -> tuple[ir.Axis, ...] | None:
    """The axes of an array of floats."""
    kind = kinds.get(operand.name) if isinstance(operand, ir.Var) else None
    if not isinstance(kind, ir.Array) or kind.promoted:
        return None
    return ir.axes_of(kind) if (kind.dtype or "").startswith("float") else None
