"""Arrays that a loop keeps because it writes into them become rows of one array."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hvp
from s2sad.testing import check_grads


def smoothed(x, n=3):
    u = x.copy()
    for _ in range(n):
        u[1:-1] += 0.1 * u[1:-1] * (u[2:] - u[:-2])
    return np.sum(u**2)


def nested(x, n=2):
    u = x.copy()
    total = 0.0
    for i in range(n):
        for _ in range(n):
            u[1:] *= u[:-1]
            u[0] = np.sin(u[1])
        total += u @ u * (i + 1.0)
    return total


def from_one(x, n=4):
    u = x.copy()
    for k in range(1, n):
        u[1:-1] = u[1:-1] * u[2:] / k
    return np.sum(u**2)


def downwards(x, n=3):
    u = x.copy()
    for k in range(n - 1, -1, -1):
        u[1:-1] = u[1:-1] * u[2:] * (k + 1.0)
    return np.sum(u**2)


def planes(x, n=2):
    u = np.outer(x, x[:-1])
    for _ in range(n):
        u[1:-1, 1:-1] *= 0.2 * u[2:, 1:-1] - u[1:-1, :-2]
    return np.sum(u**2)


def rows_of_a_table(x, n=3):
    table = np.outer(x, x)
    for k in range(n):
        table[k] = table[k] * table[k + 1] * x
    return np.sum(table**2)


def written_under_other_names(x, n=3):
    u = x.copy()
    for _ in range(n):
        view = u[1:-1]
        view *= u[2:]
        u *= 1.1
    return np.sum(u**2)


def counter_that_changes(x, n=3):
    u = x.copy()
    for k in range(n):
        k = k + 1
        u[1:-1] *= u[2:] * k
    return np.sum(u**2)


AS_ROWS = (
    *(smoothed, nested, from_one, downwards, planes, rows_of_a_table),
    *(written_under_other_names, counter_that_changes),
)


def restored_and_written(x, n=3):
    u = x * 1.0
    for _ in range(n):
        old = u
        u = np.sin(old)
        u[0] = old[1] * old[0]
        u[1:-1] *= old[2:]
    return np.sum(u**2)


def views_at_first(x, n=3):
    u = x.copy()
    part, whole = u[1:4], u[:]
    for k in range(n):
        u[1:-1] *= u[2:]
        part = part * u[k]
        whole = whole * u
    return np.sum(part) + np.sum(whole) + np.sum(u)


def shapes_that_change(x, n=2):
    u = x.copy()
    for _ in range(n):
        u = np.concatenate((u, u[:1]))
        u[1:-1] *= u[2:]
    return np.sum(u**2)


def loops_that_end_early(x, n=5):
    u = x.copy()
    for k in range(n):
        u[1:-1] *= u[2:]
        if k == 2:
            break
    return np.sum(u**2)


def turns_left_out(x, n=4):
    u = x.copy()
    for k in range(n):
        if k % 2:
            continue
        u[1:-1] *= u[2:]
    return np.sum(u**2)


def bounds_that_change(x, n=3):
    u = x.copy()
    for k in range(n):
        for _ in range(k):
            u[1:-1] *= u[2:]
    return np.sum(u**2)


OTHERS = (
    *(restored_and_written, shapes_that_change, loops_that_end_early),
    *(turns_left_out, bounds_that_change),
)
X = np.linspace(0.6, 1.4, 5)


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "f", (*AS_ROWS, *OTHERS, views_at_first), ids=lambda f: f.__name__
)
def test_derivatives_are_right(f):
    check_grads(f, (X,), order=2)
    v = np.linspace(1.0, -0.5, X.size)
    for n in (-2, 0, 1, 4):
        off = {"saved_rows": False}
        known = grad(f, optimise=off)(X, n)
        np.testing.assert_allclose(grad(f)(X, n), known, rtol=1e-13)
        known = hvp(f, optimise=off)(X, n, v)
        np.testing.assert_allclose(hvp(f)(X, n, v), known, rtol=1e-12)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", AS_ROWS, ids=lambda f: f.__name__)
def test_loops_keep_rows(f):
    text = grad(f).source_for(X, 3)
    assert "_saved = np.empty((" in text
    assert ".append(u)" not in text
    assert "np.empty" not in grad(f, optimise={"saved_rows": False}).source_for(X, 3)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", OTHERS, ids=lambda f: f.__name__)
def test_others_keep_lists(f):
    assert "np.empty" not in grad(f).source_for(X, 3)


def test_rows_have_the_type_of_the_arrays():
    x = X.astype(np.float32)
    assert "np.float32)" in grad(smoothed).source_for(x, 3)
    gradient = grad(smoothed)(x, 3)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, grad(smoothed)(X, 3), rtol=1e-5)


def test_rows_hold_arrays_of_any_layout():
    def f(a, n):
        u = a.copy()
        for _ in range(n):
            u[1:-1] *= u[2:]
        return np.sum(u**2)

    a = np.asfortranarray(np.linspace(0.5, 1.5, 20).reshape(5, 4))
    expected = grad(f, optimise=False)(np.ascontiguousarray(a), 3)
    np.testing.assert_allclose(grad(f)(a, 3), expected, rtol=1e-13)
