"""``scipy.integrate.quad``: derivatives under the integral sign and at the limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

from s2sad import UnsupportedError, grad, value_and_grad
from s2sad.testing import check_grads

WEIGHTS = np.array([0.3, 1.0, 2.0])


def bell(s):
    value, _ = integrate.quad(lambda x: np.exp(-0.5 * (x / s) ** 2), -np.inf, np.inf)
    return value


def to_a_limit(a):
    return integrate.quad(lambda x: np.exp(-a * x * x) * np.cos(x), 0.0, a)[0]


def waves(x, w, b):
    return np.sum(w * np.sin(b * x * np.arange(3) + 1))


def of_several(w, b, low):
    return integrate.quad(waves, low, 2 * b, args=(w, b), epsrel=1e-10)[0] ** 2


def of_limits_alone(low, high):
    return integrate.quad(np.cos, low, high)[0] * integrate.quad(waved, low, high)[0]


def waved(x):
    return np.sin(3.0 * x)


def singular_at_an_end(a):
    return integrate.quad(lambda x: np.cos(a * x) / np.sqrt(x), 0.0, 1.0)[0]


def twice(a):
    def inner(y):
        return integrate.quad(lambda x: np.sin(a * x * y), 0.0, y)[0]

    return integrate.quad(inner, 0.0, 1.0)[0]


def with_branches(a):
    def integrand(x):
        total = 0.0
        for k in range(3):
            total += x**k * a if k % 2 else np.exp(-a * x)
        return total

    return integrate.quad(integrand, 0, 2, limit=80)[0]


@pytest.mark.long
@pytest.mark.parametrize(
    "program", [bell, to_a_limit, singular_at_an_end, with_branches, twice]
)
def test_integrals(program):
    check_grads(program, (1.3,))


def test_several_parameters():
    check_grads(of_several, (WEIGHTS, 0.7, -0.4))
    check_grads(of_limits_alone, (-0.3, 1.1))


def test_the_text_has_the_rule_of_leibniz():
    text = grad(to_a_limit).source_for(1.3)
    assert "a_bar = function(a, a)" in text
    assert "quadratures(function_grad, 0.0, a, (a, 1.0)" in text
    value, slope = value_and_grad(bell)(1.3)
    assert value == bell(1.3)
    assert slope == pytest.approx(np.sqrt(2.0 * np.pi), rel=1e-9)


def test_a_constant_integrand():
    def length(a):
        return integrate.quad(lambda x: 1.0, 0.0, a)[0] ** 2

    check_grads(length, (1.3,))


REFUSED = {
    "points": lambda a: integrate.quad(waved, 0.0, a, points=[0.1])[0],
    "weight": lambda a: integrate.quad(waved, 0.0, a, weight="cos", wvar=2.0)[0],
    "a vector": lambda a: integrate.quad(lambda x: a * x * WEIGHTS, 0.0, 1.0)[0],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    with pytest.raises(UnsupportedError):
        grad(REFUSED[name])(1.2)
