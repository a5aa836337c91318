"""Adjoints that restart as zeros in a branch in a loop have the shape of others."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hessian, jacrev, vjp
from s2sad.testing import check_grads

X, Y = np.array([0.3, -0.7, 1.1]), np.array([1.0, 0.2, -0.5])


def replaced(x, y, n):
    best, total = x, 0.0
    for k in range(n):
        candidate = 0.5 * best + np.sin(y) * k
        if np.sum(candidate) > 0.4:
            best = candidate
        elif k > 2:
            best = best * y
        total += np.sum(best**2)
    return total


def left(x, y, n):
    slope = x * y
    for k in range(n):
        candidate = x - 0.3 * slope
        if np.sum(candidate) < -9.0:
            break
        if candidate[0] > slope[0]:
            slope, x = np.cos(x) + slope, candidate
        else:
            slope = 0.5 * slope
    return np.sum(x * slope)


def shorter(x, y, n):
    total = 0.0
    for k in range(n):
        if len(x) > 1 and k % 2 == 0:
            x = x[1:] * y[: len(x) - 1]
        else:
            x = x * 1.5
        total += np.sum(x**3)
    return total


def assigned_twice(x, y, n):
    z = x
    for k in range(n):
        if k % 2:
            z = z * y
            y = np.sum(z) * np.ones_like(x)
            z = y + x
            z = 0.1 * x * k
        total = z * y
        y = total + 0.1 * x
    return np.sum(total)


def of_two_shapes(x, y, n):
    m = np.outer(x, y)
    for k in range(n):
        if k == 1:
            m = np.outer(y, y) * x[k]
        else:
            x = m @ x
        m = m * np.sum(x)
    return np.sum(m)


PROGRAMS = [replaced, left, shorter, assigned_twice, of_two_shapes]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program):
    for n in (1, 2, 5):
        assert check_grads(lambda x, y, n=n: program(x, y, n), (X, Y), order=2).passed
        plain = grad(program, (0, 1), optimise=False)(X, Y, n)
        for found, other in zip(grad(program, (0, 1))(X, Y, n), plain):
            np.testing.assert_allclose(found, other, rtol=1e-12, atol=1e-14)
    pulled = vjp(program, X, Y, 5)[1](1.0)[:2]
    for found, other in zip(pulled, plain):
        np.testing.assert_allclose(found, other, rtol=1e-12, atol=1e-14)
    single = grad(program)(X.astype("float32"), Y.astype("float32"), 5)
    assert single.dtype == np.float32
    slopes = hessian(program)(X, Y, 4)
    again = jacrev(grad(program))(X, Y, 4)
    np.testing.assert_allclose(again, slopes, rtol=1e-9, atol=1e-11)


def test_nothing_is_kept_for_its_shape():
    text = grad(replaced).source_for(X, np.ones(1), 3)
    linear = grad(lambda x, n: _descended(x, n)).source_for(X, 3)
    assert "x_saved" not in linear and "np.zeros_like(" in linear + text


def _descended(x, n):
    for k in range(n):
        candidate = 0.5 * x
        if candidate[0] > 0.1:
            x = candidate
    return np.sum(x)
