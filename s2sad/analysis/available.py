"""Available equations: at each place, the assignments ``v = operation`` that still hold there.

An equation holds where it has been executed on every path and neither ``v`` nor any operand has been
assigned since. A variable with an available equation can be recomputed instead of kept. Source:
available expressions, Aho, Lam, Sethi and Ullman, Compilers (2nd ed.), section 9.2.6.
"""

from __future__ import annotations

from s2sad.analysis.dataflow import Analysis, Facts, solve_forward
from s2sad.ir.nodes import (
    Assign,
    Block,
    For,
    Restore,
    Statement,
    Var,
    value_variables,
)

Equations = dict[str, Assign]


class AvailableEquations(Analysis[Equations]):
    """Maps each variable to the assignment whose equation holds."""

    def join(self, a: Equations, b: Equations) -> Equations:
        return {name: s for name, s in a.items() if b.get(name) is s}

    def leaf(self, statement: Statement, fact: Equations) -> Equations:
        match statement:
            case Assign(target=Var(name=name), value=value):
                fact = _without(fact, name)
                if all(v.name != name for v in value_variables(value)):
                    fact[name] = statement
                return fact
            case Assign(target=target):
                for variable in value_variables(target):
                    fact = _without(fact, variable.name)
                return fact
            case Restore(target=target):
                return _without(fact, target.name)
        return fact

    def iteration(self, statement: For, fact: Equations) -> Equations:
        return _without(fact, statement.target.name)


def _without(fact: Equations, name: str) -> Equations:
    return {
        known: s
        for known, s in fact.items()
        if known != name and all(v.name != name for v in value_variables(s.value))
    }




def available_equations(body: Block) -> Facts[Equations]:
    """The equations that hold before and after each statement."""
    return solve_forward(body, {}, AvailableEquations())
