"""The functions behind derivatives of special functions, at known values."""

from __future__ import annotations

import math

import numpy as np

from s2sad.ops.numerics.special import digamma, polygamma, sinc_derivative


def test_polygamma_at_known_values():
    euler, zeta3 = 0.5772156649015329, 1.2020569031595943
    np.testing.assert_allclose(digamma(1.0), -euler, rtol=1e-15)
    np.testing.assert_allclose(digamma(0.5), -euler - 2 * math.log(2), rtol=1e-15)
    np.testing.assert_allclose(polygamma(1, 1.0), math.pi**2 / 6, rtol=1e-15)
    np.testing.assert_allclose(polygamma(1, 0.5), math.pi**2 / 2, rtol=1e-15)
    np.testing.assert_allclose(polygamma(2, 1.0), -2 * zeta3, rtol=1e-15)
    np.testing.assert_allclose(polygamma(3, 0.5), math.pi**4, rtol=1e-15)
    # psi(1 - x) - psi(x) = pi cot(pi x)
    np.testing.assert_allclose(digamma(-0.25), digamma(1.25) + math.pi, rtol=1e-14)


def test_polygamma_satisfies_its_recurrence():
    x = np.linspace(-6.05, 30.0, 733)
    for order in range(5):
        step = (-1.0) ** order * math.factorial(order) * x ** -(order + 1.0)
        error = polygamma(order, x + 1) - polygamma(order, x) - step
        assert np.max(np.abs(error) / (1 + np.abs(polygamma(order, x)))) < 1e-12


def test_sinc_derivative_is_an_integral():
    """sinc(x) is the integral of cos(pi x t) over t in [0, 1]."""
    x = np.concatenate([np.linspace(-6, 6, 1201), [1e-12, 1e-300]])
    nodes, weights = np.polynomial.legendre.leggauss(60)
    t, weights = (nodes + 1) / 2, weights / 2
    for n in range(7):
        phase = np.pi * np.multiply.outer(x, t) + n * np.pi / 2
        expected = np.pi**n * np.sum(weights * t**n * np.cos(phase), axis=-1)
        error = sinc_derivative(x, n) - expected
        assert np.max(np.abs(error)) < 1e-13 * np.pi**n
