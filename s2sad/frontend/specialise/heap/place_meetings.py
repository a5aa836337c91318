"""Items of one list of which paths choose one: ``row = rows[0] if c else rows[-1]``.

Where paths meet, a name that holds an item of the same list on all of them holds the
item at a place that each path tells::

    if c:                            if c:
        row = rows[0]                    place = 0
    else:                     ->     else:
        row = rows[-1]                   place = -1
    row["a"] *= 2.0                  rows[place]["a"] *= 2.0
"""

from dataclasses import replace
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.places import Place, age_of, index_of, is_current

Names = list[dict[str, core.Value]]
"""What the names of each activation at stake hold."""


def meet_places(
    spec: Specialiser,
    frames: list[core.Frame],
    ends: list[tuple[list[ir.Statement], Names]],
) -> None:
    """Items of one list that a name holds on different paths become one, whose place is
    told at the end of each path's block."""
    if not spec.facts.changing:
        return
    for k in range(len(frames)):
        held = [names[k] for _, names in ends]
        met_as_cells = (n for n, v in held[0].items() if isinstance(v, core.Cell))
        for name in sorted(set(met_as_cells).intersection(*held[1:])):
            cells = [names[name] for names in held]
            places = [p for p in map(_place, cells) if p is not None]
            if len(places) < len(cells) or not _is_choice(cells, places):
                continue
            target = spec.fresh("place")
            for (block, _), place in zip(ends, places, strict=True):
                index = index_of(spec, place)
                block.append(ir.Assign(spec.span, target, index.operand, ir.INT))
            from_start = all(place.from_start for place in places)
            place = replace(places[0], from_start=from_start)
            met = _cell_at(spec, cells[0], place, core.Leaf(target, ir.INT))
            for _, names in ends:
                names[k] = {**names[k], name: met}


def _place(value: core.Value) -> Place | None:
    """Where an item stands that the list holds by value."""
    return value.frame.place if isinstance(value, core.Cell) else None


def _is_choice(cells: list[Any], places: list[Place]) -> bool:
    first, *others = places
    return (
        any(cell.frame is not cells[0].frame for cell in cells)
        and all(cell.constructor is cells[0].constructor for cell in cells)
        and all(p.within.frame is first.within.frame for p in others)
        and all(map(is_current, places))
    )


def _cell_at(spec: Specialiser, cell: Any, place: Place, index: core.Leaf) -> core.Cell:
    age = age_of(place.within, place.from_start)
    _, number = spec.fresh_owner(cell.constructor)
    name = getattr(cell.constructor, "__name__", "object")
    frame = core.CellFrame(
        spec.frame.source,
        prefix=f".{name}.{number}:",
        title=cell.frame.title,
        place=replace(place, index=index, age=age, holder=None),
    )
    return core.Cell(cell.constructor, frame)
