"""Operations on the lists in a list, as functions of the IR: one element costs the same
whatever the length of the list that it stands in.

The front end reads and changes a list in a list as a whole;
:mod:`s2sad.transform.memory.inner_lists` says where these stand for that. The last
three belong to the cotangent, a list of rows (:mod:`s2sad.ops.rows`)."""

from typing import Any

import numpy as np

from s2sad.ops.lists import appended, with_item_added, with_item_stored, without_item


def item_within(lists: Any, place: int, index: int) -> Any:
    """``lists[place][index]``, a number."""
    return lists[place][index]


def with_item_stored_within(lists: Any, place: int, index: int, item: Any) -> Any:
    """``lists`` after ``lists[place][index] = item``."""
    changed = _with_own(lists, place)
    changed[place][index] = item
    return changed


def appended_within(lists: Any, place: int, item: Any) -> Any:
    """``lists`` after ``lists[place].append(item)``."""
    changed = _with_own(lists, place)
    changed[place].append(item)
    return changed


def without_item_within(lists: Any, place: int, index: int) -> Any:
    """``lists`` after ``lists[place].pop(index)``; the index is 0 or -1."""
    changed = _with_own(lists, place)
    changed[place].pop(index)
    return changed


def added_within(lists: Any, place: int, index: int, amount: Any) -> Any:
    """``lists`` after ``lists[place][index] += amount``."""
    changed = _with_own(lists, place)
    changed[place][index] += amount
    return changed


OF_ONE_LIST: dict[Any, Any] = {
    with_item_stored_within: with_item_stored,
    appended_within: appended,
    without_item_within: without_item,
    added_within: with_item_added,
}
"""For each change of a list in a list: that of the list by itself."""
CHANGES_WITHIN = tuple(OF_ONE_LIST)


def with_zero_element(rows: Any, place: int, index: int) -> Any:
    """``rows`` with a zero at ``index`` of one of them."""
    changed = _with_own(rows, place)
    changed[place][index] = 0.0
    return changed


def with_shorter_row(rows: Any, place: int, index: int) -> Any:
    """``rows`` with one of them without its first element or, for -1, its last."""
    changed = list(rows)
    changed[place] = changed[place][1:] if index == 0 else changed[place][:-1]
    return changed


def with_longer_row(rows: Any, place: int, index: int) -> Any:
    """``rows`` with a zero more in one of them, ahead or, for -1, at the end."""
    changed = list(rows)
    row = changed[place]
    changed[place] = np.insert(row, 0 if index == 0 else len(row), 0.0)
    return changed


CHANGES_WITHIN_ROWS = (with_zero_element, with_shorter_row, with_longer_row)
"""The operations that change the elements of a row."""


def _with_own(lists: Any, place: int) -> Any:
    """A copy of a list in which one item is a copy, too."""
    changed = list(lists)
    changed[place] = changed[place].copy()
    return changed
