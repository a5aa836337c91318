"""``scipy.spatial.distance``: distances between all points of two sets, or of one.

Where two points are the same, the derivative of their distance is 0, as of a norm.
"""

import numpy as np
from scipy.spatial import distance

from s2sad import ir, rules
from s2sad.ops.runtime.broadcasting import divide_or_zero
from s2sad.rules.numpy import kinds_of_arrays

EUCLIDEAN = ir.Known("euclidean")
METRICS = ("euclidean", "sqeuclidean", "cityblock", "cosine")


def _axis_of_points(name: str, points: ir.Kind, metric: ir.Kind) -> ir.Axis:
    axes = kinds_of_arrays.settled_array_axes(kinds_of_arrays.as_array(points))
    if axes is None or len(axes) != 2:
        raise rules.CallRefused(f"{name} has a rule for matrices", "annotate the array")
    if rules.static_value(metric) not in METRICS:
        raise rules.CallRefused(
            f"{name} has a rule for the metrics {', '.join(METRICS)}",
            "compute the distances from the differences a[:, None] - b[None, :]",
        )
    return axes[0]


def _cdist_kind(XA: ir.Kind, XB: ir.Kind, metric: ir.Kind = EUCLIDEAN) -> ir.Kind:
    axes = (_axis_of_points("cdist", points, metric) for points in (XA, XB))
    return ir.Array("float64", tuple(axes))


def _pdist_kind(X: ir.Kind, metric: ir.Kind = EUCLIDEAN) -> ir.Kind:
    _axis_of_points("pdist", X, metric)
    return ir.Array("float64", (ir.Axis("any"),))


def lengths_of(x):
    """The norms of the rows, as a column."""
    return np.sqrt(np.sum(x * x, axis=1, keepdims=True))


def onto_points(a, b, metric, distances, bar):
    """The cotangent of the points ``a`` from that of their distances to ``b``."""
    if metric == "cityblock":
        return np.sum(bar[:, :, None] * np.sign(a[:, None] - b), axis=1)
    if metric == "cosine":
        length = lengths_of(a)
        unit = a / length
        unit_bar = -(bar @ (b / lengths_of(b)))
        along = np.sum(unit * unit_bar, axis=1, keepdims=True)
        return (unit_bar - along * unit) / length
    weight = 2.0 * bar if metric == "sqeuclidean" else divide_or_zero(bar, distances)
    return np.sum(weight, axis=1)[:, None] * a - weight @ b


def tangent_of_points(a, b, metric, distances, a_dot):
    """The tangent of the distances from that of the points ``a``."""
    if metric == "cityblock":
        return np.sum(np.sign(a[:, None] - b) * a_dot[:, None], axis=2)
    if metric == "cosine":
        length = lengths_of(a)
        unit = a / length
        along = np.sum(unit * a_dot, axis=1, keepdims=True)
        return -((a_dot - along * unit) / length) @ (b / lengths_of(b)).T
    products = np.sum(a * a_dot, axis=1)[:, None] - a_dot @ b.T
    if metric == "sqeuclidean":
        return 2.0 * products
    return divide_or_zero(products, distances)


@rules.reverse_of(
    distance.cdist, kind=_cdist_kind, differentiable=("XA", "XB"), singular=True
)
def _cdist(XA, XB, metric="euclidean", *, out, out_bar):
    return (
        onto_points(XA, XB, metric, out, out_bar),
        onto_points(XB, XA, metric, out.T, out_bar.T),
    )


@rules.forward_of(distance.cdist)
def _cdist_forward(XA, XB, metric="euclidean", *, out, XA_dot, XB_dot):
    if rules.is_literal_zero(XB_dot):
        return tangent_of_points(XA, XB, metric, out, XA_dot)
    other = tangent_of_points(XB, XA, metric, out.T, XB_dot).T
    if rules.is_literal_zero(XA_dot):
        return other
    return tangent_of_points(XA, XB, metric, out, XA_dot) + other


def of_all_pairs(between, X):
    """The matrix of what stands for each pair of points; of no points SciPy makes one
    of one."""
    whole = distance.squareform(between, "tomatrix")
    return whole if rules.surely_has_elements(X) else whole[: len(X), : len(X)]


@rules.reverse_of(distance.pdist, kind=_pdist_kind, singular=True)
def _pdist(X, metric="euclidean", *, out, out_bar):
    bar = of_all_pairs(out_bar, X)
    return onto_points(X, X, metric, of_all_pairs(out, X), bar)


@rules.forward_of(distance.pdist)
def _pdist_forward(X, metric="euclidean", *, out, X_dot):
    distances = of_all_pairs(out, X)
    half = tangent_of_points(X, X, metric, distances, X_dot)
    return distance.squareform(half + half.T, "tovector", False)


def _squareform_kind(
    X: ir.Kind,
    force: ir.Kind = kinds_of_arrays.NOT_GIVEN,
    checks: ir.Kind = kinds_of_arrays.IS_TRUE,
) -> ir.Kind:
    axes = kinds_of_arrays.settled_array_axes(kinds_of_arrays.as_array(X))
    if axes is None or len(axes) not in (1, 2):
        raise rules.CallRefused(
            "squareform has a rule for vectors and matrices of known rank",
            "annotate the array",
        )
    return ir.Array("float64", (ir.Axis("any"),) * (3 - len(axes)))


@rules.reverse_of(distance.squareform, kind=_squareform_kind)
def _squareform(X, force="no", checks=True, *, out, out_bar):
    """SciPy reads the upper triangle of a matrix."""
    if X.ndim == 1:
        return distance.squareform(out_bar + out_bar.T, "tovector", False)
    return np.triu(distance.squareform(out_bar, "tomatrix"), 1)


@rules.forward_of(distance.squareform)
def _squareform_forward(X, force="no", checks=True, *, out, X_dot):
    return distance.squareform(X_dot, force, False)
