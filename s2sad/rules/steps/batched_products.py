"""Products of arrays of which one or both have a leading axis of tangents.

Each function is the text for one product of ``x`` and ``y``; ``batched`` names the
operands with a leading axis. None says that there is no such product: then it is taken
tangent by tangent.
"""

import operator
from typing import Any

import numpy as np

from s2sad import ir, rules
from s2sad.rules.steps.shape_steps import transposed


def matrix_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``x @ y`` of vectors and matrices."""
    if rules.known_rank(x) < 1 or rules.known_rank(y) < 1:
        return None
    if batched == ("x",):
        if rules.known_rank(y) > 2:
            return None
        return x @ y
    if batched == ("y",):
        if rules.known_rank(x) > 2:
            return None
        if rules.known_rank(y) > 2:
            return x @ y
        return y @ x if rules.known_rank(x) == 1 else y @ transposed(x)
    if rules.known_rank(x) == 2 and rules.known_rank(y) == 2:
        return np.sum(x * y, axis=1)
    if rules.known_rank(x) == 3 and rules.known_rank(y) == 3:
        return x @ y
    if rules.known_rank(x) == 3 and rules.known_rank(y) == 2:
        return np.squeeze(x @ np.expand_dims(y, 2), axis=2)
    if rules.known_rank(x) == 2 and rules.known_rank(y) == 3:
        return np.squeeze(np.expand_dims(x, 1) @ y, axis=1)
    return None


@rules.static_predicate
def ranks_of_items(x: ir.Kind, y: ir.Kind, batched: ir.Kind) -> tuple[int, int]:
    """The ranks of both operands without the leading axis; -1 where one isn't known."""
    names = rules.static_value(batched)
    ranks = rules.known_rank(x) - ("x" in names), rules.known_rank(y) - ("y" in names)
    return (-1, -1) if min(ranks) < 0 else ranks


@rules.static_predicate
def axes_of_items(rank: ir.Kind) -> int | tuple[int, ...]:
    """The axes behind the leading one."""
    axes = tuple(range(1, rules.static_value(rank) + 1))
    return axes[0] if len(axes) == 1 else axes


@rules.static_predicate
def subscripts_of_each(m: ir.Kind, n: ir.Kind, last: ir.Kind) -> str:
    """``np.einsum``'s subscripts for the products of many arrays of ranks ``m`` and
    ``n``: the sum goes along the last axis of both, or the last but one of the
    second."""
    letters = "abcdefghijklmnopqrstuvw"
    left = letters[: rules.static_value(m) - 1]
    right = letters[len(left) :][: rules.static_value(n) - 1]
    place = len(right) if rules.static_value(last) else max(len(right) - 1, 0)
    second = f"{right[:place]}y{right[place:]}"
    return f"z{left}y,z{second}->z{left}{right}"


def dot_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.dot(x, y)``."""
    m, n = ranks_of_items(x, y, batched)
    if m == -1:
        return None
    if m == 0 or n == 0:
        return scaled(x, y, m, n, batched)
    if m < 3 and n < 3:
        return matrix_product(x, y, batched=batched)
    if batched == ("x",):
        return x @ y if n < 3 else np.dot(x, y)
    if batched == ("y",):
        if n == 1:
            return np.inner(y, x)
        return np.dot(x, y) if m == 1 else np.moveaxis(np.dot(x, y), m - 1, 0)
    return np.einsum(subscripts_of_each(m, n, False), x, y)


def scaled(x: Any, y: Any, m: int, n: int, batched: tuple[str, ...]) -> Any:
    """The product of arrays of which one has rank 0."""
    if "x" in batched and n > 0:
        x = np.expand_dims(x, axes_of_items(n))
    if "y" in batched and m > 0:
        y = np.expand_dims(y, axes_of_items(m))
    return x * y


def inner_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.inner(x, y)``."""
    m, n = ranks_of_items(x, y, batched)
    if m == -1:
        return None
    if m == 0 or n == 0:
        return scaled(x, y, m, n, batched)
    if batched == ("x",):
        return inner_with_one(x, y, n)
    if batched == ("y",):
        if n == 1:
            return inner_with_one(y, x, m)
        if m < 3 and n == 2:
            return x @ np.swapaxes(y, 1, 2)
        return np.inner(x, y) if m == 1 else np.moveaxis(np.inner(x, y), m - 1, 0)
    if m == 1 and n == 1:
        return np.sum(x * y, axis=1)
    return np.einsum(subscripts_of_each(m, n, True), x, y)


def inner_with_one(many: Any, one: Any, rank: int) -> Any:
    """``np.inner``, of many arrays and of one of this rank."""
    if rank > 2:
        return np.inner(many, one)
    return many @ one if rank == 1 else many @ transposed(one)


def outer_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.outer(x, y)``, of the elements of both in a row."""
    m, n = ranks_of_items(x, y, batched)
    if m == -1:
        return None
    if "x" in batched:
        columns = np.expand_dims(as_rows(x, m), 2)
    else:
        columns = np.expand_dims(as_vector(x), 1)
    if "y" in batched:
        return columns * np.expand_dims(as_rows(y, n), 1)
    return columns * as_vector(y)


def product_of_elements(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.vdot(x, y)``: the sum of the products of all elements, of which those of
    ``x`` are conjugated."""
    m, n = ranks_of_items(x, y, batched)
    if m == -1:
        return None
    if rules.is_complex_number(x):
        x = np.conjugate(x)
    if m == 0 and n == 0:
        return x * y
    if batched == ("x",):
        return as_rows(x, m) @ as_vector(y)
    if batched == ("y",):
        return as_rows(y, n) @ as_vector(x)
    return np.sum(as_rows(x, m) * as_rows(y, n), axis=1)


def as_rows(each: Any, rank: int) -> Any:
    """The elements of many arrays, a row for each."""
    return each if rank == 1 else np.reshape(each, (each.shape[0], -1))


def as_vector(x):
    """The elements of one array."""
    return x if rules.known_rank(x) == 1 else np.ravel(x)


def kronecker_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.kron(x, y)`` of two vectors or two matrices."""
    ranks = ranks_of_items(x, y, batched)
    if ranks == (1, 1):
        blocks = outer_product(x, y, batched=batched)
        return np.reshape(blocks, (blocks.shape[0], -1))
    if ranks != (2, 2):
        return None
    rows, columns = x.shape[-2] * y.shape[-2], x.shape[-1] * y.shape[-1]
    x = np.expand_dims(x, (2, 4) if "x" in batched else (1, 3))
    y = np.expand_dims(y, (1, 3) if "y" in batched else (0, 2))
    return np.reshape(x * y, ((x * y).shape[0], rows, columns))


def cross_product(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.linalg.cross(x, y)`` of two vectors, of which one is the same for all: the
    matrix that multiplies so costs less."""
    if batched == ("x",):
        if rules.known_rank(x) == 2 and rules.known_rank(y) == 1 and rules.is_double(y):
            return x @ cross_matrix(y)
    if batched == ("y",):
        if rules.known_rank(y) == 2 and rules.known_rank(x) == 1 and rules.is_double(x):
            return y @ cross_matrix(x).T
    return None


def cross_matrix(v):
    """The matrix by which vectors are multiplied as by ``np.linalg.cross(v, ...)``."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def solution(x: Any, y: Any, *, batched: tuple[str, ...]) -> Any:
    """``np.linalg.solve(x, y)`` with one matrix."""
    if batched == ("y",) and rules.known_rank(x) == 2:
        if rules.known_rank(y) == 2:
            return np.linalg.solve(x, y.T).T
        if rules.known_rank(y) == 3:
            return np.linalg.solve(x, y)
    return None


BATCHED_PRODUCTS: dict[Any, Any] = {
    operator.matmul: matrix_product,
    np.matmul: matrix_product,
    np.dot: dot_product,
    np.inner: inner_product,
    np.outer: outer_product,
    np.kron: kronecker_product,
    np.vdot: product_of_elements,
    np.linalg.cross: cross_product,
    np.linalg.solve: solution,
}
