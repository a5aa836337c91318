"""Which lists, dicts and objects of a call stand for those that a procedure was made
for.

A procedure that changes what it is given was written for some list or object. It is
the program for another one, too, where that is of the same form: what the procedure
reads of the one is read of the other, and what it hands back is bound there::

    push(first, x)            first = push(x, first)
    push(second, y)    ->     second = push(y, second)

Two of them are one and the same in a call exactly where they are in the procedure.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.cells import note_late
from s2sad.frontend.specialise.recursion import forms
from s2sad.frontend.specialise.recursion.results import zero_of

Cells = Mapping[Any, core.Cell]
"""By its frame, what a list, dict or object is in a call."""
NO_OTHERS: Cells = MappingProxyType({})


def cells_of_call(
    procedure: ir.Procedure, bound: dict[str, core.Value]
) -> Cells | None:
    """What stands in a call for those lists, dicts and objects that a procedure was
    made for which aren't the call's own; None where nothing does."""
    details = procedure.details
    found: dict[Any, core.Cell] = {}
    taken: set[Any] = set()
    pending = [(own, bound[name]) for name, own in details.arguments.items()]
    for owner, name, own in details.captured:
        if not isinstance(owner, core.CellFrame) and name in owner.names:
            pending.append((own, owner.names[name]))
    while pending:
        own, now = pending.pop()
        if isinstance(own, core.Cell) and isinstance(now, core.Cell):
            if own.frame in found or now.frame in taken:
                if own.frame in found and found[own.frame].frame is now.frame:
                    continue
                return None
            found[own.frame] = replace(now, selector=None)
            taken.add(now.frame)
            if own.frame is not now.frame and not _may_stand_for(now, own):
                return None
            for owner, name, value in details.captured:
                if owner is own.frame:
                    there = name_in(now.frame, owner, name)
                    if there not in now.frame.names:
                        if (owner, name) in details.makes:
                            continue
                        return None
                    pending.append((value, now.frame.names[there]))
        else:
            parts, given = core.parts_of(own), core.parts_of(now)
            if len(parts) != len(given):
                return None
            pending += [(p, q) for (_, p), (_, q) in zip(parts, given, strict=True)]
    if any(owner in taken for owner, _, _ in details.captured if owner not in found):
        return None
    found = {frame: c for frame, c in found.items() if frame is not c.frame}
    return None if found and not ir.is_complete(procedure) else found


def _may_stand_for(cell: core.Cell, other: core.Cell) -> bool:
    """True for two of a class which are no more than what they hold."""
    return cell.constructor is other.constructor and all(
        one.place is None
        and not one.frozen
        and not one.outside
        and core.LOST not in one.names
        for one in (cell.frame, other.frame)
    )


def name_in(there: core.Frame, owner: core.Frame, name: str) -> str:
    """The name in another frame: the content of a list has one of its own."""
    if isinstance(owner, core.CellFrame) and isinstance(there, core.CellFrame):
        return there.title if name == owner.title else name
    return name


def variable_of_call(
    cells: Cells, owner: core.Frame, name: str
) -> tuple[core.Frame, str]:
    """The variable that a call reads or binds for one of another activation."""
    if owner not in cells:
        return owner, name
    there = cells[owner].frame
    return there, name_in(there, owner, name)


def captured_in_call(
    spec: Specialiser, details: Any, cells: Cells
) -> dict[Any, core.Value]:
    """The variables of other activations that a procedure reads, with what a call gives
    for them."""
    return {
        (owner, name): zeros_like(spec, own)
        if is_made(details, cells, owner, name)
        else spec.read_variable(*variable_of_call(cells, owner, name))
        for owner, name, own in details.captured
    }


def is_made(details: Any, cells: Cells, owner: core.Frame, name: str) -> bool:
    """True for an attribute that a call makes: the object lacks it so far."""
    there, own_name = variable_of_call(cells, owner, name)
    return (owner, name) in details.makes and own_name not in there.names


def lack_the_same(details: Any, cells: Cells) -> bool:
    """True where the objects of a call lack the attributes that a procedure found to be
    lacking."""
    for (owner, name), lacked in details.lacked.items():
        there = cells[owner].frame if owner in cells else owner
        if name in there.names or (not name and lacked.others != {*there.names}):
            return False
    return True


def note_lacked(spec: Specialiser, details: Any, cells: Cells) -> None:
    """Who calls a procedure asks for what that does."""
    for (owner, name), lacked in details.lacked.items():
        note_late(spec, cells.get(owner, lacked.cell), name, spec.lacked)


def zeros_like(spec: Specialiser, value: core.Value) -> core.Value:
    """A value of the same form that nobody reads."""

    def zero(leaf: core.Leaf) -> core.Leaf:
        if forms.is_static(leaf):
            return leaf
        kind = ir.without_value(leaf.kind)
        if isinstance(kind, ir.Reference):
            described = core.describe(leaf)
            raise core.Unsupported(
                f"a loop over a generator that calls itself returns {described}",
                "leave the loop with break, and return behind it",
            )
        return spec.assign(spec.fresh("result"), zero_of(kind), kind)

    return core.map_leaves(value, zero)


def with_cells(value: core.Value, cells: Cells) -> core.Value:
    """A value with the lists, dicts and objects of a call."""
    if not cells:
        return value
    if isinstance(value, core.Cell):
        return cells.get(value.frame, value)
    parts = core.parts_of(value)
    return core.with_parts(value, tuple(with_cells(part, cells) for _, part in parts))
