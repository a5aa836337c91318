"""Additions to one place are joined where nothing in between minds, and reads of parts
are moved in front of writes where they may be."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hessian
from s2sad.testing import check_grads


def both_ways(x):
    return np.sum((x[1:] - x[:-1]) ** 2) + np.sum(x[1:] * x[:-1])


def other_places(x):
    return x[0] * x[1] + x[0] * x[-5] + x[1] ** 3


def index_that_changes(x):
    k, total = 0, 0.0
    total += x[k] ** 2
    k = k + 1
    total += x[k] * x[k - 1]
    return total


def branch_between(x):
    total = x[0] * x[1]
    if total > 0.0:
        total *= x[0]
    else:
        total -= x[0] ** 2
    return total * x[0]


def loop_between(x):
    total = x[0] * x[1]
    for i in range(len(x)):
        total += x[i] * x[0]
    return total * x[0]


def read_between(x):
    y = x * 2.0
    y[0] = y[1] * y[2]
    y[1] = y[0] * y[1]
    return np.sum(y * y) + y[0]


def cells_and_slices(x):
    return np.sum(x[1:3] * x[2:4]) + x[1] * x[2] + np.sum(x[1:3]) ** 2


def masks(x):
    positive = x > 0.5
    return np.sum(x[positive] ** 2) + np.sum(x[positive] * 3.0) * x[0]


def repeated_places(x):
    places = np.array([0, 0, 1])
    return np.sum(x[places] ** 2) + np.sum(x[places] * x[1:4])


def smoothed(x):
    y = x.copy()
    for _ in range(3):
        spread = 0.3 * (y[2:] + y[:-2])
        y[1:-1] += spread - 0.5 * y[1:-1] * (y[1:-1] - y[:-2])
    return np.sum(y**2)


def returned_from_a_branch(x, flag=True):
    y = x * 1.0
    y[1:] *= np.sum(y)
    if flag:
        return np.sum(y)
    return y[0]


def of_a_table(x):
    m = np.outer(x, x)
    return np.sum(m[0] * m[1]) + np.sum(m[0] ** 2) + m[0, 1] * m[1, 0]


PROGRAMS = [
    *(both_ways, other_places, index_that_changes, branch_between, loop_between),
    *(read_between, cells_and_slices, masks, repeated_places, smoothed),
    *(returned_from_a_branch, of_a_table),
]
programs = pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
PASSES = ("joined_additions", "early_reads", "products", "common_subexpressions")


@pytest.mark.sampled(6)
@programs
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_gradients_without_each(program, dtype):
    x = np.array([0.3, 1.2, 0.7, 1.9, 0.9], dtype)
    expected = grad(program, optimise=False)(x)
    assert grad(program)(x).dtype == dtype
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    for off in (None, *PASSES):
        derivative = grad(program, optimise={off: False} if off else True)
        np.testing.assert_allclose(derivative(x), expected, rtol=tolerance)


@pytest.mark.sampled(6)
@programs
def test_second_derivatives(program):
    x = np.array([0.3, 1.2, 0.7, 1.9, 0.9])
    check_grads(program, (x,), order=2)
    plain = hessian(program, optimise=False)(x)
    np.testing.assert_allclose(hessian(program)(x), plain, rtol=1e-10, atol=1e-12)


def test_one_addition_for_each_place():
    text = grad(both_ways).source_for(np.ones(5))
    assert text.count("x_bar[1:]") == 1 and text.count("x_bar[:-1]") == 1


def test_a_part_that_is_read_early_needs_no_copy():
    text = grad(smoothed).source_for(np.ones(5))
    without = grad(smoothed, optimise={"early_reads": False}).source_for(np.ones(5))
    assert text.count(".copy()") < without.count(".copy()")
