"""Numbers that surely aren't zero, so that products may cancel them: determinants of
matrices that have been inverted."""

from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.available import Equations
from s2sad.analysis.dataflow.dataflow import Facts


def nonzero_numbers(function: ir.Function, facts: Facts[Equations]) -> frozenset[str]:
    """The variables that only hold determinants of matrices whose inverse is known.

    >>> from s2sad.analysis.dataflow.available import available_equations
    >>> number = ir.NumPyScalar("float64")
    >>> matrix = ir.Array("float64", (ir.Axis("many", "n"), ir.Axis("many", "n")))
    >>> i = ir.Assign(
    ...     None, ir.Var("i"), ir.Apply(np.linalg.inv, (ir.Var("a"),)), matrix
    ... )
    >>> d = ir.Assign(
    ...     None, ir.Var("d"), ir.Apply(np.linalg.det, (ir.Var("a"),)), number
    ... )
    >>> kinds = {"a": matrix, "d": number, "i": matrix}
    >>> function = ir.Function("f", ("a",), (i, d), kinds)
    >>> sorted(nonzero_numbers(function, available_equations(function.body)))
    ['d']
    """
    statements = list(ir.walk(function.body))
    inverses = [s for s in statements if _calls(s, np.linalg.inv)]
    if not inverses:
        return frozenset()
    sources: dict[str, set[str]] = {}
    """What each variable may hold: determinants (``""``) and other variables."""
    for s in statements:
        if _calls(s, np.linalg.det) and _is_inverted(s, inverses, facts):
            held = {""}
        elif isinstance(s, ir.Restore):
            held = {s.stack.name}
        elif isinstance(s, ir.Save) and isinstance(s.value, ir.Var):
            held = {s.value.name}
        elif ir.is_line(s, ops.new_stack):
            held = {""}
        else:
            held = {"anything"}
        for variable in ir.direct_writes(s):
            sources.setdefault(variable.name, set()).update(held)
    for name in function.parameters:
        sources[name] = {"anything"}
    nonzero = set(sources)
    shrunk = True
    while shrunk:
        lost = {n for n in nonzero if not sources[n] <= nonzero | {""}}
        nonzero -= lost
        shrunk = bool(lost)
    return frozenset(nonzero)


def _calls(s: object, called: Callable[..., Any]) -> TypeGuard[ir.Line]:
    return ir.is_line(s, called) and not s.value.keywords


def _is_inverted(s: ir.Line, inverses: list[ir.Line], facts: Facts[Equations]) -> bool:
    """True where the inverse of the one matrix whose determinant is taken is known."""
    if not isinstance(s.kind, ir.NumPyScalar):
        return False
    equations = facts.before.get(id(s), Equations())
    return any(
        inverse.value.args == s.value.args
        and equations.get(inverse.target.name) is inverse
        for inverse in inverses
    )
