"""Loops over one name: they count by it where nobody reads it behind them."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from s2sad.testing import check_grads


def two_loops(x, n):
    total = 0.0
    for i in range(2):
        total += x[i] ** 2
    for i in range(n):
        total *= x[i] + i
    return total


def read_behind(x, n):
    total = 1.0
    for i in range(2):
        total += x[i] ** 2
    for i in range(n):
        total *= x[i] + 1.0
    return total * x[i]


def changed_inside(x, n):
    total = 1.0
    for i in range(2):
        total += x[i] ** 2
    for i in range(n):
        i = (i + 1) % 3
        total *= x[i] + 1.0
    return total


def read_in_the_next_turn(x, n):
    total = 1.0
    for i in range(3):
        total += x[i] ** 2
    for _ in range(2):
        total *= x[i]
        for i in range(n):
            total *= x[i] + 1.0
    return total


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize(
    "program", [two_loops, read_behind, changed_inside, read_in_the_next_turn]
)
def test_gradients(program, n):
    x = np.array([0.3, 1.2, 0.7, 1.9])
    assert check_grads(lambda x: program(x, n), (x,), order=2).passed


def test_the_second_loop_counts_by_the_name_as_well():
    assert "i_2" not in grad(two_loops).source_for(np.ones(4), 3)
    assert "i_2" in grad(read_behind).source_for(np.ones(4), 3)


def bound_by_a_loop_that_runs(v):
    for _ in range(3):
        rows = 1
        for _ in range(2):
            rows = np.concatenate((v,), axis=0)
    return np.sum(sum((e * e for e in rows), start=v))


def bound_if_it_runs(v, n=2):
    for i in range(n):
        rows = v * (i + 1)
    total = v * rows[0]
    for e in rows:
        total = total + e * e
    return np.sum(total)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("program", [bound_by_a_loop_that_runs, bound_if_it_runs])
def test_what_was_read_has_a_value(program, optimise):
    v = np.array([0.3, 1.2, 0.7])
    assert check_grads(lambda v: program(v), (v,), order=2).passed
    differentiated = grad(program, optimise=optimise)
    step = 1e-6 * np.eye(3)
    slopes = [(program(v + h) - program(v - h)) / 2e-6 for h in step]
    assert np.allclose(differentiated(v), slopes)


def test_a_loop_that_surely_runs_is_not_asked_whether_it_did():
    assert "UnboundLocalError" not in grad(bound_by_a_loop_that_runs).source_for(
        np.ones(3)
    )
    assert "UnboundLocalError" in grad(bound_if_it_runs).source_for(np.ones(3), 2)
