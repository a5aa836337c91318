"""``scipy.special``: the error function and its kin, incomplete gamma and beta
functions, and the distribution functions made of them.

Derivatives by the argument are densities; those of inverses one over them. Source: DLMF
7.2, 7.17, 8.2 and 8.17.
"""

import functools
import math

import numpy as np
from scipy import special

from s2sad import rules
from s2sad.rules.python.numbers import divided

_by_last = functools.partial(rules.in_last_argument, singular=True)

# The error function.
rules.elementwise(
    special.erf,
    lambda x, out: 2.0 / math.sqrt(math.pi) * np.exp(-x * x),
    complex=True,
)
rules.elementwise(
    special.erfc,
    lambda x, out: -2.0 / math.sqrt(math.pi) * np.exp(-x * x),
    complex=True,
)
rules.elementwise(
    special.erfi,
    lambda x, out: 2.0 / math.sqrt(math.pi) * np.exp(x * x),
    singular=True,
    complex=True,
)
rules.elementwise(
    special.erfcx,
    lambda x, out: 2.0 * x * out - 2.0 / math.sqrt(math.pi),
    singular=True,
    complex=True,
)
rules.elementwise(special.dawsn, lambda x, out: 1.0 - 2.0 * x * out, complex=True)
rules.elementwise(
    special.erfinv,
    lambda y, out: 0.5 * math.sqrt(math.pi) * np.exp(out * out),
    singular=True,
)
rules.elementwise(
    special.erfcinv,
    lambda y, out: -0.5 * math.sqrt(math.pi) * np.exp(out * out),
    singular=True,
)

# The normal distribution.
rules.elementwise(
    special.ndtr,
    lambda x, out: np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi),
)
rules.elementwise(
    special.log_ndtr,
    lambda x, out: np.exp(-0.5 * x * x - out) / math.sqrt(2.0 * math.pi),
    singular=True,
)
rules.elementwise(
    special.ndtri,
    lambda y, out: math.sqrt(2.0 * math.pi) * np.exp(0.5 * out * out),
    singular=True,
)
rules.elementwise(
    special.ndtri_exp,
    lambda y, out: math.sqrt(2.0 * math.pi) * np.exp(y + 0.5 * out * out),
    singular=True,
)
# Owen, Tables for computing bivariate normal probabilities, 1956, (2.1) and (2.2).
rules.elementwise(
    special.owens_t,
    lambda h, a, out: (
        -special.erf(a * h / math.sqrt(2.0))
        * np.exp(-0.5 * h * h)
        / math.sqrt(8.0 * math.pi),
        np.exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * math.pi * (1.0 + a * a)),
    ),
)


# Incomplete gamma functions. A density is 0 for arguments below 0, where xlogy is nan.
def gamma_density(a, x):
    """The derivative of ``special.gammainc(a, x)`` by x."""
    return np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))


def beta_density(a, b, x):
    """The derivative of ``special.betainc(a, b, x)`` by x."""
    powers = special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x)
    return np.exp(powers - special.betaln(a, b))


def t_density(df, t):
    """The density of Student's distribution."""
    scale = special.beta(0.5 * df, 0.5) * np.sqrt(df)
    return np.exp(-0.5 * (df + 1.0) * np.log1p(t * t / df)) / scale


def f_density(dfn, dfd, x):
    """The density of Fisher's distribution, whose distribution function is
    ``betainc(dfn / 2, dfd / 2, dfn x / (dfn x + dfd))``."""
    total = dfn * x + dfd
    slope = dfn * dfd / (total * total)
    return beta_density(0.5 * dfn, 0.5 * dfd, dfn * x / total) * slope


_by_last(special.gammainc, lambda a, x, out: gamma_density(a, x))
_by_last(special.gammaincc, lambda a, x, out: -gamma_density(a, x))
_by_last(special.gammaincinv, lambda a, y, out: divided(1.0, gamma_density(a, out)))
_by_last(special.gammainccinv, lambda a, y, out: divided(-1.0, gamma_density(a, out)))
_by_last(special.betainc, lambda a, b, x, out: beta_density(a, b, x))
_by_last(special.betaincinv, lambda a, b, y, out: divided(1.0, beta_density(a, b, out)))
if hasattr(special, "betaincc"):
    _by_last(special.betaincc, lambda a, b, x, out: -beta_density(a, b, x))
    _by_last(
        special.betainccinv, lambda a, b, y, out: divided(-1.0, beta_density(a, b, out))
    )

# Distribution functions, their complements and inverses.
_by_last(special.chdtr, lambda v, x, out: 0.5 * gamma_density(0.5 * v, 0.5 * x))
_by_last(special.chdtrc, lambda v, x, out: -0.5 * gamma_density(0.5 * v, 0.5 * x))
_by_last(
    special.chdtri, lambda v, p, out: divided(-2.0, gamma_density(0.5 * v, 0.5 * out))
)


def _gdtr(a, b, x, out):
    density = gamma_density(b, a * x)
    return x * density, a * density


def _gdtrc(a, b, x, out):
    density = gamma_density(b, a * x)
    return -x * density, -a * density


rules.elementwise(special.gdtr, _gdtr, refused=("b",), singular=True)
rules.elementwise(special.gdtrc, _gdtrc, refused=("b",), singular=True)
rules.in_last_argument(special.stdtr, lambda df, t, out: t_density(df, t))
_by_last(special.stdtrit, lambda df, p, out: divided(1.0, t_density(df, out)))
_by_last(special.fdtr, lambda dfn, dfd, x, out: f_density(dfn, dfd, x))
_by_last(special.fdtrc, lambda dfn, dfd, x, out: -f_density(dfn, dfd, x))
_by_last(special.fdtri, lambda dfn, dfd, p, out: divided(1.0, f_density(dfn, dfd, out)))


# Sums of the probabilities of whole numbers. They take steps in k and n.
def _nbdtr(k, n, p, out):
    return beta_density(n, np.floor(k) + 1.0, p)


def _bdtr(k, n, p, out):
    whole = np.floor(k)
    return -beta_density(whole + 1.0, n - whole, p)


_by_last(special.pdtr, lambda k, m, out: -gamma_density(np.floor(k) + 1.0, m))
_by_last(special.pdtrc, lambda k, m, out: gamma_density(np.floor(k) + 1.0, m))
_by_last(special.bdtr, _bdtr)
_by_last(
    special.bdtrc,
    lambda k, n, p, out: beta_density(np.floor(k) + 1.0, n - np.floor(k), p),
)
_by_last(special.nbdtr, _nbdtr)
