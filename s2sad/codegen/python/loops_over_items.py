"""Loops that run over the items of lists, in place of their places.

::

    for x_index in range(len(xs)):             for x in xs:
        x = xs[x_index]                ->          ...

Of several lists that are run over together this is a ``zip``, and an ``enumerate``
where the place is read, too. A list has one value from its assignment on, so it doesn't
change while a loop reads its items.
"""

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass
from typing import Any

from s2sad import ir


@dataclass(frozen=True)
class RunOver:
    """What a loop runs over."""

    lists: tuple[ir.Operand, ...]
    items: tuple[ir.Var, ...]
    """The variables that get an item of each."""
    place: ir.Var | None
    """The variable that gets their place, where it is read."""
    body: ir.Block
    """What follows the lines that read the items."""


class LoopsOverItems:
    """Finds such loops in a function."""

    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.reads: Counter[str] = Counter()
        """How often variables are read."""
        self.values: dict[str, ir.Apply | ir.Operand | None] = {
            name: ir.Var(name) for name in function.parameters
        }
        """What variables are assigned; None for those that are so several times."""
        for s in ir.walk(function.body):
            self.reads.update(ir.names_read(s))
            for variable in ir.direct_writes(s):
                known = variable.name in self.values or not isinstance(s, ir.Assign)
                value = None if known else s.value  # type: ignore[attr-defined]
                self.values[variable.name] = value

    def run_over(self, loop: ir.For) -> RunOver | None:
        """What a loop runs over; None for one that counts."""
        counts = loop.start == ir.Const(0) and loop.step == ir.Const(1)
        own = loop.target.name in self.function.temporaries
        if not counts or not own or loop.parallel:
            return None
        lists = self._measured(loop.stop)
        if not lists or not all(map(self._is_list, lists)):
            return None
        items: dict[ir.Operand, ir.Var] = {}
        place: Any = None
        others: list[ir.Statement] = []
        for number, s in enumerate(loop.body):
            source = _item_read(s, loop.target)
            if source in lists and source not in items:
                items[source] = s.target  # type: ignore[attr-defined]
            elif isinstance(s, ir.Assign) and s.value == loop.target and place is None:
                place = s.target
                others.append(s)
            else:
                others += loop.body[number:]
                break
        if len(items) < len(lists) or len(set(items.values())) < len(items):
            return None
        left = self.reads[loop.target.name] - len(items)
        if place is not None and left == 1 and isinstance(place, ir.Var):
            others.pop(0)
        else:
            place = loop.target if left else None
        if loop.backwards and (len(lists) > 1 or place is not None):
            return None
        found = tuple(items[source] for source in lists)
        return RunOver(tuple(lists), found, place, tuple(others))

    def _is_list(self, items: ir.Operand) -> bool:
        """True for a list or tuple that is assigned once, and for data of the
        module."""
        if not isinstance(items, ir.Var):
            return isinstance(items, ir.Global)
        kind = self.function.kinds.get(items.name)
        once = self.values.get(items.name) is not None
        return isinstance(kind, ir.List) and once

    def _measured(self, stop: ir.Apply | ir.Operand | None) -> list[ir.Operand]:
        """The lists of which the shortest has so many items."""
        if isinstance(stop, ir.Var):
            stop = self.values.get(stop.name)
        if not isinstance(stop, ir.Apply):
            return []
        if stop.function is len and isinstance(stop.args[0], ir.Var | ir.Global):
            return [stop.args[0]]
        if stop.function is not min or stop.keywords:
            return []
        found = [self._measured(a) for a in stop.args]
        lists = [v for part in found for v in part]
        return lists if all(found) and len(set(lists)) == len(lists) else []


def _item_read(s: ir.Statement, place: ir.Var) -> ir.Operand | None:
    """The list of which a line reads the item at a place."""
    if not ir.is_line(s, operator.getitem) or s.value.args[1] != place:
        return None
    return s.value.args[0]
