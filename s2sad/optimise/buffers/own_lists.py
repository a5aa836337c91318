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

import itertools
import operator
from dataclasses import replace

from s2sad.analysis.dataflow.dataflow import solve_forward
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.memory.ownership import NONE, Ownership
from s2sad.analysis.memory.unshared_lists import (
    NOTHING,
    UnsharedInnerLists,
    UnsharedLists,
)
from s2sad.ir.kinds import Kind, List
from s2sad.ir.nodes import Apply, Assign, Block, Function, Statement, Var
from s2sad.ir.procedures import Procedure
from s2sad.ir.walking import operand_variables, walk, with_leaves
from s2sad.ops.buffers import own_copy
from s2sad.ops.dicts import CONTAINER_CHANGES
from s2sad.ops.inner_lists import CHANGES_WITHIN, OF_ONE_LIST
from s2sad.ops.lists import with_item_stored
from s2sad.optimise.buffers.in_place import copied_first
from s2sad.optimise.named_back import with_names_back


def own_written_lists(
    function: Function,
    ownership: Ownership = NONE,
    procedure: Procedure | None = None,
) -> Function:
    """The function with each list that grows held by nobody else. ``procedure`` is
    the one whose program it is.

    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> from s2sad.ops.lists import appended, new_list
    >>> start = Assign(None, Var("a"), Apply(new_list, ()))
    >>> first = Assign(None, Var("a"), Apply(appended, (Var("a"), Var("x"))))
    >>> other = Assign(None, Var("b"), Var("a"))
    >>> second = Assign(None, Var("a"), Apply(appended, (Var("a"), Var("x"))))
    >>> body = (start, first, other, second, Return(None, Var("b")))
    >>> print(function_text(own_written_lists(Function("f", ("x",), body, {}))))
    def f(x: ?):
        a = new_list()
        a = appended(a, x)
        b = a
        a = own_copy(a)
        a = appended(a, x)
        return b
    """
    if not any(_grows(s) for s in walk(function.body)):
        return function
    own = ownership.own_parameters(procedure, function) & set(function.parameters)
    start = frozenset(own)
    function = with_names_back(function, CONTAINER_CHANGES)
    function = _with_own_inner_lists(function, ownership, start)
    live, _ = live_variables(function.body, lambda s: True)  # dead lines may be left
    analysis = UnsharedLists(live.after, function.kinds, ownership)
    facts = solve_forward(function.body, start, analysis)

    def change(s: Statement) -> Block:
        if not _grows(s):
            return (s,)
        assert isinstance(s, Assign) and isinstance(s.value, Apply)
        unshared = facts.before.get(id(s), frozenset())
        first, *others = s.value.args
        if not isinstance(first, Var) or first.name not in unshared:
            return copied_first(s, kinds)
        if first == s.target:
            return (s,)
        read = {v for o in others for v in operand_variables(o)}
        if not analysis.ends(first, s) or s.target in read:
            return copied_first(s, kinds)
        taken = Assign(s.span, s.target, first, s.kind, s.derived)
        return taken, replace(s, value=replace(s.value, args=(s.target, *others)))

    kinds = dict(function.kinds)
    body = with_leaves(function.body, change)
    return replace(function, body=body, kinds=kinds)


def _with_own_inner_lists(
    function: Function, ownership: Ownership, own: frozenset[str]
) -> Function:
    """The function in which a list in a list that somebody else may see is copied, and
    the copy put in its place: for ``lists = appended_within(lists, i, v)``::

        t = getitem(lists, i)
        u = own_copy(t)
        u = appended(u, v)
        lists = with_item_stored(lists, i, u)
    """
    if not any(_changes_within(s) for s in walk(function.body)):
        return function
    live, _ = live_variables(function.body, lambda s: True)
    kinds = dict(function.kinds)
    analysis = UnsharedInnerLists(live.after, function.kinds, ownership)
    start = replace(NOTHING, unshared=own)
    facts = solve_forward(function.body, start, analysis)

    def change(s: Statement) -> Block:
        if not _changes_within(s):
            return (s,)
        assert isinstance(s, Assign)
        if analysis.may_write_within(s, facts.before.get(id(s), NOTHING)):
            return (s,)
        return _one_copied(s, kinds)

    body = with_leaves(function.body, change)
    temporaries = function.temporaries | (set(kinds) - set(function.kinds))
    return replace(function, body=body, kinds=kinds, temporaries=temporaries)


def _one_copied(s: Assign, kinds: dict[str, Kind]) -> Block:
    assert isinstance(s.value, Apply) and isinstance(s.target, Var)
    lists, place, *others = s.value.args
    kind = s.kind or kinds.get(s.target.name)
    names = (f"inner.{count}" for count in itertools.count(1))
    seen, own = itertools.islice((n for n in names if n not in kinds), 2)
    if isinstance(kind, List) and kind.item is not None:
        kinds[seen] = kinds[own] = kind.item
    item = kinds.get(own)
    lines = (
        (Var(seen), Apply(operator.getitem, (lists, place)), item),
        (Var(own), Apply(own_copy, (Var(seen),)), item),
        (Var(own), Apply(OF_ONE_LIST[s.value.function], (Var(own), *others)), item),
        (s.target, Apply(with_item_stored, (lists, place, Var(own))), s.kind),
    )
    return tuple(Assign(s.span, t, value, k, s.derived) for t, value, k in lines)


def _changes_within(s: Statement) -> bool:
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function in CHANGES_WITHIN
    )


def _grows(s: Statement) -> bool:
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function in CONTAINER_CHANGES
    )
