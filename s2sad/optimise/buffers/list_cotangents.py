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

from __future__ import annotations

import operator
from dataclasses import replace

from s2sad import ir, ops
from s2sad.ops.runtime.scalars import quotient
from s2sad.optimise.buffers.list_choices import LENGTHS, Choice, Chosen

_ZERO, _LAST = ir.Const(0.0), ir.Const(-1)


def with_list_cotangents(function: ir.Function) -> ir.Function:
    """The function with lists in place of arrays of which only elements are used."""
    if not any(_is_of_lists(s) for s in ir.walk(function.body)):
        return function
    if any(is_of_other_precision(kind) for kind in function.kinds.values()):
        return function
    chosen = Choice(function).chosen()
    if not chosen.names:
        return function
    kinds = dict(function.kinds)
    body = _Rewriting(chosen, kinds).block(function.body)
    for name in chosen.names:
        kinds[name] = (
            ir.List(ir.List(ir.FLOAT)) if name in chosen.rows else ir.List(ir.FLOAT)
        )
    temporaries = function.temporaries | (set(kinds) - set(function.kinds))
    return replace(function, body=body, kinds=kinds, temporaries=temporaries)


def _is_of_lists(s: ir.Statement) -> bool:
    """True for what makes the cotangent of a list, or changes its length."""
    own = (ops.zeros_along, ops.zero_rows, *LENGTHS)
    value = s.value if isinstance(s, ir.Assign) else None
    return isinstance(value, ir.Apply) and value.function in own


def is_of_other_precision(kind: ir.Kind | None) -> bool:
    """True for numbers that take the precision of what they meet from Python's."""
    if isinstance(kind, ir.List):
        return is_of_other_precision(kind.item)
    if not isinstance(kind, ir.Array | ir.NumPyScalar):
        return False
    return ir.dtype_of(kind) not in (None, "float64", "int64", "int32", "bool")


class _Rewriting:
    """Writes the operations on lists."""

    def __init__(self, chosen: Chosen, kinds: dict[str, ir.Kind]) -> None:
        self.chosen, self.kinds = chosen, kinds
        self.before = dict(kinds)

    def block(self, block: ir.Block) -> ir.Block:
        """A block with lists in place of arrays."""
        lines: list[ir.Statement] = []
        for s in self._with_reads_first(list(block)):
            if isinstance(s, ir.If | ir.For | ir.While) or ir.blocks_of(s):
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
        value = (
            s.value
            if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var)
            else None
        )
        if not isinstance(value, ir.Apply) or not value.args:
            return None
        first = value.args[0]
        if not isinstance(first, ir.Var) or first.name not in self.chosen.names:
            return None
        reading = (len, operator.getitem, ops.overwritten_part, ops.item_within)
        return None if value.function in reading else first

    def _reads_of(
        self, items: ir.Var, block: list[ir.Statement], place: int
    ) -> list[int]:
        """The places of lines that read elements of a list after a line, and may as
        well stand before it."""
        found: list[int] = []
        written: set[str] = {v.name for v in ir.direct_writes(block[place])}
        read: set[str] = {v.name for v in ir.direct_reads(block[place])}
        for k in range(place + 1, len(block)):
            s = block[k]
            if any(items in ir.direct_writes(inner) for inner in ir.walk((s,))):
                break
            value = s.value if isinstance(s, ir.Assign) else None
            if (
                isinstance(value, ir.Apply)
                and value.function
                in (operator.getitem, ops.overwritten_part, ops.item_within)
                and value.args[0] == items
                and not {v.name for v in ir.direct_reads(s)} & written
                and not {v.name for v in ir.direct_writes(s)} & (written | read)
            ):
                found.append(k)
                continue
            for inner in ir.walk((s,)):
                written |= {v.name for v in ir.direct_writes(inner)}
                read |= {v.name for v in ir.direct_reads(inner)}
        return found

    def _renamed(self, s: ir.Statement) -> ir.Statement:
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            if s.target.name in self.chosen.names:
                return replace(s, kind=self._kind(s.target.name))
        return s

    def _kind(self, name: str) -> ir.Kind:
        return (
            ir.List(ir.List(ir.FLOAT))
            if name in self.chosen.rows
            else ir.List(ir.FLOAT)
        )

    def _line(self, s: ir.Assign, value: ir.Apply) -> ir.Block:
        if id(s) in self.chosen.quotients:
            return (replace(s, value=replace(value, function=quotient)),)
        first = value.args[0] if value.args else None
        name = s.target.name if isinstance(s.target, ir.Var) else ""
        if isinstance(first, ir.Var) and first.name in self.chosen.names:
            extra, made = self._of_lists(value, first)
            kind = self._kind(name) if name in self.chosen.names else s.kind
            return (*extra, replace(s, value=made, kind=kind))
        if name not in self.chosen.names:
            return (s,)
        kind = self._kind(name)
        if value.function is ops.zero_rows:
            return (replace(s, value=ir.Apply(ops.zero_items, value.args), kind=kind),)
        if value.function is ops.zeros_along:
            return (
                replace(s, value=ir.Apply(ops.zero_numbers, value.args), kind=kind),
            )
        array = self._fresh(self.before[name])
        made = ir.Apply(ops.numbers_of, (array,))
        return replace(s, target=array), replace(s, value=made, kind=kind)

    def _of_lists(self, value: ir.Apply, first: ir.Var) -> tuple[ir.Block, ir.Apply]:
        """The operation on a list, and lines ahead of it."""
        function, (_, *args) = value.function, value.args
        if first.name in self.chosen.rows:
            return self._of_rows(value, first, args)
        if function is ops.index_set and isinstance(args[0], ir.Slice):
            return (), ir.Apply(ops.with_item_stored, (first, *args[:2]))
        if function in (ops.index_add, ops.index_set):
            return (), ir.Apply(ops.with_item_added, (first, *args[:2]))
        if function is ops.stored:
            return (), ir.Apply(ops.with_item_stored, (first, *args[:2]))
        if function is ops.without_last:
            return (), ir.Apply(ops.without_item, (first, _LAST))
        if function is ops.zero_appended:
            return (), ir.Apply(ops.appended, (first, _ZERO))
        if function is ops.without_place:
            return (), ir.Apply(ops.without_item, (first, *args))
        if function is ops.zero_inserted:
            return (), ir.Apply(ops.with_inserted_item, (first, *args, _ZERO))
        if function is ops.overwritten_part:
            return (), ir.Apply(operator.getitem, (first, *args))
        return (), value

    def _of_rows(
        self, value: ir.Apply, rows: ir.Var, args: list[ir.Operand]
    ) -> tuple[ir.Block, ir.Apply]:
        function = value.function
        if function is ops.index_add:
            assert isinstance(args[0], ir.Pack)
            return (), ir.Apply(ops.added_within, (rows, *args[0].items, args[1]))
        if function is ops.with_zero_element:
            return (), ir.Apply(ops.with_item_stored_within, (rows, *args, _ZERO))
        if function is ops.with_shorter_row:
            return (), ir.Apply(ops.without_item_within, (rows, *args))
        if function is ops.with_longer_row:
            return (), ir.Apply(ops.appended_within, (rows, args[0], _ZERO))
        if function is ops.without_row:
            return (), ir.Apply(ops.without_item, (rows, args[0]))
        if function is ops.overwritten_part:
            return (), ir.Apply(operator.getitem, (rows, *args))
        if function not in (ops.with_row, ops.with_zero_row):
            return (), value
        zeros = self._fresh(ir.List(ir.FLOAT))
        made = ir.Assign(
            None, zeros, ir.Apply(ops.zero_numbers, (args[1],)), ir.List(ir.FLOAT), True
        )
        if function is ops.with_zero_row:
            return (made,), ir.Apply(ops.with_item_stored, (rows, args[0], zeros))
        if args[0] == _LAST:
            return (made,), ir.Apply(ops.appended, (rows, zeros))
        return (made,), ir.Apply(ops.with_inserted_item, (rows, args[0], zeros))

    def _fresh(self, kind: ir.Kind) -> ir.Var:
        count = 1
        while f"numbers.{count}" in self.kinds:
            count += 1
        self.kinds[f"numbers.{count}"] = kind
        return ir.Var(f"numbers.{count}")
