"""Distributions of ``scipy.stats``."""

import numpy as np
from scipy import special, stats

from tests.rules.calls.form import call

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
        yield call(getattr(distribution, name), *given, seldom=seldom)
    for name in ("cdf", "sf", "logcdf", "logsf"):
        yield call(getattr(distribution, name), x, *own, loc, SCALE, seldom=seldom)
    for name in ("ppf", "isf"):
        yield call(getattr(distribution, name), U, *own, loc, SCALE, seldom=seldom)


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
        yield call(method, counts, *PARAMETERS[distribution], seldom=seldom)
    if distribution is stats.betabinom:
        return
    for name in ("cdf", "sf", "logcdf", "logsf"):
        counts = 0 * COUNTS if distribution is stats.bernoulli else COUNTS
        seldom = distribution not in OFTEN
        method = getattr(distribution, name)
        yield call(method, counts, *OF_CDF[distribution], seldom=seldom)


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


CALLS = [
    call(entropy_of_normal, MEAN, COV),
    call(NORMAL.entropy, MEAN, COV @ COV.T),
    call(NORMAL.entropy, MEAN, MEAN + 1.0),
    call(NORMAL.entropy, MEAN, 1.7),
    call(total_of_normal, R, MEAN, COV),
    call(total_of_normal, R[0], MEAN, COV),
    call(total_of_normal, GRID, MEAN, COV),
    call(total_of_normal, R, MEAN, MEAN + 1.0),
    call(total_of_normal, GRID, MEAN, 1.7),
    call(rows_of_normal, GRID, MEAN, COV),
    call(rows_of_normal, GRID, MEAN, 1.7),
    call(NORMAL.logpdf, R, MEAN, COV),
    call(NORMAL.pdf, R, MEAN, COV),
    call(NORMAL.logpdf, R[0], MEAN, COV),
    call(NORMAL.logpdf, GRID, MEAN, COV),
    call(NORMAL.logpdf, R[:1], MEAN, COV),
    call(NORMAL.logpdf, R, MEAN),
    call(NORMAL.logpdf, R, MEAN, 1.7),
    call(NORMAL.logpdf, R, MEAN, MEAN + 1.0),
    call(NORMAL.logpdf, R[0], MEAN, MEAN + 1.0),
    call(NORMAL.logpdf, R[0], None, COV),
    call(NORMAL.logpdf, R[:, ::-1], mean=[0.1, 0.3, 0.2], cov=COV + COV.T),
    call(multinomial_of_shares, R[0], np.array([1, 3, 0])),
    call(multinomial_of_shares, R[0], DRAWN),
    call(stats.truncnorm.logpdf, 0.3 * R, -ROW[:1] - 1.5, ROW[:1] + 1.2),
    call(stats.truncnorm.logpdf, R[0], 6.0, 9.0, R[0] - 7.1, note="far"),
    call(stats.truncnorm.pdf, 0.3 * R, -ROW[:1] - 1.5, ROW[:1] + 1.2),
    *(
        call(getattr(stats.truncnorm, name), 0.3 * R, -3, 2, 0.1, seldom=True)
        for name in ("cdf", "sf", "logcdf", "logsf")
    ),
    call(stats.truncnorm.ppf, U, -3, 2, 0.1, seldom=True),
    call(stats.truncnorm.isf, U, -3, 2, 0.1, seldom=True),
    call(dirichlet_of_shares, R[0], np.array([1.5, 2.5, 0.8])),
    call(dirichlet_of_shares, R.T, np.array([1.5, 2.5, 0.8])),
    *(c for d in DISCRETE for c in discrete_methods(d)),
    call(stats.poisson.logpmf, 3, 1.7),
    call(stats.poisson.logpmf, COUNTS, P, loc=-1),
    call(stats.binom.logpmf, 3, 7, 0.4, loc=1),
    call(stats.poisson.pmf, 4 - COUNTS, P, 3, note="outside"),
    call(stats.poisson.cdf, COUNTS, 1.7, note="one"),
    *(c for d in ON_ALL for c in methods(d, R)),
    *(c for d in ON_POSITIVE for c in methods(d, P)),
    *(c for d in ON_UNIT for c in methods(d, 0.5 * U)),
    *methods(stats.pareto, P + 2.0),
    *methods(stats.vonmises, 0.5 * R),
    call(stats.loguniform.logpdf, P, 0.1, ROW + 4.0),
    call(stats.loguniform.pdf, P, 0.1, ROW + 4.0),
    *(
        call(getattr(stats.loguniform, name), P, 1, 9, -1.0)
        for name in ("cdf", "sf", "logcdf", "logsf")
    ),
    call(stats.loguniform.ppf, U, 1, 9, -1.0),
    call(stats.loguniform.isf, U, 1, 9, -1.0),
    # Keywords and numbers.
    call(stats.norm.logpdf, R),
    call(stats.norm.logpdf, 0.7, 0.3, 1.2),
    call(stats.norm.logpdf, R, scale=2.0),
    call(stats.t.logpdf, 0.7, 2.5),
    call(stats.t.logpdf, R, df=ROW[:1], loc=0.4),
    call(stats.gamma.logpdf, P, a=2.5, scale=ROW),
    call(stats.norm.cdf, 0.3),
    call(stats.norm.ppf, 0.3),
    call(stats.norm.logcdf, np.array([-30.0, 6.0])),
    call(stats.norm.logsf, np.array([30.0, -6.0])),
    call(stats.norm.logpdf, R.astype(np.float32)),
    call(stats.norm.logpdf, R[:, ::2].T, LOC, ROW),
    # Outside of the support.
    *(
        call(d.pdf, R, *shapes(d), note="outside")
        for d in (*ON_POSITIVE, *ON_UNIT, stats.pareto)
    ),
    *(
        call(d.cdf, R, *shapes(d, True), note="outside")
        for d in (*ON_POSITIVE, *ON_UNIT, stats.pareto)
    ),
]
