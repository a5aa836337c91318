"""Assignment: the variables that have a value at a place, on every path or on some."""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.analysis.dataflow.dataflow import Analysis, Facts, solve_forward
from s2sad.analysis.dataflow.name_sets import Names, NameSet
from s2sad.ir.nodes import Assign, Block, For, Statement, Var
from s2sad.ir.walking import names_read, names_written


class AssignedAnalysis(Analysis[NameSet]):
    """Which variables surely have a value."""

    def join(self, a: NameSet, b: NameSet) -> NameSet:
        return a & b

    def leaf(self, statement: Statement, fact: NameSet) -> NameSet:
        return fact.replaced((), names_written(statement))

    def iteration(self, statement: For, fact: NameSet) -> NameSet:
        return fact.replaced((), (statement.target.name,))


class BoundAnalysis(AssignedAnalysis):
    """Which variables surely have a value: what has been read has one, for the program
    would have raised. (Where paths meet a copy may carry on that there is none.)"""

    def leaf(self, statement: Statement, fact: NameSet) -> NameSet:
        if not (isinstance(statement, Assign) and isinstance(statement.value, Var)):
            fact = fact.replaced((), names_read(statement))
        return super().leaf(statement, fact)


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


def bound_variables(body: Block, parameters: Iterable[str]) -> Facts[NameSet]:
    """The variables that surely have a value before and after each statement, for they
    were assigned or read on every path.

    >>> from s2sad.ir.nodes import Apply, Assign, Const, For, Var
    >>> y = Assign(None, Var("y"), Const(1.0))
    >>> loop = For(None, Var("i"), Const(0), Var("turns"), Const(1), (y,))
    >>> length = Assign(None, Var("n"), Apply(len, (Var("y"),)))
    >>> sorted(bound_variables((loop, length), ["turns"]).end)
    ['n', 'turns', 'y']
    """
    return solve_forward(body, Names().set_of(parameters), BoundAnalysis())


def assigned_on_every_path(body: Block, parameters: tuple[str, ...]) -> NameSet:
    """The variables that are assigned wherever the block ends."""
    return assigned_variables(body, parameters).end
