"""Dead zeros: elements of adjoints that are set to zero where nothing reads them again.

::

    b = mul(2.0, s)                              b = mul(2.0, s)
    for i in reversed range(1, n, 1):            for i in reversed range(1, n, 1):
        v = overwritten_part(b, i)         ->        v = getitem(b, i)
        b = stored(b, i, 0.0)                        x.bar = index_add(x.bar, i, v, ...)
        x.bar = index_add(x.bar, i, v, ...)      w = getitem(b, 0)
    w = getitem(b, 0)

An assignment to ``y[i]`` takes the cotangent from the adjoint and leaves zero there.
The turns of a loop do so at different places, each once. Behind the loop the adjoint
often isn't read any more, or only where the loop hasn't been.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace

from s2sad.ir.kinds import Array
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    For,
    Function,
    Operand,
    Pack,
    Statement,
    Var,
)
from s2sad.ir.walking import (
    as_block,
    blocks_of,
    direct_reads,
    direct_writes,
    names_read_within,
    names_written_within,
    walk,
    with_blocks,
)
from s2sad.ops.buffers import overwritten_part, stored
from s2sad.optimise.buffers.list_choices import is_whole
from s2sad.rules.steps.shape_queries import SHAPE_QUERIES

_READS = (operator.getitem, overwritten_part)


def drop_dead_zeros(function: Function) -> Function:
    """The function without zeros in elements that nothing reads again.

    >>> from s2sad.ir.kinds import FLOAT, INT, Axis
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> def line(name, function, *args):
    ...     return Assign(None, Var(name), Apply(function, args), kinds[name], True)
    >>> vector = Array("float64", (Axis("many", "n"),))
    >>> kinds = {"s": vector, "b": vector, "v": FLOAT, "t": FLOAT, "i": INT}
    >>> body = (
    ...     line("v", overwritten_part, Var("b"), Var("i")),
    ...     line("b", stored, Var("b"), Var("i"), Const(0.0)),
    ...     line("t", operator.add, Var("t"), Var("v")),
    ... )
    >>> loop = For(None, Var("i"), Const(0), Var("n"), Const(1), body, True)
    >>> made = line("b", operator.mul, Const(2.0), Var("s"))
    >>> body = (made, loop, Return(None, Var("t")))
    >>> function = Function("f", ("s", "n", "t"), body, kinds)
    >>> print(function_text(drop_dead_zeros(function)))
    def f(s: float64[n], n: ?, t: float):
        b = mul(2.0, s)  # float64[n]
        for i in reversed range(0, n, 1):
            v = getitem(b, i)  # float
            t = add(t, v)  # float
        return t
    """
    found = list(_dead_zeros(function))
    if not found:
        return function
    dropped = {id(zero.line) for zero in found}
    read = {id(s) for zero in found for s in zero.reads}

    def block(statements: Block) -> Block:
        lines: list[Statement] = []
        for s in statements:
            if id(s) in dropped:
                continue
            if id(s) in read:
                assert isinstance(s, Assign) and isinstance(s.value, Apply)
                s = replace(s, value=Apply(operator.getitem, s.value.args))
            lines.append(with_blocks(s, block))
        return as_block(lines, statements)

    return replace(function, body=block(function.body))


@dataclass(frozen=True)
class _DeadZero:
    line: Assign
    reads: tuple[Statement, ...]
    """The elements that are read before they would be set to zero."""


def _dead_zeros(function: Function) -> Iterator[_DeadZero]:
    """The zeros that nothing reads."""
    if not any(_zeroed(s, function) for s in walk(function.body)):
        return
    places: dict[str, list[Statement]] = {}
    for s in walk(function.body):
        for name in {v.name for v in (*direct_reads(s), *direct_writes(s))}:
            places.setdefault(name, []).append(s)
    parameters = set(function.parameters)

    def visit(block: Block) -> Iterator[_DeadZero]:
        for place, s in enumerate(block):
            for inner in blocks_of(s):
                yield from visit(inner)
            if not isinstance(s, For):
                continue
            for line in s.body:
                name = _zeroed(line, function)
                if name is None or name in parameters:
                    continue
                reads = _reads_in_turn(s, line, name, function)
                if reads is None:
                    continue
                if _unread_elsewhere(block, place, s, name, places[name]):
                    yield _DeadZero(line, reads)  # type: ignore[arg-type]

    yield from visit(function.body)


def _zeroed(s: Statement, function: Function) -> str | None:
    """The array of which a derived line sets one element to zero."""
    match s:
        case Assign(
            target=Var(name=name),
            value=Apply(function=known, args=(Var(name=array), index, zero)),
            derived=True,
        ) if known is stored and name == array and zero == Const(0.0):
            kind = function.kinds.get(name)
            if not isinstance(kind, Array) or kind.axes is None or kind.promoted:
                return None
            items = index.items if isinstance(index, Pack) else (index,)
            if len(items) == len(kind.axes):
                if all(is_whole(item, function.kinds) for item in items):
                    return name
    return None


def _reads_in_turn(
    loop: For, line: Statement, name: str, function: Function
) -> tuple[Statement, ...] | None:
    """The lines of a turn that read the element before it is set to zero; None where
    other turns may name that element, or read or write the array."""
    assert isinstance(line, Assign) and isinstance(line.value, Apply)
    index = line.value.args[1]
    written = {n for s in loop.body for n in names_written_within(s)}
    items = index.items if isinstance(index, Pack) else (index,)
    if loop.target not in items or loop.target.name in written:
        return None
    if not _counts_from_zero(loop):
        return None
    if any(isinstance(i, Var) and i.name in written for i in items):
        return None
    reads: list[Statement] = []
    before = True
    for s in loop.body:
        if s is line:
            before = False
        elif name in names_written_within(s):
            return None
        elif name in names_read_within(s):
            if not before or _element_read(s, name) != index:
                return None
            reads.append(s)
    return tuple(reads)


def _counts_from_zero(loop: For) -> bool:
    """True where no number of a loop is below 0: it names another element each time."""
    start, step = loop.start, loop.step
    return (
        isinstance(start, Const)
        and isinstance(step, Const)
        and type(start.value) is type(step.value) is int
        and start.value >= 0
        and step.value > 0
    )


def _element_read(s: Statement, name: str) -> Operand | None:
    """The index of the element of an array that a line reads."""
    match s:
        case Assign(
            target=Var(), value=Apply(function=known, args=(Var(name=array), index))
        ) if known in _READS and array == name:
            return index
    return None


def _unread_elsewhere(
    block: Block,
    place: int,
    loop: For,
    name: str,
    places: list[Statement],
) -> bool:
    """True where the block in which the loop stands makes the array in front of it, and
    behind the loop only elements are read where it hasn't been."""
    made = [
        k
        for k, s in enumerate(block[:place])
        if isinstance(s, Assign)
        and name in {v.name for v in direct_writes(s)}
        and name not in {v.name for v in direct_reads(s)}
    ]
    if not made:
        return False
    own = {id(s) for s in walk(block[made[-1] : place + 1])}
    behind = {id(s) for s in block[place + 1 :]}
    return all(
        id(s) in own or (id(s) in behind and _reads_beside(s, name, loop))
        for s in places
    )


def _reads_beside(s: Statement, name: str, loop: For) -> bool:
    """True for reading the shape of an array, or an element that a loop over its
    elements doesn't come to."""
    if name in {v.name for v in direct_writes(s)}:
        return False
    if isinstance(s, Assign) and isinstance(s.value, Apply):
        if s.value.function in SHAPE_QUERIES:
            return True
    index = _element_read(s, name)
    assert isinstance(loop.start, Const)
    return (
        isinstance(index, Const)
        and type(index.value) is int
        and 0 <= index.value < loop.start.value
    )
