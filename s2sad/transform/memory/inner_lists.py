"""Inner lists: one element of a list in a list is read or changed where it stands.

::

    r = getitem(lists, i)
    x = getitem(r, k)                    ->    x = item_within(lists, i, k)

    r = getitem(lists, i)
    t = appended(r, v)                   ->    lists = appended_within(lists, i, v)
    lists = with_item_stored(lists, i, t)

Takes the program to be differentiated, for the adjoint of a list that is stored as a
whole is a whole list, too. Reads become numbers that are kept by themselves: who keeps
the list ``r`` would see it change. Only programs that change an inner list are
rewritten, of lists of numbers in a list.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from s2sad.ir.kinds import Kind, List, NumPyScalar, Scalar, is_ragged
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Operand,
    Statement,
    Var,
)
from s2sad.ir.walking import (
    direct_reads,
    direct_writes,
    operand_variables,
    value_variables,
    walk,
    with_blocks,
)
from s2sad.ops.inner_lists import OF_ONE_LIST, item_within
from s2sad.ops.lists import appended, with_item_stored, without_item

_WITHIN = {alone: within for within, alone in OF_ONE_LIST.items()}
_OPERANDS = {with_item_stored: 2, appended: 1, without_item: 1}
"""So many operands of a change count."""

_Row = tuple[Var, Operand]
"""A list of lists, and the place of one of them."""
_Rows = dict[str, _Row]
"""The variables that hold a list in a list."""
_Made = dict[str, tuple[int, Assign, _Row]]
"""Changed lists that still are to be put back: the place of the line that makes each,
that line, and where the list stood."""


def change_inner_lists(function: Function) -> Function:
    """The function with lists in lists changed where they stand.

    >>> from s2sad.ir.kinds import FLOAT, INT
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> lists, i, v, row, longer = map(Var, ("lists", "i", "v", "row", "longer"))
    >>> kinds = {"lists": List(List(FLOAT)), "i": INT, "v": FLOAT}
    >>> kinds |= {"row": List(FLOAT), "longer": List(FLOAT)}
    >>> read = Assign(None, row, Apply(operator.getitem, (lists, i)))
    >>> grown = Assign(None, longer, Apply(appended, (row, v)))
    >>> back = Assign(None, lists, Apply(with_item_stored, (lists, i, longer)))
    >>> body = (read, grown, back, Return(None, lists))
    >>> function = Function("f", ("lists", "i", "v"), body, kinds)
    >>> print(function_text(change_inner_lists(function)))
    def f(lists: list of list of float [?] [?], i: int, v: float):
        row = getitem(lists, i)
        lists = appended_within(lists, i, v)
        return lists
    """
    if not any(_changes_list(s) for s in walk(function.body)):
        return function
    changed = _Changes(function).block(function.body, {})
    if changed == function.body:
        return function
    body = _with_reads_within(changed, {}, function.kinds)
    return replace(function, body=body)


class _Changes:
    """Finds what is read from a list, changed, and put back."""

    def __init__(self, function: Function) -> None:
        self.kinds = function.kinds
        statements = list(walk(function.body))
        reads = Counter(v.name for s in statements for v in direct_reads(s))
        writes = Counter(v.name for s in statements for v in direct_writes(s))
        self.once = {n for n, count in reads.items() if count == writes[n] == 1}
        """What is assigned once and read once."""

    def block(self, block: Block, rows: _Rows) -> Block:
        """The block, where ``rows`` hold at its start."""
        rows = dict(rows)
        made: _Made = {}
        lines: list[Statement | None] = []
        for s in block:
            lines.append(self._line(s, rows, made, lines))
            _forget(made, s)
            if isinstance(s, Assign) and isinstance(s.target, Var):
                value = s.value
                first = (
                    value.args[0] if isinstance(value, Apply) and value.args else None
                )
                source = rows.get(first.name) if isinstance(first, Var) else None
                _note(rows, s, self.kinds)
                if source and s.target.name in self.once and _changes_list(s):
                    if not _touches(s, source) and s.target != first:
                        made[s.target.name] = len(lines) - 1, s, source
            else:
                _note(rows, s, self.kinds)
        return tuple(line for line in lines if line is not None)

    def _line(
        self,
        s: Statement,
        rows: _Rows,
        made: _Made,
        lines: list[Statement | None],
    ) -> Statement:
        written = _written(s)
        inner = {n: r for n, r in rows.items() if not written & {n, *_names(r)}}
        s = with_blocks(s, lambda b: self.block(b, inner))
        value = s.value if isinstance(s, Assign) else None
        if not isinstance(value, Apply) or value.function is not with_item_stored:
            return s
        lists, place, item, *_ = value.args
        found = made.get(item.name) if isinstance(item, Var) else None
        if found is None or found[2] != (lists, place):
            return s
        at, change, _ = found
        assert isinstance(s, Assign) and isinstance(change.value, Apply)
        within = self._within(s, change.value)
        if within is None:
            return s
        lines[at] = None
        return replace(s, value=Apply(*within))

    def _within(
        self, s: Assign, change: Apply
    ) -> tuple[Any, tuple[Operand, ...]] | None:
        """The change of a list in a list that a line and the change of the item that it
        puts back amount to."""
        assert isinstance(s.value, Apply) and isinstance(s.target, Var)
        lists, place, *_ = s.value.args
        assert isinstance(lists, Var)
        before, after = self.kinds.get(lists.name), self.kinds.get(s.target.name)
        if not _holds_lists_of_numbers(before) or not _holds_lists_of_numbers(after):
            return None
        operands = change.args[1 : 1 + _OPERANDS[change.function]]
        if change.function is not with_item_stored:
            # only of such lists the cotangent is a list of rows, which may grow
            assert before is not None and after is not None
            if not is_ragged(before) or not is_ragged(after):
                return None
        if change.function is without_item and operands[0] not in (Const(0), Const(-1)):
            return None
        if change.function is with_item_stored and not _is_whole(
            operands[0], self.kinds
        ):
            return None
        return _WITHIN[change.function], (lists, place, *operands)


def _with_reads_within(block: Block, rows: _Rows, kinds: Mapping[str, Kind]) -> Block:
    """The block with the items of lists in lists read in one step."""
    rows = dict(rows)
    lines: list[Statement] = []
    for s in block:
        written = _written(s)
        inner = {n: r for n, r in rows.items() if not written & {n, *_names(r)}}
        s = with_blocks(s, _reading(inner, kinds))
        value = s.value if isinstance(s, Assign) else None
        if (
            isinstance(s, Assign)
            and isinstance(value, Apply)
            and value.function is operator.getitem
        ):
            row, index = value.args
            found = rows.get(row.name) if isinstance(row, Var) else None
            if found is not None and _is_whole(index, kinds):
                s = replace(s, value=Apply(item_within, (*found, index)))
        lines.append(s)
        _note(rows, s, kinds)
    return tuple(lines)


def _reading(rows: _Rows, kinds: Mapping[str, Kind]) -> Callable[[Block], Block]:
    return lambda block: _with_reads_within(block, rows, kinds)


def _note(rows: _Rows, s: Statement, kinds: Mapping[str, Kind]) -> None:
    """What rows are known behind a statement."""
    written = _written(s)
    for name in [n for n, r in rows.items() if written & {n, *_names(r)}]:
        del rows[name]
    value = s.value if isinstance(s, Assign) else None
    if not isinstance(s, Assign) or not isinstance(s.target, Var):
        return
    if not isinstance(value, Apply) or value.function is not operator.getitem:
        return
    lists, place = value.args
    if not isinstance(lists, Var) or not _is_whole(place, kinds):
        return
    if _holds_lists_of_numbers(kinds.get(lists.name)) and not _touches(
        s, (lists, place)
    ):
        rows[s.target.name] = lists, place


def _forget(made: _Made, s: Statement) -> None:
    """A changed list can't be put back any more where its parts have changed."""
    written = _written(s)
    for name, (_, change, source) in list(made.items()):
        read = {v.name for v in value_variables(change.value)}
        if written & {name, *read, *_names(source)}:
            del made[name]


def _first(value: Apply | Operand) -> Operand | None:
    return value.args[0] if isinstance(value, Apply) and value.args else None


def _written(s: Statement) -> set[str]:
    return {v.name for inner in walk((s,)) for v in direct_writes(inner)}


def _names(row: _Row) -> set[str]:
    return {v.name for operand in row for v in operand_variables(operand)}


def _touches(s: Assign, row: _Row) -> bool:
    return bool(_written(s) & _names(row))


def _changes_list(s: Statement) -> bool:
    value = s.value if isinstance(s, Assign) else None
    return isinstance(value, Apply) and value.function in _WITHIN


def _is_whole(index: Operand, kinds: Mapping[str, Kind]) -> bool:
    if isinstance(index, Const):
        return type(index.value) is int
    kind = kinds.get(index.name) if isinstance(index, Var) else None
    return isinstance(kind, Scalar) and kind.type == "int"


def _holds_lists_of_numbers(kind: Kind | None) -> bool:
    inner = kind.item if isinstance(kind, List) and kind.constructor is list else None
    return (
        isinstance(inner, List)
        and inner.constructor is list
        and isinstance(inner.item, Scalar | NumPyScalar)
    )
