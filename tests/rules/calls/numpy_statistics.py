"""Statistics of NumPy: those that leave nan out, quantiles, covariances, histograms."""

import numpy as np

from tests.rules.calls.form import call

V = np.array([0.3, -1.2, 0.7, 2.0])
W = np.array([1.1, 0.4, 0.6, 2.5])
M = np.array([[0.5, -0.3, 0.8, 1.4], [1.2, 0.1, -0.9, -0.2], [2.0, 0.6, 0.3, -1.1]])
T = np.linspace(-1.0, 2.0, 12).reshape(2, 3, 2) ** 2 + M.reshape(2, 3, 2)
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


GAPS = {f: with_gaps(f) for f in (*SUMS, *SPREADS, np.nancumsum, np.nancumprod)}
GAPPED = with_gaps(np.nanquantile)

CALLS = [
    *(call(f, V) for f in (*SUMS, *SPREADS)),
    *(call(g, M) for g in GAPS.values()),
    *(call(g, V) for g in GAPS.values()),
    *(call(g, M, axis=0) for g in GAPS.values()),
    *(call(f, M, axis=1) for f in (*SUMS, *SPREADS)),
    *(call(GAPS[f], M, axis=-1, keepdims=True) for f in (*SUMS, *SPREADS)),
    *(call(GAPS[f], M, keepdims=True) for f in (*SUMS, *SPREADS)),
    *(call(GAPS[f], T, axis=(0, -1)) for f in (*SUMS, *SPREADS)),
    *(call(GAPS[f], M[::2].T, axis=0) for f in (*SUMS, *SPREADS)),
    *(call(f, SINGLE, axis=0, note="float32") for f in (*SUMS, *SPREADS)),
    *(call(GAPS[f], M, axis=0, ddof=1) for f in SPREADS),
    call(np.nancumsum, M),
    call(np.nancumprod, M, axis=1),
    call(np.nan_to_num, V, True, 1.5),
    call(filled, V[0], V[1], V[2], V[3]),
    call(np.median, M, axis=(0, 1)),
    call(np.median, T, axis=(0, -1), keepdims=True),
    call(np.quantile, V, 0.3),
    *(call(np.quantile, V, 0.3, method=method) for method in METHODS),
    *(call(np.quantile, M, W / 4.0, 0, method=method) for method in METHODS),
    call(np.quantile, V, W / 4.0),
    call(np.quantile, M, 0.3, axis=-1, keepdims=True),
    call(np.quantile, M, W / 4.0, axis=1, keepdims=True),
    call(np.quantile, T, 0.6, axis=(0, 2)),
    call(np.quantile, T, W / 4.0, axis=(-1, 1), keepdims=True),
    call(np.quantile, M, W / 4.0, keepdims=True),
    call(np.quantile, M[:, ::2].T, 0.2, axis=0),
    call(np.quantile, M.astype(np.float32), 0.3, axis=0, note="float32"),
    call(np.percentile, V, 30.0),
    call(np.percentile, M, [20.0, 70.0], axis=1),
    call(np.percentile, M, 35.0, axis=0, method="weibull"),
    call(np.nanquantile, M, 0.3),
    call(GAPPED, M, 0.3),
    call(GAPPED, M, 0.3, axis=0),
    call(GAPPED, M, W / 4.0, axis=1),
    call(GAPPED, M, W / 4.0, axis=1, keepdims=True),
    call(with_gaps(np.nanquantile), T, 0.3, axis=(0, 2), keepdims=True),
    *(call(GAPPED, M, 0.3, axis=1, method=method) for method in METHODS),
    call(np.nanpercentile, V, 40.0),
    call(with_gaps(np.nanpercentile), M, [20.0, 60.0], axis=-1),
    call(np.cov, M),
    call(np.cov, V),
    call(np.cov, V, W),
    call(np.cov, M, V),
    call(np.cov, M, rowvar=False),
    call(np.cov, M.T, W[:, None], rowvar=False),
    call(np.cov, M, bias=True),
    call(np.cov, M, ddof=0),
    call(np.cov, M, None, True, False, None, None, W),
    call(np.cov, M, fweights=[1, 2, 1, 3]),
    call(np.cov, M, None, True, False, 0, [1, 2, 1, 3], W),
    call(np.cov, M, None, True, False, 1, [1, 2, 1, 3], W),
    call(np.cov, M.astype(np.float32), note="float32"),
    call(np.corrcoef, M),
    call(np.corrcoef, V, W),
    call(np.corrcoef, M, rowvar=False),
    call(np.histogram_bin_edges, V, 3),
    call(np.histogram, V, 3, (-1.5, 1.0), None, W),
    call(np.histogram, V, EDGES, None, None, W),
    call(np.histogram, V, 4, (-1.5, 2.5), True, W),
    call(np.histogram, M, 4, (-1.5, 1.5), None, M),
    call(np.histogram, V, EDGES),
    call(np.bincount, np.array([0, 1, 1, 3]), W),
    call(np.bincount, np.array([0, 1, 1, 3]), W, 6),
    call(np.unique, V),
]
