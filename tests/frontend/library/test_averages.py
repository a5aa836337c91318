"""Python's ``statistics``, in floats."""

from __future__ import annotations

import random
import statistics

import pytest

from s2sad import grad, hvp, value_and_grad


def spreads(xs, c):
    return (
        statistics.stdev(xs) * statistics.pvariance(xs, 0.3)
        + c * statistics.pstdev(xs)
        + statistics.variance(c * x * x for x in xs)
    )


def several(xs, c):
    cubes = [c * x**3 for x in xs]
    both = statistics.covariance(xs, cubes) * statistics.correlation(xs, cubes)
    return statistics.geometric_mean(xs) * statistics.fmean(cubes) + both


@pytest.mark.parametrize("length", [2, 7, 2000])
@pytest.mark.parametrize("function", [spreads, several])
def test_they_are_differentiated(function, length):
    draw = random.Random(length)
    xs, c, step = [draw.uniform(0.3, 2.0) for _ in range(length)], 0.7, 1e-6
    value, (by_x, by_c) = value_and_grad(function, wrt=("xs", "c"))(xs, c)
    assert value == pytest.approx(function(xs, c), rel=1e-12)
    up, down = function(xs, c + step), function(xs, c - step)
    assert by_c == pytest.approx((up - down) / (2.0 * step), rel=1e-6)
    along = [draw.uniform(-1.0, 1.0) for _ in xs]

    def moved(by):
        return [x + by * d for x, d in zip(xs, along)]

    up, down = function(moved(step), c), function(moved(-step), c)
    slope = sum(g * d for g, d in zip(by_x, along))
    assert slope == pytest.approx((up - down) / (2.0 * step), rel=1e-6)
    one = [1.0] + [0.0] * (length - 1)
    product = hvp(function)(xs, c, one)
    up, down = (grad(function)([xs[0] + by, *xs[1:]], c)[0] for by in (step, -step))
    assert product[0] == pytest.approx((up - down) / (2.0 * step), rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("xs", [[], [1.0]])
def test_too_few_numbers_raise_as_they_do(xs):
    with pytest.raises(statistics.StatisticsError):
        grad(lambda xs: statistics.stdev(xs))(xs)
