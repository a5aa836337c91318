"""Parameters, cotangents and results of derivatives that a differentiated function asks
for, in the structures of the arguments and of the result."""

from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.foreign import unknown_result
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.derivatives import gradients_of_lists
from s2sad.frontend.specialise.recursion.forms import dynamic_leaves
from s2sad.frontend.specialise.results import ADVICE, without_derivative


def names_of_parameters(
    known: tuple[str, ...], wrt: Any
) -> tuple[tuple[str, ...], bool]:
    """The parameters asked for, and whether it is a single one."""
    single = not isinstance(wrt, tuple)
    names = []
    for one in (wrt,) if single else wrt:
        if isinstance(one, int) and -len(known) <= one < len(known):
            one = known[one]
        if one not in known:
            raise core.Unsupported(f"there is no parameter {one!r}", "check wrt")
        names.append(one)
    return tuple(names), single


def active_parameters_of(
    procedure: ir.Procedure, names: tuple[str, ...]
) -> tuple[str, ...]:
    """The parameters of the procedure that hold the numbers of some arguments."""
    held = (core.leaves(procedure.details.arguments[name]) for name in names)
    return active_leaves(
        [leaf for own in held for leaf in own if is_parameter(procedure, leaf)]
    )


def active_leaves(found: list[core.Leaf]) -> tuple[str, ...]:
    """The parameters that hold these numbers, of which there must be some."""
    if not found:
        raise core.Unsupported(
            "there is nothing to differentiate by", "pass a float or an array"
        )
    return tuple(str(leaf.operand) for leaf in found)


def is_parameter(procedure: ir.Procedure, leaf: core.Leaf) -> bool:
    """True for a number or array, part of an argument, that may be differentiated."""
    parameters = {own.operand for own in procedure.details.parameters}
    return leaf.operand in parameters and ir.is_real_number_kind(leaf.kind)


def part_at(value: core.Value, place: int) -> core.Value:
    """What belongs to an argument: the value of its parameter, or one of ``*args``."""
    return value if place < 0 else value.items[place]  # type: ignore[union-attr]


def differentiated(
    spec: Specialiser, procedure: ir.Procedure, aux: bool
) -> tuple[core.Value, int | None]:
    """What is differentiated of what a function returns, and how many numbers and
    arrays it is; None for all."""
    result: core.Value = procedure.details.result
    if aux and not core.is_pair(result):
        raise core.Unsupported(
            f"has_aux=True, but {procedure.__name__} returns {core.describe(result)}",
            "return a pair (result, aux)",
        )
    main = result.items[0] if aux else result  # type: ignore[union-attr]
    found = without_derivative(main)
    if found is not None:
        spec.raise_problems()  # a path that is refused returns nothing
        raise core.Unsupported(
            f"{procedure.__name__} returns {found}, which has no derivative", ADVICE
        )
    return main, len(dynamic_leaves(main)) if aux else None


def seeds_of(
    procedure: ir.Procedure, seed: core.Value | None, main: core.Value | None = None
) -> list[core.Leaf]:
    """The cotangents of the results; a gradient without one needs a number."""
    results = dynamic_leaves(procedure.details.result if main is None else main)
    if seed is None:
        kind: ir.Kind | None = results[0].kind if len(results) == 1 else None
        if kind is None or not _may_be_number(kind):
            problem = core.Unsupported(
                f"{procedure.__name__} doesn't return a single number",
                "pass its cotangent as gradient=",
            )
            raise unknown_result(procedure, results, problem)
        return []
    given = list(core.leaves(seed))
    if not _have_one_form(results, given):
        raise core.Unsupported("the cotangent has another structure")
    pairs = zip(given, results, strict=True)
    return [g for g, result in pairs if ir.is_real_number_kind(result.kind)]


def _may_be_number(kind: ir.Kind) -> bool:
    """True for a real number, and for what only the run can tell from one."""
    if not ir.is_real_number_kind(kind):
        return False
    if isinstance(kind, ir.Unknown | ir.Array) and ir.axes_of(kind) is None:
        return True
    return ir.rank_of(kind) == 0 or ir.is_promoted(kind)


def _have_one_form(values: list[core.Leaf], seeds: list[core.Leaf]) -> bool:
    """True where seeds are as many as values, and structures that are kept as they are
    belong to such."""
    return len(values) == len(seeds) and all(
        _constructors(value) == _constructors(seed)
        for value, seed in zip(values, seeds, strict=True)
        if seed != core.constant(None)
    )


def _constructors(leaf: core.Leaf) -> set[type]:
    kind = leaf.kind
    forms = kind.forms if isinstance(kind, ir.Reference) else ()
    return {form.constructor for form in forms}


def tangents_of(
    procedure: ir.Procedure, place: tuple[str, int], tangent: core.Value
) -> list[tuple[core.Leaf, core.Leaf]]:
    """The numbers and arrays of an argument that may be differentiated, each with its
    tangent."""
    name, k = place
    own = list(core.leaves(part_at(procedure.details.arguments[name], k)))
    dots = list(core.leaves(tangent))
    if not _have_one_form(own, dots):
        raise core.Unsupported(
            f"the tangent of {name} has another structure than the argument, or one of "
            "them is kept as it is and the other isn't",
            "give tangents that are made like the argument, or take them outside",
        )
    pairs = zip(own, dots, strict=True)
    given = [pair for pair in pairs if pair[1] != core.constant(None)]
    return [(leaf, dot) for leaf, dot in given if is_parameter(procedure, leaf)]


def structured(
    procedure: ir.Procedure,
    names: tuple[str, ...],
    active: tuple[str, ...],
    found: list[core.Leaf],
) -> list[core.Value]:
    """Adjoints in the structure of the arguments; None where there is none."""
    by_name = dict(zip(active, found, strict=True))

    def adjoint(leaf: core.Leaf) -> core.Leaf:
        is_variable = isinstance(leaf.operand, ir.Var)
        return (
            by_name.get(str(leaf.operand), core.constant(None))
            if is_variable
            else (core.constant(None))
        )

    return [
        core.map_leaves(procedure.details.arguments[name], adjoint) for name in names
    ]


def in_lists(
    spec: Specialiser,
    procedure: ir.Procedure,
    given: list[core.Leaf],
    active: tuple[str, ...],
    found: list[core.Leaf],
) -> list[core.Leaf]:
    """Adjoints of parameters, those of lists as lists, like what is ``given``."""
    parameters = [str(own.operand) for own in procedure.details.parameters]
    by_name = dict(zip(parameters, given, strict=False))
    return [
        gradients_of_lists.in_form_of(spec, leaf, by_name[name])
        if isinstance(by_name[name].kind, ir.List)
        else leaf
        for name, leaf in zip(active, found, strict=True)
    ]


def result_like(procedure: ir.Procedure, found: list[core.Leaf]) -> core.Value:
    remaining = iter(found)

    def part(leaf: core.Leaf) -> core.Leaf:
        number = isinstance(leaf.kind, ir.Scalar | ir.NumPyScalar)
        plain = isinstance(leaf.operand, ir.Var) or number
        return next(remaining) if plain else leaf

    return core.map_leaves(procedure.details.result, part)
