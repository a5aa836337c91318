"""Dicts whose keys are known only when the program runs.

Such a dict is a list of its values, beside a plain dict that tells the place of each
key::

    d[key] = v         ->        if key in places:
                                     values[places[key]] = v
                                 else:
                                     places[key] = len(values)
                                     values.append(v)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeGuard

from s2sad.frontend.specialise.containers.list_changes import extended, with_item_at
from s2sad.frontend.specialise.containers.lists import (
    as_dynamic,
    axis_of,
    empty_list,
    row_like,
)
from s2sad.frontend.specialise.core.exceptions import Unsupported
from s2sad.frontend.specialise.core.values import (
    Aggregate,
    Entries,
    Leaf,
    Value,
    aggregate_of,
    constant,
    describe,
    kind_of,
    leaves,
    map_leaves,
    operand_of,
)
from s2sad.frontend.specialise.iteration.iteration import Elements
from s2sad.ir.kinds import BOOL, INT, OPAQUE, Array, Known, List, without_value
from s2sad.ir.nodes import Apply, Const, Effect
from s2sad.ops.dicts import (
    keys_in_order,
    place_added,
    place_of_key,
    place_removed,
    places_in_order,
    places_of,
)
from s2sad.ops.effects import raise_exception

PARTS = ("places", "values", "key")


def is_entries(value: Value | None) -> TypeGuard[Aggregate]:
    """True for a dict whose keys aren't known."""
    return isinstance(value, Aggregate) and value.constructor is Entries


def as_entries(
    spec: Any,
    value: Value,
    node: Any,
    *,
    key: Value | None = None,
    item: Value | None = None,
    other: Value | None = None,
) -> Value:
    """A dict as one whose keys aren't followed. Where it holds nothing itself, a key
    and an item of it, or ``other``, another such dict, tell what it will hold."""
    if is_entries(value):
        return value
    assert isinstance(value, Aggregate)
    if value.constructor is not dict:
        raise Unsupported(
            node,
            f"{describe(value)} is read or changed under a key that isn't known before "
            "the program runs",
            "store the keys on all paths",
        )
    keys = [_known_key(k) for k in value.keys]
    made = Apply(places_of, tuple(map(operand_of, keys)))
    places = spec.define(made, OPAQUE, "places")
    sample = keys[0] if keys else key
    if sample is None and is_entries(other):
        sample = other.items[2]
    elif sample is None and isinstance(other, Aggregate) and other.keys:
        sample = _known_key(other.keys[0])
    if value.items:
        values = as_dynamic(spec, aggregate_of(value.items, list), node)
    else:
        values = _no_values(spec, node, item, other)
    return Aggregate(Entries, PARTS, (places, values, _stand_in(sample)))


def _known_key(key: Any) -> Value:
    if isinstance(key, tuple):
        return aggregate_of(tuple(map(_known_key, key)))
    return constant(key)


def _no_values(spec: Any, node: Any, item: Value | None, other: Value | None) -> Value:
    """An empty list for such items."""
    form = None if item is None else row_like(spec, item, node)
    if is_entries(other):
        template = other.items[1]
        form = template.items[0] if isinstance(template, Aggregate) else None
    elif isinstance(other, Aggregate) and other.items:
        form = row_like(spec, other.items[0], node)
    if form is None or isinstance(form, Leaf):
        return empty_list(spec, axis_of(spec, None))
    return empty_list(spec, axis_of(spec, None), form)


_NO_KEY = Const(Entries)
"""The operand of what stands for a key: only its kind counts."""


def _stand_in(key: Value | None) -> Value:
    """What tells the kind of the keys."""
    if key is None:
        return Leaf(_NO_KEY, OPAQUE)
    if isinstance(key, Aggregate):
        return map_leaves(key, lambda leaf, path: _stand_in(leaf))
    kind = kind_of(key)
    return Leaf(_NO_KEY, OPAQUE if isinstance(kind, Known) else without_value(kind))


def key_operand(key: Value, node: Any) -> Any:
    """A key as an operand."""
    for leaf in leaves(key):
        if isinstance(leaf.kind, Array | List):
            raise Unsupported(
                node, f"a dict gets a key {describe(leaf)}", "use numbers or strings"
            )
    return operand_of(key)


# ------------------------------------------------------------------ reading


def has_key(spec: Any, content: Value, key: Value, node: Any) -> Leaf:
    """``key in d``."""
    from s2sad.ops.membership import contains

    if was_never_filled(content):
        return constant(False)
    test = Apply(contains, (key_operand(key, node), _places(content).operand))
    return spec.define(test, BOOL, "condition")


def _places(content: Value) -> Leaf:
    assert isinstance(content, Aggregate)
    places = content.items[0]
    assert isinstance(places, Leaf)
    return places


def value_under(spec: Any, content: Value, key: Value, node: Any) -> Value:
    """``d[key]``."""
    return value_at(spec, content, place_under(spec, content, key, node), node)


def value_at(spec: Any, content: Value, place: Value, node: Any) -> Value:
    """The value that stands at a place of a dict."""
    assert isinstance(content, Aggregate)
    return _item(spec, content.items[1], place, node)


def place_under(spec: Any, content: Value, key: Value, node: Any) -> Leaf:
    """The place of the value under a key."""
    found = Apply(place_of_key, (_places(content).operand, key_operand(key, node)))
    return spec.define(found, INT, "place")


def _item(spec: Any, values: Value, place: Value, node: Any) -> Value:
    columns = values.items[0] if isinstance(values, Aggregate) else values
    return map_leaves(
        columns,
        lambda leaf, path: spec.apply(
            operator.getitem, (leaf, place), node=node, hint="value"
        ),
    )


def number_of_entries(spec: Any, content: Value) -> Value:
    """``len(d)``."""
    return spec.define(Apply(len, (_places(content).operand,)), INT, "count")


def entries_run_over(
    spec: Any,
    content: Value,
    what: str,
    node: Any = None,
    now: Callable[[], Value] | None = None,
    read: Callable[[Value], Value] | None = None,
) -> Elements:
    """What ``d``, ``d.values()`` and ``d.items()`` run over. ``now()`` is what the dict
    holds when a value is read; its keys stay. ``read`` gives the value at a place, if
    it isn't the one that is held there."""
    assert isinstance(content, Aggregate)
    stand_in = content.items[2]
    keys = spec.apply(keys_in_order, (_places(content),), hint="keys")
    order = spec.apply(places_in_order, (_places(content),), hint="order")

    def element(index: Leaf) -> Value:
        parts: list[Value] = []
        held = content if now is None else now()
        assert isinstance(held, Aggregate)
        if what != "values":
            parts.append(_key_at(spec, keys, index, stand_in))
        if what != "keys":
            place = spec.apply(operator.getitem, (order, index), hint="place")
            value = value_at(spec, held, place, node) if read is None else read(place)
            parts.append(value)
        return aggregate_of(tuple(parts)) if len(parts) > 1 else parts[0]

    return Elements(spec.apply(len, (keys,), hint="count"), element)


def last_key(spec: Any, content: Value) -> Value:
    """The key that was put in last; raises where there is none."""
    assert isinstance(content, Aggregate)
    keys = spec.apply(keys_in_order, (_places(content),), hint="keys")
    return _key_at(spec, keys, constant(-1), content.items[2])


def _key_at(spec: Any, keys: Leaf, index: Leaf, stand_in: Value) -> Value:
    read = Apply(operator.getitem, (keys.operand, index.operand))
    if isinstance(stand_in, Leaf):
        return spec.define(read, stand_in.kind, "key")
    key = spec.define(read, OPAQUE, "key")

    def part(leaf: Leaf, path: tuple) -> Value:
        operand = key.operand
        for step in path:
            found = Apply(operator.getitem, (operand, Const(step)))
            operand = spec.define(found, OPAQUE, "key").operand
        return Leaf(operand, leaf.kind)

    return map_leaves(stand_in, part)


# ------------------------------------------------------------------ changing


def with_value(
    spec: Any,
    content: Value,
    key: Value,
    value: Value,
    store: Callable[[Value], None],
    node: Any,
    may_grow: bool = True,
) -> None:
    """``d[key] = value``; ``store`` takes what the dict is then, on each path. A dict
    that may not grow is run over: a new key raises."""
    from s2sad.frontend.specialise.control.control_flow import choose

    def add() -> None:
        if may_grow:
            return store(with_new_value(spec, content, key, value, node))
        words = (RuntimeError, "dictionary changed size during iteration")
        spec.emit(Effect(spec.span, Apply(raise_exception, tuple(map(Const, words)))))
        spec.unreachable = True

    if was_never_filled(content):
        return add()
    test = has_key(spec, content, key, node)

    def replace_value() -> None:
        assert isinstance(content, Aggregate)
        places, values, _ = content.items
        place = place_under(spec, content, key, node)
        changed = with_item_at(spec, values, place, value, node)
        store(replace(content, items=(places, changed, _joined_key(content, key))))

    choose(spec, test, replace_value, add, node)


def was_never_filled(content: Value) -> bool:
    """True for a dict that nothing was put into on any path."""
    assert isinstance(content, Aggregate)
    first = next(leaves(content.items[1]), None)
    return first is None or (isinstance(first.kind, List) and first.kind.item is None)


def with_new_value(
    spec: Any, content: Value, key: Value, value: Value, node: Any
) -> Value:
    """The dict with one more key."""
    assert isinstance(content, Aggregate)
    places, values, _ = content.items
    first = next(leaves(values), None)
    if first is None:
        raise Unsupported(
            node,
            "the values of a dict whose keys aren't known before the program runs hold "
            "neither numbers nor arrays so far",
            "give the dict keys that are written out, or values with a number in them",
        )
    count = spec.apply(len, (first,), hint="count")
    operands = (operand_of(places), key_operand(key, node), operand_of(count))
    longer = spec.define(Apply(place_added, operands), OPAQUE, "places")
    more = extended(spec, values, aggregate_of((value,), list), node)
    return replace(content, items=(longer, more, _joined_key(content, key)))


def _joined_key(content: Aggregate, key: Value) -> Value:
    """The stand-in for the keys after one more."""
    known, new = content.items[2], _stand_in(key)
    return known if known == new else Leaf(_NO_KEY, OPAQUE)


def without_key(spec: Any, content: Value, key: Value, node: Any) -> Value:
    """The dict after ``del d[key]``."""
    assert isinstance(content, Aggregate)
    places, values, stand_in = content.items
    operands = (operand_of(places), key_operand(key, node))
    fewer = spec.define(Apply(place_removed, operands), OPAQUE, "places")
    return replace(content, items=(fewer, values, stand_in))
