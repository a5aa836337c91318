"""What was made inside of a procedure leaves it.

Lists, dicts and objects leave by value, and the caller makes them anew. What more than
one name leads to, or what is more than it holds (a function made inside, which reads
variables of its activation; a deque, a Counter) leaves with its activation: the
variables are returned beside the value, and the caller makes an activation of them::

    def layer(w):                             def layer(w):
        s = w * w                                 s = w * w
        return lambda v: v * s                    return s
                                      ->
    f = layer(w)                              f_s = layer(w)
    return f(2.0)                             return 2.0 * f_s

In what a procedure is known to return, stand-ins take the place of the activations.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad.custom import CustomFunction
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.containers import derived_dicts
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import cells, places
from s2sad.frontend.specialise.optionals.optional_keys import is_partly
from s2sad.frontend.specialise.recursion import iterators_passed
from s2sad.frontend.specialise.recursion.bound_outside import CONTENT
from s2sad.frontend.specialise.recursion.captured_variables import Details
from s2sad.source.normalise import normalised
from s2sad.source.text import scopes


class Leaving:
    """Marks an Aggregate that is a value with what the activations hold that leave with
    it."""


def made_inside(
    spec: Specialiser, details: Details, values: Iterable[core.Value]
) -> list[core.Value]:
    """Values that leave a procedure, the first with the activations that do."""
    values = list(values)
    found = _Found(spec, details)
    for value in values:
        found.look(value)
    while found.pending:
        found.look(found.pending.pop(0))
    first, *others = (found.leaving(value) for value in values)
    if found.frames:
        frames = list(found.frames)
        keys = ("value", *map(found.stand_in, frames))
        first = core.Aggregate(Leaving, keys, (first, *map(found.held, frames)))
    return [first, *others]


@dataclass
class _Found:
    """The activations that leave a procedure."""

    spec: Specialiser
    details: Details
    frames: dict[core.Frame, dict[str, None]] = field(default_factory=dict)
    """Those that leave as such, each with the names that are read of it."""
    cells: dict[core.Frame, core.Cell] = field(default_factory=dict)
    """The cells among all that were seen."""
    pending: list[core.Value] = field(default_factory=list)

    def is_inside(self, frame: core.Frame) -> bool:
        """True for what was made inside; what is the module's own is the same to all,
        who may read it first."""
        if isinstance(frame, core.CellFrame) and frame.outside:
            return False
        return frame.serial >= self.details.first_serial

    def look(self, value: core.Value, chosen: bool = False) -> None:
        """Note which activations a value leads to; ``chosen``: it is there on some
        paths only."""
        if isinstance(value, core.Lazy) and not self.may_leave(value):
            raise core.Unsupported(
                f"a function that calls itself returns {core.describe(value)}, which "
                "is another one in each call",
                "return a list of what it gives",
            )
        if isinstance(value, core.Closure):
            self.look_at_function(value, chosen)
        elif isinstance(value, core.Cell) and self.is_inside(value.frame):
            self.look_at_cell(value, chosen)
        elif isinstance(value, core.Leaf):
            known = getattr(value.kind, "value", None)
            if isinstance(known, CustomFunction):  # its derivative is made inside, too
                for part in vars(known).values():
                    if isinstance(part, core.FUNCTIONS):
                        self.look(part, chosen=True)
        for _, part in core.parts_of(value):
            self.look(part, chosen or isinstance(value, core.Choice))

    def may_leave(self, value: core.Lazy) -> bool:
        """True for an iterator that hasn't run and is no more than what it was made
        of. The functions that a kept call gives it leave like others."""
        key = value.key if isinstance(value.key, tuple) else ()
        frames = [part for part in key if isinstance(part, core.Frame)]
        return (
            self.details.kept
            and value.key is not None
            and (
                value.token is None or iterators_passed.taken_of(self.spec, value) == 0
            )
            and not any(map(self.is_inside, frames))
        )

    def look_at_function(self, function: core.Closure, chosen: bool) -> None:
        frame: core.Frame | None = function.frame
        while frame is not None and self.is_inside(frame):
            if chosen or function.cached or self.details.exact or self.details.awaited:
                function_records.let_be_records(self.spec, function)
                name = self.details.source.name if self.details.source else "a function"
                raise core.Unsupported(
                    f"{name} calls itself and returns a function that it made",
                    "return what the function needs, and make it where it is called",
                )
            names = self.frames.setdefault(frame, {})
            for name in scopes.names_in_text(function.source.node):
                if name in frame.names and name not in names:
                    names[name] = None
                    self.pending.append(frame.names[name])
            frame = frame.parent

    def look_at_cell(self, cell: core.Cell, chosen: bool) -> None:
        frame = cell.frame
        if frame in self.frames:
            return
        again, special = frame in self.cells, _is_more_than_content(cell)
        able = not (chosen or self.details.exact or self.details.awaited)
        able &= frame.place is None and core.LOST not in frame.names
        if (again or special) and not able:
            self.refuse(cell, again)
        if again or special or (able and cell.constructor is deque):
            self.frames[frame] = dict.fromkeys(frame.names)
        self.cells[frame] = cell
        if again:
            return
        if frame.place is not None:
            return
        for held in frame.names.values():
            self.look(held, chosen)

    def refuse(self, cell: core.Cell, again: bool) -> None:
        described = core.describe(cell)
        if again:
            raise core.Unsupported(
                f"a function that calls itself hands {described} back in two places",
                "return it once, or a copy",
            )
        raise core.Unsupported(
            f"a function that calls itself returns {described} that is more "
            "than it holds",
            "return what it holds, and make it where it is used",
        )

    # ---------------------------------------------------------------- what is returned

    def leaving(self, value: core.Value) -> core.Value:
        """A value with cells by value, and stand-ins for the activations that leave."""
        if isinstance(value, core.Cell) and self.is_inside(value.frame):
            if value.frame in self.frames:
                return core.Cell(value.constructor, self.stand_in(value.frame))
            return self.by_value(value)
        if isinstance(value, core.Closure) and value.frame in self.frames:
            frame = self.stand_in(value.frame)
            value = replace(value, frame=frame, made=None, selector=None)
        parts = tuple(self.leaving(part) for _, part in core.parts_of(value))
        return core.with_parts(value, parts)

    def by_value(self, cell: core.Cell) -> core.Value:
        """A list, dict or object as what it holds, with those of the caller in it."""
        inside = core.frames_of_cells(cell)
        alone = all(self.is_inside(f) and f not in self.frames for f in inside)
        if alone or cell.frame.place is not None:
            return self.leaving(self.spec.by_value(cell))
        if core.is_container(cell):
            return self.leaving(self.content(cell))
        names = tuple(cell.frame.names)
        items = tuple(self.leaving(cell.frame.names[name]) for name in names)
        return core.Aggregate(cells.class_meant(cell.constructor), names, items)

    def content(self, cell: core.Cell) -> core.Value:
        content = self.spec.content_of(cell)
        if is_partly(content):
            self.refuse(cell, True)
        return content

    def held(self, frame: core.Frame) -> core.Value:
        """What an activation holds under the names that are read of it."""
        cell, names = self.cells.get(frame), sorted(self.frames[frame])
        items = (self.leaving(_as_known(frame.names[name])) for name in names)
        keys = tuple(names)
        if cell is not None and core.is_container(cell):
            self.content(cell)
            title = cell.frame.title
            keys = tuple(CONTENT if name == title else name for name in names)
        return core.Aggregate(Leaving, keys, tuple(items))

    def stand_in(self, frame: core.Frame) -> core.Frame:
        """The one for an activation, the same in each run of the procedure."""
        parent = frame.parent
        if parent is not None and parent in self.frames:
            parent = self.stand_in(parent)
        cell = self.cells.get(frame)
        constructor = None if cell is None else cell.constructor
        place = list(self.frames).index(frame)
        sort = place, id(frame.source), id(parent), constructor
        known = self.details.leaving.get(sort)
        if known is None and isinstance(frame, core.CellFrame):
            known = core.CellFrame(frame.source, key=constructor, given=frame.given)
        elif known is None:
            known = core.Frame(frame.source, parent=parent)
            known.local_names, known.global_names = (
                frame.local_names,
                frame.global_names,
            )
            known.rebound = frame.rebound
        self.details.leaving[sort] = known
        return known


def _is_more_than_content(cell: core.Cell) -> bool:
    """True for a container that what it holds doesn't tell all of: a maxlen, a factory,
    a class derived from dict, which has methods and operators of its own."""
    derived = derived_dicts.base_of(cell.constructor) is not cell.constructor
    return derived or places.has_maxlen_or_factory(cell)


def _as_known(value: core.Value) -> core.Value:
    return replace(value, unjumped=()) if isinstance(value, core.Missing) else value


# ------------------------------------------------------------------ where it is called


def arrived(spec: Specialiser, details: Details, value: core.Value) -> core.Value:
    """What a call gives, with activations in place of stand-ins."""
    several = bool(details.written or details.changed)
    whole = value.items[0] if several else value  # type: ignore[union-attr]
    if any(True for _ in iterators_passed.iterators_in([whole])):
        whole = iterators_passed.own_iterators(spec, whole)
        value = core.aggregate_of((whole, *value.items[1:])) if several else whole  # type: ignore[union-attr]
    if not isinstance(whole, core.Aggregate) or whole.constructor is not Leaving:
        return value
    made = {stand_in: _made_for(spec, stand_in) for stand_in in whole.keys[1:]}
    for new in made.values():
        if isinstance(new, core.Frame) and new.parent in made:
            new.parent = made[new.parent]  # type: ignore[assignment]
    for stand_in, held in zip(whole.keys[1:], whole.items[1:], strict=True):
        assert isinstance(held, core.Aggregate)
        new = made[stand_in]
        for name, item in zip(map(str, held.keys), held.items, strict=True):
            item = _with_activations(item, made)
            if isinstance(new, core.Frame):
                spec.name_variable(new.key, new.prefix, name)
                new.names[name] = spec.as_cells(item, name, new=True)
            elif core.is_container(new) and name == CONTENT:
                spec.set_content(new, item)
            else:
                cells.set_name(spec, new, name, item)
        if isinstance(new, core.Cell):
            new.frame.version = 0
            spec.changed_cells.discard(new.frame)
    first = whole.items[0]
    items = (first, *value.items[1:]) if several else (first,)  # type: ignore[union-attr]
    items = tuple(_with_activations(item, made) for item in items)
    return core.aggregate_of(items) if several else items[0]


def _made_for(spec: Specialiser, stand_in: Any) -> core.Frame | core.Cell:
    if isinstance(stand_in, core.CellFrame):
        constructor: Any = stand_in.key
        return cells.new_cell(spec, constructor, stand_in.given)
    key, serial = spec.fresh_owner(stand_in.source), next(core.serials)
    own: core.Frame = replace(stand_in, names={}, key=key, serial=serial)
    spec.note_shared(own, normalised(own.source))
    return own


def _with_activations(
    value: core.Value, made: dict[Any, core.Frame | core.Cell]
) -> core.Value:
    new = made.get(getattr(value, "frame", None))
    if isinstance(new, core.Cell):
        return new
    if new is not None and isinstance(value, core.Closure):
        value = replace(value, frame=new, made=object())
    parts = core.parts_of(value)
    changed = tuple(_with_activations(part, made) for _, part in parts)
    return core.with_parts(value, changed)


def chosen_as_cells(spec: Specialiser, value: core.Value) -> core.Value:
    """What a call has returned, with lists, dicts and objects that it is only on some
    paths as such as may change. (Others become so where a name is bound to them.)"""
    parts = [chosen_as_cells(spec, part) for _, part in core.parts_of(value)]
    if isinstance(value, core.Choice):
        parts = [spec.as_cells(part, new=True) for part in parts]
    return core.with_parts(value, tuple(parts))
