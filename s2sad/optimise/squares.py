"""Squares of numbers as products: ``x**2`` takes two to three times as long as ``x *
x``, and raises for large numbers of Python's.

::

    p = pow(x, 2)      ->      p = mul(x, x)

Only derived lines that are run again and again are changed, those in loops; the last
bits may differ.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import replace

from s2sad.codegen.helper_functions.scalars import power
from s2sad.ir.kinds import Kind, NumPyScalar, Scalar, dtype_of
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    For,
    Function,
    Statement,
    Var,
    While,
)
from s2sad.ir.walking import as_block, walk, with_blocks

_TWO = (Const(2), Const(2.0))


def multiply_squares(function: Function) -> Function:
    """The function with squares of numbers in its loops as products.

    >>> from s2sad.ir.kinds import FLOAT
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> line = Assign(
    ...     None, Var("p"), Apply(operator.pow, (Var("x"), Const(2))), FLOAT, True
    ... )
    >>> loop = For(None, Var("i"), Const(0), Var("n"), Const(1), (line,))
    >>> body = (loop, Return(None, Var("x")))
    >>> function = Function("f", ("x", "n"), body, {"x": FLOAT, "p": FLOAT})
    >>> print(function_text(multiply_squares(function)))
    def f(x: float, n: ?):
        for i in range(0, n, 1):
            p = mul(x, x)  # float
        return x
    """
    repeated = {id(s) for s in _in_loops(function.body) if _is_square(s, function)}
    if not repeated:
        return function

    def block(statements: Block) -> Block:
        lines: list[Statement] = []
        for s in statements:
            if id(s) in repeated:
                assert isinstance(s, Assign) and isinstance(s.value, Apply)
                base = s.value.args[0]
                s = replace(s, value=Apply(operator.mul, (base, base)))
            lines.append(with_blocks(s, block))
        return as_block(lines, statements)

    return replace(function, body=block(function.body))


def _in_loops(block: Block) -> Iterator[Statement]:
    for s in walk(block):
        if isinstance(s, For):
            yield from walk(s.body)
        elif isinstance(s, While):
            yield from walk((*s.condition, *s.body))


def _is_square(s: Statement, function: Function) -> bool:
    if not (isinstance(s, Assign) and s.derived and isinstance(s.value, Apply)):
        return False
    value = s.value
    if value.function not in (operator.pow, power) or value.args[1] not in _TWO:
        return False
    base = value.args[0]
    return isinstance(base, Var) and _is_real(base, function.kinds)


def _is_real(variable: Var, kinds: Mapping[str, Kind]) -> bool:
    kind = kinds.get(variable.name)
    if not isinstance(kind, Scalar | NumPyScalar):
        return False
    return (dtype_of(kind) or "").startswith("float")
