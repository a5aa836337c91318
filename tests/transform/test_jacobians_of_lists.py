"""Jacobians of programs that hold lists: all tangents, or cotangents, are carried at
once, and give what one after the other gives, and what central differences give."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hessian, hvp, jacfwd, jacrev, jvp
from tests.transform.programs_with_lists import (
    PROGRAMS,
    changed,
    joined,
    lists_in_a_list,
    nothing,
    one_or_the_other,
    ragged,
    stacked,
    table,
    tree_of_matrices,
)

X = np.array([0.4, -1.3, 2.1])
programs = pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
EPSILON = 1e-6


def one_by_one(function, x):
    columns = [jvp(function, (x,), (unit,))[1] for unit in np.eye(x.size)]
    return np.moveaxis(np.array(columns), 0, -1)


def differences(function, x):
    steps = EPSILON * np.eye(x.size)
    columns = [(function(x + h) - function(x - h)) / (2 * EPSILON) for h in steps]
    return np.moveaxis(np.array(columns), 0, -1)


@pytest.mark.sampled(8)
@programs
def test_first_order(function):
    expected = one_by_one(function, X)
    np.testing.assert_allclose(expected, differences(function, X), atol=1e-6)
    for transform in (jacfwd, jacrev):
        for optimise in (None, False):
            if function.__name__ == "nothing" and optimise is False:
                continue  # an empty list as an array of another rank than is known
            found = transform(function, optimise=optimise)(X)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.sampled(32, of_long=2)
@programs
def test_second_order(function):
    def energy(x):
        return np.sum(np.sin(function(x)))

    expected = np.array([hvp(energy)(X, v) for v in np.eye(3)])
    np.testing.assert_allclose(expected, differences(grad(energy), X), 1e-5, 1e-5)
    for found in (hessian(energy)(X), jacrev(grad(energy))(X)):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.long
def test_inside_of_a_differentiated_function():
    for function in (
        changed,
        lists_in_a_list,
        nothing,
        ragged,
        stacked,
        table,
    ):

        def size(x, function=function):
            return np.sum(jacfwd(function)(x) ** 2)

        np.testing.assert_allclose(grad(size)(X), differences(size, X), rtol=1e-6)


def test_arrays_of_different_lengths_joined():
    for transform in (jacfwd, jacrev):
        for found, k in zip(transform(joined)(X), range(2), strict=True):
            expected = one_by_one(lambda x, k=k: joined(x)[k], X)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_no_loop_over_tangents():
    for function in (tree_of_matrices, one_or_the_other):
        for transform in (jacfwd, jacrev):
            text = transform(function).source_for(X)
            assert "parts.append" not in text and "np.eye(1," not in text
