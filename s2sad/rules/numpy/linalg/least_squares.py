"""``np.linalg.lstsq`` and ``pinv``: least squares and the Moore-Penrose inverse.

The rank is held constant: where singular values are cut off, the derivative is that
along matrices of equal rank. Source: Golub and Pereyra, The differentiation of
pseudo-inverses and nonlinear least squares problems whose variables separate, SIAM J.
Numer. Anal. 10, 1973.
"""

import numpy as np

from s2sad import ir, rules
from s2sad.rules.numpy import kinds_of_arrays
from s2sad.rules.numpy.linalg.linalg import float_dtype, matrices
from s2sad.rules.steps.shape_steps import adjoint, conjugate, difference_of, sum_of


def lstsq_kind(
    a: ir.Kind, b: ir.Kind, rcond: ir.Kind = kinds_of_arrays.NOT_GIVEN
) -> ir.Kind:
    x, y = matrices("np.linalg.lstsq", a), matrices("np.linalg.lstsq", b)
    dtype = kinds_of_arrays.result_dtype(np.divide, [a, b])
    real = kinds_of_arrays.real_dtype(dtype)
    residuals, values = (
        ir.Array(real, (ir.Axis("any"),)),
        ir.Array(real, (ir.Axis("any"),)),
    )
    solution = ir.Array(dtype, (x[-1], *y[1:]))
    return kinds_of_arrays.structure(
        [solution, residuals, ir.NumPyScalar("int32"), values]
    )


def rounding_of(a):
    """What ``lstsq`` cuts singular values off at, relative to the largest."""
    dtype = a.dtype if a.dtype.kind in "fc" else float
    return max(a.shape) * np.finfo(dtype).eps


def inverse_of(a, rcond):
    """The Moore-Penrose inverse by which ``lstsq`` solves."""
    return np.linalg.pinv(a, rounding_of(a) if rcond is None else rcond)


def of_columns(x, y):
    """``x`` times the adjoint of ``y``, both vectors or both matrices."""
    return np.outer(x, conjugate(y)) if rules.known_rank(x) == 1 else x @ adjoint(y)


def beside_rows(inverse, a, x):
    """The part of ``x`` in the null space of the matrix."""
    return x - inverse @ (a @ x)


def for_each_column(bars, b):
    """Cotangents of the residuals, of which there are none at less than full rank."""
    if rules.known_rank(b) == 1:
        return np.sum(bars)
    return np.sum(np.reshape(bars, (-1, b.shape[1])), axis=0)


@rules.reverse_of(
    np.linalg.lstsq, kind=lstsq_kind, differentiable=("a", "b"), complex=True
)
def _lstsq(a, b, rcond=None, *, out, out_bar):
    x = out[0]
    rest = b - a @ x
    a_bar, b_bar = 0.0, 0.0
    if not rules.is_literal_zero(out_bar[0]):
        inverse = inverse_of(a, rcond)
        b_bar = adjoint(inverse) @ out_bar[0]
        a_bar = of_columns(rest, inverse @ b_bar) - of_columns(b_bar, x)
        beside = beside_rows(inverse, a, out_bar[0])
        a_bar = a_bar + of_columns(adjoint(inverse) @ x, beside)
    if not rules.is_literal_zero(out_bar[1]):
        slopes = 2.0 * rest * for_each_column(out_bar[1], b)
        a_bar = difference_of(a_bar, of_columns(slopes, x))
        b_bar = sum_of(b_bar, slopes)
    if not rules.is_literal_zero(out_bar[3]):
        factors = np.linalg.svd(a, full_matrices=False)
        a_bar = sum_of(a_bar, (factors[0] * out_bar[3]) @ factors[2])
    return a_bar, b_bar


@rules.forward_of(np.linalg.lstsq)
def _lstsq_forward(a, b, rcond=None, *, out, a_dot, b_dot):
    x = out[0]
    inverse = inverse_of(a, rcond)
    rest = b - a @ x
    if rules.is_literal_zero(a_dot):
        slopes = np.real(np.sum(2.0 * conjugate(rest) * b_dot, axis=0))
        return inverse @ b_dot, np.ravel(slopes)[: len(out[1])], 0, 0.0
    change = b_dot - a_dot @ x
    turned = adjoint(inverse) @ (adjoint(a_dot) @ rest)
    beside = adjoint(a_dot) @ (adjoint(inverse) @ x)
    x_dot = inverse @ (change + turned) + beside_rows(inverse, a, beside)
    slopes = np.real(np.sum(2.0 * conjugate(rest) * change, axis=0))
    factors = np.linalg.svd(a, full_matrices=False)
    values_dot = np.sum(conjugate(factors[0]) * (a_dot @ adjoint(factors[2])), axis=0)
    residuals_dot = np.ravel(slopes)[: len(out[1])]
    return x_dot, residuals_dot, 0, np.real(values_dot)


def pinv_kind(
    a: ir.Kind,
    rcond: ir.Kind = kinds_of_arrays.NOT_GIVEN,
    rtol: ir.Kind = kinds_of_arrays.NOT_GIVEN,
) -> ir.Kind:
    axes = matrices("np.linalg.pinv", a)
    return ir.Array(float_dtype(a), (*axes[:-2], axes[-1], axes[-2]))


def pinv_cotangent(a, inverse, inverse_bar):
    """That of a matrix with at least as many rows as columns: all products are with
    square matrices of the shorter side."""
    through = adjoint(inverse) @ (inverse_bar @ adjoint(inverse))
    rows = adjoint(inverse_bar) @ (inverse @ adjoint(inverse))
    columns = adjoint(inverse) @ (inverse @ adjoint(inverse_bar))
    beside_range = rows - a @ (inverse @ rows)
    return beside_range + columns - columns @ (inverse @ a) - through


@rules.reverse_of(np.linalg.pinv, kind=pinv_kind, complex=True)
def _pinv(a, rcond=None, *, rtol=None, out, out_bar):
    if a.shape[-2] >= a.shape[-1]:
        a_bar = pinv_cotangent(a, out, out_bar)
    else:
        turned = pinv_cotangent(adjoint(a), adjoint(out), adjoint(out_bar))
        a_bar = adjoint(turned)
    return a_bar


def pinv_tangent(a, inverse, a_dot):
    """That of a matrix with at least as many rows as columns."""
    through = (inverse @ a_dot) @ inverse
    rows = (inverse @ adjoint(inverse)) @ adjoint(a_dot)
    columns = (adjoint(a_dot) @ adjoint(inverse)) @ inverse
    beside_range = rows - (rows @ a) @ inverse
    return beside_range + columns - (inverse @ a) @ columns - through


@rules.forward_of(np.linalg.pinv)
def _pinv_forward(a, rcond=None, *, rtol=None, out, a_dot):
    if a.shape[-2] >= a.shape[-1]:
        out_dot = pinv_tangent(a, out, a_dot)
    else:
        turned = pinv_tangent(adjoint(a), adjoint(out), adjoint(a_dot))
        out_dot = adjoint(turned)
    return out_dot
