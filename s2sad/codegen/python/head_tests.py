"""Tests in the heads of branches and loops, as the user wrote them.

A program has a name for each test and bound; where nothing else reads it, the
expression goes back into the head::

    c = gt(x, 0)     ->     if gt(x, 0): ...
    if c: ...
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from s2sad import ir


def with_tests_in_heads(function: ir.Function) -> ir.Function:
    """The function with temporaries that only a head reads written out there.

    >>> test = ir.Assign(None, ir.Var("c"), ir.Apply(max, (ir.Var("x"), ir.Const(0))))
    >>> branch = ir.If(
    ...     None, ir.Var("c"), (ir.Assign(None, ir.Var("x"), ir.Const(1)),), ()
    ... )
    >>> body = (test, branch, ir.Return(None, ir.Var("x")))
    >>> function = ir.Function("f", ("x",), body, {}, frozenset({"c"}))
    >>> print(ir.function_text(with_tests_in_heads(function)))
    def f(x: ?):
        if max(x, 0):
            x = 1
        return x
    """
    reads = ir.uses_in(function.body).reads
    own = {name for name in function.temporaries if reads[name] == 1}
    return replace(function, body=_block(function.body, own))


def _block(block: ir.Block, own: Collection[str]) -> ir.Block:
    result: list[ir.Statement] = []
    for s in block:
        s = ir.with_blocks(s, lambda inner: _block(inner, own))
        match s:
            case ir.If():
                s = replace(s, test=_taken(s.test, result, own))
            case ir.For():
                stop = _taken(s.stop, result, own)
                s = replace(s, stop=stop, start=_taken(s.start, result, own))
            case ir.While():
                ahead = list(s.condition)
                s = replace(s, test=_taken(s.test, ahead, own), condition=tuple(ahead))
        result.append(s)
    return tuple(result)


def _taken(operand: Any, ahead: list[ir.Statement], own: Collection[str]) -> Any:
    """An operand with what the statements right ahead compute for it written out; they
    are taken away."""

    def written_out(variable: ir.Var) -> Any:
        last = ahead[-1] if ahead else None
        if variable.name in own and isinstance(last, ir.Assign):
            if last.target == variable:
                ahead.pop()
                return ir.map_operand(last.value, written_out)
        return variable

    return ir.map_operand(operand, written_out)
