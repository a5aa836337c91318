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

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops

_WITHIN = {alone: within for within, alone in ops.OF_ONE_LIST.items()}
_OPERANDS = {ops.with_item_stored: 2, ops.appended: 1, ops.without_item: 1}
"""So many operands of a change count."""

_Row = tuple[ir.Var, ir.Operand]
"""A list of lists, and the place of one of them."""
_Rows = dict[str, _Row]
"""The variables that hold a list in a list."""
_Made = dict[str, tuple[int, ir.Assign, _Row]]
"""Changed lists that still are to be put back: the place of the line that makes each,
that line, and where the list stood."""


def change_inner_lists(function: ir.Function) -> ir.Function:
    """The function with lists in lists changed where they stand.

    >>> lists, i, v, row, longer = map(ir.Var, ("lists", "i", "v", "row", "longer"))
    >>> kinds = {"lists": ir.List(ir.List(ir.FLOAT)), "i": ir.INT, "v": ir.FLOAT}
    >>> kinds |= {"row": ir.List(ir.FLOAT), "longer": ir.List(ir.FLOAT)}
    >>> read = ir.Assign(None, row, ir.Apply(operator.getitem, (lists, i)))
    >>> grown = ir.Assign(None, longer, ir.Apply(ops.appended, (row, v)))
    >>> back = ir.Assign(
    ...     None, lists, ir.Apply(ops.with_item_stored, (lists, i, longer))
    ... )
    >>> body = (read, grown, back, ir.Return(None, lists))
    >>> function = ir.Function("f", ("lists", "i", "v"), body, kinds)
    >>> print(ir.function_text(change_inner_lists(function)))
    def f(lists: list of list of float [?] [?], i: int, v: float):
        row = getitem(lists, i)
        lists = appended_within(lists, i, v)
        return lists
    """
    if not any(_changes_list(s) for s in ir.walk(function.body)):
        return function
    changed = _Changes(function).block(function.body, {})
    if changed == function.body:
        return function
    body = _with_reads_within(changed, {}, function.kinds)
    return replace(function, body=body)


class _Changes:
    """Finds what is read from a list, changed, and put back."""

    def __init__(self, function: ir.Function) -> None:
        self.kinds = function.kinds
        uses = ir.uses_in(function.body)
        self.once = {n for n, c in uses.reads.items() if c == uses.writes[n] == 1}
        """What is assigned once and read once."""

    def block(self, block: ir.Block, rows: _Rows) -> ir.Block:
        """The block, where ``rows`` hold at its start."""
        rows = dict(rows)
        made: _Made = {}
        lines: list[ir.Statement | None] = []
        for s in block:
            lines.append(self._line(s, rows, made, lines))
            _forget(made, s)
            if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
                value = s.value
                first = (
                    value.args[0]
                    if isinstance(value, ir.Apply) and value.args
                    else None
                )
                source = rows.get(first.name) if isinstance(first, ir.Var) else None
                _note(rows, s, self.kinds)
                if source and s.target.name in self.once and _changes_list(s):
                    if not _touches(s, source) and s.target != first:
                        made[s.target.name] = len(lines) - 1, s, source
            else:
                _note(rows, s, self.kinds)
        return tuple(line for line in lines if line is not None)

    def _line(
        self,
        s: ir.Statement,
        rows: _Rows,
        made: _Made,
        lines: list[ir.Statement | None],
    ) -> ir.Statement:
        written = ir.names_written_within(s)
        inner = {n: r for n, r in rows.items() if not written & {n, *_names(r)}}
        s = ir.with_blocks(s, lambda b: self.block(b, inner))
        if not ir.is_line(s, ops.with_item_stored):
            return s
        lists, place, item, *_ = s.value.args
        found = made.get(item.name) if isinstance(item, ir.Var) else None
        if found is None or found[2] != (lists, place):
            return s
        at, change, _ = found
        assert isinstance(s, ir.Assign) and isinstance(change.value, ir.Apply)
        within = self._within(s, change.value)
        if within is None:
            return s
        lines[at] = None
        return replace(s, value=ir.Apply(*within))

    def _within(
        self, s: ir.Assign, change: ir.Apply
    ) -> tuple[Any, tuple[ir.Operand, ...]] | None:
        """The change of a list in a list that a line and the change of the item that it
        puts back amount to."""
        assert isinstance(s.value, ir.Apply) and isinstance(s.target, ir.Var)
        lists, place, *_ = s.value.args
        assert isinstance(lists, ir.Var)
        before, after = self.kinds.get(lists.name), self.kinds.get(s.target.name)
        if not _holds_lists_of_numbers(before) or not _holds_lists_of_numbers(after):
            return None
        operands = change.args[1 : 1 + _OPERANDS[change.function]]
        if change.function is not ops.with_item_stored:
            # only of such lists the cotangent is a list of rows, which may grow
            assert before is not None and after is not None
            if not ir.is_ragged(before) or not ir.is_ragged(after):
                return None
        if change.function is ops.without_item and operands[0] not in (
            ir.Const(0),
            ir.Const(-1),
        ):
            return None
        if change.function is ops.with_item_stored and not ir.is_whole_number(
            operands[0], self.kinds
        ):
            return None
        return _WITHIN[change.function], (lists, place, *operands)


def _with_reads_within(
    block: ir.Block, rows: _Rows, kinds: Mapping[str, ir.Kind]
) -> ir.Block:
    """The block with the items of lists in lists read in one step."""
    rows = dict(rows)
    lines: list[ir.Statement] = []
    for s in block:
        written = ir.names_written_within(s)
        inner = {n: r for n, r in rows.items() if not written & {n, *_names(r)}}
        s = ir.with_blocks(s, _reading(inner, kinds))
        if ir.applies(s, operator.getitem):
            row, index = s.value.args
            found = rows.get(row.name) if isinstance(row, ir.Var) else None
            if found is not None and ir.is_whole_number(index, kinds):
                s = replace(s, value=ir.Apply(ops.item_within, (*found, index)))
        lines.append(s)
        _note(rows, s, kinds)
    return tuple(lines)


def _reading(
    rows: _Rows, kinds: Mapping[str, ir.Kind]
) -> Callable[[ir.Block], ir.Block]:
    return lambda block: _with_reads_within(block, rows, kinds)


def _note(rows: _Rows, s: ir.Statement, kinds: Mapping[str, ir.Kind]) -> None:
    """What rows are known behind a statement."""
    written = ir.names_written_within(s)
    for name in [n for n, r in rows.items() if written & {n, *_names(r)}]:
        del rows[name]
    if not ir.is_line(s, operator.getitem):
        return
    lists, place = s.value.args
    if not isinstance(lists, ir.Var) or not ir.is_whole_number(place, kinds):
        return
    if _holds_lists_of_numbers(kinds.get(lists.name)) and not _touches(
        s, (lists, place)
    ):
        rows[s.target.name] = lists, place


def _forget(made: _Made, s: ir.Statement) -> None:
    """A changed list can't be put back any more where its parts have changed."""
    written = ir.names_written_within(s)
    for name, (_, change, source) in list(made.items()):
        read = {v.name for v in ir.value_variables(change.value)}
        if written & {name, *read, *_names(source)}:
            del made[name]


def _names(row: _Row) -> set[str]:
    return {v.name for operand in row for v in ir.operand_variables(operand)}


def _touches(s: ir.Assign, row: _Row) -> bool:
    return bool(ir.names_written_within(s) & _names(row))


def _changes_list(s: ir.Statement) -> bool:
    return ir.applies(s, *_WITHIN)


def _holds_lists_of_numbers(kind: ir.Kind | None) -> bool:
    inner = (
        kind.item if isinstance(kind, ir.List) and kind.constructor is list else None
    )
    return (
        isinstance(inner, ir.List)
        and inner.constructor is list
        and isinstance(inner.item, ir.Scalar | ir.NumPyScalar)
    )
