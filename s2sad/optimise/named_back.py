"""Named back: what is written into keeps its name, where a rule gives the new value
another for a while.

::

    t = without_row(b, -1)               b = without_row(b, -1)
    x.bar = part                   ->    x.bar = part
    b = t

Not seen in what a program computes; the emitter writes ``b.pop()`` for both.
"""

from __future__ import annotations

from collections import Counter
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
    reads = Counter(v.name for s in ir.walk(function.body) for v in ir.direct_reads(s))
    count = Counter(v.name for s in ir.walk(function.body) for v in ir.direct_writes(s))
    names = {name for name in function.temporaries if reads[name] == count[name] == 1}

    def block(lines: ir.Block) -> ir.Block:
        result = [ir.with_blocks(s, block) for s in lines]
        for place, s in enumerate(result):
            if not isinstance(s, ir.Assign) or not _writes(s, writes):
                continue
            back = _named_back(result, place) if str(s.target) in names else None
            if back is not None:
                assert isinstance(s.value, ir.Apply)
                result[place] = replace(s, target=s.value.args[0])  # type: ignore[arg-type]
                result[back] = _NOTHING
        return tuple(s for s in result if s is not _NOTHING)

    return replace(function, body=block(function.body))


_NOTHING = ir.Assign(None, ir.Var(""), ir.Var(""))


def _writes(s: ir.Assign, writes: tuple[Any, ...]) -> bool:
    return (
        isinstance(s.target, ir.Var)
        and isinstance(s.value, ir.Apply)
        and s.value.function in writes
        and isinstance(s.value.args[0], ir.Var)
        and s.value.args[0] != s.target
    )


def _named_back(lines: list[ir.Statement], place: int) -> int | None:
    """The line that gives the result the name of the buffer, which nothing in between
    reads or writes."""
    made = lines[place]
    assert isinstance(made, ir.Assign) and isinstance(made.value, ir.Apply)
    buffer = made.value.args[0]
    for later in range(place + 1, len(lines)):
        line = lines[later]
        if isinstance(line, ir.Assign) and line.value == made.target:
            return later if line.target == buffer else None
        for inner in ir.walk((line,)):
            if buffer in (*ir.direct_reads(inner), *ir.direct_writes(inner)):
                return None
    return None
