"""Displays, sums and multiples of lists whose length is known only when the program
runs."""

import operator
from dataclasses import replace
from typing import Any

from s2sad import ir, ops, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.containers import lists
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.places import items_may_change


@core.verb
def display(
    spec: Specialiser, parts: list[tuple[bool, core.Value]], constructor: type
) -> core.Value:
    """``[*first, second]`` or ``(*first, second)`` where the length of what is unpacked
    isn't known; each part is a list, or an item."""
    whole: core.Value | None = None
    items: list[core.Value] = []
    for position, (unpacked, value) in enumerate(parts):
        known = isinstance(value, core.Aggregate) and not core.is_rows(value)
        if not unpacked:
            items.append(value)
        elif known:
            items += value.items  # type: ignore[union-attr]
        if (unpacked and not known) or position == len(parts) - 1:
            if items:
                written = core.aggregate_of(tuple(items), constructor)
                whole = _both(spec, whole, written, constructor)
            if unpacked and not known:
                whole = _both(spec, whole, value, constructor)
            items = []
    assert whole is not None
    return lists.made_into(spec, whole, constructor)


@core.verb
def both_lists(spec: Specialiser, first: core.Value, second: core.Value) -> core.Value:
    """``first + second``, of lists of which the length of one isn't known."""
    return _joined(spec, first, second, list)


def _joined(
    spec: Specialiser, first: core.Value, second: core.Value, constructor: type
) -> core.Value:
    """One behind the other, or the other of one without items."""
    for value, other in ((first, second), (second, first)):
        if (
            isinstance(value, core.Aggregate)
            and not core.is_rows(value)
            and not value.items
        ):
            return other
    return _both(spec, first, second, constructor)


def _both(
    spec: Specialiser, first: core.Value | None, second: core.Value, constructor: type
) -> core.Value:
    """One behind the other."""
    first, second = first and _with_records(spec, first), _with_records(spec, second)
    if first is None:
        if isinstance(second, core.Aggregate) and not core.is_rows(second):
            return lists.as_dynamic(spec, second, constructor)
        return second
    if isinstance(second, core.Aggregate) and not core.is_rows(second):
        if (
            constructor is tuple
            and len(second.items) == 1
            and isinstance(first, core.Leaf)
        ):
            (item,) = second.items
            if isinstance(item, core.Leaf) and lists.constructor_of(first) is tuple:
                _check_items(first, item.kind)
                return spec.apply(ops.tuple_with, (first, item), hint="values")
        second = lists.as_dynamic(spec, second, constructor, like=first)
    if isinstance(first, core.Aggregate) and not core.is_rows(first):
        first = lists.as_dynamic(spec, first, constructor, like=second)
    function = ops.joined_lists if constructor is list else ops.joined_tuples
    if isinstance(first, core.Leaf) and isinstance(second, core.Leaf):
        assert isinstance(second.kind, ir.List)
        _check_items(first, second.kind.item)
        return spec.apply(function, (first, second), hint="values")
    if isinstance(first, core.Leaf) or isinstance(second, core.Leaf):
        raise lists.different_structures()
    assert isinstance(first, core.Aggregate) and isinstance(second, core.Aggregate)
    if lists.form_of(first.items[0]) != lists.form_of(second.items[0]):
        raise lists.different_structures()
    behind = iter(list(core.leaves(second)))
    (structure,) = (
        core.map_leaves(
            item, lambda leaf: spec.apply(function, (leaf, next(behind)), hint="values")
        )
        for item in first.items
    )
    return core.Aggregate(core.ROWS[constructor], (core.ROW,), (structure,))


def _with_records(spec: Specialiser, items: core.Value) -> core.Value:
    """Items of which the run has to tell which one a list holds, functions as
    records."""
    if not isinstance(items, core.Aggregate) or core.is_rows(items):
        return items
    held = (function_records.as_record(spec, item) for item in items.items)
    return replace(items, items=tuple(held))


def list_operator(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value | None:
    """``first + second`` where one is a list whose length isn't known, and
    ``items * count`` where the count isn't; None for other operations."""
    if function in _WITHOUT_LISTS and all(map(lists.constructor_of, operands)):
        _raise_for(spec, operands)
    if len(operands) != 2 or function not in (operator.add, operator.mul):
        return None
    first, second = operands
    kinds = lists.constructor_of(first), lists.constructor_of(second)
    if function is operator.mul:
        if kinds[0] is None:
            first, second, kinds = second, first, kinds[::-1]
        count = core.kind_of(second)
        if kinds[0] is None or not isinstance(count, ir.Scalar):
            return None
        if rules.is_static(count) and not lists.is_list(first):
            return None
        first = _with_records(spec, first)
        items = lists.as_dynamic(spec, first, kinds[0])
        if items_may_change(spec, items):
            raise core.Unsupported(
                "a list of lists, dicts or objects that the program changes is "
                "repeated a number of times that isn't known before the program runs",
                "make them in a comprehension if each place shall have one of its own",
            )

        def repeat(leaf: core.Leaf) -> core.Value:
            return spec.apply(ops.repeated, (leaf, second), hint="values")

        return core.map_leaves(items, repeat)
    if kinds[0] is None or kinds[0] is not kinds[1]:
        return None
    if not (lists.is_list(first) or lists.is_list(second)):
        return None
    return _joined(spec, first, second, kinds[0])


_WITHOUT_LISTS = (
    *(operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
    *(operator.pow, operator.matmul, operator.neg, operator.pos),
)


def _raise_for(spec: Specialiser, operands: tuple[core.Value, ...]) -> None:
    """What Python does for these operators on lists and tuples."""
    problem = core.Unsupported(
        f"an operator on {' and '.join(map(core.describe, operands))}, which Python "
        "doesn't have",
        "make arrays of lists: np.array(...)",
    )
    spec.raises(problem, TypeError("lists and tuples have no such operator"))


def _check_items(items: core.Leaf, kind: ir.Kind | None) -> None:
    """Refuse items of a kind that can't be in one list with the others."""
    assert isinstance(items.kind, ir.List)
    if kind is not None and items.kind.item is not None:
        kind = ir.as_item(ir.join(items.kind.item, ir.without_value(kind)))
    if kind is not None and not lists.is_plain(kind):
        raise lists.not_plain(kind)
