"""Histograms of several axes. What is counted is piecewise constant in the samples:
counts have derivatives by weights, edges that of extrema."""

from typing import Any

import numpy as np

from s2sad import rules
from s2sad.frontend.library.numpy.statistics import histogram_bin_edges
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics.statistics import bins_of

PART_OF_LARGER = "rows"
"""The order of what NumPy cuts out of a larger array, of which ravel is a copy: what
falls outside is counted there, too."""


@stands_for(np.histogram2d)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    """``np.histogram2d(x, y, bins, range, density, weights)``."""
    x, y = np.asarray(x), np.asarray(y)
    if len(x) != len(y):
        raise ValueError("x and y must have the same length.")
    if rules.is_array(bins) and len(bins) < 3:
        raise ValueError("give two numbers of bins as a tuple")
    common = rules.known_rank(bins) == 0 or rules.is_array(bins) or len(bins) > 2
    counts, edges = grid_of_counts(
        (x, y), (bins, bins) if common else bins, range, density, weights
    )
    return counts, edges[0], edges[1]


@stands_for(np.histogramdd)
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    """``np.histogramdd(sample, bins, range, density, weights)``."""
    if rules.is_sequence(sample):
        columns = [np.asarray(x) for x in sample]
    elif rules.is_sequence(bins):
        if rules.known_rank(sample) != 2 or sample.shape[1] != len(bins):
            raise ValueError("give bins for each column of the samples")
        columns = [sample[:, k] for k, _ in enumerate(bins)]
    else:
        rules.not_supported(
            "np.histogramdd of an array with bins that aren't a tuple or list",
            "give the bins of each column, as bins=(10, 10)",
        )
        columns = [np.ravel(sample)]
    each = bins if rules.is_sequence(bins) else [bins for _ in columns]
    return grid_of_counts(columns, each, range, density, weights)


def grid_of_counts(columns, bins, ranges, density, weights):
    """The counts of samples in cells, and the edges along each axis."""
    if len(bins) != len(columns):
        raise ValueError(
            "The dimension of bins must be equal to the dimension of the sample x."
        )
    ranges = [None for _ in columns] if ranges is None else ranges
    edges = [histogram_bin_edges(*each) for each in zip(columns, bins, ranges)]
    lengths = [len(along) - 1 for along in edges]
    cell = bins_of(columns[0], edges[0])
    outside, cells = cell < 0, lengths[0]
    for x, along, length in zip(columns[1:], edges[1:], lengths[1:]):
        place = bins_of(x, along)
        outside, cell, cells = (
            outside | (place < 0),
            cell * length + place,
            cells * length,
        )
    counts: Any = np.bincount(np.where(outside, cells, cell), weights, cells + 1)[:-1]
    order: Any = PART_OF_LARGER
    counts = np.reshape(counts.astype(float, order=order), tuple(lengths))
    if density:
        total = np.sum(counts)
        for k, along in enumerate(edges):
            behind = len(edges) - 1 - k
            counts = counts / np.reshape(np.diff(along), (-1, *((1,) * behind)))
        counts = counts / total
    return counts, edges
