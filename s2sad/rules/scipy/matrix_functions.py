"""``scipy.linalg``: exponentials, logarithms, square roots and polar factors.

The derivative of a function of matrices in a direction E is a block of the function of
a matrix of twice the size, f([[A, E], [0, A]]) = [[f(A), L(A, E)], [0, f(A)]], and the
pullback at A is the derivative at A*. Sources: Mathias, A chain rule for matrix
functions and applications, 1996; Higham, Functions of Matrices, 2008, section 3.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg

from s2sad import ir, rules
from s2sad.ops.numerics import matrix_functions
from s2sad.rules.numpy.kinds_of_arrays import result_dtype
from s2sad.rules.numpy.linalg.linalg import float_dtype, matrices
from s2sad.rules.steps.shape_steps import adjoint, sum_of


def block_of(a, change):
    """[[A, E], [0, A]]."""
    above = np.concatenate((a, change), axis=-1)
    below = np.concatenate((np.zeros_like(a), a), axis=-1)
    return np.concatenate((above, below), axis=-2)


def expm_kind(A: ir.Kind) -> ir.Kind:
    return ir.Array(float_dtype(A), matrices("scipy.linalg.expm", A))


def change_of_expm(a, change):
    """The derivative of expm in a direction, for batches too."""
    if rules.known_rank(a) == 2:
        return matrix_functions.expm_along(a, change)
    n = a.shape[-1]
    return linalg.expm(block_of(a, change))[..., :n, n:]


@rules.reverse_of(linalg.expm, kind=expm_kind, complex=True)
def _expm(A, *, out, out_bar):
    return change_of_expm(adjoint(A), out_bar)


@rules.forward_of(linalg.expm)
def _expm_forward(A, *, out, A_dot):
    return change_of_expm(A, A_dot)


def along_kind(a: ir.Kind, change: ir.Kind) -> ir.Kind:
    axes = matrices("scipy.linalg.expm_frechet", a)
    return ir.Array(result_dtype(np.divide, [a, change]), axes)


def second_change(along, a, change, direction):
    """The block of the derivative at [[A, E], [0, A]] that the derivative at A along E
    has in a direction of A."""
    n = a.shape[0]
    moved = block_of(direction, np.zeros_like(direction))
    return along(block_of(a, change), moved)[:n, n:]


def register_along(along: Callable[..., Any]) -> None:
    """Rules of a derivative in a direction, for derivatives of derivatives."""

    @rules.reverse_of(
        along, kind=along_kind, differentiable=("a", "change"), complex=True
    )
    def _(a, change, *, out, out_bar):
        a_bar = second_change(along, adjoint(a), out_bar, adjoint(change))
        return a_bar, along(adjoint(a), out_bar)

    @rules.forward_of(along)
    def _(a, change, *, out, a_dot, change_dot):
        moved = 0.0
        if not rules.is_literal_zero(change_dot):
            moved = along(a, change_dot)
        if rules.is_literal_zero(a_dot):
            return moved
        return sum_of(moved, second_change(along, a, change, a_dot))


register_along(matrix_functions.expm_along)
register_along(matrix_functions.logm_along)


def _of_one(what: str, name: str) -> rules.KindFunction:
    def kind(a: ir.Kind) -> ir.Kind:
        axes = matrices(name, a)
        if len(axes) != 2:
            raise rules.CallRefused(
                f"{what} of batches of matrices have no rule", "take them one by one"
            )
        return ir.Array(float_dtype(a), axes)

    return kind


function_kind = _of_one("logarithms and square roots", "a function of scipy.linalg")


@rules.reverse_of(matrix_functions.logm_of, kind=function_kind, complex=True)
def _logm(a, *, out, out_bar):
    return matrix_functions.logm_along(adjoint(a), out_bar)


@rules.forward_of(matrix_functions.logm_of)
def _logm_forward(a, *, out, a_dot):
    return matrix_functions.logm_along(a, a_dot)


@rules.reverse_of(matrix_functions.sqrtm_of, kind=function_kind, complex=True)
def _sqrtm(a, *, out, out_bar):
    """X X = A, so that dA = X dX + dX X."""
    return matrix_functions.sylvester_solution(adjoint(out), adjoint(out), out_bar)


@rules.forward_of(matrix_functions.sqrtm_of)
def _sqrtm_forward(a, *, out, a_dot):
    return matrix_functions.sylvester_solution(out, out, a_dot)


def by_stretch(rest, u, a):
    """What lies outside of the columns of U, times the inverse of P = U* A."""
    outside = rest - u @ (adjoint(u) @ rest)
    return outside @ np.linalg.inv(adjoint(u) @ a)


def changed_factor(a, u, a_dot):
    """A = U P, so that U* dU is the X of P X + X P = U* dA - dA* U; Higham, Functions
    of Matrices, section 8.1. It is smooth where singular values are equal."""
    stretch, own = adjoint(u) @ a, adjoint(u) @ a_dot
    turn = matrix_functions.sylvester_solution(stretch, stretch, own - adjoint(own))
    if a.shape[0] == a.shape[1]:
        return u @ turn
    return u @ turn + by_stretch(a_dot, u, a)


@rules.reverse_of(
    matrix_functions.orthogonal_factor,
    kind=_of_one("polar decompositions", "scipy.linalg.polar"),
    complex=True,
)
def _orthogonal_factor(a, *, out, out_bar):
    return changed_factor(a, out, out_bar)


@rules.forward_of(matrix_functions.orthogonal_factor)
def _orthogonal_factor_forward(a, *, out, a_dot):
    return changed_factor(a, out, a_dot)
