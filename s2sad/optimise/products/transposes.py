"""Transposes: that of a transpose is the matrix itself, and that of a product the
product of the transposes.

::

    t = transpose(h)                              t = transpose(h)
    b = transpose(t)                    ->        b = h
    p = matmul(transpose(a), g)
    a.bar = transpose(p)                ->        a.bar = matmul(transpose(g), a)

Only lines that rules wrote are changed.
"""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from s2sad import ir
from s2sad.analysis.dataflow.available import Equations
from s2sad.optimise.products.products import Products

_MATMUL = (operator.matmul, np.matmul)


def fold_transposes(function: ir.Function) -> ir.Function:
    """The function with fewer transposes of matrices.

    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> matrix = ir.Array("float64", (ir.Axis("many", "n"), ir.Axis("many", "m")))
    >>> def line(name, function, *args):
    ...     value = ir.Apply(function, tuple(map(ir.Var, args)))
    ...     return ir.Assign(None, ir.Var(name), value, matrix, True)
    >>> body = (
    ...     line("t", np.transpose, "a"),
    ...     line("p", operator.matmul, "t", "g"),
    ...     line("b", np.transpose, "p"),
    ...     ir.Return(None, ir.Var("b")),
    ... )
    >>> function = ir.Function("f", ("a", "g"), body, dict.fromkeys("agtpb", matrix))
    >>> print(ir.function_text(fold_transposes(function)))
    def f(a: float64[n, n], g: float64[n, n]):
        t = transpose(a)  # float64[n, n]
        p = matmul(t, g)  # float64[n, n]
        product.1 = transpose(g)  # float64[n, n]
        b = matmul(product.1, a)  # float64[n, n]
        return b
    """
    return _Folding(function).run()


class _Folding(Products):
    def concerns(self, value: ir.Apply) -> bool:
        return _is_transpose(value)

    def rewritten(
        self, s: ir.Assign, equations: Equations
    ) -> list[ir.Statement] | None:
        value = s.value
        assert isinstance(value, ir.Apply)
        if not self.is_matrix(value.args[0]):
            return None
        own = self.transposed_of(value.args[0], equations)
        if own is not None:
            return [replace(s, value=own)]
        product = self.single_equation(value.args[0], equations)
        if product is None or product.function not in _MATMUL:
            return None
        if not all(map(self.is_matrix, product.args)) or len(product.args) != 2:
            return None
        lines: list[ir.Statement] = []
        first, second = (
            self.transposed(factor, s, equations, lines)
            for factor in reversed(product.args)
        )
        value = ir.Apply(operator.matmul, (first, second))
        return [*lines, replace(s, value=value)]

    def transposed_of(
        self, operand: ir.Operand, equations: Equations
    ) -> ir.Operand | None:
        """The matrix whose transpose an operand is."""
        equation = equations.get(operand.name) if isinstance(operand, ir.Var) else None
        if equation is None or not isinstance(equation.value, ir.Apply):
            return None
        return equation.value.args[0] if _is_transpose(equation.value) else None

    def transposed(
        self,
        matrix: ir.Operand,
        s: ir.Assign,
        equations: Equations,
        lines: list[ir.Statement],
    ) -> ir.Operand:
        """The transpose of a matrix: one that is at hand, or a new line."""
        own = self.transposed_of(matrix, equations)
        if own is not None:
            return own
        assert isinstance(matrix, ir.Var)
        kind = self.kinds[matrix.name]
        assert isinstance(kind, ir.Array)
        kind = replace(kind, axes=tuple(reversed(ir.axes_of(kind) or ())))
        name = self.fresh_name()
        self.temporaries.add(name)
        self.kinds[name] = kind
        line = ir.Assign(
            s.span, ir.Var(name), ir.Apply(np.transpose, (matrix,)), kind, True
        )
        lines.append(line)
        return ir.Var(name)

    def is_matrix(self, operand: ir.Operand) -> bool:
        """True for arrays of two axes."""
        kind = self.kinds.get(operand.name) if isinstance(operand, ir.Var) else None
        return (
            isinstance(kind, ir.Array) and not kind.promoted and ir.rank_of(kind) == 2
        )


def _is_transpose(value: ir.Apply) -> bool:
    return (
        value.function is np.transpose and len(value.args) == 1 and not value.keywords
    )
