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

from s2sad.analysis.dataflow.available import Equations
from s2sad.ir.kinds import Array, axes_of, rank_of
from s2sad.ir.nodes import Apply, Assign, Function, Operand, Statement, Var
from s2sad.optimise.products.products import Products

_MATMUL = (operator.matmul, np.matmul)


def fold_transposes(function: Function) -> Function:
    """The function with fewer transposes of matrices.

    >>> from s2sad.ir.kinds import Axis
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> matrix = Array("float64", (Axis("many", "n"), Axis("many", "m")))
    >>> def line(name, function, *args):
    ...     value = Apply(function, tuple(map(Var, args)))
    ...     return Assign(None, Var(name), value, matrix, True)
    >>> body = (
    ...     line("t", np.transpose, "a"),
    ...     line("p", operator.matmul, "t", "g"),
    ...     line("b", np.transpose, "p"),
    ...     Return(None, Var("b")),
    ... )
    >>> function = Function("f", ("a", "g"), body, dict.fromkeys("agtpb", matrix))
    >>> print(function_text(fold_transposes(function)))
    def f(a: float64[n, n], g: float64[n, n]):
        t = transpose(a)  # float64[n, n]
        p = matmul(t, g)  # float64[n, n]
        product.1 = transpose(g)  # float64[n, n]
        b = matmul(product.1, a)  # float64[n, n]
        return b
    """
    return _Folding(function).run()


class _Folding(Products):
    def rewritten(self, s: Assign, equations: Equations) -> list[Statement] | None:
        value = s.value
        assert isinstance(value, Apply)
        if not _is_transpose(value) or not self.is_matrix(value.args[0]):
            return None
        own = self.transposed_of(value.args[0], equations)
        if own is not None:
            return [replace(s, value=own)]
        product = self.single_equation(value.args[0], equations)
        if product is None or product.function not in _MATMUL:
            return None
        if not all(map(self.is_matrix, product.args)) or len(product.args) != 2:
            return None
        lines: list[Statement] = []
        first, second = (
            self.transposed(factor, s, equations, lines)
            for factor in reversed(product.args)
        )
        value = Apply(operator.matmul, (first, second))
        return [*lines, replace(s, value=value)]

    def transposed_of(self, operand: Operand, equations: Equations) -> Operand | None:
        """The matrix whose transpose an operand is."""
        equation = equations.get(operand.name) if isinstance(operand, Var) else None
        if equation is None or not isinstance(equation.value, Apply):
            return None
        return equation.value.args[0] if _is_transpose(equation.value) else None

    def transposed(
        self, matrix: Operand, s: Assign, equations: Equations, lines: list[Statement]
    ) -> Operand:
        """The transpose of a matrix: one that is at hand, or a new line."""
        own = self.transposed_of(matrix, equations)
        if own is not None:
            return own
        assert isinstance(matrix, Var)
        kind = self.kinds[matrix.name]
        assert isinstance(kind, Array)
        kind = replace(kind, axes=tuple(reversed(axes_of(kind) or ())))
        name = self.fresh_name()
        self.temporaries.add(name)
        self.kinds[name] = kind
        line = Assign(s.span, Var(name), Apply(np.transpose, (matrix,)), kind, True)
        lines.append(line)
        return Var(name)

    def is_matrix(self, operand: Operand) -> bool:
        """True for arrays of two axes."""
        kind = self.kinds.get(operand.name) if isinstance(operand, Var) else None
        return isinstance(kind, Array) and not kind.promoted and rank_of(kind) == 2


def _is_transpose(value: Apply) -> bool:
    return (
        value.function is np.transpose and len(value.args) == 1 and not value.keywords
    )
