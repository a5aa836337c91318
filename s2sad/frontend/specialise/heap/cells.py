"""Lists, dicts and objects that the program changes.

They are treated by value until the program changes one: then the function is
specialised again, and each value of that class is a *cell*, an activation of its own
whose names hold what the list, dict or object holds now::

    path = [x]                         path = (x,)
    same = path                ->      path = (x, x * x)
    path.append(x * x)                 return path[1]
    return same[1]

What a cell holds are values again, so the program that comes out has no memory: a store
binds a name of the cell.
"""

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any, TypeGuard

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.context import Context
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import places
from s2sad.frontend.specialise.heap.chosen_cells import for_the_one
from s2sad.frontend.specialise.heap.kept_objects import class_in, makers_of_argument
from s2sad.frontend.specialise.iteration.eager_iteration import note_cell
from s2sad.frontend.specialise.optionals.optional_keys import as_choices
from s2sad.frontend.specialise.run_time import owning, queries
from s2sad.source.annotations.annotation_nodes import class_meant, stand_in_of
from s2sad.source.text.resolve import StaticClass

_BY_VALUE = (core.Rows,)
"""Structures that hold numbers and arrays by value, whatever the program changes."""


def is_choice_of_containers(value: core.Value) -> TypeGuard[core.Choice]:
    """True for one of several lists, dicts, sets or deques that may change."""
    return isinstance(value, core.Choice) and all(
        core.is_container(option) for _, option in value.options
    )


def is_choice_of_dicts(value: core.Value) -> TypeGuard[core.Choice]:
    """True for one of several dicts that may change."""
    return isinstance(value, core.Choice) and all(
        isinstance(option, core.Cell) and issubclass(option.constructor, dict)
        for _, option in value.options
    )


# ------------------------------------------------------------------ making


def new_cell(
    spec: Specialiser, constructor: type, title: str = "", outside: str = ""
) -> core.Cell:
    """A cell that holds nothing yet; ``outside`` is how the user's module calls it."""
    if isinstance(constructor, StaticClass):
        constructor = stand_in_of(constructor)
    _, number = spec.fresh_owner(constructor)
    name = getattr(constructor, "__name__", "object")
    frame = core.CellFrame(
        spec.frame.source,
        prefix=f".{name}.{number}:",
        key=("cell", number),
        given=title,
        outside=outside,
    )
    if issubclass(constructor, core.CONTAINERS):
        frame.title = title or _TITLES.get(constructor, "values")
    elif title:
        frame.prefix += f"{title}_"
    if not outside:
        spec.shared_frames.append(frame)
    return core.Cell(constructor, frame)


_TITLES: dict[Any, str] = {dict: "entries", set: "items"}


def outside_cells(
    spec: Specialiser, value: core.Value, spelled: str, module: str
) -> core.Value:
    """A value of the user's module with its lists, dicts and objects as cells, the same
    ones at each mention; the program must not change them."""
    if not spec.facts.changing or spec.derived:
        return value
    known = spec.module.heap.get((module, spelled))
    if known is None or by_value(spec, known) != value:
        known = as_cells(spec, value, spelled, outside=spelled)
        spec.module.heap[module, spelled] = known
    return known


@core.verb
def as_cells(
    spec: Specialiser,
    value: core.Value,
    title: str = "",
    outside: str = "",
    new: bool = False,
) -> core.Value:
    """A value with each list, dict or object in it that the program may change as a
    cell of its own. Lists and dicts that aren't ``new`` may be items of what holds them
    by value: they can't be changed."""
    if not spec.facts.changing or spec.derived or isinstance(value, core.Cell):
        return value
    if isinstance(value, core.Part) and value.constructor in spec.facts.changing:
        value = spec.settled(value)
    if new or class_in(value) not in spec.facts.changing - spec.known.changing:
        return _as_cells(spec, value, title, outside, new)
    key = value.operand if isinstance(value, core.Leaf) else id(value)
    if key not in spec.turned:  # one cell under all names that held it by value
        made = _as_cells(spec, replace(value), title, outside, new)
        spec.turned[key] = value, made
    return spec.turned[key][1]


def _as_cells(
    spec: Specialiser, value: core.Value, title: str, outside: str, new: bool
) -> core.Value:
    if isinstance(value, core.Aggregate) and value.constructor not in _BY_VALUE:
        items = tuple(
            as_cells(spec, item, _title(title, key), outside, new)
            for key, item in zip(value.keys, value.items, strict=True)
        )
        if any(a is not b for a, b in zip(items, value.items, strict=True)):
            value = replace(value, items=items)
    if isinstance(core.kind_of(value), ir.Members):
        return value
    cls = class_in(value)
    if cls not in spec.facts.changing and not _must_change(spec, value):
        return value
    makers: frozenset[Hashable] = frozenset()
    if spec.holds_arguments:
        makers = makers_of_argument(title)
        kept = spec.made_where_kept(value, makers)
        if kept is not value:
            return kept
    cell = new_cell(spec, cls, title, outside)
    if makers and cls in (list, dict):
        cell.frame.makers = makers
        spec.makers |= dict.fromkeys(makers, cell)
    if outside:
        cell.frame.names = _names_of(cell, value)
        return cell
    if core.is_container(cell):
        set_content(spec, cell, as_choices(value))
        is_item = not new and cls in spec.known.changing
        if is_item and core.ItemsChange not in spec.facts.changing:
            cell.frame.frozen = spec.froze = True
    else:
        assert isinstance(value, core.Aggregate)
        for key, item in zip(value.keys, value.items, strict=True):
            set_name(spec, cell, str(key), item)
    cell.frame.version = 0
    spec.changed_cells.discard(cell.frame)
    return cell


def _must_change(spec: Specialiser, value: core.Value) -> bool:
    """What a list or tuple of unknown length holds by value can't change: a list must
    be a cell, which its items write back to."""
    if not places.items_may_change(spec, value):
        return False
    if isinstance(value, core.Aggregate) and value.constructor is core.Rows:
        spec.learn_changing(list)
        return True
    raise core.Unsupported(
        "a tuple whose length isn't known before the program runs holds lists, dicts "
        "or objects that the program changes",
        "use a list",
    )


def _names_of(cell: core.Cell, value: core.Value) -> dict[str, core.Value]:
    if core.is_container(cell):
        return {cell.frame.title: value}
    assert isinstance(value, core.Aggregate)
    return _attributes(value)


def _attributes(value: core.Aggregate) -> dict[str, core.Value]:
    return {str(k): v for k, v in zip(value.keys, value.items, strict=True)}


def _title(title: str, key: Any) -> str:
    return f"{title}_{key}" if title and str(key).isidentifier() else title


# ------------------------------------------------------------------ reading


def read_name(spec: Specialiser, cell: core.Cell, name: str) -> core.Value | None:
    """What a cell holds under a name, in operands that stay as they are."""
    found = _found(spec, cell, name)
    if found is None:
        return None
    with spec.inside(cell.frame):
        return spec.held(found, [name])


def _found(spec: Specialiser, cell: core.Cell, name: str) -> core.Value | None:
    if spec.eager_iteration_under_way:
        note_cell(spec, cell.frame)
    names = cell.frame.names
    lost = names.get(core.LOST)
    found = lost if lost is not None else names.get(name)
    if isinstance(found, core.Missing):
        spec.keep_objects(found)
        if found is lost or not core.is_container(cell):  # a reference may do
            spec.keep_objects(cell)
        raise core.Unsupported(found.reason, found.advice)
    if found is None:
        note_late(spec, cell, name, spec.lacked)
    if found is not None and spec.procedures.under_way is not None:
        return spec.read_variable(cell.frame, name)
    return found


def note_late(
    spec: Specialiser, cell: core.Cell, name: str, noted: dict[Any, set[str]]
) -> None:
    """In a loop or function that is run again, an object is asked for an attribute that
    it lacks, or gets one. Where both are so, only the run knows which comes first."""
    frame = cell.frame
    if frame.serial >= spec.repeated_since or core.is_container(cell):
        return
    noted.setdefault(frame, set()).add(name)
    if noted is spec.lacked:
        spec.procedures.note_lacked(cell, name)
    lacked = spec.lacked.get(frame, set())
    made = spec.made_late.get(frame, set())
    for late in sorted(made if _ANY in lacked else made & lacked):
        spec.keep_objects(cell)
        raise late_attribute(late)


def late_attribute(name: str) -> core.Unsupported:
    return core.Unsupported(
        f"the attribute {name!r} is there in some iterations or calls only",
        "give the object the attribute when it is made",
    )


_ANY = ""
"""Stands for all attributes that an object may lack."""


def names_now(spec: Specialiser, cell: core.Cell) -> tuple[str, ...]:
    """The names of all that a cell holds."""
    note_late(spec, cell, _ANY, spec.lacked)
    return tuple(cell.frame.names)


@core.verb
def content_of(spec: Specialiser, cell: core.Cell) -> core.Value:
    """What a list or dict holds now, as a structure or a list of unknown length; its
    operands change when the cell does."""
    if cell.frame.place is not None:
        return spec.value_at(cell)
    found = _found(spec, cell, cell.frame.title)
    assert found is not None
    return found


def holds_changing(spec: Specialiser, value: core.Value) -> bool:
    """True for a value of a class that the program changes, and one with such in it."""
    return class_in(value) in spec.facts.changing or any(
        holds_changing(spec, part) for _, part in core.parts_of(value)
    )


@core.verb
def contents(spec: Specialiser, value: core.Value, at_once: bool = True) -> core.Value:
    """A list or dict that may change as what it holds now; other values as they are.
    ``at_once``: Python takes the items before anything else is computed."""
    if core.is_attributes(value):
        return spec.attributes_now(value)
    if isinstance(value, core.Part):
        return spec.settled(value)
    if is_choice_of_containers(value):
        value = for_the_one(spec, value, lambda c: contents(spec, c, at_once))
        return contents(spec, value)  # a copy of the one
    if not isinstance(value, core.Cell) or not core.is_container(value):
        return value
    content = content_of(spec, value)
    _check_whole(content)
    if at_once and spec.facts.holds_taken:
        content = held_content(spec, content, value)
    else:
        place = value.frame.place
        frame = value.frame if place is None else place.within.frame
        spec.taken.append((frame, frame.changes))
    _check_copied(spec, value, content)
    if (
        isinstance(content, core.Leaf)
        and getattr(content.kind, "item", content) is None
    ):
        return core.Aggregate(list, (), ())  # nothing was ever put into it
    return content


def _check_copied(spec: Specialiser, cell: core.Cell, content: core.Value) -> None:
    """A copy holds the same items: it can't be told where these change."""
    if not places.holds_places(spec, content):
        return
    places.keep_items(spec, content)
    raise core.Unsupported(
        f"{core.describe(cell)} of unknown length holds lists, dicts or objects that "
        "the program changes, and a copy of it would share them",
        "run over it, or read its items by index",
    )


def _check_whole(content: core.Value) -> None:
    if isinstance(content, core.Aggregate) and content.constructor is core.Partly:
        raise core.Unsupported(
            f"{core.describe(content)} is used as a whole",
            "store the keys on all paths, or read its items one by one",
        )


@core.verb
def by_value(
    spec: Specialiser,
    value: core.Value,
    inside: tuple[Any, ...] = (),
    partly: bool = False,
) -> core.Value:
    """The value with each cell in it as the structure that it is now; ``partly`` where
    dicts may have keys that are there on some paths only."""
    if isinstance(value, core.Part):
        return spec.settled(value)
    if not spec.facts.changing:
        return value
    if isinstance(value, core.Cell):
        if value.frame in inside:
            raise core.Unsupported(
                f"{core.describe(value)} that refers to itself is used as a value",
                "use what it holds",
            )
        inside = (*inside, value.frame)
        if value.frame.place is not None:
            return spec.value_at(value)
        if core.is_container(value):
            content = content_of(spec, value)
            if not partly:
                _check_whole(content)
            return by_value(spec, content, inside, partly)
        if core.LOST in value.frame.names:
            _found(spec, value, core.LOST)
        names = names_now(spec, value)
        found = [_found(spec, value, name) for name in names]
        items = tuple(by_value(spec, v, inside, partly) for v in found if v is not None)
        return core.Aggregate(class_meant(value.constructor), names, items)
    if isinstance(value, core.Aggregate):
        items = tuple(by_value(spec, item, inside, partly) for item in value.items)
        if any(a is not b for a, b in zip(items, value.items, strict=True)):
            return replace(value, items=items)
    return value


def cells_in(value: core.Value, seen: set[Any] | None = None) -> Iterator[core.Cell]:
    """The cells that can be reached from a value, through others and through what
    functions made inside the program read."""
    seen = set() if seen is None else seen
    if isinstance(value, core.Cell):
        if value.frame in seen:
            return
        seen.add(value.frame)
        yield value
        if value.frame.place is not None:
            yield from cells_in(value.frame.place.within, seen)
        for inner in value.frame.names.values():
            yield from cells_in(inner, seen)
        return
    if isinstance(value, core.Closure):
        frame: core.Frame | None = value.frame
        while frame is not None and frame not in seen:
            seen.add(frame)
            for inner in list(frame.names.values()):
                yield from cells_in(inner, seen)
            frame = frame.parent
    for _, part in core.parts_of(value):
        yield from cells_in(part, seen)


def with_cells(value: core.Value, new: dict[Any, core.Cell]) -> core.Value:
    """The value with other cells, by their frames."""
    if isinstance(value, core.Cell):
        found = new.get(value.frame)
        return value if found is None else replace(found, selector=value.selector)
    parts = core.parts_of(value)
    changed = tuple(with_cells(part, new) for _, part in parts)
    if all(a is b for a, (_, b) in zip(changed, parts, strict=True)):
        return value
    return core.with_parts(value, changed)


# ------------------------------------------------------------------ changing


def check_may_change(spec: Specialiser, value: core.Value) -> core.Cell:
    """The cell that a statement changes; lets the function be specialised again where
    values of the class were no cells so far."""
    if queries.is_reference(value):
        owning.own(spec, value)
    if isinstance(value, core.Cell):
        frame = value.frame
        if isinstance(frame, core.CellFrame) and frame.outside:
            raise core.Unsupported(
                f"{frame.outside} isn't the function's own, and changing it can't be "
                "differentiated",
                "pass it in as an argument, or change a copy",
            )
        return value
    cls = class_in(value)
    if cls is not None and not spec.derived and spec.learn_changing(cls):
        made = as_cells(spec, value)
        if not isinstance(made, core.Cell):
            raise core.Learned
        maker = getattr(value, "maker", None)
        if maker is not None and not made.frame.makers:
            made.frame.makers = frozenset({maker})
        return made
    if cls in core.CONTAINERS:
        spec.learn_changing(core.ItemsChange)
    what = "a value " * isinstance(value, core.Leaf) + str(core.describe(value))
    raise core.Unsupported(
        f"{what} is changed, which can't be followed here",
        "make a new one with the changed values",
    )


def set_name(spec: Specialiser, cell: core.Cell, name: str, value: core.Value) -> None:
    """Let a cell hold a value under a name."""
    frame = cell.frame
    if frame.frozen:
        spec.learn_changing(core.ItemsChange)
    spec.changed_cells.add(frame)
    frame.changes += 1
    if core.LOST in frame.names:
        _found(spec, cell, core.LOST)
    if name not in frame.names:
        note_late(spec, cell, name, spec.made_late)
    frame.written_by_others |= {name}
    frame.rebound |= {name}
    with spec.inside(frame):
        spec.bind(name, value)
    spec.read_again |= {leaf.operand for leaf in core.leaves(frame.names[name])}


@core.verb
def set_content(
    spec: Specialiser,
    cell: core.Cell,
    value: core.Value,
    resized: bool = True,
    shifted: bool = True,
) -> None:
    """Let a list or dict hold a content; ``resized`` where items came or went,
    ``shifted`` where others than the last."""
    cell.frame.version += resized
    cell.frame.shifts += resized and shifted
    if cell.frame.place is not None:
        return spec.store_at(cell, value, resized)
    if isinstance(value, core.Aggregate) and value.constructor not in _BY_VALUE:
        items = tuple(as_cells(spec, item, cell.frame.title) for item in value.items)
        value = replace(value, items=items)
    set_name(spec, cell, cell.frame.title, value)


def copied_container(spec: Specialiser, cell: core.Cell) -> core.Value:
    """A copy of a list, dict, set or deque, with the greatest length or the factory
    that it has beside its content."""
    content = content_of(spec, cell)
    _check_copied(spec, cell, content)
    beside = set(cell.frame.names) - {cell.frame.title}
    if cell.constructor in (list, dict, set) and not beside:
        return content
    made = new_cell(spec, cell.constructor, cell.frame.given)
    set_content(spec, made, held_content(spec, content, cell))
    for name in sorted(beside):
        held = read_name(spec, cell, name)
        if held is not None:
            set_name(spec, made, name, held)
    return made


def variables_of(cell: core.Cell) -> set[ir.Var]:
    """The variables that hold what a cell holds."""
    return {
        leaf.operand
        for value in cell.frame.names.values()
        for leaf in core.leaves(value)
        if isinstance(leaf.operand, ir.Var)
    }


def held_content(spec: Context, value: core.Value, cell: core.Cell) -> core.Value:
    """A value taken from a cell in operands that stay when the cell changes."""
    return _held(spec, value, variables_of(cell))


@core.verb
def held_from_cells(spec: Context, value: core.Value) -> core.Value:
    """A value in operands that stay when any list, dict or object changes."""
    own: set[ir.Var] = set()
    for frame in spec.shared_frames:
        if isinstance(frame, core.CellFrame):
            own |= variables_of(core.Cell(object, frame))
    return _held(spec, value, own)


def _held(spec: Context, value: core.Value, own: set[ir.Var]) -> core.Value:
    def copy(leaf: core.Leaf, path: tuple) -> core.Leaf:
        if leaf.operand not in own or not isinstance(leaf.operand, ir.Var):
            return leaf
        target = spec.fresh(leaf.operand.name.split(":")[-1].strip(".") or "item")
        spec.assign(target, leaf.operand, leaf.kind)
        return core.Leaf(target, leaf.kind, leaf.path)

    return spec.copied(value, copy)  # type: ignore[attr-defined]
