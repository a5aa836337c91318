"""Methods that change dicts; see ``container_methods``."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from s2sad import rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dicts, displays, list_methods, lists
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import cells, places
from s2sad.frontend.specialise.iteration import iteration, running_over
from s2sad.frontend.specialise.optionals import optional_keys
from s2sad.frontend.specialise.run_time import merged_dicts, methods, queries

NONE = core.constant(None)
_NUMBERS = (float, int, bool, complex)


def entries_of(spec: Specialiser, cell: core.Cell) -> dict[Any, core.Value]:
    """What a dict holds, by its keys."""
    content = spec.content_of(cell)
    if dicts.is_entries(content):
        raise core.Unsupported(
            "this isn't built for dicts whose keys aren't known before the program "
            "runs",
            "store and read its items one by one",
        )
    if not isinstance(content, core.Aggregate):
        raise core.Unsupported(f"{core.describe(content)} is used as a dict")
    return dict(zip(content.keys, content.items, strict=True))


def _store_entries(
    spec: Specialiser,
    cell: core.Cell,
    entries: dict[Any, core.Value],
    resized: bool = True,
) -> None:
    spec.set_content(cell, optional_keys.dict_of(entries), resized)


def _is_followed(spec: Specialiser, cell: core.Cell, key: core.Value) -> bool:
    """True where a dict's keys are known, and this one is."""
    if dicts.is_entries(spec.content_of(cell)):
        return False
    return rules.is_static(core.kind_of(key))


def _unfollowed(
    spec: Specialiser, cell: core.Cell, key: core.Value, item: Any
) -> core.Value:
    """What a dict holds, as one whose keys aren't followed."""
    content = spec.content_of(cell)
    if dicts.is_entries(content):
        return content
    made = entries_unfollowed(spec, content, key, item)
    spec.set_content(cell, made, resized=not running_over.is_run_over(spec, cell))
    return spec.content_of(cell)


def entries_unfollowed(
    spec: Specialiser, content: core.Value, key: core.Value, item: Any = None
) -> core.Value:
    """A dict as one whose keys aren't followed; where that can't be, a key that is an
    argument is asked for."""
    try:
        return dicts.as_entries(spec, content, key=key, item=item)
    except core.Unsupported:
        leaf = next(filter(spec.may_ask, core.leaves(key)), None)
        if leaf is not None and not rules.is_static(leaf.kind):
            raise core.SpecialiseOnValue(leaf.path) from None
        raise


def key_of(spec: Specialiser, value: core.Value) -> Any:
    """A key that is known before the program runs."""
    kind = core.kind_of(value)
    if rules.is_static(kind):
        return rules.static_value(kind)
    if spec.may_ask(value):
        return spec.ask(value)
    raise core.Unsupported(
        "a dict gets a key that isn't known before the program runs",
        "use keys that are written out, or put the values into an array",
    )


def _set_entry(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    index, value = args
    dicts.refuse_iterator(index)
    if not _is_followed(spec, cell, index):
        content = _unfollowed(spec, cell, index, value)
        run_over = running_over.is_run_over(spec, cell)
        if places.holds_places(spec, content):
            places.note_replaced(cell)
        dicts.with_value(
            spec,
            content,
            index,
            value,
            lambda new: spec.set_content(
                cell, new, resized=not run_over, shifted=False
            ),
            may_grow=not run_over,
        )
        return NONE
    key, entries = key_of(spec, index), entries_of(spec, cell)
    new = key not in entries or optional_keys.is_optional_item(entries[key])
    if (
        key in entries
        and new
        and running_over.is_run_over(spec, cell)
        and isinstance(value, core.Leaf)
    ):

        def store(changed: dict[Any, core.Value]) -> None:
            _store_entries(spec, cell, changed, resized=False)

        optional_keys.put_where_there(spec, entries, key, value, store)
        return NONE
    optional_keys.check_order(entries, key)
    optional_keys.stored(entries, key, value)
    _store_entries(spec, cell, entries, resized=new)
    return NONE


def entry(spec: Specialiser, cell: core.Cell, index: core.Value) -> core.Value:
    """``cell[index]`` of a dict, with the default that a ``defaultdict`` makes."""

    if cell.constructor is Counter:
        return methods.counted(spec, cell, index)
    factory = cells.read_name(spec, cell, dicts.FACTORY)
    if not _is_followed(spec, cell, index):
        return _entry_unfollowed(spec, cell, index, factory)
    entries = entries_of(spec, cell)
    key = key_of(spec, index)
    if key not in entries:
        problem = core.Unsupported(
            f"there is no item {core.key_text(key)} in {core.describe(cell)}",
            f"it has {', '.join(map(core.key_text, entries)) or 'none'}",
        )
        if factory is None or factory == NONE:
            spec.raises(problem, KeyError(key))
        entries[key] = _made_by_factory(spec, cell, factory)
        _store_entries(spec, cell, entries)
        entries = entries_of(spec, cell)
    if optional_keys.is_optional_item(entries[key]):
        _check_no_factory(factory)
        entries[key] = optional_keys.value_read(spec, entries[key], key)
    return cells.held_content(spec, entries[key], cell)


def _made_by_factory(
    spec: Specialiser, cell: core.Cell, factory: core.Value
) -> core.Value:
    """What a defaultdict makes: all of them are made where it is made itself."""
    return made_by(spec, factory, cell.frame.makers)


def made_by(
    spec: Specialiser, factory: core.Value, makers: Iterable[Hashable]
) -> core.Value:
    """What the factory of a defaultdict makes that one of some expressions made."""
    if isinstance(factory, core.Leaf) and core.known_value(factory) in _NUMBERS:
        return core.constant(core.known_value(factory)())
    made = spec.call_value(factory, (), {})
    of_these = frozenset((maker, "made") for maker in makers)
    if type(made) is core.Aggregate and made.maker is None and len(of_these) == 1:
        made = replace(made, maker=next(iter(of_these)))
    return spec.made_anew(made, "", of_these)


def _check_no_factory(factory: core.Value | None) -> None:
    if factory is not None and factory != NONE:
        raise core.Unsupported(
            "a defaultdict is read under a key that is there on some paths only",
            "store it on all paths",
        )


def _entry_unfollowed(
    spec: Specialiser, cell: core.Cell, key: core.Value, factory: core.Value | None
) -> core.Value:

    content = spec.content_of(cell)
    is_there = running_over.is_run_over(spec, cell) and dicts.is_key_of(
        spec, key, content
    )
    if factory is not None and factory != NONE and not is_there:
        make = partial(_made_by_factory, spec, cell, factory)
        return _with_default(spec, cell, key, make)
    if not dicts.is_entries(content):
        content = entries_unfollowed(spec, content, key)
        if places.holds_places(spec, content):
            spec.set_content(cell, content, resized=False)
            content = spec.content_of(cell)
    place = dicts.place_under(spec, content, key)
    return value_at_place(spec, cell, content, place)


def value_at_place(
    spec: Specialiser, cell: core.Cell, content: core.Value, place: core.Value
) -> core.Value:
    """A value of a dict with keys of the run; one that changes by itself as a cell that
    writes back to the dict."""
    found = dicts.value_at(spec, content, place)
    if not cells.holds_changing(spec, found):
        return found
    if not places.holds_places(spec, content):
        return places.frozen(spec, found)
    with spec.kept_if_refused(found):
        return places.item_place(spec, cell, place, found)


def _with_default(
    spec: Specialiser, cell: core.Cell, key: core.Value, make: Callable[[], core.Value]
) -> core.Value:
    """``d[key]``, where ``make()`` is stored if there is nothing."""

    sample = None
    if not dicts.is_entries(spec.content_of(cell)):
        with spec.new_block():
            sample = make()
    content = _unfollowed(spec, cell, key, sample)

    def add() -> None:
        made = dicts.with_new_value(spec, content, key, make())
        spec.set_content(cell, made, shifted=False)

    spec.choose(dicts.has_key(spec, content, key), lambda: None, add)
    return _entry_unfollowed(spec, cell, key, None)


def _delete_entry(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    default = (core.constant(0),) if cell.constructor is Counter else ()
    _pop_entry(spec, cell, (*args, *default), words)
    return NONE


def _pop_entry(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    if not _is_followed(spec, cell, args[0]):
        return _pop_unfollowed(spec, cell, args)
    key, entries = key_of(spec, args[0]), entries_of(spec, cell)
    if key not in entries:
        if len(args) > 1:
            return args[1]
        spec.raises(
            core.Unsupported(
                f"there is no item {core.key_text(key)} in {core.describe(cell)}",
                f"it has {', '.join(map(core.key_text, entries)) or 'none'}",
            ),
            KeyError(key),
        )
    item = optional_keys.removed(entries, key)
    if optional_keys.is_optional_item(item) and len(args) > 1:
        item = optional_keys.value_or(spec, item, lambda: args[1])
    elif optional_keys.is_optional_item(item):
        item = optional_keys.value_read(spec, item, key)
    item = cells.held_content(spec, item, cell)
    _store_entries(spec, cell, entries)
    return item


def _pop_unfollowed(spec: Specialiser, cell: core.Cell, args: Args) -> core.Value:

    key, *default = args
    content = _unfollowed(spec, cell, key, default[0] if default else None)

    def take() -> core.Value:
        found = dicts.value_under(spec, content, key)
        spec.set_content(cell, dicts.without_key(spec, content, key))
        return found

    if not default:
        return take()
    test = dicts.has_key(spec, content, key)
    return spec.select(test, take, lambda: default[0], "value")


def _pop_last(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    content = spec.content_of(cell)
    if dicts.is_entries(content):
        last = dicts.last_key(spec, content)
        return core.aggregate_of((last, _pop_unfollowed(spec, cell, (last,))))
    entries = entries_of(spec, cell)
    if not entries:
        spec.raises(core.Unsupported("popitem of an empty dict", "test for it"))
    key = list(entries)[-1]
    if optional_keys.is_optional_item(entries[key]):
        raise core.Unsupported(
            f"popitem where {key!r} is there on some paths only",
            "pop a key that is known",
        )
    item = cells.held_content(spec, entries.pop(key), cell)
    _store_entries(spec, cell, entries)
    return core.aggregate_of((core.constant(key), item))


def _set_default(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    if not _is_followed(spec, cell, args[0]):
        default = args[1] if len(args) > 1 else NONE
        return _with_default(spec, cell, args[0], lambda: default)
    key, entries = key_of(spec, args[0]), entries_of(spec, cell)
    if key not in entries:
        entries[key] = args[1] if len(args) > 1 else NONE
        _store_entries(spec, cell, entries)
        entries = entries_of(spec, cell)
    elif optional_keys.is_optional_item(entries[key]):
        optional_keys.check_order(entries, key)
        default = args[1] if len(args) > 1 else NONE
        made = optional_keys.value_or(spec, entries[key], lambda: default)
        optional_keys.stored(entries, key, made)
        _store_entries(spec, cell, entries)
        return cells.held_content(spec, made, cell)
    return cells.held_content(spec, entries[key], cell)


def _update(spec: Specialiser, cell: core.Cell, args: Args, words: Words) -> core.Value:
    def store_pair(pair: core.Value) -> None:
        _set_entry(spec, cell, key_and_value(spec, pair), {})

    args = tuple(_as_items(spec, other) for other in args)
    args = tuple(a for a in args if not list_methods.one_by_one(spec, a, store_pair))
    if dicts.is_entries(spec.content_of(cell)):
        args = tuple(a for a in args if not _each_entry(spec, a, store_pair))
        found = [_entries_in(spec, spec.contents(other)) for other in args]
        for more in (*found, words):
            for known, value in more.items():
                _set_entry(spec, cell, (core.constant(known), value), {})
        return NONE
    entries = entries_of(spec, cell)
    for other in args:
        words = {**_entries_in(spec, spec.contents(other)), **words}
    for known in words:
        optional_keys.check_order(entries, known)
    for known, value in words.items():
        optional_keys.stored(entries, known, value)
    _store_entries(spec, cell, entries)
    return NONE


def _as_items(spec: Specialiser, other: core.Value) -> core.Value:
    """A dict that is kept as its items, which are stored one by one, as those of a list
    of pairs are; others as they are."""
    other = merged_dicts.with_known_keys(spec, other)
    if queries.is_dict(other):
        return methods.call_method(spec, other, "items", (), {})
    if queries.is_sequence(other) or lists.is_list(other):
        return core.Lazy("list", (), lambda spec, sources: spec.iterate(other))
    return other


def _each_entry(
    spec: Specialiser, other: core.Value, store: Callable[[core.Value], None]
) -> bool:
    """Store the entries of a dict whose keys aren't known; False for others."""
    content = spec.contents(other)
    if not dicts.is_entries(content):
        return False
    entries = dicts.entries_run_over(spec, content, "items")
    iteration.drive(spec, entries, store, set())
    return True


def key_and_value(spec: Specialiser, pair: core.Value) -> Args:
    items = spec.iterate(pair)
    if not isinstance(items, core.Aggregate) or len(items.items) != 2:
        raise core.Unsupported(
            "a dict is made of what isn't seen to be pairs of a key and a value",
            "write d[key] = ...",
        )
    return items.items


def _entries_in(spec: Specialiser, other: core.Value) -> dict[Any, core.Value]:
    if isinstance(other, core.Aggregate) and other.constructor is dict:
        return dict(zip(other.keys, other.items, strict=True))
    pairs = displays.unpacked_value(spec, other)
    found = {}
    for pair in pairs.items if isinstance(pairs, core.Aggregate) else (pairs,):
        key, value = key_and_value(spec, pair)
        dicts.refuse_iterator(key)
        found[key_of(spec, key)] = value
    return found


def _clear_dict(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    _store_entries(spec, cell, {})
    return NONE


METHODS_OF_DICTS: dict[str, Callable[..., core.Value]] = {
    "__setitem__": _set_entry,
    "__delitem__": _delete_entry,
    "pop": _pop_entry,
    "popitem": _pop_last,
    "setdefault": _set_default,
    "update": _update,
    "clear": _clear_dict,
    "__ior__": _update,
}
"""What changes a dict."""
