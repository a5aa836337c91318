"""Lists and dicts that change while they are run over, or while their items are taken.

A loop sees what stands at a place when it gets there::

    for e in log:                      for k in range(len(log)):
        total += e * e         ->          total += log[k] * log[k]
        log[2] = total                     log[2] = total
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers.lists import form_of
from s2sad.frontend.specialise.core.specialiser import Specialiser


@dataclass
class Watch:
    """A list or dict that is run over."""

    cell: core.Cell
    content: core.Value
    """What it held at the start."""
    lengths: tuple[int, int]
    """Tells, beside its frame's, whether it grew or shrank."""
    use: core.Use
    """What tells this use of the list, if its items can be read by index."""
    stand_ins: list[tuple[core.CellFrame, int]] = field(default_factory=list)
    """Cells that may be the same list or dict, with their changes."""

    def is_resized(self) -> bool:
        """True where it grew or shrank."""
        now: tuple[int, int] = self.cell.frame.lengths()
        return now != self.lengths

    def may_be_changed(self) -> bool:
        """True where one that may be the same was changed."""
        return any(frame.changes != count for frame, count in self.stand_ins)


@dataclass
class KeptWatch:
    """A list that is kept where it stands and run over, of a sort of which the program
    changes how many items there are."""

    spec: Specialiser
    value: core.Leaf
    program: Any
    """The procedure in which the loop stands; None for the function itself."""
    use: core.Use
    resizes: int = 0

    @property
    def kind(self) -> ir.Reference:
        """The kind of the list."""
        assert isinstance(self.value.kind, ir.Reference)
        return self.value.kind

    @property
    def forms(self) -> set[ir.Form]:
        """The places where such lists stand."""
        return set(self.kind.forms)

    def is_resized(self) -> bool:
        """True where it may have grown or shrunk."""
        return _resizes(self.spec, self.forms) != self.resizes

    def may_be_changed(self) -> bool:
        """False: a loop reads what stands there now."""
        return False


def use_of(spec: Specialiser, value: core.Value) -> core.Use:
    """What tells the use of a list by an expression that runs over it."""
    span = spec.frame.source.span_of(spec.place)
    if isinstance(value, core.Cell):
        makers = value.frame.makers or value.frame.given
        return (span, makers) if value.constructor is list else None
    kind = core.kind_of(value)
    return (span, kind.forms) if isinstance(kind, ir.Reference) else None


def watch_kept(spec: Specialiser, value: core.Leaf, use: core.Use) -> None:
    """Note that a list is run over that is kept where it stands."""
    watched = KeptWatch(spec, value, spec.procedures.under_way, use)
    watched.resizes = _resizes(spec, watched.forms)
    spec.watched.append(watched)


@dataclass
class MembersWatch:
    """A set that the run holds and that is run over."""

    spec: Specialiser
    value: core.Leaf
    use: core.Use
    changes: int

    def is_resized(self) -> bool:
        """True where it changed under the name by which it is run over."""
        return self.spec.resizes[self.value.operand] != self.changes

    def may_be_changed(self) -> bool:
        """False: its members were taken at the start."""
        return False


def watch_members(spec: Specialiser, value: core.Leaf, use: core.Use) -> None:
    """Note that a set is run over."""
    changes = spec.resizes[value.operand]
    spec.watched.append(MembersWatch(spec, value, use, changes))


def kept_run_over(spec: Specialiser) -> list[KeptWatch]:
    """The lists that loops around run over and that are kept where they stand. Loops
    around a call of a procedure count the call as a change."""
    program = spec.procedures.under_way
    kept = (w for w in spec.watched if isinstance(w, KeptWatch))
    return [w for w in kept if w.program is program]


def _resizes(spec: Specialiser, forms: Iterable[ir.Form]) -> int:
    return sum(spec.resizes[form] for form in (None, *forms))


def _watched_cells(spec: Specialiser) -> list[Watch]:
    return [w for w in spec.watched if isinstance(w, Watch)]


def watch(
    spec: Specialiser, cell: core.Cell, content: core.Value, use: core.Use = None
) -> None:
    """Note that a cell is run over, and what it holds at the start."""
    spec.watched.append(Watch(cell, content, cell.frame.lengths(), use))


def is_run_over(spec: Specialiser, cell: core.Cell) -> bool:
    """True for a list or dict that a loop around runs over."""
    return any(w.cell.frame is cell.frame for w in _watched_cells(spec))


def stand_in(spec: Specialiser, old: set[Any], made: core.Cell) -> None:
    """Note that a cell takes the place of others, by their frames, in names: where one
    of them is run over, the two may be one list or dict, or not."""
    for watched in _watched_cells(spec):
        frames = {watched.cell.frame, *(frame for frame, _ in watched.stand_ins)}
        if not old.isdisjoint(frames):
            watched.stand_ins.append((made.frame, made.frame.changes))


@core.verb
def check_unchanged(spec: Specialiser, mark: int) -> None:
    """Refuse lists and dicts that grew or shrank while they were run over; ``mark`` is
    the length of ``watched`` before."""
    watched = spec.watched[mark:]
    del spec.watched[mark:]
    changed = [w for w in watched if w.is_resized() or w.may_be_changed()]
    uses = {w.use for w in changed if w.use is not None}
    if not uses <= spec.facts.by_index:
        spec.learn(replace(spec.facts, by_index=spec.facts.by_index | uses))
        raise core.Learned
    if any(w.may_be_changed() for w in changed):
        raise core.Unsupported(
            "a list or dict changes while it is run over, and its name is bound to "
            "another one meanwhile",
            "run over a copy: for item in list(items)",
        )
    if changed:
        raise core.Unsupported(
            "a list or dict grows or shrinks while it is run over",
            "run over a copy: for item in list(items)",
        )


def by_index(
    spec: Specialiser,
    holder: core.Value,
    length: Callable[[core.Value], core.Value],
    element: Callable[[core.Value, core.Leaf], core.Value],
) -> core.Stream:
    """The items of a list that may grow or shrink while it is run over::

    k = 0
    while k < length(items):
        element(items, k) ...
        k += 1
    """

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        if known:
            raise core.NotKnown
        name = f".{spec.fresh('place').name.replace('.', '_')}"
        items, frame = f"{name}_items", spec.frame
        tests: list[core.Value] = []
        frame.names[items] = holder
        spec.bind(name, core.constant(0))

        def run_once(finish: Callable[[], None]) -> Any:
            if leave is not None:
                leave.is_false(spec)
            with spec.new_block() as condition:
                place: Any = frame.names[name]
                count = length(frame.names[items])
                tests[:] = [spec.operate(operator.lt, (place, count))]
            with spec.new_block() as block:
                body(element(frame.names[items], place))
                if not spec.unreachable:
                    more = (frame.names[name], core.constant(1))
                    with spec.inside(frame):
                        further = spec.apply(operator.add, more, spelling="augmented")
                        spec.bind(name, further)
                finish()
            return tuple(condition), tuple(block)

        (condition, block), kinds = spec.to_fixed_point({name}, run_once)
        del frame.names[name], frame.names[items]
        flag = None if leave is None else leave.variable(spec)
        if flag not in {v for s in ir.walk(block) for v in ir.direct_writes(s)}:
            flag = None
        test = core.operand_of(tests[0])
        spec.emit(
            ir.While(spec.span, condition, test, block, until=flag, head_kinds=kinds)
        )

    return core.Stream(run)


# ------------------------------------------------------------------ items


def held_now(
    spec: Specialiser, cell: core.Cell, content: core.Value
) -> Callable[[], core.Value]:
    """What a list or dict that is run over holds when its next item is read; at the
    start it holds ``content``."""

    def now() -> core.Value:
        if core.LOST in cell.frame.names:  # others took its place: see ``stand_in``
            return content
        current = spec.content_of(cell)
        if form_of(current) != form_of(content):
            raise core.Unsupported(
                "a list or dict gets items of another structure while it is run over",
                "run over a copy: for item in list(items)",
            )
        return current

    return now


def as_it_is_now(spec: Specialiser, item: core.Value) -> core.Value:
    """An item of a list or dict of known length, with what stands at its place when a
    loop gets there."""
    table: dict[int, core.Value] = {}
    parts = _parts_by_identity(item) if _watched_cells(spec) else {}
    for watched in _watched_cells(spec):
        before = watched.content
        if not _is_known(before) or core.LOST in watched.cell.frame.names:
            continue
        places = [k for k, own in enumerate(before.items) if id(own) in parts]
        if places:
            current = _items_now(spec, watched, before, places)
            table |= {id(before.items[k]): current[k] for k in places}
    return _replaced(item, table) if table else item


def is_of_list_that_changes(spec: Specialiser, items: core.Aggregate) -> bool:
    """True for items of a list or dict of known length that a loop around may change:
    it sees what stands there then."""
    watched = [w.content for w in _watched_cells(spec) if _is_known(w.content)]
    if not watched:
        return False
    parts = {key for item in items.items for key in _parts_by_identity(item)}
    return any(id(own) in parts for content in watched for own in content.items)


def _parts_by_identity(item: core.Value) -> dict[int, core.Value]:
    found = {id(item): item}
    if isinstance(item, core.Aggregate):
        for _, part in core.parts_of(item):
            found |= _parts_by_identity(part)
    return found


def _items_now(
    spec: Specialiser, watched: Watch, before: core.Aggregate, places: list[int]
) -> Mapping[int, core.Value] | Sequence[core.Value]:
    """What stands at places of a list or dict whose length was known at the start."""

    frame = watched.cell.frame
    current = frame.names.get(frame.title) if frame.place is None else None
    if current is before:
        return before.items
    if _is_known(current) and current.keys == before.keys:
        return current.items
    if watched.is_resized():  # refused, or run over by index, behind the loop
        return before.items
    constructor = watched.cell.constructor
    if issubclass(constructor, set):
        return before.items
    cell = watched.cell  # what it holds isn't known by itself any more
    keys = before.keys if issubclass(constructor, dict) else range(len(before.items))
    return {k: spec.item_at(cell, core.constant(keys[k])) for k in places}


def as_taken(spec: Specialiser, items: core.Value) -> Any:
    """Items that were taken from lists, dicts or objects before a loop, which doesn't
    see what stands at their places later."""
    if not spec.facts.changing:
        return items
    held = spec.held_from_cells(items)
    return core.map_leaves(held, replace)


def _is_known(content: core.Value | None) -> TypeGuard[core.Aggregate]:
    return isinstance(content, core.Aggregate) and not core.is_rows(content)


def _replaced(value: core.Value, table: dict[int, core.Value]) -> core.Value:
    found = table.get(id(value))
    if found is not None:
        return found
    if not isinstance(value, core.Aggregate):
        return value
    parts = tuple(_replaced(part, table) for _, part in core.parts_of(value))
    if all(a is b for a, (_, b) in zip(parts, core.parts_of(value), strict=True)):
        return value
    return core.with_parts(value, parts)


# ------------------------------------------------------------------ taking items


@core.verb
def check_still_held(spec: Specialiser, mark: int) -> None:
    """Hold the items of lists and dicts that change in the expression that takes them,
    or refuse them; ``mark`` is the length of ``taken`` before."""
    changed = any(frame.changes != count for frame, count in spec.taken[mark:])
    del spec.taken[mark:]
    if changed and not spec.facts.holds_taken:
        spec.learn(replace(spec.facts, holds_taken=True))
    elif changed:
        raise core.Unsupported(
            "a list or dict is unpacked, and changes in the same expression",
            "use a statement of its own for the change",
        )
