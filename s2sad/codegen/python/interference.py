"""Interference: which variables can't share a name, since one is live where the other
is assigned.

Only what is live at the assignments of each variable is stored, as sets that share what
they have in common: the pairs would grow with the square of a program.
"""

from collections import Counter
from collections.abc import Iterable

from s2sad import ir
from s2sad.analysis.dataflow import liveness, name_sets


class Interference:
    """The interference of a function's variables."""

    def __init__(self, function: ir.Function) -> None:
        facts, _ = liveness.live_variables(function.body, lambda s: True)
        self.nothing: name_sets.NameSet = facts.start & ()
        self.names: name_sets.Names = self.nothing.names
        self.live: dict[str, name_sets.NameSet] = {}
        """By variable: what is live where it is assigned, mostly itself among it."""
        for statement in ir.walk(function.body):
            after = facts.after.get(id(statement), self.nothing)
            if isinstance(statement, ir.For) and statement.body:
                after = facts.before.get(id(statement.body[0]), self.nothing)
            if isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Var):
                if isinstance(statement.target, ir.Var):  # it holds the same
                    after = after.replaced((statement.value.name,), ())
            for variable in ir.direct_writes(statement):
                self._note(variable.name, after)
        for parameter in function.parameters:
            self._note(parameter, facts.start | function.parameters)

    def _note(self, name: str, live: name_sets.NameSet) -> None:
        known = self.live.get(name)
        self.live[name] = live if known is None else known | live

    def where_assigned(self, name: str) -> name_sets.NameSet:
        """What is live where a variable is assigned."""
        return self.live.get(name, self.nothing)

    def between(self, a: str, b: str) -> bool:
        """True where two different variables can't share a name."""
        return b in self.where_assigned(a) or a in self.where_assigned(b)


class Holders:
    """The variables that share one name."""

    def __init__(self, interference: Interference) -> None:
        self.interference = interference
        self.variables = self.live = interference.nothing

    def add(self, variables: Iterable[str]) -> None:
        """Variables take the name, too."""
        for variable in variables:
            self.variables = self.variables.replaced((), (variable,))
            self.live = self.live | self.interference.where_assigned(variable)

    def leave_to(self, variable: str) -> bool:
        """True where one more variable can take the name."""
        live = self.interference.where_assigned(variable)
        return variable not in self.live and live.isdisjoint(self.variables)


class Numbered:
    """The variables that have one name but for a number behind it."""

    def __init__(self, interference: Interference) -> None:
        self.interference = interference
        self.variables = self.asked = interference.nothing
        self.counts: dict[str, int] = {}
        self.there: Counter[int] = Counter()
        """How many variables with each number were live where asked last."""

    def held(self, group: Iterable[str]) -> Counter[int]:
        """How many variables with each number are live where others are assigned. What
        is live there is mostly what was at the place asked about before."""
        live = self.interference.nothing
        for variable in group:
            live = live | self.interference.where_assigned(variable)
        live = live & self.variables
        for variable in self.asked - live:
            self.there[self.counts[variable]] -= 1
        for variable in live - self.asked:
            self.there[self.counts[variable]] += 1
        self.asked = live
        return self.there

    def add(self, group: Iterable[str], count: int) -> None:
        """Variables get a number."""
        self.variables = self.variables | group
        self.counts.update(dict.fromkeys(group, count))
