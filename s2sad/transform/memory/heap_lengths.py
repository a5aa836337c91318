"""Heap lengths: how long a list is at each place of a program that only appends to it.

Takes a block with appends to one list, whatever their kinds say; gives one in which two
of the list's values have the same symbol only where they are equally long::

    a = appended(a, x)   # [n + 1]
    for ...:             # [m], another one in each iteration
        a = appended(a, y)   # [m + 1]
    use(a)               # [m]
"""

from dataclasses import replace

from s2sad import ir
from s2sad.frontend.specialise.core.specialiser import Specialiser


def with_lengths(
    spec: Specialiser, block: ir.Block, name: str, kind: ir.List
) -> ir.Block:
    """The block with the kinds of all appends to ``name``, which is a list of ``kind``
    before it."""
    return _Lengths(spec, name, kind).block(block, kind.axis)[0]


class _Lengths:
    def __init__(self, spec: Specialiser, name: str, kind: ir.List) -> None:
        self.spec, self.name, self.kind = spec, name, kind

    def block(self, block: ir.Block, axis: ir.Axis) -> tuple[ir.Block, ir.Axis]:
        """A block, and the list's axis behind it."""
        lines: list[ir.Statement] = []
        for s in block:
            s, axis = self.statement(s, axis)
            lines.append(s)
        return tuple(lines), axis

    def statement(self, s: ir.Statement, axis: ir.Axis) -> tuple[ir.Statement, ir.Axis]:
        if not isinstance(s, ir.COMPOUND):
            if isinstance(s, ir.Assign) and s.target == ir.Var(self.name):
                axis = ir.Axis("any", ir.longer_by(axis.symbol, 1))
                s = replace(s, kind=replace(self.kind, axis=axis))
            return s, axis
        if not self._grows(s):
            return s, axis
        if isinstance(s, ir.If):
            body, first = self.block(s.body, axis)
            orelse, second = self.block(s.orelse, axis)
            known = first if first == second else self._unknown()
            return replace(s, body=body, orelse=orelse), known
        if isinstance(s, ir.Loop):
            head = self._unknown()
            kinds = {**(s.head_kinds or {}), self.name: replace(self.kind, axis=head)}
            s = replace(s, head_kinds=kinds)
            axis, blocks = head, []
            for inner in ir.blocks_of(s):
                inner, axis = self.block(inner, axis)
                blocks.append(inner)
            # a test stands behind what the condition appends
            behind = head if isinstance(s, ir.For) else self._unknown()
            return ir.rebuilt(s, blocks), behind
        blocks = [self.block(inner, self._unknown())[0] for inner in ir.blocks_of(s)]
        return ir.rebuilt(s, blocks), self._unknown()

    def _grows(self, s: ir.Statement) -> bool:
        return self.name in ir.names_written_within(s)

    def _unknown(self) -> ir.Axis:
        return ir.Axis("any", ir.Passing(self.spec.fresh_owner("list")))
