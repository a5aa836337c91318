"""Rules of the products that ``optimise/identities/table.py`` and
``optimise/products/preaccumulation.py`` write, for derivatives of texts that call
them."""

import numpy as np

from s2sad import ir, rules
from s2sad.ops.runtime.products import linear_combinations, matmul_of_stack
from s2sad.rules.numpy.kinds_of_arrays import result_dtype
from s2sad.rules.steps.shape_steps import adjoint


def stack_kind(stack: ir.Kind, matrix: ir.Kind) -> ir.Kind:
    own, other = ir.axes_of(stack), ir.axes_of(matrix)
    dtype = result_dtype(np.multiply, [stack, matrix])
    if own is None or other is None:
        return ir.Array(dtype, None)
    return ir.Array(dtype, (*own[:2], other[1]))


@rules.reverse_of(
    matmul_of_stack, kind=stack_kind, differentiable=("stack", "matrix"), bilinear=True
)
def _matmul_of_stack(stack, matrix, *, out, out_bar):
    stack_bar = matmul_of_stack(out_bar, adjoint(matrix))
    matrix_bar = np.sum(adjoint(stack) @ out_bar, axis=0)
    return stack_bar, matrix_bar


def combinations_kind(coefficients: ir.Kind, tangents: ir.Kind) -> ir.Kind:
    own, other = ir.axes_of(coefficients), ir.axes_of(tangents)
    dtype = result_dtype(np.multiply, [coefficients, tangents])
    if own is None or other is None:
        return ir.Array(dtype, None)
    return ir.Array(dtype, (own[0], other[1]))


@rules.reverse_of(
    linear_combinations,
    kind=combinations_kind,
    differentiable=("coefficients", "tangents"),
)
def _linear_combinations(coefficients, tangents, *, out, out_bar):
    coefficients_bar = out_bar @ adjoint(tangents)
    return coefficients_bar, linear_combinations(adjoint(coefficients), out_bar)


@rules.forward_of(linear_combinations)
def _linear_combinations_forward(
    coefficients, tangents, *, out, coefficients_dot, tangents_dot
):
    if rules.is_literal_zero(tangents_dot):
        return coefficients_dot @ tangents
    if rules.is_literal_zero(coefficients_dot):
        return linear_combinations(coefficients, tangents_dot)
    change = linear_combinations(coefficients, tangents_dot)
    return coefficients_dot @ tangents + change
