"""Special functions that derivatives need and NumPy lacks."""

import math
from typing import Any

import numpy as np


def digamma(x: Any) -> Any:
    """The derivative of log(gamma(x)); nan at the poles 0, -1, -2, ..."""
    return _digamma_of_number(x) if type(x) is float else polygamma(0, x)


def _digamma_of_number(x: float) -> float:
    """digamma of a Python float, as :func:`polygamma` computes it, without arrays."""
    if x < 0.5:
        if math.isinf(x) or x == math.floor(x):
            return math.nan
        return _digamma_of_number(1.0 - x) - math.pi / math.tan(math.pi * x)
    steps = 8 - int(x) if x < 8.0 else 0
    z = x + steps
    y = 1.0 / (z * z)
    series = 691 / 32760 - y * (1 / 12 - y * 3617 / 8160)
    series = 1 / 240 - y * (1 / 132 - y * series)
    result = -0.5 / z - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * series)))
    for k in range(steps - 1, -1, -1):  # the least first
        result -= 1.0 / (x + k)
    return result + math.log(z)


def polygamma(order: int, x: Any) -> Any:
    """The derivative of the digamma function of this order, for real x.

    Abramowitz and Stegun, Handbook of Mathematical Functions, 1964: recurrence 6.4.6
    moves x up to where the asymptotic series 6.3.18 and 6.4.11 holds to rounding; the
    reflection formula 6.4.7 serves x < 0.5.
    """
    scalar = np.ndim(x) == 0
    x = np.atleast_1d(np.asarray(x, dtype=np.result_type(x, 1.0)))
    left = x < 0.5
    result = _polygamma_right(order, np.where(left, 1.0 - x, x))
    if np.any(left):
        with np.errstate(divide="ignore", invalid="ignore"):
            fraction = x - np.round(x)
            cotangent = 1.0 / np.tan(np.pi * np.where(fraction == 0, np.nan, fraction))
            # Derivatives of c = cot(pi x) are polynomials p(c) with
            # p(c)' = -pi (1 + c^2) p'(c).
            terms = np.array([0.0, 1.0])
            for _ in range(order):
                slopes = np.arange(1, len(terms)) * terms[1:]
                terms = np.zeros(len(slopes) + 2)
                terms[:-2] -= slopes
                terms[2:] -= slopes
            series = np.zeros_like(x)
            for term in terms[::-1]:
                series = series * cotangent + float(term)
            sign = 1.0 if order % 2 == 0 else -1.0
            reflected = sign * result - np.pi * float(np.pi**order) * series
        result = np.where(left, reflected, result)
    return result[0] if scalar else result


def _polygamma_right(order: int, x: Any) -> Any:
    """polygamma for x >= 0.5."""
    bernoulli = (
        1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510,
        43867 / 798, -174611 / 330,
    )  # fmt: skip
    steps = 14 + 2 * order
    factorial = 1.0
    for k in range(2, order + 1):
        factorial *= k
    moved = np.zeros_like(x)
    for k in reversed(range(steps)):
        moved = moved + (x + k) ** -(order + 1)
    z = x + steps
    if order == 0:
        series = np.log(z) - 0.5 / z
        for j, number in enumerate(bernoulli, 1):
            series = series - number / (2 * j) * z ** (-2 * j)
        return series - moved
    series = factorial * (z**-order / order + 0.5 * z ** -(order + 1))
    ratio = factorial * (order + 1) / 2
    for j, number in enumerate(bernoulli, 1):  # ratio is (2j + order - 1)! / (2j)!
        series = series + number * ratio * z ** (-2 * j - order)
        ratio *= (2 * j + order) * (2 * j + order + 1) / ((2 * j + 1) * (2 * j + 2))
    sign = 1.0 if order % 2 == 1 else -1.0
    return sign * (series + factorial * moved)


def sinc_derivative(x: Any, order: int) -> Any:
    """The derivative of numpy.sinc of this order.

    With s(z) = sin(z) / z and z = pi x, the n-th derivative of z s(z) = sin(z) is
    z s^(n) + n s^(n-1) = sin(z + n pi/2). This loses digits where z is small, and there
    the Taylor series is summed.
    """
    z = np.pi * x
    small = np.abs(z) < order + 2.0
    near = np.where(small, z, 0.0)
    far = np.where(small, order + 2.0, z)
    derivative = np.sin(far) / far
    for n in range(1, order + 1):
        shifted = (np.sin, np.cos)[n % 2](far) * (1, 1, -1, -1)[n % 4]
        derivative = (shifted - n * derivative) / far
    # s^(n)(z) is the sum over 2k >= n of (-1)^k z^(2k-n) / ((2k + 1) (2k - n)!).
    k = (order + 1) // 2
    term = near ** (2 * k - order) * (-1.0) ** k
    taylor = np.zeros_like(near)
    while k < order + 20:
        taylor = taylor + term / (2 * k + 1)
        term = -term * near * near / ((2 * k + 1 - order) * (2 * k + 2 - order))
        k += 1
    return float(np.pi**order) * np.where(small, taylor, derivative)[()]


def log_of_summed_exponentials(x: Any, axis: Any, keepdims: bool) -> Any:
    """``np.logaddexp.reduce(x, axis)``.

    >>> float(log_of_summed_exponentials(np.log([1.0, 2.0, 5.0]), 0, False).round(12))
    2.07944154168
    """
    return np.logaddexp.reduce(x, axis=axis, keepdims=keepdims)  # type: ignore[call-overload]


def modified_bessel(order: int, x: Any) -> Any:
    """The modified Bessel function I of the first kind, of an integer order and real x.

    DLMF 10.32.3 by the trapezoidal rule. Its error is I of an order beyond 250 (L. N.
    Trefethen and J. A. C. Weideman, The exponentially convergent trapezoidal rule, SIAM
    Review 56 (2014), section 5), below rounding for each x whose I is finite.

    >>> float(modified_bessel(1, 2.0).round(12))
    1.590636854637
    """
    x = np.asarray(x, dtype=np.result_type(x, 1.0))
    # Nodes in the four quarters of the circle differ in sign alone.
    angles = (np.arange(64) + 0.5) * (math.pi / 128)
    grow = np.sinh if order % 2 else np.cosh
    total = np.zeros_like(x)
    for angle in angles.tolist():
        total += grow(x * math.cos(angle)) * math.cos(order * angle)
    return (total * (1.0 / 64))[()]


def elliptic_d(phi: Any, m: Any) -> Any:
    """The incomplete elliptic integral D, ``(F - E) / m`` without cancellation.

    DLMF 19.25.13 within a quarter of a turn, and 19.2.10 with 19.25.1 for the rest.

    >>> float(elliptic_d(0.5 * np.pi, 0.0).round(12))
    0.785398163397
    """
    from scipy import special

    turns = np.round(phi / np.pi)
    rest = phi - np.pi * turns
    s, c = np.sin(rest), np.cos(rest)
    within = s**3 * special.elliprd(c * c, 1.0 - m * s * s, 1.0)
    around = special.elliprd(0.0, np.where(turns == 0.0, 1.0, 1.0 - m), 1.0)
    return ((within + 2.0 * turns * around) / 3.0)[()]
