"""What a list is after it was changed, computed from what it was.

A list of known length is a structure, and its items change places at once; of others,
the operations of ``ops/lists.py`` make new ones.
"""

import operator
from dataclasses import replace
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.library.lists import with_steps, without_steps
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import lists
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.language.user_sources import user_source
from s2sad.ops.runtime.indices import count_of_slice, end_of_slice, first_of_slice


def _known(content: core.Value) -> tuple[core.Value, ...] | None:
    """The items of a list of known length."""
    if isinstance(content, core.Aggregate) and not core.is_rows(content):
        return content.items
    return None


def _whole(index: core.Value) -> int | None:
    kind = core.kind_of(index)
    if not rules.is_static(kind):
        return None
    value = rules.static_value(kind)
    return value if isinstance(value, int) else None


def _by_columns(
    spec: Specialiser, content: core.Value, like: core.Value | None = None
) -> core.Value:
    """The list as one whose length isn't followed."""
    if lists.is_list(content):
        return content
    return lists.as_dynamic(spec, content, list, like=like)


def _each(
    spec: Specialiser, content: core.Value, function: Any, *args: Any
) -> core.Value:
    """An operation on each of the parallel lists."""
    return core.map_leaves(
        content, lambda leaf: spec.apply(function, (leaf, *args), hint="values")
    )


def _with_items(
    spec: Specialiser, content: core.Value, item: core.Value, function: Any, *args: Any
) -> core.Value:
    """An operation on each of the parallel lists, with the part of an item that belongs
    to it."""
    item = lists.row_of(spec, item)
    if isinstance(content, core.Aggregate):
        (template,) = content.items
        if lists.form_of(template) != lists.form_of(item):
            raise lists.unlike(spec, template, item)
    elif not isinstance(item, core.Leaf):
        raise lists.unlike(spec, content, item)
    parts = iter(list(core.leaves(item)))

    def changed(leaf: core.Leaf) -> core.Value:
        known = leaf.kind.item if isinstance(leaf.kind, ir.List) else None
        part = lists.as_array_item(spec, next(parts), known)
        made = spec.apply(function, (leaf, *args, part), hint="values")
        return checked(made)

    return core.map_leaves(content, changed)


def checked(made: core.Value) -> core.Value:
    """A list that got another item; all of them must be of one sort."""
    if not lists.is_plain(core.kind_of(made)):
        raise lists.not_plain(core.kind_of(made))
    return made


def extended(spec: Specialiser, content: core.Value, more: core.Value) -> core.Value:
    """The list with more items at its end."""
    first, second = _known(content), _known(more)
    if first is not None and second is not None:
        return core.aggregate_of(first + second, list)
    if second is not None and lists.is_list(content):
        for item in second:
            try:
                content = lists.with_item(spec, content, item, None)
            except lists.OtherForm as other:
                rows = lists.empty_list(spec, lists.axis_of(spec, None), other.item)
                content = lists.with_item(spec, rows, other.item, None)
        return content
    return spec.both_lists(content, more)


def with_inserted(
    spec: Specialiser, content: core.Value, place: core.Value, item: core.Value
) -> core.Value:
    """The list with one more item."""
    items, index = _known(content), _whole(place)
    if items is not None and index is not None:
        held = list(items)
        held.insert(index, item)
        return core.aggregate_of(tuple(held), list)
    content = _by_columns(spec, content, core.aggregate_of((item,), list))
    return _with_items(spec, content, item, ops.with_inserted_item, place)


def popped(
    spec: Specialiser, content: core.Value, place: core.Value
) -> tuple[core.Value, core.Value]:
    """An item, and the list without it."""

    items, index = _known(content), _whole(place)
    if items is not None and (index is not None or not items):
        held = list(items)
        try:
            item = held.pop(index if index is not None else 0)
        except IndexError:
            spec.raises(
                core.Unsupported(
                    f"there is no item {index!r} in {core.describe(content)}",
                    "check its length before",
                )
            )
        return item, core.aggregate_of(tuple(held), list)
    content = _by_columns(spec, content)
    item = spec.item_of(content, place)
    taken = iter(list(core.leaves(item)))

    def remove(leaf: core.Leaf) -> core.Value:
        part = next(taken)
        # zeros of its shape stand in its place in reverse
        shaped = ir.axes_of(part.kind) != () and ir.is_real_number_kind(leaf.kind)
        operands = (leaf, place, _shape_of(spec, part)) if shaped else (leaf, place)
        return spec.apply(ops.without_item, operands, hint="values")

    return item, core.map_leaves(content, remove)


def place_of(spec: Specialiser, content: core.Value, item: core.Value) -> core.Value:
    """The place of the first item that equals another."""

    items = _known(content)
    if items is not None and all(
        rules.is_static(core.kind_of(v)) for v in (*items, item)
    ):
        values = [rules.static_value(core.kind_of(v)) for v in items]
        wanted = rules.static_value(core.kind_of(item))
        if wanted in values:
            return core.constant(values.index(wanted))
    content = _by_columns(spec, content)
    if not isinstance(content, core.Leaf):
        raise core.Unsupported(
            "a structure is looked up in a list whose length isn't known",
            "find its place with a loop",
        )
    return spec.apply(ops.index_of_first, (content, item), hint="place")


def reversed_items(spec: Specialiser, content: core.Value) -> core.Value:
    """The list backwards."""
    items = _known(content)
    if items is not None:
        return core.aggregate_of(items[::-1], list)
    none = core.constant(None)
    return _sliced(spec, content, core.slice_of(none, none, core.constant(-1)))


def _sliced(spec: Specialiser, content: core.Value, part: core.Value) -> core.Value:
    return _each(spec, content, operator.getitem, part)


def with_item_at(
    spec: Specialiser, content: core.Value, place: core.Value, item: core.Value
) -> core.Value:
    """The list with another item at a place."""
    items, index = _known(content), _whole(place)
    if items is not None and index is not None:
        held = list(items)
        try:
            held[index] = item
        except IndexError:
            spec.raises(
                core.Unsupported(
                    f"there is no item {index!r} in {core.describe(content)}",
                    "append it, or make the list longer first",
                )
            )
        return core.aggregate_of(tuple(held), list)
    content = _by_columns(spec, content)
    (columns,) = content.items if isinstance(content, core.Aggregate) else (content,)
    item = lists.row_of(spec, item)
    made = stored_in_columns(spec, columns, place, item)
    return (
        replace(content, items=(made,)) if isinstance(content, core.Aggregate) else made
    )


def stored_in_columns(
    spec: Specialiser, columns: core.Value, place: core.Value, item: core.Value
) -> core.Value:
    """Parallel lists after ``items[place] = item``, an item as lists hold it."""
    if lists.form_of(columns) != lists.form_of(item):
        raise lists.unlike(spec, columns, item)
    parts = iter(list(core.leaves(item)))

    def store(leaf: core.Leaf) -> core.Value:
        known = leaf.kind.item if isinstance(leaf.kind, ir.List) else None
        part = lists.as_array_item(spec, next(parts), known)
        assert isinstance(part, core.Leaf)
        old = _overwritten(spec, leaf, place, part)
        operands = (leaf, place, part, *old)
        return checked(spec.apply(ops.with_item_stored, operands, hint="values"))

    return core.map_leaves(columns, store)


def _overwritten(
    spec: Specialiser, items: core.Leaf, place: core.Value, item: core.Leaf
) -> tuple[core.Value, ...]:
    """The item that another takes the place of, where the two may differ in shape."""
    changed = spec.result_kind(
        ops.with_item_stored,
        rules.rule_for(ops.with_item_stored),
        (items, place, item),
        {},
    )
    if not ir.is_ragged(changed) or not ir.is_real_number_kind(changed):
        return ()
    old = spec.apply(operator.getitem, (items, place), hint="old")
    return (_shape_of(spec, old),)


def _shape_of(spec: Specialiser, item: core.Value) -> core.Value:
    """What tells the shape of an item; that of a list of numbers is its length, for who
    keeps a list sees it change."""
    kind = core.kind_of(item)
    if isinstance(kind, ir.List) and isinstance(kind.item, ir.Scalar | ir.NumPyScalar):
        return spec.apply(len, (item,), hint="count")
    return item


def with_slice(
    spec: Specialiser, content: core.Value, part: core.Value, more: core.Value
) -> core.Value:
    """The list with other items in place of a slice."""
    items, bounds = _known(content), _bounds(part)
    second = _known(more)
    if items is not None and bounds is not None and second is not None:
        held = list(items)
        try:
            held[slice(*bounds)] = second
        except ValueError:
            raise core.Unsupported(
                f"{len(second)} items are stored into a slice of another length",
                "use as many items as the slice has",
            ) from None
        return core.aggregate_of(tuple(held), list)
    content, more = _by_columns(spec, content), _by_columns(spec, more)
    if _has_step(part):
        steps = _steps(spec, content, part)
        return rearranged(spec, with_steps, content, *steps, more)
    before, after = _around(spec, content, part)
    both = spec.both_lists(before, more)
    return spec.both_lists(both, after)


def without_slice(
    spec: Specialiser, content: core.Value, part: core.Value
) -> core.Value:
    """The list without a slice."""
    items, bounds = _known(content), _bounds(part)
    if items is not None and bounds is not None:
        held = list(items)
        del held[slice(*bounds)]
        return core.aggregate_of(tuple(held), list)
    content = _by_columns(spec, content)
    if _has_step(part):
        steps = _steps(spec, content, part)
        return rearranged(spec, without_steps, content, *steps)
    before, after = _around(spec, content, part)
    return spec.both_lists(before, after)


def _bounds(part: core.Value) -> tuple[Any, ...] | None:
    assert isinstance(part, core.Aggregate)
    kinds = [core.kind_of(bound) for bound in part.items]
    return (
        tuple(map(rules.static_value, kinds))
        if all(map(rules.is_static, kinds))
        else None
    )


def rearranged(
    spec: Specialiser, function: Any, content: core.Value, *args: core.Value
) -> core.Value:
    """What a function of the library gives for what a list holds."""

    source = user_source(function)
    assert source is not None
    if isinstance(content, core.Aggregate):
        content = replace(content, constructor=list)
    return spec.contents(spec.inline(source, (content, *args), {}))


def _has_step(part: core.Value) -> bool:
    assert isinstance(part, core.Aggregate)
    step = part.items[2]
    return not _is_none(step) and step != core.constant(1)


def _is_none(bound: core.Value) -> bool:
    """True for a bound that is left out, also where a variable holds it: of a slice
    that has a name."""
    return core.kind_of(bound) == ir.Known(None)


def _steps(
    spec: Specialiser, content: core.Value, part: core.Value
) -> tuple[core.Value, ...]:
    """The first place of a slice, the step, and the number of its places."""
    assert isinstance(part, core.Aggregate)
    first = next(core.leaves(content))
    length = spec.apply(len, (first,), hint="count")
    bounds = (*part.items, length)
    return (
        spec.apply(first_of_slice, bounds, hint="first"),
        _number_or(spec, part.items[2], 1),
        spec.apply(count_of_slice, bounds, hint="count"),
    )


def _number_or(spec: Specialiser, bound: core.Value, number: int) -> core.Value:
    """A bound or step of a slice that may be None on some paths as a number."""
    if not ir.is_optional_number(core.kind_of(bound)):
        return bound
    none = spec.operate(operator.is_, (bound, core.constant(None)))
    return spec.select(none, lambda: core.constant(number), lambda: bound, "bound")


def _around(
    spec: Specialiser, content: core.Value, part: core.Value
) -> tuple[core.Value, core.Value]:
    """What stands before and behind a slice without step."""
    assert isinstance(part, core.Aggregate)
    none, nothing = core.constant(None), core.aggregate_of((), list)
    lower, upper = (none if _is_none(b) else b for b in part.items[:2])
    lower = _number_or(spec, lower, 0)
    may_lack = ir.is_optional_number(core.kind_of(upper))
    if lower in (none, core.constant(0)) and not may_lack:
        if upper == none:
            return nothing, nothing
        return nothing, _sliced(spec, content, core.slice_of(upper, none, none))
    before = _sliced(spec, content, core.slice_of(none, lower, none))
    if upper == none:
        return before, nothing
    first, last = _whole(lower), _whole(upper)
    if first is None or last is None or not 0 <= first <= last:
        length = spec.apply(len, (next(core.leaves(content)),), hint="count")
        upper = spec.apply(end_of_slice, (lower, upper, length), hint="end")
    return before, _sliced(spec, content, core.slice_of(upper, none, none))
