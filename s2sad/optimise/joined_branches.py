"""Joined branches: what is computed under a condition for the reverse sweep moves to
the lines there that stand under the same condition.

::

    if c:                              t = mul(y, y)
        a = getitem(x, k)              if c:
    t = mul(y, y)             ->           a = getitem(x, k)
    if c:                                  x.bar = mul(t, a)
        x.bar = mul(t, a)

Only branches of derived lines are moved.
"""

from __future__ import annotations

from dataclasses import replace

from s2sad.analysis.passes.purity import is_pure
from s2sad.ir.nodes import Apply, Assign, Block, Function, Global, If, Statement, Var
from s2sad.ir.walking import (
    as_block,
    names_read_within,
    names_written_within,
    walk,
    with_blocks,
)


def join_branches(function: Function) -> Function:
    """The function with derived branches under one condition joined.

    >>> import operator
    >>> from s2sad.ir.kinds import FLOAT
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> def line(name, function, *args):
    ...     value = Apply(function, tuple(map(Var, args)))
    ...     return Assign(None, Var(name), value, FLOAT, True)
    >>> body = (
    ...     If(None, Var("c"), (line("a", operator.neg, "x"),), ()),
    ...     line("t", operator.neg, "y"),
    ...     If(None, Var("c"), (line("b", operator.mul, "t", "a"),), ()),
    ...     Return(None, Var("t")),
    ... )
    >>> function = Function("f", ("x", "y", "c"), body, dict.fromkeys("xytab", FLOAT))
    >>> print(function_text(join_branches(function)))
    def f(x: float, y: float, c: ?):
        t = neg(y)  # float
        if c:
            a = neg(x)  # float
            b = mul(t, a)  # float
        return t
    """
    if sum(isinstance(s, If) for s in walk(function.body)) < 2:
        return function
    body = _block(function.body)
    return function if body is function.body else replace(function, body=body)


def _block(block: Block) -> Block:
    lines: list[Statement | None] = [with_blocks(s, _block) for s in block]
    for place, s in enumerate(lines):
        if not isinstance(s, If) or not _may_move(s):
            continue
        later = _same_condition(lines, place)
        if later is not None:
            other = lines[later]
            assert isinstance(other, If)
            lines[later] = replace(other, body=(*s.body, *other.body))
            lines[place] = None
    return as_block([s for s in lines if s is not None], block)


def _may_move(s: If) -> bool:
    """True for a branch of derived assignments without effects."""
    return (
        isinstance(s.test, Var)
        and bool(s.body)
        and not s.orelse
        and all(
            isinstance(line, Assign)
            and line.derived
            and not isinstance(line.value, Global)
            and (not isinstance(line.value, Apply) or is_pure(line.value.function))
            for line in s.body
        )
        and s.test.name not in names_written_within(s)
    )


def _same_condition(lines: list[Statement | None], place: int) -> int | None:
    """The place of the next branch of derived lines under the same condition, if what
    stands in between has nothing to do with the first."""
    first = lines[place]
    assert isinstance(first, If)
    written, read = names_written_within(first), names_read_within(first)
    for later in range(place + 1, len(lines)):
        s = lines[later]
        if s is None:
            continue
        if isinstance(s, If) and s.test == first.test:
            derived = all(isinstance(t, Assign) and t.derived for t in s.body[:1])
            return later if derived and s.body else None
        if names_read_within(s) & written or names_written_within(s) & (written | read):
            return None
    return None
