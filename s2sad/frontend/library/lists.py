"""Changes of lists: ``heapq``, and methods of lists and deques.

The functions of heapq compare and move items as those of CPython do, so that a heap has
the same order afterwards.
"""

import heapq
from collections.abc import Callable
from typing import Any

from s2sad.frontend.library.texts import stands_for


@stands_for(heapq.heappush, always=True)
def heappush(heap: list[Any], item: Any) -> None:
    """``heapq.heappush(heap, item)``."""
    heap.append(item)
    moved_up(heap, 0, len(heap) - 1)


@stands_for(heapq.heappop, always=True)
def heappop(heap: list[Any]) -> Any:
    """``heapq.heappop(heap)``."""
    last = heap.pop()
    if heap:
        first = heap[0]
        heap[0] = last
        moved_down(heap, 0)
        return first
    return last


@stands_for(heapq.heapreplace, always=True)
def heapreplace(heap: list[Any], item: Any) -> Any:
    """``heapq.heapreplace(heap, item)``."""
    first = heap[0]
    heap[0] = item
    moved_down(heap, 0)
    return first


@stands_for(heapq.heappushpop, always=True)
def heappushpop(heap: list[Any], item: Any) -> Any:
    """``heapq.heappushpop(heap, item)``."""
    if heap and heap[0] < item:
        return heapreplace(heap, item)
    return item


@stands_for(heapq.heapify, always=True)
def heapify(heap: list[Any]) -> None:
    """``heapq.heapify(heap)``."""
    for place in reversed(range(len(heap) // 2)):
        moved_down(heap, place)


def moved_up(heap: list[Any], top: int, place: int) -> None:
    """Let an item change places with those above it that are larger."""
    item = heap[place]
    while place > top:
        above = (place - 1) // 2
        if not item < heap[above]:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


def moved_down(heap: list[Any], place: int) -> None:
    """Let the smaller item below take the place of each, down to the end, and the first
    item move up from there."""
    count, top, item = len(heap), place, heap[place]
    below = 2 * place + 1
    while below < count:
        if below + 1 < count and not heap[below] < heap[below + 1]:
            below = below + 1
        heap[place] = heap[below]
        place = below
        below = 2 * place + 1
    heap[place] = item
    moved_up(heap, top, place)


@stands_for(heapq.nsmallest, always=True)
def nsmallest(n: int, iterable: Any, key: Any = None) -> list[Any]:
    """``heapq.nsmallest(n, iterable, key)``."""
    return sorted(iterable, key=key)[: max(n, 0)]


@stands_for(heapq.nlargest, always=True)
def nlargest(n: int, iterable: Any, key: Any = None) -> list[Any]:
    """``heapq.nlargest(n, iterable, key)``."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def largest(items: Any) -> Any:
    """``max(items)`` of objects."""
    best = items[0]
    for item in items:
        if item > best:
            best = item
    return best


def smallest(items: Any) -> Any:
    """``min(items)`` of objects."""
    best = items[0]
    for item in items:
        if item < best:
            best = item
    return best


def place_of_object(items: Any, item: Any) -> int:
    """``items.index(item)`` of an object."""
    for place, other in enumerate(items):
        if other == item:
            return place
    raise ValueError("the object is not in the list")


def count_of_object(items: Any, item: Any) -> int:
    """``items.count(item)`` of an object."""
    return sum([1 if other == item else 0 for other in items])


def remove_object(items: Any, item: Any) -> None:
    """``items.remove(item)`` of an object."""
    del items[place_of_object(items, item)]


SEARCHES_FOR_OBJECTS: dict[str, Callable[..., Any]] = {
    "index": place_of_object,
    "count": count_of_object,
    "remove": remove_object,
}


# ------------------------------------------------------------------ lists


def turned(items: list[Any], steps: int) -> list[Any]:
    """A deque's items after ``rotate(steps)``."""
    count = len(items)
    if count == 0:
        return items
    start = -steps % count
    return items[start:] + items[:start]


def without_steps(items: list[Any], first: int, step: int, count: int) -> list[Any]:
    """The items after ``del items[first : end : step]`` of so many items."""
    return [
        item
        for place, item in enumerate(items)
        if (place - first) % step != 0 or not 0 <= (place - first) // step < count
    ]


def with_steps(
    items: list[Any], first: int, step: int, count: int, more: list[Any]
) -> list[Any]:
    """The items after ``items[first : end : step] = more`` of so many items."""
    if len(more) != count:
        raise ValueError("the slice has another length than what is stored into it")
    for place in range(count):
        items[first + step * place] = more[place]
    return items


def count_of(items: list[Any], item: Any) -> int:
    """``items.count(item)``."""
    count = 0
    for one in items:
        if one == item:
            count += 1
    return count


def made_of(cls: Any, iterable: Any) -> Any:
    """``cls._make(iterable)`` of a NamedTuple."""
    return cls(*iterable)


def rows_of(records: Any) -> list[Any]:
    """Tuples and lists of numbers as lists."""
    return [list(record) for record in records]
