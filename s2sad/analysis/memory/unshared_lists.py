"""Unshared lists: which variables hold a list that nobody else holds, along the paths
of a program.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Analysis
from s2sad.analysis.memory.ownership import NONE, Ownership, called
from s2sad.analysis.memory.view_operations import is_number, is_view_operation

Unshared = frozenset[str]
_ANSWERS = (
    operator.getitem,
    ops.contains,
    len,
    ops.item_within,
    ops.first_place,
    ops.number_of_keys,
)
"""Operations that don't hand on what they are asked about."""
_FRESH = (
    ops.new_keys,
    ops.set_of_members,
    ops.new_list,
    ops.own_copy,
    ops.own_rows,
    ops.list_of,
    ops.joined_lists,
    ops.as_list,
    ops.repeated,
    ops.zero_items,
    ops.zero_lists,
    ops.zero_numbers,
    ops.numbers_of,
    ops.stored_items,
)
"""Operations that make a list which nobody else holds."""


class UnsharedLists(Analysis[Unshared]):
    """The variables that hold a list which no other variable holds that is read
    again."""

    def __init__(
        self,
        live: Mapping[int, Set[str]],
        kinds: Mapping[str, ir.Kind],
        ownership: Ownership = NONE,
    ) -> None:
        self.live, self.kinds = live, kinds
        """What is read after each statement, and the kinds of variables."""
        self.ownership = ownership

    def ends(self, variable: ir.Var, statement: ir.Statement) -> bool:
        """True where a variable isn't read after a statement."""
        return variable.name not in self.live.get(id(statement), frozenset())

    def join(self, a: Unshared, b: Unshared) -> Unshared:
        return a & b

    def _is_slice(self, name: str, value: ir.Apply) -> bool:
        """True for a part of a list, which is a list of its own."""
        kind = self.kinds.get(name)
        whole = isinstance(kind, ir.List) and kind.constructor is list
        return whole and _slices(value)

    def leaf(self, statement: ir.Statement, fact: Unshared) -> Unshared:
        writes = ir.names_written(statement)
        if called(statement) is not None:
            reads = ir.names_read(statement)
            return (fact - writes - reads).union(self.ownership.own_results(statement))
        match statement:
            case ir.Assign(target=ir.Var(name=name), value=ir.Var() as source):
                if source.name in fact and self.ends(source, statement):
                    return (fact - {source.name}) | {name}
            case ir.Assign(
                target=ir.Var(name=name), value=ir.Apply(function=function) as value
            ):
                if function in ops.CONTAINER_CHANGES:
                    _, *others = value.args
                    held = {v.name for o in others for v in ir.operand_variables(o)}
                    own = {v.name for v in ir.operand_variables(value.args[0])}
                    return (fact - held - own) | {name}
                if function in ops.WRITES and value.args[0] == statement.target:
                    return fact  # an item changes, and the list is the same
                if function in _FRESH:
                    return (fact - set(_held_by(value))) | {name}
                if self._is_slice(name, value):
                    return fact | {name}
                if is_number(self.kinds.get(name)):
                    return fact - writes
                return fact - writes - set(_shared_by(value))
            case ir.Restore():
                return fact - writes
            case ir.Save(stack=stack):
                return fact - ir.names_read(statement) - {stack.name}
        return fact - writes - ir.names_read(statement)


def _slices(value: ir.Apply) -> bool:
    return value.function is operator.getitem and isinstance(value.args[1], ir.Slice)


def _held_by(value: ir.Apply) -> Iterator[str]:
    """The variables whose list a new list may hold."""
    if value.function is ops.zero_items:
        return
    for variable in ir.value_variables(value):
        yield variable.name


def _shared_by(value: ir.Apply) -> Iterator[str]:
    """The variables whose list the result of an operation may hold."""
    if value.function in _ANSWERS:
        return
    # Kinds tell indices apart, and no index is left.
    if is_view_operation(value, {}):
        for variable in ir.value_variables(value):
            yield variable.name


@dataclass(frozen=True)
class Lists:
    """What is known of lists at one place."""

    unshared: Unshared
    """As of :class:`UnsharedLists`."""
    apart: frozenset[str]
    """Of these, the variables whose list holds lists, each at one place, that nobody
    else holds but a variable named in ``inside``."""
    inside: frozenset[tuple[str, str]]
    """A variable, and one that may hold a list that stands in its list."""

    def without(self, names: set[str] | frozenset[str]) -> Lists:
        """The same, but nothing is known of some variables."""
        if not names:
            return self
        inside = frozenset(p for p in self.inside if names.isdisjoint(p))
        return Lists(self.unshared - names, self.apart - names, inside)


NOTHING = Lists(frozenset(), frozenset(), frozenset())
"""Where nothing is known yet."""


class UnsharedInnerLists(Analysis[Lists]):
    """The variables that hold a list of lists of numbers which nobody else holds, the
    inner lists neither."""

    def __init__(
        self,
        live: Mapping[int, Set[str]],
        kinds: Mapping[str, ir.Kind],
        ownership: Ownership = NONE,
    ) -> None:
        self.lists, self.kinds = UnsharedLists(live, kinds, ownership), kinds
        self.live = live

    def join(self, a: Lists, b: Lists) -> Lists:
        if a is b:
            return a
        unshared = self.lists.join(a.unshared, b.unshared)
        return Lists(unshared, a.apart & b.apart, a.inside | b.inside)

    def leaf(self, statement: ir.Statement, fact: Lists) -> Lists:
        unshared = self.lists.leaf(statement, fact.unshared)
        apart, inside = self._apart(statement, fact)
        return Lists(unshared, apart & unshared, inside)

    def may_write_within(self, statement: ir.Result, fact: Lists) -> bool:
        """True for a change of a list in a list that nobody else sees."""
        lists, *others = statement.value.args
        if not isinstance(lists, ir.Var) or lists.name not in fact.apart:
            return False
        if lists != statement.target and not self.lists.ends(lists, statement):
            return False
        if any(statement.target in ir.operand_variables(o) for o in others):
            return False
        live = self.live.get(id(statement), frozenset())
        return not any(a == lists.name and b in live for a, b in fact.inside)

    def _apart(
        self, s: ir.Statement, fact: Lists
    ) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
        written = ir.names_written(s)
        beyond = fact.without(written)
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            name, value = s.target.name, s.value
            if isinstance(value, ir.Var):
                return self._renamed(s, value, name, fact, beyond)
            if isinstance(value, ir.Apply):
                known = self._result(s, value, name, fact, beyond)
                if known is not None:
                    return known
        lost = self._holders(ir.direct_reads(s), fact)
        return beyond.apart - lost, beyond.inside

    def _renamed(
        self, s: ir.Assign, source: ir.Var, name: str, fact: Lists, beyond: Lists
    ) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
        apart, inside = beyond.apart - {source.name}, beyond.inside
        if source.name in fact.apart and self.lists.ends(source, s):
            apart |= {name}
        return apart, inside | _named(fact, source.name, name)

    def _result(
        self, s: ir.Assign, value: ir.Apply, name: str, fact: Lists, beyond: Lists
    ) -> tuple[frozenset[str], frozenset[tuple[str, str]]] | None:
        """What holds behind an operation; None for one that may keep what it reads."""
        function, kind = value.function, self.kinds.get(name)
        if function in (ops.new_list, ops.zero_items, ops.zero_lists):
            return beyond.apart | {name}, beyond.inside
        if function is ops.list_of:
            put = [v for v in ir.value_variables(value) if self._is_list(v)]
            lost = self._holders(put, fact)
            own = {name} if self._is_given_up(put, s, fact) else set()
            return beyond.apart - lost | own, beyond.inside
        if function in (operator.getitem, ops.item_within, len):
            source = value.args[0]
            row = isinstance(kind, ir.List) and isinstance(source, ir.Var)
            if row and source.name in fact.apart:  # type: ignore[union-attr]
                if isinstance(kind.item, ir.List):  # type: ignore[union-attr]
                    return None  # a part of it, which holds the same lists
                return beyond.apart, beyond.inside | {(source.name, name)}  # type: ignore[union-attr]
            return beyond.apart, beyond.inside
        if function in (*ops.LIST_CHANGES, *ops.CHANGES_WITHIN) and value.args:
            return self._changed(s, value, name, fact, beyond)
        if is_number(kind) or isinstance(kind, ir.Array):
            return beyond.apart, beyond.inside
        copies = isinstance(kind, ir.List) and not isinstance(kind.item, ir.List)
        if function in _FRESH and copies:
            return beyond.apart, beyond.inside
        return None

    def _changed(
        self, s: ir.Assign, value: ir.Apply, name: str, fact: Lists, beyond: Lists
    ) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
        """A list that has been changed: what is put into it must be nobody else's."""
        first, *others = value.args
        put = [v for o in others for v in ir.operand_variables(o) if self._is_list(v)]
        lost = self._holders(put, fact)
        apart, inside = beyond.apart - lost, beyond.inside
        if not isinstance(first, ir.Var):
            return apart, inside
        given_up = first.name == name or self.lists.ends(first, s)
        own = first not in put and self._is_given_up(put, s, fact)
        if first.name not in fact.apart or not own or not given_up:
            return apart - {first.name, name}, inside | _named(fact, first.name, name)
        return apart - {first.name} | {name}, inside | _named(fact, first.name, name)

    def _is_given_up(self, put: list[ir.Var], s: ir.Statement, fact: Lists) -> bool:
        """True where nobody else holds any of some lists behind a statement."""
        once = len(set(put)) == len(put)
        return once and all(
            v.name in fact.unshared and self.lists.ends(v, s) for v in put
        )

    def _is_list(self, variable: ir.Var) -> bool:
        return not is_number(self.kinds.get(variable.name))

    def _holders(self, variables: Iterable[ir.Var], fact: Lists) -> set[str]:
        """The variables whose lists, or lists in them, some variables hold."""
        names = {v.name for v in variables}
        return names | {a for a, b in fact.inside if b in names}


def _named(fact: Lists, source: str, name: str) -> frozenset[tuple[str, str]]:
    """What holds of a variable as of another, which takes its list."""
    holds = {(name, b) for a, b in fact.inside if a == source and b != name}
    held = {(a, name) for a, b in fact.inside if b == source and a != name}
    return frozenset(holds | held)
