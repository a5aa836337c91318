"""Loops over the same places, one after the other, as one loop.

::

    for i in range(n):                       z = empty(n)
        y[i] = exp(x[i])                     for i in range(n):
    z = empty(n)                     ->          y[i] = exp(x[i])
    for i in range(n):                           z[i] = mul(y[i], x[i])
        z[i] = mul(y[i], x[i])

Only loops that were written for operations on arrays are joined, where each turn of the
second needs of the first no more than the turn of the same number has computed. What
stands between makes arrays or reads lengths, and moves in front.
"""

import operator
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.codegen.numba.programs import Facts
from s2sad.rules.steps.shape_queries import axis_length, shape_of

_MOVED = (axis_length, shape_of, np.empty, np.zeros, np.full)
"""What may move in front of a loop: none of it reads an element."""


@dataclass
class _Accesses:
    """What the body of a nest of loops reads and writes."""

    elements: dict[str, set[ir.Operand]] = field(default_factory=dict)
    """Arrays, and the indices at which they are read or written."""
    written: set[str] = field(default_factory=set)
    """Arrays that are written into."""
    read: set[str] = field(default_factory=set)
    """Everything else that is read."""
    assigned: set[str] = field(default_factory=set)
    """Numbers that are assigned."""


def fused(
    block: list[ir.Statement], keys: Mapping[int, Hashable], facts: Facts
) -> list[ir.Statement]:
    """The statements with loops joined; ``keys`` says which loops have equal lengths,
    by identity."""
    result: list[ir.Statement] = []
    known: dict[int, Hashable] = dict(keys)
    at: int | None = None
    for s in block:
        if isinstance(s, ir.For) and known.get(id(s)) is not None:
            first = result[at] if at is not None else None
            if isinstance(first, ir.For) and known[id(first)] == known[id(s)]:
                between = result[at + 1 :]  # type: ignore[operator]
                between = [line for line in between if not _counts(line, s)]
                joined = _joined(first, s, between, facts)
                if joined is not None:
                    known[id(joined)] = known[id(s)]
                    result[at:] = [*between, joined]
                    at = len(result) - 1
                    continue
            at = len(result)
        result.append(s)
    return result


def _counts(line: ir.Statement, loop: ir.For) -> bool:
    """True for the line that reads how often a loop runs."""
    return ir.applies(line, axis_length) and line.target == loop.stop


def _joined(
    first: ir.For, second: ir.For, between: list[ir.Statement], facts: Facts
) -> ir.For | None:
    """Both loops as one; None where that isn't the same."""
    ahead, renamed, inner = _nest(first), _nest(second), second
    if len(ahead) != len(renamed):
        return None  # the lengths of inner loops are computed in one of them
    index = dict(zip((s.target.name for s in renamed), (s.target for s in ahead)))
    body = ir.renamed(inner_body(inner), lambda v: index.get(v.name, v))
    one, other = _accesses(inner_body(first)), _accesses(body)
    touched = {*one.elements, *one.read, *one.assigned}
    for s in between:
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return None
        if isinstance(s.value, ir.Apply) and s.value.function not in _MOVED:
            return None
        if not isinstance(s.value, ir.Apply | ir.Var) or s.target.name in touched:
            return None
        if isinstance(s.value, ir.Var) and s.value.name in facts.added:
            return None  # the second loop reads it by this name
        if ir.names_read(s) & one.assigned:
            return None
    targets = tuple(s.target for s in ahead)
    place: ir.Operand = targets[0]
    if len(targets) > 1:
        place = ir.Pack(tuple, tuple(range(len(targets))), targets)
    if (one.assigned & other.read) or (other.assigned & one.read):
        return None
    if one.assigned & other.assigned:
        return None
    for name in one.written | other.written:
        for shared in facts.sharing(name) | {name}:
            if shared in one.read or shared in other.read:
                return None
            indices = one.elements.get(shared, set()) | other.elements.get(
                shared, set()
            )
            apart = shared not in one.elements or name not in other.elements
            apart = apart and (shared not in other.elements or name not in one.elements)
            if apart:
                continue
            if indices != {place} or _root(shared, facts) != _root(name, facts):
                return None
            if one.elements.get(name, {place}) != {place}:
                return None
            if other.elements.get(name, {place}) != {place}:
                return None
    return _with_inner(first, (*inner_body(first), *body))


def _root(name: str, facts: Facts) -> str:
    """The variable that a variable is another name of."""
    while name in facts.copies:
        name = facts.copies[name]
    return name


def _nest(loop: ir.For) -> list[ir.For]:
    """Loops of which each is the last statement of the one around, behind a length."""
    found = [loop]
    while isinstance(loop.body[-1], ir.For) and _only_lengths(loop.body[:-1]):
        loop = loop.body[-1]
        found.append(loop)
    return found


def inner_body(loop: ir.For) -> ir.Block:
    """The body of the innermost loop of a nest."""
    return _nest(loop)[-1].body


def _only_lengths(block: ir.Block) -> bool:
    return all(ir.applies(s, axis_length) for s in block)


def _with_inner(loop: ir.For, body: ir.Block) -> ir.For:
    if isinstance(loop.body[-1], ir.For) and _only_lengths(loop.body[:-1]):
        return replace(loop, body=(*loop.body[:-1], _with_inner(loop.body[-1], body)))
    return replace(loop, body=body)


def _accesses(block: ir.Block) -> _Accesses:
    found = _Accesses()
    own: set[str] = set()
    for s in ir.walk(block):
        value: Any = s.value if isinstance(s, ir.Assign) else None
        names = ir.names_read(s)
        if isinstance(value, ir.Apply) and value.function is operator.getitem:
            array, index = value.args
            if isinstance(array, ir.Var):
                found.elements.setdefault(array.name, set()).add(index)
                names -= {array.name}
        elif isinstance(value, ir.Apply) and value.function in ops.WRITES:
            array, index = value.args[:2]
            assert isinstance(array, ir.Var)
            found.elements.setdefault(array.name, set()).add(index)
            found.written.add(array.name)
            inside = (v.name for a in value.args[1:] for v in _variables(a))
            names = frozenset(inside)
        elif isinstance(value, ir.Apply) and value.function in (axis_length, shape_of):
            names = frozenset()
        found.read |= names - own
        for v in ir.direct_writes(s):
            if v.name not in found.written:
                own.add(v.name)
                found.assigned.add(v.name)
    return found


def _variables(operand: Any) -> tuple[ir.Var, ...]:
    if isinstance(operand, ir.Var):
        return (operand,)
    if isinstance(operand, ir.Pack):
        return tuple(v for item in operand.items for v in _variables(item))
    return ()
