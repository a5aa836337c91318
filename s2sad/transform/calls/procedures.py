"""Derivatives of procedures: a call of a program is differentiated by calls of others.

::

    y = f(x)      forward:  y, residuals = f_forward(x)
                  reverse:  x.bar = f_reverse(residuals, y.bar)

Each is made once for the arguments that vary. While it is being made it may already be
called, by itself.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.derivatives import inlined_programs
from s2sad.frontend.specialise.recursion import forms
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.calls import (
    cotangents_of_calls,
    gradients_again,
    jacobians_again,
    lone_reverses,
    partial_derivatives,
    properties,
)
from s2sad.transform.calls.pushed_procedures import name_of, named
from s2sad.transform.calls.whole_jacobians import is_whole
from s2sad.transform.forward.tangents import fresh_parameter
from s2sad.transform.programs import primal_programs
from s2sad.transform.reverse.gradient import (
    SEED,
    gradient_function,
    sweeps,
    with_number_checked,
)
from s2sad.transform.reverse.split import split_sweeps


def pair_of(
    procedure: ir.Procedure, active: tuple[str, ...], seeds: tuple[Masked | None, ...]
) -> primal_programs.Pair:
    """Forward and reverse program for the parameters that vary, for cotangents that
    are marked as ``seeds`` say, None for a result without one.

    While it is being made, calls of it by itself count on the least marks; if it turns
    out that there are others, or a later call has such seeds, it is made again. So it
    is where more turns out to hold of what is given to it. One of which there are
    batched versions stays as these know it, and there is another then."""
    if is_whole(procedure):
        pair = jacobians_again.pair_of(procedure, active)
        if pair is not None:
            return pair
        procedure = jacobians_again.line_by_line(procedure)
    known = procedure.derived.get(("pair", active))
    if known is not None and known.wider is not None:
        return pair_of(procedure, known.wider.active, seeds)
    given = properties.given_to(procedure)
    if known is not None:
        before = known.seeds, known.given
        seeds = tuple(map(cotangents_of_calls.joined, seeds, known.seeds))
        if (seeds, given) == before or known.in_making or not known.is_batched:
            known.seeds, known.given = seeds, given
            if (seeds, given) != before and not known.in_making:
                _make_pair(procedure, active, known)
            return known
    name = name_of(procedure, active, "pair")
    pair = primal_programs.new_pair(procedure, name, active)
    pair.seeds, pair.adjoints = seeds, dict.fromkeys(active, Masked.NO)
    pair.given = given
    procedure.derived["pair", active] = pair
    _make_pair(procedure, active, pair)
    pair.wider = _wider(procedure, pair)
    return pair if pair.wider is None else pair_of(procedure, pair.wider.active, seeds)


def _wider(procedure: ir.Procedure, pair: primal_programs.Pair) -> Any:
    """The pair for more parameters that one of a function that calls itself uses for
    these calls: it does for the first call, too."""
    called = set(ir.called_procedures(pair.forward.function.body))
    for key, other in procedure.derived.items():
        if (
            isinstance(key, tuple)
            and key[0] == "pair"
            and other.forward in called
            and set(other.active) > set(pair.active)
        ):
            return other
    return None


def _make_pair(
    procedure: ir.Procedure, active: tuple[str, ...], pair: primal_programs.Pair
) -> None:
    """Write the programs of a pair, until its marks are those it was made with."""
    made = None
    with primal_programs.in_making(procedure, pair) as spec:
        while made != (pair.seeds, pair.adjoints):
            made = pair.seeds, dict(pair.adjoints)
            if inlined_programs.hands_residuals_on(procedure):
                spec.derived = True
                marks = tuple(map(cotangents_of_calls.mark_of_seed, pair.seeds))
                of_adjoints = marks[-len(procedure.gradient.active) :]
                pair.seeds = marks
                gradients_again.fill_pair(
                    procedure, active, pair.forward, pair.reverse, of_adjoints
                )
                pair.found(dict.fromkeys(active, Masked.SELECTED))
                break
            pair.found(_fill_pair(procedure, active, pair))
    pair.reverse.seeded = tuple(mark is not None for mark in pair.seeds)


def _fill_pair(
    procedure: ir.Procedure, active: tuple[str, ...], pair: primal_programs.Pair
) -> Mapping[str, Masked]:
    """Write both programs; returns how adjoints of parameters are marked."""
    multiplies = partial_derivatives.are_enough(procedure, pair)
    primal_programs.name_pair(pair, multiplies=multiplies)
    if multiplies:
        return partial_derivatives.fill_pair(procedure, pair)
    found = lone_reverses.sweeps_of_pair(procedure, active, pair)
    forward, reverse = split_sweeps(
        found.sweeps,
        found.function,
        len(pair.returned) == 1,
        found.seed,
        lone_reverses.tidied,
        private=procedure.details.spec.options.private_residuals,
    )
    result, residuals, *of_results = ir.tuple_items(forward.final.value)
    results = result.items if isinstance(result, ir.Pack) else (result,)
    forward = forward.returning(ir.pack_tuple(*results, *of_results, residuals))
    pair.forward.function = named(forward, pair.forward)
    pair.reverse.function = named(reverse, pair.reverse)
    return found.adjoints


def gradient_of(
    procedure: ir.Procedure,
    active: tuple[str, ...],
    *,
    value: bool,
    seeded: bool,
    unit_seeds: bool = False,
    results: int | tuple[int, ...] | None = None,
) -> ir.Procedure:
    """The program that returns the adjoints of some parameters, behind the results if
    ``value``. If ``seeded`` it takes the cotangents of its results too, last. Only the
    first of the ``results`` are differentiated, or those named, all for None.
    """
    given_as = tuple(properties.given_to(procedure).items())
    key = ("gradient", active, value, seeded, unit_seeds, results, given_as)
    known = procedure.derived.get(key)
    if known is not None:
        return known
    specialised = primal_programs.specialised_procedure(procedure)
    spec = specialised.specialiser
    made = ir.Procedure(
        f"{name_of(procedure, active, 'gradient')}_grad",
        f"Gradient of {procedure.short}.",
        procedure,
    )
    made.short = f"{procedure.short}_grad"
    procedure.derived[key] = made
    parameters: dict[str, core.Leaf] = {
        str(p.operand): p for p in procedure.details.parameters
    }
    own_kinds = forms.returned_kinds(procedure)
    if isinstance(results, int):
        results = tuple(range(results))
    seeded_places: list[int] = []
    seeds: list[core.Leaf] = []
    with primal_programs.undisturbed(spec):
        spec.derived = True
        function = primal_programs.prepared(procedure)
        kinds = dict(function.kinds)
        parts: list[core.Value] = []
        for place, kind in enumerate(own_kinds):
            if results is not None and place not in results:
                parts.append(core.constant(None))
                continue
            if not seeded:
                parts.append(core.constant(1.0))
            elif not ir.is_real_number_kind(kind):
                parts.append(core.constant(None))
                continue
            else:
                wish = SEED if len(own_kinds) == 1 else f"{SEED}_{place}"
                name = fresh_parameter(wish, function)
                kinds[name] = ir.given_kind(ir.tangent_kind(kind))
                seeds.append(core.Leaf(ir.Var(name), kinds[name]))
                parts.append(seeds[-1])
            seeded_places.append(place)
        seed = parts[0] if len(parts) == 1 else core.aggregate_of(tuple(parts))
        function = replace(function, kinds=kinds)
        both = sweeps(
            specialised,
            function,
            active,
            seed,
            recompute=spec.options.recompute,
            whole_seeds=True,
            marked=Masked.UNIT if unit_seeds else Masked.NO,
            again=True,
        )
        if not seeded:
            (place,) = seeded_places
            both = with_number_checked(both, own_kinds[place], place)
        names = (*function.parameters, *(str(s.operand) for s in seeds))
        program = gradient_function(both, single=False, value=value, parameters=names)
    final = program.final.value
    flat: list[ir.Operand] = []
    for part in ir.tuple_items(final) if value else (final,):
        flat += part.items if isinstance(part, ir.Pack) else (part,)
    whole = ir.packed(flat)
    made.function = named(program.returning(whole), made)
    own = (parameters[name].kind for name in active)
    adjoints = [
        (ir.cotangent_kind_of_list(kind) or kind).gradient_kind() for kind in own
    ]
    kinds_found = [*own_kinds, *adjoints] if value else adjoints
    assert len(kinds_found) == len(flat)
    made.details = inlined_programs.details_of_derivative(
        spec, (*procedure.details.parameters, *seeds), kinds_found
    )
    made.gradient = gradients_again.OfProgram(
        procedure, active, value, tuple(seeded_places), tuple(seeds), unit_seeds
    )
    return made
