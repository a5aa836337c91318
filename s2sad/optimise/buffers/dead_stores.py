"""Dead stores: elements of adjoints that are set to zero where nothing reads them
again, and those that are set to what they are.

::

    b = mul(2.0, s)                              b = mul(2.0, s)
    for i in reversed range(1, n, 1):            for i in reversed range(1, n, 1):
        v = overwritten_part(b, i)         ->        v = getitem(b, i)
        b = stored(b, i, 0.0)                        x.bar = index_add(x.bar, i, v, ...)
        x.bar = index_add(x.bar, i, v, ...)      w = getitem(b, 0)
    w = getitem(b, 0)

An assignment to ``y[i]`` takes the cotangent from the adjoint and leaves zero there.
The turns of a loop do so at different places, each once. Behind the loop the adjoint
often isn't read any more, or only where the loop hasn't been. ``y[i] += x`` adds the
cotangent to zero again, and leaves it as it was.
"""

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace

from s2sad import ir, ops
from s2sad.optimise.buffers.list_choices import is_whole
from s2sad.rules.steps.shape_queries import SHAPE_QUERIES

_READS = (operator.getitem, ops.overwritten_part)


def drop_dead_stores(function: ir.Function) -> ir.Function:
    """The function without zeros in elements that nothing reads again, and without
    elements that are set to what they are.

    >>> def line(name, function, *args):
    ...     return ir.Assign(
    ...         None, ir.Var(name), ir.Apply(function, args), kinds[name], True
    ...     )
    >>> vector = ir.Array("float64", (ir.Axis("many", "n"),))
    >>> kinds = {"s": vector, "b": vector, "v": ir.FLOAT, "t": ir.FLOAT, "i": ir.INT}
    >>> body = (
    ...     line("v", ops.overwritten_part, ir.Var("b"), ir.Var("i")),
    ...     line("b", ops.stored, ir.Var("b"), ir.Var("i"), ir.Const(0.0)),
    ...     line("t", operator.add, ir.Var("t"), ir.Var("v")),
    ... )
    >>> loop = ir.For(
    ...     None, ir.Var("i"), ir.Const(0), ir.Var("n"), ir.Const(1), body, True
    ... )
    >>> made = line("b", operator.mul, ir.Const(2.0), ir.Var("s"))
    >>> body = (made, loop, ir.Return(None, ir.Var("t")))
    >>> function = ir.Function("f", ("s", "n", "t"), body, kinds)
    >>> print(ir.function_text(drop_dead_stores(function)))
    def f(s: float64[n], n: ?, t: float):
        b = mul(2.0, s)  # float64[n]
        for i in reversed range(0, n, 1):
            v = getitem(b, i)  # float
            t = add(t, v)  # float
        return t
    """
    function = ir.altered(function, body=_without_unchanged(function.body))
    found = list(_dead_stores(function))
    if not found:
        return function
    dropped = {id(zero.line) for zero in found}
    read = {id(s) for zero in found for s in zero.reads}

    def block(statements: ir.Block) -> ir.Block:
        lines: list[ir.Statement] = []
        for s in statements:
            if id(s) in dropped:
                continue
            if id(s) in read:
                assert ir.is_line(s)
                s = replace(s, value=ir.Apply(operator.getitem, s.value.args))
            lines.append(ir.with_blocks(s, block))
        return ir.as_block(lines, statements)

    return replace(function, body=block(function.body))


def _without_unchanged(block: ir.Block) -> ir.Block:
    """A block without stores of numbers where they were read."""
    held: dict[ir.Operand, tuple[ir.Operand, ir.Operand]] = {}
    """The array, and the place in it, of numbers that it still holds there."""
    lines: list[ir.Statement] = []
    for s in block:
        if ir.is_line(s, ops.stored) and s.derived:
            array, place, number = s.value.args
            if s.target == array and held.get(number) == (array, place):
                continue
        lines.append(ir.with_blocks(s, _without_unchanged))
        written = ir.names_written_within(s)
        for number, read in [*held.items()]:
            variables = (
                v.name for o in (number, *read) for v in ir.operand_variables(o)
            )
            if not written.isdisjoint(variables):
                del held[number]
        if ir.is_line(s, *_READS) and isinstance(s.kind, ir.Scalar | ir.NumPyScalar):
            array, place = s.value.args[:2]
            if written.isdisjoint(v.name for v in ir.value_variables(s.value)):
                held[s.target] = array, place
    return ir.as_block(lines, block)


@dataclass(frozen=True)
class _DeadZero:
    line: ir.Statement
    reads: tuple[ir.Statement, ...]
    """The elements that are read before they would be set to zero."""


def _dead_stores(function: ir.Function) -> Iterator[_DeadZero]:
    """The zeros that nothing reads."""
    if not any(_zeroed(s, function) for s in ir.walk(function.body)):
        return
    uses = ir.uses_in(function.body)
    parameters = set(function.parameters)

    def visit(block: ir.Block) -> Iterator[_DeadZero]:
        for place, s in enumerate(block):
            for inner in ir.blocks_of(s):
                yield from visit(inner)
            if not isinstance(s, ir.For):
                continue
            for line in s.body:
                name = _zeroed(line, function)
                if name is None or name in parameters:
                    continue
                reads = _reads_in_turn(s, line, name)
                if reads is None:
                    continue
                places = [*uses.readers[name], *uses.definitions[name]]
                if _unread_elsewhere(block, place, s, name, places):
                    yield _DeadZero(line, reads)

    yield from visit(function.body)


def _zeroed(s: ir.Statement, function: ir.Function) -> str | None:
    """The array of which a derived line sets one element to zero."""
    match s:
        case ir.Assign(
            target=ir.Var(name=name),
            value=ir.Apply(function=known, args=(ir.Var(name=array), index, zero)),
            derived=True,
        ) if known is ops.stored and name == array and zero == ir.Const(0.0):
            kind = ir.array_kind(ir.Var(name), function.kinds)
            if kind is None or kind.axes is None:
                return None
            items = index.items if isinstance(index, ir.Pack) else (index,)
            if len(items) == len(kind.axes):
                if all(is_whole(item, function.kinds) for item in items):
                    return name
    return None


def _reads_in_turn(
    loop: ir.For, line: ir.Statement, name: str
) -> tuple[ir.Statement, ...] | None:
    """The lines of a turn that read the element before it is set to zero; None where
    other turns may name that element, or read or write the array."""
    assert ir.is_line(line)
    index = line.value.args[1]
    written = {n for s in loop.body for n in ir.names_written_within(s)}
    items = index.items if isinstance(index, ir.Pack) else (index,)
    if loop.target not in items or loop.target.name in written:
        return None
    if not _counts_from_zero(loop):
        return None
    if any(isinstance(i, ir.Var) and i.name in written for i in items):
        return None
    reads: list[ir.Statement] = []
    before = True
    for s in loop.body:
        if s is line:
            before = False
        elif name in ir.names_written_within(s):
            return None
        elif name in ir.names_read_within(s):
            if not before or _element_read(s, name) != index:
                return None
            reads.append(s)
    return tuple(reads)


def _counts_from_zero(loop: ir.For) -> bool:
    """True where no number of a loop is below 0: it names another element each time."""
    start, step = loop.start, loop.step
    if not ir.is_whole_number(start, {}) or not ir.is_whole_number(step, {}):
        return False
    return start.value >= 0 and step.value > 0  # type: ignore[union-attr]


def _element_read(s: ir.Statement, name: str) -> ir.Operand | None:
    """The index of the element of an array that a line reads."""
    if not ir.is_line(s, *_READS):
        return None
    array, index = s.value.args
    return index if array == ir.Var(name) else None


def _unread_elsewhere(
    block: ir.Block, place: int, loop: ir.For, name: str, places: list[ir.Statement]
) -> bool:
    """True where the block in which the loop stands makes the array in front of it, and
    behind the loop only elements are read where it hasn't been."""
    made = [
        k
        for k, s in enumerate(block[:place])
        if isinstance(s, ir.Assign) and name in ir.names_written(s) - ir.names_read(s)
    ]
    if not made:
        return False
    own = {id(s) for s in ir.walk(block[made[-1] : place + 1])}
    behind = {id(s) for s in block[place + 1 :]}
    return all(
        id(s) in own or (id(s) in behind and _reads_beside(s, name, loop))
        for s in places
    )


def _reads_beside(s: ir.Statement, name: str, loop: ir.For) -> bool:
    """True for reading the shape of an array, or an element that a loop over its
    elements doesn't come to."""
    if name in ir.names_written(s):
        return False
    if ir.is_line(s, *SHAPE_QUERIES):
        return True
    index = _element_read(s, name)
    assert isinstance(loop.start, ir.Const)
    if not isinstance(index, ir.Const) or type(index.value) is not int:
        return False
    return 0 <= index.value < loop.start.value
