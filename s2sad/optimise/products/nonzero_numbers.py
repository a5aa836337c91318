"""Numbers that surely aren't zero, so that products may cancel them: determinants of
matrices that have been inverted."""

from __future__ import annotations

import numpy as np

from s2sad.analysis.dataflow.available import Equations
from s2sad.analysis.dataflow.dataflow import Facts
from s2sad.ir.kinds import NumPyScalar
from s2sad.ir.nodes import Apply, Assign, Function, Restore, Save, Var
from s2sad.ir.walking import direct_writes, walk
from s2sad.ops.stacks import new_stack


def nonzero_numbers(function: Function, facts: Facts[Equations]) -> frozenset[str]:
    """The variables that only hold determinants of matrices whose inverse is known.

    >>> from s2sad.analysis.dataflow.available import available_equations
    >>> from s2sad.ir.kinds import Array, Axis
    >>> number = NumPyScalar("float64")
    >>> matrix = Array("float64", (Axis("many", "n"), Axis("many", "n")))
    >>> i = Assign(None, Var("i"), Apply(np.linalg.inv, (Var("a"),)), matrix)
    >>> d = Assign(None, Var("d"), Apply(np.linalg.det, (Var("a"),)), number)
    >>> kinds = {"a": matrix, "d": number, "i": matrix}
    >>> function = Function("f", ("a",), (i, d), kinds)
    >>> sorted(nonzero_numbers(function, available_equations(function.body)))
    ['d']
    """
    statements = list(walk(function.body))
    inverses = [s for s in statements if _calls(s, np.linalg.inv)]
    if not inverses:
        return frozenset()
    sources: dict[str, set[str]] = {}
    """What each variable may hold: determinants (``""``) and other variables."""
    for s in statements:
        if _calls(s, np.linalg.det) and _is_inverted(s, inverses, facts):  # type: ignore[arg-type]
            held = {""}
        elif isinstance(s, Restore):
            held = {s.stack.name}
        elif isinstance(s, Save) and isinstance(s.value, Var):
            held = {s.value.name}
        elif _is_new_stack(s):
            held = {""}
        else:
            held = {"anything"}
        for variable in direct_writes(s):
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


def _is_new_stack(s: object) -> bool:
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function is new_stack
    )


def _calls(s: object, called: object) -> bool:
    return (
        isinstance(s, Assign)
        and isinstance(s.target, Var)
        and isinstance(s.value, Apply)
        and s.value.function is called
        and not s.value.keywords
    )


def _is_inverted(s: Assign, inverses: list[Assign], facts: Facts[Equations]) -> bool:
    """True where the inverse of the one matrix whose determinant is taken is known."""
    assert isinstance(s.value, Apply)
    if not isinstance(s.kind, NumPyScalar):
        return False
    equations = facts.before.get(id(s), Equations())
    return any(
        inverse.value.args == s.value.args  # type: ignore[union-attr]
        and equations.get(str(inverse.target)) is inverse
        for inverse in inverses
    )
