"""Sure divisors: variables that are Python's numbers and surely not zero at a place,
for the program has divided by them or taken their logarithm on the way there, which
raises where they are, or they are lengths of arrays that aren't empty.

What is known of a value where it is put on a stack, or behind that in the same block,
is known of what is taken from the stack: where a division raises, the reverse sweep
isn't run.
"""

import math
import operator

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Analysis, Facts, solve_forward
from s2sad.rules.steps.shape_queries import axis_length

_EMPTY: frozenset[str] = frozenset()
_LOGARITHMS = (math.log, math.log2, math.log10)
_LENGTHS = (np.size, axis_length, len)
_OF_THE_SAME_ZERO = (math.sqrt, operator.neg, operator.pos, abs, math.fabs)
"""Functions of Python's numbers that are zero where their argument is."""


def sure_divisors(function: ir.Function) -> Facts[frozenset[str]]:
    """The variables that are surely not zero, before and after each statement.

    >>> divide = ir.Apply(operator.truediv, (ir.Const(1.0), ir.Var("y")))
    >>> line = ir.Assign(None, ir.Var("t"), divide, ir.FLOAT)
    >>> kinds = {"y": ir.FLOAT, "t": ir.FLOAT}
    >>> sorted(sure_divisors(ir.Function("f", ("y",), (line,), kinds)).end)
    ['y']
    """
    stacks: frozenset[str] = _EMPTY
    while True:  # a stack may hold what was taken from another
        analysis = _Divisors(function, stacks)
        facts = solve_forward(function.body, _EMPTY, analysis)
        if any(isinstance(s, ir.Try) for s in ir.walk(function.body)):
            return facts  # what is behind a save may not have been run
        found = _sure_stacks(function, facts, analysis)
        if found == stacks:
            return facts
        stacks = found


class _Divisors(Analysis[frozenset]):
    def __init__(self, function: ir.Function, stacks: frozenset[str]) -> None:
        self.kinds, self.stacks = function.kinds, stacks
        self.lengths = _least_lengths(function)

    def join(self, a: frozenset[str], b: frozenset[str]) -> frozenset[str]:
        return a & b

    def iteration(self, statement: ir.For, fact: frozenset[str]) -> frozenset[str]:
        return fact - {statement.target.name}

    def leaf(self, statement: ir.Statement, fact: frozenset[str]) -> frozenset[str]:
        match statement:
            case ir.Assign(target=ir.Var(name=name), value=value):
                fact = fact | self.shown(statement)
                sure = self.is_sure(value, fact) or self.lengths.get(name, 0) > 0
                return fact | {name} if sure else fact - {name}
            case ir.Restore(target=ir.Var(name=name), stack=stack):
                sure = stack.name in self.stacks
                return fact | {name} if sure else fact - {name}
        written = ir.names_written(statement)
        return fact - written if written else fact

    def shown(self, s: ir.Statement) -> set[str]:
        """The variable that can't be zero behind a line, for it would have raised."""
        match s:
            case ir.Assign(value=ir.Apply(function=function, args=args, keywords=())):
                if function is operator.truediv and all(map(self.is_python, args)):
                    return {v.name for v in args[1:] if isinstance(v, ir.Var)}
                if function in _LOGARITHMS:
                    return {v.name for v in args[:1] if isinstance(v, ir.Var)}
        return set()

    def is_sure(self, value: ir.Apply | ir.Operand, fact: frozenset[str]) -> bool:
        match value:
            case ir.Const(value=number):
                return type(number) in (int, float) and bool(number)
            case ir.Var(name=name):
                return name in fact
            case ir.Apply(
                function=operator.sub, args=(ir.Var(name=name), ir.Const(value=less))
            ):
                return self.lengths.get(name, 0) > less
            case ir.Apply(function=operator.mul, args=args, keywords=()):
                whole = all(self.is_python(a, ("int",)) for a in args)
                return whole and all(self.is_sure(a, fact) for a in args)
            case ir.Apply(function=function, args=(ir.Var(name=name),), keywords=()):
                python = self.is_python(ir.Var(name))
                return function in _OF_THE_SAME_ZERO and python and name in fact
        return False

    def is_python(
        self, operand: ir.Operand, types: tuple[str, ...] = ("int", "float")
    ) -> bool:
        if isinstance(operand, ir.Const):
            return type(operand.value).__name__ in types
        kind: ir.Kind | None = None
        if isinstance(operand, ir.Var):
            kind = self.kinds.get(operand.name)
        return isinstance(kind, ir.Scalar) and kind.type in types


def _least_lengths(function: ir.Function) -> dict[str, int]:
    """Variables that are lengths or numbers of elements, and what they are at least."""
    least = dict.fromkeys(function.parameters, 0)
    for s in ir.walk(function.body):
        found = 0
        match s:
            case ir.Assign(
                value=ir.Apply(function=asked, args=(ir.Var(name=array), *which))
            ) if asked in _LENGTHS:
                kind = function.kinds.get(array)
                axes = (ir.axes_of(kind) or ()) if kind is not None else ()
                if asked is not np.size:
                    axis = which[0].value if which else 0  # type: ignore[union-attr]
                    axes = axes[axis:][:1]
                found = math.prod(map(ir.least_length, axes)) if axes else 0
        for variable in ir.direct_writes(s):
            least[variable.name] = min(found, least.get(variable.name, found))
    return least


def _sure_stacks(
    function: ir.Function, facts: Facts[frozenset[str]], analysis: _Divisors
) -> frozenset[str]:
    """The stacks on which nothing is put that may be zero."""
    made: set[str] = set()
    sure: set[str] = set()
    unsure: set[str] = set(function.parameters)
    for block in ir.all_blocks(function.body):
        for place, s in enumerate(block):
            if ir.applies(s, ops.new_stack):
                made |= ir.names_written(s)
            if isinstance(s, ir.Save):
                known = isinstance(s.value, ir.Var) and (
                    s.value.name in facts.before.get(id(s), _EMPTY)
                    or _shown_behind(block[place + 1 :], s.value.name, analysis)
                )
                (sure if known else unsure).add(s.stack.name)
    return frozenset((sure & made) - unsure)


def _shown_behind(block: ir.Block, name: str, analysis: _Divisors) -> bool:
    for s in block:
        if name in analysis.shown(s):
            return True
        if name in ir.names_written_within(s):
            return False
    return False
