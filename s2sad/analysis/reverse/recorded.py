"""Recorded values: which values the reverse sweep reads after the program has
overwritten them.

Walks the plans in order of execution with the set of values that the reverse lines met
so far will read. An assignment to a variable in the set must keep the old value. A
variable that lives in one iteration of a loop is kept where the iteration ends. What is
cheaper to recompute than to keep is recomputed
(:mod:`s2sad.analysis.reverse.store_or_recompute`). Source: Hascoet, Naumann and
Pascual, "To be recorded" analysis in reverse-mode automatic differentiation (2005)."""

from collections.abc import Callable, Set
from dataclasses import dataclass, field

from s2sad import ir, ops
from s2sad.analysis.dataflow import common_dominators, dataflow
from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.dataflow.name_sets import Names, NameSet
from s2sad.analysis.passes.dead_code import must_run
from s2sad.analysis.reverse.costs import Costs, CostsOfKeeping
from s2sad.analysis.reverse.store_or_recompute import Read, StoreOrRecompute


@dataclass
class Recorded:
    """What has to be kept, and what is recomputed."""

    overwritten: dict[int, list[str]] = field(default_factory=dict)
    """By identity of a statement: variables whose old value is kept before it."""
    at_end: dict[int, list[str]] = field(default_factory=dict)
    """By identity of a BlockPlan: variables whose value is kept at the end of the
    block."""
    undone: dict[int, str] = field(default_factory=dict)
    """By identity of a store into an array: the array, of which the reverse sweep puts
    the overwritten part back."""
    recomputed: set[str] = field(default_factory=set)
    """Variables that the reverse sweep recomputes from their equations."""

    def is_reversed(self, plan: ir.Plan) -> bool:
        """True where the reverse sweep runs something for a statement: its lines, or
        what brings back values that it overwrites."""
        return has_reverse(plan) or self._keeps(plan)

    def _keeps(self, plan: ir.Plan) -> bool:
        return any(
            self.at_end.get(id(block))
            or any(
                self.overwritten.get(id(inner.statement))
                or id(inner.statement) in self.undone
                or self._keeps(inner)
                for inner in block.plans
            )
            for block in plan.blocks
        )

    def saved(self) -> set[str]:
        """All variables that are kept somewhere."""
        kept = [*self.overwritten.values(), *self.at_end.values()]
        return {name for names in kept for name in names}


class RecordedValues:
    """The analysis; ``solve`` runs it."""

    def __init__(
        self,
        plans: ir.BlockPlan,
        forward: ir.Block,
        parameters: tuple[str, ...],
        costs: Costs,
        recompute: bool,
        wanted: frozenset[str] | None = None,
    ) -> None:
        """``wanted`` are the variables that somebody reads behind the forward sweep;
        None: nothing that the program computes is left out of it."""
        self.forward, self.wanted = forward, wanted
        self.plans = plans
        self.costs, self.recompute = costs, recompute
        in_order_of_program = list(ir.walk(forward))
        self.places = {id(s): k for k, s in enumerate(in_order_of_program)}
        self.last_writes = {
            v.name: k
            for k, s in enumerate(in_order_of_program)
            for v in ir.direct_writes(s)
        }
        self.place = 0
        """The place of the walk, as a number in the order of the program."""
        self.loops: list[tuple[int, str]] = []
        """The loops around: places and variables."""
        self.primal = ir.names_written_in(forward)
        self.primal |= ir.names_read_in(forward)
        self.equations = available_equations(forward)
        self.starts: dict[int, Equations] = {}
        self.at_lines: dict[int, Equations] = {}
        self.at_undoing: dict[int, Equations] = {}
        self.dominators = common_dominators.common_dominators_of(plans, parameters)
        self.result = Recorded()
        self.reads: list[Read] = []

    def solve(self) -> Recorded:
        """What to keep, and what to recompute."""
        self._run()
        if self.recompute and (self.result.saved() or self.result.undone):
            self._choose_recomputed()
        return self.result

    def _run(self) -> None:
        recomputed = self.result.recomputed
        self.result = Recorded(recomputed=recomputed)
        self.reads = []
        self._block(self.plans, Names().set_of(()), False, Equations())

    def _choose_recomputed(self) -> None:
        """Arrays whose old parts are put back anyway may be read again for nothing."""
        put_back = frozenset(self.result.undone.values())

        def lost(name: str, since: int) -> bool:
            return self.last_writes.get(name, -1) >= since and name not in put_back

        saved = self.result.saved()  # of others the last value is read, which lasts
        choice = StoreOrRecompute(
            lost, CostsOfKeeping(self.costs, self.plans), self.costs.repeated
        )
        choice.read(read for read in self.reads if read.name in saved)
        lasting = {
            r.name
            for r in self.reads
            if r.name not in r.counters and not lost(r.name, r.since)
        }
        chosen = choice.recomputed(self._run_for(lasting | choice.pinned()))
        if chosen:
            self.result.recomputed = chosen
            self._run()

    def _behind(self, statement: ir.Statement) -> None:
        """The walk comes to the end of a compound statement."""
        self.place = self.places.get(id(statement), self.place)
        self.place += sum(1 for _ in ir.walk((statement,)))

    def _since(self) -> int:
        return self.loops[0][0] if self.loops else self.place

    def _run_for(self, names: set[str]) -> Callable[[ir.Assign], bool]:
        """Tells what the forward sweep runs anyway, if these names must have their
        values at its end."""
        if self.wanted is None:
            return lambda statement: True
        live = frozenset(names) | self.wanted
        _, liveness = live_variables(self.forward, must_run, live)
        return liveness.stays

    # ---------------------------------------------------------------- the walk

    def _reads(self, lines: ir.Block, equations: Equations) -> Set[str]:
        """Primal values read by reverse lines, those of recomputed ones' operands
        instead."""
        names = ir.names_read_in(lines)
        return self._needed(names & self.primal, equations)

    def _needed(self, names: Set[str], equations: Equations) -> Set[str]:
        needed: set[str] = set()
        seen = set(names)
        pending = list(names)
        counters = frozenset(counter for _, counter in self.loops)
        while pending:
            name = pending.pop()
            if name in self.result.recomputed and name in equations:
                operands = {v.name for v in ir.value_variables(equations[name].value)}
                pending += operands - seen
                seen |= operands
            else:
                needed.add(name)
                self.reads.append(
                    Read(name, equations, len(self.loops), self._since(), counters)
                )
        return needed & self.primal

    def _block(
        self,
        plan: ir.BlockPlan,
        needed: NameSet,
        in_loop: bool,
        start: Equations,
        counter: str = "",
    ) -> NameSet:
        self.starts[id(plan)] = start
        needed = needed | self._reads(plan.entry, start)
        for inner in plan.plans:
            needed = self._plan(inner, needed, in_loop)
        needed = needed - {counter}  # the reverse loop counts by itself
        if in_loop:
            own = ir.in_order(
                n for n in self.dominators.dominated_by(plan) if n in needed
            )
            if own:
                self._record(self.result.at_end, plan, own)
                needed = needed - set(own)
        return needed

    def _record(
        self, table: dict[int, list[str]], key: object, names: list[str]
    ) -> None:
        known = table.setdefault(id(key), [])
        there = set(known)
        known.extend(n for n in names if n not in there)

    def _plan(self, plan: ir.Plan, needed: NameSet, in_loop: bool) -> NameSet:
        statement = plan.statement
        self.place = self.places.get(id(statement), self.place)
        before = self.equations.before.get(id(statement), Equations())
        after = self.equations.after.get(id(statement), Equations())
        if not plan.blocks:
            return self._leaf(plan, needed, before, after)
        lost = ir.in_order(needed & _lost_at_entry(plan))
        if lost:
            self._record(self.result.overwritten, statement, lost)
            needed = needed - set(lost)
        is_loop = isinstance(statement, ir.Loop)
        counter = statement.target.name if isinstance(statement, ir.For) else ""

        def run(region: ir.Region, needed: NameSet) -> NameSet:
            inner, start = plan.blocks[region.place], before
            if not region.first:
                start = _start_of(inner, self.equations)
            return self._block(inner, needed, in_loop or is_loop, start, counter)

        if is_loop:
            self.loops.append((self.place, counter))
        behind = ir.follow(
            statement, needed, run, NameSet.__or__, lambda _, start: start
        )
        assert behind is not None
        if is_loop:
            self.loops.pop()
        self._behind(statement)
        if self.result.is_reversed(plan):
            behind |= self._operands(plan.control(), after)
        return behind | self._reads(plan.before, after)

    def _operands(
        self, operands: tuple[ir.Operand, ...], equations: Equations
    ) -> Set[str]:
        names = {v.name for o in operands for v in ir.operand_variables(o)}
        return self._needed(names & self.primal, equations)

    def _undone(
        self,
        plan: ir.Plan,
        needed: NameSet,
        names: Set[str],
        before: Equations,
        after: Equations,
    ) -> NameSet:
        """A store into an array that is read as it was before: its old part is put
        back, for which the array must be there as the store left it."""
        statement = plan.statement
        self.result.undone[id(statement)] = ops.undoable_store(statement) or ""
        still = before.also_in(after)
        self.at_undoing[id(plan)], self.at_lines[id(plan)] = still, before
        needed = needed | self._reads(ops.lines_of_undoing(statement), still)
        return needed | self._reads(plan.reverse, before)

    def _leaf(
        self, plan: ir.Plan, needed: NameSet, before: Equations, after: Equations
    ) -> NameSet:
        statement = plan.statement
        written = ir.names_written(statement)
        own_reads = ir.names_read(statement)
        names = ir.names_read_in(plan.reverse)
        names &= self.primal
        array = ops.undoable_store(statement)
        if array is not None and (array in needed or array in names):
            if not ops.leaves_only_borders(statement):
                return self._undone(plan, needed, names, before, after)
        new_values = {n for n in names if n in written and n not in own_reads}
        if new_values:
            # the lines run before the old value is back: equations that read it don't
            # hold
            before = before.also_in(after)
        self.at_lines[id(plan)] = before.with_those_of(new_values, after)
        old_values = self._needed(names - new_values, before)
        needed = needed | old_values
        lost = ir.in_order(needed & written)
        if lost:
            self._record(self.result.overwritten, statement, lost)
        return (needed - written) | self._needed(new_values, after)


def has_reverse(plan: ir.Plan) -> bool:
    """True where a plan has any reverse lines."""
    if plan.reverse or plan.before:
        return True
    return any(
        inner.entry or any(has_reverse(p) for p in inner.plans) for inner in plan.blocks
    )


def _lost_at_entry(plan: ir.Plan) -> Set[str]:
    """What a compound statement overwrites of which the old value is kept in front of
    it: the variable of a loop, and what an attempt overwrites in which a handler may go
    on, for nobody knows how far it came."""
    if isinstance(plan.statement, ir.Try) and plan.flags():
        return ir.names_written_in(plan.statement.body)
    return ir.names_written(plan.statement)


def _start_of(plan: ir.BlockPlan, equations: dataflow.Facts[Equations]) -> Equations:
    if not plan.plans:
        return Equations()
    first = plan.plans[0].statement
    return equations.before.get(id(first), Equations())
