"""Methods that change lists, dicts, sets and deques, item stores and deletions
included.

Takes a cell and the arguments; gives what the method returns. What the cell holds
behind it is computed from what it held before::

    q.append(v)            ->      q = appended(q, v)
    v = q.pop(k)           ->      v = q[k]; q = without_item(q, k)
"""

from __future__ import annotations

import ast
import operator
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

from s2sad.frontend.specialise import dicts, list_changes
from s2sad.frontend.specialise.cells import (
    class_in,
    content_of,
    contents,
    held_content,
    holds_changing,
    set_content,
)
from s2sad.frontend.specialise.displays import unpacked_value
from s2sad.frontend.specialise.exceptions import SpecialiseOnValue, Unsupported
from s2sad.frontend.specialise.places import holds_places, note_replaced
from s2sad.frontend.specialise.sets import as_unfollowed_set, members_of, set_of
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.values import (
    Aggregate,
    Cell,
    Leaf,
    Value,
    aggregate_of,
    constant,
    describe,
    kind_of,
    leaves,
    operand_of,
)
from s2sad.ir.kinds import OPAQUE
from s2sad.ir.nodes import Apply
from s2sad.rules.result_kinds import is_static, static_value
from s2sad.transform.dicts import member_added, member_removed

Args = tuple[Value, ...]
Words = dict[str, Value]
NONE = constant(None)
FACTORY = "default_factory"
"""The name under which a ``defaultdict`` holds its factory."""
LIMIT = "maxlen"
"""The name under which a deque holds its greatest length."""


def change(
    spec: Specialiser, cell: Cell, name: str, args: Args, words: Words, node: Any
) -> Value:
    """``cell.name(*args, **words)`` of a method that changes it."""
    return METHODS[_base(cell.constructor)][name](spec, cell, args, words, node)


def changes(value: Value, name: str) -> bool:
    """True for the method of a list, dict, set or deque that changes it."""
    cls = class_in(value)
    return isinstance(cls, type) and name in METHODS.get(_base(cls), ())


def _base(cls: type) -> Any:
    return next(
        (base for base in (list, dict, set, deque) if issubclass(cls, base)), None
    )


# ------------------------------------------------------------------ lists


def _append(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    (item,) = args
    _extended(spec, cell, aggregate_of((item,), list), node)
    return NONE


def _extend(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    (other,) = args
    _extended(spec, cell, unpacked_value(spec, contents(spec, other), node), node)
    return NONE


def _extended(spec: Any, cell: Cell, more: Value, node: Any) -> None:
    longer = list_changes.extended(spec, content_of(spec, cell), more, node)
    limit = cell.frame.names.get(LIMIT)
    set_content(spec, cell, longer, shifted=limit is not None)
    if limit is not None:
        _shortened(spec, cell, more, limit, node)


def _shortened(spec: Any, cell: Cell, more: Value, limit: Value, node: Any) -> None:
    """A deque with a greatest length drops its first items."""
    from s2sad.frontend.specialise.control_flow import choose
    from s2sad.frontend.specialise.expressions import operate

    content = content_of(spec, cell)
    if isinstance(content, Aggregate) and is_static(kind_of(limit)):
        count = static_value(kind_of(limit))
        kept = content.items[-count:] if count else ()
        return set_content(spec, cell, aggregate_of(kept, list))
    if not isinstance(more, Aggregate) or len(more.items) > 1:
        raise Unsupported(
            node,
            "several items are added to a deque with a maxlen whose length isn't known "
            "before the program runs",
            "append them one by one",
        )
    length = spec.apply(len, (content,), node=node, hint="count")
    test = operate(spec, operator.gt, (length, limit), node)

    def drop() -> None:
        _pop_left(spec, cell, (), {}, node)

    choose(spec, test, drop, lambda: None, node)


def _insert(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    place, item = args
    content = content_of(spec, cell)
    set_content(
        spec, cell, list_changes.with_inserted(spec, content, place, item, node)
    )
    return NONE


def _append_left(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    if LIMIT in cell.frame.names:
        raise Unsupported(
            node, "appendleft of a deque with a maxlen", "use append, or no maxlen"
        )
    return _insert(spec, cell, (constant(0), *args), words, node)


def _pop(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    place = args[0] if args else constant(-1)
    content = content_of(spec, cell)
    item, rest = list_changes.popped(spec, content, place, node)
    item = held_content(spec, item, cell)
    set_content(spec, cell, rest)
    return item


def _pop_left(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    return _pop(spec, cell, (constant(0),), words, node)


def _remove(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    content = content_of(spec, cell)
    place = list_changes.place_of(spec, content, args[0], node)
    _, rest = list_changes.popped(spec, content, place, node)
    set_content(spec, cell, rest)
    return NONE


def _reverse(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    set_content(
        spec, cell, list_changes.reversed_items(spec, content_of(spec, cell), node)
    )
    return NONE


def _sort(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    from s2sad.frontend.specialise.calls import call_function

    ordered = call_function(spec, sorted, (content_of(spec, cell),), words, node)
    set_content(spec, cell, ordered)
    return NONE


def _clear_list(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    set_content(spec, cell, aggregate_of((), list))
    return NONE


def _set_item(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    place, item = args
    content = content_of(spec, cell)
    if _is_slice(place):
        item = unpacked_value(spec, contents(spec, item), node)
        made = list_changes.with_slice(spec, content, place, item, node)
        set_content(spec, cell, made)
    else:
        if cell.frame.place is None and holds_places(spec, content):
            note_replaced(cell)
        made = list_changes.with_item_at(spec, content, place, item, node)
        set_content(spec, cell, made, resized=False)
    return NONE


def _delete_item(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    (place,) = args
    content = content_of(spec, cell)
    if _is_slice(place):
        rest = list_changes.without_slice(spec, content, place, node)
    else:
        _, rest = list_changes.popped(spec, content, place, node)
    set_content(spec, cell, rest)
    return NONE


def _multiply(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    from s2sad.frontend.specialise.expressions import operate

    longer = operate(spec, operator.mul, (content_of(spec, cell), *args), node)
    set_content(spec, cell, longer)
    return NONE


def _extend_left(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    more = unpacked_value(spec, contents(spec, args[0]), node)
    first = list_changes.reversed_items(spec, more, node)
    content = content_of(spec, cell)
    set_content(spec, cell, list_changes.extended(spec, first, content, node))
    return NONE


def _rotate(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    content = content_of(spec, cell)
    steps = args[0] if args else constant(1)
    if not isinstance(content, Aggregate) or not is_static(kind_of(steps)):
        raise Unsupported(
            node,
            "rotate of a deque whose length isn't known before the program runs",
            "use append(popleft()) in a loop",
        )
    items = content.items
    count = static_value(kind_of(steps)) % len(items) if items else 0
    turned = items[len(items) - count :] + items[: len(items) - count]
    set_content(spec, cell, aggregate_of(turned, list), resized=False)
    return NONE


def _is_slice(value: Value) -> bool:
    return isinstance(value, Aggregate) and value.constructor is slice


# ------------------------------------------------------------------ dicts


def entries_of(spec: Specialiser, cell: Cell, node: Any) -> dict[Any, Value]:
    """What a dict holds, by its keys."""
    content = content_of(spec, cell)
    if dicts.is_entries(content):
        raise Unsupported(
            node,
            "this isn't built for dicts whose keys aren't known before the program "
            "runs",
            "store and read its items one by one",
        )
    if not isinstance(content, Aggregate):
        raise Unsupported(node, f"{describe(content)} is used as a dict", "")
    return dict(zip(content.keys, content.items, strict=True))


def _store_entries(
    spec: Specialiser, cell: Cell, entries: dict[Any, Value], resized: bool = True
) -> None:
    made = Aggregate(dict, tuple(entries), tuple(entries.values()))
    set_content(spec, cell, made, resized)


def _is_followed(spec: Specialiser, cell: Cell, key: Value) -> bool:
    """True where a dict's keys are known, and this one is."""
    if dicts.is_entries(content_of(spec, cell)):
        return False
    return is_static(kind_of(key))


def _unfollowed(
    spec: Specialiser, cell: Cell, key: Value, node: Any, item: Any
) -> Value:
    """What a dict holds, as one whose keys aren't followed."""
    content = content_of(spec, cell)
    if dicts.is_entries(content):
        return content
    made = entries_unfollowed(spec, content, key, node, item)
    set_content(spec, cell, made)
    return content_of(spec, cell)


def entries_unfollowed(
    spec: Specialiser, content: Value, key: Value, node: Any, item: Any = None
) -> Value:
    """A dict as one whose keys aren't followed; where that can't be, a key that is an
    argument is asked for."""
    try:
        return dicts.as_entries(spec, content, node, key=key, item=item)
    except Unsupported:
        leaf = next((x for x in leaves(key) if x.path is not None), None)
        if leaf is not None and not spec.static and not is_static(leaf.kind):
            raise SpecialiseOnValue(leaf.path) from None
        raise


def key_of(spec: Specialiser, value: Value, node: Any) -> Any:
    """A key that is known before the program runs."""
    kind = kind_of(value)
    if is_static(kind):
        return static_value(kind)
    if isinstance(value, Leaf) and value.path is not None and not spec.static:
        raise SpecialiseOnValue(value.path)
    raise Unsupported(
        node,
        "a dict gets a key that isn't known before the program runs",
        "use keys that are written out, or put the values into an array",
    )


def _set_entry(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    index, value = args
    if not _is_followed(spec, cell, index):
        content = _unfollowed(spec, cell, index, node, value)
        dicts.with_value(
            spec, content, index, value, lambda new: set_content(spec, cell, new), node
        )
        return NONE
    key, entries = key_of(spec, index, node), entries_of(spec, cell, node)
    new = key not in entries
    entries[key] = args[1]
    _store_entries(spec, cell, entries, resized=new)
    return NONE


def entry(spec: Specialiser, cell: Cell, index: Value, node: Any) -> Value:
    """``cell[index]`` of a dict, with the default that a ``defaultdict`` makes."""
    from s2sad.frontend.specialise.calls import call_value

    factory = cell.frame.names.get(FACTORY)
    if not _is_followed(spec, cell, index):
        return _entry_unfollowed(spec, cell, index, factory, node)
    entries = entries_of(spec, cell, node)
    key = key_of(spec, index, node)
    if key not in entries:
        problem = Unsupported(
            node,
            f"there is no item {key!r} in {describe(cell)}",
            f"it has {', '.join(map(repr, entries)) or 'none'}",
        )
        if factory is None or factory == NONE:
            spec.raises(problem)
        entries[key] = call_value(spec, factory, (), {}, node)
        _store_entries(spec, cell, entries)
        entries = entries_of(spec, cell, node)
    return held_content(spec, entries[key], cell)


def _entry_unfollowed(
    spec: Specialiser, cell: Cell, key: Value, factory: Value | None, node: Any
) -> Value:
    from s2sad.frontend.specialise.calls import call_value

    if factory is not None and factory != NONE:
        make: Value = factory
        return _with_default(
            spec, cell, key, lambda: call_value(spec, make, (), {}, node), node
        )
    content = content_of(spec, cell)
    if not dicts.is_entries(content):
        content = entries_unfollowed(spec, content, key, node)
    found = dicts.value_under(spec, content, key, node)
    if holds_changing(spec, found):
        raise Unsupported(
            node,
            "a list, dict or object that the program changes is read from a dict whose "
            "keys aren't known before the program runs",
            "keep it in a list of known length",
        )
    return found


def _with_default(
    spec: Specialiser, cell: Cell, key: Value, make: Callable[[], Value], node: Any
) -> Value:
    """``d[key]``, where ``make()`` is stored if there is nothing."""
    from s2sad.frontend.specialise.control_flow import choose

    sample = None
    if not dicts.is_entries(content_of(spec, cell)):
        with spec.new_block():
            sample = make()
    content = _unfollowed(spec, cell, key, node, sample)

    def add() -> None:
        made = dicts.with_new_value(spec, content, key, make(), node)
        set_content(spec, cell, made)

    choose(spec, dicts.has_key(spec, content, key, node), lambda: None, add, node)
    return _entry_unfollowed(spec, cell, key, None, node)


def _delete_entry(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    _pop_entry(spec, cell, args, words, node)
    return NONE


def _pop_entry(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    if not _is_followed(spec, cell, args[0]):
        return _pop_unfollowed(spec, cell, args, node)
    key, entries = key_of(spec, args[0], node), entries_of(spec, cell, node)
    if key not in entries:
        if len(args) > 1:
            return args[1]
        spec.raises(
            Unsupported(
                node,
                f"there is no item {key!r} in {describe(cell)}",
                f"it has {', '.join(map(repr, entries)) or 'none'}",
            )
        )
    item = held_content(spec, entries.pop(key), cell)
    _store_entries(spec, cell, entries)
    return item


def _pop_unfollowed(spec: Specialiser, cell: Cell, args: Args, node: Any) -> Value:
    from s2sad.frontend.specialise.conditions import select

    key, *default = args
    content = _unfollowed(spec, cell, key, node, default[0] if default else None)

    def take() -> Value:
        found = dicts.value_under(spec, content, key, node)
        set_content(spec, cell, dicts.without_key(spec, content, key, node))
        return found

    if not default:
        return take()
    test = dicts.has_key(spec, content, key, node)
    return select(spec, test, take, lambda: default[0], node, "value")


def _pop_last(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    entries = entries_of(spec, cell, node)
    if not entries:
        spec.raises(Unsupported(node, "popitem of an empty dict", "test for it"))
    key = list(entries)[-1]
    item = held_content(spec, entries.pop(key), cell)
    _store_entries(spec, cell, entries)
    return aggregate_of((constant(key), item))


def _set_default(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    if not _is_followed(spec, cell, args[0]):
        default = args[1] if len(args) > 1 else NONE
        return _with_default(spec, cell, args[0], lambda: default, node)
    key, entries = key_of(spec, args[0], node), entries_of(spec, cell, node)
    if key not in entries:
        entries[key] = args[1] if len(args) > 1 else NONE
        _store_entries(spec, cell, entries)
        entries = entries_of(spec, cell, node)
    return held_content(spec, entries[key], cell)


def _update(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    if dicts.is_entries(content_of(spec, cell)):
        found = [_entries_in(spec, contents(spec, other), node) for other in args]
        for more in (*found, words):
            for known, value in more.items():
                _set_entry(spec, cell, (constant(known), value), {}, node)
        return NONE
    entries = entries_of(spec, cell, node)
    for other in args:
        entries.update(_entries_in(spec, contents(spec, other), node))
    entries.update(words)
    _store_entries(spec, cell, entries)
    return NONE


def _entries_in(spec: Specialiser, other: Value, node: Any) -> dict[Any, Value]:
    if isinstance(other, Aggregate) and other.constructor is dict:
        return dict(zip(other.keys, other.items, strict=True))
    pairs = unpacked_value(spec, other, node)
    found = {}
    for pair in pairs.items if isinstance(pairs, Aggregate) else (pairs,):
        pair = contents(spec, pair)
        if not isinstance(pair, Aggregate) or len(pair.items) != 2:
            raise Unsupported(
                node, "a dict is updated by what isn't known here", "write d[key] = ..."
            )
        found[key_of(spec, pair.items[0], node)] = pair.items[1]
    return found


def _clear_dict(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
    _store_entries(spec, cell, {})
    return NONE


# ------------------------------------------------------------------ sets


def _members(
    change: Callable[[list[Any], list[Any]], list[Any]],
) -> Callable[..., Value]:
    """A method that changes which values a set holds."""

    def method(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
        content = content_of(spec, cell)
        if isinstance(content, Leaf) or not all(is_static(kind_of(a)) for a in args):
            return _change_members(spec, cell, change, args, node)
        own = [static_value(kind_of(item)) for item in members_of(content)]
        other = [key_of(spec, item, node) for item in args]
        set_content(
            spec, cell, set_of(tuple(map(constant, change(own, other))), node, set)
        )
        return NONE

    return method


def _change_members(
    spec: Specialiser, cell: Cell, change: Any, args: Args, node: Any
) -> Value:
    """The same where the members are known only when the program runs."""
    content = content_of(spec, cell)
    function = {_union: member_added, _difference: member_removed}.get(change)
    if function is None:
        raise Unsupported(
            node,
            "a set whose items aren't known before the program runs is changed as a "
            "whole",
            "add and discard its items one by one",
        )
    content = as_unfollowed_set(spec, content)
    for member in args:
        operands = (operand_of(content), dicts.key_operand(member, node))
        content = spec.define(Apply(function, operands), OPAQUE, "members")
    set_content(spec, cell, content)
    return NONE


def _several(
    change: Callable[[list[Any], list[Any]], list[Any]],
) -> Callable[..., Value]:
    """Such a method that takes iterables."""
    one = _members(change)

    def method(spec: Any, cell: Cell, args: Args, words: Words, node: Any) -> Value:
        for other in args:
            content = contents(spec, other)
            if isinstance(content, Aggregate) and content.constructor is not dict:
                items = content.items
            else:
                found = unpacked_value(spec, content, node)
                items = found.items if isinstance(found, Aggregate) else (found,)
            one(spec, cell, tuple(items), words, node)
        return NONE

    return method


def _union(a: list[Any], b: list[Any]) -> list[Any]:
    return list(dict.fromkeys([*a, *b]))


def _difference(a: list[Any], b: list[Any]) -> list[Any]:
    return [item for item in a if item not in b]


def _intersection(a: list[Any], b: list[Any]) -> list[Any]:
    return [item for item in a if item in b]


METHODS: dict[Any, dict[str, Callable[..., Value]]] = {
    list: {
        "append": _append,
        "extend": _extend,
        "insert": _insert,
        "pop": _pop,
        "remove": _remove,
        "reverse": _reverse,
        "sort": _sort,
        "clear": _clear_list,
        "__setitem__": _set_item,
        "__delitem__": _delete_item,
        "__iadd__": _extend,
        "__imul__": _multiply,
    },
    deque: {
        "append": _append,
        "appendleft": _append_left,
        "extend": _extend,
        "extendleft": _extend_left,
        "insert": _insert,
        "pop": _pop,
        "popleft": _pop_left,
        "remove": _remove,
        "reverse": _reverse,
        "rotate": _rotate,
        "clear": _clear_list,
        "__setitem__": _set_item,
        "__delitem__": _delete_item,
        "__iadd__": _extend,
    },
    dict: {
        "__setitem__": _set_entry,
        "__delitem__": _delete_entry,
        "pop": _pop_entry,
        "popitem": _pop_last,
        "setdefault": _set_default,
        "update": _update,
        "clear": _clear_dict,
        "__ior__": _update,
    },
    set: {
        "add": _members(_union),
        "discard": _members(_difference),
        "remove": _members(_difference),
        "update": _several(_union),
        "difference_update": _several(_difference),
        "intersection_update": _several(_intersection),
        "clear": _members(lambda a, b: []),
        "__ior__": _several(_union),
        "__iand__": _several(_intersection),
        "__isub__": _several(_difference),
    },
}
"""The methods that change, by class."""


# ------------------------------------------------------------------ making


def new_defaultdict(
    spec: Specialiser, args: Args, words: Words, node: ast.AST
) -> Value | None:
    """``defaultdict(factory, entries)``."""
    from s2sad.frontend.specialise.cells import new_cell, set_name
    from s2sad.frontend.specialise.exceptions import Changes

    if defaultdict not in spec.changing:
        raise Changes(defaultdict)
    cell = new_cell(spec, defaultdict, spec.title)
    _store_entries(spec, cell, {})
    set_name(spec, cell, FACTORY, args[0] if args else NONE)
    if len(args) > 1 or words:
        _update(spec, cell, args[1:], words, node)
    return cell


def new_deque(
    spec: Specialiser, args: Args, words: Words, node: ast.AST
) -> Value | None:
    """``deque(items, maxlen)``."""
    from s2sad.frontend.specialise.cells import new_cell, set_name
    from s2sad.frontend.specialise.exceptions import Changes

    if deque not in spec.changing:
        raise Changes(deque)
    cell = new_cell(spec, deque, spec.title)
    set_content(spec, cell, aggregate_of((), list))
    limit = args[1] if len(args) > 1 else words.get("maxlen", NONE)
    if limit != NONE:
        set_name(spec, cell, LIMIT, limit)
    items = args[0] if args else words.get("iterable")
    if items is not None:
        _extend(spec, cell, (items,), {}, node)
    return cell
