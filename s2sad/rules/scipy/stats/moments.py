"""``scipy.stats``: means, variances and entropies of continuous distributions.

They follow from those of the standardised distribution, of which texts give the slopes
by the shapes where they are known. Source: Johnson, Kotz and Balakrishnan, Continuous
Univariate Distributions, 1994.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from s2sad import rules
from s2sad.rules.scipy.stats.distributions import names_of_shapes, signature_of

Text = Callable[..., Any]


def register_moments(
    distribution: Any,
    of_mean: Text | None = None,
    of_variance: Text | None = None,
    of_entropy: Text | None = None,
) -> None:
    """Rules for the moments of a distribution: each text gives slopes by the shapes."""
    shapes = names_of_shapes(distribution)
    form = inspect.Parameter.POSITIONAL_OR_KEYWORD
    settings = tuple(signature_of("x", shapes, ("loc", "scale")).parameters.values())
    for name, text, partials in (
        ("mean", of_mean, _mean),
        ("var", of_variance, _var),
        ("std", of_variance, _std),
        ("entropy", of_entropy, _entropy),
    ):
        refused = shapes if text is None else ()
        key: Any = (type(distribution), name)
        rules.register(
            rules.Rule(
                key,
                inspect.Signature([p.replace(kind=form) for p in settings[1:]]),
                kind=rules.elementwise_kind(getattr(distribution, name)),
                differentiable=("loc", "scale", *(shapes if text else ())),
                partials=partials(text),
                singular=True,
                lazy=True,
                refused=refused,
            )
        )


def _mean(of_mean: Text | None) -> Text:
    def partials(loc=0, scale=1, *, out, **shapes):
        parts = (1.0, (out - loc) / scale)
        if of_mean is None:
            return parts
        return *parts, *(scale * part for part in of_mean(**shapes))

    return partials


def _var(of_variance: Text | None) -> Text:
    def partials(loc=0, scale=1, *, out, **shapes):
        parts = (0.0, 2.0 * out / scale)
        if of_variance is None:
            return parts
        return *parts, *(scale * scale * part for part in of_variance(**shapes))

    return partials


def _std(of_variance: Text | None) -> Text:
    def partials(loc=0, scale=1, *, out, **shapes):
        parts = (0.0, out / scale)
        if of_variance is None:
            return parts
        factor = 0.5 * scale * scale / out
        return *parts, *(factor * part for part in of_variance(**shapes))

    return partials


def _entropy(of_entropy: Text | None) -> Text:
    def partials(loc=0, scale=1, *, out, **shapes):
        parts = (0.0, 1.0 / scale)
        if of_entropy is None:
            return parts
        return *parts, *of_entropy(**shapes)

    return partials


def _one(a):
    return (1.0,)


def _gamma_entropy(a):
    return (1.0 + (1.0 - a) * special.polygamma(1, a),)


def _chi2_mean(df):
    return (1.0,)


def _chi2_variance(df):
    return (2.0,)


def _chi2_entropy(df):
    return (0.5 + 0.5 * (1.0 - 0.5 * df) * special.polygamma(1, 0.5 * df),)


def _t_mean(df):
    return (0.0,)


def _t_variance(df):
    """It is infinite up to 2."""
    return (np.where(df > 2, -2.0 / np.square(np.where(df > 2, df - 2.0, 1.0)), 0.0),)


def _beta_mean(a, b):
    squares = np.square(a + b)
    return b / squares, -a / squares


def _beta_variance(a, b):
    """The variance is a b / ((a + b)^2 (a + b + 1))."""
    total = a + b
    variance = a * b / (total * total * (total + 1.0))
    shrinking = 2.0 / total + 1.0 / (total + 1.0)
    return variance * (1.0 / a - shrinking), variance * (1.0 / b - shrinking)


def _beta_entropy(a, b):
    both = (a + b - 2.0) * special.polygamma(1, a + b)
    return (
        both - (a - 1.0) * special.polygamma(1, a),
        both - (b - 1.0) * special.polygamma(1, b),
    )


def _lognorm_mean(s):
    return (s * np.exp(0.5 * s * s),)


def _lognorm_variance(s):
    """The variance is (p - 1) p with p = exp(s^2)."""
    p = np.exp(s * s)
    return (2.0 * s * p * (2.0 * p - 1.0),)


def _lognorm_entropy(s):
    return (1.0 / s,)


def _weibull_mean(c):
    """The mean is gamma(1 + 1 / c)."""
    first = 1.0 + 1.0 / c
    return (-special.gamma(first) * special.digamma(first) / (c * c),)


def _weibull_variance(c):
    first, second = 1.0 + 1.0 / c, 1.0 + 2.0 / c
    square = special.gamma(first) ** 2 * special.digamma(first)
    moment = special.gamma(second) * special.digamma(second)
    return (2.0 * (square - moment) / (c * c),)


def _weibull_entropy(c):
    return (np.euler_gamma / (c * c) - 1.0 / c,)


register_moments(stats.gamma, _one, _one, _gamma_entropy)
register_moments(stats.chi2, _chi2_mean, _chi2_variance, _chi2_entropy)
register_moments(stats.t, _t_mean, _t_variance)
register_moments(stats.beta, _beta_mean, _beta_variance, _beta_entropy)
register_moments(stats.lognorm, _lognorm_mean, _lognorm_variance, _lognorm_entropy)
register_moments(stats.weibull_min, _weibull_mean, _weibull_variance, _weibull_entropy)
for _distribution in (
    *(stats.norm, stats.laplace, stats.logistic, stats.gumbel_r),
    *(stats.gumbel_l, stats.uniform, stats.expon, stats.halfnorm),
    *(stats.rayleigh, stats.maxwell, stats.invgamma, stats.invgauss, stats.pareto),
    *(stats.f, stats.chi, stats.skewnorm),
):
    register_moments(_distribution)
