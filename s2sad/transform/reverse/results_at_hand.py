"""Results at hand: what the function itself has computed isn't computed again by the
reverse of a later line.

::

    cosine = cos(angle)                  cosine = cos(angle)
    sine = sin(angle)                    sine = sin(angle)
    # reverse of the second line         # reverse of the second line
    t = cos(angle)                ->     angle.bar = mul(sine.bar, cosine)
    angle.bar = mul(sine.bar, t)

In straight lines what is computed later is at hand in the reverse sweep, too. The
cofactors of a matrix, which are the derivative of its determinant, are its determinant
times the transposed inverse, where that is at hand. Sources: value numbering, Aho, Lam,
Sethi and Ullman, Compilers (2nd ed.), section 6.1.2; Jacobi's formula, Magnus and
Neudecker, Matrix Differential Calculus, section 8.3.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace

import numpy as np

from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.ir.kinds import Array, rank_of
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Operand,
    Statement,
    Var,
)
from s2sad.ir.walking import walk, with_leaves
from s2sad.ops.numerics.matrices import cofactors, inverse_or_nan
from s2sad.rules.registry import rule_for

_SAME = {inverse_or_nan: np.linalg.inv}
"""Functions that give what another one gives where that gives anything."""


def reading_results_at_hand(function: Function, reverse: Block) -> Block:
    """The reverse sweep of a program, with what the forward sweep has computed and
    still holds."""
    whole = replace(function, body=(*function.body, *reverse))
    at_hand = ResultsAtHand(whole)
    if at_hand.facts is None:
        return reverse

    def line(s: Statement) -> Block:
        if isinstance(s, Assign) and isinstance(s.value, Apply) and s.derived:
            equations = at_hand.facts.before.get(id(s), Equations())  # type: ignore[union-attr]
            found = at_hand.result_of(s, s, equations)
            if found is not None:
                return (replace(s, value=found),)
        return (s,)

    return with_leaves(reverse, line)


class ResultsAtHand:
    """What calls of expensive functions the user's lines make, and where their results
    can be read."""

    def __init__(self, function: Function) -> None:
        self.kinds = function.kinds
        self.calls: dict[Hashable, list[Assign]] = {}
        """The calls, by function and arguments."""
        self.places: dict[int, int] = {}
        """How early each statement stands."""
        for place, s in enumerate(walk(function.body)):
            self.places[id(s)] = place
            if isinstance(s, Assign) and not s.derived and isinstance(s.target, Var):
                shared = isinstance(s.value, Apply) and _is_shared(s.value)
                key = _key(s.value) if shared else None  # type: ignore[arg-type]
                if key is not None:
                    self.calls.setdefault(key, []).append(s)
        self.facts = available_equations(function.body) if self.calls else None

    def used_in(
        self,
        lines: Block,
        statement: Assign,
        placeholders: Mapping[str, str],
        fresh: Callable[[str], Var],
    ) -> Block:
        """The reverse lines of a statement, with results that are at hand where it
        stands. ``placeholders`` are the stand-ins for the statement's own results,
        ``fresh`` makes a temporary."""
        if self.facts is None:
            return lines
        equations = self.facts.before.get(id(statement), Equations())
        changed: list[Statement] = []
        for line in lines:
            found = None
            if isinstance(line, Assign) and isinstance(line.value, Apply):
                if isinstance(line.kind, Array):  # numbers cost less than to be kept
                    found = self.result_of(line, statement, equations)
                if found is not None:
                    line = replace(line, value=found)
                elif _is_call(line, cofactors):
                    product = self._cofactors(
                        line, statement, equations, placeholders, fresh
                    )
                    changed += product[:-1]
                    line = product[-1]
            changed.append(line)
        return tuple(changed)

    def result_of(
        self, line: Assign, statement: Assign, equations: Equations
    ) -> Var | None:
        """The variable that holds what a line computes."""
        value = line.value
        assert isinstance(value, Apply)
        if not _is_shared(value):
            return None
        for call in self.calls.get(_key(value), ()):
            target = call.target
            assert isinstance(target, Var)
            earlier = self.places[id(call)] < self.places.get(id(statement), -1)
            if not earlier or equations.get(target.name) is not call:
                continue
            kind = call.kind or self.kinds.get(target.name)
            if kind is not None and kind == line.kind:
                return target
        return None

    def _cofactors(
        self,
        line: Assign,
        statement: Assign,
        equations: Equations,
        placeholders: Mapping[str, str],
        fresh: Callable[[str], Var],
    ) -> list[Assign]:
        """The lines for the cofactors of a matrix whose determinant the statement
        is."""
        value, own = line.value, statement.value
        assert isinstance(value, Apply)
        whole = (
            isinstance(own, Apply)
            and own.function is np.linalg.det
            and own.args == value.args
            and isinstance(line.kind, Array)
            and rank_of(line.kind) == 2
        )
        asked = replace(line, value=Apply(np.linalg.inv, value.args))
        inverse = self.result_of(asked, statement, equations) if whole else None
        if inverse is None:
            return [line]
        (determinant,) = placeholders
        turned = fresh("transposed")
        transpose = Apply(np.transpose, (inverse,))
        product = Apply(operator.mul, (Var(determinant), turned))
        return [
            replace(line, target=turned, value=transpose),
            replace(line, value=product),
        ]


def _is_call(line: Assign, function: object) -> bool:
    return isinstance(line.value, Apply) and line.value.function is function


def _is_shared(value: object) -> bool:
    """True for calls that cost more than arithmetic and make something new."""
    if not isinstance(value, Apply) or value.keywords:
        return False
    rule = rule_for(value.function)
    if rule is None or not rule.differentiates or rule.view or rule.cheap:
        return False
    module = getattr(value.function, "__module__", None) or ""
    return not rule.draws and not rule.takes_sequence and module != "_operator"


def _key(value: Apply) -> Hashable:
    """Equal for calls of one function with the same operands; None for calls with other
    operands than variables and numbers."""
    parts = tuple(map(_operand_key, value.args))
    function = _SAME.get(value.function, value.function)
    return None if None in parts else (function, parts)


def _operand_key(operand: Operand) -> Hashable:
    match operand:
        case Var(name=name):
            return Var, name
        case Const(value=int() | float() as number):
            return type(number), repr(number)
    return None
