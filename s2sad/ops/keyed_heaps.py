"""Operations on the heap of a heap of items, as functions of the IR.

The items of a heap stay where they were first put, in a list that only grows, which
carries the derivative. The heap itself holds a key for each of them: the parts of the
item, and an empty range that begins at its place. All empty ranges are equal, so that
keys are ordered as the items are, those of items that tie included.
"""

import heapq
from typing import Any

Keys = list[tuple[Any, ...]]


def new_keys() -> Keys:
    """``[]``."""
    return []


def key_of(parts: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    """The key of an item.

    >>> key_of((0.5, "arrival"), 3) < key_of((0.5, "arrival"), 2)
    False
    """
    return (*parts, range(place, 0))


def key_pushed(keys: Keys, parts: tuple[Any, ...], place: int) -> Keys:
    """``keys`` after ``heapq.heappush(keys, key_of(parts, place))``."""
    more = keys.copy()
    heapq.heappush(more, key_of(parts, place))
    return more


def key_replaced(keys: Keys, parts: tuple[Any, ...], place: int) -> Keys:
    """``keys`` after ``heapq.heapreplace(keys, key_of(parts, place))``."""
    changed = keys.copy()
    heapq.heapreplace(changed, key_of(parts, place))
    return changed


def without_first_key(keys: Keys) -> Keys:
    """``keys`` after ``heapq.heappop(keys)``."""
    fewer = keys.copy()
    heapq.heappop(fewer)
    return fewer


def first_place(keys: Keys) -> int:
    """The place of the first item.

    >>> first_place(key_pushed(key_pushed(new_keys(), (2.0,), 0), (1.0,), 1))
    1
    """
    return keys[0][-1].start


def number_of_keys(keys: Keys) -> int:
    """``len(keys)``."""
    return len(keys)


KEY_CHANGES = {
    key_pushed: heapq.heappush,
    key_replaced: heapq.heapreplace,
    without_first_key: heapq.heappop,
}
"""The operations that change a heap, as the emitter writes them."""
