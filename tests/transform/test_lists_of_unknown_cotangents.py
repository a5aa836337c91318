"""Sums over lists beside a number of a class that only the run tells: the list's
cotangent may be one number for all items, of which its kind doesn't tell the rank."""

from __future__ import annotations

from enum import Enum

import numpy as np
import pytest

from s2sad import grad, jvp


class Level(float, Enum):
    LOW = 0.3


def appended_in_a_branch(x):
    items = []
    if x:
        items.append(x)
        items.append(x * x)
    return items


def chosen_by_a_comprehension(x):
    return [e * x for e in (x, 2.0) if x]


def joined(x):
    return [x] + [e * x for e in (x, 2.0) if x]


def repeated(x):
    return [e * x for e in (x, 2.0) if x] * 2


def a_grown_tuple(x):
    items = ()
    for e in (x, 2.0):
        if x:
            items += (e * x,)
    return items


def inserted(x):
    items = [e * x for e in (x, 2.0) if x]
    items.insert(0, x)
    return items


def taken_from(x):
    items = [e * x for e in (x, 2.0, 3.0) if x]
    items.pop()
    return items


def stored_in(x):
    items = [e * x for e in (x, 2.0) if x]
    items[0] = x**3
    return items


MAKERS = (
    appended_in_a_branch,
    chosen_by_a_comprehension,
    joined,
    repeated,
    a_grown_tuple,
    inserted,
    taken_from,
    stored_in,
)
SUMS = {"sum": sum, "np.sum": np.sum, "np.mean": np.mean}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("make", MAKERS)
def test_items_share_one_cotangent(make, name, optimise):
    total = SUMS[name]

    def beside(x: float):
        level = 0.5 if x else Level.LOW
        return level + total(make(x))

    step = 1e-6
    slope = (beside(0.7 + step) - beside(0.7 - step)) / (2 * step)
    assert grad(beside, optimise=optimise)(0.7) == pytest.approx(slope)
    _, tangent = jvp(beside, (0.7,), (1.0,))
    assert tangent == pytest.approx(slope)
