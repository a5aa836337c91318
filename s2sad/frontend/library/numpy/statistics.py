"""Statistics of NumPy: those that leave nan out, quantiles, covariances, histograms."""

from typing import Any

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics import statistics
from s2sad.rules.steps.shape_steps import in_dtype_of

# ------------------------------------------------------------------ without nan


@stands_for(np.nansum)
def nansum(a, axis=None, dtype=None, *, keepdims=False):
    """``np.nansum(a, axis)``."""
    present = np.where(np.isnan(a), 0.0, a)
    return np.sum(present, axis=axis, dtype=dtype, keepdims=keepdims)


@stands_for(np.nanprod)
def nanprod(a, axis=None, dtype=None, *, keepdims=False):
    """``np.nanprod(a, axis)``."""
    present = np.where(np.isnan(a), 1.0, a)
    return np.prod(present, axis=axis, dtype=dtype, keepdims=keepdims)


@stands_for(np.nancumsum)
def nancumsum(a, axis=None):
    """``np.nancumsum(a, axis)``."""
    return np.cumsum(np.where(np.isnan(a), 0.0, a), axis=axis)


@stands_for(np.nancumprod)
def nancumprod(a, axis=None):
    """``np.nancumprod(a, axis)``."""
    return np.cumprod(np.where(np.isnan(a), 1.0, a), axis=axis)


@stands_for(np.nanmean)
def nanmean(a, axis=None, *, keepdims=False):
    """``np.nanmean(a, axis)``."""
    missing = np.isnan(a)
    total = np.sum(np.where(missing, 0.0, a), axis=axis, keepdims=keepdims)
    count = np.sum(~missing, axis=axis, keepdims=keepdims)
    return total / in_dtype_of(count, total)


@stands_for(np.nanvar)
def nanvar(a, axis=None, *, ddof=0, keepdims=False, correction=0):
    """``np.nanvar(a, axis, ddof=ddof)``."""
    missing = np.isnan(a)
    total = np.sum(np.where(missing, 0.0, a), axis=axis, keepdims=True)
    count = np.sum(~missing, axis=axis, keepdims=True)
    difference = np.where(missing, 0.0, a - total / in_dtype_of(count, total))
    squares = np.sum(difference * difference, axis=axis, keepdims=keepdims)
    freedom = np.sum(~missing, axis=axis, keepdims=keepdims) - (ddof + correction)
    freedom = np.where(freedom > 0, freedom, float("nan"))
    return squares / in_dtype_of(freedom, squares)


@stands_for(np.nanstd)
def nanstd(a, axis=None, *, ddof=0, keepdims=False, correction=0):
    """``np.nanstd(a, axis, ddof=ddof)``: with derivative 0 where it is 0."""
    variance = nanvar(a, axis, ddof=ddof + correction, keepdims=keepdims)
    if rules.known_rank(variance) == 0:
        return np.sqrt(variance) if variance != 0 else variance * 0.0
    return np.where(variance == 0, 0.0, np.sqrt(variance))


@stands_for(np.nanmedian)
def nanmedian(a, axis=None, *, keepdims=False):
    """``np.nanmedian(a, axis)``: nan stands last in sorted order."""
    ordered = np.sort(_as_first_axis(a, axis), axis=0)
    count = np.sum(~np.isnan(ordered), axis=0)
    below, above = (count - 1) // 2, count // 2
    if ordered.ndim == 1:
        middle = 0.5 * (ordered[below] + ordered[above])
    else:
        low = np.take_along_axis(ordered, below[None], 0)[0]
        middle = 0.5 * (low + np.take_along_axis(ordered, above[None], 0)[0])
    return _with_dims(middle, a, axis, keepdims)


# ------------------------------------------------------------------ quantiles


@stands_for(np.quantile)
def quantile(a, q, axis=None, *, method="linear", keepdims=False):
    """``np.quantile(a, q, axis)``."""
    return _quantile(a, q, axis, method, keepdims, 1)


@stands_for(np.percentile)
def percentile(a, q, axis=None, *, method="linear", keepdims=False):
    """``np.percentile(a, q, axis)``."""
    return _quantile(a, q, axis, method, keepdims, 100)


def _quantile(a, q, axis, method, keepdims, whole):
    ordered = np.sort(_as_first_axis(a, axis), axis=0)
    q = np.asarray(q) if rules.is_sequence(q) else q
    below, above = statistics.quantile_places(ordered, q, method, whole)
    share = statistics.quantile_share(ordered, q, method, whole)
    found = statistics.interpolated(ordered[below], ordered[above], share)
    return _with_dims(found, a, axis, keepdims, rules.known_rank(q))


@stands_for(np.nanquantile)
def nanquantile(a, q, axis=None, *, method="linear", keepdims=False):
    """``np.nanquantile(a, q, axis)``."""
    return _nanquantile(a, q, axis, method, keepdims, 1)


@stands_for(np.nanpercentile)
def nanpercentile(a, q, axis=None, *, method="linear", keepdims=False):
    """``np.nanpercentile(a, q, axis)``."""
    return _nanquantile(a, q, axis, method, keepdims, 100)


def _nanquantile(a, q, axis, method, keepdims, whole):
    ordered = np.sort(_as_first_axis(a, axis), axis=0)
    q = np.asarray(q) if rules.is_sequence(q) else q
    below, above = statistics.places_without_nan(ordered, q, method, whole)
    share = statistics.share_without_nan(ordered, q, method, whole)
    if ordered.ndim == 1:
        found = statistics.interpolated(ordered[below], ordered[above], share)
    else:
        low = np.take_along_axis(ordered, below, 0)
        found = statistics.interpolated(
            low, np.take_along_axis(ordered, above, 0), share
        )
        if np.ndim(q) == 0:
            found = found[0]
        elif np.ndim(q) > 1:
            found = np.reshape(found, (*np.shape(q), *ordered.shape[1:]))
    return _with_dims(found, a, axis, keepdims, rules.known_rank(q))


def _as_first_axis(a, axis):
    """The array with these axes as one, in front."""
    a = a if rules.is_array(a) else np.asarray(a)
    if axis is None:
        return np.ravel(a)
    if isinstance(axis, tuple):
        if len(axis) == 1:
            return np.moveaxis(a, axis[0], 0)
        front = np.moveaxis(a, axis, tuple(range(len(axis))))
        return np.reshape(front, (-1, *front.shape[len(axis) :]))
    return a if axis == 0 else np.moveaxis(a, axis, 0)


def _with_dims(reduced, a, axis, keepdims, before=0):
    """A result with the axes that were reduced, behind ``before`` others."""
    if not keepdims:
        return reduced
    rank = np.ndim(a)
    if axis is None:
        return np.expand_dims(reduced, tuple(range(before, before + rank)))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return np.expand_dims(reduced, tuple(before + k % rank for k in axes))


# ------------------------------------------------------------------ covariances


@stands_for(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """``np.cov(m, y)``."""
    c = _covariances(m, y, rowvar, bias, ddof, fweights, aweights)
    if np.ndim(m) == 1 and y is None:
        return np.reshape(c, ())
    return c if y is not None else np.squeeze(c)


def _covariances(m, y, rowvar, bias, ddof, fweights, aweights):
    """The matrix, also of one variable."""
    m = np.asarray(m, float)
    x = np.atleast_2d(m)
    if not rowvar and m.ndim != 1:
        x = x.T
    if y is not None:
        beside = np.atleast_2d(np.asarray(y, float))
        if not rowvar and np.ndim(y) != 1:
            beside = beside.T
        x = np.concatenate((x, beside), axis=0)
    if ddof is None:
        ddof = 0 if bias else 1
    if fweights is None and aweights is None:
        centred = x - np.mean(x, axis=1)[:, None]
        return np.dot(centred, centred.T) * _share(x, ddof)
    if fweights is None:
        weights = np.asarray(aweights, float)
        lost = np.sum(weights * weights) / np.sum(weights)
    elif aweights is None:
        weights = np.asarray(fweights, float)
        lost = 1
    else:
        plain = np.asarray(aweights, float)
        weights = np.asarray(fweights, float) * plain
        lost = np.sum(weights * plain) / np.sum(weights)
    total = np.sum(weights)
    freedom = total if ddof == 0 else total - ddof * lost
    if ddof > 1:
        freedom = np.maximum(freedom, 0.0)
    centred = x - np.average(x, axis=1, weights=weights)[:, None]
    return np.dot(centred, (centred * weights).T) * (1 / freedom)


def _share(x, ddof):
    """What each observation has in a covariance: inf where as many as there are, or
    more, are lost."""
    if rules.least_length_along(1, x) > ddof:
        return 1 / (x.shape[1] - ddof)
    return np.true_divide(1.0, max(x.shape[1] - ddof, 0))


@stands_for(np.corrcoef)
def corrcoef(x, y=None, rowvar=True):
    """``np.corrcoef(x, y)``."""
    c = _covariances(x, y, rowvar, False, None, None, None)
    if np.ndim(x) == 1 and y is None:
        c = np.reshape(c, ())
        return c / c
    deviations = np.sqrt(np.diag(c))
    c = statistics.within_unit(c / deviations[:, None] / deviations[None, :])
    return c if y is not None else np.squeeze(c)


# ------------------------------------------------------------------ histograms


@stands_for(np.histogram_bin_edges)
def histogram_bin_edges(a, bins=10, range=None):
    """``np.histogram_bin_edges(a, bins, range)`` of a number of bins, or edges."""
    if np.ndim(bins) == 1:
        return np.asarray(bins)
    if range is not None:
        low, high = range
    elif rules.surely_has_elements(a) or np.size(a) > 0:
        low, high = np.min(a), np.max(a)
    else:
        low, high = 0.0, 1.0
    if low == high:
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, bins + 1)


@stands_for(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    """``np.histogram(a, bins, range, density, weights)``: counts have no derivative by
    ``a``, edges have that of its extrema."""
    edges = histogram_bin_edges(a, bins, range)
    counts = statistics.counts_in_bins(a, bins, range, weights)
    if density:
        widths = np.diff(edges)
        counts = counts / widths / np.sum(counts)
    return counts, edges


@stands_for(np.unique)
def unique(ar, return_index=False, return_inverse=False, return_counts=False):
    """``np.unique(ar)``: of elements that are equal each has its share. Places and
    counts have no derivative."""
    ordered = np.sort(np.ravel(ar))
    later = ordered[1:] != ordered[:-1]
    later = later & ~(np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))
    values = ordered[np.concatenate((np.ones(min(1, len(ordered)), bool), later))]
    if not (return_index or return_inverse or return_counts):
        return values
    found: Any = (values,)
    if return_index:
        indices = statistics.indices_of_values(ar, True)
        found = (*found, indices)
    if return_inverse:
        inverse = statistics.inverse_indices_of_values(ar, True)
        found = (*found, inverse)
    if return_counts:
        counts = statistics.counts_of_values(ar, True)
        found = (*found, counts)
    return found
