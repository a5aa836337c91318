"""Own lists: a list grows in place where nobody else can see it, else a copy grows.

Takes a function in which ``appended`` makes a new list; gives one in which it extends
the list that its target holds already, as the emitter writes it::

    a = appended(b, v)         ->        a = own_copy(b)
                                         a = appended(a, v)

Not an optimisation: ``items.append(item)`` is written for what the IR calls a new
value. Whether a list is shared is followed along the paths of the program, for a loop
makes a new list at the same place in each iteration.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TypeGuard

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import solve_forward
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.memory import unshared_lists
from s2sad.analysis.memory.ownership import NONE, Ownership
from s2sad.optimise.buffers.own_buffers import copied_first
from s2sad.optimise.named_back import with_names_back


def own_written_lists(
    function: ir.Function,
    ownership: Ownership = NONE,
    procedure: ir.Procedure | None = None,
) -> ir.Function:
    """The function with each list that grows held by nobody else. ``procedure`` is
    the one whose program it is.

    >>> start = ir.Assign(None, ir.Var("a"), ir.Apply(ops.new_list, ()))
    >>> first = ir.Assign(
    ...     None, ir.Var("a"), ir.Apply(ops.appended, (ir.Var("a"), ir.Var("x")))
    ... )
    >>> other = ir.Assign(None, ir.Var("b"), ir.Var("a"))
    >>> second = ir.Assign(
    ...     None, ir.Var("a"), ir.Apply(ops.appended, (ir.Var("a"), ir.Var("x")))
    ... )
    >>> body = (start, first, other, second, ir.Return(None, ir.Var("b")))
    >>> print(ir.function_text(own_written_lists(ir.Function("f", ("x",), body, {}))))
    def f(x: ?):
        a = new_list()
        a = appended(a, x)
        b = a
        a = own_copy(a)
        a = appended(a, x)
        return b
    """
    if not any(_grows(s) for s in ir.walk(function.body)):
        return function
    own = ownership.own_parameters(procedure, function) & set(function.parameters)
    start = frozenset(own)
    function = with_names_back(function, ops.CONTAINER_CHANGES)
    function = _with_own_inner_lists(function, ownership, start)
    live, _ = live_variables(function.body, lambda s: True)  # dead lines may be left
    analysis = unshared_lists.UnsharedLists(live.after, function.kinds, ownership)
    facts = solve_forward(function.body, start, analysis)

    def change(s: ir.Statement) -> ir.Block:
        if not _grows(s):
            return (s,)
        unshared = facts.before.get(id(s), frozenset())
        first, *others = s.value.args
        if not isinstance(first, ir.Var) or first.name not in unshared:
            return copied_first(s, kinds)
        if first == s.target:
            return (s,)
        read = {v for o in others for v in ir.operand_variables(o)}
        if not analysis.ends(first, s) or s.target in read:
            return copied_first(s, kinds)
        taken = ir.Assign(s.span, s.target, first, s.kind, s.derived)
        return taken, replace(s, value=replace(s.value, args=(s.target, *others)))

    kinds = dict(function.kinds)
    body = ir.with_leaves(function.body, change)
    return replace(function, body=body, kinds=kinds)


def _with_own_inner_lists(
    function: ir.Function, ownership: Ownership, own: frozenset[str]
) -> ir.Function:
    """The function in which a list in a list that somebody else may see is copied, and
    the copy put in its place: for ``lists = appended_within(lists, i, v)``::

        t = getitem(lists, i)
        u = own_copy(t)
        u = appended(u, v)
        lists = with_item_stored(lists, i, u)
    """
    if not any(_changes_within(s) for s in ir.walk(function.body)):
        return function
    live, _ = live_variables(function.body, lambda s: True)
    owned = ir.Rewriting(function)
    analysis = unshared_lists.UnsharedInnerLists(live.after, function.kinds, ownership)
    start = replace(unshared_lists.NOTHING, unshared=own)
    facts = solve_forward(function.body, start, analysis)

    def change(s: ir.Statement) -> ir.Block:
        if not _changes_within(s):
            return (s,)
        if analysis.may_write_within(
            s, facts.before.get(id(s), unshared_lists.NOTHING)
        ):
            return (s,)
        return _one_copied(s, owned)

    return owned.finished(ir.with_leaves(function.body, change))


def _one_copied(s: ir.Line, owned: ir.Rewriting) -> ir.Block:
    lists, place, *others = s.value.args
    kind = s.kind or owned.kinds.get(s.target.name)
    item = kind.item if isinstance(kind, ir.List) else None
    seen, own = owned.fresh("inner", item), owned.fresh("inner", item)
    lines = (
        (seen, ir.Apply(operator.getitem, (lists, place)), item),
        (own, ir.Apply(ops.own_copy, (seen,)), item),
        (own, ir.Apply(ops.OF_ONE_LIST[s.value.function], (own, *others)), item),
        (s.target, ir.Apply(ops.with_item_stored, (lists, place, own)), s.kind),
    )
    return tuple(ir.Assign(s.span, t, value, k, s.derived) for t, value, k in lines)


def _changes_within(s: ir.Statement) -> TypeGuard[ir.Line]:
    return ir.is_line(s, *ops.CHANGES_WITHIN)


def _grows(s: ir.Statement) -> TypeGuard[ir.Line]:
    return ir.is_line(s, *ops.CONTAINER_CHANGES)
