"""Assignment: the variables that have a value at a place, on every path or on some."""

from collections.abc import Iterable

from s2sad import ir
from s2sad.analysis.dataflow.dataflow import Analysis, Facts, solve_forward
from s2sad.analysis.dataflow.name_sets import Names, NameSet


class AssignedAnalysis(Analysis[NameSet]):
    """Which variables surely have a value."""

    def join(self, a: NameSet, b: NameSet) -> NameSet:
        return a & b

    def leaf(self, statement: ir.Statement, fact: NameSet) -> NameSet:
        return fact.replaced((), ir.names_written(statement))

    def iteration(self, statement: ir.For, fact: NameSet) -> NameSet:
        return fact.replaced((), (statement.target.name,))


class BoundAnalysis(AssignedAnalysis):
    """Which variables surely have a value: what has been read has one, for the program
    would have raised. (Where paths meet a copy may carry on that there is none.)"""

    def leaf(self, statement: ir.Statement, fact: NameSet) -> NameSet:
        if not (
            isinstance(statement, ir.Assign) and isinstance(statement.value, ir.Var)
        ):
            fact = fact.replaced((), ir.names_read(statement))
        return super().leaf(statement, fact)


class _Possibly(AssignedAnalysis):
    def join(self, a: NameSet, b: NameSet) -> NameSet:
        return a | b


def possibly_assigned(body: ir.Block, parameters: Iterable[str]) -> Facts[NameSet]:
    """The variables that have a value on some path to each statement, those of earlier
    iterations of a loop among them."""
    return solve_forward(body, Names().set_of(parameters), _Possibly())


def assigned_variables(body: ir.Block, parameters: Iterable[str]) -> Facts[NameSet]:
    """The variables that surely have a value before and after each statement.

    >>> y = ir.Assign(None, ir.Var("y"), ir.Const(1.0))
    >>> z = ir.Assign(None, ir.Var("z"), ir.Const(2.0))
    >>> branch = ir.If(None, ir.Var("x"), (y, z), (y,))
    >>> sorted(assigned_variables((branch,), ["x"]).end)
    ['x', 'y']
    """
    return solve_forward(body, Names().set_of(parameters), AssignedAnalysis())


def bound_variables(body: ir.Block, parameters: Iterable[str]) -> Facts[NameSet]:
    """The variables that surely have a value before and after each statement, for they
    were assigned or read on every path.

    >>> y = ir.Assign(None, ir.Var("y"), ir.Const(1.0))
    >>> loop = ir.For(
    ...     None, ir.Var("i"), ir.Const(0), ir.Var("turns"), ir.Const(1), (y,)
    ... )
    >>> length = ir.Assign(None, ir.Var("n"), ir.Apply(len, (ir.Var("y"),)))
    >>> sorted(bound_variables((loop, length), ["turns"]).end)
    ['n', 'turns', 'y']
    """
    return solve_forward(body, Names().set_of(parameters), BoundAnalysis())


def assigned_on_every_path(body: ir.Block, parameters: tuple[str, ...]) -> NameSet:
    """The variables that are assigned wherever the block ends."""
    return assigned_variables(body, parameters).end
