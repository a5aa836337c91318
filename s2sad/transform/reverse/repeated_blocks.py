"""Blocks that the reverse sweep runs again: their two sweeps, and their names.

::

    h = f(x)         ->        h~2 = f(x~3)                 forward, with what it keeps
    x = g(h)                   x~2 = g(h~2)
                               h.bar = ... h~2 ...          its reverse
                               x.bar = ... x~3 ...
"""

import re
from collections.abc import Iterable, Iterator, Set
from typing import Any

from s2sad import ir
from s2sad.analysis.reverse.costs import Costs
from s2sad.transform.programs.outlined_regions import inlined, inlined_forward
from s2sad.transform.reverse.assemble import assemble
from s2sad.transform.reverse.repetition import free
from s2sad.transform.reverse.reverse import ReverseMode

_KEEPING = (ir.Save, ir.Restore)


class RepeatedBlocks:
    """Names and sweeps for blocks that run again. ``costs`` and ``recompute`` as for
    assembly."""

    def __init__(self, mode: ReverseMode, costs: Costs, recompute: bool) -> None:
        self.mode, self.spec = mode, mode.spec
        self.costs, self.recompute = costs, recompute
        self.kinds: Any = mode.function.kinds
        self.taken = {*self.kinds, *mode.function.parameters}

    def copy(self, target: str, source: str) -> ir.Assign:
        """One variable takes the value of another."""
        return ir.Assign(None, ir.Var(target), ir.Var(source), self.kinds.get(source))

    def assembled(
        self, plan: ir.BlockPlan, block: ir.Block
    ) -> tuple[ir.Block, ir.Block, dict[str, str]]:
        """A block with what it keeps, its reverse, and the variables that hold what
        others have at its start. (Assembly takes programs of webs, in which what a
        block reads is not what it assigns.)"""
        body = ir.forward_statements(plan)
        known: Set[str] = frozenset()
        possible = known
        for first in block[:1]:
            known = self.mode.assigned.before.get(id(first), known)
            possible = self.mode.possibly.before.get(id(first), possible)
        lines = (*plan.entry, *ir.reverse_lines(plan))
        written = ir.names_written_in(body)
        local = written - possible  # what seems to read it before never does
        reads = (free(body) - local) | (known & ir.names_read_in(lines))
        flags = self.flags(body)
        starts = {n: self.new_name(n) for n in ir.in_order(reads & written - flags)}
        at_start = [ir.Plan(self.copy(n, start)) for n, start in starts.items()]
        at_start += map(ir.Plan, self.resets(flags))
        entry = ir.Plan(self.nothing(), plan.entry)
        plan = ir.BlockPlan([*at_start, entry, *plan.plans])
        body = ir.forward_statements(plan)
        parameters = ir.in_order((reads - starts.keys()) | set(starts.values()))
        found = assemble(plan, body, tuple(parameters), self.costs, self.recompute)
        ahead = inlined_forward(found.forward, parameters)
        back = inlined(found.reverse)
        return *self.without_stacks(ahead, back, found.stacks), starts

    def flags(self, block: ir.Block) -> frozenset[str]:
        """The flags that a block sets to leave a loop. All are false where it starts:
        where one is true, nothing is run."""
        return ir.names_written_in(block) & self.mode.flags

    def resets(self, flags: Iterable[str]) -> Iterator[ir.Assign]:
        """What runs again starts as it did, before anything was left."""
        for flag in ir.in_order(flags):
            yield ir.Assign(None, ir.Var(flag), ir.Const(False), ir.BOOL)

    def without_stacks(
        self, ahead: ir.Block, back: ir.Block, stacks: Iterable[str]
    ) -> tuple[ir.Block, ir.Block]:
        """The two sweeps with values that are kept once in variables instead of on
        stacks."""
        used = [
            s.stack.name for s in ir.walk((*ahead, *back)) if isinstance(s, _KEEPING)
        ]
        within = {s.stack.name for s in (*ahead, *back) if isinstance(s, _KEEPING)}
        single = {
            name: self.fresh(f"{s.value.name}.kept", self.kinds.get(s.value.name))
            for s in ahead
            if isinstance(s, ir.Save)
            and isinstance(s.value, ir.Var)
            and (name := s.stack.name) in within.intersection(stacks)
            and used.count(name) == 2
        }
        single = {
            name: kept
            for name, kept in single.items()
            if any(isinstance(s, ir.Restore) and s.stack.name == name for s in back)
        }

        def line(s: ir.Statement) -> ir.Block:
            match s:
                case ir.Save(stack=ir.Var(name=name)) if name in single:
                    kept = single[name]
                    kind = self.kinds.get(kept.name)
                    return (ir.Assign(s.span, kept, s.value, kind),)
                case ir.Restore(stack=ir.Var(name=name)) if name in single:
                    kept = single[name]
                    return (
                        ir.Assign(s.span, s.target, kept, self.kinds.get(kept.name)),
                    )
                case ir.Assign(target=ir.Var(name=name)) if name in single:
                    return ()
            return (s,)

        return ir.with_leaves(ahead, line), ir.with_leaves(back, line)

    def new_names(self, names: Iterable[str]) -> dict[str, str]:
        """Another name for each variable, under which it is computed again."""
        return {name: self.new_name(name) for name in ir.in_order(names)}

    def new_name(self, name: str) -> str:
        base, count = re.sub(r"~\d+$", "", name), 2
        while (new := f"{base}~{count}") in self.taken:
            count += 1
        self.taken.add(new)
        if name in self.kinds:
            self.kinds[new] = self.kinds[name]
        if name in self.mode.function.temporaries or name in self.spec.temporaries:
            self.spec.temporaries.add(new)
        return new

    def fresh(self, hint: str, kind: ir.Kind) -> ir.Var:
        """A new variable."""
        variable = self.spec.fresh(hint)
        self.kinds[variable.name] = kind
        return variable

    def nothing(self) -> ir.Assign:
        """A statement that does nothing, for the sake of its place."""
        return ir.Assign(None, self.fresh("place", ir.OPAQUE), ir.Const(None))
