"""Flags of jumps: which may be true where a branch starts.

A branch that sets a flag may be told from the other by it in the reverse sweep, if the
flag is false before::

    if c:                                  if flag:
        flag = True          ->                flag = False
    else:                                  else:
        x = mul(2.0, x)                        x.bar = mul(2.0, x.bar)
"""

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
        if isinstance(s, ir.If):
            self.before[id(s)] = self.before.get(id(s), frozenset()) | true
        if isinstance(s, ir.COMPOUND):
            end = ir.follow(s, true, self.region, frozenset.union, self.raised)
            return true if end is None else end
        written = self.flags & ir.names_written(s)
        if isinstance(s, ir.Assign) and s.value == ir.Const(False):
            return true - written
        return true | written

    def region(self, region: ir.Region, true: Flags) -> Flags:
        tested = {v.name for v in ir.operand_variables(region.unless)}
        return self.block(region.block, true - tested)

    def raised(self, region: ir.Region, true: Flags) -> Flags:
        return true | self.flags & ir.names_written_in(region.block)
