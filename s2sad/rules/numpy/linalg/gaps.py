"""Quotients by gaps between eigenvalues or singular values, for derivatives of
derivatives."""

from __future__ import annotations

import numpy as np

from s2sad import ir, rules
from s2sad.ops.numerics.decompositions import (
    divided_by_gaps,
    divided_by_sums,
    divided_by_values,
    outside_of,
    turning,
    undetermined,
)
from s2sad.rules.numpy.kinds_of_arrays import result_dtype, settled_array_axes
from s2sad.rules.steps.shape_steps import adjoint, conjugate, reduced_to


def quotient_kind(x: ir.Kind, values: ir.Kind) -> ir.Kind:
    return ir.Array(result_dtype(np.divide, [x, values]), settled_array_axes(x))


@rules.reverse_of(
    divided_by_gaps, kind=quotient_kind, differentiable=("x", "values"), complex=True
)
def _by_gaps(x, values, *, out, out_bar):
    slopes = -out_bar * conjugate(divided_by_gaps(out, values))
    slopes = slopes if rules.is_complex_number(values) else np.real(slopes)
    values_bar = np.sum(slopes, axis=-2) - np.sum(slopes, axis=-1)
    x_bar = divided_by_gaps(out_bar, conjugate(values))
    return x_bar, reduced_to(values_bar, values)


@rules.forward_of(divided_by_gaps)
def _by_gaps_forward(x, values, *, out, x_dot, values_dot):
    change = 0.0
    if not rules.is_literal_zero(x_dot):
        change = divided_by_gaps(x_dot, values)
    if rules.is_literal_zero(values_dot):
        return change
    gaps_dot = np.expand_dims(values_dot, -2) - np.expand_dims(values_dot, -1)
    return change - divided_by_gaps(out, values) * gaps_dot


@rules.reverse_of(
    divided_by_sums, kind=quotient_kind, differentiable=("x", "values"), complex=True
)
def _by_sums(x, values, *, out, out_bar):
    slopes = np.real(-out_bar * conjugate(divided_by_sums(out, values)))
    values_bar = np.sum(slopes, axis=-2) + np.sum(slopes, axis=-1)
    return divided_by_sums(out_bar, values), reduced_to(values_bar, values)


@rules.forward_of(divided_by_sums)
def _by_sums_forward(x, values, *, out, x_dot, values_dot):
    change = 0.0
    if not rules.is_literal_zero(x_dot):
        change = divided_by_sums(x_dot, values)
    if rules.is_literal_zero(values_dot):
        return change
    sums_dot = np.expand_dims(values_dot, -2) + np.expand_dims(values_dot, -1)
    return change - divided_by_sums(out, values) * sums_dot


@rules.reverse_of(
    divided_by_values, kind=quotient_kind, differentiable=("x", "values"), complex=True
)
def _by_values(x, values, *, out, out_bar):
    slopes = np.real(-out_bar * conjugate(divided_by_values(out, values)))
    values_bar = np.sum(slopes, axis=-2)
    return divided_by_values(out_bar, values), reduced_to(values_bar, values)


@rules.forward_of(divided_by_values)
def _by_values_forward(x, values, *, out, x_dot, values_dot):
    change = 0.0
    if not rules.is_literal_zero(x_dot):
        change = divided_by_values(x_dot, values)
    if rules.is_literal_zero(values_dot):
        return change
    factors = np.expand_dims(values_dot, -2)
    return change - divided_by_values(out, values) * factors


def outside_kind(x: ir.Kind, basis: ir.Kind) -> ir.Kind:
    return ir.Array(result_dtype(np.add, [x, basis]), settled_array_axes(x))


@rules.reverse_of(
    outside_of, kind=outside_kind, differentiable=("x", "basis"), complex=True
)
def _outside_of(x, basis, *, out, out_bar):
    if basis.shape[-1] < basis.shape[-2]:
        basis_bar = -out_bar @ (adjoint(x) @ basis) - x @ (adjoint(out_bar) @ basis)
    else:
        basis_bar = np.zeros_like(basis)
    return outside_of(out_bar, basis), reduced_to(basis_bar, basis)


@rules.forward_of(outside_of)
def _outside_of_forward(x, basis, *, out, x_dot, basis_dot):
    change = 0.0
    if not rules.is_literal_zero(x_dot):
        change = outside_of(x_dot, basis)
    if rules.is_literal_zero(basis_dot):
        return change
    if basis.shape[-1] < basis.shape[-2]:
        change = change - basis_dot @ (adjoint(basis) @ x)
        change = change - basis @ (adjoint(basis_dot) @ x)
    return change


rules.elementwise(turning, lambda row, out: -out * out)
rules.without_derivative(undetermined, kind=lambda **_: ir.Scalar("float"))
