"""Reverse loops whose turns have nothing to do with each other but that they add to the
same numbers: they may as well run forwards, as the loops do that they reverse."""

from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.passes.purity import is_pure


def with_turns_forwards(function: ir.Function) -> ir.Function:
    """The program with such loops running forwards."""
    reads = ir.uses_in(function.body).reads

    def turned(s: ir.Statement) -> ir.Statement:
        s = ir.with_blocks(s, lambda block: tuple(map(turned, block)))
        if isinstance(s, ir.For) and s.backwards and _are_independent(s):
            own = ir.uses_in((s,)).reads
            written = ir.names_written_within(s)
            if all(reads[name] == own[name] for name in written):
                return replace(s, backwards=False)
        return s

    return replace(function, body=tuple(map(turned, function.body)))


def _are_independent(loop: ir.For) -> bool:
    """True where a turn reads nothing that another one assigns, and does nothing but
    add to slots of adjoints."""
    facts, _ = live_variables(loop.body, lambda s: True)
    written = ir.names_written_within(loop) - {loop.target.name}
    if loop.until is not None or not written.isdisjoint(facts.start or ()):
        return False
    for s in ir.walk(loop.body):
        if isinstance(s, ir.Save | ir.Restore | ir.Try | ir.While | ir.With):
            return False
        if isinstance(s, ir.Effect) and not _adds(s.value):
            return False
        applied = s.value if isinstance(s, ir.Assign) else None
        if isinstance(applied, ir.Apply) and not is_pure(applied.function):
            return False
    return True


def _adds(effect: ir.Apply) -> bool:
    function = effect.function
    alone = isinstance(function, ir.Procedure) and function.is_alone
    return alone or function in ops.ADDS_TO_SLOTS
