"""Derivatives of Jacobians whose sweeps hand residuals on, as those of functions that
call themselves do: residuals have no tangents, but tangents have Jacobians::

    tangent of J(x) along x.dot:            the Jacobian of J(x) x.dot
    adjoint of x, for the cotangent V:      the gradient of the sum of the elements
                                            [k, k] of f_jvp_batched(x, V)

for each row of V is a tangent. Where tangents can't be carried together, these are the
derivatives of the program that takes one cotangent after the other, whose gradients can
be differentiated again (see :mod:`s2sad.transform.calls.gradients_again`).
"""

import operator

import numpy as np

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives import inlined_programs
from s2sad.frontend.specialise.derivatives.jacobian_loops import (
    jacobian_one_by_one,
    made_by_text,
    wanted_places,
)
from s2sad.frontend.specialise.recursion import captured_variables, forms
from s2sad.rules.steps import jacobian_steps
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.calls.gradients_again import (
    check_may_run_twice,
    cotangent_kind,
    cotangents_of,
    kept_residual,
    names_of,
    program_of,
    tangents_of_parameters,
)
from s2sad.transform.calls.whole_jacobians import OfJacobian
from s2sad.transform.forward.tangents import fresh_parameter
from s2sad.transform.programs.primal_programs import Pair, new_pair, undisturbed
from s2sad.transform.reverse.gradient import SEED
from s2sad.transform.reverse.split import RESIDUALS


def line_by_line(procedure: ir.Procedure) -> ir.Procedure:
    """The program that can be differentiated in place of one that can't."""
    own: OfJacobian = procedure.gradient
    known: ir.Procedure | None = procedure.derived.get("one by one")
    if known is None:
        known = procedure.derived["one by one"] = _one_by_one(procedure, own)
    return known


def pushforward_of(
    procedure: ir.Procedure, active: tuple[str, ...]
) -> ir.Procedure | None:
    """The program that takes the arguments of a Jacobian and the tangents of those that
    vary, and returns the Jacobian and its tangent, which is the Jacobian of the
    tangent. None where tangents can't be carried together."""
    key = ("pushforward", active)
    if key not in procedure.derived:
        try:
            procedure.derived[key] = _pushforward(procedure, active)
        except (core.NotBatched, core.Unsupported):
            procedure.derived[key] = None
    made: ir.Procedure | None = procedure.derived[key]
    return made


def _pushforward(procedure: ir.Procedure, active: tuple[str, ...]) -> ir.Procedure:
    own: OfJacobian = procedure.gradient
    _check_has_rows(own)
    details: captured_variables.Details = procedure.details
    spec, parameters = details.spec, details.parameters
    dots = tangents_of_parameters(procedure, active)
    tangent = spec.derivatives.pushforward_of(
        own.program, tuple(dots), unit_tangents=True
    )
    count = len(forms.returned_kinds(own.program))
    places = wanted_places(forms.returned_kinds(own.program), own.results)
    again = spec.derivatives.jacobian_of(
        tangent, own.active, own.direction, tuple(count + place for place in places)
    )
    given = [*parameters, *dots.values()]
    with undisturbed(spec), spec.new_block() as body:
        spec.derived = True
        primals = inlined_programs.results_called(spec, procedure, [*parameters])
        found = inlined_programs.results_of_derivative(spec, again, given)
    values, blocks = found[count : 2 * count], found[2 * count :]
    made = ir.Procedure(
        f"{procedure.__name__}_jvp", f"Value and tangent of {procedure.short}."
    )
    final = ir.pack_tuple(*map(core.operand_of, [*primals, *values, *blocks]))
    made.function = program_of(made, spec, names_of(given), given, body, final)
    kinds = forms.returned_kinds(procedure)
    results = (*kinds, *map(ir.tangent_kind, kinds))
    made.details = inlined_programs.details_of_derivative(spec, given, results)
    return made


def _check_has_rows(own: OfJacobian) -> None:
    """Raise NotBatched for a gradient, of which there is a program already."""
    kinds = forms.returned_kinds(own.program)
    ranks = [ir.rank_of(kinds[place]) for place in wanted_places(kinds, own.results)]
    if own.direction == "sum" or (own.direction == "reverse" and ranks == [0]):
        raise core.NotBatched("it is a gradient")


def pair_of(procedure: ir.Procedure, active: tuple[str, ...]) -> Pair | None:
    """The sweeps of a Jacobian; None where tangents can't be carried together."""
    key = ("pair", active)
    if key not in procedure.derived:
        pair = new_pair(procedure, procedure.__name__, active)
        pair.found(dict.fromkeys(active, Masked.SELECTED))
        spec = procedure.details.spec
        try:
            with undisturbed(spec):
                spec.derived = True
                _fill_pair(procedure, active, pair.forward, pair.reverse)
            procedure.derived[key] = pair
        except (core.NotBatched, core.Unsupported):
            procedure.derived[key] = None
    known: Pair | None = procedure.derived[key]
    return known


def _fill_pair(
    procedure: ir.Procedure,
    active: tuple[str, ...],
    forward: ir.Procedure,
    reverse: ir.Procedure,
) -> None:
    """Write them. The rows of its cotangent are tangents of the
    program: the adjoints of the Jacobian are those of the tangents along them. Raises
    NotBatched where these can't be carried together."""
    own: OfJacobian = procedure.gradient
    _check_has_rows(own)
    if own.direction != "reverse":
        raise core.NotBatched("its cotangent has columns")
    details: captured_variables.Details = procedure.details
    spec, parameters = details.spec, details.parameters
    tangents = spec.derivatives.batched_pushforward_of(own.program, own.active)
    kinds = forms.returned_kinds(own.program)
    places = wanted_places(kinds, own.results)
    check_may_run_twice(own.program)
    with spec.new_block() as body:
        results = inlined_programs.results_called(spec, procedure, [*parameters])
        of_shapes = [results[place] for place in places]
        kept = [kept_residual(spec, leaf) for leaf in (*parameters, *of_shapes)]
    final = ir.pack_tuple(
        *map(core.operand_of, results), ir.pack_tuple(*(leaf.operand for leaf in kept))
    )
    names = names_of(parameters)
    forward.function = program_of(forward, spec, names, parameters, body, final)

    residuals = fresh_parameter(RESIDUALS, procedure.function)
    gradient = fresh_parameter(SEED, procedure.function)
    with spec.new_block() as body:
        shown = [core.Leaf(spec.fresh("result"), kinds[place]) for place in places]
        target = ir.pack_tuple(*(leaf.operand for leaf in (*parameters, *shown)))
        spec.emit(ir.Assign(None, target, ir.Var(residuals)))
        together = forms.returned_kinds(procedure)
        cotangents = cotangents_of(spec, ir.Var(gradient), together)
        seeds = _seeds(spec, own, shown, tangents)
        for place, kind in enumerate(kinds):
            if ir.is_real_number_kind(kind):
                seeds[place] = cotangents[place]
        adjoints = spec.derivatives.gradient_of(
            tangents, active, value=False, seeded=True, results=tuple(sorted(seeds))
        )
        rows = _rows(spec, own, parameters, shown, cotangents[len(kinds) :])
        given = [*parameters, *rows, *(seeds[place] for place in sorted(seeds))]
        found = inlined_programs.results_called(spec, adjoints, given)
    parts = list(map(core.operand_of, found))
    whole = ir.packed(parts)
    typed = (*parameters, *shown, core.Leaf(ir.Var(gradient), cotangent_kind(together)))
    reverse.function = program_of(
        reverse, spec, (residuals, gradient), typed, body, whole
    )


def _seeds(
    spec: Specialiser, own: OfJacobian, results: list[core.Leaf], tangents: ir.Procedure
) -> dict[int, core.Leaf]:
    """The cotangents of the tangents of results along the rows: each row belongs to one
    element of one result."""
    kinds = forms.returned_kinds(own.program)
    count = len(kinds)
    batched = forms.returned_kinds(tangents)[count:]
    places = wanted_places(kinds, own.results)
    start, starts = core.constant(0), []
    for leaf in results:
        starts.append(start)
        size = made_by_text(spec, jacobian_steps.number_of_elements, x=leaf)
        total = core.single(spec.operate(operator.add, (start, size)))
        start = total
    return {
        count + place: _unit_seeds(spec, leaf, start, first, len(results) == 1)
        for place, leaf, first in zip(places, results, starts, strict=True)
        if ir.rank_of(batched[place]) != ir.rank_of(leaf.kind)
    }


def _unit_seeds(
    spec: Specialiser, x: core.Leaf, count: core.Leaf, start: core.Leaf, alone: bool
) -> core.Leaf:
    if alone and ir.rank_of(x.kind):
        return made_by_text(spec, jacobian_steps.unit_seeds, x=x)
    text = jacobian_steps.some_unit_seeds
    return made_by_text(spec, text, x=x, count=count, start=start)


def _rows(
    spec: Specialiser,
    own: OfJacobian,
    parameters: tuple[core.Leaf, ...],
    results: list[core.Leaf],
    cotangents: list[core.Leaf],
) -> list[core.Leaf]:
    """The rows of the cotangents of all Jacobians with respect to each argument."""
    by_name = dict(zip(names_of(parameters), parameters, strict=True))
    found = []
    for k, name in enumerate(own.active):
        parts = [
            made_by_text(
                spec,
                jacobian_steps.rows_of,
                jacobian=cotangents[j * len(own.active) + k],
                y=leaf,
                x=by_name[name],
            )
            for j, leaf in enumerate(results)
        ]
        whole: core.Value = parts[0]
        if len(parts) > 1:
            whole = spec.apply(np.concatenate, (core.aggregate_of(tuple(parts)),))
        assert isinstance(whole, core.Leaf)
        found.append(whole)
    return found


def _one_by_one(procedure: ir.Procedure, own: OfJacobian) -> ir.Procedure:
    details: captured_variables.Details = procedure.details
    spec, parameters = details.spec, details.parameters
    with spec.new_block() as body:
        results, blocks = _written(spec, own, list(parameters))
    found = [*results, *blocks]
    operands = [core.operand_of(leaf) for leaf in found]
    whole = ir.packed(operands)
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
    made.details = captured_variables.Details(spec, parameters, {}, 0, result=result)
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
    results = inlined_programs.results_inlined(spec, own.program, given)
    made = spec.derivatives.gradient_of(
        own.program, own.active, value=False, seeded=True, results=own.results
    )
    places = wanted_places([leaf.kind for leaf in results], own.results)
    ones = [_ones(spec, results[place]) for place in places]
    found = inlined_programs.results_of_derivative(spec, made, [*given, *ones])
    return results, found


def _ones(spec: Specialiser, like: core.Leaf) -> core.Leaf:
    if ir.axes_of(like.kind) == ():
        return core.constant(1.0)
    return core.single(spec.apply(np.ones_like, (like,), hint="ones"))
