"""Zeros in adjoints that nothing reads are not stored; others are."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hvp
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

OFF = {"dead_stores": False}


def fresh_in_each_turn(x, y):
    total = 0.0
    for _ in range(3):
        result = np.zeros(len(x))
        for i in range(len(x)):
            result[i] = x[i] * y[i]
        total = total + np.sum(np.sin(result))
    return total


def first_apart(x, y):
    total = 0.0
    for k in range(2):
        result = np.zeros(len(x))
        result[0] = x[0] * y[1]
        for i in range(1, len(x)):
            result[i] = x[i] * y[i - 1] * (k + 1)
        total = total + np.sum(result**2)
    return total


def of_two_axes(x, y):
    total = 0.0
    for j in range(2):
        q = np.zeros((2, len(x)))
        for i in range(len(x)):
            q[j, i] = x[i] * y[i]
        total = total + np.sum(q**3)
    return total


DEAD = (fresh_in_each_turn, first_apart, of_two_axes)


def over_again(x, y):
    result, total = x * y, 0.0
    for k in range(2):
        for i in range(1, len(x)):
            result[i] = x[i] * y[i] * y[0] * (k + 1)
        total = total + np.sum(result**2)
    return total


def overwritten(x, y):
    result = np.zeros(len(x))
    for i in range(len(x)):
        result[i] = x[i] * y[i]
    for i in range(1, len(x)):
        result[i] = x[i] * x[i]
    return np.sum(result**2)


def last_apart(x, y):
    result = np.zeros(len(x))
    result[2] = x[0] * y[1]
    for i in range(1, len(x)):
        result[i] = x[i] * y[i]
    return np.sum(result**2)


def from_the_end(x, y):
    result = np.zeros(len(x))
    for i in range(-2, 2):
        result[i] = x[i] * y[i + 1] * i
    return np.sum(result**2)


def same_place(x, y):
    result = np.zeros(len(x))
    for i in range(len(x)):
        result[1] = x[i] * y[i]
    return np.sum(result**2)


def one_from_another(x, y):
    result = np.zeros(len(x))
    for i in range(1, len(x)):
        result[i] = result[i - 1] * x[i] + y[i]
    return np.sum(result**2)


def of_an_argument(x, y):
    moved = x * y
    for i in range(1, len(x)):
        moved[i] = x[i] * 2.0
    return np.sum(moved**2)


READ = (
    over_again,
    overwritten,
    last_apart,
    from_the_end,
    same_place,
    one_from_another,
    of_an_argument,
)
X = np.array([0.3, -0.8, 0.7])
Y = np.array([0.5, 1.2, -0.4])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", DEAD + READ)
def test_zeros_stay_where_they_are_read(function):
    text = grad(function, (0, 1)).source_for(X, Y)
    plain = grad(function, (0, 1), optimise=OFF)
    assert "] = 0.0" in plain.source_for(X, Y)
    assert ("] = 0.0" in text) == (function in READ)
    assert_trees_close(grad(function, (0, 1))(X, Y), plain(X, Y), rtol=1e-13)
    found = hvp(function)(X, Y, np.cos(X))
    assert_trees_close(found, hvp(function, optimise=OFF)(X, Y, np.cos(X)), rtol=1e-12)
    assert check_grads(function, (X, Y), wrt=(0, 1), order=2).passed


def passed_on(edges, xs, rate):
    for _ in range(3):
        new = [0.1] * len(xs)
        for i, j in edges:
            new[j] += rate * xs[i]
        xs = new
    return sum(x * x for x in xs)


def scaled_in_place(edges, xs, rate):
    xs = np.array(xs)
    for i, j in edges:
        xs[j] += rate * xs[i]
        xs[i] *= rate
    return np.sum(xs * xs)


def test_what_is_added_to_leaves_its_adjoint_as_it_is():
    edges, xs = [(0, 1), (1, 2), (2, 0), (0, 2), (1, 1), (2, 1)], [0.3, 0.5, 0.7]
    text = grad(passed_on, "rate").source_for(edges, xs, 0.8)
    assert "= new_bar[j]" in text
    assert "new_bar[j] = " not in text
    for function in (passed_on, scaled_in_place):
        check_grads(function, (edges, xs, 0.8), wrt=("xs", "rate"))
