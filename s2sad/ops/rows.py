"""Operations on the cotangents of lists whose items may differ in shape, as functions
of the IR.

Such a cotangent is a list of *rows*: the cotangents of the items, arrays or again lists
of rows. It is a buffer like an array: no row is held by anybody else, and what is
written here as a new value is emitted as ``rows_bar[k] += v`` or ``rows_bar.pop()``.
``like`` is a value of the shape that a row of zeros gets, or its length.
"""

from typing import Any

import numpy as np

from s2sad.ops.inner_lists import CHANGES_WITHIN_ROWS


def _zeros(like: Any) -> Any:
    if isinstance(like, list | tuple) and any(np.ndim(item) > 0 for item in like):
        return [_zeros(item) for item in like]
    if isinstance(like, int):
        return np.zeros(like)
    return np.zeros(np.shape(like))


def zero_rows(items: Any) -> list[Any]:
    """``[np.zeros_like(item) for item in items]``."""
    return [_zeros(item) for item in items]


def zero_lists(items: Any) -> list[Any]:
    """``[[0.0] * len(item) for item in items]``."""
    return [[0.0] * len(item) for item in items]


def own_rows(rows: list[Any]) -> list[Any]:
    """The rows in memory of their own: ``[row.copy() for row in rows]``."""
    return [own_rows(r) if isinstance(r, list) else np.array(r) for r in rows]


def added_rows(first: list[Any], second: list[Any]) -> list[Any]:
    """The sums of the rows."""
    pairs = zip(first, second, strict=True)
    return [added_rows(a, b) if isinstance(a, list) else a + b for a, b in pairs]


def rows_of(array: Any) -> list[Any]:
    """``list(array)``: the rows of an array, which show its memory."""
    return list(array)


def in_lists(cotangent: Any, items: Any) -> list[Any]:
    """The cotangent of a list as a list of the structure of ``items``: of Python's
    numbers where these are, ``cotangent.tolist()``, of lists and tuples."""
    return [
        type(item)(in_lists(row, item))
        if isinstance(item, list | tuple)
        else float(row)
        if isinstance(item, float) and not isinstance(item, np.generic)
        else row
        for row, item in zip(cotangent, items, strict=True)
    ]


def without_row(rows: list[Any], place: int, like: Any) -> list[Any]:
    """``rows`` after ``rows.pop(place)``. The row that is taken has the shape of
    ``like``."""
    shorter = list(rows)
    shorter.pop(place)
    return shorter


def with_row(rows: list[Any], place: int, like: Any) -> list[Any]:
    """``rows`` with a row of zeros more, which then stands at ``place``."""
    longer = list(rows)
    longer.insert(len(rows) if place == -1 else place, _zeros(like))
    return longer


def with_zero_row(rows: list[Any], place: int, like: Any, before: Any) -> list[Any]:
    """``rows`` with zeros at ``place``, where something of the shape of ``before``
    stood."""
    changed = list(rows)
    changed[place] = _zeros(like)
    return changed


CHANGES_OF_ROWS = (without_row, with_row, with_zero_row, *CHANGES_WITHIN_ROWS)
"""The operations that change the rows that a cotangent holds."""
