"""Squares of numbers as products: ``x**2`` takes two to three times as long as ``x *
x``, and raises for large numbers of Python's.

::

    p = pow(x, 2)      ->      p = mul(x, x)
    q = mul(c, p)              q = mul(mul(c, x), x)

Only derived lines that are run again and again are changed, those in loops; the last
bits may differ.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

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
from s2sad.ir.walking import (
    as_block,
    direct_reads,
    names_read_within,
    names_written_within,
    walk,
    with_blocks,
)
from s2sad.ops.runtime.scalars import power

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

    reads = Counter(v.name for s in walk(function.body) for v in direct_reads(s))
    kinds = dict(function.kinds)
    temporaries = set(function.temporaries)

    def fresh(kind: Kind) -> Var:
        count = 1
        while f"squared.{count}" in kinds:
            count += 1
        kinds[f"squared.{count}"] = kind
        temporaries.add(f"squared.{count}")
        return Var(f"squared.{count}")

    def block(statements: Block) -> Block:
        lines: list[Statement] = []
        waiting: dict[int, Var] = {}
        """The lines that read a square, and what they multiply by twice instead."""
        for place, s in enumerate(statements):
            if id(s) in repeated:
                assert isinstance(s, Assign) and isinstance(s.value, Apply)
                base, name = s.value.args[0], str(s.target)
                reader = _multiple(statements[place + 1 :], name, str(base), kinds)
                if reader is not None and reads[name] == 1:
                    waiting[id(reader)] = base  # type: ignore[assignment]
                    continue
                s = replace(s, value=Apply(operator.mul, (base, base)))
            elif id(s) in waiting:
                assert isinstance(s, Assign) and isinstance(s.value, Apply)
                base = waiting[id(s)]
                part = fresh(kinds[str(s.target)])
                first = Apply(operator.mul, (s.value.args[0], base))
                lines.append(replace(s, target=part, value=first))
                s = replace(s, value=Apply(operator.mul, (part, base)))
            lines.append(with_blocks(s, block))
        return as_block(lines, statements)

    return replace(
        function,
        body=block(function.body),
        kinds=kinds,
        temporaries=frozenset(temporaries),
    )


def _multiple(
    block: Block, square: str, base: str, kinds: Mapping[str, Kind]
) -> Statement | None:
    """The line of a block that multiplies a number by a square, of a number that
    nothing assigns before."""
    for s in block:
        match s:
            case Assign(
                target=Var(name=name),
                value=Apply(function=operator.mul, args=(factor, Var(name=other))),
                derived=True,
            ) if other == square:
                real = factor != Var(square) and _is_real(name, kinds)
                return s if real else None
        if {square, base} & names_written_within(s) or square in names_read_within(s):
            return None
    return None


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
    return isinstance(base, Var) and _is_real(base.name, function.kinds)


def _is_real(name: str, kinds: Mapping[str, Kind]) -> bool:
    kind = kinds.get(name)
    if not isinstance(kind, Scalar | NumPyScalar):
        return False
    return (dtype_of(kind) or "").startswith("float")
