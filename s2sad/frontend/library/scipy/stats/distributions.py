"""Distributions of ``scipy.stats`` whose parameters are given once: ``norm(mu, s)``.

What their methods give is what the distribution's own methods give. That holds for one
that the program makes as for one that it finds in its module.
"""

import math
from typing import Any

import numpy as np
from scipy import stats
from scipy.stats import rv_continuous, rv_discrete

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


class Frozen:
    """A distribution with its parameters."""

    __s2sad_written_out__ = True

    def __init__(self, dist: Any, args: Any, kwds: Any) -> None:
        self.dist, self.args, self.kwds = dist, args, kwds

    def pdf(self, x):
        """``prior.pdf(x)``."""
        return self.dist.pdf(x, *self.args, **self.kwds)

    def logpdf(self, x):
        """``prior.logpdf(x)``."""
        return self.dist.logpdf(x, *self.args, **self.kwds)

    def pmf(self, k):
        """``prior.pmf(k)``."""
        return self.dist.pmf(k, *self.args, **self.kwds)

    def logpmf(self, k):
        """``prior.logpmf(k)``."""
        return self.dist.logpmf(k, *self.args, **self.kwds)

    def cdf(self, x):
        """``prior.cdf(x)``."""
        return self.dist.cdf(x, *self.args, **self.kwds)

    def logcdf(self, x):
        """``prior.logcdf(x)``."""
        return self.dist.logcdf(x, *self.args, **self.kwds)

    def sf(self, x):
        """``prior.sf(x)``."""
        return self.dist.sf(x, *self.args, **self.kwds)

    def logsf(self, x):
        """``prior.logsf(x)``."""
        return self.dist.logsf(x, *self.args, **self.kwds)

    def ppf(self, q):
        """``prior.ppf(q)``."""
        return self.dist.ppf(q, *self.args, **self.kwds)

    def isf(self, q):
        """``prior.isf(q)``."""
        return self.dist.isf(q, *self.args, **self.kwds)

    def rvs(self, size=None, random_state=None):
        """``prior.rvs(size)``."""
        return self.dist.rvs(
            *self.args, **self.kwds, size=size, random_state=random_state
        )

    def stats(self, moments="mv"):
        """``prior.stats()``."""
        return self.dist.stats(*self.args, **self.kwds, moments=moments)

    def mean(self):
        """``prior.mean()``."""
        return self.dist.mean(*self.args, **self.kwds)

    def median(self):
        """``prior.median()``."""
        return self.dist.median(*self.args, **self.kwds)

    def var(self):
        """``prior.var()``."""
        return self.dist.var(*self.args, **self.kwds)

    def std(self):
        """``prior.std()``."""
        return self.dist.std(*self.args, **self.kwds)

    def entropy(self):
        """``prior.entropy()``."""
        return self.dist.entropy(*self.args, **self.kwds)

    def moment(self, order):
        """``prior.moment(order)``."""
        return self.dist.moment(order, *self.args, **self.kwds)

    def interval(self, confidence):
        """``prior.interval(confidence)``."""
        return self.dist.interval(confidence, *self.args, **self.kwds)

    def support(self):
        """``prior.support()``."""
        return self.dist.support(*self.args, **self.kwds)


@stands_for(
    (rv_continuous, "__call__"),
    (rv_continuous, "freeze"),
    (rv_discrete, "__call__"),
    (rv_discrete, "freeze"),
    always=True,
    of_owner=True,
)
def frozen(dist: Any, *args: Any, **kwds: Any) -> Frozen:
    """``norm(mu, s)``."""
    return Frozen(dist, args, kwds)


class FrozenNormal:
    """A multivariate normal distribution with its parameters."""

    __s2sad_written_out__ = True

    def __init__(self, mean: Any, cov: Any) -> None:
        self.mean, self.cov = mean, cov

    def pdf(self, x):
        """``prior.pdf(x)``."""
        return stats.multivariate_normal.pdf(x, self.mean, self.cov)

    def logpdf(self, x):
        """``prior.logpdf(x)``."""
        return stats.multivariate_normal.logpdf(x, self.mean, self.cov)

    def cdf(self, x):
        """``prior.cdf(x)``."""
        return stats.multivariate_normal.cdf(x, self.mean, self.cov)

    def logcdf(self, x):
        """``prior.logcdf(x)``."""
        return stats.multivariate_normal.logcdf(x, self.mean, self.cov)

    def rvs(self, size=1, random_state=None):
        """``prior.rvs(size)``."""
        return stats.multivariate_normal.rvs(self.mean, self.cov, size, random_state)

    def entropy(self):
        """``prior.entropy()``."""
        return stats.multivariate_normal.entropy(self.mean, self.cov)


@stands_for((type(stats.multivariate_normal), "__call__"), always=True)
def frozen_normal(mean: Any = None, cov: Any = 1) -> FrozenNormal:
    """``multivariate_normal(mean, cov)``."""
    return FrozenNormal(mean, cov)


@stands_for((type(stats.multivariate_normal), "entropy"))
def entropy_of_normal(mean=None, cov=1):
    """``multivariate_normal.entropy(mean, cov)``. SciPy leaves out eigenvalues that are
    zero but for rounding; it reads the lower triangle."""
    if rules.known_rank(cov) == 2:
        variances = np.linalg.eigvalsh(cov)
    elif rules.known_rank(cov) == 1:
        variances = cov
    else:
        variances = cov * np.ones(1 if mean is None else np.size(mean))
    bound = 1e6 * np.finfo(np.float64).eps * np.max(np.abs(variances))
    if np.min(variances) < -bound:
        raise ValueError("The input matrix must be symmetric positive semidefinite.")
    kept = variances[variances > bound]
    return 0.5 * (len(kept) * (math.log(2.0 * math.pi) + 1.0) + np.sum(np.log(kept)))


class FrozenDirichlet:
    """A Dirichlet distribution with its parameters."""

    __s2sad_written_out__ = True

    def __init__(self, alpha: Any) -> None:
        self.alpha = alpha

    def pdf(self, x):
        """``prior.pdf(x)``."""
        return stats.dirichlet.pdf(x, self.alpha)

    def logpdf(self, x):
        """``prior.logpdf(x)``."""
        return stats.dirichlet.logpdf(x, self.alpha)

    def rvs(self, size=1, random_state=None):
        """``prior.rvs(size)``."""
        return stats.dirichlet.rvs(self.alpha, size, random_state)


@stands_for((type(stats.dirichlet), "__call__"), always=True)
def frozen_dirichlet(alpha: Any) -> FrozenDirichlet:
    """``dirichlet(alpha)``."""
    return FrozenDirichlet(alpha)


def _stand_for_methods(cls: Any, frozen_class: Any) -> None:
    """Let the methods stand for those of a class of SciPy's."""
    for name, method in vars(frozen_class).items():
        if not name.startswith("_") and hasattr(cls, name):
            stands_for((cls, name), of_owner=True)(method)


_stand_for_methods(type(stats.norm()), Frozen)
_stand_for_methods(type(stats.poisson(1.0)), Frozen)
_stand_for_methods(type(stats.multivariate_normal()), FrozenNormal)
_stand_for_methods(type(stats.dirichlet([1.0, 1.0])), FrozenDirichlet)
