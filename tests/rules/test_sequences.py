"""Lists of unknown length: items of several shapes, empty lists, the cost."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from tests.support.finite_differences import central_difference_gradient


def windows(x):
    parts = [x[: i + 1] * x[i] for i in range(len(x))]
    return sum(np.sum(p) ** 2 for p in parts)


def broadcast_sum(x):
    parts = [x[: 1 if i == 0 else len(x)] * 2.0 for i in range(2)]
    return np.sum(sum(parts) ** 2)


def signed(x):
    y = np.array([v if v > 0 else 0 for v in x])
    return np.sum(y * x)


def nothing_kept(x):
    kept = [v * v for v in x if v > 10]
    return sum(kept) + x[0] * x[0]


@pytest.mark.parametrize(
    "function", [windows, broadcast_sum, signed, nothing_kept], ids=lambda f: f.__name__
)
@pytest.mark.parametrize(
    "x", [np.array([0.3, -0.4, 1.2]), np.array([-1.0, -2.0, -3.0])]
)
def test_gradient_or_an_error_never_a_wrong_one(function, x):
    try:
        found = grad(function)(x)
    except (ValueError, TypeError):
        return  # NumPy makes no array of such a list
    np.testing.assert_allclose(
        found, central_difference_gradient(function, (x,)), atol=1e-6
    )


def test_dtypes_stay():
    def cost(x):
        return sum([v * v for v in x])

    x = np.array([0.5, 1.5], dtype=np.float32)
    value, gradient = value_and_grad(cost)(x)
    assert type(value) is type(cost(x))
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, 2 * x)


def test_a_list_that_grows_in_a_loop_is_never_copied():
    def cost(x, n):
        total = 0.0
        for _ in range(n):
            kept = [v * v for v in x if v > 0]
            total += sum(kept) * kept[0]
        return total

    text = grad(cost).source_for(np.ones(3), 2)
    assert "kept.copy()" not in text
    assert "kept.append(" in text


def test_a_list_whose_truth_is_asked_in_a_loop_is_never_copied():
    def cost(x, n):
        waiting, total = [x], 0.0
        for k in range(n):
            waiting.append(x * k)
        for _ in range(n):
            last = waiting.pop()
            if waiting:
                waiting[0] = last * waiting[0]
            total += last * last
        return total

    text = grad(cost).source_for(1.5, 4)
    assert "condition = bool(values)" in text
    assert ".copy()" not in text
    wanted = central_difference_gradient(lambda x: cost(x, 4), (1.5,))
    np.testing.assert_allclose(grad(cost)(1.5, 4), wanted, rtol=1e-6)


def test_a_list_that_goes_by_another_name_is_as_long():
    def cost(x, y):
        kept = []
        if x > 0.0:
            kept.append(x * y)
        if y > 0.0:
            kept.append(y)
        other = kept
        return sum(v * v for v in other[::-1])

    text = grad(cost).source_for(1.5, 2.5)
    assert "sum_to_shape_of" not in text
    assert "np.sum" not in text
    for args in ((1.5, 2.5), (-1.5, 2.5), (-1.0, -1.0)):
        wanted = central_difference_gradient(lambda x: cost(x, args[1]), args[:1])
        np.testing.assert_allclose(grad(cost)(*args), wanted, rtol=1e-6)
