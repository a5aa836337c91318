"""Assignment: the variables that have a value at a place, on every path or on some."""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.analysis.dataflow import Analysis, Facts, solve_forward
from s2sad.analysis.name_sets import Names, NameSet
from s2sad.ir.nodes import Block, For, Statement
from s2sad.ir.walking import names_written


class AssignedAnalysis(Analysis[NameSet]):
    """Which variables surely have a value."""

    def join(self, a: NameSet, b: NameSet) -> NameSet:
        return a & b

    def leaf(self, statement: Statement, fact: NameSet) -> NameSet:
        return fact.replaced((), names_written(statement))

    def iteration(self, statement: For, fact: NameSet) -> NameSet:
        return fact.replaced((), (statement.target.name,))


class _Possibly(AssignedAnalysis):
    def join(self, a: NameSet, b: NameSet) -> NameSet:
        return a | b


def possibly_assigned(body: Block, parameters: Iterable[str]) -> Facts[NameSet]:
    """The variables that have a value on some path to each statement, those of earlier
    iterations of a loop among them."""
    return solve_forward(body, Names().set_of(parameters), _Possibly())


def assigned_variables(body: Block, parameters: Iterable[str]) -> Facts[NameSet]:
    """The variables that surely have a value before and after each statement.

    >>> from s2sad.ir.nodes import Assign, Const, If, Var
    >>> y = Assign(None, Var("y"), Const(1.0))
    >>> z = Assign(None, Var("z"), Const(2.0))
    >>> branch = If(None, Var("x"), (y, z), (y,))
    >>> sorted(assigned_variables((branch,), ["x"]).end)
    ['x', 'y']
    """
    return solve_forward(body, Names().set_of(parameters), AssignedAnalysis())


def assigned_on_every_path(body: Block, parameters: tuple[str, ...]) -> NameSet:
    """The variables that are assigned wherever the block ends."""
    return assigned_variables(body, parameters).end
