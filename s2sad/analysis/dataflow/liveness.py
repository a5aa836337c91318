"""Liveness: which variables are read later by something that matters.

Strong liveness: a read counts only if what it computes is itself live, so that a sum
which is carried through a loop and never returned keeps nothing alive. Source:
Giegerich, Moncke and Wilhelm, Invariance of approximative semantics with respect to
program transformations (1981), "faint variables".
"""

from collections.abc import Callable, Set

from s2sad import ir
from s2sad.analysis.dataflow import dataflow, name_sets

Live = name_sets.NameSet
_OF_STACKS = (ir.Save, ir.Restore)
_DECIDED_LATER = (*_OF_STACKS, *ir.COMPOUND)
"""Statements that are live because of others: in them, or of the same stack."""


class Liveness(dataflow.Analysis[Live]):
    """Facts are sets of names."""

    def __init__(
        self,
        must_run: Callable[[ir.Statement], bool],
        kept_stacks: set[str],
        attempted: frozenset[int] = frozenset(),
    ) -> None:
        self.attempted = attempted
        """Statements, by identity, for whose exceptions a handler waits."""
        self.must_run = must_run
        self.kept_stacks = kept_stacks
        """The stacks of which a restore is live. It grows while the program is followed
        backwards, from restores to saves."""
        self.dropped: dict[int, str] = {}
        """By identity of the saves and restores that aren't live, as far as the program
        was followed: their stacks."""
        self.live: set[int] = set()
        """The statements without blocks, by identity, that were live then."""

    def join(self, a: Live, b: Live) -> Live:
        return a | b

    def is_live(self, statement: ir.Statement, after: Set[str]) -> bool:
        """True where the statement can't be dropped, given what is live behind it."""
        if not after.isdisjoint(ir.names_written(statement)):
            return True
        if type(statement) in ir.COMPOUND:
            entered = isinstance(statement, ir.With) and not statement.reentered
            return entered or self.has_live(statement)
        if isinstance(statement, ir.Save | ir.Restore):
            kept = statement.stack.name in self.kept_stacks
            return kept or self.must_run(statement)
        if not isinstance(statement, ir.Assign):
            return True
        return self._runs_anyway(statement)

    def has_live(self, statement: ir.Statement) -> bool:
        """True where a compound statement holds anything live."""
        for block in ir.blocks_of(statement):
            for inner in block:
                if self.stays(inner):
                    return True
        return False

    def stays(self, statement: ir.Statement) -> bool:
        """True where a statement of the program that was followed can't be dropped."""
        if id(statement) in self.live:
            return True
        if type(statement) not in _DECIDED_LATER:
            return False
        after = self.facts.after.get(id(statement))
        return after is not None and self.is_live(statement, after)

    def leaf(self, statement: ir.Statement, fact: Live) -> Live:
        if type(statement) is ir.Assign:
            return self._assignment(statement, fact)
        live = self.is_live(statement, fact)
        if type(statement) in _OF_STACKS:
            self._note(statement, live, fact)  # type: ignore[arg-type]
        if not live:
            self.live.discard(id(statement))
            return fact
        self.live.add(id(statement))
        lost = () if type(statement) is ir.Save else ir.names_written(statement)
        return fact.replaced(lost, ir.names_read(statement))

    def _assignment(self, statement: ir.Assign, fact: Live) -> Live:
        """What is live in front of one; the sets are asked once for both answers."""
        read = ir.names_read(statement)
        before = fact.exchanged(ir.names_written(statement), read)
        if before is None:
            if not self._runs_anyway(statement):
                self.live.discard(id(statement))
                return fact
            before = fact.replaced((), read)
        self.live.add(id(statement))
        return before

    def _runs_anyway(self, statement: ir.Assign) -> bool:
        """True for an assignment that stays where nobody reads what it assigns."""
        attempted = id(statement) in self.attempted and ir.may_raise(statement)
        return attempted or self.must_run(statement)

    def _note(self, s: ir.Save | ir.Restore, live: bool, after: Live) -> None:
        if isinstance(s, ir.Restore) and s.target.name in after:
            self.kept_stacks.add(s.stack.name)
        if live:
            self.dropped.pop(id(s), None)
        else:
            self.dropped[id(s)] = s.stack.name

    def test(self, statement: ir.Statement, fact: Live) -> Live:
        counts = not fact.isdisjoint(ir.names_written(statement))
        if counts or self.has_live(statement):
            return fact | ir.names_read(statement)
        return fact

    def leaving(self, statement: ir.Statement, fact: Live) -> Live:
        until = getattr(statement, "until", None)
        counts = not fact.isdisjoint(ir.names_written(statement))
        if until is None or not (counts or self.has_live(statement)):
            return fact
        return fact.replaced((), (until.name,))

    def iteration(self, statement: ir.For, fact: Live) -> Live:
        return fact.replaced((statement.target.name,), ())


def live_variables(
    body: ir.Block,
    must_run: Callable[[ir.Statement], bool],
    at_exit: frozenset[str] = frozenset(),
) -> tuple[dataflow.Facts[Live], Liveness]:
    """Live variables around each statement; a stack of which one restore is live is
    live as a whole."""
    kept: set[str] = set()
    attempted = frozenset(
        id(inner)
        for s in ir.walk(body)
        if isinstance(s, ir.Try) and s.handlers
        for inner in ir.walk(s.body)
        if not getattr(inner, "derived", False)
    )
    names = name_sets.Names()
    end = names.set_of(at_exit)
    while True:
        analysis = Liveness(must_run, kept, attempted)
        facts = dataflow.solve_backward(body, end, analysis)
        if kept.isdisjoint(analysis.dropped.values()):
            return facts, analysis
