"""Functions of ``np.linalg`` that are made of others."""

import numpy as np

from s2sad import ir, rules
from s2sad.frontend.library.texts import stands_for
from s2sad.ops.numerics import decompositions, matrices
from s2sad.rules.numpy.linalg.decompositions import SVDResult
from s2sad.rules.numpy.linalg.linalg import hermitian_of_triangle
from s2sad.rules.steps.shape_steps import adjoint


@stands_for(np.linalg.eig)
def eig(a):
    """``np.linalg.eig(a)``, complex also where all eigenvalues are real."""
    return decompositions.complex_eig(a)


@stands_for(np.linalg.eigvals)
def eigvals(a):
    """``np.linalg.eigvals(a)``, complex also where all are real."""
    return decompositions.complex_eigvals(a)


@stands_for(np.linalg.svd, words=("hermitian",))
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """``np.linalg.svd(a, hermitian=True)``, by eigenvalues."""
    if not hermitian:
        return np.linalg.svd(a, full_matrices, compute_uv)
    if not compute_uv:
        return np.flip(np.sort(np.abs(np.linalg.eigvalsh(a)), axis=-1), axis=-1)
    values, vectors = np.linalg.eigh(a)
    order = np.flip(np.argsort(np.abs(values), axis=-1), axis=-1)
    values = np.take_along_axis(values, order, axis=-1)
    u = np.take_along_axis(vectors, np.expand_dims(order, -2), axis=-1)
    vh = adjoint(u * np.expand_dims(np.sign(values), -2))
    return SVDResult(u, np.abs(values), vh)


@stands_for(np.linalg.pinv, words=("hermitian",))
def pinv(a, rcond=None, hermitian=False, *, rtol=None):
    """``np.linalg.pinv(a, hermitian=True)``."""
    matrix = hermitian_of_triangle(a, False) if hermitian else a
    if rcond is None and rtol is None:
        return np.linalg.pinv(matrix)
    return np.linalg.pinv(matrix, rtol if rcond is None else rcond)


@stands_for(np.linalg.cond)
def cond(x, p=None):
    """``np.linalg.cond(x, p)``: inf of a singular matrix."""
    x = x if rules.is_array(x) else np.asarray(x)
    with np.errstate(all="ignore"):
        if p is None or p == 2 or p == -2:
            s = np.linalg.svd(x, compute_uv=False)
            ends = (s[..., -1], s[..., 0]) if p == -2 else (s[..., 0], s[..., -1])
            found = ends[0] / ends[1]
        else:
            inverse = matrices.inverse_or_nan(x)
            found = np.linalg.norm(x, p, (-2, -1)) * np.linalg.norm(
                inverse, p, (-2, -1)
            )
    singular = np.isnan(found) & ~np.any(np.isnan(x), axis=(-2, -1))
    return np.where(singular, np.inf, found)[()]


@stands_for(np.linalg.matrix_power)
def matrix_power(a, n):
    """``np.linalg.matrix_power(a, n)``, by squares."""
    a = a if rules.is_array(a) else np.asarray(a)
    if n == 0:
        return np.zeros_like(a) + np.eye(a.shape[-1], dtype=a.dtype)
    if n < 0:
        a, n = np.linalg.inv(a), -n
    if n == 3:
        return a @ a @ a
    return power_by_digits(a, n) if rules.is_literal(n) else power_by_squares(a, n)


def power_by_digits(a, n):
    """A power that is known when the gradient is compiled."""
    power = None
    for digit in binary_digits(n):
        if digit == 1:
            power = a if power is None else power @ a
        a = a @ a
    return power


@rules.static_predicate
def binary_digits(n: ir.Kind) -> tuple[int, ...]:
    """The digits of a number, the last one first."""
    return tuple(map(int, reversed(f"{rules.static_value(n):b}")))


def power_by_squares(a, n):
    """A power of the run."""
    while n % 2 == 0:
        a, n = a @ a, n // 2
    power = a
    while n > 1:
        a, n = a @ a, n // 2
        if n % 2 == 1:
            power = power @ a
    return power


@stands_for(np.linalg.tensorsolve)
def tensorsolve(a, b, axes=None):
    """``np.linalg.tensorsolve(a, b, axes)``."""
    a, b = (x if rules.is_array(x) else np.asarray(x) for x in (a, b))
    if axes is not None:
        a = a.transpose(with_axes_last(a, axes))
    shape = a.shape[rules.known_rank(b) - rules.known_rank(a) :]
    solved = np.linalg.solve(np.reshape(a, (b.size, b.size)), np.ravel(b))
    return np.reshape(solved, shape)


@rules.static_predicate
def with_axes_last(a: ir.Kind, axes: ir.Kind) -> tuple[int, ...]:
    """All axes, these behind the others."""
    last = rules.static_value(axes)
    last = last if isinstance(last, tuple) else (last,)
    order = list(range(ir.rank_of(a) or 0))
    for k in last:
        order.remove(k)
        order.append(k)
    return tuple(order)


@stands_for(np.linalg.tensorinv)
def tensorinv(a, ind=2):
    """``np.linalg.tensorinv(a, ind)``."""
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    a = a if rules.is_array(a) else np.asarray(a)
    side = int(np.prod(a.shape[ind:]))
    inverse = np.linalg.inv(np.reshape(a, (side, -1)))
    return np.reshape(inverse, a.shape[ind:] + a.shape[:ind])


@stands_for(np.linalg.multi_dot)
def multi_dot(arrays):
    """``np.linalg.multi_dot(arrays)``: the products are taken in the order that costs
    least."""
    if len(arrays) < 2:
        raise ValueError("Expecting at least two arrays.")
    factors = [x if rules.is_array(x) else np.asarray(x) for x in arrays]
    if len(factors) == 2:
        return np.dot(factors[0], factors[1])
    if rules.known_rank(factors[-1]) == 1:
        product = factors[-1]
        for factor in reversed(factors[:-1]):
            product = factor @ product
        return product
    if rules.known_rank(factors[0]) == 1:
        product = factors[0]
        for factor in factors[1:]:
            product = product @ factor
        return product
    if len(factors) == 3:
        return product_of_three(*factors)
    if any(rules.is_complex_number(x) for x in factors):
        rules.not_supported(
            "np.linalg.multi_dot of more than three complex matrices",
            "multiply them by @",
        )
    sides = [len(factor) for factor in factors] + [factors[-1].shape[1]]
    for k in matrices.order_of_products(sides):
        factors[k] = factors[k] @ factors[k + 1]
        del factors[k + 1]
    return factors[0]


def product_of_three(a, b, c):
    """The product of three matrices in the order that costs less."""
    rows, left = a.shape
    right, columns = c.shape
    first = rows * right * (left + columns)
    return (a @ b) @ c if first < left * columns * (rows + right) else a @ (b @ c)


# ------------------------------------------------------------------ other names


@stands_for(np.linalg.svdvals)
def svdvals(x):
    """``np.linalg.svdvals(x)``."""
    return np.linalg.svd(x, compute_uv=False)


@stands_for(np.linalg.outer)
def outer(x1, x2):
    """``np.linalg.outer(x1, x2)``."""
    return np.outer(x1, x2)


@stands_for(np.linalg.matmul)
def matmul(x1, x2):
    """``np.linalg.matmul(x1, x2)``."""
    return np.matmul(x1, x2)


@stands_for(np.linalg.tensordot)
def tensordot(x1, x2, *, axes=2):
    """``np.linalg.tensordot(x1, x2)``."""
    return np.tensordot(x1, x2, axes)


@stands_for(np.linalg.cross, words=("axis",))
def cross(x1, x2, *, axis=-1):
    """``np.linalg.cross(x1, x2, axis=axis)``."""
    return np.cross(x1, x2, axis=axis)


@stands_for(np.linalg.vecdot)
def vecdot(x1, x2, *, axis=-1):
    """``np.linalg.vecdot(x1, x2)``."""
    return np.vecdot(x1, x2, axis=axis)  # type: ignore[call-overload]


@stands_for(np.linalg.trace)
def trace(x, *, offset=0):
    """``np.linalg.trace(x)`` of the last two axes."""
    return np.trace(x, offset, -2, -1)


@stands_for(np.linalg.diagonal)
def diagonal(x, *, offset=0):
    """``np.linalg.diagonal(x)`` of the last two axes."""
    return np.diagonal(x, offset, -2, -1)


@stands_for(np.linalg.matrix_transpose)
def matrix_transpose(x):
    """``np.linalg.matrix_transpose(x)``."""
    return np.matrix_transpose(x)
