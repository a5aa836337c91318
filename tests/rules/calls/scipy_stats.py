"""Functions of ``scipy.stats``."""

import numpy as np
from scipy import stats

from tests.rules.calls.form import call

V = np.array([0.3, -1.2, 0.7, 2.0, 0.1])
M = np.array([[0.5, -0.3, 0.8], [1.2, 0.1, -0.9], [2.0, 0.6, 0.3], [0.4, 1.5, 0.2]])
P = np.abs(M)
W = np.array([[0.5], [1.2], [0.7], [2.0]])


def correlation(x, y):
    found = stats.pearsonr(x, y)
    statistic, pvalue = found
    return statistic + 2.0 * found.pvalue + 3.0 * found[0] - pvalue + found.statistic


def of_test(function, **words):
    """The items of a result, which is a class of SciPy's own."""

    def items(*samples):
        found = function(*samples, **words)
        return found[0] + found.pvalue, *found

    items.__name__ = function.__name__
    return items


CALLS = [
    call(of_test(stats.linregress), V, M[:, 0].repeat(2)[:5] + V**2),
    call(of_test(stats.linregress, alternative="less"), V**2, V),
    call(of_test(stats.ttest_1samp), M, 0.2),
    call(of_test(stats.ttest_1samp, axis=1, alternative="greater"), M, 0.2),
    call(of_test(stats.ttest_1samp, axis=None), M, 0.2),
    call(of_test(stats.ttest_rel), M, P[::-1] ** 2),
    call(of_test(stats.ttest_ind), M, P[1:]),
    call(of_test(stats.ttest_ind, alternative="less"), V, M[:, 0]),
    call(of_test(stats.f_oneway), V, V[1:] ** 2, M[:, 1]),
    call(of_test(stats.f_oneway, axis=1), M, P[:, :2] ** 2),
    call(stats.gmean, P),
    call(stats.gmean, P, axis=None),
    call(stats.gmean, P, 1),
    call(stats.gmean, P, 0, None, W * np.ones(3), keepdims=True),
    call(stats.hmean, P),
    call(stats.hmean, P, axis=-1, keepdims=True),
    call(stats.hmean, P, 0, weights=np.ones((4, 3)) + M**2, note="weights"),
    call(stats.pmean, P, 3),
    call(stats.pmean, P, -0.5, axis=1, note="real"),
    call(stats.pmean, P, 0, axis=1, note="of logarithms"),
    call(stats.trim_mean, V, 0.25),
    call(stats.trim_mean, M, 0.3, axis=0),
    call(stats.trim_mean, M, 0.1, axis=None),
    call(stats.trim_mean, M, 0.4, axis=1),
    call(stats.zscore, M),
    call(stats.zscore, V),
    call(stats.zscore, M, axis=None, ddof=1),
    call(stats.zscore, M.T[::2], axis=1),
    call(stats.zscore, V.astype(np.float32)),
    call(stats.zmap, M, P),
    call(stats.zmap, 0.7, V),
    call(stats.zmap, M, P, axis=1, ddof=1),
    call(stats.sem, M),
    call(stats.sem, V, ddof=0),
    call(stats.sem, M, axis=None),
    call(stats.variation, P),
    call(stats.variation, P, 1, ddof=1),
    call(stats.moment, M),
    call(stats.moment, M, 3),
    call(stats.moment, M, 2, axis=1, keepdims=True),
    call(stats.moment, V, 4, center=0.3),
    call(stats.skew, M),
    call(stats.skew, V, bias=False),
    call(stats.skew, M, axis=None),
    call(stats.skew, M, axis=1, keepdims=True),
    call(stats.kurtosis, M),
    call(stats.kurtosis, V, fisher=False),
    call(stats.kurtosis, V, bias=False),
    call(stats.kurtosis, M, axis=1, keepdims=True),
    call(stats.entropy, P),
    call(stats.entropy, P, P[::-1] + 0.3),
    call(stats.entropy, P, base=2, axis=1),
    call(stats.entropy, P[0], P[1], keepdims=True),
    call(stats.boxcox, P, 0.4),
    call(stats.yeojohnson, M, 0.4),
    call(stats.yeojohnson, M, 2.0),
    call(correlation, V, M[:, 0].repeat(2)[:5] + V**2),
]
