"""Dicts of which some keys are there on some paths only.

Such a key holds a choice: a variable says whether it is there, and the value has a
variable of its own, which is read where it is::

    if c:                                  if c:
        d["b"] = x                             d_b_is, d_b = 'there', x
                                           else:
                                   ->          d_b_is = 'absent'
    if "b" in d:                           if d_b_is == 'there':
        total += d["b"]                        total += d_b

Only what a dict that the program changes holds has this form; it is no value. Of dicts
in lists of unknown length, these hold the text and the value (``kept``), with zero for
a value that isn't there.
"""

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeGuard

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.iteration.running_over import held_now, watch

THERE, ABSENT = "there", "absent"
DICTS = (dict, core.Partly)


def is_partly(value: core.Value | None) -> TypeGuard[core.Aggregate]:
    """True for what a dict holds of which some keys may not be there."""
    return isinstance(value, core.Aggregate) and value.constructor is core.Partly


def is_optional_item(value: core.Value) -> TypeGuard[core.Choice]:
    """True for what stands under a key that may not be there."""
    return isinstance(value, core.Choice) and all(
        tag in (THERE, ABSENT) for tag, _ in value.options
    )


def differ_in_presence(a: core.Value, b: core.Value) -> bool:
    """True for two dicts that don't have the same keys on both paths, of which one has
    keys that may not be there."""
    if not isinstance(a, core.Aggregate) or not isinstance(b, core.Aggregate):
        return False
    if not (a.constructor in DICTS and b.constructor in DICTS):
        return False
    if not (is_partly(a) or is_partly(b)):
        return False
    optional = [[is_optional_item(item) for item in v.items] for v in (a, b)]
    return a.keys != b.keys or optional[0] != optional[1]


def with_optional_keys(
    value: core.Value, other: core.Value, follow: bool
) -> core.Value | None:
    """What a dict holds, with the keys that it has on another path; None where that
    can't be. With ``follow`` only where that holds optional keys already."""
    if not isinstance(value, core.Aggregate) or not isinstance(other, core.Aggregate):
        return None
    if not (value.constructor in DICTS and other.constructor in DICTS):
        return None
    if follow and not is_partly(other):
        return value
    keys = _in_one_order(value.keys, other.keys)
    if keys is None:
        return None
    items = []
    for key in keys:
        own = _item(value, key)
        theirs = _item(other, key)
        if own is None:
            own = _choice(ABSENT, core.aggregate_of(()))
        elif not is_optional_item(own) and (theirs is None or is_optional_item(theirs)):
            if not isinstance(own, core.Leaf):
                return None
            own = _choice(THERE, core.aggregate_of((own,)))
        items.append(own)
    return core.Aggregate(core.Partly, keys, tuple(items))


def _item(value: core.Aggregate, key: Any) -> core.Value | None:
    return value.item(key) if key in value.keys else None


def _choice(tag: str, value: core.Value) -> core.Choice:
    return core.Choice(core.Leaf(ir.Const(tag), ir.OPAQUE), ((tag, value),))


def _in_one_order(first: tuple[Any, ...], second: tuple[Any, ...]) -> Any:
    """The keys of two dicts in an order that both have, the same one for both; None
    where there is none."""
    merged: list[Any] = []
    rest = [list(first), list(second)]
    while any(rest):
        heads = [keys[0] for keys in rest if keys]
        free = [k for k in heads if all(k not in keys[1:] for keys in rest)]
        if not free:
            return None
        key = min(free, key=repr)
        merged.append(key)
        rest = [[k for k in keys if k != key] for keys in rest]
    return tuple(merged)


# ------------------------------------------------------------------ kept in lists


def is_entry(value: core.Value | None) -> TypeGuard[core.Aggregate]:
    """True for what stands under a key that may not be there, as lists hold it."""
    return isinstance(value, core.Aggregate) and value.constructor is core.OptionalEntry


def entry_of(item: core.Value | None) -> core.Aggregate:
    """A value that is there, or None for one that isn't, as lists hold it."""
    if is_entry(item):
        return item
    if item is None:
        return _entry(core.constant(ABSENT), core.constant(0.0))
    return _entry(core.constant(THERE), item)


def _entry(which: core.Leaf, value: core.Value) -> core.Aggregate:
    return core.Aggregate(core.OptionalEntry, ("is", ""), (which, value))


def kept(spec: Specialiser, value: core.Value) -> core.Value:
    """A value in which dicts hold their optional keys as lists do."""

    if is_optional_item(value):
        if len(value.options) == 1:
            ((tag, _),) = value.options
            return entry_of(value_of(value) if tag == THERE else None)
        held = spec.select(
            is_there(spec, value),
            lambda: value_of(value),
            lambda: core.constant(0.0),
            "value",
        )
        return _entry(value.which, held)
    if not isinstance(value, core.Aggregate):
        return value
    items = tuple(kept(spec, item) for item in value.items)
    same = all(a is b for a, b in zip(items, value.items, strict=True))
    return value if same else replace(value, items=items)


def as_choices(value: core.Value) -> core.Value:
    """The reverse: a value read from lists."""
    if is_entry(value):
        which, held = value.items
        assert isinstance(which, core.Leaf)
        options = ((THERE, core.aggregate_of((held,))), (ABSENT, core.aggregate_of(())))
        return core.Choice(which, options)
    if not isinstance(value, core.Aggregate):
        return value
    items = tuple(map(as_choices, value.items))
    same = all(a is b for a, b in zip(items, value.items, strict=True))
    return value if same else replace(value, items=items)


# ------------------------------------------------------------------ reading


def is_there(spec: Specialiser, item: core.Value) -> core.Leaf:
    """Whether a key is there that holds this."""
    if not is_optional_item(item):
        return core.constant(True)
    tags = [tag for tag, _ in item.options]
    if len(tags) == 1:
        return core.constant(tags[0] == THERE)
    test: core.Leaf = spec.is_option(item, THERE)
    return test


def value_of(item: core.Value) -> core.Value:
    """What stands under a key that is there."""
    if not is_optional_item(item):
        return item
    held = dict(item.options)[THERE]
    assert isinstance(held, core.Aggregate)
    (value,) = held.items
    return value


def value_read(spec: Specialiser, item: core.Value, key: Any) -> core.Value:
    """``d[key]``: the program tests that the key is there, and raises."""

    test = is_there(spec, item)
    if test == core.constant(False):
        missing = core.Unsupported(f"there is no item {key!r} in a dict")
        spec.raises(missing)
    spec.raise_unless(test, KeyError, key)
    return value_of(item)


def value_or(
    spec: Specialiser, item: core.Value, default: Callable[[], core.Value]
) -> core.Value:
    """``d.get(key, default)``."""

    test = is_there(spec, item)
    if test == core.constant(False):
        return default()
    return spec.select(test, lambda: value_of(item), default, "value")


def has_key(spec: Specialiser, content: core.Aggregate, key: Any) -> core.Leaf:
    """``key in d``."""
    item = _item(content, key)
    return core.constant(False) if item is None else is_there(spec, item)


def number_of_keys(spec: Specialiser, content: core.Aggregate) -> core.Value:
    """``len(d)``."""

    optional = [item for item in content.items if is_optional_item(item)]
    total: core.Value = core.constant(len(content.items) - len(optional))
    for item in optional:
        one = spec.select(
            is_there(spec, item),
            lambda: core.constant(1),
            lambda: core.constant(0),
            "count",
        )
        total = spec.operate(operator.add, (total, one))
    return total


def run_over(spec: Specialiser, cell: core.Cell, what: str) -> Any:
    """What ``d``, ``d.values()`` and ``d.items()`` run over."""

    content = spec.content_of(cell)
    assert isinstance(content, core.Aggregate)
    watch(spec, cell, content)
    now = held_now(spec, cell, content)

    def give(key: Any, body: Callable[[core.Value], None]) -> None:
        held = now()
        assert isinstance(held, core.Aggregate)
        parts: list[core.Value] = [] if what == "values" else [core.constant(key)]
        if what != "keys":
            parts.append(value_of(held.item(key)))
        body(core.aggregate_of(tuple(parts)) if len(parts) > 1 else parts[0])

    def run(body: Callable[[core.Value], None], leave: Any, known: bool) -> None:
        if known:
            raise core.NotKnown
        for key in content.keys:

            def one(key: Any = key) -> None:
                held = now()
                assert isinstance(held, core.Aggregate)
                test = is_there(spec, held.item(key))
                spec.choose(test, lambda: give(key, body), lambda: None)

            spec.unless_left(leave, one)

    return core.Stream(run)


# ------------------------------------------------------------------ changing


def dict_of(entries: dict[Any, core.Value]) -> core.Aggregate:
    """What a dict of these entries holds."""
    optional = any(map(is_optional_item, entries.values()))
    constructor = core.Partly if optional else dict
    return core.Aggregate(constructor, tuple(entries), tuple(entries.values()))


def stored(entries: dict[Any, core.Value], key: Any, value: core.Value) -> None:
    """Put a value under a key; one that may not be there stays such a key, so that what
    the dict holds keeps its form."""
    if is_optional_item(entries.get(key, value)) and isinstance(value, core.Leaf):
        value = _choice(THERE, core.aggregate_of((value,)))
    entries[key] = value


def removed(entries: dict[Any, core.Value], key: Any) -> core.Value:
    """Take a key out, and give what stood there."""
    if not is_optional_item(entries[key]):
        return entries.pop(key)
    item, entries[key] = entries[key], _choice(ABSENT, core.aggregate_of(()))
    return item


def put_where_there(
    spec: Specialiser,
    entries: dict[Any, core.Value],
    key: Any,
    value: core.Value,
    store: Callable[[dict[Any, core.Value]], None],
) -> None:
    """``d[key] = value`` of a dict that is run over: where the key isn't there, it
    raises, as Python does later."""

    def fail() -> None:
        spec.raise_now(RuntimeError, "dictionary changed size during iteration")

    changed = {**entries, key: _choice(THERE, core.aggregate_of((value,)))}
    test = is_there(spec, entries[key])
    spec.choose(test, lambda: store(changed), fail)


def check_order(entries: dict[Any, core.Value], key: Any) -> None:
    """A key that may not be there is put behind all others: refuse it where others are
    behind it here."""
    item = entries.get(key)
    if item is None or key == list(entries)[-1]:
        return
    if is_optional_item(item) and {tag for tag, _ in item.options} != {THERE}:
        raise core.Unsupported(
            f"the order of the keys of a dict depends on whether {key!r} is there",
            "store it on all paths before other keys",
        )
