"""``scipy.stats``: ``multivariate_normal``, ``dirichlet`` and ``multinomial``.

With the deviation d = x - mean, the precision P = inv(cov) and w = P d, the log-density
has the slopes -w by x, w by the mean, and (w w^T - P) / 2 by the covariance: Petersen
and Pedersen, The Matrix Cookbook, 2012, (86) and (61) with (57). SciPy reads the lower
triangle of the covariance.
"""

import numpy as np
from scipy import special, stats

from s2sad import ir, rules
from s2sad.ops.runtime.broadcasting import broadcast_to_shape_of, reshape_as
from s2sad.rules.numpy.kinds_of_arrays import (
    IS_FALSE,
    NOT_GIVEN,
    as_array,
    settled_array_axes,
)
from s2sad.rules.numpy.linalg.linalg import hermitian_of_triangle, onto_triangle
from s2sad.rules.steps.shape_steps import reduced_to

_NORMAL = type(stats.multivariate_normal)
_DIRICHLET = type(stats.dirichlet)
_MULTINOMIAL = type(stats.multinomial)


def _normal_kind(
    x: ir.Kind,
    mean: ir.Kind = NOT_GIVEN,
    cov: ir.Kind = ir.Scalar("int", 1),  # noqa: B008
    allow_singular: ir.Kind = IS_FALSE,
) -> ir.Kind:
    if rules.static_value(allow_singular):
        raise rules.CallRefused(
            "multivariate_normal has a rule for regular covariances",
            "leave allow_singular out",
        )
    points = settled_array_axes(as_array(x))
    mean_axes = () if mean == NOT_GIVEN else settled_array_axes(as_array(mean))
    cov_axes = settled_array_axes(as_array(cov))
    if points is None or mean_axes is None or cov_axes is None:
        raise rules.CallRefused(
            "multivariate_normal has a rule for arrays of known rank",
            "annotate the arrays",
        )
    ends = [axes[-1] for axes in (points, mean_axes, cov_axes) if axes]
    if not points or not (mean_axes or cov_axes) or ir.ONE in ends:
        raise rules.CallRefused(
            "multivariate_normal has a rule for two and more dimensions",
            "use norm",
        )
    batch = tuple(axis for axis in points[:-1] if axis.length != "one")
    if any(axis.length != "many" for axis in batch):
        return ir.UNKNOWN  # axes of length one are left out
    return rules.array_or_number("float64", batch)


def factor_of_points(bar, points):
    """The cotangent of the result as a factor of each point."""
    if rules.known_rank(points) == 1 or rules.known_rank(bar) == 0:
        return bar
    if rules.known_rank(points) == 2 and rules.known_rank(bar) == 1:
        return bar[:, None]
    return reshape_as(bar, points[..., :1])


def whitened(deviation, cov):
    """The product of the precision and each deviation."""
    if rules.known_rank(cov) == 2:
        return deviation @ np.linalg.inv(hermitian_of_triangle(cov, False))
    return deviation / cov


def total_of_points(bar, points):
    """The sum of the cotangent over all points, which it may only broadcast to."""
    if rules.known_rank(bar) == 0 and rules.known_rank(points) != 1:
        return bar * (points.size // points.shape[-1])
    return np.sum(bar)


def slopes_of_normal(x, mean, cov, out, bar):
    """The cotangents of x, the mean and the covariance, from that of the logarithm."""
    if rules.known_rank(bar) != 0 and not rules.surely_has_shape_of(bar, out):
        bar = broadcast_to_shape_of(bar, out)
    deviation = x if rules.is_none(mean) else x - mean
    factor = factor_of_points(bar, deviation)
    if rules.known_rank(cov) == 2:
        precision = np.linalg.inv(hermitian_of_triangle(cov, False))
        weighted = deviation @ precision
        mean_bar = factor * weighted
        if rules.known_rank(x) == 1:
            products = np.outer(mean_bar, weighted)
        elif rules.known_rank(x) == 2:
            products = mean_bar.T @ weighted
        else:
            rows = np.reshape(weighted, (-1, weighted.shape[-1]))
            products = np.reshape(mean_bar, (-1, weighted.shape[-1])).T @ rows
        cov_bar = onto_triangle(
            0.5 * (products - total_of_points(bar, deviation) * precision), False
        )
    else:
        weighted = deviation / cov
        mean_bar = factor * weighted
        cov_bar = reduced_to(0.5 * (mean_bar * weighted - factor / cov), cov)
    if rules.is_none(mean):
        return -mean_bar, 0.0, cov_bar
    return -mean_bar, reduced_to(mean_bar, mean), cov_bar


def tangent_of_normal(x, mean, cov, out, x_dot, mean_dot, cov_dot):
    """The tangent of the logarithm of the density."""
    deviation = x if rules.is_none(mean) else x - mean
    weighted = whitened(deviation, cov)
    tangent = np.zeros_like(weighted[..., 0])
    if not rules.is_literal_zero(x_dot):
        tangent = tangent - np.sum(weighted * x_dot, axis=-1)
    if not rules.is_literal_zero(mean_dot):
        tangent = tangent + np.sum(weighted * mean_dot, axis=-1)
    if not rules.is_literal_zero(cov_dot):
        if rules.known_rank(cov) == 2:
            change = hermitian_of_triangle(cov_dot, False)
            precision = np.linalg.inv(hermitian_of_triangle(cov, False))
            squares = np.sum((weighted @ change) * weighted, axis=-1)
            tangent = tangent + 0.5 * (squares - np.sum(precision * change))
        else:
            parts = weighted * weighted * cov_dot - cov_dot / cov
            tangent = tangent + 0.5 * np.sum(parts, axis=-1)
    return reshape_as(tangent, out)


@rules.reverse_of(
    ((_NORMAL, "logpdf"),),
    kind=_normal_kind,
    differentiable=("x", "mean", "cov"),
    singular=True,
    lazy=True,
)
def _logpdf(x, mean=None, cov=1, allow_singular=False, *, out, out_bar):
    return slopes_of_normal(x, mean, cov, out, out_bar)


@rules.forward_of(((_NORMAL, "logpdf"),))
def _logpdf_forward(
    x, mean=None, cov=1, allow_singular=False, *, out, x_dot, mean_dot, cov_dot
):
    return tangent_of_normal(x, mean, cov, out, x_dot, mean_dot, cov_dot)


@rules.reverse_of(
    ((_NORMAL, "pdf"),),
    kind=_normal_kind,
    differentiable=("x", "mean", "cov"),
    singular=True,
    lazy=True,
)
def _pdf(x, mean=None, cov=1, allow_singular=False, *, out, out_bar):
    return slopes_of_normal(x, mean, cov, out, out * out_bar)


@rules.forward_of(((_NORMAL, "pdf"),))
def _pdf_forward(
    x, mean=None, cov=1, allow_singular=False, *, out, x_dot, mean_dot, cov_dot
):
    return out * tangent_of_normal(x, mean, cov, out, x_dot, mean_dot, cov_dot)


def _dirichlet_kind(x: ir.Kind, alpha: ir.Kind) -> ir.Kind:
    axes = settled_array_axes(as_array(x))
    if axes is None or not 1 <= len(axes) <= 2:
        raise rules.CallRefused(
            "dirichlet has a rule for points that are vectors, or columns of a matrix",
            "annotate the array",
        )
    if axes[0].length == "one":
        raise rules.CallRefused(
            "dirichlet has a rule for points with all of their coordinates",
            "pass the last one too",
        )
    if any(axis.length == "any" for axis in axes[1:]):
        return ir.UNKNOWN
    batch = tuple(axis for axis in axes[1:] if axis.length != "one")
    return rules.array_or_number("float64", batch)


def slopes_of_dirichlet(x, alpha, bar):
    """Of all coordinates, as if each were given."""
    own = special.digamma(np.sum(alpha)) - special.digamma(alpha)
    if rules.known_rank(x) == 1:
        return bar * (alpha - 1.0) / x, bar * (np.log(x) + own)
    factor = reshape_as(bar, x[0])
    by_alpha = np.sum(factor * np.log(x), axis=1) + np.sum(bar) * own
    return factor * ((alpha - 1.0)[:, None] / x), by_alpha


def tangent_of_dirichlet(x, alpha, out, x_dot, alpha_dot):
    """The tangent of the logarithm of the density."""
    own = special.digamma(np.sum(alpha)) - special.digamma(alpha)
    tangent = np.zeros_like(x[0])
    if not rules.is_literal_zero(x_dot):
        powers = alpha - 1.0 if rules.known_rank(x) == 1 else (alpha - 1.0)[:, None]
        tangent = tangent + np.sum(powers / x * x_dot, axis=0)
    if not rules.is_literal_zero(alpha_dot):
        tangent = tangent + alpha_dot @ np.log(x) + np.sum(own * alpha_dot)
    return reshape_as(tangent, out)


@rules.reverse_of(
    ((_DIRICHLET, "logpdf"),),
    kind=_dirichlet_kind,
    differentiable=("x", "alpha"),
    singular=True,
)
def _dirichlet(x, alpha, *, out, out_bar):
    return slopes_of_dirichlet(x, alpha, out_bar)


@rules.forward_of(((_DIRICHLET, "logpdf"),))
def _dirichlet_forward(x, alpha, *, out, x_dot, alpha_dot):
    return tangent_of_dirichlet(x, alpha, out, x_dot, alpha_dot)


@rules.reverse_of(
    ((_DIRICHLET, "pdf"),),
    kind=_dirichlet_kind,
    differentiable=("x", "alpha"),
    singular=True,
)
def _dirichlet_pdf(x, alpha, *, out, out_bar):
    return slopes_of_dirichlet(x, alpha, out * out_bar)


@rules.forward_of(((_DIRICHLET, "pdf"),))
def _dirichlet_pdf_forward(x, alpha, *, out, x_dot, alpha_dot):
    return out * tangent_of_dirichlet(x, alpha, out, x_dot, alpha_dot)


def _multinomial_kind(x: ir.Kind, n: ir.Kind, p: ir.Kind) -> ir.Kind:
    counts, shares = (settled_array_axes(as_array(kind)) for kind in (x, p))
    if not counts or shares is None or len(shares) != 1 or len(counts) > 2:
        raise rules.CallRefused(
            "multinomial has a rule for a vector or matrix of counts, and a vector of "
            "probabilities",
            "annotate the arrays",
        )
    return rules.array_or_number("float64", counts[:-1])


def slopes_of_multinomial(x, p, bar):
    """Probabilities add up to 1: what one gains the last loses."""
    ratios = x / np.where(x == 0, 1.0, p)
    differences = ratios - ratios[..., -1:]
    if rules.known_rank(x) == 1:
        return bar * differences
    return np.sum(bar[:, None] * differences, axis=0)


def tangent_of_multinomial(x, p, p_dot):
    """The tangent of the logarithm of the probability."""
    ratios = x / np.where(x == 0, 1.0, p)
    return np.sum((ratios - ratios[..., -1:]) * p_dot, axis=-1)


@rules.reverse_of(
    ((_MULTINOMIAL, "logpmf"),),
    kind=_multinomial_kind,
    differentiable=("p",),
    refused=("x", "n"),
)
def _multinomial(x, n, p, *, out, out_bar):
    return slopes_of_multinomial(x, p, out_bar)


@rules.forward_of(((_MULTINOMIAL, "logpmf"),))
def _multinomial_forward(x, n, p, *, out, p_dot):
    return tangent_of_multinomial(x, p, p_dot)


@rules.reverse_of(
    ((_MULTINOMIAL, "pmf"),),
    kind=_multinomial_kind,
    differentiable=("p",),
    refused=("x", "n"),
)
def _multinomial_pmf(x, n, p, *, out, out_bar):
    return slopes_of_multinomial(x, p, out * out_bar)


@rules.forward_of(((_MULTINOMIAL, "pmf"),))
def _multinomial_pmf_forward(x, n, p, *, out, p_dot):
    return out * tangent_of_multinomial(x, p, p_dot)
