"""Derivatives of gradients whose sweeps hand residuals on, as those of functions that
call themselves do: residuals have no tangents, but tangents have gradients.

With ``f_jvp(x, v)`` the tangent ``J(x) v``, and ``f_grad(x, s)`` the adjoint
``J(x)^T s``, the tangent and the adjoints of the adjoint are adjoints of the tangent::

    tangent of f_grad along x.dot, s.dot:
        the adjoint of x in  s * f_jvp(x, x.dot) + s.dot * f(x)
    adjoints of f_grad for the cotangent v:
        the adjoint of x in  s * f_jvp(x, v),  and  f_jvp(x, v) itself for s

for second derivatives are symmetric (Griewank and Walther, Evaluating Derivatives, 2nd
ed., section 5.1). So only tangents are differentiated, to any order, and each
derivative costs one sweep forward and one back.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.passes.purity import draws
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives import inlined_programs
from s2sad.frontend.specialise.recursion.forms import returned_kinds
from s2sad.frontend.specialise.run_time.storing import leads_to_stored
from s2sad.ops.runtime.structures import as_structure
from s2sad.transform.adjoints.cotangents import Masked
from s2sad.transform.forward.tangents import fresh_parameter
from s2sad.transform.reverse.gradient import SEED
from s2sad.transform.reverse.split import RESIDUALS
from s2sad.transform.run_time import kept_structures
from s2sad.transform.run_time.zeros import (
    added_structure,
    refuse_told_by_text,
    zeros_of,
)


@dataclass(frozen=True)
class OfProgram:
    """Which gradient a procedure is."""

    program: ir.Procedure
    active: tuple[str, ...]
    """The parameters whose adjoints it returns."""
    value: bool
    """It returns the results too, in front."""
    seeded: tuple[int, ...]
    """The results that are differentiated."""
    seeds: tuple[core.Leaf, ...]
    """The parameters for their cotangents; none where that is 1."""
    unit_seeds: bool

    def seeds_behind(self, count: int) -> dict[int, core.Leaf]:
        """The cotangents by place, behind ``count`` other results."""
        ones = [core.Leaf(ir.Const(1.0), ir.FLOAT) for _ in self.seeded]
        pairs = zip(self.seeded, self.seeds or ones, strict=True)
        return {count + place: seed for place, seed in pairs}


def tangents_of_parameters(
    made: ir.Procedure, active: tuple[str, ...]
) -> dict[str, core.Leaf]:
    """Parameters for the tangents of those parameters that vary."""
    dots: dict[str, core.Leaf] = {}
    for leaf in made.details.parameters:
        if (name := str(leaf.operand)) in active:
            dot = fresh_parameter(f"{name}_dot", made.function)
            dots[name] = core.Leaf(ir.Var(dot), _tangent_kind(leaf.kind))
    return dots


def _tangent_kind(kind: ir.Kind) -> ir.Kind:
    """That of a reference is its own: its slots hold the tangents of numbers."""
    return kind if ir.is_of_references(kind) else ir.tangent_kind(kind)


def fill_pushforward(
    made: ir.Procedure,
    active: tuple[str, ...],
    pushed: ir.Procedure,
    unit_tangents: bool,
) -> None:
    """Write the program that takes the arguments of a gradient and the tangents of
    those that vary, and returns what it returns and the tangents of that."""
    own: OfProgram = made.gradient
    spec, parameters = made.details.spec, made.details.parameters
    primals = own.program.details.parameters
    dots = tangents_of_parameters(made, active)
    varying = tuple(n for n in names_of(primals) if n in own.active or n in dots)
    some_zero = not set(varying) <= set(dots)
    tangent = spec.derivatives.pushforward_of(
        own.program, varying, unit_tangents=unit_tangents or some_zero
    )
    names_of_dots = names_of(tangent.details.parameters)[len(primals) :]
    of_dots = dict(zip(varying, names_of_dots, strict=True))
    count = len(returned_kinds(own.program))
    # the cotangents s.dot of the results that have one, and s of their tangents
    seeds: dict[int, core.Leaf] = {}
    for place, seed in zip(own.seeded, own.seeds, strict=False):
        if str(seed.operand) in dots:
            seeds[place] = dots[str(seed.operand)]
    seeds |= own.seeds_behind(count)
    adjoints = spec.derivatives.gradient_of(
        tangent,
        (*own.active, *(of_dots[name] for name in own.active)),
        value=own.value,
        seeded=True,
        unit_seeds=own.unit_seeds or unit_tangents,
        results=tuple(seeds),
    )
    with spec.new_block() as body:
        tangents = [dots.get(str(p.operand)) or zeros_like(spec, p) for p in primals]
        given = [t for t, name in zip(tangents, names_of(primals)) if name in varying]
        found = inlined_programs.results_called(
            spec, adjoints, [*primals, *given, *seeds.values()]
        )
    values = found[: 2 * count] if own.value else []
    half = len(own.active)
    of_primals, of_tangents = found[len(values) :][:half], found[len(values) + half :]
    results = [*values[:count], *of_tangents, *values[count:], *of_primals]
    taken = (*parameters, *dots.values())
    final = ir.pack_tuple(*map(core.operand_of, results))
    pushed.function = program_of(pushed, spec, names_of(taken), taken, body, final)
    own_kinds = returned_kinds(made)
    kinds = (*own_kinds, *map(_tangent_kind, own_kinds))
    pushed.details = inlined_programs.details_of_derivative(spec, taken, kinds)


def fill_pair(
    made: ir.Procedure,
    active: tuple[str, ...],
    forward: ir.Procedure,
    reverse: ir.Procedure,
    seeds_of_adjoints: Iterable[Masked],
) -> None:
    """Write the sweeps of a gradient: what it is given are the residuals.
    ``seeds_of_adjoints`` say how the cotangents of the adjoints that it returns are
    marked."""
    own: OfProgram = made.gradient
    spec, parameters = made.details.spec, made.details.parameters
    primals = own.program.details.parameters
    check_may_run_twice(own.program)
    for leaf in primals:
        if str(leaf.operand) in own.active:
            refuse_told_by_text(leaf.kind)
    adjoints_given = _adjoints_given(made, active)
    bars = tuple(adjoints_given.values())
    with spec.new_block() as body:
        results = inlined_programs.results_called(spec, made, list(parameters))
        of_results = _adjoints_of_results(spec, results)
        kept = [leaf.operand for leaf in _kept_residuals(spec, parameters)]
        kept += [bar.operand for bar in (*bars, *of_results.values())]
    returned = map(core.operand_of, (*results, *of_results.values()))
    final = ir.pack_tuple(*returned, ir.pack_tuple(*kept))
    taken = (*parameters, *bars)
    forward.function = program_of(forward, spec, names_of(taken), taken, body, final)

    residuals = fresh_parameter(RESIDUALS, made.function)
    gradient = fresh_parameter(SEED, made.function)
    tangent = spec.derivatives.pushforward_of(
        own.program, own.active, unit_tangents=any(seeds_of_adjoints)
    )
    kinds = returned_kinds(own.program)
    count = len(kinds)
    with spec.new_block() as body:
        held = (*taken, *of_results.values())
        target = ir.pack_tuple(*(leaf.operand for leaf in held))
        spec.emit(ir.Assign(None, target, ir.Var(residuals)))
        cotangents = cotangents_of(spec, ir.Var(gradient), returned_kinds(made))
        for place, bar in of_results.items():
            cotangents[place] = bar
        seeds: dict[int, core.Leaf] = {}
        if own.value:
            for place, kind in enumerate(kinds):
                if ir.is_real_number_kind(kind):
                    seeds[place] = cotangents[place]
        seeds |= own.seeds_behind(count)
        of_adjoints = cotangents[len(cotangents) - len(own.active) :]
        by_operand = {str(p.operand): p for p in primals}
        tangents = [
            as_tangent(spec, by_operand[name], bar)
            for name, bar in zip(own.active, of_adjoints, strict=True)
        ]
        given = [*primals, *tangents]
        wanted = tuple(n for n in names_of(primals) if n in active)
        if wanted:
            adjoints = spec.derivatives.gradient_of(
                tangent,
                wanted,
                value=True,
                seeded=True,
                unit_seeds=own.unit_seeds,
                results=tuple(seeds),
            )
            called, own_arguments = adjoints, [*given, *seeds.values()]
        else:
            called, own_arguments = tangent, given
        values = inlined_programs.results_called(spec, called, own_arguments)
        by_name = dict(zip(wanted, values[2 * count :], strict=True))
        for place, seed in zip(own.seeded, own.seeds, strict=False):
            by_name[str(seed.operand)] = values[count + place]
        if adjoints_given:
            of_structures = [by_name[name] for name in adjoints_given]
            _add_together(spec, list(adjoints_given.values()), of_structures)
    parts = [core.operand_of(by_name[n]) for n in active if n not in adjoints_given]
    whole = ir.packed(parts)
    together = cotangent_kind(returned_kinds(made))
    typed = (*taken, core.Leaf(ir.Var(gradient), together))
    reverse.function = program_of(
        reverse, spec, (residuals, gradient), typed, body, whole
    )


def _adjoints_given(
    made: ir.Procedure, active: tuple[str, ...]
) -> dict[str, core.Leaf]:
    """The parameters for the adjoints of those active ones that are references."""
    given: dict[str, core.Leaf] = {}
    for leaf in made.details.parameters:
        name = str(leaf.operand)
        if name in active and ir.is_of_references(leaf.kind):
            bar = fresh_parameter(f"{name}.bar", made.function)
            given[name] = core.Leaf(ir.Var(bar), ir.adjoint_kind(leaf.kind))
    return given


def _add_together(
    spec: Specialiser, adjoints: list[core.Leaf], parts: list[core.Leaf]
) -> None:
    """Add structures to adjoints. What several of them lead to has its total in each,
    and gets it once."""
    bars, amounts = adjoints[0].operand, parts[0].operand
    if len(adjoints) > 1:
        places = tuple(range(len(adjoints)))
        operands = tuple(leaf.operand for leaf in adjoints)
        held: dict[Hashable, ir.Kind] = dict(enumerate(leaf.kind for leaf in parts))
        kind = ir.Reference((ir.Form(list, places, held),))
        bars = spec.fresh("bars")
        together = ir.Pack(list, places, operands)
        spec.emit(ir.Assign(spec.span, bars, together, ir.adjoint_kind(kind), True))
        amounts = spec.fresh("amounts")
        together = ir.Pack(list, places, tuple(leaf.operand for leaf in parts))
        spec.emit(ir.Assign(spec.span, amounts, together, kind, True))
    spec.emit(ir.Effect(spec.span, added_structure(spec, bars, amounts)))


def _adjoints_of_results(
    spec: Specialiser, results: list[core.Leaf]
) -> dict[int, core.Leaf]:
    """Zeros for what those results lead to that are references, by place: others add to
    them."""
    made: dict[int, core.Leaf] = {}
    for place, result in enumerate(results):
        if ir.is_of_references(result.kind):
            kind = ir.adjoint_kind(result.kind)
            zeros = zeros_of(spec, result.operand)
            made[place] = spec.assign(spec.fresh("result.bar"), zeros, kind)
    return made


def check_may_run_twice(program: ir.Procedure) -> None:
    """Refuse what draws random numbers."""
    if draws(program):
        raise core.Unsupported(
            f"{program.__name__} draws random numbers, and the second derivative "
            "of a function that calls itself would draw others",
            "draw them before, and pass them in",
        )


def zeros_like(spec: Specialiser, primal: core.Leaf) -> core.Leaf:
    """The tangent of an argument that doesn't vary."""
    if ir.axes_of(primal.kind) == ():
        return core.Leaf(ir.Const(0.0), ir.FLOAT)
    if ir.is_of_references(primal.kind):
        zeros = zeros_of(spec, primal.operand)
        made = core.single(spec.assign(spec.fresh("zeros"), zeros, primal.kind))
        return as_tangent(spec, primal, made)
    function: Any = np.zeros_like
    if isinstance(primal.kind, ir.List):
        function = ops.zero_rows if ir.is_ragged(primal.kind) else ops.zeros_along
    return core.single(spec.apply(function, (primal,), hint="zeros"))


def as_tangent(spec: Specialiser, primal: core.Leaf, adjoint: core.Leaf) -> core.Leaf:
    """What has the slots of an adjoint as a tangent: that of a list is a list, which
    may change as it does, and that of a number where references stand a number."""
    kind = primal.kind
    if ir.is_list_of_numbers(kind) and isinstance(adjoint.kind, ir.Array):
        numbers = ir.Apply(ops.numbers_of, (adjoint.operand,))
        return spec.assign(spec.fresh("tangent"), numbers, ir.tangent_kind(kind))
    if not isinstance(kind, ir.Reference):
        return adjoint
    values = [form for form in ir.reached_forms(kind) if form.is_value]
    if not values:
        return adjoint
    whole = (issubclass(form.constructor, int) for form in values)
    if any(whole) or any(ir.may_be_no_number(f, ir.ITSELF) for f in values):
        raise core.Unsupported(
            "the gradient with respect to what holds ints and floats in the place of "
            "lists or objects can't be differentiated in reverse mode again",
            "use hvp or jvp, or make the ints floats",
        )
    made = ir.Apply(as_structure, (primal.operand, adjoint.operand))
    return spec.assign(spec.fresh("tangent"), made, kind)


def _kept_residuals(
    spec: Specialiser, parameters: Iterable[core.Leaf]
) -> Iterator[core.Leaf]:
    """The arguments as residuals: copies of those into which the program stores."""
    stored = [
        leaf
        for leaf in parameters
        if ir.is_of_references(leaf.kind) and leads_to_stored(spec, leaf.kind)
    ]
    names = list(dict.fromkeys(str(leaf.operand) for leaf in stored))
    copies = {name: spec.fresh("copy") for name in names}
    kinds = {str(leaf.operand): leaf.kind for leaf in stored}
    views = ops.WRITTEN_ARRAYS in spec.facts.stored
    targets = list(copies.values())
    for line in kept_structures.copies_of(names, targets, kinds, views):
        spec.emit(line)
    for leaf in parameters:
        own = copies.get(str(leaf.operand))
        yield kept_residual(spec, leaf) if own is None else core.Leaf(own, leaf.kind)


def kept_residual(spec: Specialiser, leaf: core.Leaf) -> core.Leaf:
    """An argument as a residual."""
    if not spec.options.private_residuals or not isinstance(leaf.kind, ir.Array):
        return leaf
    return core.single(spec.apply(ops.own_copy, (leaf,), hint="kept"))


def cotangents_of(
    spec: Specialiser, whole: ir.Var, kinds: list[ir.Kind]
) -> list[core.Leaf]:
    """The cotangents of several results, of which a program is given one tuple."""
    kinds = [ir.cotangent_kind_of_list(kind) or kind for kind in kinds]
    if len(kinds) == 1:
        return [core.Leaf(whole, kinds[0])]
    found = [core.Leaf(spec.fresh("part"), kind) for kind in kinds]
    target = ir.pack_tuple(*map(core.operand_of, found))
    structure = ir.tuple_of_kinds(kinds)
    spec.emit(ir.Assign(None, target, whole, structure))
    return found


def cotangent_kind(kinds: list[ir.Kind]) -> ir.Kind:
    """The kind of the cotangents of results, one tuple where there are several."""
    own = tuple(ir.cotangent_kind_of_list(kind) or kind for kind in kinds)
    if len(own) == 1:
        return own[0]
    return ir.tuple_of_kinds(own)


def names_of(parameters: Iterable[core.Leaf]) -> tuple[str, ...]:
    return tuple(str(leaf.operand) for leaf in parameters)


def program_of(
    procedure: ir.Procedure,
    spec: Specialiser,
    parameters: tuple[str, ...],
    typed: Iterable[core.Leaf],
    body: list[ir.Statement],
    final: ir.Operand,
) -> ir.Function:
    return ir.Function(
        procedure.__name__,
        parameters,
        (*body, ir.Return(None, final)),
        {**spec.kinds_of_inlined, **{str(t.operand): t.kind for t in typed}},
        frozenset(spec.temporaries),
        docstring=procedure.docstring,
    )
