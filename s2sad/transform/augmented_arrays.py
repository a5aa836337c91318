"""Augmented assignment to arrays: ``x += v`` where nobody can tell it from ``x = x +
v``.

NumPy writes into the array, which every alias and the caller would see. Where the array
is the function's own, nothing else that is read later shares its memory, and dtype and
shape stay, the two are the same, and the statement becomes a new value. Anything else
is refused.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from s2sad.analysis.liveness import live_variables
from s2sad.analysis.points_to import Memory, points_to
from s2sad.frontend.specialise.exceptions import Unsupported
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.ir.kinds import Array, Kind, NumPyScalar, Scalar, dtype_of
from s2sad.ir.nodes import Apply, Assign, Block, Function, Statement, Var
from s2sad.ir.walking import walk
from s2sad.optimise.dead_code import must_run
from s2sad.optimise.in_place import covers, mapped

PLAIN: dict[Any, Any] = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
}


def without_array_writes(function: Function, spec: Specialiser) -> Function:
    """The function with augmented assignments as new values; others become problems."""
    if not any(_is_augmented(s) for s in walk(function.body)):
        return function
    facts, _ = live_variables(function.body, must_run)
    aliases = points_to(function)

    def change(s: Statement, live: frozenset[str]) -> Block:
        if not _is_augmented(s):
            return (s,)
        assert isinstance(s, Assign) and isinstance(s.value, Apply)
        reason = _seen_elsewhere(s, s.value, live, aliases.before(s), function)
        if reason:
            name = str(s.value.args[0]).split("~")[0]
            symbol = {"iadd": "+", "isub": "-", "imul": "*", "itruediv": "/"}
            sign = symbol[s.value.function.__name__]
            problem = Unsupported(
                None, reason, f"write {name} = {name} {sign} ... to make a new array"
            )
            spec.report_at(problem, s.span)
        value = replace(s.value, function=PLAIN[s.value.function])
        return (replace(s, value=value),)

    return replace(function, body=mapped(function.body, facts.after, change))


def _is_augmented(s: Statement) -> bool:
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function in PLAIN
    )


def _seen_elsewhere(
    s: Assign, value: Apply, live: frozenset[str], memory: Memory, function: Function
) -> str:
    """Why the write can't be treated as a new value; "" if it can."""
    first, second = value.args
    kind = function.kinds.get(first.name) if isinstance(first, Var) else None
    if isinstance(kind, Scalar | NumPyScalar) or not isinstance(first, Var):
        return ""
    name = first.name.split("~")[0]
    if not isinstance(kind, Array) or not isinstance(s.kind, Array):
        return f"{name!r} may be an array, and this may write into it"
    assert isinstance(s.target, Var)
    others = live - {s.target.name}
    if not memory.owned_alone(first.name, others):
        return f"this writes into the array {name!r}, which others may share"
    added: Kind | None = (
        function.kinds.get(second.name) if isinstance(second, Var) else Scalar("float")
    )
    same = kind.dtype == s.kind.dtype or (
        kind.promoted and added is not None and s.kind.dtype == dtype_of(added)
    )
    if not same or s.kind.dtype is None or not covers(kind, added):
        return (
            f"this writes into the array {name!r}, and its dtype or shape may not fit"
        )
    return ""
