"""Assembly: plans to a forward block that keeps values and a reverse block that uses
them.

::

    forward:  for i in range(n):               reverse:  for i in reversed(range(n)):
                  save x on x.saved                          x.bar = ... y.bar ...
                  x = mul(x, w)                              restore x from x.saved
"""

import operator
from collections.abc import Set
from dataclasses import dataclass, replace

from s2sad import ir, ops
from s2sad.analysis.dataflow import dataflow, name_sets
from s2sad.analysis.dataflow.assigned import assigned_variables
from s2sad.analysis.dataflow.available import Equations
from s2sad.analysis.reverse.costs import Costs
from s2sad.analysis.reverse.recorded import RecordedValues
from s2sad.analysis.reverse.settled_reads import read_again
from s2sad.source.normalise.jumps import is_jump_flag
from s2sad.transform.adjoints.adjoints import unused_suffix
from s2sad.transform.reverse import assembled_statements


@dataclass(frozen=True)
class Assembled:
    """The two sweeps of one function."""

    forward: ir.Block
    reverse: ir.Block
    stacks: frozenset[str]
    """Stack variables; each is created where the forward sweep starts to need it."""


def assemble(
    plans: ir.BlockPlan,
    forward: ir.Block,
    parameters: tuple[str, ...],
    costs: Costs,
    recompute: bool = True,
    wanted: frozenset[str] | None = None,
) -> Assembled:
    """Put the plans of a function together.

    ``forward`` are the statements of the plans; ``costs`` says what it
    costs to keep values and to compute them again; ``wanted`` are the variables that
    somebody reads behind the forward sweep (None: any).
    """
    recorded = RecordedValues(plans, forward, parameters, costs, recompute, wanted)
    recorded.solve()
    assigned = assigned_variables(forward, parameters)
    assembler = _Assembler(recorded, assigned, forward)
    ahead, back = assembler.block(plans, {})
    stacks = frozenset(assembler.stacks)
    ahead = with_unbound(ops.with_stacks(ahead, stacks), assembler.unbound)
    ahead = ops.without_old_parts(ahead)
    return Assembled(ahead, back, stacks)


def with_unbound(block: ir.Block, unbound: set[str]) -> ir.Block:
    """Variables whose old value is kept before they surely have one are None at first,
    so that keeping it never fails. Reading them alone raises nothing then."""
    if not unbound:
        return block
    waiting = set(unbound)
    block = ir.with_leaves(
        block,
        lambda s: () if ops.is_read_alone(s) and ir.names_read(s) <= unbound else (s,),
    )
    result: list[ir.Statement] = []
    for statement in block:
        used = ir.names_written_within(statement) & waiting
        result += [
            ir.Assign(None, ir.Var(n), ir.Const(None)) for n in ir.in_order(used)
        ]
        waiting -= used
        result.append(statement)
    return tuple(result)


class _Assembler:
    def __init__(
        self,
        recorded: RecordedValues,
        assigned: dataflow.Facts[name_sets.NameSet],
        forward: ir.Block,
    ) -> None:
        self.recorded = recorded
        self.table = recorded.result
        self.assigned = assigned
        self.stacks: set[str] = set()
        self.unbound: set[str] = set()
        self.counters: list[ir.Var] = []
        """The variables of the loops around."""
        self.flags = ir.flags_of(forward)
        whole = ir.Function("", (), forward, {})
        self.suffix = unused_suffix(whole, ".saved")

    def stack(self, name: str) -> ir.Var:
        stack = f"{name}{self.suffix}"
        self.stacks.add(stack)
        return ir.Var(stack)

    def block(
        self,
        plan: ir.BlockPlan,
        valid: dict[str, ir.Assign],
        until: ir.Var | None = None,
    ) -> tuple[ir.Block, ir.Block]:
        """The forward and the reverse of a block. ``valid`` holds the recomputed
        variables that are up to date where the reverse block starts; it is left as they
        are where it ends. ``until`` is the flag that may end the loop around it."""
        ahead: list[list[ir.Statement]] = []
        back: list[ir.Statement] = []
        kept = self.table.at_end.get(id(plan), [])
        for name in reversed(kept):
            back.append(ir.Restore(None, ir.Var(name), self.stack(name)))
            valid.pop(name, None)
        for inner in reversed(plan.plans):
            forward, reverse = self.plan(inner, valid)
            ahead.append(forward)
            back += reverse
        start = self.recorded.starts.get(id(plan), Equations())
        back += self.with_recomputed(plan.entry, start, valid)
        ahead.reverse()
        if plan.plans:
            last = plan.plans[-1].statement
            bound = self.assigned.after.get(id(last), frozenset(kept))
            self.unbound.update(n for n in kept if n not in bound)
        at_end: list[ir.Statement] = []
        for name in kept:
            save = ir.Save(None, self.stack(name), ir.Var(name))
            place = None if until is None else _last_write(ahead, name, until)
            (at_end if place is None else ahead[place]).append(save)
        statements = [s for forward in ahead for s in forward]
        end = len(statements)  # what is kept is kept before a jump
        while end and is_jump(statements[end - 1], kept):
            end -= 1
        statements[end:end] = at_end
        return tuple(statements), tuple(back)

    def plan(
        self, plan: ir.Plan, valid: dict[str, ir.Assign]
    ) -> tuple[list[ir.Statement], ir.Block]:
        statement = plan.statement
        if isinstance(statement, ir.COMPOUND):
            return self.compound(plan, valid)
        if id(statement) in self.table.undone:
            return self._undone(plan, valid)
        lost = self.table.overwritten.get(id(statement), [])
        own_reads = ir.names_read(statement)
        ahead: list[ir.Statement] = [*self._saves(statement, lost), statement]
        equations = self.recorded.at_lines.get(id(plan), Equations())
        reads = ir.names_read_in(plan.reverse)
        recomputed = self.recomputed_for(reads, equations, valid, statement.span)
        # Lines that read the new value come before the old one is back.
        old = own_reads | {v.name for line in recomputed for v in ir.direct_reads(line)}
        first: list[ir.Statement] = []
        last: list[ir.Statement] = []
        for name in reversed(lost):
            restore: ir.Statement
            if ir.is_flag_set(statement, self.flags):
                restore = ir.Assign(
                    statement.span, ir.Var(name), ir.Const(False), ir.BOOL, True
                )
            else:
                restore = ir.Restore(statement.span, ir.Var(name), self.stack(name))
            (first if name in old else last).append(restore)
        back = [*first, *recomputed, *plan.reverse, *last]
        for variable in ir.direct_writes(statement):
            self._forget(variable.name, valid)
        return ahead, tuple(back)

    def _undone(
        self, plan: ir.Plan, valid: dict[str, ir.Assign]
    ) -> tuple[list[ir.Statement], ir.Block]:
        """A store whose old part the reverse sweep puts back, first of all."""
        statement = plan.statement
        equations = self.recorded.at_undoing.get(id(plan), Equations())
        undoing = self.with_recomputed(
            ops.lines_of_undoing(statement), equations, valid
        )
        equations = self.recorded.at_lines.get(id(plan), Equations())
        self._forget(self.table.undone[id(statement)], valid)
        return [statement], (
            *undoing,
            *self.with_recomputed(plan.reverse, equations, valid),
        )

    def _saves(self, statement: ir.Statement, lost: list[str]) -> list[ir.Statement]:
        """Keep the values that a statement overwrites."""
        if ir.is_flag_set(statement, self.flags):
            return []
        bound = self.assigned.before.get(id(statement), frozenset(lost))
        self.unbound.update(n for n in lost if n not in bound)
        return [
            ir.Save(statement.span, self.stack(name), ir.Var(name)) for name in lost
        ]

    def compound(
        self, plan: ir.Plan, valid: dict[str, ir.Assign]
    ) -> tuple[list[ir.Statement], ir.Block]:
        statement = plan.statement
        after = self.recorded.equations.after.get(id(statement), Equations())
        back = list(self.with_recomputed(plan.before, after, valid))
        if self.table.is_reversed(plan):
            reads = _control_reads(plan)
            if isinstance(statement, ir.Loop):
                reads |= self._held_within(plan, after)
            elif isinstance(statement, ir.If):
                reads |= {
                    name
                    for name in self._held_within(plan, after)
                    if self._is_item_of_turn(after[name])
                }
            back += self.recomputed_for(reads, after, valid, statement.span)
        outer = dict(valid)
        for s in ir.walk((statement,)):
            for variable in ir.direct_writes(s):
                self._forget(variable.name, outer)
        until = getattr(statement, "until", None)
        if isinstance(statement, ir.For):
            self.counters.append(statement.target)
        blocks = [self.block(inner, dict(outer), until) for inner in plan.blocks]
        if isinstance(statement, ir.For):
            self.counters.pop()
        if until is not None:
            blocks[-1] = assembled_statements.completed_alone(plan, *blocks[-1])
        forward, reverse = assembled_statements.with_assembled_blocks(plan, blocks)
        valid.clear()
        valid.update(outer)
        if any(back_block for _, back_block in blocks):
            back += reverse
        lost = self.table.overwritten.get(id(statement), [])  # a loop variable
        back += [ir.Restore(None, ir.Var(name), self.stack(name)) for name in lost]
        ahead = self._saves(statement, lost)
        if isinstance(forward, ir.Try) and plan.flags():
            stacks = {s.stack for s in ir.walk(forward.body) if isinstance(s, ir.Save)}
            ahead += [
                ir.Assign(
                    None, ops.stack_height(stack), ir.Apply(len, (stack,)), ir.INT
                )
                for stack in map(ir.Var, ir.in_order(s.name for s in stacks))
            ]
        return [*ahead, forward], tuple(back)

    def _is_item_of_turn(self, equation: ir.Assign) -> bool:
        """True for the item of a list at the place that the loop around has come to:
        read where the turn begins, so that loops may run over the items."""
        return (
            ir.is_line(equation, operator.getitem, ops.read_item)
            and equation.value.args[1] in self.counters[-1:]
            and isinstance(
                self.recorded.costs.kind(str(equation.value.args[0])),
                ir.List | ir.Reference,
            )
        )

    def _held_within(self, plan: ir.Plan, after: Equations) -> set[str]:
        """What the reverse of a loop or branch computes again that is the same in all
        its iterations, and behind it: it is computed once, in front."""
        before = self.recorded.equations.before.get(id(plan.statement), Equations())
        reads: set[str] = set()
        for block in plan.blocks:
            for line in ir.walk((*block.entry, *ir.reverse_lines(block))):
                reads |= ir.names_read(line)
        for s in ir.walk((plan.statement,)):
            if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
                if s.target.name in self.table.recomputed:
                    reads |= {v.name for v in ir.value_variables(s.value)}
        return {
            name
            for name in reads & self.table.recomputed
            if name in after and before.get(name) is after.get(name)
        }

    def _forget(self, name: str, valid: dict[str, ir.Assign]) -> None:
        valid.pop(name, None)
        for known in [
            n
            for n, s in valid.items()
            if any(v.name == name for v in ir.value_variables(s.value))
        ]:
            valid.pop(known)

    # ---------------------------------------------------------------- recomputing

    def with_recomputed(
        self, lines: ir.Block, equations: Equations, valid: dict[str, ir.Assign]
    ) -> ir.Block:
        """The lines, with the recomputed values that they read put in front."""
        reads = ir.names_read_in(lines)
        span = next((s.span for s in lines if s.span), None)
        return (*self.recomputed_for(reads, equations, valid, span), *lines)

    def recomputed_for(
        self,
        reads: Set[str],
        equations: Equations,
        valid: dict[str, ir.Assign],
        span: ir.Span | None,
    ) -> ir.Block:
        """Lines that compute what is read. They are part of the statement whose reverse
        reads it, at ``span``."""
        result: list[ir.Statement] = []
        for name in ir.in_order(reads & self.table.recomputed):
            self._recompute(name, equations, valid, result)
        return tuple(replace(s, span=span) for s in result)

    def _recompute(
        self,
        name: str,
        equations: Equations,
        valid: dict[str, ir.Assign],
        result: list[ir.Statement],
    ) -> None:
        """Compute a variable again, behind what it is computed from. Chains may be
        long: no recursion."""
        pending = [(name, False)]
        while pending:
            name, ready = pending.pop()
            equation = equations.get(name)
            if equation is None or valid.get(name) is equation:
                continue
            if ready:
                again = equation
                if id(equation) in self.recorded.costs.settled:
                    again = read_again(equation)
                result.append(replace(again, derived=True))
                valid[name] = equation
                continue
            pending.append((name, True))
            pending += [
                (v.name, False)
                for v in reversed(ir.value_variables(equation.value))
                if v.name in self.table.recomputed
            ]


def is_jump(statement: ir.Statement, kept: list[str]) -> bool:
    """True for the assignment of a jump's flag, unless its value is kept."""
    return (
        isinstance(statement, ir.Assign)
        and isinstance(statement.target, ir.Var)
        and is_jump_flag(statement.target.name)
        and statement.value == ir.Const(True)
        and statement.target.name not in kept
    )


def _last_write(
    statements: list[list[ir.Statement]], name: str, until: ir.Var
) -> int | None:
    """The last of the statements that assigns a variable; None where it may end the
    iteration, so that a value is kept behind it all."""
    for place in range(len(statements) - 1, -1, -1):
        written = {
            v for s in ir.walk(tuple(statements[place])) for v in ir.direct_writes(s)
        }
        if ir.Var(name) in written:
            return None if until in written else place
    return None


def _control_reads(plan: ir.Plan) -> set[str]:
    if isinstance(plan.statement, ir.While):
        return set()
    return {v.name for operand in plan.control() for v in ir.operand_variables(operand)}
