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

from s2sad import ir

Flags = frozenset[str]


def flags_before_branches(body: ir.Block, flags: Flags) -> Mapping[int, Flags]:
    """For each branch, by identity: the flags that may be true in front of it.

    >>> done = ir.Assign(None, ir.Var("done"), ir.Const(True))
    >>> first, second = (ir.If(None, ir.Var(c), (done,), ()) for c in ("c", "d"))
    >>> inner = ir.If(
    ...     None, ir.Var("done"), (), (ir.If(None, ir.Var("e"), (done,), ()),)
    ... )
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

    def block(self, block: ir.Block, true: Flags) -> Flags:
        """The flags that may be true behind a block."""
        for s in block:
            true = self.statement(s, true)
        return true

    def statement(self, s: ir.Statement, true: Flags) -> Flags:
        match s:
            case ir.If():
                self.before[id(s)] = self.before.get(id(s), frozenset()) | true
                tested = self.tested(s.test)
                body = self.block(s.body, true)
                return body | self.block(s.orelse, true - tested)
            case ir.For() | ir.While():
                return self.loop(s, true)
            case ir.Try():
                return self.attempt(s, true)
            case ir.With():
                end = self.block(s.body, true)
                return end | true | self.set_in(s.body) if s.swallows else end
        written = {v.name for v in ir.direct_writes(s)} & self.flags
        if isinstance(s, ir.Assign) and s.value == ir.Const(False):
            return true - written
        return true | written

    def loop(self, s: ir.For | ir.While, true: Flags) -> Flags:
        while True:
            start = true - self.tested(s.until)  # another iteration is run
            if isinstance(s, ir.While):
                start = self.block(s.condition, start)
            more = true | start | self.block(s.body, start)
            if more == true:
                return true
            true = more

    def attempt(self, s: ir.Try, true: Flags) -> Flags:
        raised = true | self.set_in(s.body)
        end = self.block(s.orelse, self.block(s.body, true))
        for handler in s.handlers:
            end |= self.block(handler.body, raised)
        if not s.final:
            return end
        return self.block(s.final, end | true | self.set_in((s,)))

    def tested(self, test: ir.Operand | None) -> Flags:
        return self.flags & {test.name} if isinstance(test, ir.Var) else frozenset()

    def set_in(self, block: ir.Block) -> Flags:
        written = {v.name for s in ir.walk(block) for v in ir.direct_writes(s)}
        return self.flags & written
