"""The tangents of calls whose derivative the user gives."""

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.derivatives.inlined_programs import results_inlined
from s2sad.frontend.specialise.recursion.forms import dynamic_leaves
from s2sad.transform.calls.given_derivatives import (
    VALUE,
    Given,
    arguments_by_name,
    check_differentiable,
    checked,
    transposed,
    written_out,
)
from s2sad.transform.forward.forward_state import ForwardState


class GivenPushes(ForwardState):
    """Emits what runs in place of a call that has a derivative of the user's."""

    over_reverse = False
    """True where the program is a gradient, that is differentiated again."""

    def given_push(self, s: ir.Assign, targets: list[str]) -> None:
        """The call and its tangents."""
        call = s.value
        assert isinstance(call, ir.Apply) and isinstance(call.function, ir.Procedure)
        given: ir.GivenDerivative = call.function.given
        arguments = arguments_by_name(s, map(self.value, call.args))
        active = [n for n, v in arguments.items() if self.is_active(v)]
        check_differentiable(given, active)
        results = dynamic_leaves(call.function.details.result)
        if given.hook:
            found, dots = self._past_a_hook(given, arguments, results)
        elif given.pushforward is not None:
            found, dots = self._pushed_by_rule(given, arguments, results)
        elif self.over_reverse:
            found, dots = self._pushed_by_transpose(given, arguments, results)
        else:
            raise core.Unsupported(
                f"{given.name} has no pushforward, and forward mode needs one",
                f"give it with {given.name}.defjvp(pushforward), or use reverse mode: "
                "grad or vjp",
            )
        for name, value, own in zip(targets, found, results, strict=True):
            self.spec.assign(ir.Var(name), value.operand, self.kind(name))
            if name not in self.active:
                continue
            kind = ir.tangent_kind(own.kind)
            dot = dots.get(id(own)) or self._zero(
                core.Leaf(ir.Var(name), self.kind(name))
            )
            self.spec.assign(self.dot(name), dot.operand, kind)
            self.dot_kinds[name] = kind
        for name, kind in self.spec.kinds_of_inlined.items():
            self.function.kinds.setdefault(name, kind)  # type: ignore[attr-defined]

    def _past_a_hook(
        self, given: ir.GivenDerivative, arguments: Given, results: list[core.Leaf]
    ) -> tuple[list[core.Leaf], dict[int, core.Leaf]]:
        if given.changes:
            raise core.Unsupported(
                "a hook that changes an adjoint says nothing of tangents, and this is "
                "forward mode",
                "use reverse mode, or give both with s2sad.custom_vjp and defjvp",
            )
        value = arguments[VALUE]
        (result,) = results
        return [value], {id(result): self._tangent(value)}

    def _pushed_by_rule(
        self, given: ir.GivenDerivative, arguments: Given, results: list[core.Leaf]
    ) -> tuple[list[core.Leaf], dict[int, core.Leaf]]:
        assert given.pushforward is not None
        known = {ir.Var(name): value for name, value in arguments.items()}
        for name, leaf in given.tangents.items():
            known[leaf.operand] = self._tangent(arguments[name])
        found = written_out(self.spec, given.pushforward, known)
        values, parts = found[: len(results)], found[len(results) :]
        by_result = {id(r): v for r, v in zip(results, values, strict=True)}
        dots = {
            id(place.owner): checked(
                self.spec, part, by_result[id(place.owner)], place.check
            )
            for place, part in zip(given.pushed, parts, strict=True)
            if place.owner is not None
        }
        return values, dots

    def _pushed_by_transpose(
        self, given: ir.GivenDerivative, arguments: Given, results: list[core.Leaf]
    ) -> tuple[list[core.Leaf], dict[int, core.Leaf]]:
        """By the transpose of the reverse function, which is linear in the cotangents
        of the results."""
        assert given.forward is not None and given.reverse is not None
        known: dict[ir.Operand, core.Leaf] = {
            ir.Var(n): v for n, v in arguments.items()
        }
        found = written_out(self.spec, given.forward, known)
        values, residuals = found[: len(results)], found[len(results) :]
        known |= {
            leaf.operand: value
            for leaf, value in zip(given.residuals, residuals, strict=True)
        }
        seeds = {
            str(leaf.operand): leaf
            for leaf in given.seeds
            if ir.is_real_number_kind(leaf.kind)
        }
        for leaf, value in zip(given.seeds, values, strict=True):
            known[leaf.operand] = value  # any of the shape: it is linear
        what = f"the reverse function of {given.name}"
        made, call = transposed(self.spec, given.reverse, seeds, what)
        operands = [known.get(leaf.operand, leaf) for leaf in call.given]
        for place, part in zip(
            given.cotangents, dynamic_leaves(call.procedure.details.result), strict=True
        ):
            if ir.is_real_number_kind(part.kind):
                owner = place.owner
                name = None if owner is None else str(owner.operand)
                operands.append(
                    self._tangent(arguments[name]) if name else core.constant(0.0)
                )
        parts = results_inlined(self.spec, made, operands)
        owners = [r for r in results if ir.is_real_number_kind(r.kind)]
        return values, {id(r): dot for r, dot in zip(owners, parts, strict=True)}

    def _tangent(self, argument: core.Leaf) -> core.Leaf:
        if isinstance(argument.operand, ir.Var):
            return self.filled_tangent(argument.operand)
        return self._zero(argument)

    def _zero(self, like: core.Leaf) -> core.Leaf:
        if ir.axes_of(like.kind) == ():
            return core.constant(0.0)
        return core.single(self.spec.apply(np.zeros_like, (like,), hint="zeros"))
