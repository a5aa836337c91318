"""Statistics of NumPy: those that leave nan out, quantiles, covariances, histograms."""

import numpy as np

from tests.rules.cases.form import case

V = np.array([0.3, -1.2, 0.7, 2.0])
W = np.array([1.1, 0.4, 0.6, 2.5])
Z = np.array([1.15, 0.42, 0.67, 2.45])
M = np.array([[0.5, -0.3, 0.8, 1.4], [1.2, 0.1, -0.9, -0.2], [2.0, 0.6, 0.3, -1.1]])
T = np.linspace(-1.0, 2.0, 12).reshape(2, 3, 2) ** 2 + M.reshape(2, 3, 2)
ROWS = np.column_stack([V, Z, Z * V])
SINGLE = M.astype(np.float32)
INF = np.array([0.3, np.nan, 0.7, np.inf, -np.inf, 2.0])
METHODS = (
    *("inverted_cdf", "averaged_inverted_cdf", "closest_observation"),
    *("interpolated_inverted_cdf", "hazen", "weibull", "linear"),
    *("median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest"),
)
SUMS = (np.nansum, np.nanprod, np.nanmean, np.nanmax, np.nanmin, np.nanmedian)
SPREADS = (np.nanvar, np.nanstd)
EDGES = np.array([-1.0, 0.0, 0.5, 2.5])


def with_gaps(function):
    """The function of an array of which some elements are missing."""

    def with_gaps_in(x, *args, **words):
        return function(np.where(x * x < 0.05, np.nan, x), *args, **words)

    with_gaps_in.__name__ = f"gaps in {function.__name__}"
    return with_gaps_in


def filled(x, nan, posinf, neginf):
    return np.nan_to_num(INF + x, nan=nan, posinf=posinf, neginf=neginf)


def counted(x, y, bins, weights, density):
    """Of two axes, and what the edges make of it."""
    each = (bins, bins)
    counts, edges = np.histogramdd((x, y), each, None, density, weights)
    return counts, edges[0], edges[1]


def counted_rows(x, weights):
    """Of three axes; the edges are a list."""
    counts, edges = np.histogramdd(x, (2, 1, EDGES), weights=weights)
    return counts, edges[0] * 2.0, edges[1]


def shared(x):
    """What two arrays share, and what one has alone."""
    y = np.concatenate((x[1:], x[:1] + 9.0))
    plain, distinct = np.intersect1d(x, y), np.intersect1d(x, y, True)
    values, first, second = np.intersect1d(x, y, return_indices=True)
    both = plain * distinct + values**2 * first + 3.0 * second
    alone = np.setxor1d(x, y) * np.setdiff1d(x, y) * np.setdiff1d(y, x, True)
    return both, alone, np.union1d(y, x)


GAPS = {f: with_gaps(f) for f in (*SUMS, *SPREADS, np.nancumsum, np.nancumprod)}
GAPPED = with_gaps(np.nanquantile)

CASES = [
    *(case(f, V) for f in (*SUMS, *SPREADS)),
    *(case(g, M) for g in GAPS.values()),
    *(case(g, V) for g in GAPS.values()),
    *(case(g, M, axis=0) for g in GAPS.values()),
    *(case(f, M, axis=1) for f in (*SUMS, *SPREADS)),
    *(case(GAPS[f], M, axis=-1, keepdims=True) for f in (*SUMS, *SPREADS)),
    *(case(GAPS[f], M, keepdims=True) for f in (*SUMS, *SPREADS)),
    *(case(GAPS[f], T, axis=(0, -1)) for f in (*SUMS, *SPREADS)),
    *(case(GAPS[f], M[::2].T, axis=0) for f in (*SUMS, *SPREADS)),
    *(case(f, SINGLE, axis=0, note="float32") for f in (*SUMS, *SPREADS)),
    *(case(GAPS[f], M, axis=0, ddof=1) for f in SPREADS),
    case(np.nancumsum, M),
    case(np.nancumprod, M, axis=1),
    case(np.nan_to_num, V, True, 1.5),
    case(filled, V[0], V[1], V[2], V[3]),
    case(np.median, M, axis=(0, 1)),
    case(np.median, T, axis=(0, -1), keepdims=True),
    case(np.quantile, V, 0.3),
    *(case(np.quantile, V, 0.3, method=method) for method in METHODS),
    *(case(np.quantile, M, W / 4.0, 0, method=method) for method in METHODS),
    case(np.quantile, V, W / 4.0),
    case(np.quantile, M, 0.3, axis=-1, keepdims=True),
    case(np.quantile, M, W / 4.0, axis=1, keepdims=True),
    case(np.quantile, T, 0.6, axis=(0, 2)),
    case(np.quantile, T, W / 4.0, axis=(-1, 1), keepdims=True),
    case(np.quantile, M, W / 4.0, keepdims=True),
    case(np.quantile, M[:, ::2].T, 0.2, axis=0),
    case(np.quantile, M.astype(np.float32), 0.3, axis=0, note="float32"),
    case(np.percentile, V, 30.0),
    case(np.percentile, M, [20.0, 70.0], axis=1),
    case(np.percentile, M, 35.0, axis=0, method="weibull"),
    case(np.nanquantile, M, 0.3),
    case(GAPPED, M, 0.3),
    case(GAPPED, M, 0.3, axis=0),
    case(GAPPED, M, W / 4.0, axis=1),
    case(GAPPED, M, W / 4.0, axis=1, keepdims=True),
    case(with_gaps(np.nanquantile), T, 0.3, axis=(0, 2), keepdims=True),
    *(case(GAPPED, M, 0.3, axis=1, method=method) for method in METHODS),
    case(np.nanpercentile, V, 40.0),
    case(with_gaps(np.nanpercentile), M, [20.0, 60.0], axis=-1),
    case(np.cov, M),
    case(np.cov, V),
    case(np.cov, V, W),
    case(np.cov, M, V),
    case(np.cov, M, rowvar=False),
    case(np.cov, M.T, W[:, None], rowvar=False),
    case(np.cov, M, bias=True),
    case(np.cov, M, ddof=0),
    case(np.cov, M, None, True, False, None, None, W),
    case(np.cov, M, fweights=[1, 2, 1, 3]),
    case(np.cov, M, None, True, False, 0, [1, 2, 1, 3], W),
    case(np.cov, M, None, True, False, 1, [1, 2, 1, 3], W),
    case(np.cov, M.astype(np.float32), note="float32"),
    case(np.corrcoef, M),
    case(np.corrcoef, V, W),
    case(np.corrcoef, M, rowvar=False),
    case(np.histogram_bin_edges, V, 3),
    case(np.histogram, V, 3, (-1.5, 1.0), None, W),
    case(np.histogram, V, EDGES, None, None, W),
    case(np.histogram, V, 4, (-1.5, 2.5), True, W),
    case(np.histogram, M, 4, (-1.5, 1.5), None, M),
    case(np.histogram, V, EDGES),
    case(np.bincount, np.array([0, 1, 1, 3]), W),
    case(np.bincount, np.array([0, 1, 1, 3]), W, 6),
    case(np.histogram2d, V, Z, 3, [[-1.5, 1.0], [0.0, 3.0]], None, np.abs(V)),
    case(np.histogram2d, V, Z, (EDGES, 2), None, None, W),
    case(np.histogram2d, V, Z, EDGES, None, True, W),
    case(np.histogram2d, V, Z, [2, 3], density=True),
    case(counted_rows, ROWS, W),
    case(counted, V, Z, 2, W, density=True),
    case(counted, V, Z, 3, W, density=False),
    case(counted, V, Z, EDGES, None, density=False),
    case(np.unique, V),
    case(np.unique_values, V),
    case(np.unique_counts, M),
    case(np.unique_inverse, M),
    case(np.unique_all, M),
    case(np.union1d, V, Z),
    case(np.intersect1d, V, Z, note="of nothing"),
    case(np.setdiff1d, V, Z),
    case(np.setdiff1d, V[::-1], Z, True),
    case(np.setxor1d, V, Z),
    case(np.setxor1d, V, Z, True),
    case(shared, V),
]
