"""Available equations: at each place, the assignments ``v = operation`` that still hold
there.

An equation holds where it has been executed on every path and neither ``v`` nor any
operand has been assigned since. A variable with an available equation can be recomputed
instead of kept. Source: available expressions, Aho, Lam, Sethi and Ullman, Compilers
(2nd ed.), section 9.2.6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from s2sad.analysis.dataflow import Analysis, Facts, solve_forward
from s2sad.ir.nodes import Assign, Block, For, Restore, Save, Statement, Var
from s2sad.ir.walking import direct_writes, value_variables, walk


class Equations(dict[str, Assign]):
    """The equations that hold at one place, by variable.

    Those of variables that are assigned once, outside of loops, from others of that
    sort hold wherever the variable can be read. They stand apart, in ``lasting``, so
    that long straight programs need no table a statement.
    """

    lasting: Mapping[str, Assign]

    def __init__(self, equations: Any = (), lasting: Mapping[str, Assign] = {}) -> None:
        super().__init__(equations)
        self.lasting = lasting

    def get(self, name: str, default: Any = None) -> Any:
        """The equation of a variable."""
        found = super().get(name)
        return self.lasting.get(name, default) if found is None else found

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.lasting

    def __missing__(self, name: str) -> Assign:
        return self.lasting[name]


class AvailableEquations(Analysis[Equations]):
    """Maps each variable to the assignment whose equation holds."""

    def __init__(self, body: Block) -> None:
        self.lasting = _lasting_equations(body)
        self.readers: dict[str, set[str]] = {}
        """The variables of which some equation reads a variable."""
        for s in walk(body):
            if isinstance(s, Assign) and isinstance(s.target, Var):
                if s.target.name in self.lasting:
                    continue
                for variable in value_variables(s.value):
                    self.readers.setdefault(variable.name, set()).add(s.target.name)

    def join(self, a: Equations, b: Equations) -> Equations:
        if a is b:
            return a
        held = {name: s for name, s in a.items() if b.get(name) is s}
        return Equations(held, self.lasting)

    def leaf(self, statement: Statement, fact: Equations) -> Equations:
        match statement:
            case Assign(target=Var(name=name), value=value):
                if name in self.lasting:
                    return fact
                fact = self._without(fact, name)
                if all(v.name != name for v in value_variables(value)):
                    fact = Equations(fact, self.lasting)
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
        lost = [
            reader
            for reader in self.readers.get(name, ())
            if dict.__contains__(fact, reader)
            and any(v.name == name for v in value_variables(fact[reader].value))
        ]
        if not lost and not dict.__contains__(fact, name):
            return fact
        fact = Equations(fact, self.lasting)
        fact.pop(name, None)
        for reader in lost:
            del fact[reader]
        return fact


def _lasting_equations(body: Block) -> dict[str, Assign]:
    """Unconditional assignments outside of loops, of variables that nothing else
    assigns, from such variables. (A parameter that is assigned unconditionally is
    another web.)"""
    writes: Counter[str] = Counter(v.name for s in walk(body) for v in direct_writes(s))
    single = {
        s.target.name: s
        for s in body
        if isinstance(s, Assign)
        and isinstance(s.target, Var)
        and writes[s.target.name] == 1
    }
    return {
        name: s
        for name, s in single.items()
        if all(
            v.name != name and (not writes[v.name] or v.name in single)
            for v in value_variables(s.value)
        )
    }


@lru_cache(maxsize=4)
def available_equations(body: Block) -> Facts[Equations]:
    """The equations that hold before and after each statement. Passes ask again where
    none has changed the program; blocks of the same statements are the same block."""
    analysis = AvailableEquations(body)
    return solve_forward(body, Equations((), analysis.lasting), analysis)
