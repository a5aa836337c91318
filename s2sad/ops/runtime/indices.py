"""Index arrays that the cotangents of rearranging functions are scattered to."""

from typing import Any

import numpy as np


def index_along_axis(indices: Any, x: Any, axis: int) -> Any:
    """The index with which ``x[index]`` is ``np.take_along_axis(x, indices, axis)``."""
    rank = np.ndim(x)
    index: list[Any] = []
    for k, length in enumerate(np.shape(x)):
        shape = (1,) * k + (-1,) + (1,) * (rank - k - 1)
        index.append(np.reshape(np.arange(length), shape))
    index[axis % rank] = indices
    return tuple(index)


def reshape_gives_view(elements: Any, shape: Any) -> bool:
    """Whether ``np.reshape(x, shape)`` is a view of ``x``, the elements of which have
    these places in memory; for one axis (-1) ``np.reshape(x, -1)``.

    >>> columns = np.arange(6).reshape(2, 3).T
    >>> reshape_gives_view(columns, (2, 3)), reshape_gives_view(columns, (3, 1, 2))
    (False, True)
    """
    array = _with_strides_of(elements)
    return np.may_share_memory(np.reshape(array, shape), array)


def stands_by_rows(elements: Any) -> bool:
    """Whether ``np.ravel(x)`` is a view of ``x``, the elements of which have these
    places in memory.

    >>> stands_by_rows(np.arange(4)[1:]), stands_by_rows(np.arange(4)[::-1])
    (True, False)
    """
    return bool(_with_strides_of(elements).flags.c_contiguous)


def _with_strides_of(elements: Any) -> Any:
    """An array of bytes, of any values, laid out in memory as the places say."""
    if not elements.size:
        return np.empty(elements.shape, np.int8)
    corner = (0,) * elements.ndim
    strides = []
    for axis, length in enumerate(elements.shape):
        second = corner[:axis] + (min(length - 1, 1),) + corner[axis + 1 :]
        strides.append(int(elements[second] - elements[corner]))
    memory = np.empty(np.ptp(elements) + 1, np.int8)
    first = memory[elements[corner] - np.min(elements) :]
    return np.lib.stride_tricks.as_strided(first, elements.shape, strides)


def place_of_insertion(place: int, length: int) -> int:
    """Where ``items.insert(place, item)`` puts the item, in a list of this length.

    >>> place_of_insertion(-1, 3), place_of_insertion(9, 3)
    (2, 3)
    """
    return min(max(place + length if place < 0 else place, 0), length)


def end_of_slice(start: int, stop: int, length: int) -> int:
    """Where ``items[start:stop]`` of a list of this length ends, which is nowhere
    before its start.

    >>> end_of_slice(1, -1, 4), end_of_slice(3, 1, 4)
    (3, 3)
    """
    first, last, _ = slice(start, stop).indices(length)
    return max(first, last)


def first_of_slice(start: Any, stop: Any, step: int, length: int) -> int:
    """The first place of ``items[start:stop:step]`` of a list of this length.

    >>> first_of_slice(None, None, -2, 4)
    3
    """
    return slice(start, stop, step).indices(length)[0]


def count_of_slice(start: Any, stop: Any, step: int, length: int) -> int:
    """The number of places of ``items[start:stop:step]`` of a list of this length.

    >>> count_of_slice(1, None, 2, 6)
    3
    """
    return len(range(*slice(start, stop, step).indices(length)))


def last_writes(x: Any, index: Any) -> Any:
    """For each element that ``x[index]`` names, whether nothing later in the index
    names it again: it keeps what ``x[index] = value`` stores.

    >>> last_writes(np.zeros(3), [0, 2, 0])
    array([False,  True,  True])
    """
    places = np.empty(np.shape(x), int)
    numbers = np.arange(np.size(places[index])).reshape(np.shape(places[index]))
    places[index] = numbers
    return places[index] == numbers


def diagonal_index(x: Any, offset: int) -> Any:
    """The index of a diagonal of the last two axes.

    >>> np.arange(6.0).reshape(2, 3)[diagonal_index(np.zeros((2, 3)), 1)]
    array([1., 5.])
    """
    rows, columns = np.shape(x)[-2:]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    steps = np.arange(length)
    return ..., steps - min(offset, 0), steps + max(offset, 0)


def place_of_item(index: int, length: int) -> int:
    """Which of ``length`` items an index means, counted from 0.

    >>> place_of_item(-1, 3)
    2
    """
    return range(length)[index]


def padded_places(length: int, before: int, behind: int, mode: str) -> Any:
    """The places of an axis that stand in it when ``np.pad`` has made it longer.

    >>> padded_places(3, 1, 2, "reflect")
    array([1, 0, 1, 2, 1, 0])
    """
    return np.pad(np.arange(length), (before, behind), mode)  # type: ignore[call-overload]


def inserted_places(length: int, places: Any, count: int) -> Any:
    """Where so many values come from when ``np.insert`` puts them in front of these
    places: they are numbered behind the ``length`` others.

    >>> inserted_places(3, [0, 2], 2)
    array([3, 0, 1, 4, 2])
    """
    return np.insert(np.arange(length), places, np.arange(length, length + count))


def kept_places(length: int, places: Any) -> Any:
    """The places that ``np.delete`` leaves.

    >>> kept_places(4, slice(1, 3))
    array([0, 3])
    """
    return np.delete(np.arange(length), places)
