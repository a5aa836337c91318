"""Sums of a matrix times a row or column, as broadcasting gives them, are products of
matrices.

::

    t = mul(row, g)                                q = transpose(row)  # row (1, m)
    c.bar = sum(t, axis=1, keepdims=True)   ->     c.bar = matmul(g, q)      # (n, 1)
    column = expand_dims(w, 1)
    t = mul(column, g)
    r.bar = sum(t, axis=0)                  ->     r.bar = matmul(w, g)      # (m,)

The array of all products is then never made. Only lines that rules wrote are rewritten;
sums are taken in another order, which may change the last bits.
"""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from s2sad.analysis.available import Equations
from s2sad.ir.kinds import ONE, Array, Axis, rank_of
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    Function,
    Operand,
    Pack,
    Slice,
    Statement,
    Var,
)
from s2sad.optimise.product_terms import Lines, Product
from s2sad.optimise.products import Products


def sum_thin_products(function: Function) -> Function:
    """The function with sums of matrices times rows or columns as matrix products.

    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> from s2sad.optimise.dead_code import remove_dead_code
    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> n, m = Axis("many", "n"), Axis("many", "m")
    >>> matrix, row = Array("float64", (n, m)), Array("float64", (ONE, m))
    >>> column = Array("float64", (n, ONE))
    >>> t = Apply(operator.mul, (Var("r"), Var("g")))
    >>> words = (("axis", Const(1)), ("keepdims", Const(True)))
    >>> body = (
    ...     Assign(None, Var("t"), t, matrix, True),
    ...     Assign(None, Var("b"), Apply(np.sum, (Var("t"),), words), column, True),
    ...     Return(None, Var("b")),
    ... )
    >>> kinds = {"r": row, "g": matrix, "t": matrix, "b": column}
    >>> function = Function("f", ("r", "g"), body, kinds)
    >>> print(function_text(remove_dead_code(sum_thin_products(function))))
    def f(r: float64[1, n], g: float64[n, n]):
        product.1 = transpose(r)  # float64[n, 1]
        product.2 = matmul(g, product.1)  # float64[n, 1]
        b = product.2
        return b
    """
    return _Thin(function).run()


class _Thin(Products):
    def rewritten(self, s: Assign, equations: Equations) -> list[Statement] | None:
        value = s.value
        assert isinstance(value, Apply)
        words = dict(value.keywords)
        if value.function is not np.sum or not set(words) <= {"axis", "keepdims"}:
            return None
        axis, operand = words.get("axis"), value.args[0]
        kind = self.kinds.get(operand.name) if isinstance(operand, Var) else None
        if not isinstance(axis, Const) or not isinstance(axis.value, int):
            return None
        if not isinstance(kind, Array) or kind.promoted or rank_of(kind) != 2:
            return None
        product = self.expanded(operand, equations)
        arrays = [f for f in product.factors if not self.is_number(f)]
        if len(arrays) != 2 or any(not self.is_number(d) for d, _ in product.divisors):
            return None
        kept = words.get("keepdims", Const(False)) == Const(True)
        lines = Lines(self, s)
        for matrix, thin in (arrays, arrays[::-1]):
            total = self.matrix_product(
                matrix, thin, axis.value % 2, kept, equations, lines
            )
            if total is not None:
                numbers = [f for f in product.factors if self.is_number(f)]
                rest = Product(product.coefficient, numbers, product.divisors)
                return lines.assigned(s, lines.build(total.times(rest)))
        return None

    def matrix_product(
        self,
        matrix: Operand,
        thin: Operand,
        place: int,
        kept: bool,
        equations: Equations,
        lines: Lines,
    ) -> Product | None:
        """``sum(matrix * thin, axis=place, keepdims=kept)``, where ``thin`` has a
        single row or column that is as long as the matrix along the axis."""
        a, b = self.floats(matrix), self.floats(thin)
        if a is None or b is None or a.dtype != b.dtype:
            return None
        long, short = (a.axes or ())[place], (b.axes or ())[1 - place]
        if short.length != "one" or not _same(long, (b.axes or ())[place]):
            return None
        other = (a.axes or ())[1 - place]
        if kept:
            turned = replace(b, axes=(b.axes or ())[::-1])
            factor = lines.named(Apply(np.transpose, (thin,)), turned)
            axes: tuple[Axis, ...] = (other, ONE) if place == 1 else (ONE, other)
        else:
            vector = self.vector_behind(thin, 1 - place, equations)
            if vector is None:
                return None
            factor, axes = vector, (other,)
        order = (matrix, factor) if place == 1 else (factor, matrix)
        made = Apply(operator.matmul, order)
        return Product(1, [lines.named(made, replace(a, axes=axes))])

    def floats(self, operand: Operand) -> Array | None:
        """The kind of a matrix of floats."""
        kind = self.kinds.get(operand.name) if isinstance(operand, Var) else None
        if not isinstance(kind, Array) or kind.promoted or rank_of(kind) != 2:
            return None
        return kind if (kind.dtype or "").startswith("float") else None

    def vector_behind(
        self, thin: Operand, place: int, equations: Equations
    ) -> Operand | None:
        """The vector that a row or column is, as ``w[:, None]`` or by
        ``expand_dims``."""
        equation = equations.get(thin.name) if isinstance(thin, Var) else None
        value = equation.value if equation is not None else None
        if not isinstance(value, Apply) or value.keywords or len(value.args) != 2:
            return None
        vector, where = value.args
        kind = self.kinds.get(vector.name) if isinstance(vector, Var) else None
        if not isinstance(kind, Array) or kind.promoted or rank_of(kind) != 1:
            return None
        if value.function is np.expand_dims:
            given = where.value if isinstance(where, Const) else None
            return vector if given in (place, place - 2) else None
        if value.function is operator.getitem and isinstance(where, Pack):
            items = where.items
            if len(items) == 2 and items[place] == Const(None):
                whole = items[1 - place] == Slice(None, None, None)
                return vector if whole else None
        return None


def _same(a: Axis, b: Axis) -> bool:
    """True for long axes that surely have one length."""
    if a.length == b.length == "many":
        return True
    return "one" not in (a.length, b.length) and (
        a.symbol is not None and a.symbol == b.symbol
    )
