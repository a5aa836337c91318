"""One product for the tangents of a transposed matrix, and their sums."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import jacfwd, jacrev
from s2sad.ops.runtime.products import add_turned_products, matmul_of_stack

OFF = {"stacked_products": False, "turned_sums": False}
W = np.arange(12.0).reshape(4, 3) / 10.0 - 0.3
X = np.linspace(-1.0, 1.0, 15).reshape(5, 3)


def turned(w, x):
    return np.sin(x @ w.T)


def summed(w, x):
    total = np.zeros((len(x), 4))
    for k in range(3):
        total += (k + 1.0) * x @ (w * w[k]).T
    return total


def read_on_the_way(w, x):
    total = np.zeros((len(x), 4))
    last = 0.0
    for k in range(2):
        total += np.cos(x) @ (w[k] * w).T
        last = last + np.sum(total) * total
    return total * last


def multiplied(w, x):
    total = np.zeros((len(x), 4))
    for _ in range(2):
        total += x @ (w * w).T
    return total @ w


def one_of_two(w, x):
    total = np.zeros((len(x), 4))
    if np.sum(x) < 1.0:
        total += x @ w.T
    total += np.sum(w)
    return total


def both_vary(w, x):
    return (x * w[0]) @ w.T + (w @ x.T).T


def read_between(w, x):
    total, last = np.zeros((len(x), 4)), x
    for k in range(3):
        term = last @ (w * w[k]).T
        last = last + x * np.sum(w)
        total += term
    return total


def indexed(w, x):
    total = np.zeros((len(x), 1))
    for k in range(4):
        total += x @ (w[k : k + 1] ** 2).T
    return total


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "program",
    [
        turned,
        summed,
        read_on_the_way,
        multiplied,
        one_of_two,
        both_vary,
        read_between,
        indexed,
    ],
)
def test_jacobians(program):
    expected = jacrev(program, optimise=False)(W, X)
    for made in (jacfwd, jacrev):
        for off in ({}, {"turned_sums": False}, OFF):
            found = made(program, optimise=off)(W, X)
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)
    singles = W.astype("float32"), X.astype("float32")
    single = jacfwd(program)(*singles)
    assert single.dtype == jacfwd(program, optimise=False)(*singles).dtype
    np.testing.assert_allclose(single, expected, rtol=1e-3, atol=1e-4)
    again = jacfwd(jacfwd(program))(W, X)
    without = jacfwd(jacfwd(program, optimise=OFF), optimise=OFF)(W, X)
    np.testing.assert_allclose(again, without, rtol=1e-9, atol=1e-11)
    for shape in ((0, 3), (1, 3)):
        few = np.resize(X, shape)
        assert jacfwd(program)(W, few).shape == (*program(W, few).shape, 4, 3)


def test_the_text():
    text = jacfwd(summed).source_for(W, X)
    assert "add_turned_products(" in text and "np.swapaxes(total_dot" in text
    assert "matmul_of_stack(" in jacfwd(turned).source_for(W, X)
    plain = jacfwd(summed, optimise=OFF).source_for(W, X)
    assert "matmul_of_stack" not in plain


def test_sums_of_some_tangents():
    generator = np.random.default_rng(0)
    matrix = generator.normal(size=(4, 5))
    for zero in ((), (0, 1), (5,), (2, 3), (0, 4, 5), range(6)):
        stack = generator.normal(size=(6, 3, 4))
        stack[list(zero)] = 0.0
        for order in (stack, np.swapaxes(np.swapaxes(stack, 0, 2).copy(), 0, 2)):
            total = np.swapaxes(np.ones((6, 3, 5)), 1, 2)
            expected = total + np.swapaxes(order @ matrix, 1, 2)
            found = add_turned_products(total, order, matrix)
            assert found is total
            np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_stacks_in_any_order():
    stack = np.arange(24.0).reshape(2, 3, 4)
    for made in (stack, stack[:, :, ::2], np.swapaxes(stack, 1, 2), stack[:0]):
        for columns in (0, 1, 7):
            matrix = np.ones((made.shape[2], columns))
            np.testing.assert_array_equal(matmul_of_stack(made, matrix), made @ matrix)
    assert matmul_of_stack(stack[:, :, :0], np.ones((0, 2))).shape == (2, 3, 2)
