"""Moments of the distributions of ``scipy.stats``."""

import numpy as np
from scipy import stats

from tests.rules.cases.form import case

SCALE = np.array([[1.3], [0.8]])
ROW = np.array([2.7, 4.9])
NAMES = ("mean", "var", "std", "entropy")

WITHOUT_SHAPES = (
    *(stats.norm, stats.laplace, stats.logistic, stats.gumbel_r, stats.gumbel_l),
    *(stats.uniform, stats.expon, stats.halfnorm, stats.rayleigh, stats.maxwell),
)
WITH_SHAPES = (stats.gamma, stats.chi2, stats.lognorm, stats.weibull_min, stats.beta)
BY_SCALE = {
    **dict.fromkeys((stats.invgamma, stats.pareto, stats.chi, stats.skewnorm), (3,)),
    **{stats.invgauss: (3,), stats.f: (3, 7)},
}
"""Those whose derivatives by the shapes aren't known."""

OFTEN = (stats.norm, stats.gamma)
CASES = [
    *(
        case(getattr(d, n), 0.3, SCALE, seldom=d not in OFTEN)
        for d in WITHOUT_SHAPES
        for n in NAMES
    ),
    *(
        case(
            getattr(d, n),
            *(0.3 * ROW, 1.7)[: d.numargs],
            0.3,
            SCALE,
            seldom=d not in OFTEN,
        )
        for d in WITH_SHAPES
        for n in NAMES
    ),
    *(
        case(getattr(stats.t, n), ROW, 0.3, SCALE, seldom=True)
        for n in ("mean", "var", "std")
    ),
    case(stats.t.entropy, 3, 0.3, SCALE, seldom=True),
    *(
        case(getattr(d, n), *given, 0.3, SCALE, seldom=True)
        for d, given in BY_SCALE.items()
        for n in NAMES
    ),
    case(stats.norm.std, 0.3),
    case(stats.gamma.mean, 2.5, scale=1.5),
]
