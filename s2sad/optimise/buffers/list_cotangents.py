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

from s2sad.ir.kinds import (
    FLOAT,
    Array,
    Kind,
    List,
    NumPyScalar,
    dtype_of,
)
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    For,
    Function,
    If,
    Operand,
    Pack,
    Slice,
    Statement,
    Var,
    While,
)
from s2sad.ir.walking import (
    blocks_of,
    direct_reads,
    direct_writes,
    walk,
    with_blocks,
)
from s2sad.ops.buffers import (
    index_add,
    index_set,
    overwritten_part,
    stored,
)
from s2sad.ops.inner_lists import (
    added_within,
    appended_within,
    item_within,
    with_item_stored_within,
    with_longer_row,
    with_shorter_row,
    with_zero_element,
    without_item_within,
)
from s2sad.ops.lists import (
    appended,
    numbers_of,
    with_inserted_item,
    with_item_added,
    with_item_stored,
    without_item,
    without_last,
    without_place,
    zero_appended,
    zero_inserted,
    zero_items,
    zero_numbers,
    zeros_along,
)
from s2sad.ops.rows import with_row, with_zero_row, without_row, zero_rows
from s2sad.ops.runtime.scalars import quotient
from s2sad.optimise.buffers.list_choices import LENGTHS, Choice, Chosen

_ZERO, _LAST = Const(0.0), Const(-1)


def with_list_cotangents(function: Function) -> Function:
    """The function with lists in place of arrays of which only elements are used."""
    if not any(_is_of_lists(s) for s in walk(function.body)):
        return function
    if any(is_of_other_precision(kind) for kind in function.kinds.values()):
        return function
    chosen = Choice(function).chosen()
    if not chosen.names:
        return function
    kinds = dict(function.kinds)
    body = _Rewriting(chosen, kinds).block(function.body)
    for name in chosen.names:
        kinds[name] = List(List(FLOAT)) if name in chosen.rows else List(FLOAT)
    temporaries = function.temporaries | (set(kinds) - set(function.kinds))
    return replace(function, body=body, kinds=kinds, temporaries=temporaries)


def _is_of_lists(s: Statement) -> bool:
    """True for what makes the cotangent of a list, or changes its length."""
    own = (zeros_along, zero_rows, *LENGTHS)
    value = s.value if isinstance(s, Assign) else None
    return isinstance(value, Apply) and value.function in own


def is_of_other_precision(kind: Kind | None) -> bool:
    """True for numbers that take the precision of what they meet from Python's."""
    if isinstance(kind, List):
        return is_of_other_precision(kind.item)
    if not isinstance(kind, Array | NumPyScalar):
        return False
    return dtype_of(kind) not in (None, "float64", "int64", "int32", "bool")


class _Rewriting:
    """Writes the operations on lists."""

    def __init__(self, chosen: Chosen, kinds: dict[str, Kind]) -> None:
        self.chosen, self.kinds = chosen, kinds
        self.before = dict(kinds)

    def block(self, block: Block) -> Block:
        """A block with lists in place of arrays."""
        lines: list[Statement] = []
        for s in self._with_reads_first(list(block)):
            if isinstance(s, If | For | While) or blocks_of(s):
                lines.append(with_blocks(s, self.block))
            elif isinstance(s, Assign) and isinstance(s.value, Apply):
                lines += self._line(s, s.value)
            else:
                lines.append(self._renamed(s))
        return tuple(lines)

    def _with_reads_first(self, block: list[Statement]) -> list[Statement]:
        """Elements that are read from a list after it changed under another name are
        read before, so that it need not be copied."""
        place = 0
        while place < len(block):
            s = block[place]
            first = self._changed(s)
            if first is not None and first not in direct_writes(s):
                ahead = self._reads_of(first, block, place)
                if ahead:
                    moved = [block[k] for k in ahead]
                    for k in reversed(ahead):
                        del block[k]
                    block[place:place] = moved
                    place += len(moved)
            place += 1
        return block

    def _changed(self, s: Statement) -> Var | None:
        """The list that a line changes."""
        value = s.value if isinstance(s, Assign) and isinstance(s.target, Var) else None
        if not isinstance(value, Apply) or not value.args:
            return None
        first = value.args[0]
        if not isinstance(first, Var) or first.name not in self.chosen.names:
            return None
        reading = (len, operator.getitem, overwritten_part, item_within)
        return None if value.function in reading else first

    def _reads_of(self, items: Var, block: list[Statement], place: int) -> list[int]:
        """The places of lines that read elements of a list after a line, and may as
        well stand before it."""
        found: list[int] = []
        written: set[str] = {v.name for v in direct_writes(block[place])}
        read: set[str] = {v.name for v in direct_reads(block[place])}
        for k in range(place + 1, len(block)):
            s = block[k]
            if any(items in direct_writes(inner) for inner in walk((s,))):
                break
            value = s.value if isinstance(s, Assign) else None
            if (
                isinstance(value, Apply)
                and value.function in (operator.getitem, overwritten_part, item_within)
                and value.args[0] == items
                and not {v.name for v in direct_reads(s)} & written
                and not {v.name for v in direct_writes(s)} & (written | read)
            ):
                found.append(k)
                continue
            for inner in walk((s,)):
                written |= {v.name for v in direct_writes(inner)}
                read |= {v.name for v in direct_reads(inner)}
        return found

    def _renamed(self, s: Statement) -> Statement:
        if isinstance(s, Assign) and isinstance(s.target, Var):
            if s.target.name in self.chosen.names:
                return replace(s, kind=self._kind(s.target.name))
        return s

    def _kind(self, name: str) -> Kind:
        return List(List(FLOAT)) if name in self.chosen.rows else List(FLOAT)

    def _line(self, s: Assign, value: Apply) -> Block:
        if id(s) in self.chosen.quotients:
            return (replace(s, value=replace(value, function=quotient)),)
        first = value.args[0] if value.args else None
        name = s.target.name if isinstance(s.target, Var) else ""
        if isinstance(first, Var) and first.name in self.chosen.names:
            extra, made = self._of_lists(value, first)
            kind = self._kind(name) if name in self.chosen.names else s.kind
            return (*extra, replace(s, value=made, kind=kind))
        if name not in self.chosen.names:
            return (s,)
        kind = self._kind(name)
        if value.function is zero_rows:
            return (replace(s, value=Apply(zero_items, value.args), kind=kind),)
        if value.function is zeros_along:
            return (replace(s, value=Apply(zero_numbers, value.args), kind=kind),)
        array = self._fresh(self.before[name])
        made = Apply(numbers_of, (array,))
        return replace(s, target=array), replace(s, value=made, kind=kind)

    def _of_lists(self, value: Apply, first: Var) -> tuple[Block, Apply]:
        """The operation on a list, and lines ahead of it."""
        function, (_, *args) = value.function, value.args
        if first.name in self.chosen.rows:
            return self._of_rows(value, first, args)
        if function is index_set and isinstance(args[0], Slice):
            return (), Apply(with_item_stored, (first, *args[:2]))
        if function in (index_add, index_set):
            return (), Apply(with_item_added, (first, *args[:2]))
        if function is stored:
            return (), Apply(with_item_stored, (first, *args[:2]))
        if function is without_last:
            return (), Apply(without_item, (first, _LAST))
        if function is zero_appended:
            return (), Apply(appended, (first, _ZERO))
        if function is without_place:
            return (), Apply(without_item, (first, *args))
        if function is zero_inserted:
            return (), Apply(with_inserted_item, (first, *args, _ZERO))
        if function is overwritten_part:
            return (), Apply(operator.getitem, (first, *args))
        return (), value

    def _of_rows(
        self, value: Apply, rows: Var, args: list[Operand]
    ) -> tuple[Block, Apply]:
        function = value.function
        if function is index_add:
            assert isinstance(args[0], Pack)
            return (), Apply(added_within, (rows, *args[0].items, args[1]))
        if function is with_zero_element:
            return (), Apply(with_item_stored_within, (rows, *args, _ZERO))
        if function is with_shorter_row:
            return (), Apply(without_item_within, (rows, *args))
        if function is with_longer_row:
            return (), Apply(appended_within, (rows, args[0], _ZERO))
        if function is without_row:
            return (), Apply(without_item, (rows, args[0]))
        if function is overwritten_part:
            return (), Apply(operator.getitem, (rows, *args))
        if function not in (with_row, with_zero_row):
            return (), value
        zeros = self._fresh(List(FLOAT))
        made = Assign(None, zeros, Apply(zero_numbers, (args[1],)), List(FLOAT), True)
        if function is with_zero_row:
            return (made,), Apply(with_item_stored, (rows, args[0], zeros))
        if args[0] == _LAST:
            return (made,), Apply(appended, (rows, zeros))
        return (made,), Apply(with_inserted_item, (rows, args[0], zeros))

    def _fresh(self, kind: Kind) -> Var:
        count = 1
        while f"numbers.{count}" in self.kinds:
            count += 1
        self.kinds[f"numbers.{count}"] = kind
        return Var(f"numbers.{count}")
