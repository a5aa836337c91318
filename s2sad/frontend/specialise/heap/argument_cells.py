"""Arguments that the program changes: lists, dicts and objects.

The caller's own stay as they are, since cells hold their contents by value. That two
arguments are not one and the same is checked when the program runs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap import kept_objects
from s2sad.frontend.specialise.run_time import queries, storing
from s2sad.ops.runtime import results

COMPARED = "the derivative was made for different ones"
COPIED = "the function makes deep copies of both and may change these"


@dataclass(frozen=True)
class Holder:
    """The variable that holds an argument or a part of one, and the way to it."""

    operand: ir.Operand
    path: tuple[Any, ...]

    def is_part_of(self, other: Holder) -> bool:
        """True for what stands in another one, or in what that holds."""
        return self.path[: len(other.path)] == other.path


def argument_cells(
    spec: Specialiser, arguments: Mapping[str, core.Value]
) -> dict[Any, Holder]:
    """Let the parameters hold what may change as cells; gives the cells, by their
    activations, with the argument that each of them is."""
    found: dict[Any, Holder] = {}
    for name, value in arguments.items():
        held = as_argument(spec, name, value)
        hold(spec, name, held, value)
        found.update(cells_with_holders(spec, held, value, (name,)))
    return found


def as_argument(spec: Specialiser, name: str, value: core.Value) -> core.Value:
    """An argument in cells."""
    spec.holds_arguments = True
    try:
        return spec.as_cells(value, name, new=True)
    finally:
        spec.holds_arguments = False


def hold(spec: Specialiser, name: str, held: core.Value, given: core.Value) -> None:
    """Let a parameter hold an argument as ``held``: in cells, or, as kept lists of the
    numbers that it is given, in variables of their own."""
    if is_made_kept(held, given):
        spec.bind(name, held)
    else:
        spec.frame.names[name] = held


def is_made_kept(held: core.Value, given: core.Value) -> bool:
    """True where kept lists are made of what is given by value."""
    known = {leaf.operand for leaf in core.leaves(given)}
    return any(
        queries.is_reference(leaf) and leaf.operand not in known
        for leaf in core.leaves(held)
    )


@dataclass(eq=False)
class HeldByValue:
    """Stands for the cell of an argument that lists of its class's objects hold."""

    cls: Any


def cells_with_holders(
    spec: Specialiser, held: core.Value | None, value: core.Value, path: tuple[Any, ...]
) -> Iterator[tuple[Any, Holder]]:
    """The cells in an argument, with the variable that holds each in the program; where
    ``held`` is None, all is held by value."""
    cls = kept_objects.class_in(value)
    if held is None or is_made_kept(held, value):
        if cls in spec.facts.changing:
            yield HeldByValue(cls), Holder(holder_of(spec, value, path), path)
        if isinstance(value, core.Aggregate):
            for key, item in zip(value.keys, value.items, strict=True):
                yield from cells_with_holders(spec, None, item, (*path, key))
        return
    if isinstance(held, core.Cell):
        yield held.frame, Holder(holder_of(spec, value, path), path)
    if not isinstance(value, core.Aggregate):
        return
    parts: list[core.Value] = list(value.items)
    if isinstance(held, core.Cell):
        names = held.frame.names
        inner = names.get(held.frame.title)
        parts = list(
            inner.items if isinstance(inner, core.Aggregate) else names.values()
        )
    elif isinstance(held, core.Aggregate):
        parts = list(held.items)
    for key, part, item in zip(value.keys, parts, value.items, strict=True):
        yield from cells_with_holders(spec, part, item, (*path, key))


def holder_of(
    spec: Specialiser, value: core.Value, path: tuple[Any, ...]
) -> ir.Operand:
    """The variable that holds an argument, or a part of one."""
    if isinstance(value, core.Leaf):
        return spec.holders.get(value.operand, value.operand)
    if len(path) == 1:
        return ir.Var(path[0])
    holder: ir.Operand = spec.variable(str(path[0]), path[1:])
    return holder


def checks_of_cells(
    spec: Specialiser, given: Mapping[Any, Holder]
) -> list[ir.Statement]:
    """Checks that what the program changes is no other argument, and that arguments
    taken for other objects (``a is b``) are others."""
    compared = set(map(_kind_of_cell, spec.compared_cells))
    changed = {
        frame
        for frame in given
        if frame in spec.changed_cells or isinstance(frame, HeldByValue)
    }
    everywhere = spec.copies_lists_together
    items = changed.union(given if everywhere else (), *spec.copied_together)
    checks = [
        _check_of_items(spec, holder.operand)
        for frame, holder in given.items()
        if frame in items and _holds_lists(frame)
    ]
    for (a, first), (b, second) in itertools.combinations(given.items(), 2):
        if _kind_of_cell(a) != _kind_of_cell(b):
            continue
        if a in changed or b in changed:
            checks.append(_check(spec, first.operand, second.operand))
        elif _kind_of_cell(a) in compared:
            checks.append(_check(spec, first.operand, second.operand, COMPARED))
        elif everywhere or any({a, b} <= frames for frames in spec.copied_together):
            checks.append(_check(spec, first.operand, second.operand, COPIED))
    return checks


def checks_of_kept(
    spec: Specialiser, given: Mapping[Any, Holder], arguments: Mapping[str, core.Value]
) -> list[ir.Statement]:
    """Checks that what the program changes doesn't stand in an argument that is kept,
    in a list of lists, or in data of the module: who else holds what these hold isn't
    followed."""
    holders: dict[ir.Operand, ir.Kind | None] = {
        leaf.operand: leaf.kind
        for value in arguments.values()
        for leaf in core.leaves(value)
    }
    named = {h.operand: _kind_of_cell(frame) for frame, h in given.items()}
    data: dict[ir.Operand, str] = {
        data: cls.__name__ for data, cls in spec.module.containers.items()
    }
    holders.update(spec.module.kinds.items())
    checks: list[ir.Statement] = []
    for frame, holder in given.items():
        if frame not in spec.changed_cells:
            continue
        changed = holder.operand
        name, deep = named[changed], _holds_lists(frame)
        own = {h.operand for h in given.values() if h.is_part_of(holder)}
        for other in dict.fromkeys([*holders, *named, *data]):
            inside = _may_hold(holders.get(other), name) or data.get(other) == name
            if other in own:
                continue
            if inside or (deep and named.get(other) == name):
                checks.append(_check_of_kept(spec, changed, other, deep))
        kept = holders.get(changed)
        if isinstance(kept, ir.Reference) and any(
            _may_hold(held, name) for form in kept.forms for held in form.slots.values()
        ):
            checks.append(_check_of_itself(spec, changed))
    return checks


def checks_of_stored(
    spec: Specialiser, arguments: Mapping[str, core.Value]
) -> list[ir.Statement]:
    """Checks that no list or dict that is taken apart or held by value, or that the
    module holds, or of which the program has its own, stands in what is kept and stored
    into, too."""
    bases = {name[0] for name in spec.facts.stored if isinstance(name, tuple)}
    kept = [
        leaf.operand
        for value in arguments.values()
        for leaf in core.leaves(value)
        if bases and storing.leads_to_stored(spec, leaf.kind)
    ]
    if not kept:
        return []
    others: dict[ir.Operand, type] = dict(spec.module.containers.items())
    owned = {
        leaf.operand: queries.kind_of(leaf).constructor
        for value in arguments.values()
        for leaf in core.leaves(value)
        if leaf.path in spec.facts.owned and queries.is_reference(leaf)
    }
    waiting: list[tuple[Any, core.Value]] = [((n,), v) for n, v in arguments.items()]
    while waiting:
        path, value = waiting.pop()
        if isinstance(core.kind_of(value), ir.List):
            others[core.operand_of(value)] = list
        if isinstance(value, core.Aggregate):
            parts = zip(value.keys, value.items, strict=True)
            waiting += [((*path, key), item) for key, item in parts]
            if isinstance(value.constructor, type):
                others[holder_of(spec, value, path)] = value.constructor
    return [
        _check_of_kept(spec, other, whole, deep=other not in owned)
        for other, cls in {**others, **owned}.items()
        for whole in kept
        if issubclass(cls or object, tuple(bases)) and other != whole
    ]


def _check_of_kept(
    spec: Specialiser, changed: ir.Operand, other: ir.Operand, deep: bool
) -> ir.Statement:
    words = (_named(changed), _named(other), deep)
    check = ir.Apply(results.require_unshared, (changed, other, *map(ir.Const, words)))
    return ir.Effect(spec.main_span, check)


def _may_hold(kind: ir.Kind | None, name: str) -> bool:
    """True for what is kept, or a list, in which values of a class may stand."""
    match kind:
        case ir.Reference():
            return any(f.constructor.__name__ == name for f in ir.reached_forms(kind))
        case ir.Structure():
            return any(_may_hold(item, name) for item in kind.items)
        case ir.List(item=ir.List() as item):
            return item.constructor.__name__ == name or _may_hold(item, name)
        case ir.List():
            return _may_hold(kind.item, name)
    return False


def _check_of_itself(spec: Specialiser, changed: ir.Operand) -> ir.Statement:
    words = (changed, ir.Const(_named(changed)))
    return ir.Effect(spec.main_span, ir.Apply(results.require_outside_itself, words))


def _check_of_items(spec: Specialiser, holder: ir.Operand) -> ir.Statement:
    operands = (holder, ir.Const(_named(holder)))
    return ir.Effect(spec.main_span, ir.Apply(results.require_items_apart, operands))


def _holds_lists(frame: Any) -> bool:
    """True for the cell of a list of any length that holds lists."""
    content = (
        frame.names.get(frame.title) if isinstance(frame, core.CellFrame) else None
    )
    kind = core.kind_of(content) if isinstance(content, core.Leaf) else None
    return isinstance(kind, ir.List) and holds_changing_lists(kind)


def holds_changing_lists(kind: ir.Kind | None) -> bool:
    """True for a list or tuple of any length that holds lists."""
    if isinstance(kind, ir.Structure):
        return any(map(holds_changing_lists, kind.items))
    item = kind.item if isinstance(kind, ir.List) else None
    if not isinstance(item, ir.List):
        return False
    return item.constructor is list or holds_changing_lists(item)


def refuse_held_lists(spec: Specialiser) -> None:
    """Refuse lists in lists of any length, of the module, where the program changes
    such lists in a way that asks who else holds them: they are read by value."""
    if core.ItemsChange not in spec.facts.changing:
        return
    for data, kind in spec.module.kinds.items():
        if holds_changing_lists(kind):
            problem = core.Unsupported(
                f"a list in {data.name} is held elsewhere, too, and lists in lists are "
                "changed",
                "change a copy, such as [list(item) for item in items]",
            )
            spec.report(problem, spec.frame.source.node)


def _kind_of_cell(frame: Any) -> str:
    """The class that a cell is of, as its variables' names say."""
    if isinstance(frame, HeldByValue):
        return str(frame.cls.__name__)
    name: str = frame.prefix.split(".")[1]
    return name


def _check(
    spec: Specialiser, first: ir.Operand, second: ir.Operand, *what: str
) -> ir.Statement:
    words = (*map(_named, (first, second)), *what)
    operands = (first, second, *map(ir.Const, words))
    return ir.Effect(spec.main_span, ir.Apply(results.require_distinct, operands))


def _named(operand: ir.Operand) -> str:
    if isinstance(operand, ir.Var | ir.Global):
        return operand.name.split("~")[0]
    return "another"
