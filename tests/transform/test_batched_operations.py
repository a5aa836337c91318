"""Operations on many tangents at once, without a loop over them, give what one after
the other gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import hessian, hvp, jacfwd, jacrev, jvp

X = np.array([0.4, -1.3, 2.1])
M = np.array([[0.5, 1.5, -0.5], [2.0, 0.3, 0.7], [-0.2, 0.1, 0.9]])
STACK = np.arange(24.0).reshape(2, 4, 3) / 10.0
PLACES = np.array([2, 0])


def crossed(x):
    rows = np.outer(x, x)
    both = np.cross(x, x[::-1] * 2.0) + np.cross(rows, x) + np.cross(M, rows)
    return both + np.cross(M[0], x) * np.cross(x, M[1])


def crossed_in_single_precision(x):
    single = M[0].astype(np.float32)
    return np.cross(single, x.astype(np.float32)).astype(np.float64)


def multiplied(x):
    rows, stack = np.outer(x, x), STACK * x
    first = rows @ M @ x + (x @ rows) * (rows @ x)
    second = np.sum(STACK @ rows + stack @ M, axis=(0, 1))
    third = np.sum((x @ stack.swapaxes(1, 2))[..., None] * stack, axis=(0, 1))
    fourth = np.sum(stack @ x) + np.sum(rows @ stack.swapaxes(1, 2))
    fifth = np.sum(stack.swapaxes(1, 2) @ stack, axis=0) @ x
    return first + second + third + fourth + fifth + x[:2] @ STACK[0, :2, :2] @ x[1:]


def solved(x):
    a = np.eye(3) * 3.0 + np.outer(x, x)
    stack = np.stack([a, a @ a, a.T])
    one = np.linalg.solve(a, x) + np.linalg.solve(a, M[0])
    several = np.linalg.solve(a, M * x) @ x + np.sum(np.linalg.solve(stack, M), axis=0)
    return one + several + np.linalg.cholesky(a)[2] + np.linalg.inv(a)[1]


def side_by_side(x):
    rows = np.outer(x, x)
    wide = np.hstack([rows, M, x[:, None]]) @ np.ones(7)
    tall = np.vstack([x, rows, M]) @ x
    columns = np.column_stack([x, rows, M[0]])
    flat = np.concatenate([x, rows, M], axis=None)
    return wide + tall[:3] + columns[0, :3] * flat[2:5] + np.hstack([x[0], x, 1.0])[1:4]


def arranged(x):
    rows = np.outer(x, x) + M
    turned = np.rot90(rows) + np.flipud(rows) * np.fliplr(rows) + np.roll(rows, 4)
    tiled = np.tile(x, (2, 1))[:, 1] @ np.tile(x, 2)[:2] + np.tile(rows, 2)[0, :3]
    padded = np.pad(rows, ((1, 0), (0, 2)))[1, :3] * np.pad(x, 1)[1:4]
    lines = np.cumsum(rows)[2:5] * np.repeat(rows, 2)[3:6] + np.take(rows, 5)
    return turned @ x + tiled + padded + lines + np.squeeze(x[None, :, None])


def on_the_diagonal(x):
    with np.errstate(invalid="ignore"):
        far = np.diag(np.where(x > 2.0, np.inf, x))
    beside = np.diag(x, 1)[:3, 1:] @ np.diag(x[:2], -1) @ x + far[0, 1]
    return np.diag(x) @ M @ x + np.diag(np.outer(x, x)) + beside


def traces(x):
    square, stack = np.outer(x, x), STACK * x
    numbers = np.trace(square) * x + np.trace(square, 1) * M[0]
    beside = np.diagonal(square, -1)[0] * x + np.diag(square, 2) * x
    return numbers * beside + np.sum(np.trace(stack[:, :2], 0, 1, 2)) * x


def made_of_numbers(x):
    c, s = math.cos(x[0]), np.sin(x[1])
    turn = np.array([[c, -s, 0.0], [s, c, x[2]], [0.0, 0.0, 1.0]])
    return turn @ np.array([x[0], 2.0, s]) + np.atleast_2d(x[1])[0, 0] * turn[:, 1]


def broadcast_to_unknown_lengths(x):
    part = x[: len(PLACES)]
    return (part * x[1:] + part) * x[PLACES] + x[:1]


def scaled_products(x):
    bones = np.zeros((4, 3))
    for k in range(3):
        turn = M * x[k]
        bones += STACK[0, :, k, None] * (STACK[1] @ turn[:3].T)
        bones += (STACK[0] @ np.outer(x, x)) * STACK[1, k]
    return bones


def stored_with_leading_ones(x):
    y, rows = x * 2.0, [x, x * 3.0]
    y[:] = (x * x)[None, :]
    y[1:] = (x[None, None, :] * 2.0)[..., :2] * y[:2]
    rows[1][1:] = x[None, :2]
    return y * rows[1]


def bound_in_a_loop(x):
    for _ in range(2):
        last = np.tanh(x * 2.0)
    total = x
    for _ in range(2):
        total = total * x + sum(e for e in last)
    return total


def at_places_that_stand_apart(x):
    stack = STACK * x
    rows = stack[0, :, PLACES] + stack[PLACES - 1, None, 0][:, 0, 0, None]
    stack[1, :, PLACES] += rows * x[0]
    stack[PLACES - 1, 1:, 2] = x[:2, None] * x[2]
    stack[0, :, [0, 1]] = np.ones((2, 1))
    rows = rows + stack[:, PLACES + 1, ..., 0][:, 1:] * x[0]
    np.add.at(stack, (PLACES * 0, slice(None), 1), rows)
    return stack[0] @ stack[1].T @ stack[:, :, 0].T + stack[1, 0, 0] + stack[0, 1, 1]


def made_of_others(x):
    spread = np.full((2, 3), x) * np.full((2, 3), x[0]) + np.full_like(M[:2], x[1])
    steps = np.linspace(x, x[0], 4)[:3] @ np.linspace(x[1], x[2], 3, endpoint=False)
    right, down = np.meshgrid(x, M[0])
    first, second, third = np.meshgrid(x, x[1:], M[1], indexing="ij")
    cube = first * second * third
    lines = np.array([x, x * x[0], [x[1], 1.0, 2.0]], np.float64) @ x
    return spread[1] + steps + (right * down) @ x + np.sum(cube, axis=(1, 2)) + lines


def padded_by_numbers(x):
    square = np.outer(x, x)
    around = np.pad(square, ((1, 2),), constant_values=x[0])
    beside = np.pad(M, ((len(x), 0), (0, 1)), constant_values=x[1])
    return around[:3, :3] @ x + around[0, :3] * beside[1, :3] + beside[3:, 1]


def summed(x):
    listed = sum([x, x[0], 2.0, M[0] * x], x[1]) * sum(np.outer(x, x), x)
    grown = []
    for k in range(len(PLACES)):
        grown.append(x[k] * x[2])
    more = math.fsum(grown) * sum(grown, x[0])
    return listed * math.fsum(x) + math.fsum((x[0], 1.0, x[1] * x[2])) + more


def contracted_without_a_name_for_the_result(x):
    square = np.outer(x, x) * M
    turned = np.einsum("ba", square) @ np.einsum("ij,j", M, x)
    products = np.einsum("...i,...i", square, x) * np.einsum("ii", square)
    return turned * products + np.einsum("...j,jk", M, square) @ x


def products_of_stacks(x):
    stack, square, shared = STACK * x, np.outer(x, x), STACK.swapaxes(1, 2)
    turned = stack.swapaxes(1, 2)
    both = np.dot(stack, turned) + np.inner(stack, stack * x)
    one = np.dot(STACK, turned) * np.dot(stack, shared) + np.inner(STACK, stack)
    left = np.dot(x, turned) * np.dot(M[0], turned) + np.inner(x, stack)
    right = np.dot(stack, x) * np.dot(STACK, x) + np.inner(stack, M[0])
    numbers = np.dot(x[0], stack)[1, 2] + np.inner(M, x[1]) @ np.dot(x, x[2])
    matrices = np.dot(square, turned) * np.inner(square, stack) + np.dot(M, turned)
    sums = np.sum(both * one * left + right, axis=(0, 1, 2, 3)) / 100.0
    return numbers * np.sum(matrices, axis=(1, 2)) + sums


def outer_products_of_matrices(x):
    square = np.outer(x, x)
    rows = (
        np.outer(square, x) + np.outer(M, square)[:, :3] + np.outer(x[0], square)[0, 0]
    )
    blocks = np.kron(square, M) * np.kron(M, square) + np.kron(square, square)
    line = np.kron(x, M[0]) * np.kron(M[1], x) + np.kron(x, x)
    return rows[2:5] @ x + blocks[:3, 4] * line[3:6]


def slid_over(x):
    windows = np.lib.stride_tricks.sliding_window_view(np.outer(x, x), 2, axis=1)
    turns = np.convolve(x, M[0]) * np.convolve(x, x)
    same = np.convolve(x[:2], M[1], "same") * np.convolve(M.ravel(), x, "same")[3:6]
    inside = np.convolve(x, x[1:], "valid") @ np.convolve(M[0, :2], x, "valid")
    again = np.resize(np.outer(x, x), (3, 5))[:, 4] * np.resize(x[0], 3)
    return windows[:, 1, 1] + turns[1:4] * same + inside * again


def by_eigenvectors(x):
    symmetric = M + M.T + np.outer(x, x)
    values, vectors = np.linalg.eigh(symmetric)
    u, s, vt = np.linalg.svd(np.outer(x, x)[:, :2] + M[:, 1:], full_matrices=False)
    return (vectors * vectors) @ values + (u * u) @ s + vt[0, 0] ** 2


FUNCTIONS = (
    *(crossed, crossed_in_single_precision, multiplied, solved, side_by_side),
    *(arranged, on_the_diagonal, traces, made_of_numbers, broadcast_to_unknown_lengths),
    *(scaled_products, stored_with_leading_ones, bound_in_a_loop),
    *(at_places_that_stand_apart, made_of_others, padded_by_numbers, summed),
    *(contracted_without_a_name_for_the_result, products_of_stacks, slid_over),
    *(outer_products_of_matrices, by_eigenvectors),
)


@pytest.mark.long
def test_what_one_after_the_other_gives():
    for function in FUNCTIONS:
        columns = [jvp(function, (X,), (unit,))[1] for unit in np.eye(3)]
        expected = np.moveaxis(np.array(columns), 0, -1)
        near = 1e-5 if "single" in function.__name__ else 1e-9
        for transform in (jacfwd, jacrev):
            for optimise in (None, False):
                found = transform(function, optimise=optimise)(X)
                np.testing.assert_allclose(found, expected, rtol=near, atol=near)


@pytest.mark.long
def test_no_loop_over_tangents():
    for function in FUNCTIONS:
        assert "parts.append" not in jacfwd(function).source_for(X), function
        text = jacrev(function).source_for(X)
        assert "parts.append" not in text, function
        if function is not bound_in_a_loop:  # its adjoint starts without a shape
            assert "np.eye(1," not in text, function


@pytest.mark.long
def test_second_order():
    for function in FUNCTIONS[2:]:

        def energy(x, function=function):
            return np.sum(np.sin(function(x)))

        expected = np.array([hvp(energy)(X, v) for v in np.eye(3)])
        for found in (hessian(energy)(X), jacrev(jacrev(energy))(X)):
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


def times_one(x, v):
    return v * x[1]


def weighted(x, w, p):
    return w[:, None] * (p @ np.outer(x, x))


def test_what_is_shared_is_multiplied_first():
    text = jacrev(times_one).source_for(X, X)
    assert " @ " in text and "np.sum" not in text
    text = jacfwd(weighted).source_for(X, np.ones(4), np.ones((4, 3)))
    assert "w[:, None] * p @ " in text
    plain = jacfwd(weighted, optimise=False)(X, X, M)
    np.testing.assert_allclose(jacfwd(weighted)(X, X, M), plain, rtol=1e-12)
