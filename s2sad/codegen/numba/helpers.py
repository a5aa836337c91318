"""What emitted programs call besides NumPy, in Python that Numba compiles; a text
carries copies of those it calls."""

from typing import Any

import numpy as np


def grown(values: Any) -> Any:
    """An array twice as long, which begins with these values.

    >>> grown(np.array([3.0, 4.0]))[:2]
    array([3., 4.])
    """
    longer = np.empty(2 * len(values), values.dtype)
    longer[: len(values)] = values
    return longer


def power_of_whole(base: int, exponent: int) -> int:
    """A whole number to the power of another. Raises ValueError where that is negative:
    the result is a float in Python.

    >>> power_of_whole(2, 3)
    8
    """
    if exponent < 0:
        raise ValueError("a whole number to a negative power: write float(n) ** k")
    return base**exponent


def quotient_or_zero(numerator: float, denominator: float) -> float:
    """numerator / denominator, and 0 where the denominator is 0.

    >>> quotient_or_zero(3.0, 2.0), quotient_or_zero(3.0, 0.0)
    (1.5, 0.0)
    """
    if denominator == 0.0:
        return 0.0
    return numerator / denominator


def unit_of_complex(z: complex) -> complex:
    """z / abs(z), and 0 where z is 0.

    >>> unit_of_complex(3 + 4j), unit_of_complex(0j)
    ((0.6+0.8j), 0j)
    """
    size = abs(z)
    if size == 0.0:
        return 0j
    return z / size


def root_of_complex(z: complex) -> complex:
    """The square root, also of numbers above 1e307, of which Numba's is wrong.

    >>> root_of_complex(-4 + 0j)
    np.complex128(2j)
    """
    return 2.0 * np.sqrt(0.25 * z)


def tanh_of_complex(z: complex) -> complex:
    """The hyperbolic tangent, also where Numba's overflows.

    >>> tanh_of_complex(400 + 1j), tanh_of_complex(-400 + 1j)
    ((1+0j), (-1+0j))
    """
    if abs(z.real) > 350.0:
        none = 0.0 * z.imag  # but nan where that is infinite
        return complex((1.0 if z.real > 0.0 else -1.0) + none, none)
    return np.tanh(z)


def cofactors_of_matrix(x: Any) -> Any:
    """The cofactors of a matrix, the derivative of its determinant.

    >>> cofactors_of_matrix(np.array([[1.0, 2.0], [2.0, 4.0]])).round(12)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    determinant = np.linalg.det(x)
    if determinant != 0.0:
        return determinant * np.linalg.inv(x).T
    # x = U S V*: cof(x) = det(U) det(V*) U cof(S) V*, S being diagonal.
    u, s, vh = np.linalg.svd(x)
    scaled = np.empty(u.shape)
    for k in range(len(s)):
        others = np.linalg.det(u) * np.linalg.det(vh)
        for j in range(len(s)):
            if j != k:
                others *= s[j]
        for i in range(len(s)):
            scaled[i, k] = u[i, k] * others
    return scaled @ vh


def inverse_of_matrix(x: Any) -> Any:
    """The inverse of a matrix; nan for a singular one, without a try statement.

    >>> inverse_of_matrix(np.array([[2.0]])), inverse_of_matrix(np.array([[0.0]]))
    (array([[0.5]]), array([[nan]]))
    """
    if np.linalg.slogdet(x)[0] == 0.0:
        return np.full(x.shape, np.nan)
    return np.linalg.inv(x)


def array_of_items(items: Any) -> Any:
    """The numbers of a list, or of a list of lists, as an array.

    >>> array_of_items([3.0, 4.0])
    array([3., 4.])
    """
    return np.array(items)


def stacked_items(items: Any) -> Any:
    """The arrays of a list as one array. Raises ValueError where shapes differ.

    >>> stacked_items([np.array([3.0]), np.array([4.0])])
    array([[3.],
           [4.]])
    """
    result = np.empty((len(items),) + items[0].shape, items[0].dtype)
    for i in range(len(items)):
        if items[i].shape != items[0].shape:
            raise ValueError("all input arrays must have the same shape")
        result[i] = items[i]
    return result


def zeros_along_items(items: Any) -> Any:
    """Zeros of the shape of the items of a list, stacked.

    >>> zeros_along_items([np.ones(1), np.ones(1)])
    array([[0.],
           [0.]])
    """
    return np.zeros((len(items),) + np.shape(items[0]))


def with_zeros_at(cotangent: Any, place: int) -> Any:
    """An array with zeros more at a place along its first axis.

    >>> with_zeros_at(np.array([1.0, 2.0]), 1)
    array([1., 0., 2.])
    """
    start = place if place >= 0 else place + len(cotangent)
    longer = np.zeros((len(cotangent) + 1,) + cotangent.shape[1:])
    longer[:start] = cotangent[:start]
    longer[start + 1 :] = cotangent[start:]
    return longer


def without_part_at(cotangent: Any, place: int) -> Any:
    """An array without a place along its first axis.

    >>> without_part_at(np.array([1.0, 2.0, 3.0]), 1)
    array([1., 3.])
    """
    start = place if place >= 0 else place + len(cotangent)
    shorter = np.empty((len(cotangent) - 1,) + cotangent.shape[1:])
    shorter[:start] = cotangent[:start]
    shorter[start:] = cotangent[start + 1 :]
    return shorter


def exact_sum(values: Any) -> float:
    """The sum of numbers without a rounding error in between, as of ``math.fsum``;
    the method is J. R. Shewchuk's.

    >>> exact_sum([1e16, 1.0, -1e16])
    1.0
    """
    parts = [0.0]
    for value in values:
        kept = 0
        high = value
        for k in range(len(parts)):
            part = parts[k]
            if abs(high) < abs(part):
                high, part = part, high
            total = high + part
            low = part - (total - high)
            if low != 0.0:
                parts[kept] = low
                kept += 1
            high = total
        parts = parts[:kept]
        parts.append(high)
    result = 0.0
    for part in parts:
        result += part
    return result


def kept_call(calls: Any, residuals: Any) -> int:
    """Append what a call hands to its reverse; returns the place that it has.

    >>> calls = [(2.0, 1)]
    >>> kept_call(calls, (3.0, 0)), calls
    (1, [(2.0, 1), (3.0, 0)])
    """
    calls.append(residuals)
    return len(calls) - 1
