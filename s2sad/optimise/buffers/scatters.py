"""Scatters: where no element is written twice, a sum into zeros is an assignment.

::

    c.bar = zeros_like(c)                      c.bar = zeros_like(c)
    for k in reversed range(n):        ->      for k in reversed range(n):
        c.bar[k] += v.bar                          c.bar[k] = v.bar

An index that holds ``np.arange`` or the loop's own variable names each element once
(:mod:`s2sad.analysis.memory.distinct_places`). So what a store took was not stored
elsewhere::

    part = where(last_writes(q.bar, index), q.bar[index], 0)    ->    q.bar[index]

Where it names one element in each row, the sum of a row is that element::

    p.bar[np.arange(n), labels] = v
    t = sum(p.bar, axis=1, keepdims=True)           t = v
    q = truediv(t, s)                        ->     q = truediv(v, s)
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from s2sad.analysis.memory.distinct_places import DistinctPlaces
from s2sad.ir.kinds import UNKNOWN, Array, Kind, NumPyScalar, Scalar, axes_of
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
    Try,
    Var,
    While,
    With,
)
from s2sad.ir.walking import (
    altered,
    as_block,
    direct_reads,
    direct_writes,
    walk,
    with_blocks,
    with_leaves,
)
from s2sad.ops.buffers import index_add, index_set
from s2sad.ops.lists import zeros_along
from s2sad.ops.runtime.indices import last_writes
from s2sad.optimise.buffers.row_scatters import scatter_elements_of_rows
from s2sad.optimise.buffers.stored_zeros import store_sums_over_zeros


def simplify_scatters(function: Function) -> Function:
    """The function with sums into untouched elements as assignments.

    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> zeros = Assign(None, Var("b"), Apply(np.zeros_like, (Var("x"),)))
    >>> added = Assign(None, Var("b"), Apply(index_add, (Var("b"), Var("k"), Var("v"))))
    >>> loop = For(None, Var("k"), Const(0), Var("n"), Const(1), (added,))
    >>> body = (zeros, loop, Return(None, Var("b")))
    >>> function = Function("f", ("x", "v", "n"), body, {})
    >>> print(function_text(simplify_scatters(function)))
    def f(x: ?, v: ?, n: ?):
        b = zeros_like(x)
        for k in range(0, n, 1):
            b = index_set(b, k, v)
        return b
    """
    written = {v.name for s in walk(function.body) for v in direct_writes(s)}
    distinct = DistinctPlaces(function)
    body = _block(function.body, distinct, written)
    function = altered(function, body=_without_last_writes(body, distinct))
    function = _with_row_sums(function, distinct)
    return store_sums_over_zeros(scatter_elements_of_rows(function))


def _block(block: Block, distinct: DistinctPlaces, written: set[str]) -> Block:
    result: list[Statement] = []
    zeros: set[str] = set()
    """Buffers that hold zeros alone so far."""
    for s in block:
        match s:
            case If():
                s = altered(
                    s,
                    body=_block(s.body, distinct, written),
                    orelse=_block(s.orelse, distinct, written),
                )
            case While() | Try() | With():
                s = with_blocks(s, lambda b: _block(b, distinct, written))
            case For():
                s = altered(s, body=_block(s.body, distinct, written))
                s = _loop(s, zeros, written)
            case Assign(value=Apply(function=function)) if function is index_add:
                s = _single(s, distinct, zeros)
        writes = {v.name for inner in walk((s,)) for v in direct_writes(inner)}
        reads = {v.name for inner in walk((s,)) for v in direct_reads(inner)}
        zeros -= writes | reads
        if isinstance(s, Assign) and isinstance(s.target, Var) and _is_zeros(s):
            zeros.add(s.target.name)
        result.append(s)
    return as_block(result, block)


def _without_last_writes(block: Block, distinct: DistinctPlaces) -> Block:
    """Parts of stores that nothing later in the same index replaced."""
    whole: set[str] = set()
    """What tells of each element whether it was stored last: all were."""
    for s in walk(block):
        if isinstance(s, Assign) and isinstance(s.target, Var):
            value = s.value
            if isinstance(value, Apply) and value.function is last_writes:
                if distinct.names_once(value.args[1]):
                    whole.add(s.target.name)
    if not whole:
        return block

    def change(s: Statement) -> Block:
        value = s.value if isinstance(s, Assign) else None
        if isinstance(value, Apply) and value.function is np.where:
            condition = value.args[0]
            if isinstance(condition, Var) and condition.name in whole:
                assert isinstance(s, Assign)
                return (replace(s, value=value.args[1]),)
        return (s,)

    return with_leaves(block, change)


def _with_row_sums(function: Function, distinct: DistinctPlaces) -> Function:
    """Sums over scatters with one element a row, read off the element."""
    equations = {
        s.target.name: s
        for s in walk(function.body)
        if isinstance(s, Assign) and isinstance(s.target, Var)
    }
    written: Counter[str] = Counter(
        v.name for s in walk(function.body) for v in direct_writes(s)
    )
    readers: dict[str, list[Statement]] = {}
    for s in walk(function.body):
        for variable in direct_reads(s):
            readers.setdefault(variable.name, []).append(s)
    changed: dict[int, Assign] = {}
    for name, s in equations.items():
        if written[name] != 1 or not isinstance(s.value, Apply) or not s.derived:
            continue
        element = _row_element(s.value, equations, written, distinct, function.kinds)
        if element is not None and all(
            _keeps_shape(r, name, function.kinds) for r in readers.get(name, [])
        ):
            changed[id(s)] = replace(s, value=element)
    return _replaced(function, changed) if changed else function


def _row_element(
    value: Apply,
    equations: Mapping[str, Assign],
    written: Mapping[str, int],
    distinct: DistinctPlaces,
    kinds: Mapping[str, Kind],
) -> Operand | None:
    """The number that each row of a scatter holds, for the sum along its rows."""
    words = dict(value.keywords)
    if value.function is not np.sum or words.get("keepdims") != Const(True):
        return None
    buffer = value.args[0]
    if not isinstance(buffer, Var) or written[buffer.name] != 1:
        return None
    scatter = equations.get(buffer.name)
    if scatter is None or not isinstance(scatter.value, Apply):
        return None
    if scatter.value.function is not index_set:
        return None
    _, index, element = scatter.value.args
    kind = kinds.get(buffer.name)
    if (
        not isinstance(index, Pack)
        or len(index.items) != 2
        or words.get("axis") != Const(1)
    ):
        return None
    rows = index.items[0]
    if (
        not isinstance(rows, Var)
        or not distinct.counts(rows)
        or not isinstance(kind, Array)
    ):
        return None
    own, wanted = axes_of(kinds[rows.name]), kind.axes
    if own is None or wanted is None or len(wanted) != 2 or own[0].symbol is None:
        return None
    number = isinstance(element, Const) or (
        isinstance(element, Var)
        and written[element.name] == 1
        and isinstance(kinds.get(element.name), Scalar | NumPyScalar)
    )
    return element if number and own[0].symbol == wanted[0].symbol else None


def _keeps_shape(s: Statement, name: str, kinds: Mapping[str, Kind]) -> bool:
    """True where a number may stand for a column: another operand brings the shape."""
    if not isinstance(s, Assign) or not s.derived or not isinstance(s.value, Apply):
        return False
    if (
        s.value.function not in (operator.mul, operator.truediv)
        or len(s.value.args) != 2
    ):
        return False
    column = axes_of(kinds[name])
    others = [a for a in s.value.args if a != Var(name)]
    if column is None or len(others) != 1 or not isinstance(others[0], Var):
        return False
    axes = axes_of(kinds.get(others[0].name, UNKNOWN))
    return axes is not None and len(axes) == len(column) and axes[0] == column[0]


def _replaced(function: Function, changed: Mapping[int, Assign]) -> Function:
    body = with_leaves(function.body, lambda s: (changed.get(id(s), s),))
    return replace(function, body=body)


def _is_zeros(s: Assign) -> bool:
    return isinstance(s.value, Apply) and s.value.function in (
        np.zeros_like,
        zeros_along,
    )


def _parts(index: Operand) -> tuple[Operand, ...]:
    return index.items if isinstance(index, Pack) else (index,)


def _single(s: Assign, distinct: DistinctPlaces, zeros: set[str]) -> Assign:
    """One scatter: an index with ``np.arange`` in it has no repeats; into zeros it
    assigns."""
    assert isinstance(s.value, Apply)
    buffer, index, value, *repeats = s.value.args
    if repeats == [Const(True)]:
        if not distinct.names_once(index):
            return s
        s = replace(
            s, value=replace(s.value, args=(buffer, index, value, Const(False)))
        )
    assert isinstance(s.value, Apply)
    if isinstance(buffer, Var) and buffer.name in zeros:
        return replace(s, value=Apply(index_set, (buffer, index, value)))
    return s


def _loop(loop: For, zeros: set[str], written: set[str]) -> For:
    """Scatters at the loop's own variable, into a buffer of zeros that nothing else
    touches."""
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
    """True where each iteration names other elements: the loop variable selects along
    one axis."""
    parts = _parts(index)
    own = [p for p in parts if p == loop.target]
    fixed = all(p == loop.target or isinstance(p, Const | Slice) for p in parts)
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
