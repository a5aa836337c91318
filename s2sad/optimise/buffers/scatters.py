"""Scatters: where no element is written twice, a sum into zeros is an assignment.

::

    c.bar = zeros_like(c)                      c.bar = zeros_like(c)
    for k in reversed range(n):        ->      for k in reversed range(n):
        c.bar[k] += v.bar                          c.bar[k] = v.bar

An index that holds ``np.arange`` or the loop's own variable names each element once
(:mod:`s2sad.analysis.memory.distinct_places`). Where it names one element in each row,
the sum of a row is that element::

    p.bar[np.arange(n), labels] = v
    t = sum(p.bar, axis=1, keepdims=True)           t = v
    q = truediv(t, s)                        ->     q = truediv(v, s)
"""

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.memory.distinct_places import DistinctPlaces, are_apart
from s2sad.optimise.buffers.row_scatters import (
    scatter_elements_of_rows,
    with_parts_of_lists_added,
)
from s2sad.optimise.identities import engine, table


def simplify_scatters(function: ir.Function) -> ir.Function:
    """The function with sums into untouched elements as assignments.

    >>> zeros = ir.Assign(None, ir.Var("b"), ir.Apply(np.zeros_like, (ir.Var("x"),)))
    >>> added = ir.Assign(
    ...     None,
    ...     ir.Var("b"),
    ...     ir.Apply(ops.index_add, (ir.Var("b"), ir.Var("k"), ir.Var("v"))),
    ... )
    >>> loop = ir.For(
    ...     None, ir.Var("k"), ir.Const(0), ir.Var("n"), ir.Const(1), (added,)
    ... )
    >>> body = (zeros, loop, ir.Return(None, ir.Var("b")))
    >>> function = ir.Function("f", ("x", "v", "n"), body, {})
    >>> print(ir.function_text(simplify_scatters(function)))
    def f(x: ?, v: ?, n: ?):
        b = zeros_like(x)
        for k in range(0, n, 1):
            b = index_set(b, k, v)
        return b
    """
    identities = table.IDENTITIES["scatters"]
    function = engine.rewritten(function, identities)
    function = ir.altered(function, body=_block(function.body))
    function = scatter_elements_of_rows(_with_row_sums(function))
    function = with_parts_of_lists_added(function)
    return engine.rewritten(function, identities)


def _block(block: ir.Block) -> ir.Block:
    result: list[ir.Statement] = []
    zeros: dict[str, list[ir.Operand]] = {}
    """Buffers that hold zeros so far, but for elements that were assigned."""
    for s in block:
        s = ir.with_blocks(s, _block)
        assigned = None
        if isinstance(s, ir.For):
            s = _loop(s, {name for name, assigned in zeros.items() if not assigned})
        elif _adds(s):
            assigned = zeros.get(str(s.value.args[0]))
            place = s.value.args[1]
            if assigned is not None and all(are_apart(place, p) for p in assigned):
                s = _assigning(s)
                assigned = [*assigned, place]
            else:
                assigned = None
        for name in ir.names_written_within(s) | ir.names_read_within(s):
            zeros.pop(name, None)
        if ir.is_line(s, np.zeros_like, ops.zeros_along):
            assigned = []
        if assigned is not None and ir.is_line(s):
            zeros[s.target.name] = assigned
        result.append(s)
    return ir.as_block(result, block)


def _with_row_sums(function: ir.Function) -> ir.Function:
    """Sums over scatters with one element a row, read off the element."""
    uses, distinct = ir.uses_in(function.body), DistinctPlaces(function)
    changed: dict[int, ir.Assign] = {}
    for s in ir.walk(function.body):
        if not ir.is_line(s, np.sum) or not s.derived:
            continue
        name, kinds = s.target.name, function.kinds
        element = _row_element(s.value, uses, distinct, kinds)
        if element is not None and uses.writes[name] == 1:
            if all(_keeps_shape(r, name, kinds) for r in uses.readers.get(name, [])):
                changed[id(s)] = replace(s, value=element)
    body = ir.with_leaves(function.body, lambda s: (changed.get(id(s), s),))
    return ir.altered(function, body=body)


def _row_element(
    value: ir.Apply,
    uses: ir.Uses,
    distinct: DistinctPlaces,
    kinds: Mapping[str, ir.Kind],
) -> ir.Operand | None:
    """The number that each row of a scatter holds, for the sum along its rows."""
    words = dict(value.keywords)
    if words.get("keepdims") != ir.Const(True) or words.get("axis") != ir.Const(1):
        return None
    buffer = value.args[0]
    scatters = uses.definitions.get(str(buffer), [])
    if len(scatters) != 1 or not ir.is_line(scatters[0], ops.index_set):
        return None
    _, index, element = scatters[0].value.args
    kind = ir.kind_of(buffer, kinds)
    if not isinstance(index, ir.Pack) or len(index.items) != 2:
        return None
    rows = index.items[0]
    if not isinstance(rows, ir.Var) or not distinct.counts(rows):
        return None
    if not isinstance(kind, ir.Array):
        return None
    own, wanted = ir.axes_of(kinds[rows.name]), kind.axes
    if own is None or wanted is None or len(wanted) != 2 or own[0].symbol is None:
        return None
    number = isinstance(element, ir.Const) or (
        uses.writes[str(element)] == 1
        and isinstance(ir.kind_of(element, kinds), ir.Scalar | ir.NumPyScalar)
    )
    return element if number and own[0].symbol == wanted[0].symbol else None


def _keeps_shape(s: ir.Statement, name: str, kinds: Mapping[str, ir.Kind]) -> bool:
    """True where a number may stand for a column: another operand brings the shape."""
    if not ir.is_line(s, operator.mul, operator.truediv) or not s.derived:
        return False
    column = ir.axes_of(kinds[name])
    others = [a for a in s.value.args if a != ir.Var(name)]
    if column is None or len(others) != 1:
        return False
    axes = ir.axes_of(ir.kind_of(others[0], kinds) or ir.UNKNOWN)
    return axes is not None and len(axes) == len(column) and axes[0] == column[0]


def _parts(index: ir.Operand) -> tuple[ir.Operand, ...]:
    return index.items if isinstance(index, ir.Pack) else (index,)


def _adds(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for a sum that names no element twice."""
    return ir.is_line(s, ops.index_add) and s.value.args[3:] != (ir.Const(True),)


def _assigning(s: ir.Line) -> ir.Line:
    return replace(s, value=ir.Apply(ops.index_set, s.value.args[:3]))


def _loop(loop: ir.For, zeros: set[str]) -> ir.For:
    """Scatters at the loop's own variable, into a buffer of zeros that nothing else
    touches."""
    body = []
    inside = {name for s in loop.body for name in ir.names_written_within(s)}
    for s in loop.body:
        if (
            _adds(s)
            and s.target.name in zeros
            and s.target == s.value.args[0]
            and _names_once(s.value.args[1], loop, inside)
            and _touches(loop.body, s.target.name) == 1
        ):
            s = _assigning(s)
        body.append(s)
    return ir.altered(loop, body=ir.as_block(body, loop.body))


def _names_once(index: ir.Operand, loop: ir.For, inside: set[str]) -> bool:
    """True where each iteration names other elements: the loop variable selects along
    one axis."""
    parts = _parts(index)
    own = [p for p in parts if p == loop.target]
    fixed = all(p == loop.target or isinstance(p, ir.Const | ir.Slice) for p in parts)
    if not own or not fixed or loop.target.name in inside:
        return False
    # negative numbers would name elements from the end
    return _is_at_least_zero(loop)


def _is_at_least_zero(loop: ir.For) -> bool:
    return (
        isinstance(loop.start, ir.Const)
        and isinstance(loop.start.value, int)
        and loop.start.value >= 0
        and loop.step == ir.Const(1)
    )


def _touches(block: ir.Block, name: str) -> int:
    return sum(name in ir.names_read(s) | ir.names_written(s) for s in ir.walk(block))
