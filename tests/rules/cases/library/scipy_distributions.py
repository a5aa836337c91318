"""Distributions of ``scipy.stats``."""

import numpy as np
from scipy import special, stats

from tests.rules.cases.form import case

R = np.array([[0.3, -1.2, 2.1], [-0.4, 0.8, -3.3]])
"""Real numbers."""
P = np.array([[0.3, 1.7], [2.9, 0.6]])
"""Positive numbers."""
U = np.array([[0.3, 0.05], [0.92, 0.6]])
"""Numbers between 0 and 1."""
ROW = np.array([0.7, 1.9])
LOC, SCALE = 0.2, np.array([[1.3], [0.8]])

ON_ALL = (
    *(stats.norm, stats.laplace, stats.cauchy, stats.logistic, stats.gumbel_r),
    *(stats.gumbel_l, stats.t, stats.skewnorm),
)
ON_POSITIVE = (
    *(stats.expon, stats.gamma, stats.invgamma, stats.chi2, stats.chi, stats.f),
    *(stats.halfnorm, stats.halfcauchy, stats.rayleigh, stats.maxwell),
    *(stats.invgauss, stats.lognorm, stats.weibull_min),
)
ON_UNIT = (stats.uniform, stats.beta, stats.powerlaw)
SHAPES = (2.3, 3.1)
WHOLE = (2, 3)
IN_CLOSED_FORM = (stats.lognorm, stats.weibull_min, stats.pareto, stats.powerlaw)
"""Distribution functions with derivatives by the shapes."""


def shapes(distribution, of_cdf=False):
    given = distribution.numargs
    floats = not of_cdf or distribution in IN_CLOSED_FORM
    return (SHAPES if floats else WHOLE)[:given]


OFTEN = (stats.norm, stats.t, stats.gamma, stats.lognorm, stats.poisson)


def methods(distribution, x):
    """Calls of the methods at points of the support, of shares in their inverses."""
    loc = 0.2 if distribution is stats.pareto else -0.2
    seldom = distribution not in OFTEN
    own = shapes(distribution, of_cdf=True)
    for name in ("logpdf", "pdf"):
        given = (x, *shapes(distribution), loc, SCALE)
        yield case(getattr(distribution, name), *given, seldom=seldom)
    for name in ("cdf", "sf", "logcdf", "logsf"):
        yield case(getattr(distribution, name), x, *own, loc, SCALE, seldom=seldom)
    for name in ("ppf", "isf"):
        yield case(getattr(distribution, name), U, *own, loc, SCALE, seldom=seldom)


DISCRETE = (
    *(stats.poisson, stats.binom, stats.nbinom, stats.bernoulli, stats.geom),
    *(stats.betabinom,),
)
PARAMETERS = {
    stats.poisson: (P,),
    stats.binom: (5, U),
    stats.nbinom: (P, U),
    stats.bernoulli: (U,),
    stats.geom: (U,),
    stats.betabinom: (5, P, ROW),
}
OF_CDF = {**PARAMETERS, stats.nbinom: (3, U)}
COUNTS = np.array([[0, 3], [1, 2]])


def discrete_methods(distribution):
    """Calls of the methods, by the parameters."""
    for name in ("logpmf", "pmf"):
        method = getattr(distribution, name)
        counts = COUNTS % 2 if distribution is stats.bernoulli else COUNTS
        seldom = distribution not in OFTEN
        yield case(method, counts, *PARAMETERS[distribution], seldom=seldom)
    if distribution is stats.betabinom:
        return
    for name in ("cdf", "sf", "logcdf", "logsf"):
        counts = 0 * COUNTS if distribution is stats.bernoulli else COUNTS
        seldom = distribution not in OFTEN
        method = getattr(distribution, name)
        yield case(method, counts, *OF_CDF[distribution], seldom=seldom)


COV = np.array([[1.2, 0.0, 0.0], [0.3, 0.9, 0.0], [-0.2, 0.1, 1.5]])
"""SciPy reads the lower triangle."""
MEAN = np.array([0.2, -0.5, 1.0])
GRID = np.stack([R, 0.5 * R, R + 0.3, -R])
NORMAL = stats.multivariate_normal


DRAWN = np.array([[1, 3, 0], [2, 1, 1]])


def total_of_normal(x, mean, cov):
    return np.sum(stats.multivariate_normal.logpdf(x, mean, cov))


def rows_of_normal(x, mean, cov):
    """A cotangent that broadcasts to the result."""
    return np.sum(stats.multivariate_normal.logpdf(x, mean, cov), axis=0)


def multinomial_of_shares(z, drawn):
    shares = special.softmax(z)
    log_probability = stats.multinomial.logpmf(drawn, 4, shares)
    return log_probability + stats.multinomial.pmf(drawn, 4, shares)


def dirichlet_of_shares(z, alpha):
    shares = special.softmax(z, axis=0)
    log_density = stats.dirichlet.logpdf(shares, alpha)
    return log_density + stats.dirichlet.pdf(shares, alpha)


def entropy_of_normal(mean, cov):
    made = stats.multivariate_normal(mean, cov)
    return made.entropy() + stats.multivariate_normal.entropy(mean, cov) ** 2


CASES = [
    case(entropy_of_normal, MEAN, COV),
    case(NORMAL.entropy, MEAN, COV @ COV.T),
    case(NORMAL.entropy, MEAN, MEAN + 1.0),
    case(NORMAL.entropy, MEAN, 1.7),
    case(total_of_normal, R, MEAN, COV),
    case(total_of_normal, R[0], MEAN, COV),
    case(total_of_normal, GRID, MEAN, COV),
    case(total_of_normal, R, MEAN, MEAN + 1.0),
    case(total_of_normal, GRID, MEAN, 1.7),
    case(rows_of_normal, GRID, MEAN, COV),
    case(rows_of_normal, GRID, MEAN, 1.7),
    case(NORMAL.logpdf, R, MEAN, COV),
    case(NORMAL.pdf, R, MEAN, COV),
    case(NORMAL.logpdf, R[0], MEAN, COV),
    case(NORMAL.logpdf, GRID, MEAN, COV),
    case(NORMAL.logpdf, R[:1], MEAN, COV),
    case(NORMAL.logpdf, R, MEAN),
    case(NORMAL.logpdf, R, MEAN, 1.7),
    case(NORMAL.logpdf, R, MEAN, MEAN + 1.0),
    case(NORMAL.logpdf, R[0], MEAN, MEAN + 1.0),
    case(NORMAL.logpdf, R[0], None, COV),
    case(NORMAL.logpdf, R[:, ::-1], mean=[0.1, 0.3, 0.2], cov=COV + COV.T),
    case(multinomial_of_shares, R[0], np.array([1, 3, 0])),
    case(multinomial_of_shares, R[0], DRAWN),
    case(stats.truncnorm.logpdf, 0.3 * R, -ROW[:1] - 1.5, ROW[:1] + 1.2),
    case(stats.truncnorm.logpdf, R[0], 6.0, 9.0, R[0] - 7.1, note="far"),
    case(stats.truncnorm.pdf, 0.3 * R, -ROW[:1] - 1.5, ROW[:1] + 1.2),
    *(
        case(getattr(stats.truncnorm, name), 0.3 * R, -3, 2, 0.1, seldom=True)
        for name in ("cdf", "sf", "logcdf", "logsf")
    ),
    case(stats.truncnorm.ppf, U, -3, 2, 0.1, seldom=True),
    case(stats.truncnorm.isf, U, -3, 2, 0.1, seldom=True),
    case(dirichlet_of_shares, R[0], np.array([1.5, 2.5, 0.8])),
    case(dirichlet_of_shares, R.T, np.array([1.5, 2.5, 0.8])),
    *(c for d in DISCRETE for c in discrete_methods(d)),
    case(stats.poisson.logpmf, 3, 1.7),
    case(stats.poisson.logpmf, COUNTS, P, loc=-1),
    case(stats.binom.logpmf, 3, 7, 0.4, loc=1),
    case(stats.poisson.pmf, 4 - COUNTS, P, 3, note="outside"),
    case(stats.poisson.cdf, COUNTS, 1.7, note="one"),
    *(c for d in ON_ALL for c in methods(d, R)),
    *(c for d in ON_POSITIVE for c in methods(d, P)),
    *(c for d in ON_UNIT for c in methods(d, 0.5 * U)),
    *methods(stats.pareto, P + 2.0),
    *methods(stats.vonmises, 0.5 * R),
    case(stats.loguniform.logpdf, P, 0.1, ROW + 4.0),
    case(stats.loguniform.pdf, P, 0.1, ROW + 4.0),
    *(
        case(getattr(stats.loguniform, name), P, 1, 9, -1.0)
        for name in ("cdf", "sf", "logcdf", "logsf")
    ),
    case(stats.loguniform.ppf, U, 1, 9, -1.0),
    case(stats.loguniform.isf, U, 1, 9, -1.0),
    # Keywords and numbers.
    case(stats.norm.logpdf, R),
    case(stats.norm.logpdf, 0.7, 0.3, 1.2),
    case(stats.norm.logpdf, R, scale=2.0),
    case(stats.t.logpdf, 0.7, 2.5),
    case(stats.t.logpdf, R, df=ROW[:1], loc=0.4),
    case(stats.gamma.logpdf, P, a=2.5, scale=ROW),
    case(stats.norm.cdf, 0.3),
    case(stats.norm.ppf, 0.3),
    case(stats.norm.logcdf, np.array([-30.0, 6.0])),
    case(stats.norm.logsf, np.array([30.0, -6.0])),
    case(stats.norm.logpdf, R.astype(np.float32)),
    case(stats.norm.logpdf, R[:, ::2].T, LOC, ROW),
    # Outside of the support.
    *(
        case(d.pdf, R, *shapes(d), note="outside")
        for d in (*ON_POSITIVE, *ON_UNIT, stats.pareto)
    ),
    *(
        case(d.cdf, R, *shapes(d, True), note="outside")
        for d in (*ON_POSITIVE, *ON_UNIT, stats.pareto)
    ),
]
