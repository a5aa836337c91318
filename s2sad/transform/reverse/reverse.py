"""Reverse mode: the plan of each statement, from the rules.

Takes a function of webs and the active variables; gives plans, which assembly turns
into a program. Walking backwards, a table holds the cotangent of each active variable;
the first contribution assigns an adjoint, later ones add::

    y = mul(x, w)        reverse lines:   x.bar = mul(y.bar, w)
                                          w.bar = mul(y.bar, x)

Source: Griewank and Walther, Evaluating Derivatives (2nd ed.), chapters 3.2 and 6.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

from s2sad import ir, ops
from s2sad.analysis.passes.dead_code import without_dead_lines
from s2sad.analysis.reverse.cancelling import cancelling_variables
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.local_values import is_retained
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.transform.adjoints.cotangents import Cotangent
from s2sad.transform.adjoints.projections import is_projection
from s2sad.transform.programs.primal_programs import is_procedure_call
from s2sad.transform.reverse import results_at_hand, reverse_loops, reverse_paths
from s2sad.transform.reverse.reverse_calls import CallPlans
from s2sad.transform.reverse.reverse_references import ReferencePlans


@dataclass(frozen=True)
class ReversePlans:
    """The plans of a whole function."""

    body: ir.BlockPlan
    cotangents: Mapping[str, Cotangent]
    """Cotangents of the independents at the start of the program."""


class ReverseMode(
    reverse_paths.PathPlans, reverse_loops.LoopPlans, ReferencePlans, CallPlans
):
    """Makes the plans; see the module's text."""

    @cached_property
    def at_hand(self) -> results_at_hand.ResultsAtHand:
        """What the function has computed."""
        return results_at_hand.ResultsAtHand(self.function)

    def run(self, seeds: Mapping[str, Cotangent]) -> ReversePlans:
        """Plans for the whole function; ``seeds`` are the cotangents of its results."""
        self.state = dict(seeds)
        self.spec.derived = True
        body = self.block(self.function.body)
        try:
            body.plans[:0] = self.adjoints_of_parameters()
        except core.Unsupported as problem:
            self.spec.report_at(problem, None)
        return ReversePlans(body, dict(self.state))

    # ---------------------------------------------------------------- blocks

    def block(self, block: ir.Block) -> ir.BlockPlan:
        """The plan of a block; walks it backwards."""
        plans: list[ir.Plan] = []
        around = self.block_end
        for statement in reversed(block):
            self.block_end = block[-1]
            outer, self.spec.span = self.spec.span, statement.span
            try:
                plans[:0] = self.statement(statement)
                self._forget_flags(statement)
            except core.Unsupported as problem:
                self.spec.report_at(problem, statement.span)
            finally:
                self.spec.span = outer
        self.block_end = around
        return ir.BlockPlan(plans)

    def _forget_flags(self, statement: ir.Statement) -> None:
        """In front of the assignment of a flag nothing follows from it. (Branches have
        forgotten for themselves.)"""
        told = any(cotangent.only_if for cotangent in self.state.values())
        if not told or isinstance(statement, ir.If | ir.Try):
            return
        written = ir.names_written_within(statement)
        taken_back = isinstance(statement, ir.Assign) and statement.value == ir.Const(
            False
        )
        for name, cotangent in list(self.state.items()):
            if cotangent.only_if in written and taken_back:
                del self.state[name]  # behind this the flag is false
            elif cotangent.only_if in written:
                self.state[name] = replace(cotangent, only_if="")

    def statement(self, statement: ir.Statement) -> list[ir.Plan]:
        """The plans of one statement (a While brings its counter's)."""
        match statement:
            case ir.Assign():
                return self.assignment(statement)
            case ir.If():
                return [self.branch(statement)]
            case ir.For():
                return self.for_loop(statement)
            case ir.While():
                return self.while_loop(statement)
            case ir.Save() | ir.Restore():
                return self.kept_values(statement)
            case ir.With():
                return [ir.Plan(statement, blocks=(self.block(statement.body),))]
            case ir.Try():
                return self.attempt(statement)
            case ir.Effect():
                if self.stores_in_call(statement.value):
                    call = ir.Assign(statement.span, ir.pack_tuple(), statement.value)
                    return self.procedure_call(call, [], [])
                return self.effect(statement)
            case ir.Return():
                return [ir.Plan(statement)]
        raise TypeError(f"no reverse of {statement!r}")

    def _bar_of_stack(self, variable: ir.Var) -> ir.Var:
        """The stack of adjoints beside one of references; others as they are."""
        is_kept = variable.name in self.stacks_of_references
        return self.bar(variable.name) if is_kept else variable

    def assignment(self, statement: ir.Assign) -> list[ir.Plan]:
        """The reverse lines of one operation."""
        targets = [v.name for v in ir.operand_variables(statement.target)]
        if not self.stacks_of_references.isdisjoint(targets):
            (beside,) = ir.renamed((statement,), self._bar_of_stack, self._bar_of_stack)
            return [ir.Plan(statement), ir.Plan(beside)]
        if self.gives_references(targets) and not is_procedure_call(statement.value):
            return self.reference_assignment(statement)
        if self.independents.intersection(targets) and is_projection(
            statement, self.function.kinds
        ):
            return [ir.Plan(statement)]
        _check_followed(statement, self.active)
        cotangents = [self.state.pop(name, None) for name in targets]
        if is_retained(statement.value) and cotangents[0] is not None:
            (name,) = targets
            if name in self.independents:
                self.state[name] = cotangents[0]
        of_references = self.gives_references(self.active.intersection(targets))
        untouched = all(c is None for c in cotangents) and not of_references
        if untouched and not self.stores_in_call(statement.value):
            return [ir.Plan(statement)]
        if is_procedure_call(statement.value):
            return self.procedure_call(statement, targets, cotangents)
        with self.spec.new_block() as lines:
            own = statement.kind
            of_number = own is not None and ir.axes_of(own) == ()
            if of_number and ir.is_promoted(self.kind(targets[0])):
                (joined,) = cotangents
                assert joined is not None
                number, adjoint = self.of_number(joined.value), self.bar(targets[0])
                self.move(number, adjoint)
                cotangents = [replace(joined, value=core.Leaf(adjoint, number.kind))]
            placeholders = self.pull_back(statement, cotangents)
        live = without_dead_lines(tuple(lines), self._read_later(lines))
        if self.spec.options.results_at_hand:
            live = self.at_hand.used_in(live, statement, placeholders, self.spec.fresh)
        lines_read = ir.names_read_in(live)
        return self._with_result_names(statement, live, lines_read, placeholders)

    def _read_later(self, lines: Sequence[ir.Statement]) -> frozenset[str]:
        """What lines assign that the table of cotangents speaks of."""
        flags = (c.contributed for c in self.state.values() if c.contributed)
        told = {str(flag.operand) for flag in flags}
        return frozenset(
            name
            for name in ir.names_written_in(lines)
            if name in told
            or (
                name.endswith(self.suffix)
                and name.removesuffix(self.suffix) in self.state
            )
        )

    def _with_result_names(
        self,
        statement: ir.Assign,
        lines: ir.Block,
        lines_read: Set[str],
        placeholders: Mapping[str, str],
    ) -> list[ir.Plan]:
        """Replace the stand-ins for the result, or keep the result where its variable
        is also read."""
        used = {p: name for p, name in placeholders.items() if p in lines_read}
        own_reads = ir.names_read(statement)
        clash = {p: name for p, name in used.items() if name in own_reads}
        if not clash:
            renamed = rename_reads(lines, used)
            return [ir.Plan(statement, renamed)]
        (placeholder,) = clash
        kept = replace(statement, target=ir.Var(placeholder))
        copy = ir.Assign(
            statement.span, statement.target, ir.Var(placeholder), statement.kind
        )
        self.function.kinds[placeholder] = self.kind(clash[placeholder])  # type: ignore[index]
        return [ir.Plan(kept, lines), ir.Plan(copy)]


def _check_followed(statement: ir.Assign, active: set[str]) -> None:
    """Refuse snapshots that are thrown away in a gradient that is differentiated
    again: their cotangents would have to be put in between others."""
    value = statement.value
    if isinstance(value, ir.Apply) and value.function is ops.without_snapshot:
        if active.intersection(v.name for v in ir.direct_writes(statement)):
            raise core.Unsupported(
                "the gradient of a checkpointed loop of unknown length can't be "
                "differentiated in reverse mode again",
                "use hvp or jvp, or loop over a range and leave out break",
            )


def rename_reads(lines: ir.Block, names: Mapping[str, str]) -> ir.Block:
    """Lines with variables that they read renamed."""

    def rename(variable: ir.Var) -> ir.Var:
        return ir.Var(names.get(variable.name, variable.name))

    return ir.renamed(lines, rename) if names else lines


def may_vary(function: ir.Function):
    """Whether a variable's kind can carry a derivative."""

    def test(name: str) -> bool:
        kind = function.kinds.get(name)
        return kind is None or ir.is_real_number_kind(kind)

    return test


def may_matter(function: ir.Function, spec: Specialiser):
    """Whether a variable's kind can carry a derivative, and its influence isn't known
    to cancel."""
    test = may_vary(function)
    if not spec.options.cancelling:
        return test
    cancelling = cancelling_variables(function)
    return lambda name: name not in cancelling and test(name)
