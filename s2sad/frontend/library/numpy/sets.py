"""Arrays as sets. Values pass their derivative on to the elements they come from; of
elements that are equal each has its share."""

from typing import Any

import numpy as np

from s2sad.frontend.library.numpy.statistics import unique
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics import statistics

Counts: Any = type(np.unique_counts(np.ones(1)))
Inverse: Any = type(np.unique_inverse(np.ones(1)))
All: Any = type(np.unique_all(np.ones(1)))


def ordered_values(x):
    """The values in order, in which each nan counts."""
    ordered = np.sort(np.ravel(x))
    later = ordered[1:] != ordered[:-1]
    return ordered[np.concatenate((np.ones(min(1, len(ordered)), bool), later))]


@stands_for(np.unique_values)
def unique_values(x):
    """``np.unique_values(x)``, in NumPy's order, which it doesn't promise."""
    return ordered_values(x)[statistics.ranks_of_values(x)]


@stands_for(np.unique_counts)
def unique_counts(x):
    """``np.unique_counts(x)``."""
    return Counts(ordered_values(x), statistics.counts_of_values(x))


@stands_for(np.unique_inverse)
def unique_inverse(x):
    """``np.unique_inverse(x)``."""
    return Inverse(ordered_values(x), statistics.inverse_indices_of_values(x))


@stands_for(np.unique_all)
def unique_all(x):
    """``np.unique_all(x)``."""
    return All(
        ordered_values(x),
        statistics.indices_of_values(x),
        statistics.inverse_indices_of_values(x),
        statistics.counts_of_values(x),
    )


@stands_for(np.union1d)
def union1d(ar1, ar2):
    """``np.union1d(ar1, ar2)``."""
    return unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


@stands_for(np.intersect1d)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """``np.intersect1d(ar1, ar2)``: what stands in both comes from both, by halves."""
    first = np.ravel(ar1) if assume_unique else unique(ar1)
    second = np.ravel(ar2) if assume_unique else unique(ar2)
    ordered = np.sort(np.concatenate((first, second)))
    found = ordered[:-1][ordered[1:] == ordered[:-1]]
    if not return_indices:
        return found
    places = statistics.places_of_shared(ar1, ar2, assume_unique)
    return found, places[0], places[1]


@stands_for(np.setdiff1d)
def setdiff1d(ar1, ar2, assume_unique=False):
    """``np.setdiff1d(ar1, ar2)``."""
    first = np.ravel(ar1) if assume_unique else unique(ar1)
    return first[np.isin(first, ar2, invert=True)]


@stands_for(np.setxor1d)
def setxor1d(ar1, ar2, assume_unique=False):
    """``np.setxor1d(ar1, ar2)``."""
    first = np.ravel(ar1) if assume_unique else unique(ar1)
    second = np.ravel(ar2) if assume_unique else unique(ar2)
    ordered = np.sort(np.concatenate((first, second)))
    changes = ordered[1:] != ordered[:-1]
    end = np.ones(min(1, len(ordered)), bool)
    return ordered[np.concatenate((end, changes)) & np.concatenate((changes, end))]
