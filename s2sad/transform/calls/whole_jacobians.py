"""Jacobians whose sweeps hand residuals on: they are differentiated as a whole, see
:mod:`s2sad.transform.calls.jacobians_again`, and stay calls until nothing does."""

from collections import Counter
from dataclasses import dataclass, replace

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives import inlined_programs, jacobian_loops


@dataclass(frozen=True)
class OfJacobian:
    """Which Jacobian a procedure is."""

    program: ir.Procedure
    active: tuple[str, ...]
    direction: str
    results: jacobian_loops.Results


def is_whole(procedure: ir.Procedure) -> bool:
    """True for a Jacobian that can't be differentiated line by line."""
    return isinstance(
        procedure.gradient, OfJacobian
    ) and inlined_programs.hands_residuals_on(procedure)


def with_jacobians_written_out(function: ir.Function, spec: Specialiser) -> ir.Function:
    """A program that isn't differentiated, with the only call of a Jacobian written
    out."""
    programs = [function, *(p.function for p in ir.all_procedures([function.body]))]
    calls = Counter(p for f in programs for p in ir.called_procedures(f.body))
    body: list[ir.Statement] = []
    for s in function.body:
        called = [p for p in ir.called_procedures((s,)) if is_whole(p)]
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
            found = inlined_programs.results_inlined(spec, procedure, given)
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
