"""Derivatives of Jacobians whose sweeps hand residuals on: those of the program that
takes one cotangent after the other, whose gradients can be differentiated again (see
:mod:`s2sad.transform.calls.gradients_again`)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives.inlined_programs import (
    call_derivative,
    call_inlined,
    hands_residuals_on,
)
from s2sad.frontend.specialise.derivatives.jacobian_loops import jacobian_one_by_one
from s2sad.frontend.specialise.recursion.captured_variables import Details
from s2sad.frontend.specialise.recursion.forms import results_of_call


@dataclass(frozen=True)
class OfJacobian:
    """Which Jacobian a procedure is."""

    program: ir.Procedure
    active: tuple[str, ...]
    direction: str
    results: int | None


def line_by_line(procedure: ir.Procedure) -> ir.Procedure:
    """The program that can be differentiated in place of one that can't."""
    if not _is_whole(procedure):
        return procedure
    own: OfJacobian = procedure.gradient
    known: ir.Procedure | None = procedure.derived.get("one by one")
    if known is None:
        known = procedure.derived["one by one"] = _one_by_one(procedure, own)
    return known


def _is_whole(procedure: ir.Procedure) -> bool:
    """True for a Jacobian that can't be differentiated line by line."""
    return isinstance(procedure.gradient, OfJacobian) and hands_residuals_on(procedure)


def with_jacobians_written_out(function: ir.Function, spec: Specialiser) -> ir.Function:
    """A program that isn't differentiated, with the only call of a Jacobian written
    out."""
    programs = [function, *(p.function for p in ir.all_procedures([function.body]))]
    calls = Counter(p for f in programs for p in ir.called_procedures(f.body))
    body: list[ir.Statement] = []
    for s in function.body:
        called = [p for p in ir.called_procedures((s,)) if _is_whole(p)]
        if not isinstance(s, ir.Assign) or not called or calls[called[0]] > 1:
            body.append(s)
            continue
        assert isinstance(s.value, ir.Apply)
        (procedure,) = called
        outer, spec.span = spec.span, s.span
        with spec.new_block() as lines:
            given = [
                core.Leaf(v, function.kinds.get(str(v), ir.UNKNOWN))
                for v in s.value.args
            ]
            found = results_of_call(procedure, call_inlined(spec, procedure, given))
        spec.span = outer
        body += lines
        for target, leaf in zip(ir.operand_variables(s.target), found, strict=True):
            body.append(ir.Assign(s.span, target, leaf.operand, leaf.kind))
    if len(body) == len(function.body):
        return function
    return replace(
        function,
        body=tuple(body),
        kinds={**spec.kinds_of_inlined, **function.kinds},
        temporaries=frozenset(function.temporaries | spec.temporaries),
    )


def _one_by_one(procedure: ir.Procedure, own: OfJacobian) -> ir.Procedure:
    details: Details = procedure.details
    spec, parameters = details.spec, details.parameters
    with spec.new_block() as body:
        results, blocks = _written(spec, own, list(parameters))
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


def _written(
    spec: Specialiser, own: OfJacobian, given: list[core.Leaf]
) -> tuple[list[core.Leaf], list[core.Leaf]]:
    """The results, and the Jacobian of each, by derivatives that can be differentiated
    again."""
    if own.direction != "sum":
        return jacobian_one_by_one(
            spec, own.program, given, own.active, own.direction, own.results
        )
    results = results_of_call(own.program, call_inlined(spec, own.program, given))
    made = spec.derivatives.gradient_of(
        own.program, own.active, value=False, seeded=True, results=own.results
    )
    real = [leaf for leaf in results[: own.results] if ir.is_real_number_kind(leaf.kind)]
    ones = [_ones(spec, leaf) for leaf in real]
    found = results_of_call(made, call_derivative(spec, made, [*given, *ones]))
    return results, found


def _ones(spec: Specialiser, like: core.Leaf) -> core.Leaf:
    if ir.axes_of(like.kind) == ():
        return core.constant(1.0)
    made = spec.apply(np.ones_like, (like,), hint="ones")
    assert isinstance(made, core.Leaf)
    return made
