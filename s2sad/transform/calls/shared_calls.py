"""Common subexpressions through calls: a user's function that is called again with the
same arguments isn't called again.

::

    a = f(x)                       a = f(x)
    s = add(a, 1)         ->       s = add(a, 1)
    b = f(x)                       b = a

Done before anything is differentiated, so that the reverse has one call, too. Shared
are calls that take and give numbers and arrays, of what neither draws nor prints nor
changes what it is given. Source: available expressions, Aho, Lam, Sethi and Ullman,
Compilers (2nd ed.), section 9.2.6.
"""

import operator
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.analysis.dataflow.dataflow import Analysis, solve_forward
from s2sad.analysis.memory.ownership import called, targets
from s2sad.analysis.passes.copies import propagate_copies
from s2sad.analysis.passes.dead_code import remove_dead_code
from s2sad.analysis.passes.purity import draws, is_pure
from s2sad.custom import CustomFunction

NEAREST = 24
"""How many calls of the same function back the same one is looked for."""
_DEEPEST = 3
"""Through how many operations arguments are compared."""
_COMPARED = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.neg),
    *(operator.pow, operator.getitem),
)
_OF_OBJECTS = (operator.is_, operator.is_not, id, np.shares_memory, np.may_share_memory)
"""What tells equal values apart."""
_VALUES = (ir.Scalar, ir.NumPyScalar, ir.Array)
"""The kinds of what nobody can change unseen."""


def with_calls_shared(function: ir.Function) -> ir.Function:
    """The program with calls that repeat others as copies of their results."""
    alike: dict[ir.Procedure, list[ir.Assign]] = {}
    managed = _managed(function.body)
    for s in ir.walk(function.body):
        procedure = called(s)
        if procedure is not None and id(s) not in managed:
            assert isinstance(s, ir.Assign)
            alike.setdefault(procedure, []).append(s)
    calls = {
        id(s): s
        for procedure, same in alike.items()
        if len(same) > 1 and _may_be_shared(procedure, function)
        for s in same
        if _is_of_values(s, function)
    }
    if len(calls) < 2:
        return function
    if _tells_apart(function):
        return function
    shared = _Sharing(function, calls)
    body = ir.with_leaves(function.body, shared.line)
    if not shared.found:
        return function
    return remove_dead_code(propagate_copies(ir.altered(function, body=body)))


def _tells_apart(function: ir.Function) -> bool:
    """True where a program, or one that it calls, asks if two values are the same
    object."""
    blocks = [function.body, *map(_body, ir.all_procedures([function.body]))]
    return any(
        operation.function in _OF_OBJECTS and ir.Const(None) not in operation.args
        for block in blocks
        for s in ir.walk(block)
        for operation in ir.operations(s)
    )


def _managed(block: ir.Block) -> set[int]:
    """The statements in blocks of managers, which may say what a call does."""
    return {
        id(inner)
        for s in ir.walk(block)
        if isinstance(s, ir.With)
        for inner in ir.walk((s,))
    }


def _is_of_values(s: ir.Assign, function: ir.Function) -> bool:
    """True for a call that takes and gives numbers and arrays alone."""
    assert isinstance(s.value, ir.Apply)
    variables = (*ir.direct_reads(s), *ir.direct_writes(s))
    kinds = (function.kinds.get(v.name) for v in variables)
    data = any(isinstance(operand, ir.Global) for operand in s.value.args)
    return not data and all(isinstance(kind, _VALUES) for kind in kinds)


def _may_be_shared(procedure: ir.Procedure, function: ir.Function) -> bool:
    """True for a procedure that gives the same whenever ``function`` calls it, and does
    nothing else."""
    details = procedure.details
    everything = [procedure, *ir.all_procedures([_body(procedure)])]
    if details is None or not all(map(ir.is_complete, everything)):
        return False
    if any(p.given is not None for p in everything):
        return False  # what is given of a sum may not be the sum of what is given
    if details.made or draws(procedure):
        return False
    if details.written or details.changed or details.awaited:
        return False
    lines = [s for p in everything for s in ir.walk(p.function.body)]
    if not all(map(_is_calm, lines)):
        return False
    if not any(map(_reads_data, lines)):
        return True
    # nobody changes the data of a module while nothing is called that might
    others = ir.all_procedures([function.body])
    blocks = [function.body, *map(_body, others)]
    return all(_is_calm(s) for block in blocks for s in ir.walk(block))


def _body(procedure: ir.Procedure) -> ir.Block:
    return procedure.function.body if ir.is_complete(procedure) else ()


def _is_calm(s: ir.Statement) -> bool:
    """True for a statement that does nothing which anybody else sees, but for raising;
    what procedures do is seen in them."""
    if isinstance(s, ir.Effect) and s.value.function is not ops.evaluated:
        return ops.never_returns(s)
    functions = [operation.function for operation in ir.operations(s)]
    return not isinstance(s, ir.With) and all(
        isinstance(function, ir.Procedure)
        or (is_pure(function) and not isinstance(function, CustomFunction))
        or ops.is_write(s)
        for function in functions
    )


def _reads_data(s: ir.Statement) -> bool:
    return any(isinstance(operand, ir.Global) for operand in ir.all_operands(s))


class _Available(Analysis[frozenset[int]]):
    """The calls whose results and arguments nothing has changed since."""

    def __init__(self, calls: dict[int, ir.Assign]) -> None:
        self.calls = calls
        self.lost: dict[str, set[int]] = {}
        for key, s in calls.items():
            for name in ir.names_written(s) | ir.names_read(s):
                self.lost.setdefault(name, set()).add(key)

    def join(self, a: frozenset[int], b: frozenset[int]) -> frozenset[int]:
        return a & b

    def leaf(self, statement: ir.Statement, fact: frozenset[int]) -> frozenset[int]:
        fact = self._without(fact, ir.names_written(statement))
        own = id(statement)
        if own in self.calls:
            if ir.names_written(statement).isdisjoint(ir.names_read(statement)):
                return fact | {own}
        return fact

    def iteration(self, statement: ir.For, fact: frozenset[int]) -> frozenset[int]:
        return self._without(fact, [statement.target.name])

    def _without(self, fact: frozenset[int], names: Iterable[str]) -> frozenset[int]:
        lost = [self.lost[name] for name in names if name in self.lost]
        return fact.difference(*lost)


class _Sharing:
    """Replaces calls by copies."""

    def __init__(self, function: ir.Function, calls: dict[int, ir.Assign]) -> None:
        self.calls, self.kinds = calls, function.kinds
        self.equations = available_equations(function.body)
        available = _Available(calls)
        self.facts = solve_forward(function.body, frozenset(), available)
        self.found = False

    def line(self, s: ir.Statement) -> ir.Block:
        """The lines for a statement."""
        earlier = self._earlier(s) if id(s) in self.calls else None
        if earlier is None:
            return (s,)
        assert isinstance(s, ir.Assign)
        self.found = True
        return tuple(
            ir.Assign(s.span, own, other, self.kinds.get(str(own)))
            for own, other in zip(targets(s), targets(earlier), strict=True)
            if isinstance(own, ir.Var)
        )

    def _earlier(self, s: ir.Statement) -> ir.Assign | None:
        """The call of which this one gives the same."""
        assert isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply)
        function, held = s.value.function, self.facts.before.get(id(s), frozenset())
        same = [c for k, c in self.calls.items() if k in held and called(c) is function]
        equations = self.equations.before.get(id(s), Equations())
        own = self._key(s.value, equations)
        for call in reversed(same[-NEAREST:]):
            if self._key(call.value, equations) == own:
                return call
        return None

    def _key(self, value: Any, equations: Equations, depth: int = 0) -> Hashable:
        """Equal for operands of which the values are equal."""
        match value:
            case ir.Apply(function=function, args=args, keywords=keywords):
                parts = tuple(self._key(a, equations, depth) for a in args)
                words = tuple((k, self._key(v, equations, depth)) for k, v in keywords)
                return function, parts, words
            case ir.Var(name=name):
                equation = equations.get(name) if depth < _DEEPEST else None
                inner = None if equation is None else equation.value
                if isinstance(inner, ir.Var | ir.Const) or self._is_compared(inner):
                    return self._key(inner, equations, depth + 1)
            case ir.Pack(constructor=constructor, keys=keys, items=items):
                parts = tuple(self._key(i, equations, depth) for i in items)
                return constructor, keys, parts
            case ir.Slice(lower=lower, upper=upper, step=step):
                parts = tuple(
                    self._key(i, equations, depth) for i in (lower, upper, step)
                )
                return ir.Slice, parts
        return value

    def _is_compared(self, value: Any) -> bool:
        """True for arithmetic with numbers and arrays, and parts of arrays."""
        if not isinstance(value, ir.Apply) or value.function not in _COMPARED:
            return False
        kinds = (self.kinds.get(v.name) for v in ir.value_variables(value))
        data = any(isinstance(operand, ir.Global) for operand in value.args)
        return not data and all(isinstance(kind, _VALUES) for kind in kinds)
