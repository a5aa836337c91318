"""Distinct items: which lists hold arrays that nobody else holds.

An item of such a list is a view of it, as a row is of an array: who writes into the
item changes the list there, and nothing else::

    rows = []                          # each item is new, and put into this list alone
    for k in range(n):
        rows.append(v * k)
    rows[i][0] = 1.0                   # rows[j] stays as it is

A list loses this where the same array is appended twice, or has another name that is
read later, and where another list holds its items.
"""

import operator
from collections.abc import Iterator, Mapping, Set

from s2sad import ir, ops
from s2sad.analysis.dataflow.dataflow import Facts
from s2sad.analysis.memory.memory import OUTSIDE, SLOTS
from s2sad.analysis.memory.points_to import PointsTo

Kinds = Mapping[str, ir.Kind]


def is_list_of_arrays(kind: ir.Kind | None) -> bool:
    """True for a list whose items can be written into."""
    if not isinstance(kind, ir.List) or kind.constructor is not list:
        return False
    item = kind.item
    return isinstance(item, ir.Array) and bool(item.axes) and not item.promoted


def item_source(s: ir.Statement, kinds: Kinds) -> ir.Var | None:
    """The list of arrays of which a line takes one item; None for other lines."""
    if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
        return None
    value = s.value
    if not isinstance(value, ir.Apply) or value.function is not operator.getitem:
        return None
    source, index = value.args
    if not isinstance(source, ir.Var) or not is_list_of_arrays(kinds.get(source.name)):
        return None
    own = kinds.get(s.target.name)
    if (
        not isinstance(own, ir.Array)
        or own.promoted
        or not ir.is_whole_number(index, kinds)
    ):
        return None
    return source


def lists_of_arrays(function: ir.Function) -> frozenset[str]:
    """The lists whose items can be written into."""
    found = {n for n, k in function.kinds.items() if is_list_of_arrays(k)}
    return frozenset(found - set(function.parameters))


def puts_back(s: ir.Statement, made: Mapping[str, ir.Assign]) -> bool:
    """True for ``rows[i] = row`` where ``row`` is ``rows[i]``; ``made`` tells how the
    variables were made that are items."""
    if not ir.applies(s):
        return False
    if s.value.function is not ops.with_item_stored or s.value.args[0] != s.target:
        return False
    items, place, item = s.value.args[:3]
    line = made.get(item.name) if isinstance(item, ir.Var) else None
    return line is not None and line.value == ir.Apply(operator.getitem, (items, place))


def lists_of_distinct_arrays(
    function: ir.Function,
    memory: PointsTo,
    live: Mapping[int, Set[str]],
    views: Facts[Mapping[str, ir.Assign]],
    candidates: frozenset[str],
) -> frozenset[str]:
    """Those of the candidates whose items are surely different arrays which no variable
    that is read later shares. ``live`` are the variables that are read after each line;
    ``views`` are followed as if all candidates were such lists."""
    found = set(candidates)
    lines = [s for s in ir.walk(function.body) if _binds(s, found)]
    while True:
        lost = {
            v.name
            for s in lines
            for v in ir.direct_writes(s)
            if v.name in found and not _stays_distinct(s, found, memory, live, views)
        }
        if not lost:
            return frozenset(found)
        found -= lost


def _binds(s: ir.Statement, names: set[str]) -> bool:
    return any(v.name in names for v in ir.direct_writes(s))


def _stays_distinct(
    s: ir.Statement,
    found: set[str],
    memory: PointsTo,
    live: Mapping[int, Set[str]],
    views: Facts[Mapping[str, ir.Assign]],
) -> bool:
    if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
        return False
    after = live.get(id(s), frozenset()) - {s.target.name}
    value = s.value
    if isinstance(value, ir.Var):
        return value.name in found
    if not isinstance(value, ir.Apply):
        return False
    if value.function is ops.new_list:
        return True
    if value.function is ops.list_of:
        return _are_alone(s, _items(value.args[0]), set(after), memory)
    if value.function not in _CHANGES:
        return False
    source = value.args[0]
    if not isinstance(source, ir.Var) or source.name not in found:
        return False
    if source != s.target and source.name in after:
        return False  # both would hold the same arrays
    if value.function is ops.without_item:
        return True
    if puts_back(s, views.before.get(id(s), {})):
        return True
    item = value.args[_CHANGES[value.function]]
    return _are_alone(s, (item,), {*after, source.name}, memory)


_CHANGES = {
    ops.appended: 1,
    ops.with_inserted_item: 2,
    ops.with_item_stored: 2,
    ops.without_item: 0,
}
"""Changes of a list, and which operand is put into it."""


def _items(operand: ir.Operand) -> tuple[ir.Operand, ...]:
    return operand.items if isinstance(operand, ir.Pack) else (operand,)


def _are_alone(
    s: ir.Statement, items: tuple[ir.Operand, ...], others: set[str], memory: PointsTo
) -> bool:
    """True where nobody else holds these arrays."""
    here = memory.before(s)
    names = list(_names(items))
    if len(names) != len(items) or len(set(names)) != len(names):
        return False
    for name in names:
        if name in others or not here.of(name).isdisjoint((OUTSIDE, SLOTS)):
            return False
        if here.shared_with(name, {*others, *names} - {name}):
            return False
    return True


def _names(items: tuple[ir.Operand, ...]) -> Iterator[str]:
    for item in items:
        for variable in ir.operand_variables(item):
            yield variable.name
