"""Loops that read one item after the other by an index that nothing else reads: they
run over the items.

    for k in range(len(springs)):         for s in springs:
        s = read_item(springs, k)    ->       ...
        ...

The adjoint of a list is as long as the list: where an item is read of both, the loop
runs over both side by side.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from s2sad import ir, ops

ADJOINT = ".bar"
"""What the name of an adjoint ends with."""


@dataclass(frozen=True)
class ItemLoop:
    """What a loop runs over: the lists, the names of their items, and the rest of its
    body."""

    lists: tuple[ir.Var, ...]
    items: tuple[ir.Var, ...]
    body: ir.Block


def lengths_in(function: ir.Function) -> dict[str, str]:
    """The variables that hold the length of a list, of which both stay as they are."""
    writes = Counter(
        v.name for s in ir.walk(function.body) for v in ir.direct_writes(s)
    )
    fixed = {p for p in function.parameters if not writes[p]}
    fixed |= {name for name, count in writes.items() if count == 1}
    found = {}
    for s in ir.walk(function.body):
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
            held = _list_measured(s.value)
            if held is not None and {s.target.name, held.name} <= fixed:
                found[s.target.name] = held.name
    return found


def item_loop(
    s: ir.For, reads: Mapping[str, int], lengths: Mapping[str, str]
) -> ItemLoop | None:
    """The loop as one over items; None where it isn't such a one. ``reads`` counts how
    often the function reads each variable."""
    if s.backwards or s.parallel or s.start != ir.Const(0) or s.step != ir.Const(1):
        return None
    measured = _list_measured(s.stop)
    run_over = lengths.get(getattr(s.stop, "name", ""))
    run_over = measured.name if measured is not None else run_over
    taken = [line for line in s.body if _list_read(line, s.target) is not None]
    if run_over is None or not taken or reads[s.target.name] != len(taken):
        return None
    lists = [_list_read(line, s.target) for line in taken]
    if [v.name for v in lists if v is not None] not in (
        [run_over],
        [run_over, run_over + ADJOINT],
        [run_over + ADJOINT],
    ):
        return None
    items = [line.target for line in taken]  # type: ignore[attr-defined]
    rest = tuple(line for line in s.body if line not in taken)
    names = {item.name for item in items}
    written = {v.name for line in ir.walk(rest) for v in ir.direct_writes(line)}
    if names & written or s.target.name in written or len(names) < len(items):
        return None
    for line in s.body:  # what an iteration before has left isn't read
        if line in taken:
            names.discard(line.target.name)  # type: ignore[attr-defined]
        elif names & ir.names_read_within(line):
            return None
    return ItemLoop(tuple(lists), tuple(items), rest)  # type: ignore[arg-type]


def _list_measured(value: object) -> ir.Var | None:
    """The list of which this is the length."""
    if not isinstance(value, ir.Apply) or value.function is not len:
        return None
    (held,) = value.args
    return held if isinstance(held, ir.Var) else None


def _list_read(statement: ir.Statement, index: ir.Var) -> ir.Var | None:
    """The list of which a line reads the item at the index."""
    value = statement.value if isinstance(statement, ir.Assign) else None
    if not isinstance(value, ir.Apply) or value.function is not ops.read_item:
        return None
    held, key = value.args
    named = isinstance(statement.target, ir.Var)  # type: ignore[attr-defined]
    return held if named and key == index and isinstance(held, ir.Var) else None
