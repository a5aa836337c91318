"""Cells where paths meet.

A name may hold one cell on one path and another on the other: a list that is made anew
in a branch or in each iteration. Where the names that hold the first on one path are
those that hold the second on the other, both become one cell, to which each path moves
what its own one holds::

    if c:                                if c:
        state = State(x)                     h = x
    else:                      ->        else:
        state = State(y)                     h = y
    return state.h                       return h

Where that isn't so (a name holds on one path alone what another name holds too), the
name can't be read any more.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.joining import same_form
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells
from s2sad.frontend.specialise.iteration.running_over import stand_in

Names = list[dict[str, core.Value]]
"""What the names of each activation at stake hold."""
Group = tuple[core.Cell, ...]
"""A cell on each path."""


class Correspondence:
    """Which cells on different paths take each other's place."""

    def __init__(
        self, spec: Specialiser, frames: list[core.Frame], paths: list[Names]
    ) -> None:
        self.spec, self.frames, self.paths = spec, frames, paths
        self.accepted: dict[Group, None] = {}
        self.taken: list[dict[Any, Group]] = [{} for _ in paths]
        todo: list[Group] = [(cell,) * len(paths) for cell in self._anchored()]
        todo += self._in_names()
        while todo:  # a cell that stays what it is on all paths is no other's
            same = [group for group in todo if _is_same(group)]
            if not same:
                break
            others = [group for group in todo if not _is_same(group)]
            todo = [inner for group in same for inner in self._accept(group)] + others
        while todo:
            todo = [*self._accept(todo[0]), *todo[1:]]

    def moved(self) -> list[Group]:
        """Those of which the cells differ."""
        return [group for group in self.accepted if not _is_same(group)]

    def names_on(self, path: int, cell: core.Cell) -> dict[str, core.Value]:
        """What a cell holds at the end of a path."""
        for k, frame in enumerate(self.frames):
            if frame is cell.frame:
                return self.paths[path][k]
        names: dict[str, core.Value] = cell.frame.names
        return names

    def _anchored(self) -> Iterator[core.Cell]:
        """Cells that activations hold which the paths can't have bound anew."""
        known = set(self.frames)
        seen: set[Any] = set()
        for frame in self.spec.active:
            outer: core.Frame | None = frame
            while outer is not None:
                if outer not in known:
                    for value in list(outer.names.values()):
                        yield from cells.cells_in(value, seen)
                outer = outer.parent

    def _in_names(self) -> Iterator[Group]:
        for k, frame in enumerate(self.frames):
            if isinstance(frame, core.CellFrame):
                continue
            yield from self._in_dicts([names[k] for names in self.paths])

    def _in_dicts(self, held: list[dict[str, core.Value]]) -> Iterator[Group]:
        common = set(held[0]).intersection(*held[1:])
        for name in sorted(common):
            values = [names[name] for names in held]
            yield from _groups(values)

    def _accept(self, group: Group) -> list[Group]:
        """Take a group, if nothing speaks against it, and give those inside of it."""
        if group in self.accepted or len({c.constructor for c in group}) > 1:
            return []
        if any(
            cell.frame in taken for cell, taken in zip(group, self.taken, strict=True)
        ):
            return []
        if not _is_same(group) and any(_is_outside(cell) for cell in group):
            return []
        self.accepted[group] = None
        held = []
        for k, cell in enumerate(group):
            self.taken[k][cell.frame] = group
            held.append(self.names_on(k, cell))
        if any(core.LOST in names for names in held):
            return []
        held = [_titled(c, names) for c, names in zip(group, held, strict=True)]
        inner = self._in_dicts(held)
        return sorted(inner, key=lambda g: not _is_same(g))


def _titled(cell: core.Cell, names: dict[str, core.Value]) -> dict[str, core.Value]:
    """The content of a list or dict under one name, whatever its cell is called."""
    title = cell.frame.title
    return {"": names[title]} if title in names else names


def _is_same(group: Group) -> bool:
    return all(cell.frame is group[0].frame for cell in group)


def _is_outside(cell: core.Cell) -> bool:
    return bool(cell.frame.outside) or cell.frame.place is not None


def _groups(values: list[core.Value]) -> Iterator[Group]:
    """The cells at the same places of values."""
    first, *others = values
    if isinstance(first, core.Leaf):
        return
    if isinstance(first, core.Cell):
        if all(isinstance(value, core.Cell) for value in others):
            yield tuple(values)  # type: ignore[arg-type]
        return
    if all(isinstance(value, core.Choice) for value in values):
        options = [dict(value.options) for value in values]  # type: ignore[union-attr]
        for tag in options[0]:
            if all(tag in held for held in options):
                yield from _groups([held[tag] for held in options])
        return
    if not all(same_form(first, value) for value in others):
        return
    for parts in zip(*map(core.parts_of, values), strict=True):
        yield from _groups([part for _, part in parts])


# ------------------------------------------------------------------ branches


def meet_cells(
    spec: Specialiser,
    frames: list[core.Frame],
    ends: list[tuple[list[ir.Statement], Names]],
) -> None:
    """Cells that take each other's place become one, at the end of each path's block;
    activations are added to ``frames`` and to the names of each path."""
    if not spec.facts.changing:
        return
    found = Correspondence(spec, frames, [names for _, names in ends])
    groups = found.moved()
    if not groups:
        return
    fresh = [_cell_for(spec, group) for group in groups]
    for group, made in zip(groups, fresh, strict=True):
        stand_in(spec, {cell.frame for cell in group}, made)
    outer = spec.block
    for path, (block, names) in enumerate(ends):
        spec.start_path(frames, names)
        spec.block = block
        old = [group[path] for group in groups]
        _move(spec, fresh, [(c, found.names_on(path, c)) for c in old])
        replaced_cells(frames, old, fresh)
        names[:] = [frame.names for frame in frames] + [c.frame.names for c in fresh]
    spec.block = outer
    frames += [cell.frame for cell in fresh]
    for cell in {cell for group in groups for cell in group}:
        core.lose(cell.frame, *_LOST)
        for k, frame in enumerate(frames):
            if frame is cell.frame:
                for _, names in ends:
                    names[k] = dict(frame.names)


_LOST = (
    "the list, dict or object read here may be another one on another path",
    "keep it under one name, or read it before the paths part",
)


def _cell_for(spec: Specialiser, group: Group) -> core.Cell:
    """A cell for those that take each other's place."""
    first = group[0]
    made = cells.new_cell(spec, first.constructor, first.frame.given)
    made.frame.makers = first.frame.makers.union(*(c.frame.makers for c in group))
    return made


def _move(
    spec: Specialiser,
    targets: list[core.Cell],
    sources: list[tuple[core.Cell, dict[str, core.Value]]],
) -> None:
    """Let cells hold what others hold, all at once."""
    written = {
        spec_variable
        for target in targets
        for value in target.frame.names.values()
        for leaf in core.leaves(value)
        if isinstance(spec_variable := leaf.operand, ir.Var)
    }

    def safe(leaf: core.Leaf, path: tuple) -> core.Leaf:
        if leaf.operand not in written or not isinstance(leaf.operand, ir.Var):
            return leaf
        kept = spec.fresh(leaf.operand.name.split(":")[-1].strip("."))
        return core.Leaf(spec.assign(kept, leaf.operand, leaf.kind).operand, leaf.kind)

    held = []
    for target, (source, names) in zip(targets, sources, strict=True):
        renamed = _renamed(source, target, names)
        held.append(
            {
                name: value
                if isinstance(value, core.Missing) or (source.frame is target.frame)
                else spec.copied(value, safe)
                for name, value in renamed.items()
            }
        )
    for target, (source, _) in zip(targets, sources, strict=True):
        if source.frame.frozen and not target.frame.frozen:
            if target.frame in spec.changed_cells:
                spec.learn_changing(core.ItemsChange)
            target.frame.frozen = True
    for target, values in zip(targets, held, strict=True):
        frame = target.frame
        frame.names = {}
        frame.written_by_others |= set(values)
        frame.rebound |= set(values)
        with spec.inside(frame):
            for name, value in values.items():
                spec.bind(name, value)


def _renamed(
    source: core.Cell, target: core.Cell, names: dict[str, core.Value]
) -> dict[str, core.Value]:
    """The names of one cell as those of another."""
    old, new = source.frame.title, target.frame.title
    return {new if name == old and old else name: v for name, v in names.items()}


def replaced_cells(
    frames: Iterable[core.Frame], old: list[core.Cell], new: list[core.Cell]
) -> None:
    """Let names hold other cells, also those of cells that are reached."""
    table = {a.frame: b for a, b in zip(old, new, strict=True)}
    todo = [*frames, *(cell.frame for cell in new)]
    seen = set()
    while todo:
        frame = todo.pop()
        if frame in seen:
            continue
        seen.add(frame)
        names = {name: cells.with_cells(v, table) for name, v in frame.names.items()}
        for value in names.values():
            todo += [cell.frame for cell in cells.cells_in(value)]
        frame.names = names


# ------------------------------------------------------------------ loops


def cells_carried(
    spec: Specialiser, frames: list[core.Frame], heads: Names, carriers: set[Any]
) -> list[core.Cell]:
    """At the end of a loop's body: what the iteration leaves moves into the cells that
    the head knows. Gives those of the head for which there are no such cells yet."""
    if not spec.facts.changing or spec.unreachable:
        return []
    ends = [dict(frame.names) for frame in frames]
    found = Correspondence(spec, frames, [heads, ends])
    groups = found.moved()
    missing = [head for head, _ in groups if head.frame not in carriers]
    if missing or not groups:
        return missing
    old = [end for _, end in groups]
    targets = [head for head, _ in groups]
    _lose_overwritten(frames, {c.frame for c in targets}, {c.frame for c in old})
    _move(spec, targets, [(cell, cell.frame.names) for cell in old])
    replaced_cells(frames, old, targets)
    return []


def _lose_overwritten(
    frames: list[core.Frame], targets: set[Any], moved: set[Any]
) -> None:
    """What the end of an iteration holds of cells that are about to hold something
    else can't be read any more: ``previous`` in ``previous = state; state = next``,
    where the head of the loop doesn't know it."""

    def lost(value: core.Value) -> core.Cell | None:
        """The first cell in a value that can't be read."""
        if isinstance(value, core.Cell):
            place = value.frame.place
            if place is None:
                return value if value.frame in targets - moved else None
            return value if place.within.frame in targets | moved else None
        found = (lost(part) for _, part in core.parts_of(value))
        return next((cell for cell in found if cell is not None), None)

    def kept(value: core.Value) -> core.Value:
        cell = lost(value)
        return value if cell is None else core.Missing(*_OVERWRITTEN, cell.constructor)

    todo: list[Any] = list(frames)
    seen: set[Any] = set()
    while todo:
        frame = todo.pop()
        if frame is None or frame in seen:
            continue
        seen.add(frame)
        frame.names = {name: kept(value) for name, value in frame.names.items()}
        for value in frame.names.values():
            todo += _frames_in(value)


def _frames_in(value: core.Value) -> Iterator[core.Frame | None]:
    """The cells and activations that a value itself refers to."""
    if isinstance(value, core.Cell):
        yield value.frame
    if isinstance(value, core.Closure):
        frame = value.frame
        while frame is not None:
            yield frame
            frame = frame.parent
    for _, part in core.parts_of(value):
        yield from _frames_in(part)


_OVERWRITTEN = (
    "the list, dict or object read here is that of an earlier iteration of the loop",
    "bind a name for it before the loop",
)


def carrier(spec: Specialiser, frames: list[core.Frame], cell: core.Cell) -> core.Cell:
    """Before a loop: a cell for what its iterations leave in place of ``cell``."""
    made = _cell_for(spec, (cell,))
    _move(spec, [made], [(cell, cell.frame.names)])
    replaced_cells(frames, [cell], [made])
    core.lose(cell.frame, *_LOST)
    stand_in(spec, {cell.frame}, made)
    return made


def variables_in(value: core.Value) -> set[str]:
    """The variables that hold a value, and what is in the lists, dicts and objects that
    can be reached from it."""
    found = {
        leaf.operand for leaf in core.leaves(value) if isinstance(leaf.operand, ir.Var)
    }
    found = found.union(*map(cells.variables_of, cells.cells_in(value)))
    return {variable.name for variable in found}
