"""In place: sums are added into buffers that nobody else can see, and needless copies
dropped.

::

    w.bar = zeros_like(w)                    w.bar = zeros_like(w)
    for ...:                           ->    for ...:
        w.bar = add(w.bar, t)                    w.bar += t
    return own_copy(w.bar)                   return w.bar
"""

import operator
from collections.abc import Callable, Set
from dataclasses import replace
from typing import Any, TypeGuard

from s2sad import ir, ops
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.passes.dead_code import must_run
from s2sad.optimise.buffers.own_buffers import Follow

_IN_PLACE = {operator.add: operator.iadd, operator.sub: operator.isub}


def accumulate_in_place(
    function: ir.Function, follow: Follow = points_to, *, views: bool = False
) -> ir.Function:
    """The function with sums added in place where that can't be seen. With ``views``, a
    part of a buffer whose rest nobody sees isn't copied either.

    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> vector = ir.Array("float64", (ir.Axis("many", "n"),))
    >>> new = ir.Assign(
    ...     None, ir.Var("b"), ir.Apply(ops.own_copy, (ir.Var("x"),)), vector
    ... )
    >>> summed = ir.Apply(operator.add, (ir.Var("b"), ir.Var("x")))
    >>> total = ir.Assign(None, ir.Var("b"), summed, vector, derived=True)
    >>> body = (new, total, ir.Return(None, ir.Var("b")))
    >>> function = ir.Function("f", ("x",), body, {"x": vector, "b": vector})
    >>> print(ir.function_text(accumulate_in_place(function)))
    def f(x: float64[n]):
        b = own_copy(x)  # float64[n]
        b = iadd(b, x)  # float64[n]
        return b
    """
    if not any(_is_copy(s) or _is_sum(s, function) for s in ir.walk(function.body)):
        return function
    facts, _ = live_variables(function.body, must_run)
    aliases = follow(function, facts.after)

    def change(s: ir.Statement) -> ir.Block:
        if not _is_copy(s) and not _is_sum(s, function):
            return (s,)
        live: Set[str] = facts.after.get(id(s), frozenset[str]())
        memory, value, first = aliases.before(s), s.value, s.value.args[0]
        assert isinstance(first, ir.Var)
        if _is_copy(s):
            alone = memory.changeable_alone if views else memory.owned_alone
            return (replace(s, value=first),) if alone(first.name, live) else (s,)
        if not memory.changeable_alone(first.name, live - {s.target.name}):
            return (s,)
        added = replace(value, function=_IN_PLACE[value.function])
        if s.target == first:
            return (replace(s, value=added),)
        # the buffer changes hands: the old name ends here
        return (
            replace(s, target=first, value=added),
            ir.Assign(s.span, s.target, first, s.kind, s.derived),
        )

    return ir.altered(function, body=ir.with_leaves(function.body, change))


def _operates_on_variable(
    s: ir.Statement, *functions: Callable[..., Any]
) -> TypeGuard[ir.Line]:
    """True for ``t = operation(v, ...)``, of one of some functions."""
    if not ir.is_line(s, *functions):
        return False
    return isinstance(next(iter(s.value.args), None), ir.Var)


def _is_copy(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for a copy of a variable."""
    return _operates_on_variable(s, ops.own_copy, ops.own_rows)


def _is_sum(s: ir.Statement, function: ir.Function) -> TypeGuard[ir.Line]:
    """True for a sum that may be added in place, if nobody sees it."""
    if not _operates_on_variable(s, *_IN_PLACE):
        return False
    first = str(s.value.args[0])
    own = s.target.name.split("~")[0] == first.split("~")[0]
    wanted = own and (s.derived or s.value.spelling == "augmented")
    if s.derived and first in function.temporaries:
        # of matrices for each of many tangents there should be few
        kind = function.kinds.get(first)
        wanted |= isinstance(kind, ir.Array) and len(ir.axes_of(kind) or ()) > 2
    return wanted and _fits(function, s)


def _fits(function: ir.Function, s: ir.Line) -> bool:
    """True where the sum has the dtype and shape of the buffer it is added into."""
    first, second = s.value.args
    kind, result = ir.array_kind(first, function.kinds), s.kind
    if kind is None or not isinstance(result, ir.Array):
        return False
    if kind.dtype is None or kind.dtype != result.dtype:
        return False
    return ir.covers(kind, ir.kind_of(second, function.kinds))
