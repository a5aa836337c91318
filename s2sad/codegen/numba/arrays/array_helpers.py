"""What NumPy does with arrays and Numba doesn't know, in Python that Numba compiles; a
text carries copies of the functions that it calls."""

import math
from typing import Any

import numpy as np


def sums_so_far(x: Any) -> Any:
    """The sums of the first parts along the first axis: ``np.cumsum(x, axis=0)``.

    >>> sums_so_far(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[1., 2.],
           [4., 6.]])
    """
    result = x.copy()
    for i in range(1, len(x)):
        result[i] += result[i - 1]
    return result


def products_so_far(x: Any) -> Any:
    """The products of the first parts along the first axis.

    >>> products_so_far(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[1., 2.],
           [3., 8.]])
    """
    result = x.copy()
    for i in range(1, len(x)):
        result[i] *= result[i - 1]
    return result


def sorted_columns(x: Any) -> Any:
    """A matrix with each column in order: ``np.sort(x, axis=0)``.

    >>> sorted_columns(np.array([[3.0, 2.0], [1.0, 4.0]]))
    array([[1., 2.],
           [3., 4.]])
    """
    result = np.empty(x.shape)
    for j in range(x.shape[1]):
        result[:, j] = np.sort(x[:, j])
    return result


def order_in_columns(x: Any) -> Any:
    """For each column of a matrix the places in order; equal ones stay in theirs.

    >>> order_in_columns(np.array([[3.0], [1.0]])).ravel()
    array([1, 0])
    """
    result = np.empty(x.shape, np.int64)
    for j in range(x.shape[1]):
        result[:, j] = np.argsort(x[:, j], kind="mergesort")
    return result


def taken_in_columns(x: Any, places: Any) -> Any:
    """What stands in each column of a matrix at its own places.

    >>> taken_in_columns(np.array([[3.0], [1.0]]), np.array([[1], [0]])).ravel()
    array([1., 3.])
    """
    result = np.empty(places.shape)
    for i in range(places.shape[0]):
        for j in range(places.shape[1]):
            result[i, j] = x[places[i, j], j]
    return result


def mean_of_equals(values: Any, ordered: Any) -> Any:
    """``values`` with each the mean over the places where ``ordered``, which is sorted,
    has the same number.

    >>> mean_of_equals(np.array([1.0, 2.0, 6.0]), np.array([0.5, 0.7, 0.7]))
    array([1., 4., 4.])
    """
    result = values.copy()
    start = 0
    for i in range(1, len(ordered) + 1):
        if i == len(ordered) or ordered[i] != ordered[start]:
            if i - start > 1:
                result[start:i] = np.mean(values[start:i])
            start = i
    return result


def mean_of_equals_in_columns(values: Any, ordered: Any) -> Any:
    """The same for each column of matrices.

    >>> mean_of_equals_in_columns(np.array([[1.0], [3.0]]), np.ones((2, 1))).ravel()
    array([2., 2.])
    """
    result = np.empty(values.shape)
    for j in range(values.shape[1]):
        result[:, j] = mean_of_equals(values[:, j], ordered[:, j])
    return result


def products_of_others(x: Any) -> Any:
    """For each element of a vector the product of all others.

    >>> products_of_others(np.array([2.0, 0.0, 3.0]))
    array([0., 6., 0.])
    """
    result = np.empty(len(x))
    product = 1.0
    for i in range(len(x)):
        result[i] = product
        product *= x[i]
    product = 1.0
    for i in range(len(x) - 1, -1, -1):
        result[i] *= product
        product *= x[i]
    return result


def products_of_others_in_columns(x: Any) -> Any:
    """For each element of a matrix the product of all others in its column.

    >>> products_of_others_in_columns(np.array([[2.0], [0.0], [3.0]])).ravel()
    array([0., 6., 0.])
    """
    result = np.empty(x.shape)
    for j in range(x.shape[1]):
        result[:, j] = products_of_others(x[:, j])
    return result


def weights_in_median(x: Any) -> Any:
    """How much the median of a vector changes with each element; equal ones share.

    >>> weights_in_median(np.array([1.0, 5.0, 1.0, 3.0]))
    array([0.25, 0.  , 0.25, 0.5 ])
    """
    ordered = np.sort(x)
    weights = np.zeros(len(x))
    for middle in ((len(x) - 1) // 2, len(x) // 2):
        count = 0
        for i in range(len(x)):
            if x[i] == ordered[middle]:
                count += 1
        for i in range(len(x)):
            if x[i] == ordered[middle]:
                weights[i] += 0.5 / count
    return weights


def are_last(length: int, places: Any) -> Any:
    """For each place along an axis of some length, whether it isn't named again.

    >>> are_last(3, np.array([0, 2, 0]))
    array([False,  True,  True])
    """
    last = np.empty(length, np.int64)
    for k in range(len(places)):
        last[places[k]] = k
    result = np.empty(len(places), np.bool_)
    for k in range(len(places)):
        result[k] = last[places[k]] == k
    return result


def are_last_pairs(rows: int, columns: int, i: Any, j: Any) -> Any:
    """For each place in a matrix, whether it isn't named again.

    >>> are_last_pairs(2, 2, np.array([0, 1, 0]), np.array([1, 1, 1]))
    array([False,  True,  True])
    """
    last = np.empty((rows, columns), np.int64)
    for k in range(len(i)):
        last[i[k], j[k]] = k
    result = np.empty(len(i), np.bool_)
    for k in range(len(i)):
        result[k] = last[i[k], j[k]] == k
    return result


def with_zeros_around(x: Any, before: int, after: int) -> Any:
    """An array with zeros more at both ends of its first axis.

    >>> with_zeros_around(np.array([1.0, 2.0]), 1, 2)
    array([0., 1., 2., 0., 0.])
    """
    result = np.zeros((len(x) + before + after,) + x.shape[1:])
    result[before : before + len(x)] = x
    return result


def order_of_numbers(items: Any, descending: bool) -> Any:
    """The places of numbers in order; equal ones stay in the order they had.

    >>> order_of_numbers([3.0, 1.0, 3.0], True)
    [0, 2, 1]
    """
    places = [0][:0]
    for k in range(len(items)):
        at = len(places)
        while at > 0 and (
            items[places[at - 1]] < items[k]
            if descending
            else items[k] < items[places[at - 1]]
        ):
            at -= 1
        places.insert(at, k)
    return places


def cross_product(a: Any, b: Any) -> Any:
    """The cross product of two vectors of three numbers.

    >>> cross_product(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    array([0., 0., 1.])
    """
    if len(a) != 3 or len(b) != 3:
        raise ValueError("both vectors must have 3 elements")
    result = np.empty(3)
    result[0] = a[1] * b[2] - a[2] * b[1]
    result[1] = a[2] * b[0] - a[0] * b[2]
    result[2] = a[0] * b[1] - a[1] * b[0]
    return result


def normal_distribution(x: float) -> float:
    """The probability that a standard normal number is below x.

    >>> normal_distribution(0.0)
    0.5
    """
    return 0.5 * math.erfc(-math.sqrt(0.5) * x)


def logistic(x: float) -> float:
    """``1 / (1 + exp(-x))``.

    >>> logistic(0.0)
    0.5
    """
    return 1.0 / (1.0 + math.exp(-x))


def slope_of_log_gamma(x: float) -> float:
    """The digamma function; nan at the poles. Abramowitz and Stegun, Handbook of
    Mathematical Functions, 1964: recurrence 6.3.5 moves x up to where the series 6.3.18
    holds to rounding; the reflection formula 6.3.7 serves x < 0.5.

    >>> round(slope_of_log_gamma(1.0), 12)
    -0.577215664902
    """
    left = x < 0.5
    if left and (math.isinf(x) or x == math.floor(x)):
        return math.nan
    z = 1.0 - x if left else x
    steps = 8 - int(z) if z < 8.0 else 0
    first = z
    z = z + steps
    y = 1.0 / (z * z)
    series = 691 / 32760 - y * (1 / 12 - y * 3617 / 8160)
    series = 1 / 240 - y * (1 / 132 - y * series)
    result = -0.5 / z - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * series)))
    for k in range(steps - 1, -1, -1):
        result -= 1.0 / (first + k)
    result += math.log(z)
    return result - math.pi / math.tan(math.pi * x) if left else result
