"""Named back: what is written into keeps its name, where a rule gives the new value
another for a while.

::

    t = without_row(b, -1)               b = without_row(b, -1)
    x.bar = part                   ->    x.bar = part
    b = t

Not seen in what a program computes; the emitter writes ``b.pop()`` for both.
"""

from dataclasses import replace
from typing import Any

from s2sad import ir


def with_names_back(function: ir.Function, writes: tuple[Any, ...]) -> ir.Function:
    """The function with the results of ``writes`` under the name of what they are
    written into.

    >>> from s2sad.ops.rows import without_row
    >>> shorter = ir.Assign(
    ...     None, ir.Var("t"), ir.Apply(without_row, (ir.Var("b"), ir.Var("k")))
    ... )
    >>> body = (shorter, ir.Assign(None, ir.Var("b"), ir.Var("t")))
    >>> function = ir.Function("f", ("b", "k"), body, {}, frozenset({"t"}))
    >>> print(ir.function_text(with_names_back(function, (without_row,))))
    def f(b: ?, k: ?):
        b = without_row(b, k)
    """
    uses = ir.uses_in(function.body)
    names = {n for n in function.temporaries if uses.reads[n] == uses.writes[n] == 1}

    def block(lines: ir.Block) -> ir.Block:
        result = [ir.with_blocks(s, block) for s in lines]
        for place, s in enumerate(result):
            if not ir.is_line(s, *writes) or s.target.name not in names:
                continue
            back = _named_back(result, place, s)
            if back is not None:
                result[place] = replace(s, target=s.value.args[0])  # type: ignore[arg-type]
                result[back] = _NOTHING
        return tuple(s for s in result if s is not _NOTHING)

    return replace(function, body=block(function.body))


_NOTHING = ir.Assign(None, ir.Var(""), ir.Var(""))


def _named_back(lines: list[ir.Statement], place: int, made: ir.Line) -> int | None:
    """The line that gives the result the name of the buffer, which nothing in between
    reads or writes."""
    buffer = made.value.args[0]
    if not isinstance(buffer, ir.Var) or buffer == made.target:
        return None
    for later in range(place + 1, len(lines)):
        line = lines[later]
        if isinstance(line, ir.Assign) and line.value == made.target:
            return later if line.target == buffer else None
        if buffer.name in ir.names_read_within(line) | ir.names_written_within(line):
            return None
    return None
