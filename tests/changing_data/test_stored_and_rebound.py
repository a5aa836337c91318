"""Calls that are kept, store into an array and then bind its name to another one: the
caller sees both, in their order."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import value_and_grad
from s2sad.testing import check_grads

X = np.array([0.3, 1.0, 1.7])
WEIGHTS = np.arange(1.0, 4.0)


def weighed(y):
    return np.sum(y**2 * WEIGHTS)


def stored_then_bound(x):
    y = x.copy()

    def step(k):
        nonlocal y
        y[k] = 3.0 * y[0]
        y = y * 2.0

    step(1)
    step(2)
    return weighed(y)


def added_then_bound_to_zeros(x):
    y = x.copy()

    def step(v):
        nonlocal y
        y += v
        kept = np.sum(y)
        y = np.zeros(3)
        y[0] = kept

    step(x[1])
    step(2.0)
    return weighed(y)


def exchanged(x):
    y, z = x.copy(), 2.0 * x

    def step(k):
        nonlocal y, z
        y[k] += z[0]
        y, z = z, y

    step(0)
    step(1)
    step(2)
    return weighed(y) * np.sum(z)


def bound_on_one_path(x):
    y = x.copy()

    def step(k):
        nonlocal y
        y[k] *= y[0]
        if k == 1:
            y = y[::-1] * 1.5

    step(0)
    step(1)
    step(2)
    return weighed(y)


def seen_under_another_name(x):
    y = x.copy()
    before = y

    def step(k):
        nonlocal y
        y[k] = 3.0 * y[0]
        y = y * 2.0

    step(1)
    step(2)
    return weighed(y) + np.sum(before**3)


class Ring:
    def __init__(self, values):
        self.values = values

    def put(self, place, value):
        self.values[place] = 0.5 * self.values[place] + value
        self.values = np.roll(self.values, 1)


def in_an_object(x):
    ring = Ring(x.copy())
    for k in range(5):
        ring.put(k % 3, x[1] * k)
    return weighed(ring.values)


def in_two_objects(x):
    first, second = Ring(x.copy()), Ring(2.0 * x)
    first.put(0, x[0])
    second.put(1, x[1])
    first.put(2, second.values[0])
    return weighed(first.values) * weighed(second.values)


PROGRAMS = (
    *(stored_then_bound, added_then_bound_to_zeros, exchanged, bound_on_one_path),
    *(seen_under_another_name, in_an_object, in_two_objects),
)


@pytest.mark.parametrize("optimise", [{"inlining": False}, None, False])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_caller_sees_what_is_stored_and_what_is_bound(program, optimise):
    value, found = value_and_grad(program, optimise=optimise)(X)
    assert value == pytest.approx(program(X))
    steps = 1e-6 * np.eye(3)
    moved = [(program(X + s) - program(X - s)) / 2e-6 for s in steps]
    assert found == pytest.approx(moved, rel=1e-6)


@pytest.mark.parametrize("program", PROGRAMS)
def test_in_all_modes(program):
    check_grads(program, (X,))
