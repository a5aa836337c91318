"""Checkpoints: what the reverse sweep computes again instead of keeping it.

Takes the plans of regions (:mod:`s2sad.ir.checkpoints`) and puts outlined regions
(:mod:`s2sad.transform.programs.outlined_regions`) in their place. A block is simply
run again, keeping what its reverse needs, under names of its own::

    y = f(x)        reverse:   h~2 = ...; y~2 = ...        forward, with values kept
                               h.bar = ...; x.bar = ...    its reverse

Loops: :mod:`s2sad.transform.programs.checkpointed_loops`.
"""

from s2sad import ir
from s2sad.analysis.reverse.costs import Costs
from s2sad.analysis.reverse.recorded import has_reverse
from s2sad.frontend.specialise import core
from s2sad.transform.programs import outlined_regions
from s2sad.transform.programs.checkpointed_loops import CheckpointedLoop
from s2sad.transform.reverse.repeated_blocks import RepeatedBlocks
from s2sad.transform.reverse.repetition import free, quiet, refused, renamed
from s2sad.transform.reverse.reverse import ReverseMode


def outline(
    plans: ir.BlockPlan, mode: ReverseMode, costs: Costs, recompute: bool
) -> None:
    """Put outlined regions in place of the regions in some plans. What can't be
    computed again is reported."""
    _Sealing(mode, costs, recompute).block(plans)


class _Sealing(RepeatedBlocks):
    def block(self, plan: ir.BlockPlan) -> None:
        """The regions of a block, inner ones first."""
        result: list[ir.Plan] = []
        for inner in plan.plans:
            for block in inner.blocks:
                self.block(block)
            if not ir.is_region(inner.statement) or not has_reverse(inner):
                result.append(inner)
                continue
            try:
                result += self.region(inner)
            except core.Unsupported as problem:
                self.spec.report_at(problem, inner.statement.span)
        plan.plans = result

    def region(self, plan: ir.Plan) -> list[ir.Plan]:
        """The plans in place of a region's."""
        statement, (inner,) = plan.statement, plan.blocks
        assert isinstance(statement, ir.With) and isinstance(statement.value, ir.Apply)
        for problem, at in refused(statement.body):
            self.spec.report_at(problem, at.span)
        self._refuse_references(statement)
        if not statement.value.args:
            return [self.repeated_block(statement, inner)]
        (snapshots,) = statement.value.args
        places = [
            k for k, p in enumerate(inner.plans) if isinstance(p.statement, ir.Loop)
        ]
        assert len(places) == 1 and not inner.entry, "a region holds one loop"
        place = places[0]
        before, loop, behind = (
            inner.plans[:place],
            inner.plans[place],
            inner.plans[place + 1 :],
        )
        at_end = ir.Plan(self.nothing(), loop.before)
        outlined = CheckpointedLoop(self, statement, loop, snapshots).plan()
        return [*before, outlined, at_end, *behind]

    def _refuse_references(self, region: ir.With) -> None:
        """Refuse references that a region hands to its next iteration or to what comes
        behind it: their adjoints aren't among what is computed again."""
        inside = {id(s) for s in ir.walk(region.body)}
        outside = (s for s in ir.walk(self.mode.function.body) if id(s) not in inside)
        handed = {name for s in outside for name in ir.names_read(s)}
        loops = tuple(s for s in region.body if isinstance(s, ir.Loop))
        handed |= free(loops)
        for s in ir.walk(region.body):
            names = ir.names_written(s) & self.mode.active & handed
            if any(ir.is_of_references(self.kinds.get(name)) for name in names):
                problem = core.Unsupported(
                    "a list, dict or object is bound under checkpoint and read in "
                    "another iteration or behind it",
                    "bind its place or its key, and look it up where it is read",
                )
                self.spec.report_at(problem, s.span)

    def repeated_block(self, statement: ir.With, inner: ir.BlockPlan) -> ir.Plan:
        """A block that is run again before its reverse."""
        ahead, back, starts = self.assembled(inner, statement.body)
        names = self.new_names(ir.names_written_in(ahead) | set(starts.values()))
        copies = [self.copy(names[start], n) for n, start in starts.items()]
        reverse = (*copies, *renamed(quiet((*ahead, *back)), names))
        bound = self.mode.assigned.before[id(statement)]
        unbound = (name for name in starts if name not in bound)
        outlined = outlined_regions.OutlinedRegion(
            outlined_regions.plain(statement.body), unbound=unbound
        )
        return outlined_regions.outlined_plan(statement.span, outlined, reverse, starts)
