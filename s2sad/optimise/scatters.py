"""Scatters: where no element is written twice, a sum into zeros is an assignment.

::

    c.bar = zeros_like(c)                      c.bar = zeros_like(c)
    for k in reversed range(n):        ->      for k in reversed range(n):
        c.bar[k] += v.bar                          c.bar[k] = v.bar

An index that holds ``np.arange`` or the loop's own variable names each element once.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    For,
    Function,
    If,
    Operand,
    Pack,
    Slice,
    Statement,
    Var,
    While,
    direct_reads,
    direct_writes,
    walk,
)
from s2sad.transform.buffers import index_add, index_set


def simplify_scatters(function: Function) -> Function:
    """The function with sums into untouched elements as assignments."""
    counts: set[str] = set()
    written: dict[str, int] = {}
    for s in walk(function.body):
        for variable in direct_writes(s):
            written[variable.name] = written.get(variable.name, 0) + 1
        if (
            isinstance(s, Assign)
            and isinstance(s.target, Var)
            and isinstance(s.value, Apply)
            and s.value.function is np.arange
        ):
            counts.add(s.target.name)
    counts = {name for name in counts if written[name] == 1}
    return replace(function, body=_block(function.body, counts, set(written)))


def _block(block: Block, counts: set[str], written: set[str]) -> Block:
    result: list[Statement] = []
    zeros: set[str] = set()
    """Buffers that hold zeros alone so far."""
    for s in block:
        match s:
            case If():
                s = replace(
                    s,
                    body=_block(s.body, counts, written),
                    orelse=_block(s.orelse, counts, written),
                )
            case While():
                s = replace(s, body=_block(s.body, counts, written))
            case For():
                s = replace(s, body=_block(s.body, counts, written))
                s = _loop(s, zeros, written)
            case Assign(value=Apply(function=function)) if function is index_add:
                s = _single(s, counts, zeros)
        writes = {v.name for inner in walk((s,)) for v in direct_writes(inner)}
        reads = {v.name for inner in walk((s,)) for v in direct_reads(inner)}
        zeros -= writes | reads
        if isinstance(s, Assign) and isinstance(s.target, Var) and _is_zeros(s):
            zeros.add(s.target.name)
        result.append(s)
    return tuple(result)


def _is_zeros(s: Assign) -> bool:
    return isinstance(s.value, Apply) and s.value.function is np.zeros_like


def _parts(index: Operand) -> tuple[Operand, ...]:
    return index.items if isinstance(index, Pack) else (index,)


def _single(s: Assign, counts: set[str], zeros: set[str]) -> Assign:
    """One scatter: an index with ``np.arange`` in it has no repeats; into zeros it assigns."""
    assert isinstance(s.value, Apply)
    buffer, index, value, *repeats = s.value.args
    once = any(isinstance(p, Var) and p.name in counts for p in _parts(index))
    if repeats == [Const(True)]:
        if not once:
            return s
        s = replace(s, value=replace(s.value, args=(buffer, index, value, Const(False))))
    assert isinstance(s.value, Apply)
    if isinstance(buffer, Var) and buffer.name in zeros:
        return replace(s, value=Apply(index_set, (buffer, index, value)))
    return s


def _loop(loop: For, zeros: set[str], written: set[str]) -> For:
    """Scatters at the loop's own variable, into a buffer of zeros that nothing else touches."""
    body = []
    inside = {v.name for s in walk(loop.body) for v in direct_writes(s)}
    for s in loop.body:
        if (
            isinstance(s, Assign)
            and isinstance(s.value, Apply)
            and s.value.function is index_add
            and isinstance(s.target, Var)
            and s.target.name in zeros
            and s.target == s.value.args[0]
            and (s.value.args[3:] in ((), (Const(False),)))
            and _names_once(s.value.args[1], loop, inside)
            and _touches(loop.body, s.target.name) == 1
        ):
            s = replace(s, value=Apply(index_set, s.value.args[:3]))
        body.append(s)
    return replace(loop, body=tuple(body))


def _names_once(index: Operand, loop: For, inside: set[str]) -> bool:
    """True where each iteration names other elements: the loop variable selects along one axis."""
    parts = _parts(index)
    own = [p for p in parts if p == loop.target]
    fixed = all(
        p == loop.target or isinstance(p, Const | Slice) for p in parts
    )
    if not own or not fixed or loop.target.name in inside:
        return False
    # negative numbers would name elements from the end
    return _is_at_least_zero(loop)


def _is_at_least_zero(loop: For) -> bool:
    return (
        isinstance(loop.start, Const)
        and isinstance(loop.start.value, int)
        and loop.start.value >= 0
        and loop.step == Const(1)
    )


def _touches(block: Block, name: str) -> int:
    return sum(
        any(v.name == name for v in (*direct_reads(s), *direct_writes(s)))
        for s in walk(block)
    )
