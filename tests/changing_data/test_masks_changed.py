"""Masks and whole numbers that operators on bits change in place, under all names."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from s2sad.testing import check_grads

X = np.array([0.3, 0.6, 0.9])


def narrowed(x):
    mask = x > 0.5
    mask &= x < 0.8
    return np.sum(x[mask] ** 2)


def widened(x):
    mask = x > 0.5
    mask |= x < 0.2
    mask ^= x > 0.8
    return np.sum(np.where(mask, x**2, x))


def in_a_loop(x):
    mask = np.ones(3, bool)
    for bound in (0.2, 0.5):
        mask &= x > bound
    return np.sum(x**2 * mask)


def under_two_names(x):
    mask = x > 0.5
    same = mask
    mask &= x < 0.8
    return np.sum(x[same] ** 2)


def in_a_list(x):
    masks = [x > 0.5, x > 0.2]
    masks[0] &= x < 0.8
    masks[1][:2] ^= True
    return np.sum(x[masks[0]]) + np.sum(x[masks[1]] ** 2)


class Holder:
    pass


def in_an_object(x):
    holder = Holder()
    holder.mask = x > 0.5
    mask = holder.mask
    holder.mask |= x < 0.4
    return np.sum(x[mask] ** 2)


def rows_of_masks(x):
    masks = np.zeros((2, 3), bool)
    for row in masks:
        row |= x > 0.5
    return np.sum((masks * x) ** 2)


def whole_numbers(x):
    places = np.array([1, 2, 4])
    behind = places[1:]
    behind >>= 1
    places ^= 1
    places <<= 1
    return np.sum(x * places)


PROGRAMS = (
    *(narrowed, widened, in_a_loop, under_two_names, in_a_list, in_an_object),
    *(rows_of_masks, whole_numbers),
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_masks_choose(program):
    check_grads(program, (X,))


@pytest.mark.parametrize("program", PROGRAMS)
def test_unoptimised_and_with_calls_kept(program):
    expected = grad(program)(X)
    for optimise in (False, {"inlining": False}):
        value, found = value_and_grad(program, optimise=optimise)(X)
        assert value == pytest.approx(program(X))
        assert found == pytest.approx(expected)


def given(x, mask):
    mask &= x > 0.5
    return np.sum(x[mask] ** 2)


def test_a_mask_of_the_caller_stays_as_it_is():
    mask = np.array([True, False, True])
    assert grad(given, "x")(X, mask) == pytest.approx([0.0, 0.0, 1.8])
    assert mask.tolist() == [True, False, True]
