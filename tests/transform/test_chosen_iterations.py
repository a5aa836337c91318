"""Loops that look for one of many values: only the turn that chose it is reversed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import checkpoint, grad, hessian, hvp, value_and_grad, vjp
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

OFF = {"chosen_iterations": False}


def nearest(x, y):
    total = 0.0
    for i in range(len(y)):
        least = np.inf
        for j in range(len(x)):
            distance = (x[j] - y[i]) ** 2 * x[j]
            if distance < least:
                least = distance
        total += math.sin(least)
    return total


def greatest(x, y):
    top = x[0] * y[0]
    for i in range(1, len(x)):
        if x[i] * y[i] > top:
            top = x[i] * y[i]
    return top * top


def log_sum_exp(x, y):
    top = x[0]
    for i in range(1, len(x)):
        if x[i] > top:
            top = x[i]
    total = 0.0
    for i in range(len(x)):
        total += math.exp(x[i] - top)
    return top + math.log(total)


def two_in_a_branch(x, y):
    best, other = -100.0, x[0]
    for value, weight in zip(x, y):
        scaled = value * weight
        if scaled > best:
            best = scaled
            other = scaled * value
    return best * other


def array_and_place(x, y):
    best, chosen, place = 1e9, x * 2.0, 0
    for k in range(3):
        moved = x * y[k] - 1.0
        size = np.dot(moved, moved)
        if size < best:
            best, chosen, place = size, moved, k
    return best * np.sum(chosen * y) + place


def condition_in_condition(x, y):
    best = 0.3 * x[1]
    for k, value in enumerate(x):
        if k != 2:
            square = value * value
            if square > best:
                best = square + value
    return best * x[0]


def until_found(x, y):
    best = x[0]
    for value in x:
        if value > 1.0:
            break
        if value * value > best:
            best = value * value
    return best * best


def never_chosen(x, y):
    best = x[1] * x[2]
    for k in range(len(x)):
        if x[k] > 1000.0:
            best = x[k]
    return best * x[0]


def begun_before(x, y):
    best = x[0]
    for k in range(3):
        best = best * y[k]
        for i in range(len(x)):
            if x[i] + k > best:
                best = x[i] * x[i]
    return best


CHOSEN = (
    nearest,
    greatest,
    log_sum_exp,
    two_in_a_branch,
    array_and_place,
    condition_in_condition,
    until_found,
    never_chosen,
    begun_before,
)


def second_best(x, y):
    best, second = -100.0, -200.0
    for value in x:
        if value > best:
            second = best
            best = value
    return best * second


def added_up(x, y):
    best, total = x[0], 0.0
    for value in x:
        if value > best:
            best = value
        total += best * best
    return total


def from_another_turn(x, y):
    best, before = x[0], 1.0
    for value in x:
        if value > 0.0:
            best = value * before
        before = value
    return best


def twice_assigned(x, y):
    best = x[0]
    for value in x:
        if value > 0.5:
            best = value
        elif value > 0.2:
            best = value * value
    return best


def numbers_below_zero(x, y):
    best = x[0]
    for k in range(-2, 2):
        if x[k] * x[k] > best:
            best = x[k] * x[k]
    return best


def of_a_changing_list(x, y):
    kept = [x[0] * x[0]]
    best = x[0]
    for k in range(1, len(x)):
        if x[k] > 0.1:
            best = kept[0] * x[k]
        kept[0] = kept[0] * x[k]
    return best


EVERY_TURN = (
    second_best,
    added_up,
    from_another_turn,
    twice_assigned,
    numbers_below_zero,
    of_a_changing_list,
)

X = np.array([0.3, -0.8, 0.7, 0.2])
Y = np.array([0.5, 1.2, -0.4, 0.9])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", CHOSEN + EVERY_TURN)
def test_derivatives_by_the_chosen_turn(function):
    text = grad(function).source_for(X, Y)
    condition_kept = "condition_saved" in text
    if function in CHOSEN:
        assert not condition_kept
        assert "condition_saved" in grad(function, optimise=OFF).source_for(X, Y)
    elif function is not added_up:
        assert "_chosen" not in text
    for x in (X, -X, 2.0 * X, X[::-1].copy()):
        value, found = value_and_grad(function)(x, Y)
        assert value == function(x, Y)
        expected = grad(function, optimise=OFF)(x, Y)
        assert_trees_close(found, expected, rtol=1e-12, atol=1e-14)
        _, pullback = vjp(function, x, Y)
        both = pullback(1.0)
        assert_trees_close(both[0], expected, rtol=1e-12, atol=1e-14)
        twice = hvp(function)(x, Y, np.cos(x))
        again = hvp(function, optimise=OFF)(x, Y, np.cos(x))
        assert_trees_close(twice, again, rtol=1e-10, atol=1e-12)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", CHOSEN)
def test_against_central_differences(function):
    assert check_grads(function, (X, Y), wrt=(0, 1), order=2).passed


def test_gradients_of_gradients_and_hessians():
    def of_gradient(x, y):
        return np.sum(grad(nearest)(x, y) ** 2)

    plain = grad(of_gradient, optimise=OFF)(X, Y)
    assert_trees_close(grad(of_gradient)(X, Y), plain, rtol=1e-10)
    second = hessian(nearest, optimise=OFF)(X, Y)
    assert_trees_close(hessian(nearest)(X, Y), second, rtol=1e-10)


def test_loops_of_checkpointed_regions_stay():
    def function(x, y):
        best = x[0]
        for k in checkpoint(range(4), snapshots=2):
            if x[k] * y[k] > best:
                best = x[k] * y[k]
        return best * best

    assert "_chosen" not in grad(function).source_for(X, Y)
    expected = grad(function, optimise=OFF)(X, Y)
    assert_trees_close(grad(function)(X, Y), expected, rtol=1e-12)
    assert check_grads(function, (X, Y)).passed
