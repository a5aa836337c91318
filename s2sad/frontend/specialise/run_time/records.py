"""Parts of tuples of which each item has a kind of its own: slices, and what a starred
name gets.

Where all forms have one length, a part is a tuple or list of what is read. Else it is
read where it is used, when more may be known of the form that the tuple has::

    op, *args = e              ->
    if op == "neg":                    if e[0] == "neg":
        return -args[0]                    return -e[1]
"""

import operator
from collections.abc import Sequence
from dataclasses import replace

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers.lists import as_dynamic
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.run_time import reading, unions
from s2sad.frontend.specialise.run_time.queries import kind_of


def part_of(
    spec: Specialiser, value: core.Leaf, bounds: slice, constructor: type
) -> core.Value:
    """The items at some places of a tuple."""
    value = unions.structured(value)
    count = _count(value)
    if count is not None:
        places = range(count)[bounds]
        if all(_is_told_at(value, place) for place in places):
            items = (_item(spec, value, place) for place in places)
            return core.aggregate_of(tuple(items), constructor)
    what = "slice" if constructor is tuple else "list"
    ends = (bounds.start, bounds.stop, bounds.step)
    part = core.Part(what, (value,), _start, bounds=ends, constructor=constructor)
    if constructor in spec.facts.changing:  # this one may be changed, too
        return settled(spec, part)
    return part


def slice_of(spec: Specialiser, value: core.Leaf, index: core.Aggregate) -> core.Value:
    """``value[lower:upper:step]``."""
    bounds = []
    for bound in index.items:
        kind = core.kind_of(bound)
        if not rules.is_static(kind) and spec.may_ask(bound):
            kind = core.kind_of(core.constant(spec.ask(bound)))
        if not rules.is_static(kind):
            raise core.Unsupported(
                f"a slice of a {kind_of(value)} whose items are of different kinds, "
                "between places that aren't known before the program runs",
                "write the places out",
            )
        bounds.append(rules.static_value(kind))
    return part_of(spec, value, slice(*bounds), tuple)


def item_of(spec: Specialiser, value: core.Leaf, place: int) -> core.Value:
    """An item of a tuple for a name to hold. Where only the form that the tuple has
    tells what it is, it is read when the name is::

        kind, a, b = node          ->          if node[0] == "leaf":
        if kind == "leaf":                         return node[1]
            return a
    """
    value = unions.present(value)
    if _is_told_at(value, place) or not unions.are_told_apart(kind_of(value)):
        return _item(spec, value, place)
    return core.Item("item", (value,), _start, bounds=(place,))


@core.verb
def settled(spec: Specialiser, part: core.Part) -> core.Value:
    """The items of a part: a list of unknown length where several forms are left that
    differ in it."""
    if isinstance(part, core.Item):
        (place,) = part.bounds
        assert place is not None
        return _item(spec, _record(part), place)

    def items_of(record: core.Leaf) -> core.Value:
        count = _count(record)
        if count is None:
            return unions.by_form(spec, record, lambda r: listed(items_of(r)))
        items = (_item(spec, record, k) for k in range(count)[slice(*part.bounds)])
        before, behind = _others(part)
        return core.aggregate_of((*before, *items, *behind), part.constructor)

    def listed(items: core.Value) -> core.Value:
        return as_dynamic(spec, items, part.constructor)

    return items_of(_record(part))


def item_of_part(spec: Specialiser, part: core.Part, index: core.Value) -> core.Value:
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
            given, k = place
            return part.sources[k] if given else _item(spec, record, k)
        if len(part.sources) > 1 and unions.are_told_apart(kind_of(record)):

            def of_one(one: core.Leaf) -> core.Value:
                own = core.with_parts(part, (one, *part.sources[1:]))
                assert isinstance(own, core.Part)
                return item_of_part(spec, own, index)

            return unions.by_form(spec, record, of_one)
    elif len(part.sources) > 1:
        return spec.item_of(settled(spec, part), index)
    elif to_the_end and isinstance(index, core.Aggregate):
        bounds = [b.kind for b in core.leaves(index)]
        if all(map(rules.is_static, bounds)):
            lower, *others = map(rules.static_value, bounds)
            if others == [None, None] and (lower or 0) >= 0:
                ends = ((first or 0) + (lower or 0), None, None)
                rest = replace(part, bounds=ends)
                return rest if _may_hold_items(rest) else settled(spec, rest)
    return spec.item_of(settled(spec, part), index)


def _place(form: ir.Form, part: core.Part, index: object) -> tuple[bool, int] | None:
    """Which item of a tuple an item of a part is, or which of the sources; None where
    there is none."""
    inner = range(len(form.keys))[slice(*part.bounds)]
    others = range(1, len(part.sources))
    places = [
        *((True, k) for k in others[: part.front]),
        *((False, place) for place in inner),
        *((True, k) for k in others[part.front :]),
    ]
    if not isinstance(index, int) or index not in range(-len(places), len(places)):
        return None
    return places[index]


def joined(
    spec: Specialiser, values: Sequence[tuple[bool, core.Value]], constructor: type
) -> core.Value | None:
    """``[first, *part, *others]`` of a part whose items are unlike, with others that
    are known one by one; None for other values. The flags tell what is unpacked."""
    parts = [
        k
        for k, (unpacked, value) in enumerate(values)
        if unpacked and isinstance(value, core.Part)
    ]
    if len(parts) != 1 or constructor in spec.facts.changing:
        return None
    (place,) = parts
    part = values[place][1]
    assert isinstance(part, core.Part)
    try:
        attempt(spec, lambda: settled(spec, part))
        return None  # a list of what is alike
    except core.Unsupported:
        pass
    around: list[tuple[core.Value, ...]] = []
    for own in (values[:place], values[place + 1 :]):
        items: list[core.Value] = []
        for unpacked, value in own:
            found = core.items_of(spec.contents(value)) if unpacked else (value,)
            if found is None:
                return None
            items += found
        around.append(tuple(items))
    before, behind = _others(part)
    front = (*around[0], *before)
    sources = (_record(part), *front, *behind, *around[1])
    return replace(
        part, sources=sources, front=len(front), constructor=constructor, what="list"
    )


def _others(part: core.Part) -> tuple[tuple[core.Value, ...], tuple[core.Value, ...]]:
    """What stands before the items of the tuple, and behind them."""
    others = part.sources[1:]
    return others[: part.front], others[part.front :]


def length_of_part(spec: Specialiser, part: core.Part) -> core.Value:
    """``len(part)``."""
    record, more = _record(part), len(part.sources) - 1
    count = _count(record)
    if count is not None:
        return core.constant(len(range(count)[slice(*part.bounds)]) + more)
    counts = {len(form.keys) for form in kind_of(record).forms}
    missing = {n - len(range(n)[slice(*part.bounds)]) - more for n in counts}
    if len(missing) == 1:
        length = reading.length_of(spec, record)
        less = core.constant(missing.pop())
        return spec.operate(operator.sub, (length, less))
    return unions.by_form(
        spec,
        record,
        lambda one: length_of_part(
            spec,
            core.with_parts(part, (one, *part.sources[1:])),  # type: ignore[arg-type]
        ),
    )


def _start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Iteration:
    raise AssertionError("parts are settled where they are run over")


def _may_hold_items(part: core.Part) -> bool:
    return any(
        len(range(len(form.keys))[slice(*part.bounds)]) > 0
        for form in kind_of(_record(part)).forms
    )


def _record(part: core.Part) -> core.Leaf:
    record = part.sources[0]
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


def _item(spec: Specialiser, record: core.Leaf, place: int) -> core.Value:
    return reading.item_of_reference(spec, record, core.constant(place))
