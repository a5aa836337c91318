"""``scipy.linalg.solve_banded``. All steps take time in proportion to the bands."""

import numpy as np
from scipy import linalg

from s2sad import ir, rules
from s2sad.ops.numerics.bands import bands_times, outer_in_bands, transposed_bands
from s2sad.rules.numpy.kinds_of_arrays import IS_TRUE, result_dtype
from s2sad.rules.scipy.linear_systems import system_kind
from s2sad.rules.steps.shape_steps import conjugate, difference_of, sum_of


def banded_kind(
    l_and_u: ir.Kind, ab: ir.Kind, b: ir.Kind, check_finite: ir.Kind = IS_TRUE
) -> ir.Kind:
    return system_kind("scipy.linalg.solve_banded", ab, b)


@rules.reverse_of(
    linalg.solve_banded, kind=banded_kind, differentiable=("ab", "b"), complex=True
)
def _solve_banded(l_and_u, ab, b, *, check_finite=True, out, out_bar):
    lower, upper = l_and_u
    turned = transposed_bands(conjugate(ab), lower, upper)
    b_bar = linalg.solve_banded((upper, lower), turned, out_bar, check_finite=False)
    return -outer_in_bands(b_bar, conjugate(out), lower, upper), b_bar


@rules.forward_of(linalg.solve_banded)
def _solve_banded_forward(l_and_u, ab, b, *, check_finite=True, out, ab_dot, b_dot):
    change = b_dot
    if not rules.is_literal_zero(ab_dot):
        lower, upper = l_and_u
        change = difference_of(b_dot, bands_times(ab_dot, lower, upper, out))
    return linalg.solve_banded(l_and_u, ab, change, check_finite=False)


def turned_kind(ab: ir.Kind, lower: ir.Kind, upper: ir.Kind) -> ir.Kind:
    return ir.Array(ir.dtype_of(ab), ir.axes_of(ab))


@rules.reverse_of(transposed_bands, kind=turned_kind, linear=True, complex=True)
def _transposed_bands(ab, lower, upper, *, out, out_bar):
    return transposed_bands(out_bar, upper, lower)


def product_kind(ab: ir.Kind, lower: ir.Kind, upper: ir.Kind, x: ir.Kind) -> ir.Kind:
    return ir.Array(result_dtype(np.multiply, [ab, x]), ir.axes_of(x))


@rules.reverse_of(
    bands_times, kind=product_kind, differentiable=("ab", "x"), complex=True
)
def _bands_times(ab, lower, upper, x, *, out, out_bar):
    turned = transposed_bands(conjugate(ab), lower, upper)
    ab_bar = outer_in_bands(out_bar, conjugate(x), lower, upper)
    return ab_bar, bands_times(turned, upper, lower, out_bar)


@rules.forward_of(bands_times)
def _bands_times_forward(ab, lower, upper, x, *, out, ab_dot, x_dot):
    change, other = 0.0, 0.0
    if not rules.is_literal_zero(ab_dot):
        change = bands_times(ab_dot, lower, upper, x)
    if not rules.is_literal_zero(x_dot):
        other = bands_times(ab, lower, upper, x_dot)
    return sum_of(change, other)


def outer_kind(y: ir.Kind, x: ir.Kind, lower: ir.Kind, upper: ir.Kind) -> ir.Kind:
    axes = ir.axes_of(x)
    columns = ir.Axis("any") if not axes else axes[0]
    return ir.Array(result_dtype(np.multiply, [y, x]), (ir.Axis("any"), columns))


@rules.reverse_of(
    outer_in_bands, kind=outer_kind, differentiable=("y", "x"), complex=True
)
def _outer_in_bands(y, x, lower, upper, *, out, out_bar):
    turned = transposed_bands(out_bar, lower, upper)
    y_bar = bands_times(out_bar, lower, upper, conjugate(x))
    return y_bar, bands_times(turned, upper, lower, conjugate(y))


@rules.forward_of(outer_in_bands)
def _outer_in_bands_forward(y, x, lower, upper, *, out, y_dot, x_dot):
    change, other = 0.0, 0.0
    if not rules.is_literal_zero(y_dot):
        change = outer_in_bands(y_dot, x, lower, upper)
    if not rules.is_literal_zero(x_dot):
        other = outer_in_bands(y, x_dot, lower, upper)
    return sum_of(change, other)
