"""Arrays that are zero but for a part, which is added where it belongs."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hvp, vjp
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

GENERATOR = np.random.default_rng(0)
X = GENERATOR.normal(size=5)
M = GENERATOR.normal(size=(3, 4))


def steps(x):
    """Each stage is read in part, and made of the one before."""
    y = x
    for _ in range(3):
        first = np.sin(y[:-1])
        middle = y + 0.5 * x
        second = np.cos(middle[1:])
        last = y + 2.0 * middle
        y = y + x * np.concatenate((first[:1] * last[1:2], second + first))
    return np.sum(y)


def one_element(x):
    y = x + 1.0
    z = y + np.exp(x)
    return np.sum(y**2) + z[2] ** 2


def read_by_others(x):
    y = x + 1.0
    return np.sum(y * x) + np.sum(np.sin(y[1:-1])) + y[0] * np.sum(np.cos(y))


def rows_and_columns(m):
    n = m * 2.0
    total = n + m
    return np.sum(total[1:, :2] ** 2) + np.sum(np.sin(total[:, -1])) + np.sum(n**3)


def by_positions(x):
    y = x * 1.5
    z = y + x
    return np.sum(z[np.array([0, 2, 2])] ** 2) + np.sum(y**2)


def of_a_shared_adjoint(x):
    y = x + 0.0 * x
    a = y + x
    b = y + 3.0 * x
    return np.sum(a * b) + np.sum(a[:2]) + np.sum(b[1:] ** 2) + np.sum(y)


def in_single_precision(x):
    y = x.astype("float32") * np.float32(2.0)
    return np.sum((x + y)[1:] * x[1:] ** 2)


FUNCTIONS = (
    *(steps, one_element, read_by_others, by_positions, of_a_shared_adjoint),
    rows_and_columns,
)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients(function):
    x = M if function is rows_and_columns else X
    kept = x.copy()
    assert check_grads(function, (x,), order=2).passed
    found = grad(function)(x)
    for off in (False, {"added_parts": False}, {"in_place": False}):
        plain = grad(function, optimise=off)(x)
        assert_trees_close(found, plain, rtol=1e-12, atol=1e-13)
    value, pullback = vjp(function, x)
    for _ in range(2):
        assert_trees_close(pullback(1.0)[0], found, rtol=1e-12, atol=1e-13)
    product, other = hvp(function)(x, x), hvp(function, optimise=False)(x, x)
    assert_trees_close(product, other, rtol=1e-10, atol=1e-12)
    assert np.array_equal(x, kept)
    single = grad(function)(x.astype("float32"))
    assert single.dtype == np.float32 and single.base is None
    assert_trees_close(single, found.astype("float32"), rtol=1e-3, atol=1e-4)


def stages(x):
    y = np.zeros_like(x)
    for _ in range(2):
        first = x * np.concatenate((np.ones(1), y[:-1]))
        middle = y + 0.5 * first
        second = x * np.concatenate((np.ones(1), middle[:-1]))
        y = y + first + second
    return np.sum(y)


def test_no_zeros_are_made():
    text = grad(stages).source_for(X)
    off = grad(stages, optimise={"added_parts": False}).source_for(X)
    assert "middle_bar = np.zeros_like(x)" in off and "middle_bar" not in text
    assert check_grads(stages, (X,), order=2).passed


def test_mixed_precision():
    assert_trees_close(
        grad(in_single_precision)(X),
        grad(in_single_precision, optimise=False)(X),
        rtol=1e-6,
    )
