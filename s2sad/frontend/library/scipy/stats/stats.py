"""Functions of ``scipy.stats`` that are made of others."""

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


def mean_of(a, axis, weights, keepdims):
    """The mean, or that with weights for all elements."""
    if weights is None:
        return np.mean(a, axis=axis, keepdims=keepdims)
    if np.ndim(weights) != np.ndim(a):
        raise ValueError("weights must have as many axes as the array")
    total = np.sum(weights * a, axis=axis, keepdims=keepdims)
    weight = np.sum(weights * np.ones_like(a), axis=axis, keepdims=keepdims)
    return total / weight


def length_along(a, axis):
    """The number of elements along an axis, or along several."""
    if isinstance(axis, tuple):
        return math.prod([np.shape(a)[one] for one in axis])
    return np.size(a) if axis is None else np.shape(a)[axis]


# ------------------------------------------------------------------ means


@stands_for(stats.gmean)
def gmean(
    a: Any,
    axis: Any = 0,
    dtype: None = None,
    weights: Any = None,
    *,
    keepdims: Any = False,
) -> Any:
    """``stats.gmean(a, axis, weights=weights)``."""
    if rules.dtype_name(a) in ("int8", "int16", "uint8", "uint16", "bool"):
        a = a.astype(np.float64)  # np.log gives less than double precision
    return np.exp(mean_of(np.log(a), axis, weights, keepdims))


@stands_for(stats.hmean)
def hmean(
    a: Any,
    axis: Any = 0,
    dtype: None = None,
    *,
    weights: Any = None,
    keepdims: Any = False,
) -> Any:
    """``stats.hmean(a, axis, weights=weights)``; nan if an element is below 0."""
    a = np.asarray(a)
    positive = np.where(a < 0, np.nan, a)
    return 1.0 / mean_of(1.0 / positive, axis, weights, keepdims)


@stands_for(stats.pmean)
def pmean(a, p, *, axis=0, weights=None, keepdims=False):
    """``stats.pmean(a, p, axis=axis, weights=weights)``; nan if an element is below
    0."""
    a = np.asarray(a)
    positive = np.where(a < 0, np.nan, a)
    if p == 0:
        return np.exp(mean_of(np.log(positive), axis, weights, keepdims))
    return mean_of(positive ** float(p), axis, weights, keepdims) ** (1 / p)


# ------------------------------------------------------------------ moments


def standard_deviation(mean, deviation, eps):
    """The standard deviation, nan where it is nothing but rounding."""
    return np.where(deviation <= np.abs(eps * mean), np.nan, deviation)


@stands_for(stats.trim_mean)
def trim_mean(a, proportiontocut, axis=0):
    """``stats.trim_mean(a, proportiontocut, axis)``."""
    if axis is None:
        a, axis = np.ravel(a), 0
    count = np.shape(a)[axis]
    cut = int(proportiontocut * count)
    if cut > count - cut:
        raise ValueError("Proportion too big.")
    ordered = np.moveaxis(np.sort(a, axis=axis), axis, 0)
    return np.mean(ordered[cut : count - cut], axis=0)


@stands_for(stats.zscore)
def zscore(a, axis=0, ddof=0):
    """``stats.zscore(a, axis, ddof)``; nan along an axis whose elements are equal."""
    a = np.asarray(a)
    mean = np.mean(a, axis=axis, keepdims=True)
    deviation = np.std(a, axis=axis, ddof=ddof, keepdims=True)
    return (a - mean) / standard_deviation(mean, deviation, np.finfo(mean.dtype).eps)


@stands_for(stats.zmap)
def zmap(scores, compare, axis=0, ddof=0):
    """``stats.zmap(scores, compare, axis, ddof)``."""
    mean = np.mean(compare, axis=axis, keepdims=True)
    return (scores - mean) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


@stands_for(stats.sem)
def sem(a, axis=0, ddof=1, *, keepdims=False):
    """``stats.sem(a, axis, ddof)``."""
    deviation = np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)
    return deviation / length_along(a, axis) ** 0.5


@stands_for(stats.variation)
def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False):
    """``stats.variation(a, axis, ddof=ddof)``."""
    if nan_policy != "propagate":
        raise ValueError("nan_policy must be 'propagate'")
    deviation = np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)
    return deviation / np.mean(a, axis=axis, keepdims=keepdims)


@stands_for(stats.moment)
def moment(a, order=1, axis=0, *, center=None, keepdims=False):
    """``stats.moment(a, order, axis, center=center)``; several orders are along the
    first axis of the result."""
    if rules.known_rank(order) > 0:
        rules.not_supported("stats.moment of orders in an array", "pass a list of them")
    if rules.is_sequence(order) or rules.is_list(order):
        return np.stack([_moment(a, one, axis, center, keepdims) for one in order])
    return _moment(a, order, axis, center, keepdims)


def _moment(a, order, axis, center, keepdims):
    if center is None:
        center = np.mean(a, axis=axis, keepdims=True)
        if order == 1:
            return np.zeros_like(np.mean(a, axis=axis, keepdims=keepdims))
    return np.mean((a - center) ** order, axis=axis, keepdims=keepdims)


@stands_for(stats.skew)
def skew(a, axis=0, bias=True, *, keepdims=False):
    """``stats.skew(a, axis, bias)``; nan along an axis whose elements are equal."""
    a = np.asarray(a)
    deviation = a - np.mean(a, axis=axis, keepdims=True)
    squares = deviation**2
    mean = np.mean(a, axis=axis, keepdims=keepdims)
    variance = np.mean(squares, axis=axis, keepdims=keepdims)
    third = np.mean(squares * deviation, axis=axis, keepdims=keepdims)
    constant = variance <= (np.finfo(mean.dtype).eps * mean) ** 2
    skewness = third / np.where(constant, np.nan, variance) ** 1.5
    n = length_along(a, axis)
    if bias or n <= 2:
        return skewness
    return ((n - 1.0) * n) ** 0.5 / (n - 2.0) * skewness


@stands_for(stats.kurtosis)
def kurtosis(a, axis=0, fisher=True, bias=True, *, keepdims=False):
    """``stats.kurtosis(a, axis, fisher, bias)``; nan along an axis whose elements are
    equal."""
    a = np.asarray(a)
    squares = (a - np.mean(a, axis=axis, keepdims=True)) ** 2
    mean = np.mean(a, axis=axis, keepdims=keepdims)
    variance = np.mean(squares, axis=axis, keepdims=keepdims)
    fourth = np.mean(squares**2, axis=axis, keepdims=keepdims)
    constant = variance <= (np.finfo(mean.dtype).eps * mean) ** 2
    ratio = fourth / np.where(constant, np.nan, variance) ** 2.0
    n = length_along(a, axis)
    if not bias and n > 3:
        spread = (n**2 - 1.0) * ratio - 3 * (n - 1) ** 2.0
        ratio = 1.0 / (n - 2) / (n - 3) * spread + 3.0
    return ratio - 3 if fisher else ratio


# ------------------------------------------------------------------ comparisons


@stands_for(stats.entropy)
def entropy(pk, qk=None, base=None, axis=0, *, keepdims=False):
    """``stats.entropy(pk, qk, base, axis)``."""
    pk = pk / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        parts = special.entr(pk)
    else:
        parts = special.rel_entr(pk, qk / np.sum(qk, axis=axis, keepdims=True))
    total = np.sum(parts, axis=axis, keepdims=keepdims)
    return total if base is None else total / math.log(base)


@stands_for(stats.pearsonr)
def pearsonr(x, y):
    """``stats.pearsonr(x, y)`` of two vectors; nan where the elements of one are
    equal."""
    if np.ndim(x) != 1 or np.ndim(y) != 1 or len(x) < 3:
        raise ValueError("x and y must be vectors of three and more elements")
    across, up = x - np.mean(x), y - np.mean(y)
    width = np.nan if np.all(x == x[0]) else np.linalg.norm(across)
    height = np.nan if np.all(y == y[0]) else np.linalg.norm(up)
    statistic = np.clip(np.dot(across / width, up / height), -1.0, 1.0)
    half = len(x) / 2 - 1
    pvalue = 2 * stats.beta.sf(np.abs(statistic), half, half, -1, 2)
    return Correlation(statistic, pvalue)


class Correlation(NamedTuple):
    """What ``stats.pearsonr`` gives."""

    statistic: Any
    pvalue: Any


# ------------------------------------------------------------------ transformations


@stands_for(stats.boxcox)
def boxcox(x, lmbda):
    """``stats.boxcox(x, lmbda)``."""
    return special.boxcox(x, lmbda)


@stands_for(stats.yeojohnson)
def yeojohnson(x, lmbda):
    """``stats.yeojohnson(x, lmbda)``."""
    x = np.asarray(x)
    above = special.boxcox1p(np.where(x >= 0, x, 0.0), lmbda)
    below = special.boxcox1p(np.where(x >= 0, 0.0, -x), 2 - lmbda)
    return np.where(x >= 0, above, -below)
