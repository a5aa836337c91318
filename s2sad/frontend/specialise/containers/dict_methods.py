"""Methods that change dicts; see ``container_methods``."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import Any

from s2sad import rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dicts, displays, list_methods, lists
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import cells
from s2sad.frontend.specialise.iteration import running_over
from s2sad.frontend.specialise.optionals import optional_keys
from s2sad.frontend.specialise.run_time import merged_dicts, methods, owning, queries

NONE = core.constant(None)
_NUMBERS = (float, int, bool, complex)


def entries_of(spec: Specialiser, cell: core.Cell) -> dict[Any, core.Value]:
    """What a dict holds, by its keys."""
    content = spec.content_of(cell)
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


def key_of(spec: Specialiser, cell: core.Cell, key: core.Value) -> Any:
    """A key of a dict that is known before the program runs. A dict of which only the
    run knows the keys is kept: the expressions that make it are noted."""
    dicts.refuse_iterator(key)
    kind = core.kind_of(key)
    if rules.is_static(kind):
        return rules.static_value(kind)
    owning.let_be_kept(spec, cell.frame.makers, None, cell.constructor, True)
    return dicts.known_key(spec, key)


def keep_dicts(spec: Specialiser) -> None:
    """Where an item of a dict is read that is treated by value, under a key that only
    the run knows: from now on dicts are what may change, and are kept where that is
    needed."""
    if dict not in spec.facts.changing and not spec.derived:
        spec.learn_changing(dict)
        raise core.Learned


def _set_entry(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    index, value = args
    key, entries = key_of(spec, cell, index), entries_of(spec, cell)
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
    key, entries = key_of(spec, cell, index), entries_of(spec, cell)
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


def _delete_entry(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    default = (core.constant(0),) if cell.constructor is Counter else ()
    _pop_entry(spec, cell, (*args, *default), words)
    return NONE


def _pop_entry(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    key, entries = key_of(spec, cell, args[0]), entries_of(spec, cell)
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


def _pop_last(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
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
    key, entries = key_of(spec, cell, args[0]), entries_of(spec, cell)
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
    entries = entries_of(spec, cell)
    for other in args:
        words = {**_entries_in(spec, cell, spec.contents(other)), **words}
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


def key_and_value(spec: Specialiser, pair: core.Value) -> Args:
    items = spec.iterate(pair)
    if not isinstance(items, core.Aggregate) or len(items.items) != 2:
        raise core.Unsupported(
            "a dict is made of what isn't seen to be pairs of a key and a value",
            "write d[key] = ...",
        )
    return items.items


def _entries_in(
    spec: Specialiser, cell: core.Cell, other: core.Value
) -> dict[Any, core.Value]:
    if isinstance(other, core.Aggregate) and other.constructor is dict:
        return dict(zip(other.keys, other.items, strict=True))
    pairs = displays.unpacked_value(spec, other)
    found = {}
    for pair in pairs.items if isinstance(pairs, core.Aggregate) else (pairs,):
        key, value = key_and_value(spec, pair)
        found[key_of(spec, cell, key)] = value
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
