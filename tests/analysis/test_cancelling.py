"""Values that cancel: what is shown of extrema and scales, and what isn't."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad, hvp, jacrev, jvp, value_and_grad
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close


def _log_sum_exp(x, v):
    top = np.max(x, axis=1, keepdims=True)
    sums = np.sum(np.exp(x - top), axis=1)
    return np.sum((np.log(sums) + np.squeeze(top, axis=1)) ** 2)


def _log_mean_of_numbers(x, v):
    a, b = x[0, 0], x[1, 1]
    m = np.maximum(a, b)
    return m + np.log(0.5 * np.exp(a - m) + np.exp(b - m) / 3)


def _of_python_numbers(x, v):
    a, b = float(x[0, 0]), float(x[1, 1])
    m = max(a, b)
    return math.log(math.exp(a - m) + math.exp(b - m)) + m


def _softmax(x, v):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.sum((e / e.sum(axis=-1, keepdims=True) @ v) ** 2)


def _normalised_at_last(x, v):
    e = np.exp(x.T - x.max(axis=1))
    total = np.sum(e, axis=0)[:, None]
    return np.sum((e.T @ v / total) ** 2)


def _cross_entropy(x, v):
    shifted = x - np.amax(x, 1, keepdims=True)
    logs = shifted - np.log(np.sum(np.exp(shifted), 1, keepdims=True))
    return -np.sum(logs[np.arange(3), np.array([1, 0, 1])])


def _of_labels(x, v):
    shifted = x - np.max(x, axis=1, keepdims=True)
    labels = np.argmin(x, axis=1)
    chosen = shifted[np.arange(len(labels)), labels]
    along = np.take_along_axis(shifted, labels[:, None], axis=1)[:, 0]
    sums = np.log(np.sum(np.exp(shifted), axis=1))
    return np.sum(np.sin(sums - chosen) + (sums - along) ** 2)


def _guarded(x, v):
    x = np.where(x > 5.0, -np.inf, x)
    top = np.max(x, axis=1, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    return np.sum(np.log(np.sum(np.exp(x - top), axis=1, keepdims=True)) + top)


def _masked(x, v):
    shifted = x - np.max(x, axis=1)[:, np.newaxis]
    e = np.where(x > 5.0, 0.0, np.exp(shifted))
    return np.sum((e / np.sum(e, axis=1)[:, None]) ** 2)


def _scaled_norm(x, v):
    scale = np.max(np.abs(x))
    return scale * np.sqrt(np.sum((x / scale) ** 2))


def _in_a_loop(x, v):
    total = 0.0
    for i in range(len(x)):
        top = x[i].max()
        total += (np.log(np.sum(np.exp(x[i] - top))) + top) ** 2
    return total


def _numbers_in_loops(x, v):
    flat = x.ravel()
    top = flat[0]
    for i in range(1, len(flat)):
        if flat[i] > top:
            top = flat[i]
    total, weighted = 0.0, 0.0
    for i in range(len(flat)):
        e = np.exp(flat[i] - top)
        total += e
        for weight in v[0]:
            weighted += weight * e
    return top + np.log(total) + (weighted / total) ** 2


CANCELLING = [
    _numbers_in_loops,
    _log_sum_exp,
    _log_mean_of_numbers,
    _of_python_numbers,
    _softmax,
    _normalised_at_last,
    _cross_entropy,
    _of_labels,
    _guarded,
    _masked,
    _scaled_norm,
    _in_a_loop,
]

X = np.array([[0.3, -1.0, 0.2, 0.9], [1.5, 0.4, -0.3, 1.1], [0.0, 0.5, 2.0, -2.0]])
V = np.array([[0.5, 1.0], [-0.3, 0.2], [0.7, -1.1], [0.1, 0.4]])
TIES = np.array([[1.0, 1.0, 0.0, 1.0], [1.0, 0.5, 1.0, 1.0], [-1.0, 0.0, 0.0, -2.0]])


def _seeks_ties(function, x=X):
    text = grad(function).source_for(x, V)
    words = ("ties", "equal", "share", "np.where(x >=", "_chosen")
    return any(word in text for word in words)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", CANCELLING)
def test_what_cancels_has_no_derivative(function):
    assert not _seeks_ties(function)
    plain = grad(function, optimise={"cancelling": False})
    for x in (X, TIES, X.astype("float32")):
        rtol = 1e-4 if x.dtype == "float32" else 1e-10
        found = grad(function)(x, V)
        assert found.dtype == x.dtype
        assert_trees_close(found, plain(x, V), rtol=rtol, atol=rtol / 10)
        value, again = value_and_grad(function)(x, V)
        assert value == function(x, V)
        assert_trees_close(again, found, rtol=1e-6)
        tangent = jvp(lambda x: function(x, V), (x,), (np.cos(x),))[1]  # noqa: B023
        assert_trees_close(tangent, np.sum(found * np.cos(x)), rtol=10 * rtol)
    assert check_grads(function, (X, V), order=2).passed


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", CANCELLING)
def test_second_derivatives_at_ties(function):
    """They are those of the same function without anything that cancels."""
    v = np.sin(np.arange(12.0)).reshape(3, 4)
    step = 1e-5 * v
    slopes = [grad(function)(TIES + one, V) for one in (step, -step)]
    expected = (slopes[0] - slopes[1]) / 2e-5
    assert_trees_close(hvp(function)(TIES, V, v), expected, rtol=1e-6, atol=1e-7)
    whole = jacrev(lambda x: grad(function)(x, V))(TIES)
    product = np.tensordot(whole, v, axes=2)
    assert_trees_close(product, expected, rtol=1e-6, atol=1e-7)


def _twice(x, v):
    top = np.max(x)
    return np.log(np.sum(np.exp(x - top))) + 2 * top


def _along_the_other_axis(x, v):
    top = np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x - top), axis=0))) + np.sum(top)


def _returned(x, v):
    top = np.max(x)
    return np.log(np.sum(np.exp(x - top))) + top, top


def _of_another_base(x, v):
    top = np.max(x)
    return np.log(np.sum(2.0 ** (x - top))) + top


def _of_a_sum(x, v):
    top = np.max(x)
    return np.log(np.sum(np.exp(x - top) + 1.0)) + top


def _of_one_row(x, v):
    top = np.max(x, axis=1, keepdims=True)
    logs = np.log(np.sum(np.exp(x - top), axis=1))
    return np.sum(logs - (x - top)[np.arange(1), np.array([2])])


def _of_other_rows(x, v):
    top = np.max(x, axis=1, keepdims=True)
    logs = np.log(np.sum(np.exp(x - top), axis=1))
    return np.sum(logs - (x - top)[np.array([2, 0, 1]), np.array([2, 1, 0])] ** 2)


def _crossed(x, v):
    top = np.max(x @ x.T, axis=1)
    return np.sum((top[:, None] - top) ** 2)


def _carried(x, v):
    total, top = 0.0, 0.0
    for i in range(len(x)):
        total += np.sum(np.exp(x[i] - top)) * math.e
        top = np.max(x[i])
        total += np.sum(x[i] - top)
    return total + top


def _in_a_branch(x, v):
    top = np.max(x)
    y = np.log(np.sum(np.exp(x - top)))
    if y > 0:
        y = y + top
    return y


def _looked_for(flat):
    top = flat[0]
    for i in range(1, len(flat)):
        if flat[i] > top:
            top = flat[i]
    return top


def _sum_from_one(x, v):
    top, total = _looked_for(x.ravel()), 1.0
    for value in x.ravel():
        total += np.exp(value - top)
    return top + np.log(total)


def _sum_with_others(x, v):
    top, total = _looked_for(x.ravel()), 0.0
    for value in x.ravel():
        total += np.exp(value - top)
        total += value
    return top + np.log(np.abs(total))


def _sum_read_on_the_way(x, v):
    top, total, other = _looked_for(x.ravel()), 0.0, 0.0
    for value in x.ravel():
        other = other + np.sin(total)
        total += np.exp(value - top)
    return top + np.log(total) + other


def _sum_of_some(x, v):
    top, total = _looked_for(x.ravel()), 0.0
    for value in x.ravel():
        if value < 0.45:
            total += np.exp(value - top)
    return top + np.log(total)


def _sum_begun_again(x, v):
    top, total = _looked_for(x.ravel()), 0.0
    for row in x:
        total = total * 0.5 + 1.0
        for value in row:
            total += np.exp(value - top)
    return top + np.log(total)


def _cut_off(x, v):
    e = np.exp(x - np.max(x))
    return np.sum(np.maximum(e, 0.5) / np.sum(e))


def _within_an_exponent(x, v):
    top = np.max(x)
    return np.sum(np.exp(x - top) ** top)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "function",
    [
        _twice,
        _along_the_other_axis,
        _of_another_base,
        _of_a_sum,
        _of_one_row,
        _of_other_rows,
        _crossed,
        _carried,
        _in_a_branch,
        _sum_from_one,
        _sum_with_others,
        _sum_read_on_the_way,
        _sum_of_some,
        _sum_begun_again,
        _cut_off,
        _within_an_exponent,
    ],
)
def test_what_does_not_cancel_keeps_its_derivative(function):
    assert _seeks_ties(function)
    assert check_grads(function, (X, V), order=2).passed


def test_a_result_that_is_the_extremum_itself():
    def weighted(x):
        value, top = _returned(x, V)
        return value + 2.0 * top

    found = grad(weighted)(X)
    e = np.exp(X)
    assert_trees_close(found, e / e.sum() + 2.0 * (X == X.max()), rtol=1e-12)


@pytest.mark.parametrize("x", [[-np.inf, 0.0, 1.0], [np.inf, 0.0], [np.nan, 1.0]])
def test_infinite_values_and_nan(x):
    """They come out as without the analysis."""

    def function(x):
        top = np.max(x)
        return np.log(np.sum(np.exp(x - top))) + top

    with np.errstate(all="ignore"):
        found = grad(function)(np.array(x))
        plain = grad(function, optimise=False)(np.array(x))
    np.testing.assert_allclose(found, plain, rtol=1e-12)


def test_one_label_is_not_broadcast_over_many_rows():
    """Here ``np.arange(len(labels))`` chooses the first row only."""

    def function(x, labels):
        shifted = x - np.max(x, axis=1, keepdims=True)
        logs = np.log(np.sum(np.exp(shifted), axis=1))
        return np.sum((logs - shifted[np.arange(len(labels)), labels]) ** 2)

    for labels in (np.array([2]), np.array([1, 2, 0])):
        assert check_grads(lambda x: function(x, labels), (X,)).passed  # noqa: B023
        found = grad(function)(X, labels)
        plain = grad(function, optimise=False)(X, labels)
        assert_trees_close(found, plain, rtol=1e-10, atol=1e-12)
