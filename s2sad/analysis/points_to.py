"""Points-to: which buffers a variable's memory may belong to.

A buffer is named by the place that allocates it, a parameter or a global. The answer
holds for the whole program (flow-insensitive); together with liveness it says whether
anybody else could see a write. Source: Andersen, Program analysis and specialization
for C (1994), chapter 4, on variables without pointers to pointers.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.ir.kinds import Known, NumPyScalar, Scalar
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    For,
    Function,
    Global,
    Operand,
    Pack,
    Restore,
    Save,
    Slice,
    Var,
    direct_writes,
    operand_variables,
    value_variables,
    walk,
)
from s2sad.rules.registry import rule_for
from s2sad.transform.buffers import (
    broadcast_like,
    full_like_of,
    index_add,
    index_set,
    own_copy,
)
from s2sad.transform.lists import zeros_along

Buffer = Any
OUTSIDE: Buffer = ("outside",)
"""Memory of the caller, of globals, or of unknown origin."""
_KEEPS_BUFFER = (index_add, index_set)
_FRESH = (own_copy, full_like_of, zeros_along)


@dataclass(frozen=True)
class PointsTo:
    """Buffers and views of each variable."""

    buffers: dict[str, frozenset[Buffer]]
    views: frozenset[str]
    """Variables that may be a view, also a read-only one, of their buffer."""

    def of(self, name: str) -> frozenset[Buffer]:
        """The buffers a variable may use."""
        return self.buffers.get(name, frozenset((OUTSIDE,)))

    def is_own(self, name: str) -> bool:
        """True for a variable that always holds whole buffers that this program
        allocated."""
        return OUTSIDE not in self.of(name) and name not in self.views

    def shared_with(self, name: str, others: Iterable[str]) -> bool:
        """True where one of the other variables may use the same buffer."""
        own = self.of(name)
        return any(o != name and own & self.of(o) for o in others)


def is_view_operation(value: Apply) -> bool:
    """True where the result may share memory with an argument."""
    function = value.function
    if function in _FRESH:
        return False
    if function is broadcast_like:
        return True
    if function is operator.getitem:
        return _is_basic(value.args[1])
    if function is np.ndarray.astype or function is np.copy:
        return False
    if function is np.einsum:
        return len(value.args) == 2  # a transposition or a diagonal of one array
    rule = rule_for(function)
    if rule is None or (getattr(function, "__module__", "") or "").startswith("s2sad."):
        return True
    return rule.view


def _is_basic(index: Operand) -> bool:
    """An index that gives a view: not one made of arrays, as far as that shows."""
    parts = index.items if isinstance(index, Pack) else (index,)
    return all(isinstance(p, Slice | Const | Var) for p in parts)


def points_to(function: Function) -> PointsTo:
    """Solve the inclusion constraints of all assignments."""
    buffers: dict[str, set[Buffer]] = {p: {OUTSIDE} for p in function.parameters}
    flows: dict[str, set[str]] = {}
    views: set[str] = set()
    view_flows: dict[str, set[str]] = {}

    def is_number(name: str) -> bool:
        return isinstance(function.kinds.get(name), Scalar | NumPyScalar | Known)

    def flow(source: str, target: str) -> None:
        flows.setdefault(source, set()).add(target)
        view_flows.setdefault(source, set()).add(target)

    for s in walk(function.body):
        for variable in direct_writes(s):
            buffers.setdefault(variable.name, set())
        match s:
            case Assign(target=target, value=value):
                for variable in operand_variables(target):
                    name = variable.name
                    if is_number(name):
                        continue
                    if isinstance(value, Apply):
                        _operation(s, value, name, buffers, flow, views)
                    elif isinstance(value, Global):
                        buffers[name].add(OUTSIDE)
                    else:
                        for source in operand_variables(value):
                            flow(source.name, name)
            case Save(stack=stack, value=kept):
                for source in operand_variables(kept):
                    flow(source.name, stack.name)
            case Restore(target=target, stack=stack):
                if not is_number(target.name):
                    flow(stack.name, target.name)
            case For():
                pass
    _propagate(buffers, flows)
    return PointsTo(
        {name: frozenset(found) for name, found in buffers.items()},
        frozenset(_spread(views, view_flows)),
    )


def _operation(
    s: Assign, value: Apply, name: str, buffers: Any, flow: Any, views: set[str]
) -> None:
    if value.function in _KEEPS_BUFFER:
        first = value.args[0]
        if isinstance(first, Var):
            flow(first.name, name)
        return
    buffers[name].add(("fresh", id(s)))
    if is_view_operation(value):
        views.add(name)
        for source in value_variables(value):
            flow(source.name, name)
        for argument in value.args:
            if isinstance(argument, Global):
                buffers[name].add(OUTSIDE)


def _propagate(buffers: dict[str, set[Buffer]], flows: dict[str, set[str]]) -> None:
    pending = [name for name, found in buffers.items() if found]
    while pending:
        source = pending.pop()
        for target in flows.get(source, ()):
            known = buffers.setdefault(target, set())
            new = buffers.get(source, set()) - known
            if new:
                known |= new
                pending.append(target)


def _spread(start: set[str], flows: dict[str, set[str]]) -> set[str]:
    found, pending = set(start), list(start)
    while pending:
        for target in flows.get(pending.pop(), ()):
            if target not in found:
                found.add(target)
                pending.append(target)
    return found
