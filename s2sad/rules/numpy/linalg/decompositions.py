"""``np.linalg.svd`` and ``qr``, and quotients by gaps between singular values.

Sources: Townsend, Differentiating the singular value decomposition, 2016; Wan and
Zhang, Automatic differentiation for complex valued SVD, 2019; Seeger et al.,
Auto-differentiating linear algebra, 2017. The singular vectors are turned by
skew-Hermitian X = U* dU and Y = V* dV: with P = U* dA V and i, j singular values,

    (X + Y)_ij = (P + P*)_ij / (s_j - s_i),  (X - Y)_ij = (P - P*)_ij / (s_j + s_i).

The phase of a pair of complex singular vectors is that of LAPACK: the first row of V is
real, or that of U if there are more columns than rows.
"""

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
from s2sad.ops.numerics.matrices import lower_with_half_diagonal, solve_or_nan
from s2sad.rules.numpy.kinds_of_arrays import (
    IS_TRUE,
    real_dtype,
    result_dtype,
    settled_array_axes,
)
from s2sad.rules.numpy.linalg.eigenvalues import columns
from s2sad.rules.numpy.linalg.linalg import float_dtype, matrices
from s2sad.rules.steps.shape_steps import (
    adjoint,
    conjugate,
    difference_of,
    reduced_to,
    sum_of,
)

SVDResult = type(np.linalg.svd(np.eye(1)))
QRResult = type(np.linalg.qr(np.eye(1)))
REDUCED = ir.Known("reduced")


def shorter(axes: tuple[ir.Axis, ...]) -> ir.Axis:
    """The shorter side of a matrix."""
    rows, columns = axes[-2:]
    if rows == columns and rows.symbol is not None:
        return rows
    return next(
        (side for side in (rows, columns) if side.length == "one"), ir.Axis("any")
    )


def svd_kind(
    a: ir.Kind, full_matrices: ir.Kind = IS_TRUE, compute_uv: ir.Kind = IS_TRUE
) -> ir.Kind:
    axes, dtype = matrices("np.linalg.svd", a), float_dtype(a)
    *batch, rows, columns = axes
    k = shorter(axes)
    values = ir.Array(real_dtype(dtype), (*batch, k))
    if not rules.static_value(compute_uv):
        return values
    beside = (rows, columns) if rules.static_value(full_matrices) else (k, k)
    u = ir.Array(dtype, (*batch, rows, beside[0]))
    vh = ir.Array(dtype, (*batch, beside[1], columns))
    return ir.Structure(SVDResult, ("U", "S", "Vh"), (u, values, vh))


def at_first_row(row, vectors):
    """A matrix of this row and zeros below."""
    place = np.eye(vectors.shape[-2], 1, 0, rules.numpy_dtype(vectors))
    return place * np.expand_dims(row, -2)


def phases_removed(u, v, u_bar, v_bar):
    """The cotangents with what a change of phase of both singular vectors gives."""
    turns = np.sum(np.conj(u) * u_bar, -2) + np.sum(np.conj(v) * v_bar, -2)
    if u.shape[-2] >= v.shape[-2]:
        row = 1j * np.imag(turns) * turning(np.real(v[..., 0, :]))
        u_bar, v_bar = u_bar + 0.0 * u, v_bar - at_first_row(row, v)
    else:
        row = 1j * np.imag(turns) * turning(np.real(u[..., 0, :]))
        u_bar, v_bar = u_bar - at_first_row(row, u), v_bar + 0.0 * v
    return u_bar, v_bar


def svd_cotangent(u, s, v, u_bar, s_bar, v_bar):
    """That of the matrix from those of its thin factors."""
    left = 0.0 if rules.is_literal_zero(s_bar) else columns(np.sign(s) * s_bar, u)
    if rules.is_literal_zero(u_bar) and rules.is_literal_zero(v_bar):
        return left @ adjoint(v)
    if rules.is_complex_number(u):
        u_bar, v_bar = phases_removed(u, v, u_bar, v_bar)
    of_u = 0.0 if rules.is_literal_zero(u_bar) else adjoint(u) @ u_bar
    of_v = 0.0 if rules.is_literal_zero(v_bar) else adjoint(v) @ v_bar
    gaps = divided_by_gaps(sum_of(0.5 * of_u, 0.5 * of_v), s)
    sums = divided_by_sums(difference_of(0.5 * of_u, 0.5 * of_v), s)
    inner = gaps + adjoint(gaps) + sums - adjoint(sums)
    left = sum_of(left, u @ inner)
    if not rules.is_literal_zero(u_bar):
        left = left + divided_by_values(outside_of(u_bar, u), s)
    a_bar = left @ adjoint(v)
    if not rules.is_literal_zero(v_bar):
        a_bar = a_bar + u @ adjoint(divided_by_values(outside_of(v_bar, v), s))
    return a_bar


def first_columns(vectors, bar, count):
    """The cotangent of so many columns of a unitary matrix. The others are orthogonal
    to them: what depends on more than that isn't determined."""
    if rules.is_literal_zero(bar):
        return 0.0
    rest, rest_bar = vectors[..., count:], bar[..., count:]
    rest_bar = rest_bar + undetermined(rest, rest_bar)
    turned = rest @ (adjoint(rest_bar) @ vectors[..., :count])
    return bar[..., :count] - turned


def with_other_columns(vectors, first_dot, count):
    """The tangent of all columns of a unitary matrix from that of the first ones. The
    others aren't rotated among themselves."""
    rest = vectors[..., count:]
    turned = -vectors[..., :count] @ (adjoint(first_dot) @ rest)
    return np.concatenate((first_dot, turned), axis=-1)


@rules.reverse_of(np.linalg.svd, kind=svd_kind, complex=True)
def _svd(a, full_matrices=True, compute_uv=True, *, out, out_bar):
    if not compute_uv:
        factors = np.linalg.svd(a, full_matrices=False)
        return columns(np.sign(out) * out_bar, factors[0]) @ factors[2]
    u, s, v = out[0], out[1], adjoint(out[2])
    u_bar = out_bar[0]
    v_bar = 0.0 if rules.is_literal_zero(out_bar[2]) else adjoint(out_bar[2])
    if full_matrices:
        count = s.shape[-1]
        u_bar, v_bar = first_columns(u, u_bar, count), first_columns(v, v_bar, count)
        u, v = u[..., :count], v[..., :count]
    return svd_cotangent(u, s, v, u_bar, out_bar[1], v_bar)


@rules.forward_of(np.linalg.svd)
def _svd_forward(a, full_matrices=True, compute_uv=True, *, out, a_dot):
    if not compute_uv:
        factors = np.linalg.svd(a, full_matrices=False)
        across = a_dot @ adjoint(factors[2])
        return np.sign(out) * np.real(np.sum(conjugate(factors[0]) * across, axis=-2))
    all_u, s, all_v = out[0], out[1], adjoint(out[2])
    u, v = all_u[..., : s.shape[-1]], all_v[..., : s.shape[-1]]
    across, back = a_dot @ v, adjoint(a_dot) @ u
    s_dot = np.sign(s) * np.real(np.sum(conjugate(u) * across, axis=-2))
    turned = adjoint(u) @ across
    gaps = divided_by_gaps(turned + adjoint(turned), s)
    sums = divided_by_sums(turned - adjoint(turned), s)
    u_dot = u @ (0.5 * (gaps + sums)) + divided_by_values(outside_of(across, u), s)
    v_dot = v @ (0.5 * (gaps - sums)) + divided_by_values(outside_of(back, v), s)
    if rules.is_complex_number(a):
        if u.shape[-2] >= v.shape[-2]:
            phases = np.imag(v_dot[..., 0, :]) * turning(np.real(v[..., 0, :]))
        else:
            phases = np.imag(u_dot[..., 0, :]) * turning(np.real(u[..., 0, :]))
        u_dot, v_dot = u_dot - columns(1j * phases, u), v_dot - columns(1j * phases, v)
    if full_matrices:
        u_dot = with_other_columns(all_u, u_dot, s.shape[-1])
        v_dot = with_other_columns(all_v, v_dot, s.shape[-1])
    return u_dot, s_dot, adjoint(v_dot)


# ------------------------------------------------------------------ qr


def qr_kind(a: ir.Kind, mode: ir.Kind = REDUCED) -> ir.Kind:
    axes, dtype = matrices("np.linalg.qr", a), float_dtype(a)
    *batch, rows, columns = axes
    form = rules.static_value(mode)
    if form not in ("reduced", "complete", "r"):
        raise rules.CallRefused(
            f"np.linalg.qr with mode={form!r} has no rule", "use mode='reduced'"
        )
    side = rows if form == "complete" else shorter(axes)
    r = ir.Array(dtype, (*batch, side, columns))
    if form == "r":
        return r
    return ir.Structure(
        QRResult, ("Q", "R"), (ir.Array(dtype, (*batch, rows, side)), r)
    )


def qr_cotangent(q, r, q_bar, r_bar):
    """That of a matrix with at most as many columns as rows. LAPACK makes the diagonal
    of R real."""
    of_q, of_r = 0.0, 0.0
    if not rules.is_literal_zero(q_bar):
        of_q = adjoint(q) @ q_bar
    if not rules.is_literal_zero(r_bar):
        of_r = r_bar @ adjoint(r)
    turns = difference_of(of_q, of_r)
    inner = difference_of(of_r, of_q) + lower_with_half_diagonal(turns - adjoint(turns))
    return adjoint(solve_or_nan(r, adjoint(sum_of(q_bar, q @ inner))))


def qr_tangent(q, r, a_dot):
    """Those of the factors of a matrix with at most as many columns as rows."""
    across = adjoint(solve_or_nan(adjoint(r), adjoint(a_dot)))
    inner = adjoint(q) @ across
    lower = lower_with_half_diagonal(inner)
    turned = lower - adjoint(lower)
    return across + q @ (turned - inner), (inner - turned) @ r


@rules.reverse_of(np.linalg.qr, kind=qr_kind, complex=True)
def _qr(a, mode="reduced", *, out, out_bar):
    rows, count = a.shape[-2:]
    if mode == "r":
        q, r, q_bar, r_bar = np.linalg.qr(a)[0], out, 0.0, out_bar
    else:
        q, r, q_bar, r_bar = out[0], out[1], out_bar[0], out_bar[1]
    if rows >= count:
        if mode == "complete":
            q_bar = first_columns(q, q_bar, count)
            r_bar = 0.0 if rules.is_literal_zero(r_bar) else r_bar[..., :count, :]
            q, r = q[..., :count], r[..., :count, :]
        return qr_cotangent(q, r, q_bar, r_bar)
    # The first columns are made of Q alone; those behind them are Q times R's.
    if rules.is_literal_zero(r_bar):
        first_bar = qr_cotangent(q, r[..., :rows], q_bar, 0.0)
        rest_bar = np.zeros_like(a[..., rows:])
    else:
        behind = r_bar[..., rows:]
        q_bar = sum_of(q_bar, a[..., rows:] @ adjoint(behind))
        first_bar = qr_cotangent(q, r[..., :rows], q_bar, r_bar[..., :rows])
        rest_bar = q @ behind
    return np.concatenate((first_bar, rest_bar), axis=-1)


@rules.forward_of(np.linalg.qr)
def _qr_forward(a, mode="reduced", *, out, a_dot):
    rows, count = a.shape[-2:]
    if mode == "r":
        q, r = np.linalg.qr(a)[0], out
    else:
        q, r = out[0], out[1]
    if rows >= count:
        q_dot, r_dot = qr_tangent(q[..., :count], r[..., :count, :], a_dot)
        if mode == "complete":
            q_dot = with_other_columns(q, q_dot, count)
            below = np.zeros_like(r[..., count:, :])
            r_dot = np.concatenate((r_dot, below), axis=-2)
    else:
        q_dot, first_dot = qr_tangent(q, r[..., :rows], a_dot[..., :rows])
        behind = adjoint(q_dot) @ a[..., rows:] + adjoint(q) @ a_dot[..., rows:]
        r_dot = np.concatenate((first_dot, behind), axis=-1)
    return r_dot if mode == "r" else (q_dot, r_dot)


def rank_kind(A: ir.Kind, **_: ir.Kind) -> ir.Kind:
    return rules.array_or_number("int64", matrices("np.linalg.matrix_rank", A)[:-2])


rules.without_derivative(
    np.linalg.matrix_rank,
    lambda A, tol=None, hermitian=False, *, rtol=None: None,
    kind=rank_kind,
)


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
