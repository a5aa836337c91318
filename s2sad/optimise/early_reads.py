"""Early reads: what reads a part of a buffer is computed before the buffer changes, so
that the buffer needn't be copied for it.

::

    g = getitem(u.bar, 1:-1)                      g = getitem(u.bar, 1:-1)
    u.bar~2 = index_add(u.bar, 2:, t)     ->      p = mul(c, g)
    p = mul(c, g)                                 u.bar~2 = index_add(u.bar, 2:, t)

Only lines that rules wrote are moved.
"""

import operator
from collections import Counter
from dataclasses import replace
from typing import TypeGuard

from s2sad import ir, ops
from s2sad.analysis.passes.purity import is_pure


def read_parts_early(function: ir.Function) -> ir.Function:
    """The function with reads of parts before the writes that follow.

    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> vector = ir.Array("float64", (ir.Axis("many", "n"),))
    >>> def line(name, function, *args):
    ...     return ir.Assign(None, ir.Var(name), ir.Apply(function, args), vector, True)
    >>> body = (
    ...     line("g", operator.getitem, ir.Var("b"), ir.Const(Ellipsis)),
    ...     line(
    ...         "c",
    ...         ops.index_add,
    ...         ir.Var("b"),
    ...         ir.Const(Ellipsis),
    ...         ir.Var("t"),
    ...         ir.Const(False),
    ...     ),
    ...     line("p", operator.neg, ir.Var("g")),
    ...     line(
    ...         "d",
    ...         ops.index_add,
    ...         ir.Var("c"),
    ...         ir.Const(Ellipsis),
    ...         ir.Var("p"),
    ...         ir.Const(False),
    ...     ),
    ...     ir.Return(None, ir.Var("d")),
    ... )
    >>> function = ir.Function("f", ("b", "t"), body, dict.fromkeys("bgcpdt", vector))
    >>> print(ir.function_text(read_parts_early(function)))
    def f(b: float64[n], t: float64[n]):
        g = getitem(b, Ellipsis)  # float64[n]
        p = neg(g)  # float64[n]
        c = index_add(b, Ellipsis, t, False)  # float64[n]
        d = index_add(c, Ellipsis, p, False)  # float64[n]
        return d
    """
    writes = ir.uses_in(function.body).writes

    def changed(block: ir.Block) -> ir.Block:
        inner = tuple(ir.with_blocks(s, changed) for s in block)
        return ir.as_block(_Reordered(inner, writes).statements(), block)

    return ir.altered(function, body=changed(function.body))


class _Reordered:
    def __init__(self, block: ir.Block, writes: Counter[str]) -> None:
        self.block, self.writes = block, writes
        self.assigned: dict[str, list[int]] = {}
        """The places in the block that assign a variable."""
        self.readers: dict[str, list[int]] = {}
        self.moved: dict[int, list[int]] = {}
        """By place of a write: the places of the lines that move in front of it."""

    def statements(self) -> list[ir.Statement]:
        parts = self._parts()
        if not parts:
            return list(self.block)
        for place, s in enumerate(self.block):
            for name in ir.names_written_within(s):
                self.assigned.setdefault(name, []).append(place)
            for name in ir.names_read_within(s):
                self.readers.setdefault(name, []).append(place)
        taken: set[int] = set()
        for part, buffer in parts.items():
            self._move_readers(part, buffer, taken)
        if not taken:
            return list(self.block)
        result: list[ir.Statement] = []
        for place, s in enumerate(self.block):
            for k in sorted(self.moved.get(place, ())):
                result.append(replace(self.block[k], span=s.span))
            if place not in taken:
                result.append(s)
        return result

    def _parts(self) -> dict[str, str]:
        """The variables that are parts of buffers which the block writes into."""
        buffers = {s.value.args[0] for s in self.block if _is_write(s)}
        return {
            s.target.name: str(s.value.args[0])
            for s in self.block
            if ir.is_line(s, operator.getitem)
            and isinstance(s.kind, ir.Array)
            and isinstance(s.value.args[0], ir.Var)
            and s.value.args[0] in buffers
            and self.writes[s.target.name] == 1
        }

    def _move_readers(self, part: str, buffer: str, taken: set[int]) -> None:
        """Move all lines that read a part behind the first write, if all can move."""
        (made,) = self.assigned[part]
        write = next(
            (
                place
                for place, s in enumerate(self.block)
                if place > made and _is_write(s) and str(s.value.args[0]) == buffer
            ),
            None,
        )
        if write is None:
            return
        moving: set[int] = set()
        for place in self.readers.get(part, []):
            if place > write and place not in taken:
                if not self._may_move(place, write, moving):
                    return
        if moving and not moving & taken:
            self.moved.setdefault(write, []).extend(moving)
            taken |= moving

    def _may_move(self, place: int, write: int, moving: set[int]) -> bool:
        """True where a line can be run before a write; ``moving`` gets its place and
        those of the lines it needs."""
        if place in moving:
            return True
        s = self.block[place]
        if not ir.is_line(s) or not s.derived or not is_pure(s.value.function):
            return False
        if _is_write(s) or self.writes[s.target.name] != 1:
            return False
        for name in ir.names_read(s):
            between = [k for k in self.assigned.get(name, []) if write <= k < place]
            if len(between) > 1:
                return False
            if between and not self._may_move(between[0], write, moving):
                return False
        moving.add(place)
        return True


def _is_write(s: ir.Statement) -> TypeGuard[ir.Line]:
    return ir.is_line(s, *ops.WRITES) and isinstance(s.value.args[0], ir.Var)
