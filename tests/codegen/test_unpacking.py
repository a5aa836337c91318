"""Tuples of which a text reads every item by a name are unpacked, and arrays."""

from __future__ import annotations

import re

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close


def differences(x, pairs):
    total = 0.0
    for i, j in pairs:
        total += (x[i] - x[j]) ** 2
    return total


def first_items(x, pairs):
    total = 0.0
    for pair in pairs:
        total += x[pair[0]] ** 2
    return total


PAIRS = [(k, k + 1) for k in range(6)]
X = np.arange(7.0) ** 2


def test_a_pair_is_unpacked() -> None:
    derivative = grad(differences)
    steps = 2.0 * np.diff(X)
    expected = np.r_[0.0, steps] - np.r_[steps, 0.0]
    assert np.allclose(derivative(X, PAIRS), expected)
    assert "for i, j in reversed(pairs):" in derivative.source_for(X, PAIRS)


def test_one_item_is_read_by_its_place() -> None:
    derivative = grad(first_items)
    assert np.allclose(derivative(X, PAIRS), 2.0 * np.r_[X[:6], 0.0])
    assert "[0]" in derivative.source_for(X, PAIRS)


def rate(state, theta):
    x, y = state
    a, _, c = theta
    return np.array([a * x - x * y, c * y])


def caught(state, theta):
    try:
        a, b, c = state
        return np.sin(a) * b + c
    except ValueError:
        (first, second) = state
        return first * second * theta[0]


def of_rows(matrix, theta):
    first, second = matrix
    return np.sum(first * second) * theta[0]


def swapped(state, theta):
    x, y = state
    y, x = state * theta[:2]
    return np.sin(x) * y


STATE, THETA = np.array([0.3, 0.7]), np.array([0.5, 0.2, 0.9])


def test_arrays_are_unpacked_as_the_user_does():
    def total(state, theta):
        return np.sum(rate(state, theta))

    derivative = grad(total, wrt=("state", "theta"))
    text = derivative.source_for(STATE, THETA)
    assert re.search(r"x, \w+ = state", text)
    assert re.search(r"a, _, \w+ = theta", text)
    assert "raise" not in text
    for state, theta in [(np.ones(3), THETA), (STATE, np.ones(2))]:
        with pytest.raises(ValueError, match="to unpack"):
            derivative(state, theta)


def test_gradients_of_arrays_that_are_unpacked():
    for function in (rate, caught, swapped):
        check_grads(function, (STATE, THETA))
    check_grads(of_rows, (np.reshape(np.arange(6.0), (2, 3)), THETA))


def test_numba_checks_the_length():
    pytest.importorskip("numba")
    total = grad(swapped, backend="numba")
    assert_trees_close(total(STATE, THETA), grad(swapped)(STATE, THETA))
    with pytest.raises(ValueError):
        total(np.ones(3), THETA)


def parts_beside_numbered_temporaries(matrix, theta):
    total = 0.0
    for a, b, c in matrix:
        total = total * theta[0] + a * b - c
    (p, q, _), *rest = matrix
    return total + p * q + sum(np.sum(row) for row in rest)


def test_what_is_unpacked_keeps_its_name_where_it_is_read_again():
    matrix = np.reshape(np.arange(12.0), (4, 3))
    check_grads(parts_beside_numbered_temporaries, (matrix, THETA))
    both = value_and_grad(parts_beside_numbered_temporaries, (0, 1), optimise=False)
    expected = grad(parts_beside_numbered_temporaries, (0, 1))(matrix, THETA)
    assert_trees_close(both(matrix, THETA)[1], expected)


def crossed(rows, weights):
    total = 0.0
    for a, _, c in rows:
        total = np.sin(total + a * c)
    for (i, j), w in zip([(0, 1), (1, 2), (2, 0)] * 3, weights):
        total += w * rows[i, j]
    return total


def changed_in_between(rows, weights):
    rows = rows.copy()
    total = 0.0
    for k in range(len(rows)):
        row = rows[k]
        rows[k, 1] = total
        a, b, c = row
        total += a * b * c * weights[k]
    return total


def test_loops_unpack_what_they_run_over():
    rows, weights = np.linspace(0.2, 1.1, 12).reshape(4, 3), np.linspace(0.5, 1.5, 9)
    text = grad(crossed, "rows").source_for(rows, weights)
    assert "for a, _, c in rows:" in text
    check_grads(crossed, (rows, weights))
    check_grads(changed_in_between, (rows, weights))
