"""Cotangents of lists whose items differ in shape: lists of arrays."""

from typing import Any

import numpy as np

from s2sad.ops.runtime.broadcasting import sum_to_shape_of


def add_to_rows(rows: Any, amounts: Any) -> None:
    """Add to each row, in place.

    >>> rows = [np.zeros(1), np.zeros(2)]
    >>> add_to_rows(rows[1:], [np.ones(2)])
    >>> rows
    [array([0.]), array([1., 1.])]
    """
    for row, amount in zip(rows, amounts, strict=True):
        if isinstance(row, list):
            add_to_rows(row, amount)
        else:
            row += amount


def rows_of_terms(cotangent: Any, terms: Any) -> Any:
    """The cotangents of arrays, from that of their sum.

    >>> rows_of_terms(np.ones(2), [np.zeros(1), np.zeros(2)])
    [array([2.]), array([1., 1.])]
    """
    return [np.full_like(term, sum_to_shape_of(cotangent, term)) for term in terms]


def sum_of_rows(rows: Any, like: Any) -> Any:
    """The sum of the rows, each spread out to the shape of ``like``.

    >>> sum_of_rows([np.ones(1), np.ones(2)], np.zeros(2))
    array([2., 2.])
    """
    total = np.zeros(np.shape(like))
    for row in rows:
        total = total + row
    return total


def sum_of_repeats(rows: Any, items: Any) -> Any:
    """The cotangents of the items of a list, from those of the list repeated.

    >>> sum_of_repeats([np.ones(1), np.ones(2), np.ones(1), np.ones(2)], [1, 2])
    [array([2.]), array([2., 2.])]
    """
    return [_sum(rows[k :: len(items)], item) for k, item in enumerate(items)]


def repeated_rows(rows: Any, count: int) -> Any:
    """``rows * count``, each row in memory of its own."""
    return [np.array(row) for row in rows * count]


def stacked_rows(rows: Any, items: Any) -> Any:
    """Each row as one array, of the shape of the list that it belongs to.

    >>> stacked_rows([[np.ones(1), np.ones(1)]], [[np.zeros(1), np.zeros(1)]])
    [array([[1.],
           [1.]])]
    """
    pairs = zip(rows, items, strict=True)
    return [np.array(np.reshape(row, np.shape(item))) for row, item in pairs]


def rows_apart(rows: Any) -> Any:
    """Each row as a list of the arrays that stand in it.

    >>> rows_apart([np.ones((2, 1))])
    [[array([1.]), array([1.])]]
    """
    return [[np.array(part) for part in row] for row in rows]


def with_zeros_behind(cotangent: Any) -> Any:
    """An array with zeros behind the last item along its first axis.

    >>> with_zeros_behind(np.ones((1, 2)))
    array([[1., 1.],
           [0., 0.]])
    """
    return np.insert(cotangent, len(cotangent), 0.0, axis=0)


def _sum(rows: Any, item: Any) -> Any:
    """The sum of some rows; of none, zeros of the shape of the item."""
    total = np.zeros(np.shape(item))
    for row in rows:
        total = total + row
    return total
