"""Parameters, cotangents and results of derivatives that a differentiated function asks
for, in the structures of the arguments and of the result."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from s2sad.frontend.specialise.calls.foreign import unknown_result
from s2sad.frontend.specialise.calls.forms import dynamic_leaves
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.values import (
    Leaf,
    Value,
    constant,
    describe,
    is_pair,
    leaves,
    map_leaves,
)
from s2sad.frontend.specialise.results import ADVICE, without_derivative
from s2sad.ir.kinds import Kind, NumPyScalar, Scalar, is_real_number_kind, rank_of
from s2sad.ir.nodes import Var
from s2sad.ir.procedures import Procedure

if TYPE_CHECKING:
    from s2sad.frontend.specialise.core.specialiser import Specialiser


def names_of_parameters(
    known: tuple[str, ...], wrt: Any, node: ast.AST
) -> tuple[tuple[str, ...], bool]:
    """The parameters asked for, and whether it is a single one."""
    single = not isinstance(wrt, tuple)
    names = []
    for one in (wrt,) if single else wrt:
        if isinstance(one, int) and -len(known) <= one < len(known):
            one = known[one]
        if one not in known:
            raise Unsupported(node, f"there is no parameter {one!r}", "check wrt")
        names.append(one)
    return tuple(names), single


def active_parameters_of(
    procedure: Procedure, names: tuple[str, ...], node: ast.AST
) -> tuple[str, ...]:
    """The parameters of the procedure that hold the numbers of some arguments."""
    held = (leaves(procedure.details.arguments[name]) for name in names)
    return active_leaves(
        [leaf for own in held for leaf in own if is_parameter(procedure, leaf)], node
    )


def active_leaves(found: list[Leaf], node: ast.AST) -> tuple[str, ...]:
    """The parameters that hold these numbers, of which there must be some."""
    if not found:
        raise Unsupported(
            node, "there is nothing to differentiate by", "pass a float or an array"
        )
    return tuple(str(leaf.operand) for leaf in found)


def is_parameter(procedure: Procedure, leaf: Leaf) -> bool:
    """True for a number or array, part of an argument, that may be differentiated."""
    parameters = {own.operand for own in procedure.details.parameters}
    return leaf.operand in parameters and is_real_number_kind(leaf.kind)


def part_at(value: Value, place: int) -> Value:
    """What belongs to an argument: the value of its parameter, or one of ``*args``."""
    return value if place < 0 else value.items[place]  # type: ignore[union-attr]


def differentiated(
    spec: Specialiser, procedure: Procedure, aux: bool, node: ast.AST
) -> tuple[Value, int | None]:
    """What is differentiated of what a function returns, and how many numbers and
    arrays it is; None for all."""
    result: Value = procedure.details.result
    if aux and not is_pair(result):
        raise Unsupported(
            node,
            f"has_aux=True, but {procedure.__name__} returns {describe(result)}",
            "return a pair (result, aux)",
        )
    main = result.items[0] if aux else result  # type: ignore[union-attr]
    found = without_derivative(main)
    if found is not None:
        spec.raise_problems()  # a path that is refused returns nothing
        raise Unsupported(
            node,
            f"{procedure.__name__} returns {found}, which has no derivative",
            ADVICE,
        )
    return main, len(dynamic_leaves(main)) if aux else None


def seeds_of(
    procedure: Procedure,
    seed: Value | None,
    node: ast.AST,
    main: Value | None = None,
) -> list[Leaf]:
    """The cotangents of the results; a gradient without one needs a number."""
    results = dynamic_leaves(procedure.details.result if main is None else main)
    if seed is None:
        kind: Kind | None = results[0].kind if len(results) == 1 else None
        if kind is None or rank_of(kind) != 0 or not is_real_number_kind(kind):
            problem = Unsupported(
                node,
                f"{procedure.__name__} doesn't return a single number",
                "pass its cotangent as gradient=",
            )
            raise unknown_result(procedure, results, problem)
        return []
    given = list(leaves(seed))
    if len(given) != len(results):
        raise Unsupported(node, "the cotangent has another structure", "")
    pairs = zip(given, results, strict=True)
    return [g for g, result in pairs if is_real_number_kind(result.kind)]


def tangents_of(
    procedure: Procedure, place: tuple[str, int], tangent: Value
) -> list[tuple[Leaf, Leaf]]:
    """The numbers and arrays of an argument that may be differentiated, each with its
    tangent."""
    name, k = place
    own = leaves(part_at(procedure.details.arguments[name], k))
    pairs = zip(own, leaves(tangent), strict=True)
    given = [pair for pair in pairs if pair[1] != constant(None)]
    return [(leaf, dot) for leaf, dot in given if is_parameter(procedure, leaf)]


def structured(
    procedure: Procedure,
    names: tuple[str, ...],
    active: tuple[str, ...],
    found: list[Leaf],
) -> list[Value]:
    """Adjoints in the structure of the arguments; None where there is none."""
    by_name = dict(zip(active, found, strict=True))

    def adjoint(leaf: Leaf, path: tuple) -> Leaf:
        is_variable = isinstance(leaf.operand, Var)
        return (
            by_name.get(str(leaf.operand), constant(None))
            if is_variable
            else (constant(None))
        )

    return [map_leaves(procedure.details.arguments[name], adjoint) for name in names]


def result_like(procedure: Procedure, found: list[Leaf]) -> Value:
    remaining = iter(found)

    def part(leaf: Leaf, path: tuple) -> Leaf:
        number = isinstance(leaf.kind, Scalar | NumPyScalar)
        plain = isinstance(leaf.operand, Var) or number
        return next(remaining) if plain else leaf

    return map_leaves(procedure.details.result, part)
