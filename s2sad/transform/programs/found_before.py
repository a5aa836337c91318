"""What solvers and draws have found, in place of the operations that give it a
derivative, once no more derivatives are taken."""

from dataclasses import replace
from typing import Any, TypeGuard

from s2sad import ir
from s2sad.frontend.specialise.derivatives.given_draws import GivenDraw
from s2sad.frontend.specialise.equations import integrals, solutions


def without_solutions(function: ir.Function) -> ir.Function:
    """The function in which solutions are what the iterations gave, and given draws
    what was drawn."""
    if not any(map(_is_solution, ir.walk(function.body))):
        return function

    def change(s: ir.Statement) -> ir.Block:
        if not _is_solution(s):
            return (s,)
        assert isinstance(s.value.function, FOUND_BEFORE)
        found = s.value.args[: s.value.function.count]
        targets: Any = (s.target,) if isinstance(s.target, ir.Var) else s.target.items
        kinds = s.kind.items if isinstance(s.kind, ir.Structure) else (s.kind,)
        return tuple(
            ir.Assign(s.span, target, value, kind, s.derived)
            for target, value, kind in zip(targets, found, kinds, strict=True)
        )

    return replace(function, body=ir.with_leaves(function.body, change))


FOUND_BEFORE = (solutions.Solution, GivenDraw, integrals.FoundBefore)


def _is_solution(s: ir.Statement) -> TypeGuard[ir.Result]:
    return ir.applies(s) and isinstance(s.value.function, FOUND_BEFORE)
