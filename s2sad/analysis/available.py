"""Available equations: at each place, the assignments ``v = operation`` that still hold
there.

An equation holds where it has been executed on every path and neither ``v`` nor any
operand has been assigned since. A variable with an available equation can be recomputed
instead of kept. Source: available expressions, Aho, Lam, Sethi and Ullman, Compilers
(2nd ed.), section 9.2.6.
"""

from __future__ import annotations

from s2sad.analysis.dataflow import Analysis, Facts, solve_forward
from s2sad.ir.nodes import (
    Assign,
    Block,
    For,
    Restore,
    Save,
    Statement,
    Var,
    value_variables,
    walk,
)

Equations = dict[str, Assign]


class AvailableEquations(Analysis[Equations]):
    """Maps each variable to the assignment whose equation holds."""

    def __init__(self, body: Block) -> None:
        self.readers: dict[str, set[str]] = {}
        """The variables of which some equation reads a variable."""
        for s in walk(body):
            if isinstance(s, Assign) and isinstance(s.target, Var):
                for variable in value_variables(s.value):
                    self.readers.setdefault(variable.name, set()).add(s.target.name)

    def join(self, a: Equations, b: Equations) -> Equations:
        return {name: s for name, s in a.items() if b.get(name) is s}

    def leaf(self, statement: Statement, fact: Equations) -> Equations:
        match statement:
            case Assign(target=Var(name=name), value=value):
                fact = self._without(fact, name)
                if all(v.name != name for v in value_variables(value)):
                    fact[name] = statement
                return fact
            case Assign(target=target):
                for variable in value_variables(target):
                    fact = self._without(fact, variable.name)
                return fact
            case Restore(target=target):
                return self._without(fact, target.name)
            case Save(stack=stack):
                return self._without(fact, stack.name)
        return fact

    def iteration(self, statement: For, fact: Equations) -> Equations:
        return self._without(fact, statement.target.name)

    def _without(self, fact: Equations, name: str) -> Equations:
        """The equations that hold when a variable has been assigned."""
        fact = dict(fact)
        fact.pop(name, None)
        for reader in self.readers.get(name, ()):
            equation = fact.get(reader)
            if equation is not None and any(
                v.name == name for v in value_variables(equation.value)
            ):
                del fact[reader]
        return fact


def available_equations(body: Block) -> Facts[Equations]:
    """The equations that hold before and after each statement."""
    return solve_forward(body, {}, AvailableEquations(body))
