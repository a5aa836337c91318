"""Lines that paths end with where they meet, moved to where their operands are bound.

Where paths meet, each ends with lines that bring what it leaves into the variables that
the others use too (``cell_joins.py``, ``list_meetings.py``). Such lines stand in front
of loops and tries too, of which the body lets names hold something else. A path may
have come to its end by a jump, or through a branch that binds nothing: then there is
nothing to bring, and the lines belong into the branches that do::

    if c:                                 if c:
        if d:                                 if d:
            h = y                                 h = y
        else:                                     met = h
            returned = True       ->          else:
        met = h                                   returned = True
    else:                                 else:
        met = x                               met = x

Where a variable alone knows which branch was taken before (of which list, dict or
object a name means), there is no such place. What the line reads is None at first then;
nobody reads what is made of that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace

from s2sad import ir, ops
from s2sad.analysis.dataflow.assigned import assigned_variables

Names = frozenset[str]


def with_phi_copies_placed(
    function: ir.Function, met: Iterable[ir.Statement], carried: Iterable[str] = ()
) -> ir.Function:
    """The function with each of the lines ``met`` where what it reads is bound.
    ``carried`` are variables that an iteration may have from an earlier one.

    >>> moved = ir.Assign(None, ir.Var("met"), ir.Var("h"))
    >>> inner = ir.If(
    ...     None, ir.Var("d"), (ir.Assign(None, ir.Var("h"), ir.Const(2.0)),), ()
    ... )
    >>> other = ir.Assign(None, ir.Var("met"), ir.Const(1.0))
    >>> whole = ir.If(None, ir.Var("c"), (inner, moved), (other,))
    >>> before = ir.Function("f", ("c", "d"), (whole,), {"c": ir.FLOAT, "d": ir.FLOAT})
    >>> print(ir.function_text(with_phi_copies_placed(before, [moved])))
    def f(c: float, d: float):
        if c:
            if d:
                h = 2.0
                met = h
        else:
            met = 1.0
    """
    lines = frozenset(id(s) for s in met)
    if not any(id(s) in lines for s in ir.walk(function.body)):
        return function
    placing = _Placing(set(lines), frozenset(carried))
    read = ir.names_read_in(function.body)
    # what no line binds is there throughout
    outside = read - ir.names_written_in(function.body)
    start = outside | frozenset(function.parameters)
    body, _ = placing.block(function.body, _Bound(start, start))
    unbound = sorted(_read_unbound(body, placing.met, start) - placing.carried)
    none = tuple(ir.Assign(None, ir.Var(name), ir.Const(None)) for name in unbound)
    return replace(function, body=(*none, *body))


def _read_unbound(body: ir.Block, met: Set[int], start: Names) -> set[str]:
    """What lines that paths end with read to make something else of it, and some path
    there doesn't bind."""
    assigned = assigned_variables(body, start).before
    return {
        name
        for s in ir.walk(body)
        if id(s) in met and id(s) in assigned
        if isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply)
        for name in ir.names_read(s)
        if name not in assigned[id(s)]
    }


@dataclass(frozen=True)
class _Bound:
    """The variables that have a value at a place."""

    surely: Names
    possibly: Names
    """On some path, what earlier iterations of a loop left not counted."""
    reached: bool = True

    def __or__(self, names: Names) -> _Bound:
        return _Bound(self.surely | names, self.possibly | names, self.reached)

    def __and__(self, other: _Bound) -> _Bound:
        """Where two paths meet."""
        if not (self.reached and other.reached):
            return self if self.reached else other
        return _Bound(self.surely & other.surely, self.possibly | other.possibly)

    def perhaps(self, names: Names) -> _Bound:
        """Behind what may have bound names."""
        return _Bound(self.surely, self.possibly | names, self.reached)


Lines = list[tuple[ir.Statement, _Bound]]
"""Statements, each with what is bound before it."""


@dataclass(frozen=True)
class _Placing:
    """Places the lines of one function."""

    met: set[int]
    """By identity; those of their copies are added."""
    carried: Names

    # ---------------------------------------------------------------- what is bound

    def block(self, block: ir.Block, bound: _Bound) -> tuple[ir.Block, _Bound]:
        """The block with its lines placed, and what is bound behind it."""
        lines, bound = self.lines(block, bound)
        return ir.as_block([s for s, _ in lines], block), bound

    def lines(
        self, block: Iterable[ir.Statement], bound: _Bound
    ) -> tuple[Lines, _Bound]:
        lines: Lines = []
        for s in block:
            moved = self.moved(lines, s, bound) if id(s) in self.met else None
            if moved is None:
                s, after = self.statement(s, bound)
                moved = [*lines, (s, bound)], after
            lines, bound = moved
        return lines, bound

    def statement(self, s: ir.Statement, bound: _Bound) -> tuple[ir.Statement, _Bound]:
        """A statement with the lines in it placed, and what is bound behind it."""
        if isinstance(s, ir.Try):
            return self.attempt(s, bound)
        if type(s) not in ir.COMPOUND:
            if ops.never_returns(s):
                return s, replace(bound, reached=False)
            return s, bound | ir.names_written(s)
        blocks: list[ir.Block] = []

        def run(region: ir.Region, start: _Bound) -> _Bound:
            if region.heads:
                start = start.perhaps(self.carried) | ir.names_written(s)
            block, end = self.block(region.block, start)
            blocks.append(block)
            return end

        behind = ir.follow(s, bound, run, _Bound.__and__, _raised, again=False)
        return ir.rebuilt(s, blocks), behind or bound

    def attempt(self, s: ir.Try, bound: _Bound) -> tuple[ir.Statement, _Bound]:
        raised = bound.perhaps(ir.names_written_in(s.body))
        inside, end = self.lines(s.body, bound)
        orelse: ir.Block = ()
        for line in s.orelse:
            moved = None
            if id(line) in self.met and not _depends(line, orelse):
                moved = self.into_body(s, inside, line, end)
            if moved is None:
                orelse += (line,)
            else:
                inside, end = moved
        body = ir.as_block([inner for inner, _ in inside], s.body)
        orelse, end = self.block(ir.as_block(orelse, s.orelse), end)
        handlers = []
        for handler in s.handlers:
            block, other = self.block(handler.body, raised)
            handlers.append(block)
            end &= other
        before = bound.perhaps(ir.names_written_within(s))
        final, last = self.block(s.final, before)
        whole = ir.rebuilt(s, (body, *handlers, orelse, final))
        return whole, end | (last.surely - bound.surely)

    # ---------------------------------------------------------------- placing

    def moved(
        self, lines: Lines, line: ir.Statement, bound: _Bound
    ) -> tuple[Lines, _Bound] | None:
        """The statements before a line with the line in them; None where it stays
        behind them."""
        place = _place_of(line, [s for s, _ in lines], bound)
        if place is None:
            return None
        s, before = lines[place]
        changed = self.with_line(s, line, before)
        if changed is None:
            return None
        behind, bound = self.lines(
            [changed, *(s for s, _ in lines[place + 1 :])], before
        )
        return lines[:place] + behind, bound

    def with_line(
        self, s: ir.Statement, line: ir.Statement, bound: _Bound
    ) -> ir.Statement | None:
        """A statement with a line in those of its branches that bind what the line
        reads; None for statements that have no branches."""
        match s:
            case ir.If():
                ends = [self.ended(b, line, bound) for b in (s.body, s.orelse)]
                return ir.rebuilt(s, ends)
            case ir.Try(handlers=(_, *_)) if not _depends(line, s.final):
                raised = bound.perhaps(ir.names_written_in(s.body))
                handlers = [self.ended(h.body, line, raised) for h in s.handlers]
                body, orelse = s.body, s.orelse
                inside, end = self.lines(body, bound)
                moved = None
                if not _depends(line, orelse):
                    moved = self.into_body(s, inside, line, end)
                if moved is not None:
                    body = tuple(inner for inner, _ in moved[0])
                else:
                    orelse = self.ended(orelse, line, end)
                return ir.rebuilt(s, (body, *handlers, orelse, s.final))
        return None

    def into_body(
        self, s: ir.Try, lines: Lines, line: ir.Statement, bound: _Bound
    ) -> tuple[Lines, _Bound] | None:
        """The statements of the body of a try with a line in them that is run behind
        it; None where it can't be. Nothing that handles what is raised may see it."""
        seen = (*(h.body for h in s.handlers), s.final)
        if any(ir.names_written_within(line) & _exposed(block) for block in seen):
            return None
        return self.moved(lines, line, bound)

    def ended(self, block: ir.Block, line: ir.Statement, bound: _Bound) -> ir.Block:
        """A branch that ends with a line, if what the line reads is bound there."""
        lines, end = self.lines(block, bound)
        missing = ir.names_read(line) - end.surely
        if not end.reached or missing - end.possibly:
            return block
        moved = self.moved(lines, line, end) if missing else None
        if moved is not None:
            return tuple(s for s, _ in moved[0])
        (copy,) = ir.copied((line,))
        self.met.add(id(copy))
        return (*block, copy)


def _raised(region: ir.Region, bound: _Bound) -> _Bound:
    """What is bound where something in a region was raised."""
    return bound.perhaps(ir.names_written_in(region.block))


def _place_of(
    line: ir.Statement, before: Sequence[ir.Statement], bound: _Bound
) -> int | None:
    """Which of the statements before a line binds what the line reads, on some paths
    alone; None where none does, or the line can't move to it."""
    missing = ir.names_read(line) - bound.surely
    for place in reversed(range(len(before) if missing else 0)):
        if ir.names_written_within(before[place]) & missing:
            return place
        if _depends(line, (before[place],)):
            return None
    return None


def _depends(line: ir.Statement, others: ir.Block) -> bool:
    """True where a line can't change places with others."""
    writes, theirs = ir.names_written_within(line), ir.names_written_in(others)
    reads = ir.names_read_in(others)
    return bool(writes & (theirs | reads) or ir.names_read_within(line) & theirs)


def _exposed(block: ir.Block) -> Names:
    """The variables that a block may read before it assigns them."""
    read: Names = frozenset()
    written: Names = frozenset()
    for s in block:
        read |= ir.names_read_within(s) - written
        written |= frozenset(v.name for v in ir.direct_writes(s))
    return read
