"""Heap lengths: how long a list is at each place of a program that only appends to it.

Takes a block with appends to one list, whatever their kinds say; gives one in which two
of the list's values have the same symbol only where they are equally long::

    a = appended(a, x)   # [n + 1]
    for ...:             # [m], another one in each iteration
        a = appended(a, y)   # [m + 1]
    use(a)               # [m]
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from s2sad.ir.kinds import Axis, List, Passing, longer_by
from s2sad.ir.nodes import COMPOUND, Assign, Block, For, If, Statement, Var, While
from s2sad.ir.walking import blocks_of, direct_writes, rebuilt, walk


def with_lengths(spec: Any, block: Block, name: str, kind: List) -> Block:
    """The block with the kinds of all appends to ``name``, which is a list of ``kind``
    before it."""
    return _Lengths(spec, name, kind).block(block, kind.axis)[0]


class _Lengths:
    def __init__(self, spec: Any, name: str, kind: List) -> None:
        self.spec, self.name, self.kind = spec, name, kind

    def block(self, block: Block, axis: Axis) -> tuple[Block, Axis]:
        """A block, and the list's axis behind it."""
        lines: list[Statement] = []
        for s in block:
            s, axis = self.statement(s, axis)
            lines.append(s)
        return tuple(lines), axis

    def statement(self, s: Statement, axis: Axis) -> tuple[Statement, Axis]:
        if not isinstance(s, COMPOUND):
            if isinstance(s, Assign) and s.target == Var(self.name):
                axis = Axis("any", longer_by(axis.symbol, 1))
                s = replace(s, kind=replace(self.kind, axis=axis))
            return s, axis
        if not self._grows(s):
            return s, axis
        if isinstance(s, If):
            body, first = self.block(s.body, axis)
            orelse, second = self.block(s.orelse, axis)
            known = first if first == second else self._unknown()
            return replace(s, body=body, orelse=orelse), known
        if isinstance(s, For | While):
            head = self._unknown()
            kinds = {**(s.head_kinds or {}), self.name: replace(self.kind, axis=head)}
            s = replace(s, head_kinds=kinds)
            axis, blocks = head, []
            for inner in blocks_of(s):
                inner, axis = self.block(inner, axis)
                blocks.append(inner)
            # a test stands behind what the condition appends
            return rebuilt(s, blocks), head if isinstance(s, For) else self._unknown()
        blocks = [self.block(inner, self._unknown())[0] for inner in blocks_of(s)]
        return rebuilt(s, blocks), self._unknown()

    def _grows(self, s: Statement) -> bool:
        return any(
            v.name == self.name for inner in walk((s,)) for v in direct_writes(inner)
        )

    def _unknown(self) -> Axis:
        return Axis("any", Passing(self.spec.fresh_owner("list")))
