"""``scipy.special``: gamma and beta functions, exponentials and logarithms, and what
statistics and learning make of them.

Parameters that stand in ``refused`` have derivatives without a closed form. Formulas
are those of the NIST Digital Library of Mathematical Functions (DLMF), or follow from
the definition of the function. Python floats as constants leave float32 as it is.
"""

import math

import numpy as np
from scipy import special

from s2sad import rules
from s2sad.rules.python.numbers import divided

# Gamma and beta functions: DLMF 5.2.2, 5.15, 5.12.1.
rules.elementwise(
    (special.gammaln, special.loggamma),
    lambda x, out: special.digamma(x),
    singular=True,
)
rules.elementwise(special.gamma, lambda x, out: out * special.digamma(x), singular=True)
rules.elementwise(
    special.rgamma, lambda x, out: -out * special.digamma(x), singular=True
)
rules.elementwise(
    (special.digamma, special.psi),
    lambda z, out: special.polygamma(1, z),
    singular=True,
)
rules.in_last_argument(
    special.polygamma, lambda n, x, out: special.polygamma(n + 1, x), singular=True
)
rules.elementwise(
    special.zeta,
    lambda x, q=None, *, out: -x * special.zeta(x + 1, q),
    refused=("x",),
    singular=True,
)
rules.without_derivative(
    special.gammasgn, lambda x: ..., kind=rules.elementwise_kind(special.gammasgn)
)


def _betaln(a, b, out):
    both = special.digamma(a + b)
    return special.digamma(a) - both, special.digamma(b) - both


def _beta(a, b, out):
    both = special.digamma(a + b)
    return out * (special.digamma(a) - both), out * (special.digamma(b) - both)


def _poch(z, m, out):
    end = special.digamma(z + m)
    return out * (end - special.digamma(z)), out * end


def _binom(n, k, out):
    rest = special.digamma(n - k + 1.0)
    return (
        out * (special.digamma(n + 1.0) - rest),
        out * (rest - special.digamma(k + 1.0)),
    )


rules.elementwise(special.betaln, _betaln, singular=True)
rules.elementwise(special.beta, _beta, singular=True)
rules.elementwise(special.poch, _poch, singular=True)
rules.elementwise(special.binom, _binom, singular=True)

# Exponentials and logarithms.
rules.elementwise(special.expm1, lambda x, out: np.exp(x), singular=True)
rules.elementwise(special.exp2, lambda x, out: out * math.log(2.0), singular=True)
rules.elementwise(special.exp10, lambda x, out: out * math.log(10.0), singular=True)
rules.elementwise(special.log1p, lambda x, out: divided(1.0, 1.0 + x), singular=True)
rules.elementwise(special.cbrt, lambda x, out: 1.0 / (3.0 * out * out), singular=True)
rules.elementwise(special.cosm1, lambda x, out: -np.sin(x))
rules.elementwise(
    special.powm1,
    lambda x, y, out: (y * np.power(x, y - 1.0), (out + 1.0) * np.log(x)),
    singular=True,
)
# exprel(x) is 1F1(1; 2; x): DLMF 13.6.2 and 13.3.15.
rules.elementwise(
    special.exprel, lambda x, out: 0.5 * special.hyp1f1(2.0, 3.0, x), singular=True
)
rules.elementwise(special.wrightomega, lambda z, out: out / (1.0 + out))
rules.elementwise(special.expit, lambda x, out: out * (1.0 - out))
rules.elementwise(special.log_expit, lambda x, out: special.expit(-x))
rules.elementwise(
    special.logit, lambda x, out: divided(1.0, x * (1.0 - x)), singular=True
)
if hasattr(special, "softplus"):
    rules.elementwise(special.softplus, lambda x, out: special.expit(x))

# Entropies. Where x is 0, so is x log(y) for each y.
rules.elementwise(
    special.xlogy,
    lambda x, y, out: (np.log(y), x / np.where(x == 0, 1.0, y)),
    singular=True,
)
rules.elementwise(
    special.xlog1py,
    lambda x, y, out: (np.log1p(y), x / np.where(x == 0, 1.0, 1.0 + y)),
    singular=True,
)
rules.elementwise(special.entr, lambda x, out: -np.log(x) - 1.0, singular=True)
rules.elementwise(
    special.rel_entr,
    lambda x, y, out: (
        np.log(x) - np.log(y) + 1.0,
        -x / np.where(x == 0, 1.0, y),
    ),
    singular=True,
)
rules.elementwise(
    special.kl_div,
    lambda x, y, out: (
        np.log(x) - np.log(y),
        1.0 - x / np.where(x == 0, 1.0, y),
    ),
    singular=True,
)

# Losses.
rules.elementwise(
    special.huber,
    lambda delta, r, out: (
        np.maximum(np.abs(r) - delta, 0.0),
        np.clip(r, -delta, delta),
    ),
)


def _pseudo_huber(delta, r, out):
    ratio = divided(r, delta)
    root = np.hypot(1.0, ratio)
    return 2.0 * delta * (root - 1.0) - ratio * r / root, r / root


rules.elementwise(special.pseudo_huber, _pseudo_huber, singular=True)


# The transformation of Box and Cox (An analysis of transformations, 1964) is
# log(x) exprel(lmbda log(x)). Its inverse is exp(y f(lmbda y)) with f(t) = log1p(t) / t
# = 2F1(1, 1; 2; -t), DLMF 15.4.1 and 15.5.1. Both are smooth where lmbda is 0.
def _boxcox(x, lmbda, out):
    log = np.log(x)
    slope = special.hyp1f1(2.0, 3.0, lmbda * log)
    return np.power(x, lmbda - 1.0), 0.5 * log * log * slope


def _boxcox1p(x, lmbda, out):
    log = np.log1p(x)
    slope = special.hyp1f1(2.0, 3.0, lmbda * log)
    return np.exp((lmbda - 1.0) * log), 0.5 * log * log * slope


def _inv_boxcox(y, lmbda, out):
    slope = special.hyp2f1(2.0, 2.0, 3.0, -lmbda * y)
    return divided(out, 1.0 + lmbda * y), -0.5 * out * y * y * slope


def _inv_boxcox1p(y, lmbda, out):
    slope = special.hyp2f1(2.0, 2.0, 3.0, -lmbda * y)
    whole = 1.0 + out
    return divided(whole, 1.0 + lmbda * y), -0.5 * whole * y * y * slope


rules.elementwise(special.boxcox, _boxcox, singular=True)
rules.elementwise(special.boxcox1p, _boxcox1p, singular=True)
rules.elementwise(special.inv_boxcox, _inv_boxcox, singular=True)
rules.elementwise(special.inv_boxcox1p, _inv_boxcox1p, singular=True)

# Trigonometric functions of degrees.
rules.elementwise(special.sindg, lambda x, out: special.cosdg(x) * (math.pi / 180.0))
rules.elementwise(special.cosdg, lambda x, out: -special.sindg(x) * (math.pi / 180.0))
rules.elementwise(special.tandg, lambda x, out: (1.0 + out * out) * (math.pi / 180.0))
rules.elementwise(
    special.cotdg, lambda x, out: -(1.0 + out * out) * (math.pi / 180.0), singular=True
)
rules.elementwise(
    special.radian,
    lambda d, m, s, out: (math.pi / 180.0, math.pi / 10800.0, math.pi / 648000.0),
    cheap=True,
)

# The inverse of w exp(w): DLMF 4.13.4. Its values are complex numbers.
rules.elementwise(
    special.lambertw,
    lambda z, k=0, tol=1e-8, *, out: divided(1.0, np.exp(out) * (1.0 + out)),
    differentiable=("z",),
    singular=True,
    complex=True,
)
