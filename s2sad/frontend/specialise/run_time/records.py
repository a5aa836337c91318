"""Parts of tuples of which each item has a kind of its own: slices, and what a starred
name gets.

Where all forms have one length, a part is a tuple or list of what is read. Else it is
read where it is used, when more may be known of the form that the tuple has::

    op, *args = e              ->
    if op == "neg":                    if e[0] == "neg":
        return -args[0]                    return -e[1]
"""

from __future__ import annotations

import ast
import operator
from dataclasses import replace
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers.lists import as_dynamic
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import reading, unions
from s2sad.frontend.specialise.run_time.queries import kind_of


def part_of(
    spec: Specialiser, value: core.Leaf, bounds: slice, constructor: type, node: ast.AST
) -> core.Value:
    """The items at some places of a tuple."""
    value = unions.present(value)
    count = _count(value)
    if count is not None:
        places = range(count)[bounds]
        if all(_is_told_at(value, place) for place in places):
            items = (_item(spec, value, place, node) for place in places)
            return core.aggregate_of(tuple(items), constructor)
    what = "slice" if constructor is tuple else "list"
    ends = (bounds.start, bounds.stop, bounds.step)
    part = core.Part(what, (value,), _start, None, None, ends, constructor)
    if constructor in spec.facts.changing:  # this one may be changed, too
        return settled(spec, part, node)
    return part


def slice_of(
    spec: Specialiser, value: core.Leaf, index: core.Aggregate, node: ast.AST
) -> core.Value:
    """``value[lower:upper:step]``."""
    bounds = []
    for bound in index.items:
        kind = core.kind_of(bound)
        if not rules.is_static(kind) and spec.may_ask(bound):
            kind = core.kind_of(core.constant(spec.ask(bound)))
        if not rules.is_static(kind):
            raise core.Unsupported(
                node,
                f"a slice of a {kind_of(value)} whose items are of different kinds, "
                "between places that aren't known before the program runs",
                "write the places out",
            )
        bounds.append(rules.static_value(kind))
    return part_of(spec, value, slice(*bounds), tuple, node)


@core.verb
def settled(spec: Specialiser, part: core.Part, node: Any) -> core.Value:
    """The items of a part: a list of unknown length where several forms are left that
    differ in it."""

    def items_of(record: core.Leaf) -> core.Value:
        count = _count(record)
        if count is None:
            return unions.by_form(spec, record, lambda r: listed(items_of(r)), node)
        items = (
            _item(spec, record, k, node) for k in range(count)[slice(*part.bounds)]
        )
        return core.aggregate_of(tuple(items), part.constructor)

    def listed(items: core.Value) -> core.Value:
        return as_dynamic(spec, items, node, part.constructor)

    return items_of(_record(part))


def item_of_part(
    spec: Specialiser, part: core.Part, index: core.Value, node: ast.AST
) -> core.Value:
    """``part[index]``."""
    record, (first, last, step) = _record(part), part.bounds
    to_the_end = last is None and step is None and (first or 0) >= 0
    if isinstance(index, core.Leaf) and rules.is_static(index.kind):
        known = rules.static_value(index.kind)
        places = {_place(form, part, known) for form in kind_of(record).forms}
        if to_the_end:  # elsewhere it isn't there, and Python raises
            places.discard(None)
        place = places.pop() if len(places) == 1 else None
        if place is not None:
            return _item(spec, record, place, node)
    elif to_the_end and isinstance(index, core.Aggregate):
        bounds = [b.kind for b in core.leaves(index)]
        if all(map(rules.is_static, bounds)):
            lower, *others = map(rules.static_value, bounds)
            if others == [None, None] and (lower or 0) >= 0:
                ends = ((first or 0) + (lower or 0), None, None)
                rest = replace(part, bounds=ends)
                return rest if _may_hold_items(rest) else settled(spec, rest, node)
    return spec.item_of(settled(spec, part, node), index, node)


def _place(form: ir.Form, part: core.Part, index: object) -> int | None:
    """Which item of a tuple an item of a part is; None where there is none."""
    places = range(len(form.keys))[slice(*part.bounds)]
    if not isinstance(index, int) or index not in range(-len(places), len(places)):
        return None
    return places[index]


def length_of_part(spec: Specialiser, part: core.Part, node: ast.AST) -> core.Value:
    """``len(part)``."""
    record = _record(part)
    count = _count(record)
    if count is not None:
        return core.constant(len(range(count)[slice(*part.bounds)]))
    counts = {len(form.keys) for form in kind_of(record).forms}
    missing = {count - len(range(count)[slice(*part.bounds)]) for count in counts}
    if len(missing) == 1:
        length = reading.length_of(spec, record)
        less = core.constant(missing.pop())
        return spec.operate(operator.sub, (length, less), node)
    return unions.by_form(
        spec,
        record,
        lambda one: length_of_part(spec, core.with_parts(part, (one,)), node),  # type: ignore[arg-type]
        node,
    )


def _start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Iteration:
    raise AssertionError("parts are settled where they are run over")


def _may_hold_items(part: core.Part) -> bool:
    return any(
        len(range(len(form.keys))[slice(*part.bounds)]) > 0
        for form in kind_of(_record(part)).forms
    )


def _record(part: core.Part) -> core.Leaf:
    (record,) = part.sources
    assert isinstance(record, core.Leaf)
    return record


def _count(record: core.Leaf) -> int | None:
    """How many items a tuple has; None where its forms differ in that."""
    counts = {len(form.keys) for form in kind_of(record).forms}
    return counts.pop() if len(counts) == 1 else None


def _is_told_at(record: core.Leaf, place: int) -> bool:
    """True where what stands at a place is of one sort, whichever form it is."""
    slot: ir.Kind | None = None
    for form in kind_of(record).forms:
        own = form.slots[form.keys[place]]
        slot = own if slot is None else ir.join(slot, own)
    return len(kind_of(record).forms) == 1 or slot != ir.UNKNOWN


def _item(spec: Specialiser, record: core.Leaf, place: int, node: Any) -> core.Value:
    return reading.item_of_reference(spec, record, core.constant(place), node)
