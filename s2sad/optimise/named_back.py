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

from s2sad.ir.nodes import Apply, Assign, Block, Function, Statement, Var
from s2sad.ir.walking import direct_reads, direct_writes, walk, with_blocks


def with_names_back(function: Function, writes: tuple[Any, ...]) -> Function:
    """The function with the results of ``writes`` under the name of what they are
    written into.

    >>> from s2sad.ir.text import function_text
    >>> from s2sad.ops.rows import without_row
    >>> shorter = Assign(None, Var("t"), Apply(without_row, (Var("b"), Var("k"))))
    >>> body = (shorter, Assign(None, Var("b"), Var("t")))
    >>> function = Function("f", ("b", "k"), body, {}, frozenset({"t"}))
    >>> print(function_text(with_names_back(function, (without_row,))))
    def f(b: ?, k: ?):
        b = without_row(b, k)
    """
    reads = Counter(v.name for s in walk(function.body) for v in direct_reads(s))
    count = Counter(v.name for s in walk(function.body) for v in direct_writes(s))
    names = {name for name in function.temporaries if reads[name] == count[name] == 1}

    def block(lines: Block) -> Block:
        result = [with_blocks(s, block) for s in lines]
        for place, s in enumerate(result):
            if not isinstance(s, Assign) or not _writes(s, writes):
                continue
            back = _named_back(result, place) if str(s.target) in names else None
            if back is not None:
                assert isinstance(s.value, Apply)
                result[place] = replace(s, target=s.value.args[0])  # type: ignore[arg-type]
                result[back] = _NOTHING
        return tuple(s for s in result if s is not _NOTHING)

    return replace(function, body=block(function.body))


_NOTHING = Assign(None, Var(""), Var(""))


def _writes(s: Assign, writes: tuple[Any, ...]) -> bool:
    return (
        isinstance(s.target, Var)
        and isinstance(s.value, Apply)
        and s.value.function in writes
        and isinstance(s.value.args[0], Var)
        and s.value.args[0] != s.target
    )


def _named_back(lines: list[Statement], place: int) -> int | None:
    """The line that gives the result the name of the buffer, which nothing in between
    reads or writes."""
    made = lines[place]
    assert isinstance(made, Assign) and isinstance(made.value, Apply)
    buffer = made.value.args[0]
    for later in range(place + 1, len(lines)):
        line = lines[later]
        if isinstance(line, Assign) and line.value == made.target:
            return later if line.target == buffer else None
        for inner in walk((line,)):
            if buffer in (*direct_reads(inner), *direct_writes(inner)):
                return None
    return None
