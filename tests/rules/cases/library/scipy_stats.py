"""Functions of ``scipy.stats``."""

import numpy as np
from scipy import stats

from tests.rules.cases.form import case

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


CASES = [
    case(of_test(stats.linregress), V, M[:, 0].repeat(2)[:5] + V**2),
    case(of_test(stats.linregress, alternative="less"), V**2, V),
    case(of_test(stats.ttest_1samp), M, 0.2),
    case(of_test(stats.ttest_1samp, axis=1, alternative="greater"), M, 0.2),
    case(of_test(stats.ttest_1samp, axis=None), M, 0.2),
    case(of_test(stats.ttest_rel), M, P[::-1] ** 2),
    case(of_test(stats.ttest_ind), M, P[1:]),
    case(of_test(stats.ttest_ind, alternative="less"), V, M[:, 0]),
    case(of_test(stats.f_oneway), V, V[1:] ** 2, M[:, 1]),
    case(of_test(stats.f_oneway, axis=1), M, P[:, :2] ** 2),
    case(stats.gmean, P),
    case(stats.gmean, P, axis=None),
    case(stats.gmean, P, 1),
    case(stats.gmean, P, 0, None, W * np.ones(3), keepdims=True),
    case(stats.hmean, P),
    case(stats.hmean, P, axis=-1, keepdims=True),
    case(stats.hmean, P, 0, weights=np.ones((4, 3)) + M**2, note="weights"),
    case(stats.pmean, P, 3),
    case(stats.pmean, P, -0.5, axis=1, note="real"),
    case(stats.pmean, P, 0, axis=1, note="of logarithms"),
    case(stats.trim_mean, V, 0.25),
    case(stats.trim_mean, M, 0.3, axis=0),
    case(stats.trim_mean, M, 0.1, axis=None),
    case(stats.trim_mean, M, 0.4, axis=1),
    case(stats.zscore, M),
    case(stats.zscore, V),
    case(stats.zscore, M, axis=None, ddof=1),
    case(stats.zscore, M.T[::2], axis=1),
    case(stats.zscore, V.astype(np.float32)),
    case(stats.zmap, M, P),
    case(stats.zmap, 0.7, V),
    case(stats.zmap, M, P, axis=1, ddof=1),
    case(stats.sem, M),
    case(stats.sem, V, ddof=0),
    case(stats.sem, M, axis=None),
    case(stats.variation, P),
    case(stats.variation, P, 1, ddof=1),
    case(stats.moment, M),
    case(stats.moment, M, 3),
    case(stats.moment, M, 2, axis=1, keepdims=True),
    case(stats.moment, V, 4, center=0.3),
    case(stats.moment, V, [2, 3]),
    case(stats.moment, V, (1, 2, 0), center=0.3),
    case(stats.moment, M, [2, 1, 4], axis=1, keepdims=True),
    case(stats.moment, M, [3], axis=None),
    case(stats.moment, M, [1, 2, 3, 4, 5, 6]),
    case(stats.skew, M),
    case(stats.skew, V, bias=False),
    case(stats.skew, M, axis=None),
    case(stats.skew, M, axis=1, keepdims=True),
    case(stats.kurtosis, M),
    case(stats.kurtosis, V, fisher=False),
    case(stats.kurtosis, V, bias=False),
    case(stats.kurtosis, M, axis=1, keepdims=True),
    case(stats.entropy, P),
    case(stats.entropy, P, P[::-1] + 0.3),
    case(stats.entropy, P, base=2, axis=1),
    case(stats.entropy, P[0], P[1], keepdims=True),
    case(stats.boxcox, P, 0.4),
    case(stats.yeojohnson, M, 0.4),
    case(stats.yeojohnson, M, 2.0),
    case(correlation, V, M[:, 0].repeat(2)[:5] + V**2),
]
