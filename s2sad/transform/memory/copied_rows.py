"""Copied rows: the rows of an array that nobody reads any more, put into a list.

Takes a function that writes into items of a list, which are the rows of an array; gives
one in which they are copies, where nobody can tell, since the array isn't read behind
the loop that makes the list::

    y = np.exp(m)                          y = np.exp(m)
    for i in range(len(y)):                for i in range(len(y)):
        rows.append(y[i])        ->            rows.append(y[i].copy())
    rows[0][1] = 0.0                       rows[0][1] = 0.0

The items are different arrays then, which nobody else holds
(:mod:`s2sad.analysis.memory.distinct_items`).
"""

import operator
from collections.abc import Iterator, Set
from dataclasses import replace

from s2sad import ir, ops
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.memory.memory import Memory
from s2sad.analysis.memory.points_to import PointsTo, points_to
from s2sad.analysis.memory.view_operations import is_number
from s2sad.analysis.passes.dead_code import must_run
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.rules.steps.shape_queries import SHAPE_QUERIES


def with_copied_rows(
    function: ir.Function, names: set[str], memory: PointsTo, spec: Specialiser
) -> ir.Function | None:
    """The function with copies of the rows that may share the memory of some names;
    None where there are none, or where somebody could tell."""
    rows = {
        id(s): s
        for loop in ir.walk(function.body)
        if isinstance(loop, ir.For) and _counts_up(loop)
        for s in loop.body
        if _takes_row(s, loop, function)
        and memory.anywhere.shared_with(_array_of(s), names)
    }
    if not rows:
        return None
    copies: dict[int, ir.Assign] = {}

    def change(s: ir.Statement) -> ir.Block:
        if id(s) not in rows:
            return (s,)
        assert isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)
        row = spec.fresh("row")
        view = replace(s, target=row)
        copy = replace(s, value=ir.Apply(ops.own_copy, (row,)))
        copies[id(view)] = view
        return view, copy

    made = replace(function, body=ir.with_leaves(function.body, change))
    kinds = dict(made.kinds)
    for view in copies.values():
        assert isinstance(view.target, ir.Var) and view.kind is not None
        kinds[view.target.name] = view.kind
    made = replace(made, kinds=kinds)
    after, _ = live_variables(made.body, lambda s: must_run(s) or ops.is_write(s))
    known = points_to(made, apart=True, as_written=True)
    for loop in ir.walk(made.body):
        for line in loop.body if isinstance(loop, ir.For) else ():
            if id(line) in copies:
                assert isinstance(loop, ir.For)
                live = after.after.get(id(loop))
                if live is None or _is_seen(_array_of(line), line, loop, live, known):
                    return None
    return made


def _counts_up(loop: ir.For) -> bool:
    """True where a loop gives each place of an array once at most."""
    bounds = [b.value for b in (loop.start, loop.step) if isinstance(b, ir.Const)]
    return len(bounds) == 2 and bounds[0] >= 0 and bounds[1] > 0


def _takes_row(s: ir.Statement, loop: ir.For, function: ir.Function) -> bool:
    if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
        return False
    value, kind = s.value, function.kinds.get(s.target.name)
    if not isinstance(value, ir.Apply) or value.function is not operator.getitem:
        return False
    array, index = value.args
    if (
        not isinstance(array, ir.Var)
        or index != loop.target
        or not isinstance(kind, ir.Array)
    ):
        return False
    whole = function.kinds.get(array.name)
    return isinstance(whole, ir.Array) and not whole.promoted and bool(kind.axes)


def _array_of(s: ir.Statement) -> str:
    """The array of which a line takes a row."""
    assert ir.applies(s)
    return str(s.value.args[0])


def _is_seen(
    array: str, view: ir.Statement, loop: ir.For, live: Set[str], memory: PointsTo
) -> bool:
    """True where an array, of which a loop copies each row, may be seen elsewhere in
    the loop or behind it, or is the caller's."""
    behind = memory.facts.after.get(id(loop), memory.anywhere)
    if memory.before(view).is_outside(array) or array in live:
        return True
    if behind.shared_with(array, live):
        return True
    assert isinstance(view, ir.Assign)
    copy = ir.Apply(ops.own_copy, (view.target,))
    return any(
        _touches(s, array, memory.before(s), memory)
        for s in ir.walk(loop.body)
        if s is not view and getattr(s, "value", None) != copy
    )


def _touches(s: ir.Statement, array: str, here: Memory, memory: PointsTo) -> bool:
    value = getattr(s, "value", None)
    if isinstance(value, ir.Apply) and value.function in SHAPE_QUERIES:
        return False
    return any(_shares(v, array, here, memory) for v in _variables(s))


def _variables(s: ir.Statement) -> Iterator[ir.Var]:
    yield from ir.direct_reads(s)
    yield from ir.direct_writes(s)


def _shares(variable: ir.Var, array: str, here: Memory, memory: PointsTo) -> bool:
    if variable.name == array:
        return True
    if is_number(memory.kinds.get(variable.name)):
        return False
    return here.shared_with(array, (variable.name,))
