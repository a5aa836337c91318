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

from s2sad import ir
from s2sad.ops.runtime.scalars import power

_TWO = (ir.Const(2), ir.Const(2.0))


def multiply_squares(function: ir.Function) -> ir.Function:
    """The function with squares of numbers in its loops as products.

    >>> line = ir.Assign(
    ...     None,
    ...     ir.Var("p"),
    ...     ir.Apply(operator.pow, (ir.Var("x"), ir.Const(2))),
    ...     ir.FLOAT,
    ...     True,
    ... )
    >>> loop = ir.For(None, ir.Var("i"), ir.Const(0), ir.Var("n"), ir.Const(1), (line,))
    >>> body = (loop, ir.Return(None, ir.Var("x")))
    >>> function = ir.Function("f", ("x", "n"), body, {"x": ir.FLOAT, "p": ir.FLOAT})
    >>> print(ir.function_text(multiply_squares(function)))
    def f(x: float, n: ?):
        for i in range(0, n, 1):
            p = mul(x, x)  # float
        return x
    """
    repeated = {id(s) for s in _in_loops(function.body) if _is_square(s, function)}
    if not repeated:
        return function

    reads = Counter(v.name for s in ir.walk(function.body) for v in ir.direct_reads(s))
    kinds = dict(function.kinds)
    temporaries = set(function.temporaries)

    def fresh(kind: ir.Kind) -> ir.Var:
        count = 1
        while f"squared.{count}" in kinds:
            count += 1
        kinds[f"squared.{count}"] = kind
        temporaries.add(f"squared.{count}")
        return ir.Var(f"squared.{count}")

    def block(statements: ir.Block) -> ir.Block:
        lines: list[ir.Statement] = []
        waiting: dict[int, ir.Var] = {}
        """The lines that read a square, and what they multiply by twice instead."""
        for place, s in enumerate(statements):
            if id(s) in repeated:
                assert isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply)
                base, name = s.value.args[0], str(s.target)
                reader = _multiple(statements[place + 1 :], name, str(base), kinds)
                if reader is not None and reads[name] == 1:
                    waiting[id(reader)] = base  # type: ignore[assignment]
                    continue
                s = replace(s, value=ir.Apply(operator.mul, (base, base)))
            elif id(s) in waiting:
                assert isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply)
                base = waiting[id(s)]
                part = fresh(kinds[str(s.target)])
                first = ir.Apply(operator.mul, (s.value.args[0], base))
                lines.append(replace(s, target=part, value=first))
                s = replace(s, value=ir.Apply(operator.mul, (part, base)))
            lines.append(ir.with_blocks(s, block))
        return ir.as_block(lines, statements)

    return replace(
        function,
        body=block(function.body),
        kinds=kinds,
        temporaries=frozenset(temporaries),
    )


def _multiple(
    block: ir.Block, square: str, base: str, kinds: Mapping[str, ir.Kind]
) -> ir.Statement | None:
    """The line of a block that multiplies a number by a square, of a number that
    nothing assigns before."""
    for s in block:
        match s:
            case ir.Assign(
                target=ir.Var(name=name),
                value=ir.Apply(
                    function=operator.mul, args=(factor, ir.Var(name=other))
                ),
                derived=True,
            ) if other == square:
                real = factor != ir.Var(square) and _is_real(name, kinds)
                return s if real else None
        if {square, base} & ir.names_written_within(
            s
        ) or square in ir.names_read_within(s):
            return None
    return None


def _in_loops(block: ir.Block) -> Iterator[ir.Statement]:
    for s in ir.walk(block):
        if isinstance(s, ir.For):
            yield from ir.walk(s.body)
        elif isinstance(s, ir.While):
            yield from ir.walk((*s.condition, *s.body))


def _is_square(s: ir.Statement, function: ir.Function) -> bool:
    if not (isinstance(s, ir.Assign) and s.derived and isinstance(s.value, ir.Apply)):
        return False
    value = s.value
    if value.function not in (operator.pow, power) or value.args[1] not in _TWO:
        return False
    base = value.args[0]
    return isinstance(base, ir.Var) and _is_real(base.name, function.kinds)


def _is_real(name: str, kinds: Mapping[str, ir.Kind]) -> bool:
    kind = kinds.get(name)
    if not isinstance(kind, ir.Scalar | ir.NumPyScalar):
        return False
    return (ir.dtype_of(kind) or "").startswith("float")
