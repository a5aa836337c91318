"""Functions of ``scipy.special`` that are made of others."""

import numpy as np
from scipy import special

from s2sad.frontend.library.texts import stands_for


@stands_for(special.factorial)
def factorial(n):
    """``special.factorial(n)``, 0 of negative numbers."""
    return np.where(np.asarray(n) < 0, 0.0, special.gamma(n + 1.0))[()]


@stands_for(special.comb)
def comb(N, k):
    """``special.comb(N, k)``, 0 outside of its domain."""
    inside = (k <= N) & (N >= 0) & (k >= 0)
    return np.where(inside, special.binom(N, k), 0.0)[()]


@stands_for(special.perm)
def perm(N, k):
    """``special.perm(N, k)``, 0 outside of its domain."""
    inside = (k <= N) & (N >= 0) & (k >= 0)
    return np.where(inside, special.poch(N - k + 1, k), 0.0)[()]


@stands_for(special.multigammaln)
def multigammaln(a, d):
    """``special.multigammaln(a, d)``."""
    if np.any(a <= 0.5 * (d - 1)):
        raise ValueError("condition a > 0.5 * (d-1) not met")
    total = special.gammaln(a)
    for j in range(2, d + 1):
        total = total + special.gammaln(a - (j - 1.0) / 2)
    return d * (d - 1) * 0.25 * np.log(np.pi) + total
