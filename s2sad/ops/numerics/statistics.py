"""Places of quantiles in sorted samples, and of samples in bins."""

from typing import Any

import numpy as np


def quantile_places(ordered: Any, q: Any, method: str, whole: int) -> Any:
    """The places below and above a quantile along the first axis of sorted samples;
    ``q`` is a part of ``whole`` (100 for percentiles).

    R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American
    Statistician 50 (1996), as in :func:`numpy.quantile`.

    >>> quantile_places(np.array([1.0, 2.0, 5.0]), 0.25, "linear", 1)
    (np.int64(0), np.int64(1))
    """
    count = len(ordered)
    low, high, _ = place_between(count, quantile_of_whole(ordered, q, whole), method)
    return tuple(np.clip(place, 0, count - 1)[()] for place in (low, high))


def quantile_share(ordered: Any, q: Any, method: str, whole: int) -> Any:
    """The share of the upper place, to broadcast to what stands there; nan where a
    sample is.

    >>> quantile_share(np.array([1.0, 2.0, 5.0]), 0.25, "linear", 1)
    np.float64(0.5)
    """
    q = quantile_of_whole(ordered, q, whole)
    share = place_between(len(ordered), q, method)[2]
    if method in ("lower", "higher", "nearest", "inverted_cdf", "closest_observation"):
        share = share.astype(np.asarray(ordered).dtype)
    share = np.reshape(share, np.shape(share) + (1,) * (np.ndim(ordered) - 1))
    missing = np.isnan(ordered[-1])
    if np.any(missing):
        share = np.where(missing, np.nan, share).astype(share.dtype)
    return share[()]


def places_without_nan(ordered: Any, q: Any, method: str, whole: int) -> Any:
    """The same among the samples that aren't nan, which stand first; for samples of
    several axes as indices for ``np.take_along_axis``, with an axis in front for q."""
    counts = np.sum(~np.isnan(ordered), axis=0)
    q = aligned_quantile(ordered, q, whole)
    low, high, _ = place_between(counts.astype(q.dtype), q, method)
    last = np.maximum(counts - 1, 0)
    return tuple(np.clip(place, 0, last)[()] for place in (low, high))


def share_without_nan(ordered: Any, q: Any, method: str, whole: int) -> Any:
    """The share of the upper one of these places."""
    counts = np.sum(~np.isnan(ordered), axis=0)
    q = aligned_quantile(ordered, q, whole)
    return place_between(counts.astype(q.dtype), q, method)[2][()]


def share_slope(counts: Any, method: str, whole: int) -> Any:
    """How the share of the upper place among so many samples changes with ``q``."""
    if method == "linear":
        return (counts - 1) / whole
    if method in ("midpoint", "averaged_inverted_cdf", "inverted_cdf"):
        return 0.0 * counts
    if method in ("lower", "higher", "nearest", "closest_observation"):
        return 0.0 * counts
    alpha, beta = plotting_positions(method)
    return (counts + (1 - alpha - beta)) / whole


def aligned_quantile(ordered: Any, q: Any, whole: int) -> Any:
    """``q`` as part of 1, with axes to broadcast to what is beside the first axis."""
    q = quantile_of_whole(ordered, q, whole)
    beside = np.ndim(ordered) - 1
    return np.reshape(q, (-1,) + (1,) * beside) if beside else q


def quantile_of_whole(ordered: Any, q: Any, whole: int) -> Any:
    """``q`` as part of 1. A Python number counts in the dtype of the samples."""
    dtype = np.asarray(ordered).dtype
    if dtype.kind != "f":
        dtype = np.dtype(np.float64)
    if isinstance(q, int | float):
        q = np.asarray(q, dtype)
    q = np.asarray(q) if whole == 1 else np.true_divide(q, dtype.type(whole))
    if np.any((q < 0) | (q > 1)):
        unit = "Quantiles" if whole == 1 else "Percentiles"
        raise ValueError(f"{unit} must be in the range [0, {whole}]")
    return np.asarray(q)


def place_between(count: Any, q: Any, method: str) -> Any:
    """Places, which may lie outside, and the share of the upper one."""
    whole = (count - 1) * q
    if method in ("lower", "higher", "nearest"):
        if method == "nearest":
            place = np.around(whole).astype(np.intp)
        else:
            rounded = np.floor(whole) if method == "lower" else np.ceil(whole)
            place = rounded.astype(np.intp)
        return place, place, np.zeros(np.shape(place), np.asarray(whole).dtype)
    if method in ("inverted_cdf", "closest_observation"):
        at = count * q - 1 if method == "inverted_cdf" else count * q - 1 - 0.5
        below = np.floor(at)
        stays = at == below
        if method == "closest_observation":
            stays = stays & (below % 2 == 1)
        place = np.where(stays, below, below + 1).astype(np.intp)
        return place, place, np.zeros(np.shape(place), np.asarray(whole).dtype)
    if method == "linear":
        at = whole
    elif method == "midpoint":
        at = 0.5 * (np.floor(whole) + np.ceil(whole))
    elif method == "averaged_inverted_cdf":
        at = count * q - 1
    else:
        alpha, beta = plotting_positions(method)
        at = count * q + (alpha + q * (1 - alpha - beta)) - 1
    low = np.floor(at)
    share = np.asarray(at - low, np.asarray(at).dtype)
    if method == "midpoint":
        share = np.where(at % 1 == 0, 0.0, 0.5).astype(share.dtype)
    elif method == "averaged_inverted_cdf":
        share = np.where(share == 0, 0.5, 1.0).astype(share.dtype)
    low = low.astype(np.intp)
    return low, low + 1, share


def plotting_positions(method: str) -> tuple[float, float]:
    """The parameters alpha and beta of the methods that interpolate."""
    positions: dict[str, tuple[float, float]] = {
        "interpolated_inverted_cdf": (0, 1),
        "hazen": (0.5, 0.5),
        "weibull": (0, 0),
        "median_unbiased": (1 / 3.0, 1 / 3.0),
        "normal_unbiased": (3 / 8.0, 3 / 8.0),
    }
    return positions[method]


def interpolated(low: Any, high: Any, share: Any) -> Any:
    """The value at this share of the way from ``low`` to ``high``, from the nearer end.

    >>> interpolated(1.0, 3.0, 0.25)
    np.float64(1.5)
    """
    step = np.subtract(high, low)
    return np.where(share >= 0.5, high - step * (1 - share), low + step * share)[()]


def counts_in_bins(a: Any, bins: Any, range: Any, weights: Any) -> Any:
    """The first result of ``np.histogram``.

    >>> counts_in_bins(np.array([0.5, 1.5, 1.7]), np.arange(3), None, np.ones(3))
    array([1., 2.])
    """
    return np.histogram(a, bins, range, weights=weights)[0]


def weights_from_bins(counts: Any, a: Any, bins: Any, range: Any) -> Any:
    """For each element of ``a`` the entry of its bin in ``counts``; 0 outside.

    >>> weights_from_bins(np.array([5.0, 7.0]), np.array([0.5, 2.0, 9.0]), np.arange(3),
    ...     None)
    array([5., 7., 0.])
    """
    edges = np.histogram_bin_edges(a, bins, range)
    places = np.searchsorted(edges, a, "right") - 1
    places = np.where(a == edges[-1], len(edges) - 2, places)
    inside = (places >= 0) & (places < len(edges) - 1)
    return np.where(inside, counts[np.where(inside, places, 0)], 0)


def bins_of(x: Any, edges: Any) -> Any:
    """The bin of each sample between these edges, -1 outside of them; the last bin has
    its right edge, as in :func:`numpy.histogramdd`.

    >>> bins_of(np.array([0.5, 2.0, 2.5]), np.arange(3))
    array([ 0,  1, -1])
    """
    if np.any(edges[:-1] > edges[1:]):
        raise ValueError("`bins` must be monotonically increasing, when an array")
    last = len(edges) - 2
    place = np.searchsorted(edges, x, side="right") - 1
    return np.where(x == edges[-1], last, np.where(place > last, -1, place))


def within_unit(c: Any) -> Any:
    """Correlations that rounding brought beyond 1 or -1 put back; its derivative is
    that of what was rounded."""
    return np.clip(c, -1, 1)


def sum_where(a: Any, where: Any, axis: Any, keepdims: bool) -> Any:
    """The sum of the elements where a condition holds."""
    return np.sum(a, axis=axis, keepdims=keepdims, where=where)


def sums_between(x: Any, places: Any, axis: int) -> Any:
    """``np.add.reduceat(x, places, axis)`` for places that increase.

    >>> sums_between(np.arange(5.0), [0, 3], 0)
    array([3., 7.])
    """
    if np.any(np.diff(places) <= 0):
        raise NotImplementedError("np.add.reduceat of places that don't increase")
    return np.add.reduceat(x, places, axis)


def parts_between(places: Any, length: int) -> Any:
    """Which of the sums each place belongs to, counted from 1; 0 in front of them.

    >>> parts_between([1, 3], 5)
    array([0, 1, 1, 2, 2])
    """
    return np.searchsorted(places, np.arange(length), side="right")


def ranks_of_values(x: Any) -> Any:
    """Where in order each of ``np.unique_values(x)`` stands, which has some order."""
    return np.argsort(np.argsort(np.unique_values(x)))


def counts_of_values(x: Any, equal_nan: bool = False) -> Any:
    """How often each of the values in order stands in x."""
    return np.unique(x, return_counts=True, equal_nan=equal_nan)[1]


def indices_of_values(x: Any, equal_nan: bool = False) -> Any:
    """Where in x each of the values in order stands first."""
    return np.unique(x, return_index=True, equal_nan=equal_nan)[1]


def inverse_indices_of_values(x: Any, equal_nan: bool = False) -> Any:
    """The place of each element of x among the values in order."""
    return np.unique(x, return_inverse=True, equal_nan=equal_nan)[1]


def places_of_shared(ar1: Any, ar2: Any, assume_unique: Any) -> Any:
    """Where in both arrays each of the elements that they share stands."""
    _, *places = np.intersect1d(ar1, ar2, assume_unique, True)
    return tuple(places)
