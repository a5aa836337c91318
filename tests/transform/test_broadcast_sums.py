"""Sums over the axes that a number or array was broadcast along, where only the run
knows whether there are any."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hvp, jvp
from tests.fuzz.checking import ALL_OFF

R = np.array([1.0, 2.0, 3.0])
STEP = 1e-6


def narrowed(x):
    if x > 2:
        x = np.array([0.5, 0.5])
    return x


def plain(x, r):
    return np.sum((narrowed(x) + np.sum(r)) * 1.0)


def squared(x, r):
    return np.sum((narrowed(x) + np.sum(r)) ** 2)


def shifted(x, r):
    y = narrowed(x)
    return np.sum(y + 0.5 + np.sum(r**2))


@pytest.mark.parametrize(
    "optimise", [None, dict.fromkeys(ALL_OFF, False)], ids=["optimised", "not"]
)
@pytest.mark.parametrize("x", [0.5, 3.0], ids=["a number", "an array"])
@pytest.mark.parametrize("program", [plain, squared, shifted])
def test_a_sum_joins_what_may_be_a_number(program, x, optimise):
    r_bar = grad(program, "r", optimise=optimise)(x, R)
    for k, direction in enumerate(np.eye(3)):
        high, low = (program(x, R + s * direction) for s in (STEP, -STEP))
        assert r_bar[k] == pytest.approx((high - low) / (2 * STEP), rel=1e-6)
        _, tangent = jvp(lambda r: program(x, r), (R,), (direction,))
        assert tangent == pytest.approx(r_bar[k])


@pytest.mark.parametrize("x", [0.5, 3.0])
def test_its_second_order(x):
    product = hvp(lambda r: squared(x, r))(R, np.ones(3))
    assert product == pytest.approx((2.0 if x < 2 else 4.0) * 3.0 * np.ones(3))


def test_the_result_is_that_sum():
    def program(x, r):
        return narrowed(x) + np.sum(r)

    assert grad(program, "r")(0.5, R) == pytest.approx(np.ones(3))


def test_two_searches_may_find_unequally_many():
    """What one np.nonzero finds may be broadcast against what another finds."""

    def program(x, r, a, b):
        (places,) = np.nonzero(a)
        (others,) = np.nonzero(b)
        return np.sum((x[places] * r[others]) ** 2)

    x, a, b = np.array([2.0, 3.0]), np.array([0, 1]), np.array([1, 0, 1])
    x_bar, r_bar = grad(program, ("x", "r"))(x, R, a, b)
    assert x_bar == pytest.approx(np.array([0.0, 6.0 * np.sum(R[b == 1] ** 2)]))
    assert r_bar == pytest.approx(18.0 * R * b)
