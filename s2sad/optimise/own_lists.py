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
from collections.abc import Iterator, Mapping
from dataclasses import replace

from s2sad.analysis.dataflow import Analysis, solve_forward
from s2sad.analysis.liveness import live_variables
from s2sad.analysis.points_to import is_view_operation
from s2sad.ir.nodes import Apply, Assign, Block, Function, Restore, Save, Statement, Var
from s2sad.ir.walking import (
    direct_reads,
    direct_writes,
    operand_variables,
    value_variables,
    walk,
    with_leaves,
)
from s2sad.optimise.dead_code import must_run
from s2sad.optimise.in_place import copied_first
from s2sad.optimise.named_back import with_names_back
from s2sad.transform.buffers import WRITES, own_copy
from s2sad.transform.dicts import CONTAINER_CHANGES, places_of, set_of_members
from s2sad.transform.lists import (
    as_list,
    joined_lists,
    list_of,
    new_list,
    repeated,
)
from s2sad.transform.rows import own_rows

Unshared = frozenset[str]
_FRESH = (
    set_of_members,
    places_of,
    new_list,
    own_copy,
    own_rows,
    list_of,
    joined_lists,
    as_list,
    repeated,
)
"""Operations that make a list which nobody else holds."""


class UnsharedLists(Analysis[Unshared]):
    """The variables that hold a list which no other variable holds that is read
    again."""

    def __init__(self, live: Mapping[int, frozenset[str]]) -> None:
        self.live = live
        """What is read after each statement."""

    def ends(self, variable: Var, statement: Statement) -> bool:
        """True where a variable isn't read after a statement."""
        return variable.name not in self.live.get(id(statement), frozenset())

    def join(self, a: Unshared, b: Unshared) -> Unshared:
        return a & b

    def leaf(self, statement: Statement, fact: Unshared) -> Unshared:
        writes = {v.name for v in direct_writes(statement)}
        match statement:
            case Assign(target=Var(name=name), value=Var() as source):
                if source.name in fact and self.ends(source, statement):
                    return (fact - {source.name}) | {name}
            case Assign(target=Var(name=name), value=Apply(function=function) as value):
                if function in CONTAINER_CHANGES:
                    _, *others = value.args
                    held = {v.name for o in others for v in operand_variables(o)}
                    own = {v.name for v in operand_variables(value.args[0])}
                    return (fact - held - own) | {name}
                if function in WRITES and value.args[0] == statement.target:
                    return fact  # an item changes, and the list is the same
                if function in _FRESH:
                    return (fact - set(_held_by(value))) | {name}
                return fact - writes - set(_shared_by(value))
            case Restore():
                return fact - writes
            case Save(stack=stack):
                return fact - {v.name for v in direct_reads(statement)} - {stack.name}
        return fact - writes - {v.name for v in direct_reads(statement)}


def _held_by(value: Apply) -> Iterator[str]:
    """The variables whose list a new list may hold."""
    for variable in value_variables(value):
        yield variable.name


def _shared_by(value: Apply) -> Iterator[str]:
    """The variables whose list the result of an operation may hold."""
    if value.function in (operator.getitem, len):
        return
    # Kinds tell indices apart, and no index is left.
    if is_view_operation(value, {}):
        for variable in value_variables(value):
            yield variable.name


def own_written_lists(function: Function) -> Function:
    """The function with each list that grows held by nobody else.

    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> from s2sad.transform.lists import appended
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
    function = with_names_back(function, CONTAINER_CHANGES)
    live, _ = live_variables(function.body, must_run)
    analysis = UnsharedLists(live.after)
    facts = solve_forward(function.body, frozenset(), analysis)

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


def _grows(s: Statement) -> bool:
    return (
        isinstance(s, Assign)
        and isinstance(s.value, Apply)
        and s.value.function in CONTAINER_CHANGES
    )
