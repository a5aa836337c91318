"""Cotangents of lists as lists: where only single elements of it are read and written,
the cotangent of a list of numbers is a list, too, and no array.

::

    b = zeros_along(items)                    b = zero_numbers(items)
    b = index_add(b, i, v)             ->     b = with_item_added(b, i, v)
    t = zero_inserted(b, n)                   t = with_inserted_item(b, n, 0.0)
    u = without_last(t)                       u = without_item(t, -1)

A list is several times as fast by elements, and gets longer without being copied. So is
the cotangent of a list of lists of numbers: a list of lists instead of one of arrays.

Elements of an array are NumPy's numbers, those of a list may be Python's, which raise
where the others give inf. So what is computed of elements is followed, and quotients of
what may be Python's numbers only become calls of ``quotient``; where an element goes
into an operation of which it isn't known that it gives the same, arrays stay.
"""

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.ops.runtime.scalars import quotient
from s2sad.optimise.buffers.list_choices import LENGTHS, Choice, Chosen

_ZERO, _LAST = ir.Const(0.0), ir.Const(-1)
_READS = (operator.getitem, ops.overwritten_part, ops.item_within)
_OF_NUMBERS: Mapping[Any, tuple[Any, int, tuple[ir.Operand, ...]]] = {
    ops.index_add: (ops.with_item_added, 3, ()),
    ops.index_set: (ops.with_item_added, 3, ()),
    ops.stored: (ops.with_item_stored, 3, ()),
    ops.without_last: (ops.without_item, 1, (_LAST,)),
    ops.zero_appended: (ops.appended, 1, (_ZERO,)),
    ops.without_place: (ops.without_item, 2, ()),
    ops.zero_inserted: (ops.with_inserted_item, 2, (_ZERO,)),
    ops.overwritten_part: (operator.getitem, 2, ()),
}
"""What is done to a list instead of an array: how many of the operands stay, and which
are added."""
_OF_ROWS: Mapping[Any, tuple[Any, int, tuple[ir.Operand, ...]]] = {
    ops.with_zero_element: (ops.with_item_stored_within, 3, (_ZERO,)),
    ops.with_shorter_row: (ops.without_item_within, 3, ()),
    ops.with_longer_row: (ops.appended_within, 2, (_ZERO,)),
    ops.without_row: (ops.without_item, 2, ()),
    ops.overwritten_part: (operator.getitem, 2, ()),
}
"""Likewise of a list of lists."""


def _rewritten(
    table: Mapping[Any, tuple[Any, int, tuple[ir.Operand, ...]]], value: ir.Apply
) -> ir.Apply:
    if value.function not in table:
        return value
    function, count, added = table[value.function]
    return ir.Apply(function, (*value.args[:count], *added))


def with_list_cotangents(function: ir.Function) -> ir.Function:
    """The function with lists in place of arrays of which only elements are used."""
    if not any(_is_of_lists(s) for s in ir.walk(function.body)):
        return function
    if any(is_of_other_precision(kind) for kind in function.kinds.values()):
        return function
    chosen = Choice(function).chosen()
    if not chosen.names:
        return function
    lists = _OfLists(function, chosen)
    body = lists.block(function.body)
    lists.kinds |= {name: lists.kind(name) for name in chosen.names}
    return lists.finished(body)


def _is_of_lists(s: ir.Statement) -> bool:
    """True for what makes the cotangent of a list, or changes its length."""
    own = (ops.zeros_along, ops.zero_rows, *LENGTHS)
    return ir.is_line(s, *own)


def is_of_other_precision(kind: ir.Kind | None) -> bool:
    """True for numbers that take the precision of what they meet from Python's."""
    if isinstance(kind, ir.List):
        return is_of_other_precision(kind.item)
    if not isinstance(kind, ir.Array | ir.NumPyScalar):
        return False
    return ir.dtype_of(kind) not in (None, "float64", "int64", "int32", "bool")


class _OfLists(ir.Rewriting):
    """Writes the operations on lists."""

    def __init__(self, function: ir.Function, chosen: Chosen) -> None:
        super().__init__(function)
        self.chosen = chosen

    def block(self, block: ir.Block) -> ir.Block:
        """A block with lists in place of arrays."""
        lines: list[ir.Statement] = []
        for s in self._with_reads_first(list(block)):
            if ir.blocks_of(s):
                lines.append(ir.with_blocks(s, self.block))
            elif isinstance(s, ir.Assign) and isinstance(s.value, ir.Apply):
                lines += self._line(s, s.value)
            else:
                lines.append(self._renamed(s))
        return tuple(lines)

    def _with_reads_first(self, block: list[ir.Statement]) -> list[ir.Statement]:
        """Elements that are read from a list after it changed under another name are
        read before, so that it need not be copied."""
        place = 0
        while place < len(block):
            s = block[place]
            first = self._changed(s)
            if first is not None and first not in ir.direct_writes(s):
                ahead = self._reads_of(first, block, place)
                if ahead:
                    moved = [block[k] for k in ahead]
                    for k in reversed(ahead):
                        del block[k]
                    block[place:place] = moved
                    place += len(moved)
            place += 1
        return block

    def _changed(self, s: ir.Statement) -> ir.Var | None:
        """The list that a line changes."""
        if not ir.is_line(s) or not s.value.args:
            return None
        first = s.value.args[0]
        if not isinstance(first, ir.Var) or first.name not in self.chosen.names:
            return None
        return None if s.value.function in (len, *_READS) else first

    def _reads_of(
        self, items: ir.Var, block: list[ir.Statement], place: int
    ) -> list[int]:
        """The places of lines that read elements of a list after a line, and may as
        well stand before it."""
        found: list[int] = []
        written, read = (
            {*ir.names_written(block[place])},
            {*ir.names_read(block[place])},
        )
        for k in range(place + 1, len(block)):
            s = block[k]
            if items.name in ir.names_written_within(s):
                break
            if (
                ir.is_line(s, *_READS)
                and s.value.args[0] == items
                and written.isdisjoint(ir.names_read(s))
                and s.target.name not in written | read
            ):
                found.append(k)
                continue
            written |= ir.names_written_within(s)
            read |= ir.names_read_within(s)
        return found

    def _renamed(self, s: ir.Statement) -> ir.Statement:
        if isinstance(s, ir.Assign) and str(s.target) in self.chosen.names:
            return replace(s, kind=self.kind(str(s.target)))
        return s

    def kind(self, name: str) -> ir.Kind:
        """The kind of a cotangent that is a list."""
        numbers = ir.List(ir.FLOAT)
        return ir.List(numbers) if name in self.chosen.rows else numbers

    def _line(self, s: ir.Assign, value: ir.Apply) -> ir.Block:
        if id(s) in self.chosen.quotients:
            return (replace(s, value=replace(value, function=quotient)),)
        first, name = value.args[0] if value.args else None, str(s.target)
        if isinstance(first, ir.Var) and first.name in self.chosen.names:
            if value.function is ops.in_lists and self._is_in_lists(first, s.kind):
                return (replace(s, value=first),)
            extra, made = self._of_lists(value, first)
            kind = self.kind(name) if name in self.chosen.names else s.kind
            return (*extra, replace(s, value=made, kind=kind))
        if name not in self.chosen.names:
            return (s,)
        kind = self.kind(name)
        if value.function is ops.zero_rows:
            return (replace(s, value=ir.Apply(ops.zero_lists, value.args), kind=kind),)
        if value.function is ops.zeros_along:
            return (
                replace(s, value=ir.Apply(ops.zero_numbers, value.args), kind=kind),
            )
        array = self.fresh("numbers", self.function.kinds[name])
        made = ir.Apply(ops.numbers_of, (array,))
        return replace(s, target=array), replace(s, value=made, kind=kind)

    def _is_in_lists(self, items: ir.Var, kind: ir.Kind | None) -> bool:
        """True for a list that is a gradient of this kind as it is."""
        inner = kind.item if isinstance(kind, ir.List) else None
        of_tuples = isinstance(inner, ir.List) and inner.constructor is tuple
        return items.name not in self.chosen.rows or not of_tuples

    def _of_lists(self, value: ir.Apply, first: ir.Var) -> tuple[ir.Block, ir.Apply]:
        """The operation on a list, and lines ahead of it."""
        function, (_, *args) = value.function, value.args
        if first.name in self.chosen.rows:
            return self._of_rows(value, first, args)
        if function is ops.index_set and isinstance(args[0], ir.Slice):
            return (), ir.Apply(ops.with_item_stored, (first, *args[:2]))
        return (), _rewritten(_OF_NUMBERS, value)

    def _of_rows(
        self, value: ir.Apply, rows: ir.Var, args: list[ir.Operand]
    ) -> tuple[ir.Block, ir.Apply]:
        function = value.function
        if function is ops.index_add and not isinstance(args[0], ir.Pack):
            return (), ir.Apply(ops.with_row_added, (rows, *args[:2]))
        if function is ops.index_add:
            assert isinstance(args[0], ir.Pack)
            return (), ir.Apply(ops.added_within, (rows, *args[0].items, args[1]))
        if function not in (ops.with_row, ops.with_zero_row):
            return (), _rewritten(_OF_ROWS, value)
        lines: list[ir.Statement] = []
        made = ir.Apply(ops.zero_numbers, (args[1],))
        zeros = self.line(lines, made, ir.List(ir.FLOAT), None, "numbers")
        if function is ops.with_zero_row:
            return tuple(lines), ir.Apply(ops.with_item_stored, (rows, args[0], zeros))
        if args[0] == _LAST:
            return tuple(lines), ir.Apply(ops.appended, (rows, zeros))
        return tuple(lines), ir.Apply(ops.with_inserted_item, (rows, args[0], zeros))
