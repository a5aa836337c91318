"""Operations on lists whose length is known only when the program runs, as functions of
the IR.

A list is treated by value: ``appended`` gives a new list. The emitter writes
``items.append(item)`` where nobody else can see the old one, see
:mod:`s2sad.optimise.buffers.own_lists`. The cotangent of a list is an array whose first
axis runs along the list or, where items may differ in shape, a list of rows
(:mod:`s2sad.ops.rows`); its tangent is a list."""

from collections import deque
from typing import Any

import numpy as np


def new_list() -> list[Any]:
    """``[]``."""
    return []


def list_of(items: list[Any]) -> list[Any]:
    """``[a, b, c]``, of which the length isn't followed any more."""
    return items


def tuple_of(items: tuple[Any, ...]) -> tuple[Any, ...]:
    """``(a, b, c)``, of which the length isn't followed any more."""
    return items


def appended(items: list[Any], item: Any, position: Any = None) -> list[Any]:
    """``items`` with ``item`` at its end; its place there is ``position``, where that
    is known."""
    return [*items, item]


def with_inserted_item(items: Any, place: int, item: Any) -> Any:
    """``items`` after ``items.insert(place, item)``."""
    return [*items[:place], item, *items[place:]]


def without_item(items: Any, place: int, taken: Any = None) -> Any:
    """``items`` after ``items.pop(place)``, which gives ``taken``."""
    longer = list(items)
    longer.pop(place)
    return longer


def with_item_stored(items: Any, place: int, item: Any, old: Any = None) -> Any:
    """``items`` after ``items[place] = item``; ``old`` is what stood there, if items
    may differ in shape."""
    changed = list(items)
    changed[place] = item
    return changed


def place_in_list(value: Any) -> int:
    """A value of data where it is the index of a list: Python says so where it is
    none."""
    place: int = value
    return place


def place_of_object(reference: Any) -> int:
    """The place of an object in the lists of its class; it isn't None there."""
    place: int = reference
    return place


def zero_inserted(cotangent: Any, place: int) -> Any:
    """The cotangent of a list before an item was taken from ``place`` of it."""
    return np.insert(cotangent, place, 0.0, axis=0)


def zero_appended(cotangent: Any) -> Any:
    """The cotangent of a list before its last item was taken."""
    return np.insert(cotangent, len(cotangent), 0.0, axis=0)


def without_place(cotangent: Any, place: int) -> Any:
    """The cotangent of a list before an item was put to ``place`` of it."""
    return np.delete(cotangent, place, axis=0)


def with_item_added(items: Any, place: int, amount: Any) -> Any:
    """``items`` after ``items[place] += amount``."""
    changed = list(items)
    changed[place] += amount
    return changed


def with_row_added(rows: Any, place: int, amounts: Any) -> Any:
    """``rows`` after ``rows[place] += amounts``, number by number."""
    changed = list(rows)
    changed[place] = [a + b for a, b in zip(rows[place], amounts, strict=True)]
    return changed


def as_deque(items: Any = ()) -> Any:
    """``deque(items)``, see :mod:`s2sad.optimise.deques`."""
    return deque(items)


def with_first(items: Any, item: Any) -> Any:
    """``items`` after ``items.appendleft(item)``."""
    return deque([item, *items])


def without_first(items: Any) -> Any:
    """``items`` after ``items.popleft()``."""
    shorter = deque(items)
    shorter.popleft()
    return shorter


LIST_CHANGES = (
    appended,
    with_first,
    without_first,
    with_inserted_item,
    without_item,
    with_item_stored,
    with_item_added,
    with_row_added,
)
"""The operations that change a list."""


def without_last(cotangent: Any) -> Any:
    """The cotangent of a list before its last item was appended: ``cotangent[:-1]``."""
    return cotangent[:-1]


def tuple_with(items: tuple[Any, ...], item: Any) -> tuple[Any, ...]:
    """``(*items, item)``."""
    return (*items, item)


def extended(items: list[Any], more: Any) -> list[Any]:
    """``items`` after ``items += more``: ``joined_lists``, where nobody sees the
    shorter list any more."""
    return [*items, *more]


def joined_lists(first: Any, second: Any) -> list[Any]:
    """``[*first, *second]``."""
    return [*first, *second]


def joined_tuples(first: Any, second: Any) -> tuple[Any, ...]:
    """``(*first, *second)``."""
    return (*first, *second)


def repeated(items: Any, count: int) -> Any:
    """``items * count``."""
    return items * count


def column_of(rows: Any, *keys: Any) -> list[Any]:
    """``[row[key] for row in rows]``; with more keys, deeper."""
    column = list(rows)
    for key in keys:
        column = [row[key] for row in column]
    return column


def as_tuple(items: Any) -> tuple[Any, ...]:
    """``tuple(items)``, which is read like a list."""
    return tuple(items)


def as_list(items: Any) -> list[Any]:
    """``list(items)``."""
    return list(items)


def zeros_along(items: list[Any], dtype: Any = float) -> Any:
    """An array of zeros with the shape of ``np.array(items)``."""
    return np.zeros(np.shape(items), dtype)


def shaped_as_items(value: Any, items: list[Any]) -> Any:
    """``value`` in the shape of ``np.array(items)``, which has as many elements."""
    return np.reshape(value, np.shape(items))


def zero_numbers(items: Any) -> list[float]:
    """``[0.0] * len(items)``; the length itself may be given."""
    return [0.0] * (items if isinstance(items, int) else len(items))


def numbers_of(array: Any) -> list[float]:
    """``array.tolist()``, of an array with one axis."""
    numbers: list[float] = array.tolist()
    return numbers


def zero_items(items: Any) -> Any:
    """A list or tuple of zeros, one for each item and of its shape; a number may be
    None.

    >>> zero_items([(1.0, None), ()])
    [(0.0, 0.0), ()]
    """
    of_lists = (list, tuple)
    return type(items)(
        [
            zero_items(i) if isinstance(i, of_lists) else 0.0 if i is None else 0.0 * i
            for i in items
        ]
    )


def index_of_first(items: list[Any], value: Any) -> int:
    """``items.index(value)``."""
    return items.index(value)


def count_of_range(start: int, stop: int, step: int) -> int:
    """``len(range(start, stop, step))``."""
    return len(range(start, stop, step))


def contains(item: Any, container: Any) -> bool:
    """``item in container``, in the order of the text."""
    return item in container
