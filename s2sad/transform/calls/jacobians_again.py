"""Derivatives of Jacobians whose sweeps hand residuals on: those of the program that
takes one cotangent after the other, whose gradients can be differentiated again (see
:mod:`s2sad.transform.calls.gradients_again`)."""

from __future__ import annotations

from dataclasses import dataclass

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.derivatives.inlined_programs import hands_residuals_on
from s2sad.frontend.specialise.derivatives.jacobian_loops import jacobian_one_by_one
from s2sad.frontend.specialise.recursion.captured_variables import Details


@dataclass(frozen=True)
class OfJacobian:
    """Which Jacobian a procedure is."""

    program: ir.Procedure
    active: tuple[str, ...]
    direction: str
    results: int | None


def line_by_line(procedure: ir.Procedure) -> ir.Procedure:
    """The program that can be differentiated in place of one that can't."""
    own = procedure.gradient
    if not isinstance(own, OfJacobian) or not hands_residuals_on(procedure):
        return procedure
    known: ir.Procedure | None = procedure.derived.get("one by one")
    if known is None:
        known = procedure.derived["one by one"] = _one_by_one(procedure, own)
    return known


def _one_by_one(procedure: ir.Procedure, own: OfJacobian) -> ir.Procedure:
    details: Details = procedure.details
    spec, parameters = details.spec, details.parameters
    with spec.new_block() as body:
        results, blocks = jacobian_one_by_one(
            spec, own.program, list(parameters), own.active, own.direction, own.results
        )
    found = [*results, *blocks]
    operands = [core.operand_of(leaf) for leaf in found]
    whole = operands[0] if len(operands) == 1 else ir.pack_tuple(*operands)
    made = ir.Procedure(procedure.__name__, procedure.docstring, procedure)
    made.function = ir.Function(
        made.__name__,
        procedure.function.parameters,
        (*body, ir.Return(None, whole)),
        {**spec.kinds_of_inlined, **{str(p.operand): p.kind for p in parameters}},
        frozenset(spec.temporaries),
        docstring=made.docstring,
    )
    kinds = [core.Leaf(ir.Var("result"), leaf.kind) for leaf in found]
    result = kinds[0] if len(kinds) == 1 else core.aggregate_of(tuple(kinds))
    made.details = Details(spec, parameters, {}, 0, result=result)
    return made
