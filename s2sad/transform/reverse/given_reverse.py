"""The plans of calls whose derivative the user gives."""

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.derivatives.inlined_programs import call_inlined
from s2sad.frontend.specialise.recursion.forms import dynamic_leaves, results_of_call
from s2sad.transform.adjoints.cotangents import Cotangent, Masked
from s2sad.transform.calls import given_derivatives
from s2sad.transform.programs.primal_programs import prepared, undisturbed
from s2sad.transform.reverse.reverse_state import ReverseState


class GivenPlans(ReverseState):
    """Plans of calls of procedures with a derivative of the user's."""

    def procedure_seed(
        self, name: str, cotangent: Cotangent | None, own: ir.Kind | None = None
    ) -> ir.Operand:
        """The cotangent of a result at full shape; zeros where there is none."""
        raise NotImplementedError

    def given_call(
        self,
        statement: ir.Assign,
        targets: list[str],
        cotangents: list[Cotangent | None],
    ) -> list[ir.Plan]:
        """What runs in place of the call, and its reverse lines."""
        call = statement.value
        assert isinstance(call, ir.Apply) and isinstance(call.function, ir.Procedure)
        given: ir.GivenDerivative = call.function.given
        arguments = given_derivatives.arguments_by_name(
            statement, map(self.value, call.args)
        )
        active = [n for n, v in arguments.items() if self.is_active(v)]
        if given.hook:
            active = [given_derivatives.VALUE]
        given_derivatives.check_differentiable(given, active)
        known = {ir.Var(name): value for name, value in arguments.items()}
        self._statement_names = [
            *targets,
            *(v.name for v in ir.direct_reads(statement)),
        ]
        marks = (Masked.SELECTED if c is None else c.masked for c in cotangents)
        self._given_mark = min(marks, default=Masked.NO)
        with self.spec.new_block() as ahead:
            if given.forward is not None:
                found = given_derivatives.written_out(self.spec, given.forward, known)
            elif given.hook:
                found = self._primal(call.function, list(arguments.values()))
            else:  # differentiated again, it has its own derivative
                found = []
                self.spec.emit(statement)
            for name, leaf in zip(targets, found):
                self.spec.assign(ir.Var(name), leaf.operand, self.kind(name))
        with self.spec.new_block() as lines:
            seeds = [
                core.Leaf(operand, self.full_kind(name))
                for name, operand in zip(
                    targets, self._seeds(call.function, targets, cotangents)
                )
            ]
            if given.reverse is not None:
                kept = dict(zip(given.residuals, found[len(targets) :], strict=True))
                known |= {leaf.operand: value for leaf, value in kept.items()}
                result_seeds = zip(given.seeds, seeds, strict=True)
                known |= {leaf.operand: seed for leaf, seed in result_seeds}
                parts = given_derivatives.written_out(self.spec, given.reverse, known)
                if given.hook and not given.changes:
                    (name,) = active
                    self._contribute_part(arguments, name, seeds[0], "")
                for place, part in zip(given.cotangents, parts, strict=True):
                    if place.owner is not None:
                        name = str(place.owner.operand)
                        self._contribute_part(arguments, name, part, place.check)
            else:
                self._transposed_parts(call.function, arguments, known, seeds)
        self._note_kinds()
        plans = ir.plans_without_reverse(tuple(ahead)).plans
        plans[-1].reverse = tuple(lines)
        return plans

    def _primal(
        self, procedure: ir.Procedure, values: list[core.Leaf]
    ) -> list[core.Leaf]:
        with undisturbed(self.spec):
            program = prepared(procedure)
        return results_of_call(
            procedure, call_inlined(self.spec, procedure, values, program)
        )

    def _seeds(
        self,
        procedure: ir.Procedure,
        targets: list[str],
        cotangents: list[Cotangent | None],
    ) -> list[ir.Operand]:
        results = dynamic_leaves(procedure.details.result)
        return [
            self.procedure_seed(name, cotangent, own.kind)
            if ir.is_real_number_kind(own.kind)
            else ir.Const(None)
            for name, cotangent, own in zip(targets, cotangents, results, strict=True)
        ]

    def _transposed_parts(
        self,
        procedure: ir.Procedure,
        arguments: given_derivatives.Given,
        known: dict[ir.Var, core.Leaf],
        seeds: list[core.Leaf],
    ) -> None:
        """The cotangents by the transpose of a pushforward."""
        given: ir.GivenDerivative = procedure.given
        assert given.pushforward is not None
        what = f"the pushforward of {given.name}"
        made, call = given_derivatives.transposed(
            self.spec, given.pushforward, given.tangents, what
        )
        # it is linear: where it is taken doesn't matter, only the shapes
        anywhere = {
            leaf.operand: arguments[name] for name, leaf in given.tangents.items()
        }
        values = [{**known, **anywhere}.get(leaf.operand, leaf) for leaf in call.given]
        results = dynamic_leaves(procedure.details.result)
        by_result = {id(r): seed for r, seed in zip(results, seeds, strict=True)}
        own = dynamic_leaves(given.pushforward.procedure.details.result)
        for k, leaf in enumerate(own):
            if not ir.is_real_number_kind(leaf.kind):
                continue
            place = k - len(results)
            if place < 0:  # the result itself, which is no part of the tangent
                values.append(self._nothing(leaf, results[k], seeds[k]))
                continue
            owner = given.pushed[place].owner
            values.append(by_result[id(owner)])
        found = results_of_call(made, call_inlined(self.spec, made, values))
        for name, part in zip(given.tangents, found, strict=True):
            self._contribute_part(arguments, name, part, "")

    def _nothing(
        self, leaf: core.Leaf, result: core.Leaf, seed: core.Leaf
    ) -> core.Leaf:
        """A cotangent of zeros for a result."""
        import numpy as np

        if ir.axes_of(result.kind) == ():
            return core.constant(0.0)
        made = self.spec.apply(np.zeros_like, (seed,), hint="zeros")
        assert isinstance(made, core.Leaf)
        return made

    def _contribute_part(
        self, arguments: given_derivatives.Given, name: str, part: core.Leaf, what: str
    ) -> None:
        argument = arguments[name]
        if not self.is_active(argument):
            return
        assert isinstance(argument.operand, ir.Var)
        part = given_derivatives.checked(self.spec, part, argument, what)
        whole = isinstance(self.kind(argument.operand.name), ir.List)
        self.contribute(argument.operand, part, self._given_mark, full=whole)

    def _note_kinds(self) -> None:
        """The kinds of what was written out."""
        for name, kind in self.spec.kinds_of_inlined.items():
            self.function.kinds.setdefault(name, kind)  # type: ignore[attr-defined]
