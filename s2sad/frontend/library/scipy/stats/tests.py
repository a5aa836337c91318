"""Regressions and tests of ``scipy.stats`` that are made of others. Results have the
items of SciPy's, by place and by name; what those compute beside them they lack."""

from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from s2sad import rules
from s2sad.frontend.library.scipy.stats.stats import length_along
from s2sad.frontend.library.texts import stands_for


class Regression(NamedTuple):
    """What ``stats.linregress`` gives."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


class Test(NamedTuple):
    """What tests give."""

    statistic: Any
    pvalue: Any


@stands_for(stats.linregress)
def linregress(x, y, alternative="two-sided"):
    """``stats.linregress(x, y, alternative)`` of two vectors."""
    x, y = np.asarray(x), np.asarray(y)
    if np.ndim(x) != 1 or np.ndim(y) != 1 or len(x) < 3:
        raise ValueError("x and y must be vectors of three and more elements")
    if np.all(x == x[0]):
        raise ValueError("Cannot calculate a linear regression if all x are identical")
    count, middle = len(x), np.mean(x)
    across, up = x - middle, y - np.mean(y)
    width = np.dot(across, across) / count
    height = np.dot(up, up) / count
    both = np.dot(across, up) / count
    r = np.clip(both / np.sqrt(width * height), -1.0, 1.0)
    slope, freedom = both / width, count - 2
    t = r * np.sqrt(freedom / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
    stderr = np.sqrt((1 - r * r) * height / width / freedom)
    intercept = np.mean(y) - slope * middle
    return Regression(slope, intercept, r, probability(t, freedom, alternative), stderr)


def probability(t, df, alternative):
    """How probable a t as far out is."""
    if alternative == "less":
        return stats.t.cdf(t, df)
    if alternative == "greater":
        return stats.t.sf(t, df)
    if alternative != "two-sided":
        raise ValueError("alternative must be 'less', 'greater' or 'two-sided'")
    return 2 * stats.t.sf(np.abs(t), df)


@stands_for(stats.ttest_1samp)
def ttest_1samp(a, popmean, axis=0, nan_policy="propagate", alternative="two-sided"):
    """``stats.ttest_1samp(a, popmean, axis, alternative=alternative)``; a mean that is
    asked for is a number."""
    if nan_policy != "propagate":
        raise ValueError("nan_policy must be 'propagate'")
    if np.ndim(popmean) != 0:
        raise ValueError("popmean must be a number")
    a = np.asarray(a)
    t = (np.mean(a, axis=axis) - popmean) / stats.sem(a, axis)
    return Test(t, probability(t, length_along(a, axis) - 1, alternative))


@stands_for(stats.ttest_rel)
def ttest_rel(a, b, axis=0, nan_policy="propagate", alternative="two-sided"):
    """``stats.ttest_rel(a, b, axis, alternative=alternative)``."""
    if np.shape(a) != np.shape(b):
        raise ValueError("unequal length arrays")
    difference = np.asarray(a) - np.asarray(b)
    return ttest_1samp(difference, 0.0, axis, nan_policy, alternative)


@stands_for(stats.ttest_ind)
def ttest_ind(a, b, *, axis=0, equal_var=True, alternative="two-sided"):
    """``stats.ttest_ind(a, b, axis=axis)`` of groups whose variances are equal."""
    if not equal_var:  # the probability has no derivative by degrees of freedom
        rules.not_supported(
            "ttest_ind with equal_var=False",
            "divide the difference of means by np.sqrt(sem(a)**2 + sem(b)**2)",
        )
    a, b = np.asarray(a), np.asarray(b)
    n, m = length_along(a, axis), length_along(b, axis)
    if n < 2 or m < 2:
        raise ValueError("samples must have two and more elements")
    first, second = np.var(a, axis=axis, ddof=1), np.var(b, axis=axis, ddof=1)
    difference = np.mean(a, axis=axis) - np.mean(b, axis=axis)
    freedom = n + m - 2.0
    variance = ((n - 1) * first + (m - 1) * second) / freedom
    t = difference / np.sqrt(variance * (1.0 / n + 1.0 / m))
    return Test(t, probability(t, freedom, alternative))


@stands_for(stats.f_oneway)
def f_oneway(*samples, axis=0):
    """``stats.f_oneway(*samples, axis=axis)`` of groups whose variances are equal."""
    if len(samples) < 2:
        raise ValueError("f_oneway needs two and more samples")
    groups = [np.asarray(x) for x in samples]
    means = [np.mean(x, axis=axis, keepdims=True) for x in groups]
    counts = [length_along(x, axis) for x in groups]
    total = sum(counts)
    whole = sum(mean * n for mean, n in zip(means, counts)) / total
    between = sum(n * (mean - whole) ** 2 for mean, n in zip(means, counts))
    within = sum(np.sum((x - mean) ** 2, axis=axis) for x, mean in zip(groups, means))
    above, below = len(groups) - 1, total - len(groups)
    f = np.sum(between, axis=axis) / above / (within / below)
    return Test(f, special.fdtrc(above, below, f))
