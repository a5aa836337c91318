"""Methods that change lists and deques; see ``container_methods``."""

import operator
from collections.abc import Callable
from functools import partial

from s2sad import rules
from s2sad.frontend.library.lists import turned
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import displays, list_changes
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import cells, places
from s2sad.frontend.specialise.iteration.iteration import drive

NONE = core.constant(None)
LIMIT = "maxlen"
"""The name under which a deque holds its greatest length."""
FEW_STEPS = 2
"""By how many steps a deque is turned item by item."""


def _append(spec: Specialiser, cell: core.Cell, args: Args, words: Words) -> core.Value:
    (item,) = args
    _extended(spec, cell, core.aggregate_of((item,), list))
    return NONE


def _extend(spec: Specialiser, cell: core.Cell, args: Args, words: Words) -> core.Value:
    (other,) = args
    if one_by_one(
        spec,
        other,
        lambda item: _extended(spec, cell, core.aggregate_of((item,), list)),
    ):
        return NONE
    _extended(spec, cell, displays.unpacked_value(spec, spec.contents(other)))
    return NONE


def one_by_one(
    spec: Specialiser, items: core.Value, add: Callable[[core.Value], None]
) -> bool:
    """Add what an iterator gives as it gives it: a generator may read what was added
    before. False for what isn't an iterator."""
    lazy = spec.own_iterator(items) or items
    if not isinstance(lazy, core.Lazy) or lazy.what == "range":
        return False
    drive(spec, spec.iterate(lazy), add, set())
    return True


def _extended(spec: Specialiser, cell: core.Cell, more: core.Value) -> None:
    limit = cells.read_name(spec, cell, LIMIT)
    if limit is not None and isinstance(more, core.Aggregate) and len(more.items) > 1:
        if not _are_known(spec.content_of(cell), limit):
            for item in more.items:
                _extended(spec, cell, core.aggregate_of((item,), list))
            return
    longer = list_changes.extended(spec, spec.content_of(cell), more)
    spec.set_content(cell, longer, shifted=limit is not None)
    if limit is not None:
        _shortened(spec, cell, limit, _is_item(more))


def _is_item(more: core.Value) -> bool:
    return isinstance(more, core.Aggregate) and len(more.items) == 1


def _are_known(content: core.Value, limit: core.Value) -> bool:
    """True for items that are followed one by one, as many as are known to stay."""
    return isinstance(content, core.Aggregate) and rules.is_static(core.kind_of(limit))


def _shortened(
    spec: Specialiser,
    cell: core.Cell,
    limit: core.Value,
    by_one: bool,
    left: bool = False,
) -> None:
    """A deque with a greatest length that got items, or one, on its right or left drops
    those at its other end."""
    content = spec.content_of(cell)
    if isinstance(content, core.Aggregate) and _are_known(content, limit):
        count = rules.static_value(core.kind_of(limit))
        last = content.items[-count:] if count else ()
        kept = content.items[:count] if left else last
        return spec.set_content(cell, core.aggregate_of(kept, list))
    length = spec.call_function(len, (content,), {})
    if not by_one:
        excess = spec.operate(operator.sub, (length, limit))
        count = spec.call_function(max, (excess, core.constant(0)), {})
        dropped = core.slice_of(NONE, count, NONE)
        if left:
            dropped = core.slice_of(limit, NONE, NONE)
        rest = list_changes.without_slice(spec, content, dropped)
        return spec.set_content(cell, rest)
    test = spec.operate(operator.gt, (length, limit))

    def drop() -> None:
        end = core.constant(-1 if left else 0)
        _pop(spec, cell, (end,), {})

    spec.choose(test, drop, lambda: None)


def _insert(spec: Specialiser, cell: core.Cell, args: Args, words: Words) -> core.Value:
    place, item = args
    _check_no_limit(cell, "insert")
    content = spec.content_of(cell)
    spec.set_content(cell, list_changes.with_inserted(spec, content, place, item))
    return NONE


def _check_no_limit(cell: core.Cell, name: str) -> None:
    if LIMIT in cell.frame.names:
        raise core.Unsupported(
            f"{name} of a deque with a maxlen", "use append, or no maxlen"
        )


def _append_left(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    (item,) = args
    _put_in_front(spec, cell, core.aggregate_of((item,), list))
    return NONE


def _put_in_front(spec: Specialiser, cell: core.Cell, first: core.Value) -> None:
    content = spec.content_of(cell)
    if isinstance(first, core.Aggregate) and len(first.items) == 1:
        (item,) = first.items
        longer = list_changes.with_inserted(spec, content, core.constant(0), item)
    else:
        longer = list_changes.extended(spec, first, content)
    spec.set_content(cell, longer)
    limit = cells.read_name(spec, cell, LIMIT)
    if limit is not None:
        _shortened(spec, cell, limit, _is_item(first), left=True)


def _pop(spec: Specialiser, cell: core.Cell, args: Args, words: Words) -> core.Value:
    place = args[0] if args else core.constant(-1)
    content = spec.content_of(cell)
    item, rest = list_changes.popped(spec, content, place)
    item = places.frozen(spec, cells.held_content(spec, item, cell))
    spec.set_content(cell, rest)
    return item


def _pop_left(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    return _pop(spec, cell, (core.constant(0),), words)


def _remove(spec: Specialiser, cell: core.Cell, args: Args, words: Words) -> core.Value:
    content = spec.content_of(cell)
    place = list_changes.place_of(spec, content, args[0])
    _, rest = list_changes.popped(spec, content, place)
    spec.set_content(cell, rest)
    return NONE


def _reverse(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    spec.set_content(cell, list_changes.reversed_items(spec, spec.content_of(cell)))
    return NONE


def _sort(spec: Specialiser, cell: core.Cell, args: Args, words: Words) -> core.Value:

    ordered = spec.call_function(sorted, (spec.content_of(cell),), words)
    spec.set_content(cell, ordered)
    return NONE


def _clear_list(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    spec.set_content(cell, core.aggregate_of((), list))
    return NONE


def _set_item(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    place, item = args
    content = spec.content_of(cell)
    if core.is_slice(place):
        item = displays.unpacked_value(spec, spec.contents(item))
        made = list_changes.with_slice(spec, content, place, item)
        spec.set_content(cell, made)
    else:
        if cell.frame.place is None and places.holds_places(spec, content):
            places.note_replaced(cell)
        made = list_changes.with_item_at(spec, content, place, item)
        spec.set_content(cell, made, resized=False)
    return NONE


def _delete_item(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    (place,) = args
    content = spec.content_of(cell)
    if core.is_slice(place):
        rest = list_changes.without_slice(spec, content, place)
    else:
        _, rest = list_changes.popped(spec, content, place)
    spec.set_content(cell, rest)
    return NONE


def _multiply(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:

    _check_no_limit(cell, "*=")
    longer = spec.operate(operator.mul, (spec.content_of(cell), *args))
    spec.set_content(cell, longer)
    return NONE


def _append_left_item(spec: Specialiser, cell: core.Cell, item: core.Value) -> None:
    _append_left(spec, cell, (item,), {})


def _extend_left(
    spec: Specialiser, cell: core.Cell, args: Args, words: Words
) -> core.Value:
    if one_by_one(spec, args[0], partial(_append_left_item, spec, cell)):
        return NONE
    more = displays.unpacked_value(spec, spec.contents(args[0]))
    _put_in_front(spec, cell, list_changes.reversed_items(spec, more))
    return NONE


def _rotate(spec: Specialiser, cell: core.Cell, args: Args, words: Words) -> core.Value:
    content = spec.content_of(cell)
    steps = args[0] if args else core.constant(1)
    known = rules.is_static(core.kind_of(steps))
    if not isinstance(content, core.Aggregate) or not known:
        count = rules.static_value(core.kind_of(steps)) if known else 0
        if isinstance(content, core.Leaf) and 0 < abs(count) <= FEW_STEPS:
            _turn(spec, cell, content, count)
            return NONE
        made = list_changes.rearranged(spec, turned, content, steps)
        spec.set_content(cell, made)
        return NONE
    items = content.items
    count = rules.static_value(core.kind_of(steps)) % len(items) if items else 0
    moved = items[len(items) - count :] + items[: len(items) - count]
    spec.set_content(cell, core.aggregate_of(moved, list), resized=False)
    return NONE


def _turn(spec: Specialiser, cell: core.Cell, content: core.Leaf, steps: int) -> None:
    """Items go round one by one, so that a few don't move all others."""
    place, other = core.constant(-1 if steps > 0 else 0), core.constant(0)

    def once() -> None:
        item, rest = list_changes.popped(spec, spec.content_of(cell), place)
        if steps > 0:
            turned = list_changes.with_inserted(spec, rest, other, item)
        else:
            more = core.aggregate_of((item,), list)
            turned = list_changes.extended(spec, rest, more)
        spec.set_content(cell, turned)

    def turn() -> None:
        for _ in range(abs(steps)):
            once()

    length = spec.apply(len, (content,), hint="count")
    test = spec.operate(operator.gt, (length, core.constant(0)))
    spec.choose(test, turn, lambda: None)


METHODS_OF_LISTS: dict[str, Callable[..., core.Value]] = {
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
}
"""What changes a list."""
METHODS_OF_DEQUES: dict[str, Callable[..., core.Value]] = {
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
}
"""What changes a deque."""
