"""Pairs whose reverse programs compute numbers again, or have one for several names."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, vjp
from s2sad.dispatch.cache import MEMORY
from s2sad.transform.reverse import split

KEPT = {"inlining": False}
PAIRS = {**KEPT, "preaccumulation": False}


class Left(Exception):
    """Raised by a call that has computed some of its numbers."""


def repeated(x, k, n):
    p = np.sin(x * k)
    q = -k
    r = -k * x
    s = np.sin(x * k) * q
    if n <= 0:
        return p * s + r * q
    if p > 0.5:
        r = r * p
    return repeated(p, 0.9 * k, n - 1) * s + repeated(q * p, p, n - 2) * r


def of_repeated(x, k):
    return repeated(x, k, 4)


def oscillated(x, k, n):
    if n == 0:
        return x
    s = -k
    for _ in range(3):
        x = x + 0.01 * s * x
        s = 1.1 * s
    m = -k * x
    for _ in range(n % 3):
        m = m * k
    return oscillated(m * s, k, n - 1) * s + m * -k


def of_rebound(x, k):
    return oscillated(x, k, 4) + oscillated(k, x, 5)


def left(x, k, n):
    a = -k * x
    if n == 0:
        return a * k
    if x > 1.6:
        raise Left
    b = -k * x * 2.0
    c = left(1.2 * x, k, n - 1)
    d = -k * c
    e = d * b - a
    if e > 3.0:
        raise Left
    return e * -k + c * d


def of_left(x, k):
    total = 0.0
    for i in range(5):
        try:
            total = total + left(x + 0.2 * i, k, i + 1)
        except Left:
            total = 1.5 * total + k * x
    return total


PROGRAMS = [of_repeated, of_rebound, of_left]


def difference(function, x, k):
    """Central differences of what gives a number or several."""
    h = 1e-6
    by_x = np.subtract(function(x + h, k), function(x - h, k)) / (2 * h)
    by_k = np.subtract(function(x, k + h), function(x, k - h)) / (2 * h)
    return np.array([by_x, by_k])


@pytest.mark.parametrize("optimise", [None, KEPT, PAIRS, False])
@pytest.mark.parametrize("function", PROGRAMS)
def test_gradients_and_second_derivatives(function, optimise):
    x, k = 1.1, 0.9
    derived = grad(function, (0, 1), optimise=optimise)
    expected = difference(function, x, k)
    np.testing.assert_allclose(derived(x, k), expected, rtol=1e-6)
    _, slope = jvp(function, (x, k), (0.7, -0.4))
    np.testing.assert_allclose(slope, expected @ [0.7, -0.4], rtol=1e-6)
    hessian = difference(derived, x, k)
    product = hvp(function, (0, 1), optimise=optimise)(x, k, (0.7, -0.4))
    np.testing.assert_allclose(product, hessian.T @ [0.7, -0.4], rtol=1e-5)


@pytest.mark.parametrize("function", PROGRAMS)
def test_pullbacks_may_be_called_again(function):
    _, pullback = vjp(function, 1.1, 0.9)
    first = pullback(1.0)
    np.testing.assert_allclose(pullback(-2.0), np.multiply(-2.0, first), rtol=1e-12)
    np.testing.assert_allclose(pullback(1.0), first, rtol=1e-12)


def test_what_others_give_cheaply_is_no_residual(monkeypatch):
    def residuals():
        text = grad(of_repeated, (0, 1), optimise=PAIRS).source_for(1.1, 0.9)
        return re.findall(r"([^()]*)\)? = residuals\n", text)[0].count(",")

    few = residuals()
    MEMORY.clear()
    monkeypatch.setattr(split, "numbers_at_hand", lambda *args: ())
    assert few < residuals()
    MEMORY.clear()


def of_the_same(x, k):
    a, b, zero = 0.5 * (x + k), 0.5 * (x + k), 0.0
    s = math.exp(-((a - 1.0) ** 2)) + 2.0 * math.exp(-((b - 1.0) ** 2)) * (b + zero)
    up, down = x * (0.0 * k), x * (-0.0 * k)
    return s * math.exp(-((b - 1.0) ** 2)) + (a + up) * math.atan2(down, -k)


def test_a_number_that_others_compute_of_others_that_are_no_residuals():
    def twice(x, k):
        return of_the_same(x, k) * of_the_same(k, x)

    off = {**PAIRS, "common_subexpressions": False}
    derived = grad(twice, (0, 1), optimise=off)
    backwards = derived.source_for(1.1, 0.9).partition("reverse(residuals, g")[2]
    assert "exp" in backwards
    assert "exp_2" not in backwards
    assert "down = x * product_2" in backwards
    expected = difference(twice, 1.1, 0.9)
    np.testing.assert_allclose(derived(1.1, 0.9), expected, rtol=1e-6)


def of_constants(x, k):
    scale = 2.5
    y = k
    for _ in range(2):
        y = (0.5 * y + -0.25) * math.sin(scale * x)
    return y * math.sqrt(3.0) / (1.0 + x)


def test_constants_are_no_residuals():
    def twice(x, k):
        return of_constants(x, k) * of_constants(k, x)

    text = grad(twice, (0, 1), optimise=PAIRS).source_for(1.1, 0.9)
    taken = re.findall(r"(.*) = residuals\n", text)[-1]
    assert "scale" not in taken
    assert "sqrt" not in taken
    assert "scale = 2.5" in text.partition("of_constants_reverse(residuals, g")[2]
    assert "0.5 * y - 0.25" in text
    expected = difference(twice, 1.1, 0.9)
    np.testing.assert_allclose(grad(twice, (0, 1))(1.1, 0.9), expected, rtol=1e-6)
