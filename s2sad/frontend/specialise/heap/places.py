"""Lists, dicts and objects inside lists of unknown length.

Such a list holds its items by value, each number or array of them in a list of its own.
An item that the program changes by itself is a cell that only says where it stands:
reading it reads the list, and a change is a store into the list::

    for body in bodies:                      for k in range(len(bodies_q)):
        body.q += dt * body.p      ->            bodies_q[k] += dt * bodies_p[k]
"""

import operator
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import list_changes, lists
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import kept_objects
from s2sad.frontend.specialise.optionals.optional_keys import as_choices, kept
from s2sad.ops.runtime.indices import place_of_item


@dataclass(frozen=True)
class Place:
    """Where a list, dict or object stands that a list holds by value."""

    within: core.Cell
    """The list."""
    index: core.Leaf
    age: tuple[int, int]
    """What the place is good for: nothing moved or was replaced since."""
    from_start: bool = False
    """The index is surely counted from the start of the list."""
    holder: Any = field(default=None, compare=False)
    """Holds the index, as an activation does: in procedures that are called later it is
    a parameter."""

    def __post_init__(self) -> None:
        if self.holder is None:
            held = core.Frame(self.within.frame.source, {_INDEX: self.index})
            object.__setattr__(self, "holder", held)


_INDEX = "index"


def index_of(spec: Specialiser, place: Place) -> core.Leaf:
    """Where an item stands, as the program under way knows it."""
    return core.single(spec.read_variable(place.holder, _INDEX))


def has_maxlen_or_factory(cell: core.Cell) -> bool:
    """True for a deque or defaultdict that is more than what it holds."""
    held = set(cell.frame.names) - {cell.frame.title, core.LOST}
    return core.is_container(cell) and bool(held)


def is_plain_container(value: core.Value) -> TypeGuard[core.Cell]:
    """True for a list, dict or deque that the program made, and that is nothing more
    than what it holds."""
    if not isinstance(value, core.Cell):
        return False
    plain = value.constructor is not deque or not has_maxlen_or_factory(value)
    return value.constructor in (list, dict, deque) and plain


def holds_places(spec: Specialiser, content: core.Value) -> bool:
    """True for a list of unknown length whose items change by themselves."""
    if isinstance(content, core.Leaf):
        kind = content.kind
        nested = isinstance(kind, ir.List) and isinstance(kind.item, ir.List)
        return nested and changes_inside(spec, list)
    if isinstance(content, core.Aggregate) and content.constructor is core.Rows:
        return _may_change(spec, content.items[0])
    return False


def changes_inside(spec: Specialiser, cls: Any) -> bool:
    """True for a class whose values change where they stand in a list of unknown
    length, too."""
    if cls not in spec.facts.changing:
        return False
    return cls not in core.CONTAINERS or core.ItemsChange in spec.facts.changing


def frozen(spec: Specialiser, value: core.Value) -> core.Value:
    """A value read from a list of unknown length, which holds it by value: a list or
    dict in it is one that stays as it is."""

    if (
        not spec.facts.changing
        or spec.derived
        or core.ItemsChange in spec.facts.changing
    ):
        return value
    made: core.Value = spec.as_cells(value)
    return made


def freeze(spec: Specialiser, cells: list[core.Cell]) -> bool:
    """Have lists and dicts not change any more, which a list of unknown length is to
    hold by value; False where that can't be."""
    if core.ItemsChange in spec.facts.changing:
        return False
    frames = [cell.frame for cell in cells]
    if any(frame.place is not None for frame in frames):
        return False
    if not all(cell.constructor in (list, dict, set) for cell in cells):
        return False
    for frame in frames:
        started = spec.loop_starts[-1] if spec.loop_starts else -1
        again = spec.procedures.under_way is not None or started > frame.serial
        if frame in spec.changed_cells and again:
            spec.learn_changing(core.ItemsChange)
            return False
        frame.frozen = spec.froze = True
    return True


def columns_in(content: core.Value) -> core.Value:
    """The lists that hold the parts of the items of a list."""
    return content.items[0] if isinstance(content, core.Aggregate) else content


def keep_items(spec: Specialiser, content: core.Value) -> None:
    """Where what stands in a list of unknown length can't be followed by value: let the
    lists, dicts and objects in it be kept one by one."""
    for cls in _classes_in(columns_in(content)):
        spec.keep_objects(cls, surely=True)


def _classes_in(columns: core.Value) -> Iterator[Any]:
    if isinstance(columns, core.Leaf):
        if isinstance(getattr(columns.kind, "item", None), ir.List):
            yield list
        return
    yield kept_objects.class_in(columns)
    for _, part in core.parts_of(columns):
        yield from _classes_in(part)


def with_columns(content: core.Value, columns: core.Value) -> core.Value:
    """The content with other such lists."""
    if not isinstance(content, core.Aggregate):
        return columns
    return replace(content, items=(columns,))


def items_may_change(spec: Specialiser, value: core.Value) -> bool:
    """The same, of a tuple of unknown length too."""
    if isinstance(value, core.Leaf):
        return holds_places(spec, value)
    return (
        isinstance(value, core.Aggregate)
        and core.is_rows(value)
        and _may_change(spec, value.items[0])
    )


def _may_change(spec: Specialiser, template: core.Value) -> bool:
    """True for the structure of parallel lists whose items change by themselves."""
    if isinstance(template, core.Leaf):
        return holds_places(spec, template)
    return changes_inside(spec, kept_objects.class_in(template)) or any(
        _may_change(spec, part) for _, part in core.parts_of(template)
    )


# ------------------------------------------------------------------ reading


def item_place(
    spec: Specialiser, cell: core.Cell, index: core.Value, value: core.Value
) -> core.Value:
    """An item of a list of unknown length, as a cell that writes back to it."""
    assert isinstance(index, core.Leaf)
    if cell.frame.place is not None:
        raise core.Unsupported(
            "a list in a list in a list of unknown length, which the program changes",
            "use an array",
        )
    from_start = _is_from_start(index)
    if core.PlacesMatter in spec.facts.changing and not from_start:
        index, from_start = _from_start(spec, cell, index), True
    elif isinstance(index.operand, ir.Var):
        kept = spec.fresh("place")
        spec.assign(kept, index.operand, index.kind)
        index = core.Leaf(kept, index.kind)
    age = age_of(cell, from_start)
    return _cell_at(spec, Place(cell, index, age, from_start), value)


def _is_from_start(index: core.Leaf) -> bool:
    number = getattr(index.kind, "value", None)
    return isinstance(number, int) and number >= 0


def _from_start(spec: Specialiser, cell: core.Cell, index: core.Leaf) -> core.Leaf:
    """A place in a list, counted from its start."""

    columns = columns_in(spec.content_of(cell))
    first = next(c for c in core.leaves(columns) if isinstance(c.kind, ir.List))
    length = spec.apply(len, (first,), hint="count")
    place = spec.apply(place_of_item, (index, length), hint="place")
    assert isinstance(place, core.Leaf)
    return place


def _cell_at(spec: Specialiser, place: Place, value: core.Value) -> core.Value:
    """What stands at a place, as a cell if it changes by itself."""
    cls = kept_objects.class_in(value)
    if core.is_object(value):
        spec.keep_objects(value, surely=True)
    # what changes and stands in lists of its own looks itself
    if not (core.is_rows(value) and changes_inside(spec, cls)):
        within = (kept_objects.class_in(part) for part in _parts_within(value))
        if any(changes_inside(spec, inner) for inner in within):
            keep_items(spec, spec.content_of(place.within))
            raise core.Unsupported(
                f"{core.describe(value)} holds lists, dicts or objects that the "
                "program changes, in a list whose length isn't known before the "
                "program runs",
                "use an object with attributes in its place",
            )
    if not changes_inside(spec, cls):
        return frozen(spec, value)
    _, number = spec.fresh_owner(cls)
    name = getattr(cls, "__name__", "object")
    frame = core.CellFrame(
        spec.frame.source, prefix=f".{name}.{number}:", title="items", place=place
    )
    return core.Cell(cls, frame)


def _parts_within(value: core.Value) -> Iterator[core.Value]:
    for _, part in core.parts_of(value):
        yield part
        yield from _parts_within(part)


def age_of(cell: core.Cell, from_start: bool) -> tuple[int, int]:
    """Grows where the place may hold another item: with an index that may be negative
    also where items are appended."""
    frame = cell.frame
    return frame.shifts if from_start else frame.version, frame.replaced


def is_current(place: Place) -> bool:
    """True where nothing moved or was replaced since the place was read."""
    return place.age == age_of(place.within, place.from_start)


def moves_of_items(spec: Specialiser, frames: list[Any]) -> list[Any]:
    """Tells whether items of lists were moved or replaced: it differs then."""
    return [
        (frame.version, frame.shifts, frame.replaced)
        if isinstance(frame, core.CellFrame)
        and any(holds_places(spec, content) for content in frame.names.values())
        else None
        for frame in frames
    ]


def note_replaced(cell: core.Cell) -> None:
    """Another item takes the place of one in a list: who holds that one can't follow
    it."""
    cell.frame.replaced += 1


@core.verb
def value_at(spec: Specialiser, cell: core.Cell) -> core.Value:
    """What stands at a place now."""
    place: Place = cell.frame.place
    columns = _columns(spec, cell)
    index = index_of(spec, place)

    def read(leaf: core.Leaf, path: tuple) -> core.Value:
        if not isinstance(leaf.kind, ir.List):  # all objects share it
            return leaf
        hint = f"item_{path[-1]}" if path else "item"
        return spec.apply(operator.getitem, (leaf, index), hint=hint)

    return as_choices(core.map_with_paths(columns, read))


def _columns(spec: Specialiser, cell: core.Cell) -> core.Value:
    """The lists that hold the numbers and arrays of what stands at a place."""

    place: Place = cell.frame.place
    with spec.kept_if_refused(cell):  # the list may be another one by now
        columns = columns_in(spec.content_of(place.within))
    if not is_current(place):
        _check_moved(spec, cell, place, columns)
    return columns


def _check_moved(
    spec: Specialiser, cell: core.Cell, place: Place, columns: core.Value
) -> None:
    """Refuse to follow an item that isn't where it was read, unless it may be where
    places are counted from the start."""
    if not place.from_start:
        if spec.learn_changing(core.PlacesMatter):
            return
    spec.keep_objects(cell)
    keep_items(spec, columns)  # the object that a list or dict stands in
    raise core.Unsupported(
        f"{core.describe(cell)} was read from a list whose items moved or were "
        "replaced since then",
        "read it from the list again",
    )


def stands_there(value: core.Value) -> bool:
    """True for a list, dict or object that was read from where it stands by value, and
    still stands there: to put it there again changes nothing."""
    return (
        isinstance(value, core.Cell)
        and value.frame.place is not None
        and is_current(value.frame.place)
    )


# ------------------------------------------------------------------ changing


@core.verb
def store_at(
    spec: Specialiser, cell: core.Cell, value: core.Value, resized: bool
) -> None:
    """Let something else stand at a place; ``resized`` for a list that grew or
    shrank."""
    cell.frame.place.within.frame.resized_items += resized
    with spec.kept_if_refused(cell):
        _store(spec, cell.frame.place, _columns(spec, cell), value)


def _store(
    spec: Specialiser, place: Place, columns: core.Value, value: core.Value
) -> None:
    value = kept(spec, value)
    content = spec.content_of(place.within)
    with spec.kept_if_refused(columns_in(content)):
        value = lists.row_of(spec, value)
        content = spec.content_of(place.within)
        index = index_of(spec, place)
        made = list_changes.stored_in_columns(spec, columns, index, value)
    spec.set_content(place.within, with_columns(content, made), resized=False)


@core.verb
def moved(spec: Specialiser, value: core.Value) -> core.Value:
    """A value for a list that holds its items by value: cells in it can't be used by
    their own names any more."""
    if not spec.facts.changing or not core.holds_cell(value):
        return value
    found: list[core.Cell] = []
    held: list[core.Cell] = []

    def collect(part: core.Value) -> None:
        if isinstance(part, core.Cell):
            if any(part is known for known in held):
                return  # objects may hold each other
            held.append(part)
            for inner in part.frame.names.values():
                collect(inner)
        for _, inner in core.parts_of(part):
            collect(inner)

    def note(part: core.Value) -> None:
        if isinstance(part, core.Cell):
            if core.is_cell_of_object(part):
                spec.keep_objects(part, surely=True)
            if part.constructor is deque:
                spec.keep_objects(part)  # by value it would be a list
            if part.frame.place is not None or part.frame.outside or part in found:
                spec.keep_objects(part)
                raise core.Unsupported(
                    f"{core.describe(part)} that the program changes is put into a "
                    "list of unknown length, and is also held elsewhere",
                    "put a copy into it",
                )
            if has_maxlen_or_factory(part):
                raise core.Unsupported(
                    f"{core.describe(part)} with a maxlen or factory is put into a "
                    "list or dict whose length isn't known before the program runs",
                    "keep it under a name or key that is known",
                )
            found.append(part)
            for inner in part.frame.names.values():
                note(inner)
        for _, inner in core.parts_of(part):
            note(inner)

    collect(value)
    if freeze(spec, held):
        return spec.by_value(value)
    note(value)
    made = kept(spec, spec.by_value(value, partly=True))
    for cell in found:
        makers = cell.frame.makers
        spec.put_into_lists.setdefault(cell.constructor, set()).update(makers)
        core.lose(
            cell.frame,
            f"{core.describe(cell)} is used here that was put into a list of unknown "
            "length",
            "read it from the list, or change it before it is put there",
            (makers, None, cell.constructor),
        )
    return made
