"""Assignment: the variables that have a value at a place, on every path or on some."""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.analysis.dataflow import Analysis, Facts, solve_forward
from s2sad.ir.nodes import Block, For, Statement
from s2sad.ir.walking import direct_writes


class _Assigned(Analysis[frozenset[str]]):
    def join(self, a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return a & b

    def leaf(self, statement: Statement, fact: frozenset[str]) -> frozenset[str]:
        return fact | {v.name for v in direct_writes(statement)}

    def iteration(self, statement: For, fact: frozenset[str]) -> frozenset[str]:
        return fact | {statement.target.name}


class _Possibly(_Assigned):
    def join(self, a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return a | b


def possibly_assigned(body: Block, parameters: Iterable[str]) -> Facts[frozenset[str]]:
    """The variables that have a value on some path to each statement, those of earlier
    iterations of a loop among them."""
    return solve_forward(body, frozenset(parameters), _Possibly())


def assigned_variables(body: Block, parameters: Iterable[str]) -> Facts[frozenset[str]]:
    """The variables that surely have a value before and after each statement.

    >>> from s2sad.ir.nodes import Assign, Const, If, Var
    >>> y = Assign(None, Var("y"), Const(1.0))
    >>> z = Assign(None, Var("z"), Const(2.0))
    >>> branch = If(None, Var("x"), (y, z), (y,))
    >>> sorted(assigned_variables((branch,), ["x"]).end)
    ['x', 'y']
    """
    return solve_forward(body, frozenset(parameters), _Assigned())


def assigned_on_every_path(body: Block, parameters: tuple[str, ...]) -> frozenset:
    """The variables that are assigned wherever the block ends."""
    return assigned_variables(body, parameters).end
