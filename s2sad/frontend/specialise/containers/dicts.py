"""Dicts whose keys are known only when the program runs.

Such a dict is a list of its values, beside a plain dict that tells the place of each
key::

    d[key] = v         ->        if key in places:
                                     values[places[key]] = v
                                 else:
                                     places[key] = len(values)
                                     values.append(v)
"""

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeGuard

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import list_changes, lists
from s2sad.frontend.specialise.core.specialiser import Specialiser

PARTS = ("places", "values", "key")
VIEWS = ("keys", "values", "items")
FACTORY = "default_factory"
"""The name under which a ``defaultdict`` holds its factory."""


def is_entries(value: core.Value | None) -> TypeGuard[core.Aggregate]:
    """True for a dict whose keys aren't known."""
    return isinstance(value, core.Aggregate) and value.constructor is core.Entries


def as_entries(
    spec: Specialiser,
    value: core.Value,
    *,
    key: core.Value | None = None,
    item: core.Value | None = None,
    other: core.Value | None = None,
) -> core.Value:
    """A dict as one whose keys aren't followed. Where it holds nothing itself, a key
    and an item of it, or ``other``, another such dict, tell what it will hold."""
    if is_entries(value):
        return value
    assert isinstance(value, core.Aggregate)
    if value.constructor is not dict:
        raise core.Unsupported(
            f"{core.describe(value)} is read or changed under a key that isn't known "
            "before the program runs",
            "store the keys on all paths",
        )
    keys = [known_key(k) for k in value.keys]
    made = ir.Apply(ops.places_of, tuple(map(core.operand_of, keys)))
    places = spec.define(made, ir.OPAQUE, "places")
    sample = keys[0] if keys else key
    if sample is None and is_entries(other):
        sample = other.items[2]
    elif sample is None and isinstance(other, core.Aggregate) and other.keys:
        sample = known_key(other.keys[0])
    if value.items:
        values = lists.as_dynamic(spec, core.aggregate_of(value.items, list))
    else:
        values = _no_values(spec, item, other)
    return core.Aggregate(core.Entries, PARTS, (places, values, stand_in(sample)))


def known_key(key: Any) -> core.Value:
    if isinstance(key, tuple):
        return core.aggregate_of(tuple(map(known_key, key)))
    return core.constant(key)


def _no_values(
    spec: Specialiser, item: core.Value | None, other: core.Value | None
) -> core.Value:
    """An empty list for such items."""
    form = None if item is None else lists.row_like(spec, item)
    if is_entries(other):
        template = other.items[1]
        form = template.items[0] if isinstance(template, core.Aggregate) else None
    elif isinstance(other, core.Aggregate) and other.items:
        form = lists.row_like(spec, other.items[0])
    if form is None or isinstance(form, core.Leaf):
        return lists.empty_list(spec, lists.axis_of(spec, None))
    return lists.empty_list(spec, lists.axis_of(spec, None), form)


def key_of_kind(kind: ir.Kind) -> core.Leaf:
    """What stands for the keys of a dict where their kind is known."""
    return core.Leaf(_NO_KEY, kind)


_NO_KEY = ir.Const(core.Entries)
"""The operand of what stands for a key: only its kind counts."""


def stand_in(key: core.Value | None) -> core.Value:
    """What tells the kind of the keys."""
    if key is None:
        return core.Leaf(_NO_KEY, ir.OPAQUE)
    if isinstance(key, core.Aggregate) and key.constructor is tuple:
        return core.map_leaves(key, stand_in)
    if not isinstance(key, core.Leaf):
        return core.Leaf(_NO_KEY, ir.OPAQUE)
    kind = core.kind_of(key)
    return core.Leaf(
        _NO_KEY, ir.OPAQUE if isinstance(kind, ir.Known) else ir.without_value(kind)
    )


def key_operand(spec: Specialiser, key: core.Value) -> Any:
    """A key as an operand."""
    _refuse_objects_apart(spec, key)
    for leaf in core.leaves(key):
        if isinstance(leaf.kind, ir.Array | ir.List):
            raise core.Unsupported(
                f"a dict gets a key {core.describe(leaf)}", "use numbers or strings"
            )
    return core.operand_of(key)


def refuse_iterator(key: core.Value) -> None:
    """A range isn't followed as a key, nor is another iterator."""
    if isinstance(key, core.Lazy) and not isinstance(key, core.Part):
        raise core.Unsupported(
            f"{core.describe(key)} is a key of a dict or a member of a set",
            "use a tuple of its items",
        )


def _refuse_objects_apart(spec: Specialiser, key: core.Value) -> None:
    """Objects that are equal to themselves alone are keys as they are."""
    if isinstance(key, core.Leaf):
        return
    refuse_iterator(key)
    if core.is_object(key) or isinstance(key, core.Cell):
        if key.constructor.__hash__ is object.__hash__:  # type: ignore[union-attr]
            spec.keep_objects(key)
            raise core.Unsupported(
                f"{core.describe(key)} is a key of a dict or a member of a set",
                "use a number or text that names the object",
            )
    for _, part in core.parts_of(key):
        _refuse_objects_apart(spec, part)


# ------------------------------------------------------------------ reading


def has_key(spec: Specialiser, content: core.Value, key: core.Value) -> core.Leaf:
    """``key in d``."""

    if was_never_filled(content):
        return core.constant(False)
    test = ir.Apply(ops.contains, (key_operand(spec, key), _places(content).operand))
    return core.single(spec.define(test, ir.BOOL, "condition"))


def _places(content: core.Value) -> core.Leaf:
    assert isinstance(content, core.Aggregate)
    places = content.items[0]
    assert isinstance(places, core.Leaf)
    return places


def value_under(spec: Specialiser, content: core.Value, key: core.Value) -> core.Value:
    """``d[key]``."""
    return value_at(spec, content, place_under(spec, content, key))


def value_at(spec: Specialiser, content: core.Value, place: core.Value) -> core.Value:
    """The value that stands at a place of a dict."""
    assert isinstance(content, core.Aggregate)
    return _item(spec, content.items[1], place)


def place_under(spec: Specialiser, content: core.Value, key: core.Value) -> core.Leaf:
    """The place of the value under a key."""
    found = ir.Apply(
        ops.place_of_key, (_places(content).operand, key_operand(spec, key))
    )
    return core.single(spec.define(found, ir.INT, "place"))


def _item(spec: Specialiser, values: core.Value, place: core.Value) -> core.Value:
    columns = values.items[0] if isinstance(values, core.Aggregate) else values
    return core.map_leaves(
        columns, lambda leaf: spec.apply(operator.getitem, (leaf, place), hint="value")
    )


def number_of_entries(spec: Specialiser, content: core.Value) -> core.Value:
    """``len(d)``."""
    return spec.define(ir.Apply(len, (_places(content).operand,)), ir.INT, "count")


def keys_in_order(spec: Specialiser, content: core.Value) -> core.Value:
    """``list(d)``."""
    return spec.apply(ops.keys_in_order, (_places(content),), hint="keys")


def entries_run_over(
    spec: Specialiser,
    content: core.Value,
    what: str,
    now: Callable[[], core.Value] | None = None,
    read: Callable[[core.Value], core.Value] | None = None,
) -> core.Elements:
    """What ``d``, ``d.values()`` and ``d.items()`` run over. ``now()`` is what the dict
    holds when a value is read; its keys stay. ``read`` gives the value at a place, if
    it isn't the one that is held there."""
    assert isinstance(content, core.Aggregate)
    stand_in = content.items[2]
    keys = keys_in_order(spec, content)
    order = spec.apply(ops.places_in_order, (_places(content),), hint="order")

    def element(index: core.Leaf) -> core.Value:
        parts: list[core.Value] = []
        held = content if now is None else now()
        assert isinstance(held, core.Aggregate)
        if what != "values":
            key = key_at(spec, core.single(keys), index, stand_in)
            if isinstance(key, core.Leaf):
                spec.keys_of[key.operand] = _places(content).operand
            parts.append(key)
        if what != "keys":
            place = spec.apply(operator.getitem, (order, index), hint="place")
            value = value_at(spec, held, place) if read is None else read(place)
            parts.append(value)
        return core.aggregate_of(tuple(parts)) if len(parts) > 1 else parts[0]

    return core.Elements(spec.apply(len, (keys,), hint="count"), element)


def last_key(spec: Specialiser, content: core.Value) -> core.Value:
    """The key that was put in last; raises where there is none."""
    assert isinstance(content, core.Aggregate)
    keys = core.single(keys_in_order(spec, content))

    def refuse() -> None:
        spec.raise_now(KeyError, "popitem(): dictionary is empty")

    count = spec.apply(len, (keys,), hint="count")
    empty = spec.operate(operator.eq, (count, core.constant(0)))
    spec.choose(empty, refuse, lambda: None)
    return key_at(spec, keys, core.constant(-1), content.items[2])


def is_key_of(spec: Specialiser, key: core.Value, content: core.Value) -> bool:
    """True for a key that was taken out of a dict with keys of the run."""
    if not isinstance(key, core.Leaf) or not is_entries(content):
        return False
    return spec.keys_of.get(key.operand) == _places(content).operand


def key_at(
    spec: Specialiser, keys: core.Leaf, index: core.Leaf, stand_in: core.Value
) -> core.Value:
    read = ir.Apply(operator.getitem, (keys.operand, index.operand))
    if isinstance(stand_in, core.Leaf):
        return spec.define(read, stand_in.kind, "key")
    key = core.single(spec.define(read, ir.OPAQUE, "key"))

    def part(leaf: core.Leaf, path: tuple) -> core.Value:
        operand = key.operand
        for step in path:
            found = ir.Apply(operator.getitem, (operand, ir.Const(step)))
            operand = core.operand_of(spec.define(found, ir.OPAQUE, "key"))
        return core.Leaf(operand, leaf.kind)

    return core.map_with_paths(stand_in, part)


# ------------------------------------------------------------------ changing


def with_value(
    spec: Specialiser,
    content: core.Value,
    key: core.Value,
    value: core.Value,
    store: Callable[[core.Value], None],
    may_grow: bool = True,
) -> None:
    """``d[key] = value``; ``store`` takes what the dict is then, on each path. A dict
    that may not grow is run over: a new key raises."""

    def add() -> None:
        if may_grow:
            return store(with_new_value(spec, content, key, value))
        spec.raise_now(RuntimeError, "dictionary changed size during iteration")

    if was_never_filled(content):
        return add()
    test = has_key(spec, content, key)

    def replace_value() -> None:
        assert isinstance(content, core.Aggregate)
        places, values, _ = content.items
        place = place_under(spec, content, key)
        changed = list_changes.with_item_at(spec, values, place, value)
        store(replace(content, items=(places, changed, _joined_key(content, key))))

    spec.choose(test, replace_value, add)


def was_never_filled(content: core.Value) -> bool:
    """True for a dict that nothing was put into on any path."""
    assert isinstance(content, core.Aggregate)
    first = next(core.leaves(content.items[1]), None)
    return first is None or (
        isinstance(first.kind, ir.List) and first.kind.item is None
    )


def with_new_value(
    spec: Specialiser, content: core.Value, key: core.Value, value: core.Value
) -> core.Value:
    """The dict with one more key."""
    assert isinstance(content, core.Aggregate)
    places, values, _ = content.items
    spec.hold_sets(value)
    first = next(core.leaves(values), None)
    if first is None:
        raise core.Unsupported(
            "the values of a dict whose keys aren't known before the program runs hold "
            "neither numbers nor arrays so far",
            "give the dict keys that are written out, or values with a number in them",
        )
    count = spec.apply(len, (first,), hint="count")
    operands = (core.operand_of(places), key_operand(spec, key), core.operand_of(count))
    longer = spec.define(ir.Apply(ops.place_added, operands), ir.OPAQUE, "places")
    more = list_changes.extended(spec, values, core.aggregate_of((value,), list))
    return replace(content, items=(longer, more, _joined_key(content, key)))


def _joined_key(content: core.Aggregate, key: core.Value) -> core.Value:
    """The stand-in for the keys after one more."""
    known, new = content.items[2], stand_in(key)
    return known if known == new else core.Leaf(_NO_KEY, ir.OPAQUE)


def without_key(spec: Specialiser, content: core.Value, key: core.Value) -> core.Value:
    """The dict after ``del d[key]``."""
    assert isinstance(content, core.Aggregate)
    places, values, stand_in = content.items
    operands = (core.operand_of(places), key_operand(spec, key))
    fewer = spec.define(ir.Apply(ops.place_removed, operands), ir.OPAQUE, "places")
    return replace(content, items=(fewer, values, stand_in))
