"""Cotangents of lists that one loop gives, item by item: the items are appended, where
nothing else is added to them.

::

    ws.bar = zero_rows(ws)                          ws.bar = new_list()
    for k in reversed range(0, len(ws), 1):         for k in reversed range(...):
        ...                                   ->        ...
        ws.bar = index_add(ws.bar, k, w.bar)            ws.bar = appended(ws.bar, w.bar)
                                                    ws.bar = getitem(ws.bar, ::-1)
"""

import operator
from collections import Counter
from collections.abc import Set
from dataclasses import replace
from functools import cached_property
from typing import Any

from s2sad import ir, ops
from s2sad.analysis.dataflow.liveness import live_variables
from s2sad.analysis.memory.points_to import points_to
from s2sad.analysis.passes.dead_code import must_run

_ZEROS: dict[Any, Any] = {
    ops.zero_rows: ops.index_add,
    ops.zero_lists: ops.with_row_added,
    ops.zero_numbers: ops.with_item_added,
}
"""What makes a cotangent of a list, and what adds to an item of it."""


BACKWARDS = ir.Slice(None, None, ir.Const(-1))


def with_collected_items(function: ir.Function) -> ir.Function:
    """The function with lists to which items are appended, in place of zeros to each of
    which one value is added."""
    if not any(ir.is_line(s, *_ZEROS) for s in ir.walk(function.body)):
        return function
    collected = _Collected(function)
    return collected.finished(collected.block(function.body))


class _Collected(ir.Rewriting):
    """Looks for such loops, and rewrites them."""

    def __init__(self, function: ir.Function) -> None:
        super().__init__(function)
        written = Counter(function.parameters)
        self.values: dict[str, Any] = {}
        """What is assigned to variables, of those assigned twice the last."""
        self.reads: Counter[str] = Counter()
        for s in ir.walk(function.body):
            self.reads.update(ir.names_read(s))
            for variable in ir.direct_writes(s):
                written[variable.name] += 1
                self.values[variable.name] = getattr(s, "value", None)
        self.once = {name for name, times in written.items() if times == 1}

    def block(self, block: ir.Block) -> ir.Block:
        """A block in which all such loops append."""
        lines = [ir.with_blocks(s, self.block) for s in block]
        place = -1
        while place + 1 < len(lines):  # which a list that is turned makes longer
            place += 1
            zeros = lines[place]
            if not ir.is_line(zeros, *_ZEROS):
                continue
            users = (s for s in lines[place + 1 :] if mentions(s, zeros.target.name))
            loop = next(users, None)
            if not isinstance(loop, ir.For) or not self._runs_along(loop, zeros):
                continue
            body = self._appending(loop, zeros)
            if body is None:
                continue
            where = lines.index(loop)
            counts = loop.target.name in ir.names_read_in(body)
            backwards = loop.backwards and counts
            lines[where] = replace(loop, body=body, backwards=backwards)
            if loop.backwards:
                lines[where + 1 :] = self._turned(zeros, lines[where + 1 :])
            lines[place] = replace(zeros, value=ir.Apply(ops.new_list, ()))
        return ir.as_block(lines, block)

    def _turned(self, zeros: ir.Line, behind: list[ir.Statement]) -> list[ir.Statement]:
        """What follows the loop, once the list is turned round."""
        name, turned = zeros.target.name, zeros.target
        reads = sum(name in ir.names_read(s) for s in behind)
        if reads == 1 and self.reads[name] == 2:  # it has a name of its own
            turned = self.named(f"{name}.turned", self.kinds.get(name))
            behind = list(
                ir.renamed(tuple(behind), lambda v: turned if v.name == name else v)
            )
        value = ir.Apply(operator.getitem, (zeros.target, BACKWARDS))
        return [replace(zeros, target=turned, value=value), *behind]

    def _runs_along(self, loop: ir.For, zeros: ir.Line) -> bool:
        """True for a loop that surely has one turn for each item."""
        (items, *_), stop = zeros.value.args, loop.stop
        if loop.until is not None or loop.parallel:
            return False
        if loop.start != ir.Const(0) or loop.step != ir.Const(1):
            return False
        if not isinstance(items, ir.Var) or not isinstance(stop, ir.Var):
            return False
        length = ir.Apply(len, (items,))
        return self.once >= {items.name, stop.name} and (
            items == stop or bool(self.values.get(stop.name) == length)
        )

    def _appending(self, loop: ir.For, zeros: ir.Line) -> ir.Block | None:
        """The body of a loop that appends; None for one that does anything else with
        the list than adding to the item whose turn it is."""
        items = zeros.target
        users = [s for s in loop.body if mentions(s, items.name)]
        if len(users) != 1 or loop.target.name in ir.names_written_in(loop.body):
            return None
        (added,) = users
        if not ir.is_line(added, _ZEROS[zeros.value.function]):
            return None
        first, place, amount, *repeats = added.value.args
        if added.target != items or first != items or place != loop.target:
            return None
        if amount == items or not self._is_an_item(amount, zeros):
            return None
        if repeats not in ([], [ir.Const(False)]):
            return None
        lines: list[ir.Statement] = []
        if isinstance(amount, ir.Var) and not self._ends(amount.name, added, loop):
            own, kind = ir.Apply(ops.own_copy, (amount,)), self.kinds[amount.name]
            amount = self.line(lines, own, kind, added.span, "item")
        value = ir.Apply(ops.appended, (items, amount))
        lines.append(replace(added, value=value))
        where = loop.body.index(added)
        return (*loop.body[:where], *lines, *loop.body[where + 1 :])

    def _is_an_item(self, amount: ir.Operand, zeros: ir.Line) -> bool:
        """True for what is what zeros become when it is added to them: an array of just
        that shape and dtype, or a number."""
        if isinstance(amount, ir.Const):
            return isinstance(amount.value, float) and self._is_of_numbers(zeros)
        if not isinstance(amount, ir.Var):
            return False
        kind = self.kinds.get(amount.name)
        if zeros.value.function is ops.zero_lists:
            return ir.is_list_of_numbers(kind)
        if self._is_of_numbers(zeros):
            return isinstance(kind, ir.Scalar | ir.NumPyScalar) and (
                ir.is_real_number_kind(kind)
            )
        of_list = self.kinds.get(zeros.target.name)
        item = of_list.item if isinstance(of_list, ir.List) else None
        if not isinstance(kind, ir.Array) or not isinstance(item, ir.Array):
            return False
        if kind.promoted or kind.dtype is None or not kind.axes or not item.axes:
            return False
        return (kind.dtype, [axis.length for axis in kind.axes]) == (
            item.dtype,
            [axis.length for axis in item.axes if axis.length != "any"],
        )

    def _is_of_numbers(self, zeros: ir.Line) -> bool:
        return zeros.value.function is ops.zero_numbers

    def _ends(self, name: str, added: ir.Line, loop: ir.For) -> bool:
        """True for a number, and for a new array or list that nobody reads behind a
        line."""
        if isinstance(self.kinds[name], ir.List):
            return self._is_made_for(name, added, loop.body)
        if not isinstance(self.kinds[name], ir.Array):
            return True
        live, memory = self._facts
        after: Set[str] = live.get(id(added), frozenset[str]())
        return memory.before(added).owned_alone(name, after)

    def _is_made_for(self, name: str, added: ir.Line, block: ir.Block) -> bool:
        """True for a list that each run of a block makes anew, for a line that nothing
        behind it asks for."""
        where = block.index(added)
        ahead = [s for s in block[:where] if mentions(s, name)]
        if not ahead or any(mentions(s, name) for s in block[where + 1 :]):
            return False
        made = ahead[0]
        turned = ir.is_line(made, operator.getitem) and made.value.args[1] == BACKWARDS
        if not turned and not ir.is_line(made, ops.new_list, ops.zero_numbers):
            return False
        readers = [s for s in ir.walk(block) if name in ir.names_read(s)]
        own = [s for s in readers if not ir.is_line(s, operator.getitem)]
        given_on = any(isinstance(getattr(s, "value", None), ir.Var) for s in own)
        return not given_on and len(own) >= self.reads[name]

    @cached_property
    def _facts(self) -> tuple[Any, Any]:
        facts, _ = live_variables(self.function.body, must_run)
        return facts.after, points_to(self.function, facts.after)


def mentions(s: ir.Statement, name: str) -> bool:
    return name in ir.names_read_within(s) | ir.names_written_within(s)
