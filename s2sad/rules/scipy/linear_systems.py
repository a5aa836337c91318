"""``scipy.linalg``: linear systems with matrices of some form, and matrix equations.

Where A X = B, the cotangent of B is the solution Y of the system with the adjoint of A,
and that of A is -Y X*. Matrix equations are linear systems, too.
"""

import numpy as np
from scipy import linalg

from s2sad import ir, rules
from s2sad.ops.numerics import matrix_functions
from s2sad.rules.numpy import kinds_of_arrays
from s2sad.rules.numpy.linalg.least_squares import of_columns
from s2sad.rules.numpy.linalg.linalg import (
    hermitian_of_triangle,
    matrices,
    onto_triangle,
)
from s2sad.rules.steps.shape_steps import (
    adjoint,
    conjugate,
    difference_of,
    sum_of,
    transposed,
)


def system_kind(name: str, a: ir.Kind, b: ir.Kind) -> ir.Kind:
    """The solution of a system with one matrix."""
    own, right = matrices(name, a), matrices(name, b)
    if len(own) != 2 or len(right) not in (1, 2):
        raise rules.CallRefused(
            f"{name} has a rule for one matrix and one or more right-hand sides",
            "solve the systems of a batch one by one, or by np.linalg.solve",
        )
    return ir.Array(kinds_of_arrays.result_dtype(np.divide, [b, a]), right)


# ------------------------------------------------------------------ triangles


def triangular_kind(
    a: ir.Kind,
    b: ir.Kind,
    trans: ir.Kind = kinds_of_arrays.ZERO,
    lower: ir.Kind = kinds_of_arrays.IS_FALSE,
    unit_diagonal: ir.Kind = kinds_of_arrays.IS_FALSE,
    check_finite: ir.Kind = kinds_of_arrays.IS_TRUE,
) -> ir.Kind:
    for setting in (trans, lower, unit_diagonal):
        rules.static_value(setting)
    return system_kind("scipy.linalg.solve_triangular", a, b)


@rules.static_predicate
def form_of_system(trans: ir.Kind) -> str:
    """N for the matrix, T for its transpose, C for its adjoint."""
    form = rules.static_value(trans)
    return form if isinstance(form, str) else "NTC"[form]


@rules.static_predicate
def adjoint_form(a: ir.Kind) -> str:
    """The form that is the adjoint of the matrix."""
    return "C" if ir.is_complex(a) else "T"


def in_triangle(x, lower, unit_diagonal):
    """The part of a matrix that ``solve_triangular`` reads."""
    if lower:
        return np.tril(x, -1) if unit_diagonal else np.tril(x)
    return np.triu(x, 1) if unit_diagonal else np.triu(x)


@rules.reverse_of(
    linalg.solve_triangular,
    kind=triangular_kind,
    differentiable=("a", "b"),
    complex=True,
)
def _solve_triangular(
    a,
    b,
    trans=0,
    lower=False,
    unit_diagonal=False,
    *,
    check_finite=True,
    out,
    out_bar,
):
    matrix, form = a, "N"
    if form_of_system(trans) == "N":
        form = adjoint_form(a)
    if form_of_system(trans) == "T":
        matrix = conjugate(a)
    b_bar = linalg.solve_triangular(
        matrix, out_bar, form, lower, unit_diagonal, check_finite=False
    )
    if form_of_system(trans) == "N":
        a_bar = -of_columns(b_bar, out)
    elif form_of_system(trans) == "T":
        a_bar = -of_columns(conjugate(out), conjugate(b_bar))
    else:
        a_bar = -of_columns(out, b_bar)
    return in_triangle(a_bar, lower, unit_diagonal), b_bar


@rules.forward_of(linalg.solve_triangular)
def _solve_triangular_forward(
    a,
    b,
    trans=0,
    lower=False,
    unit_diagonal=False,
    *,
    check_finite=True,
    out,
    a_dot,
    b_dot,
):
    change = b_dot
    if not rules.is_literal_zero(a_dot):
        moved = in_triangle(a_dot, lower, unit_diagonal)
        if form_of_system(trans) == "T":
            moved = transposed(moved)
        if form_of_system(trans) == "C":
            moved = adjoint(moved)
        change = difference_of(b_dot, moved @ out)
    return linalg.solve_triangular(
        a, change, trans, lower, unit_diagonal, check_finite=False
    )


# ------------------------------------------------------------------ symmetric ones


def solve_kind(
    a: ir.Kind,
    b: ir.Kind,
    lower: ir.Kind = kinds_of_arrays.IS_FALSE,
    assume_a: ir.Kind = kinds_of_arrays.NOT_GIVEN,
    check_finite: ir.Kind = kinds_of_arrays.IS_TRUE,
) -> ir.Kind:
    rules.static_value(lower)
    form = rules.static_value(assume_a)
    if form in ("sym", "symmetric") and ir.is_complex(a):
        raise rules.CallRefused(
            "scipy.linalg.solve of complex symmetric matrices has no rule",
            "leave assume_a out",
        )
    known = ("sym", "symmetric", "her", "hermitian", "pos", "positive definite")
    if form not in known:
        raise rules.CallRefused(
            f"scipy.linalg.solve with assume_a={form!r} has no rule",
            "leave assume_a out, or use the function for such matrices",
        )
    return system_kind("scipy.linalg.solve", a, b)


@rules.reverse_of(
    linalg.solve, kind=solve_kind, differentiable=("a", "b"), complex=True
)
def _solve(a, b, lower=False, *, assume_a=None, check_finite=True, out, out_bar):
    """The adjoint of the matrix is the matrix, of which one triangle is read."""
    b_bar = linalg.solve(a, out_bar, lower, assume_a=assume_a, check_finite=False)
    return onto_triangle(-of_columns(b_bar, out), not lower), b_bar


@rules.forward_of(linalg.solve)
def _solve_forward(
    a, b, lower=False, *, assume_a=None, check_finite=True, out, a_dot, b_dot
):
    change = b_dot
    if not rules.is_literal_zero(a_dot):
        change = difference_of(b_dot, hermitian_of_triangle(a_dot, not lower) @ out)
    return linalg.solve(a, change, lower, assume_a=assume_a, check_finite=False)


# ------------------------------------------------------------------ matrix equations

SYLVESTER = (linalg.solve_sylvester, matrix_functions.sylvester_solution)
CONTINUOUS = (linalg.solve_continuous_lyapunov, matrix_functions.continuous_lyapunov)
DISCRETE = (linalg.solve_discrete_lyapunov, matrix_functions.discrete_lyapunov)


def equation_kind(
    a: ir.Kind, q: ir.Kind, method: ir.Kind = kinds_of_arrays.NOT_GIVEN
) -> ir.Kind:
    axes = matrices("scipy.linalg.solve_lyapunov", q)
    if len(axes) != 2 or len(matrices("scipy.linalg.solve_lyapunov", a)) != 2:
        raise rules.CallRefused(
            "equations of batches of matrices have no rule", "solve them one by one"
        )
    return ir.Array(kinds_of_arrays.result_dtype(np.divide, [a, q]), axes)


def sylvester_kind(a: ir.Kind, b: ir.Kind, q: ir.Kind) -> ir.Kind:
    equation_kind(b, q)
    dtype = kinds_of_arrays.result_dtype(lambda x, y, z: x / y / z, [a, b, q])
    return ir.Array(dtype, equation_kind(a, q).axes)  # type: ignore[attr-defined]


@rules.reverse_of(
    SYLVESTER, kind=sylvester_kind, differentiable=("a", "b", "q"), complex=True
)
def _solve_sylvester(a, b, q, *, out, out_bar):
    """A X + X B = Q."""
    q_bar = matrix_functions.sylvester_solution(adjoint(a), adjoint(b), out_bar)
    return -q_bar @ adjoint(out), -adjoint(out) @ q_bar, q_bar


@rules.forward_of(SYLVESTER)
def _solve_sylvester_forward(a, b, q, *, out, a_dot, b_dot, q_dot):
    change = q_dot
    if not rules.is_literal_zero(a_dot):
        change = difference_of(change, a_dot @ out)
    if not rules.is_literal_zero(b_dot):
        change = difference_of(change, out @ b_dot)
    return matrix_functions.sylvester_solution(a, b, change)


@rules.reverse_of(
    CONTINUOUS,
    kind=equation_kind,
    differentiable=("a", "q"),
    complex=True,
)
def _solve_continuous_lyapunov(a, q, *, out, out_bar):
    """A X + X A* = Q."""
    q_bar = matrix_functions.continuous_lyapunov(adjoint(a), out_bar)
    return -q_bar @ adjoint(out) - adjoint(q_bar) @ out, q_bar


@rules.forward_of(CONTINUOUS)
def _solve_continuous_lyapunov_forward(a, q, *, out, a_dot, q_dot):
    change = q_dot
    if not rules.is_literal_zero(a_dot):
        change = difference_of(q_dot, a_dot @ out + out @ adjoint(a_dot))
    return matrix_functions.continuous_lyapunov(a, change)


@rules.reverse_of(
    DISCRETE,
    kind=equation_kind,
    differentiable=("a", "q"),
    complex=True,
)
def _solve_discrete_lyapunov(a, q, method=None, *, out, out_bar):
    """A X A* - X + Q = 0."""
    q_bar = matrix_functions.discrete_lyapunov(adjoint(a), out_bar, method)
    a_bar = q_bar @ a @ adjoint(out) + adjoint(q_bar) @ a @ out
    return a_bar, q_bar


@rules.forward_of(DISCRETE)
def _solve_discrete_lyapunov_forward(a, q, method=None, *, out, a_dot, q_dot):
    change = q_dot
    if not rules.is_literal_zero(a_dot):
        moved = a_dot @ out @ adjoint(a) + a @ out @ adjoint(a_dot)
        change = sum_of(q_dot, moved)
    return matrix_functions.discrete_lyapunov(a, change, method)
