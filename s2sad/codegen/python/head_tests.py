"""Tests in the heads of branches and loops, as the user wrote them.

A program has a name for each test and bound; where nothing else reads it, the
expression goes back into the head::

    c = gt(x, 0)     ->     if gt(x, 0): ...
    if c: ...
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from s2sad.ir.nodes import Assign, Block, For, Function, If, Statement, Var, While
from s2sad.ir.walking import direct_reads, map_operand, walk, with_blocks


def with_tests_in_heads(function: Function) -> Function:
    """The function with temporaries that only a head reads written out there.

    >>> from s2sad.ir.nodes import Apply, Const, Return
    >>> from s2sad.ir.text import function_text
    >>> test = Assign(None, Var("c"), Apply(max, (Var("x"), Const(0))))
    >>> branch = If(None, Var("c"), (Assign(None, Var("x"), Const(1)),), ())
    >>> body = (test, branch, Return(None, Var("x")))
    >>> function = Function("f", ("x",), body, {}, frozenset({"c"}))
    >>> print(function_text(with_tests_in_heads(function)))
    def f(x: ?):
        if max(x, 0):
            x = 1
        return x
    """
    reads = Counter(v.name for s in walk(function.body) for v in direct_reads(s))
    own = {name for name in function.temporaries if reads[name] == 1}
    return replace(function, body=_block(function.body, own))


def _block(block: Block, own: Collection[str]) -> Block:
    result: list[Statement] = []
    for s in block:
        s = with_blocks(s, lambda inner: _block(inner, own))
        match s:
            case If():
                s = replace(s, test=_taken(s.test, result, own))
            case For():
                stop = _taken(s.stop, result, own)
                s = replace(s, stop=stop, start=_taken(s.start, result, own))
            case While():
                ahead = list(s.condition)
                s = replace(s, test=_taken(s.test, ahead, own), condition=tuple(ahead))
        result.append(s)
    return tuple(result)


def _taken(operand: Any, ahead: list[Statement], own: Collection[str]) -> Any:
    """An operand with what the statements right ahead compute for it written out; they
    are taken away."""

    def written_out(variable: Var) -> Any:
        last = ahead[-1] if ahead else None
        if variable.name in own and isinstance(last, Assign):
            if last.target == variable:
                ahead.pop()
                return map_operand(last.value, written_out)
        return variable

    return map_operand(operand, written_out)
