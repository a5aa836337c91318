"""``scipy.stats``: continuous distributions.

A distribution has one text: the slopes of its standardised log-density, by the argument
z = (x - loc) / scale and by its shapes. Derivatives of all its methods follow. Values
are SciPy's own. Outside of the support the slopes are 0, as are those of the density.

By its shapes a distribution function has derivatives only if they are known in closed
form: then a second text gives them.

Source: the densities in SciPy's reference, after Johnson, Kotz and Balakrishnan,
Continuous Univariate Distributions, 1994.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from s2sad import rules

Text = Callable[..., Any]
_SUPPLIED = ("loc", "scale")


def signature_of(first: str, shapes: tuple[str, ...], rest: tuple[str, ...]) -> Any:
    """``(x, a, loc=0, scale=1)``, as SciPy takes the arguments of a method."""
    form = inspect.Parameter.POSITIONAL_OR_KEYWORD
    defaults = {"loc": 0, "scale": 1}
    parameters = [inspect.Parameter(name, form) for name in (first, *shapes)]
    for name in rest:
        parameters.append(inspect.Parameter(name, form, default=defaults[name]))
    return inspect.Signature(parameters)


def names_of_shapes(distribution: Any) -> tuple[str, ...]:
    """The names of the parameters other than loc and scale."""
    shapes = distribution.shapes
    return tuple(name.strip() for name in shapes.split(",")) if shapes else ()


def register_continuous(
    distribution: Any,
    slopes: Text,
    inside: float | None = None,
    of_cdf: Text | None = None,
) -> None:
    """Rules for the methods of a distribution: ``slopes(z, **shapes)`` are those of the
    log-density, ``of_cdf(z, **shapes)`` those of the distribution function by the
    shapes. ``inside`` is a point of a support that isn't all numbers."""
    shapes = names_of_shapes(distribution)
    refused = shapes if of_cdf is None else ()
    methods: tuple[tuple[str, str, Text, tuple[str, ...]], ...] = (
        ("logpdf", "x", _logpdf(slopes, inside), ()),
        ("pdf", "x", _pdf(slopes, inside), ()),
        ("cdf", "x", _cdf(distribution, of_cdf, 1.0), refused),
        ("sf", "x", _cdf(distribution, of_cdf, -1.0), refused),
        ("logcdf", "x", _logcdf(distribution, of_cdf, inside, 1.0), refused),
        ("logsf", "x", _logcdf(distribution, of_cdf, inside, -1.0), refused),
        ("ppf", "q", _ppf(distribution, of_cdf, 1.0), refused),
        ("isf", "q", _ppf(distribution, of_cdf, -1.0), refused),
    )
    for name, first, partials, cannot in methods:
        given = () if cannot else shapes
        key: Any = (type(distribution), name)
        rules.register(
            rules.Rule(
                key,
                signature_of(first, shapes, _SUPPLIED),
                kind=rules.elementwise_kind(getattr(distribution, name)),
                differentiable=(first, *_SUPPLIED, *given),
                partials=partials,
                singular=inside is not None
                or name not in ("logpdf", "pdf", "cdf", "sf"),
                lazy=True,
                refused=cannot,
            )
        )


# ------------------------------------------------------- texts for all distributions


def _logpdf(slopes: Text, inside: float | None) -> Text:
    def partials(x, loc=0, scale=1, *, out, **shapes):
        z = (x - loc) / scale
        outside = out == -np.inf
        if inside is not None:
            z = np.where(outside, inside, z)
        by_z, *by_shapes = slopes(z, **shapes)
        by_x = by_z / scale
        parts = (by_x, -by_x, -(1.0 + z * by_z) / scale, *by_shapes)
        if inside is not None:
            return (*(np.where(outside, 0.0, part) for part in parts),)
        return parts

    return partials


def _pdf(slopes: Text, inside: float | None) -> Text:
    def partials(x, loc=0, scale=1, *, out, **shapes):
        z = (x - loc) / scale
        if inside is not None:
            z = np.where(out == 0, inside, z)
        by_z, *by_shapes = slopes(z, **shapes)
        by_x = out * by_z / scale
        by_scale = -out * (1.0 + z * by_z) / scale
        return by_x, -by_x, by_scale, *(out * slope for slope in by_shapes)

    return partials


def _cdf(distribution: Any, of_cdf: Text | None, sign: float) -> Text:
    def partials(x, loc=0, scale=1, *, out, **shapes):
        density = sign * distribution.pdf(x, **shapes, loc=loc, scale=scale)
        z = (x - loc) / scale
        parts = (density, -density, -density * z)
        if of_cdf is None:
            return parts
        return *parts, *(sign * part for part in of_cdf(z, **shapes))

    return partials


def _logcdf(
    distribution: Any, of_cdf: Text | None, inside: float | None, sign: float
) -> Text:
    def partials(x, loc=0, scale=1, *, out, **shapes):
        log_density = distribution.logpdf(x, **shapes, loc=loc, scale=scale)
        if inside is not None:
            out = np.where(out == -np.inf, 0.0, out)
        relative = sign * np.exp(log_density - out)
        z = (x - loc) / scale
        parts = (relative, -relative, -relative * z)
        if of_cdf is None:
            return parts
        factor = sign * np.exp(-out)
        return *parts, *(factor * part for part in of_cdf(z, **shapes))

    return partials


def _ppf(distribution: Any, of_cdf: Text | None, sign: float) -> Text:
    def partials(q, loc=0, scale=1, *, out, **shapes):
        density = distribution.pdf(out, **shapes, loc=loc, scale=scale)
        z = (out - loc) / scale
        parts = (sign / density, 1.0, z)
        if of_cdf is None:
            return parts
        return *parts, *(-part / density for part in of_cdf(z, **shapes))

    return partials


# ------------------------------------------------------------------ on all numbers


def _norm(z):
    return (-z,)


def _t(z, df):
    square = z * z
    by_df = special.digamma(0.5 * (df + 1.0)) - special.digamma(0.5 * df)
    by_df = by_df - np.log1p(square / df) + (square - 1.0) / (df + square)
    return -(df + 1.0) * z / (df + square), 0.5 * by_df


def _laplace(z):
    return (-np.sign(z),)


def _cauchy(z):
    return (-2.0 * z / (1.0 + z * z),)


def _logistic(z):
    return (-np.tanh(0.5 * z),)


def _gumbel_r(z):
    return (np.exp(-z) - 1.0,)


def _gumbel_l(z):
    return (1.0 - np.exp(z),)


def _skewnorm(z, a):
    slope = np.exp(-0.5 * (a * z) ** 2 - special.log_ndtr(a * z))
    slope = slope / math.sqrt(2.0 * math.pi)
    return a * slope - z, z * slope


def _vonmises(z, kappa):
    mean = special.i1e(kappa) / special.i0e(kappa)
    return -kappa * np.sin(z), np.cos(z) - mean


register_continuous(stats.norm, _norm)
register_continuous(stats.t, _t)
register_continuous(stats.laplace, _laplace)
register_continuous(stats.cauchy, _cauchy)
register_continuous(stats.logistic, _logistic)
register_continuous(stats.gumbel_r, _gumbel_r)
register_continuous(stats.gumbel_l, _gumbel_l)
register_continuous(stats.skewnorm, _skewnorm)
register_continuous(stats.vonmises, _vonmises)


# ------------------------------------------------------------------ on an interval


def _uniform(z):
    return (0.0,)


def _beta(z, a, b):
    both = special.digamma(a + b)
    return (
        (a - 1.0) / z - (b - 1.0) / (1.0 - z),
        np.log(z) - special.digamma(a) + both,
        np.log1p(-z) - special.digamma(b) + both,
    )


def _powerlaw(z, a):
    return (a - 1.0) / z, 1.0 / a + np.log(z)


def _loguniform(z, a, b):
    width = np.log(b / a)
    return -1.0 / z, 1.0 / (a * width), -1.0 / (b * width)


def _powerlaw_cdf(z, a):
    inside = np.where((z > 0) & (z < 1), z, 1.0)
    return (inside**a * np.log(inside),)


def _truncnorm(z, a, b):
    """Their share of the normal distribution is computed on the side of zero where it
    is small."""
    low, high = np.where(a > 0, -b, a), np.where(a > 0, -a, b)
    log_high = special.log_ndtr(high)
    log_share = log_high + np.log(-np.expm1(special.log_ndtr(low) - log_high))
    by_a = np.exp(-0.5 * a * a - log_share) / math.sqrt(2.0 * math.pi)
    by_b = np.exp(-0.5 * b * b - log_share) / math.sqrt(2.0 * math.pi)
    return -z, by_a, -by_b


register_continuous(stats.uniform, _uniform, 0.5)
register_continuous(stats.truncnorm, _truncnorm, 0.5)
register_continuous(stats.beta, _beta, 0.5)
register_continuous(stats.powerlaw, _powerlaw, 0.5, _powerlaw_cdf)
register_continuous(stats.loguniform, _loguniform, 0.5)


# ------------------------------------------------------------------ on positive numbers


def _expon(z):
    return (-1.0,)


def _gamma(z, a):
    return (a - 1.0) / z - 1.0, np.log(z) - special.digamma(a)


def _invgamma(z, a):
    return (1.0 / z - a - 1.0) / z, -np.log(z) - special.digamma(a)


def _chi2(z, df):
    by_df = 0.5 * (np.log(0.5 * z) - special.digamma(0.5 * df))
    return (0.5 * df - 1.0) / z - 0.5, by_df


def _chi(z, df):
    by_df = np.log(z) - 0.5 * (math.log(2.0) + special.digamma(0.5 * df))
    return (df - 1.0) / z - z, by_df


def _f(z, dfn, dfd):
    total = dfd + dfn * z
    both = special.digamma(0.5 * (dfn + dfd))
    share = (dfn + dfd) / total
    by_dfn = np.log(dfn * z / total) + 1.0 - share * z
    by_dfd = np.log(dfd / total) + 1.0 - share
    return (
        (0.5 * dfn - 1.0) / z - 0.5 * share * dfn,
        0.5 * (by_dfn - special.digamma(0.5 * dfn) + both),
        0.5 * (by_dfd - special.digamma(0.5 * dfd) + both),
    )


def _halfnorm(z):
    return (-z,)


def _halfcauchy(z):
    return (-2.0 * z / (1.0 + z * z),)


def _rayleigh(z):
    return (1.0 / z - z,)


def _maxwell(z):
    return (2.0 / z - z,)


def _invgauss(z, mu):
    by_z = -1.5 / z - 0.5 / (mu * mu) + 0.5 / (z * z)
    return by_z, (z / mu - 1.0) / (mu * mu)


def _lognorm(z, s):
    steps = np.log(z) / s
    return -(1.0 + steps / s) / z, (steps * steps - 1.0) / s


def _lognorm_cdf(z, s):
    steps = np.log(np.where(z > 0, z, 1.0)) / s  # 0 outside
    return (-steps / s * np.exp(-0.5 * steps * steps) / math.sqrt(2.0 * math.pi),)


def _weibull_min(z, c):
    power = z**c
    return (c - 1.0 - c * power) / z, 1.0 / c + np.log(z) * (1.0 - power)


def _weibull_min_cdf(z, c):
    inside = np.where(z > 0, z, 1.0)
    power = inside**c
    return (np.exp(-power) * power * np.log(inside),)


def _pareto(z, b):
    return -(b + 1.0) / z, 1.0 / b - np.log(z)


def _pareto_cdf(z, b):
    inside = np.where(z > 1, z, 1.0)
    return (inside**-b * np.log(inside),)


register_continuous(stats.expon, _expon, 0.5)
register_continuous(stats.gamma, _gamma, 0.5)
register_continuous(stats.invgamma, _invgamma, 0.5)
register_continuous(stats.chi2, _chi2, 0.5)
register_continuous(stats.chi, _chi, 0.5)
register_continuous(stats.f, _f, 0.5)
register_continuous(stats.halfnorm, _halfnorm, 0.5)
register_continuous(stats.halfcauchy, _halfcauchy, 0.5)
register_continuous(stats.rayleigh, _rayleigh, 0.5)
register_continuous(stats.maxwell, _maxwell, 0.5)
register_continuous(stats.invgauss, _invgauss, 0.5)
register_continuous(stats.lognorm, _lognorm, 0.5, _lognorm_cdf)
register_continuous(stats.weibull_min, _weibull_min, 0.5, _weibull_min_cdf)
register_continuous(stats.pareto, _pareto, 2.0, _pareto_cdf)
