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

import operator
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace

import numpy as np

from s2sad import ir, ops, rules
from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.ops.numerics.matrices import cofactors, inverse_or_nan

_SAME = {inverse_or_nan: np.linalg.inv}
"""Functions that give what another one gives where that gives anything."""


def reading_results_at_hand(function: ir.Function, reverse: ir.Block) -> ir.Block:
    """The reverse sweep of a program, with what the forward sweep has computed and
    still holds."""
    if not any(map(_may_be_at_hand, ir.walk(reverse))):
        return reverse
    whole = replace(function, body=(*function.body, *reverse))
    at_hand = ResultsAtHand(whole)
    if at_hand.facts is None:
        return reverse

    def line(s: ir.Statement) -> ir.Block:
        if _may_be_at_hand(s):
            assert isinstance(s, ir.Assign)
            equations = at_hand.facts.before.get(id(s), Equations())  # type: ignore[union-attr]
            found = at_hand.result_of(s, s, equations)
            if found is not None:
                return (replace(s, value=found),)
        return (s,)

    return ir.with_leaves(reverse, line)


class ResultsAtHand:
    """What calls of expensive functions the user's lines make, and where their results
    can be read."""

    def __init__(self, function: ir.Function) -> None:
        self.kinds = function.kinds
        self.calls: dict[Hashable, list[ir.Assign]] = {}
        """The calls, by function and arguments."""
        self.places: dict[int, int] = {}
        """How early each statement stands."""
        for place, s in enumerate(ir.walk(function.body)):
            self.places[id(s)] = place
            if (
                isinstance(s, ir.Assign)
                and not s.derived
                and isinstance(s.target, ir.Var)
            ):
                shared = isinstance(s.value, ir.Apply) and _is_shared(s.value)
                key = _key(s.value) if shared else None  # type: ignore[arg-type]
                if key is not None:
                    self.calls.setdefault(key, []).append(s)
        self.facts = available_equations(function.body) if self.calls else None

    def used_in(
        self,
        lines: ir.Block,
        statement: ir.Assign,
        placeholders: Mapping[str, str],
        fresh: Callable[[str], ir.Var],
    ) -> ir.Block:
        """The reverse lines of a statement, with results that are at hand where it
        stands. ``placeholders`` are the stand-ins for the statement's own results,
        ``fresh`` makes a temporary."""
        if self.facts is None:
            return lines
        equations = self.facts.before.get(id(statement), Equations())
        changed: list[ir.Statement] = []
        for line in lines:
            found = None
            if ir.applies(line):
                if isinstance(line.kind, ir.Array):  # numbers cost less than to be kept
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
        self, line: ir.Assign, statement: ir.Assign, equations: Equations
    ) -> ir.Var | None:
        """The variable that holds what a line computes."""
        value = line.value
        assert isinstance(value, ir.Apply)
        if not _is_shared(value):
            return None
        for call in self.calls.get(_key(value), ()):
            target = call.target
            assert isinstance(target, ir.Var)
            earlier = self.places[id(call)] < self.places.get(id(statement), -1)
            if not earlier or equations.get(target.name) is not call:
                continue
            kind = call.kind or self.kinds.get(target.name)
            if kind is not None and kind == line.kind:
                return target
        return None

    def _cofactors(
        self,
        line: ir.Assign,
        statement: ir.Assign,
        equations: Equations,
        placeholders: Mapping[str, str],
        fresh: Callable[[str], ir.Var],
    ) -> list[ir.Assign]:
        """The lines for the cofactors of a matrix whose determinant the statement
        is."""
        value, own = line.value, statement.value
        assert isinstance(value, ir.Apply)
        whole = (
            isinstance(own, ir.Apply)
            and own.function is np.linalg.det
            and own.args == value.args
            and isinstance(line.kind, ir.Array)
            and ir.rank_of(line.kind) == 2
        )
        asked = replace(line, value=ir.Apply(np.linalg.inv, value.args))
        inverse = self.result_of(asked, statement, equations) if whole else None
        if inverse is None:
            return [line]
        (determinant,) = placeholders
        turned = fresh("transposed")
        transpose = ops.transposed(inverse)
        product = ir.Apply(operator.mul, (ir.Var(determinant), turned))
        return [
            replace(line, target=turned, value=transpose),
            replace(line, value=product),
        ]


def _is_call(line: ir.Assign, function: object) -> bool:
    return isinstance(line.value, ir.Apply) and line.value.function is function


def _may_be_at_hand(s: ir.Statement) -> bool:
    """True for a line of a rule that calls an expensive function."""
    return isinstance(s, ir.Assign) and s.derived and _is_shared(s.value)


def _is_shared(value: object) -> bool:
    """True for calls that cost more than arithmetic and make something new."""
    if not isinstance(value, ir.Apply) or value.keywords:
        return False
    rule = rules.rule_for(value.function)
    if rule is None or not rule.differentiates or rule.view or rule.cheap:
        return False
    module = getattr(value.function, "__module__", None) or ""
    return not rule.draws and not rule.takes_sequence and module != "_operator"


def _key(value: ir.Apply) -> Hashable:
    """Equal for calls of one function with the same operands; None for calls with other
    operands than variables and numbers."""
    parts = tuple(map(_operand_key, value.args))
    function = _SAME.get(value.function, value.function)
    return None if None in parts else (function, parts)


def _operand_key(operand: ir.Operand) -> Hashable:
    match operand:
        case ir.Var(name=name):
            return ir.Var, name
        case ir.Const(value=int() | float() as number):
            return type(number), repr(number)
    return None
