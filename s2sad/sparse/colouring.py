"""Colouring: groups of columns of which no two have an entry in the same row.

Columns of one colour can be summed, and each entry of them still be read from the sum.
Few colours are few sweeps. Greedy colouring in two orders, of which the better is
taken: the natural order, best for bands, and the fullest columns first. Sources:
Curtis, Powell and Reid, On the estimation of sparse Jacobian matrices (1974); Coleman
and Moré, Estimation of sparse Jacobian matrices and graph coloring problems (1983);
Gebremedhin, Manne and Pothen, What color is your Jacobian? (2005), sections 3 and 4.

>>> from scipy.sparse import diags_array
>>> band = diags_array([1.0] * 3, offsets=(-1, 0, 1), shape=(6, 6), format="csr")
>>> column_colours(band)
array([0, 1, 2, 0, 1, 2])
"""

from typing import Any

import numpy as np


def column_colours(pattern: Any) -> np.ndarray:
    """A colour for each column of a ``csr_array``, counted from 0; -1 for columns
    without an entry."""
    by_column = pattern.tocsc()
    bounds, rows = by_column.indptr, by_column.indices
    counts = np.diff(bounds)
    fewest = int(np.diff(pattern.indptr).max(initial=0))
    """No colouring has fewer colours than a row has entries."""
    found = _greedy(np.flatnonzero(counts), bounds, rows, pattern.shape)
    if found.max(initial=-1) + 1 > fewest and len(set(counts[counts > 0])) > 1:
        order = np.argsort(-counts, kind="stable")
        other = _greedy(order[counts[order] > 0], bounds, rows, pattern.shape)
        if other.max(initial=-1) < found.max(initial=-1):
            found = other
    return found


def symmetric_colours(pattern: Any) -> tuple[np.ndarray, np.ndarray]:
    """Colours of the columns of a symmetric matrix, and which of them are *whole*: each
    of these has a colour of its own, so that by symmetry its row is known as well, and
    the others are coloured as if this row weren't there. Few full rows then don't spoil
    the rest, as in an arrow head. (This is a star colouring, by rows taken out; Coleman
    and Moré, Estimation of sparse Hessian matrices and graph coloring problems, 1984.)

    >>> from scipy.sparse import csr_array
    >>> arrow = np.eye(6, dtype=bool)
    >>> arrow[0] = arrow[:, 0] = True
    >>> colours, whole = symmetric_colours(csr_array(arrow))
    >>> colours, np.flatnonzero(whole)
    (array([0, 1, 1, 1, 1, 1]), array([0]))
    """
    from scipy.sparse import diags_array

    plain = column_colours(pattern)
    whole = np.zeros(pattern.shape[1], bool)
    counts = np.diff(pattern.indptr)
    order = np.argsort(-counts, kind="stable")
    fewest = np.arange(len(order)) + counts[order]
    """If so many of the fullest rows are taken out: no fewer colours, about."""
    taken = int(np.argmin(fewest)) if len(order) else 0
    if taken == 0 or fewest[taken] > plain.max(initial=-1):
        return plain, whole
    whole[order[:taken]] = True
    rest = diags_array((~whole).astype(float), format="csr")
    left = (rest @ pattern.astype(float) @ rest).tocsr()
    left.eliminate_zeros()
    colours = column_colours(left)
    colours[colours >= 0] += taken
    colours[order[:taken]] = np.arange(taken)
    # columns that have entries in rows taken out alone need no colour
    if colours.max(initial=-1) >= plain.max(initial=-1):
        return plain, np.zeros_like(whole)
    return colours, whole


def _greedy(
    order: np.ndarray, bounds: np.ndarray, rows: np.ndarray, shape: tuple[int, int]
) -> np.ndarray:
    """Each column in turn gets the first colour that none of its rows has.

    The colours that a row has are the bits of an int.
    """
    taken = [0] * shape[0]
    starts, own = bounds.tolist(), rows.tolist()
    colours = np.full(shape[1], -1)
    found = []
    for column in order.tolist():
        mine = own[starts[column] : starts[column + 1]]
        used = 0
        for row in mine:
            used |= taken[row]
        bit = ~used & (used + 1)
        for row in mine:
            taken[row] |= bit
        found.append(bit.bit_length() - 1)
    colours[order] = found
    return colours


def seeds_of(colours: np.ndarray, first: int, last: int, dtype: Any) -> np.ndarray:
    """For each colour from ``first`` to ``last``, the sum of the unit vectors of its
    columns.

    >>> seeds_of(np.array([0, 1, 0]), 0, 2, float)
    array([[1., 0., 1.],
           [0., 1., 0.]])
    """
    seeds = np.zeros((last - first, len(colours)), dtype)
    (columns,) = np.nonzero((colours >= first) & (colours < last))
    seeds[colours[columns] - first, columns] = 1
    return seeds
