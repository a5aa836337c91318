"""Flags of jumps: which may be true where a branch starts.

A branch that sets a flag may be told from the other by it in the reverse sweep, if the
flag is false before::

    if c:                                  if flag:
        flag = True          ->                flag = False
    else:                                  else:
        x = mul(2.0, x)                        x.bar = mul(2.0, x.bar)
"""

from __future__ import annotations

from collections.abc import Mapping

from s2sad.ir.nodes import (
    Assign,
    Block,
    Const,
    For,
    If,
    Operand,
    Statement,
    Try,
    Var,
    While,
    With,
)
from s2sad.ir.walking import direct_writes, walk

Flags = frozenset[str]


def flags_before_branches(body: Block, flags: Flags) -> Mapping[int, Flags]:
    """For each branch, by identity: the flags that may be true in front of it.

    >>> done = Assign(None, Var("done"), Const(True))
    >>> first, second = (If(None, Var(c), (done,), ()) for c in ("c", "d"))
    >>> inner = If(None, Var("done"), (), (If(None, Var("e"), (done,), ()),))
    >>> before = flags_before_branches((first, inner, second), frozenset({"done"}))
    >>> [sorted(before[id(s)]) for s in (first, inner, inner.orelse[0], second)]
    [[], ['done'], [], ['done']]
    """
    followed = _Followed(flags)
    if flags:
        followed.block(body, frozenset())
    return followed.before


class _Followed:
    def __init__(self, flags: Flags) -> None:
        self.flags = flags
        self.before: dict[int, Flags] = {}

    def block(self, block: Block, true: Flags) -> Flags:
        """The flags that may be true behind a block."""
        for s in block:
            true = self.statement(s, true)
        return true

    def statement(self, s: Statement, true: Flags) -> Flags:
        match s:
            case If():
                self.before[id(s)] = self.before.get(id(s), frozenset()) | true
                tested = self.tested(s.test)
                body = self.block(s.body, true)
                return body | self.block(s.orelse, true - tested)
            case For() | While():
                return self.loop(s, true)
            case Try():
                return self.attempt(s, true)
            case With():
                end = self.block(s.body, true)
                return end | true | self.set_in(s.body) if s.swallows else end
        written = {v.name for v in direct_writes(s)} & self.flags
        if isinstance(s, Assign) and s.value == Const(False):
            return true - written
        return true | written

    def loop(self, s: For | While, true: Flags) -> Flags:
        while True:
            start = true - self.tested(s.until)  # another iteration is run
            if isinstance(s, While):
                start = self.block(s.condition, start)
            more = true | start | self.block(s.body, start)
            if more == true:
                return true
            true = more

    def attempt(self, s: Try, true: Flags) -> Flags:
        raised = true | self.set_in(s.body)
        end = self.block(s.orelse, self.block(s.body, true))
        for handler in s.handlers:
            end |= self.block(handler.body, raised)
        if not s.final:
            return end
        return self.block(s.final, end | true | self.set_in((s,)))

    def tested(self, test: Operand | None) -> Flags:
        return self.flags & {test.name} if isinstance(test, Var) else frozenset()

    def set_in(self, block: Block) -> Flags:
        written = {v.name for s in walk(block) for v in direct_writes(s)}
        return self.flags & written
