"""``scipy.stats``: distributions of whole numbers, by their parameters.

A distribution has two texts: the slopes of its log-probability at k, and those of its
distribution function. What is counted, ``k``, and ``loc`` may not vary, nor may numbers
of trials. Outside of the support the slopes are 0. Values are SciPy's own.

Source: the probabilities in SciPy's reference, after Johnson, Kemp and Kotz, Univariate
Discrete Distributions, 2005.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from s2sad import rules
from s2sad.rules.python.numbers import divided
from s2sad.rules.scipy.stats import distributions, probabilities

Text = Callable[..., Any]


def register_discrete(
    distribution: Any,
    slopes: Text,
    of_cdf: Text | None,
    inside: int = 0,
    whole: tuple[str, ...] = (),
    whole_in_cdf: tuple[str, ...] = (),
) -> None:
    """Rules for the methods of a distribution.

    ``slopes(k, **shapes)`` are those of the log-probability by the shapes that aren't
    ``whole``, ``of_cdf(k, **shapes)`` those of the distribution function by the ones
    that aren't ``whole_in_cdf`` either. ``inside`` is a point of the support.
    """
    shapes = distributions.names_of_shapes(distribution)
    cannot = ("k", "loc", *whole)
    cannot_in_cdf = ("k", "loc", *whole, *whole_in_cdf)
    methods: list[tuple[str, Text, tuple[str, ...]]] = [
        ("logpmf", _logpmf(slopes, inside), cannot),
        ("pmf", _pmf(slopes, inside), cannot),
    ]
    if of_cdf is not None:
        methods += [
            ("cdf", _cdf(of_cdf, 1.0), cannot_in_cdf),
            ("sf", _cdf(of_cdf, -1.0), cannot_in_cdf),
            ("logcdf", _logcdf(of_cdf, 1.0), cannot_in_cdf),
            ("logsf", _logcdf(of_cdf, -1.0), cannot_in_cdf),
        ]
    form = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, form) for name in ("k", *shapes)]
    parameters.append(inspect.Parameter("loc", form, default=0))
    for name, partials, refused in methods:
        key: Any = (type(distribution), name)
        rules.register(
            rules.Rule(
                key,
                inspect.Signature(parameters),
                kind=rules.elementwise_kind(getattr(distribution, name)),
                differentiable=tuple(s for s in shapes if s not in refused),
                partials=partials,
                singular=True,
                lazy=True,
                refused=refused,
            )
        )


def bare(parts: tuple[Any, ...]) -> Any:
    """The form in which rules give the parts: one alone is no tuple."""
    return parts[0] if len(parts) == 1 else parts


def _logpmf(slopes: Text, inside: int) -> Text:
    def partials(k, loc=0, *, out, **shapes):
        outside = out == -np.inf
        counted = np.where(outside, inside, k - loc)
        parts = slopes(counted, **shapes)
        return bare((*(np.where(outside, 0.0, part) for part in parts),))

    return partials


def _pmf(slopes: Text, inside: int) -> Text:
    def partials(k, loc=0, *, out, **shapes):
        counted = np.where(out == 0, inside, k - loc)
        return bare((*(out * part for part in slopes(counted, **shapes)),))

    return partials


def _cdf(of_cdf: Text, sign: float) -> Text:
    def partials(k, loc=0, *, out, **shapes):
        parts = of_cdf(np.floor(k - loc), **shapes)
        return bare((*(sign * part for part in parts),))

    return partials


def _logcdf(of_cdf: Text, sign: float) -> Text:
    def partials(k, loc=0, *, out, **shapes):
        factor = sign * np.exp(-np.where(out == -np.inf, 0.0, out))
        parts = of_cdf(np.floor(k - loc), **shapes)
        return bare((*(factor * part for part in parts),))

    return partials


def _poisson(k, mu):
    return (divided(k, mu) - 1.0,)


def _poisson_cdf(k, mu):
    return (-stats.poisson.pmf(k, mu),)


def _binom(k, n, p):
    return (divided(k, p) - divided(n - k, 1.0 - p),)


def _binom_cdf(k, n, p):
    return (-n * stats.binom.pmf(k, n - 1, p),)


def _nbinom(k, n, p):
    by_n = special.digamma(k + n) - special.digamma(n) + np.log(p)
    return by_n, divided(n, p) - divided(k, 1.0 - p)


def _nbinom_cdf(k, n, p):
    inside = np.where(k >= 0, k, 0.0)
    return (np.where(k >= 0, probabilities.beta_density(n, inside + 1.0, p), 0.0),)


def _bernoulli(k, p):
    return (divided(k, p) - divided(1.0 - k, 1.0 - p),)


def _bernoulli_cdf(k, p):
    return (np.where(k == 0, -1.0, 0.0) + 0.0 * p,)


def _geom(k, p):
    return (divided(1.0, p) - divided(k - 1.0, 1.0 - p),)


def _geom_cdf(k, p):
    inside = np.where(k >= 1, k, 1.0)
    return (np.where(k >= 1, inside * np.power(1.0 - p, inside - 1.0), 0.0),)


def _betabinom(k, n, a, b):
    both = special.digamma(a + b) - special.digamma(n + a + b)
    return (
        special.digamma(k + a) - special.digamma(a) + both,
        special.digamma(n - k + b) - special.digamma(b) + both,
    )


register_discrete(stats.poisson, _poisson, _poisson_cdf)
register_discrete(stats.binom, _binom, _binom_cdf, whole=("n",))
register_discrete(stats.nbinom, _nbinom, _nbinom_cdf, whole_in_cdf=("n",))
register_discrete(stats.bernoulli, _bernoulli, _bernoulli_cdf)
register_discrete(stats.geom, _geom, _geom_cdf, inside=1)
register_discrete(stats.betabinom, _betabinom, None, whole=("n",))
