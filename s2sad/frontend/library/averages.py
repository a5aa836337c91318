"""Spreads and means of Python's ``statistics``.

They are computed in floats, with exact sums; Python's own go by fractions, and may
differ in the last digit.
"""

import math
import statistics
from collections.abc import Iterable
from typing import Any

from s2sad.frontend.library.texts import stands_for


@stands_for(statistics.pvariance)
def pvariance(data: Iterable[float], mu: float | None = None) -> float:
    """``statistics.pvariance(data, mu)``."""
    numbers = list(data)
    if not numbers:
        raise statistics.StatisticsError("pvariance requires at least one data point")
    return squares_around(numbers, mu) / len(numbers)


@stands_for(statistics.variance)
def variance(data: Iterable[float], xbar: float | None = None) -> float:
    """``statistics.variance(data, xbar)``."""
    numbers = list(data)
    if len(numbers) < 2:
        raise statistics.StatisticsError("variance requires at least two data points")
    return squares_around(numbers, xbar) / (len(numbers) - 1)


@stands_for(statistics.pstdev)
def pstdev(data: Iterable[float], mu: float | None = None) -> float:
    """``statistics.pstdev(data, mu)``."""
    return math.sqrt(statistics.pvariance(data, mu))


@stands_for(statistics.stdev)
def stdev(data: Iterable[float], xbar: float | None = None) -> float:
    """``statistics.stdev(data, xbar)``."""
    return math.sqrt(statistics.variance(data, xbar))


@stands_for(statistics.geometric_mean)
def geometric_mean(data: Iterable[float]) -> float:
    """``statistics.geometric_mean(data)`` of positive numbers."""
    numbers = list(data)
    if not numbers:
        raise statistics.StatisticsError("must have a non-empty dataset")
    return math.exp(math.fsum([math.log(x) for x in numbers]) / len(numbers))


@stands_for(statistics.covariance)
def covariance(x: Any, y: Any) -> float:
    """``statistics.covariance(x, y)``."""
    if len(x) != len(y) or len(x) < 2:
        raise statistics.StatisticsError(
            "covariance requires two inputs of one length, of at least two data points"
        )
    return products_around(x, y) / (len(x) - 1)


@stands_for(statistics.correlation)
def correlation(x: Any, y: Any) -> float:
    """``statistics.correlation(x, y)``."""
    if len(x) != len(y) or len(x) < 2:
        raise statistics.StatisticsError(
            "correlation requires two inputs of one length, of at least two data points"
        )
    spread = math.sqrt(squares_around(x, None) * squares_around(y, None))
    return products_around(x, y) / spread


def squares_around(numbers: Any, middle: float | None) -> float:
    """The sum of squares of distances from a number, or from the mean."""
    if middle is None:
        middle = math.fsum(numbers) / len(numbers)
    return math.fsum([(x - middle) ** 2 for x in numbers])


def products_around(x: Any, y: Any) -> float:
    """The sum of products of distances from the means."""
    x_mean, y_mean = math.fsum(x) / len(x), math.fsum(y) / len(y)
    return math.fsum([(a - x_mean) * (b - y_mean) for a, b in zip(x, y, strict=True)])
