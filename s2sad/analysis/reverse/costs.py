"""What it costs to keep a value of a loop, and to compute it again, in operations on
an array.

A kept array costs more than its append and pop: its memory is fresh in each iteration,
and each page of it has to be provided. For gradients of Burgers' equation, one array a
step more costs 0.2 operations at 100 points, 1 at 1,000 and 10 at 10,000; what is
computed again costs one operation each, and lets the sweep hold less. Numbers are told
apart: among them keeping costs about two operations in Python, and seven where Numba
compiles the program.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from s2sad import ir, ops, rules
from s2sad.analysis.passes import purity
from s2sad.rules.steps.shape_queries import SHAPE_QUERIES

TURNS = 10.0
"""How often a loop is taken to run."""
KEPT_ARRAY = 3.0
COPIED_ARRAY = 0.5
"""A copy of what the program writes into, besides its being kept."""
COPIED_FOR_A_PART = 30.0
"""A copy of an array or list of which the program then changes one part."""
ARRAY_OPERATION, ELEMENTWISE_FUNCTION, ARRAY_FUNCTION = 1.0, 5.0, 10.0
VIEW, NAME = 0.1, 0.0
CALL = 100.0
"""A call of a function of numbers: it goes to the reverse sweep only from a forward
sweep that doesn't need it."""


@dataclass(frozen=True)
class Prices:
    """What numbers cost."""

    kept: float
    operation: float
    power: float
    """With an exponent that the text holds."""
    any_power: float
    division: float
    """As much as keeping: where nothing else is saved by it, the quotient is kept."""
    function: float
    by_numpy: float
    """A function of NumPy's, applied to one number."""
    element: float
    slot: float
    """An item of a list, tuple or dict, or an attribute."""


IN_PYTHON = Prices(
    kept=0.15,
    operation=0.08,
    power=0.12,
    any_power=0.12,
    division=0.16,
    function=0.2,
    by_numpy=1.0,  # as long as a small array
    element=0.1,
    slot=0.05,
)
COMPILED = Prices(
    kept=0.15,
    operation=0.02,
    power=0.03,
    any_power=0.6,
    division=0.16,
    function=0.6,
    by_numpy=0.6,
    element=0.03,
    slot=0.03,
)
"""By Numba: a sum costs a seventh of its place in memory, a sine four times as much."""

_WRITES = (*ops.STORES, *ops.LIST_CHANGES)


class Costs:
    """The costs of one program; ``kind`` tells of which kind a variable is."""

    def __init__(
        self, kind: Callable[[str], ir.Kind], prices: Prices = IN_PYTHON
    ) -> None:
        self.kind, self.prices = kind, prices
        self.settled: frozenset[int] = frozenset()
        """The lines that read slots into which nothing is stored behind them."""

    def kept(self, name: str) -> float:
        """What it costs to keep a variable, once."""
        kind = self.kind(name)
        if isinstance(kind, ir.Structure):  # its items are kept, one by one
            return CALL
        return KEPT_ARRAY if isinstance(kind, ir.Array) else self.prices.kept

    def repeated(self, statement: ir.Assign) -> float | None:
        """What it costs to run an assignment again; None where it isn't to be."""
        value = statement.value
        if not isinstance(value, ir.Apply):
            return NAME
        function = value.function
        if isinstance(function, ir.Procedure):
            again = function.partials and not purity.has_effects(function)
            return CALL if again else None
        if function in SHAPE_QUERIES:
            return self.prices.operation
        number = self._is_number(statement.target, statement.kind)
        if number and id(statement) in self.settled:
            return self.prices.slot
        if function in ops.TAKES_ITS_TIME:
            return None
        if function is ops.read_itself:
            return NAME
        if function in ops.READS_OF_REFERENCES:
            return self.prices.slot
        if function is operator.getitem:  # a gather reads as much as it returns
            return self.prices.element if number else VIEW
        rule = rules.rule_for(function)
        if rule is None or rule.draws or function in _WRITES:
            return None
        if rule.view:
            return VIEW
        if number and all(map(self._is_number, value.args)):
            if function is operator.pow:
                constant = isinstance(value.args[1], ir.Const)
                return self.prices.power if constant else self.prices.any_power
            if function is operator.truediv and not isinstance(value.args[1], ir.Const):
                return self.prices.division
            if _is_arithmetic(value):
                return self.prices.operation
            by_numpy = isinstance(function, np.ufunc)
            return self.prices.by_numpy if by_numpy else self.prices.function
        if _is_arithmetic(value):
            return ARRAY_OPERATION
        return ELEMENTWISE_FUNCTION if rule.partials else ARRAY_FUNCTION

    def _is_number(self, operand: ir.Operand, kind: ir.Kind | None = None) -> bool:
        if isinstance(operand, ir.Var):
            kind = kind or self.kind(operand.name)
            return isinstance(kind, ir.Scalar | ir.NumPyScalar)
        return isinstance(operand, ir.Const)


def _is_arithmetic(value: ir.Apply) -> bool:
    rule = rules.rule_for(value.function)
    if value.function is operator.pow:
        exponent = value.args[1]
        return isinstance(exponent, ir.Const) and exponent.value in (2, 3)
    return rule is not None and rule.cheap


class CostsOfKeeping:
    """What it costs to keep a variable of a program as often as it is assigned."""

    def __init__(self, costs: Costs, plans: ir.BlockPlan) -> None:
        self.costs = costs
        self.found: dict[str, float] = {}
        self.depths: dict[str, int] = {}
        self._visit(plans, 0)

    def depth(self, name: str) -> int:
        """The number of loops around the innermost assignment of a variable."""
        return self.depths.get(name, 0)

    def cost(self, name: str) -> float:
        """The cost for one variable, all assignments together."""
        return self.found.get(name, 0.0)

    def _visit(self, plan: ir.BlockPlan, depth: int) -> None:
        for inner in plan.plans:
            statement = inner.statement
            within = depth + isinstance(statement, ir.Loop)
            for variable in ir.direct_writes(statement):
                name = variable.name
                first = name not in self.found and not within
                kept = 0.0 if first else self._kept_before(statement, name)
                self._add(name, kept, within)
            changed = changed_in_place(statement)
            if changed is not None and ir.Var(changed) not in ir.direct_writes(
                statement
            ):
                self._add(changed, _copied(statement), within)
            for block in inner.blocks:
                self._visit(block, within)

    def _add(self, name: str, cost: float, depth: int) -> None:
        self.depths[name] = max(depth, self.depths.get(name, 0))
        self.found[name] = self.found.get(name, 0.0) + cost * TURNS**depth

    def _kept_before(self, statement: ir.Statement, name: str) -> float:
        """To keep a variable that a statement overwrites."""
        array = ops.undoable_store(statement)
        if array is not None and not ops.leaves_only_borders(statement):
            assert ir.applies(statement)
            old = statement.value.args[3]
            assert isinstance(old, ir.Var)
            kept = self.costs.kept(old.name)
            return kept + (
                ARRAY_OPERATION if kept == KEPT_ARRAY else self.costs.prices.element
            )
        kept = self.costs.kept(name)
        return kept + (_copied(statement) if changed_in_place(statement) else 0.0)


def changed_in_place(statement: ir.Statement) -> str | None:
    """The array or list that a statement changes in place, where nobody keeps it."""
    if not ir.applies(statement):
        return None
    function, args = statement.value.function, statement.value.args
    changes = function in _WRITES or ops.is_augmented(statement)
    return args[0].name if changes and isinstance(args[0], ir.Var) else None


def _copied(statement: ir.Statement) -> float:
    whole = ops.is_augmented(statement) or (
        ops.is_store(statement) and ops.leaves_only_borders(statement)
    )
    return COPIED_ARRAY if whole else COPIED_FOR_A_PART
