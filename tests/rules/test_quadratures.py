"""Nodes and weights of quadratures, and what else libraries give as several arrays."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, signal, special

from s2sad import UnsupportedError, grad
from s2sad.testing import check_grads

POLYNOMIALS = np.polynomial


def weighed(a, n):
    x, w = POLYNOMIALS.legendre.leggauss(n)
    return np.sum(w * a) + a * x[0]


def summed_in_a_loop(a, n):
    x, w = POLYNOMIALS.hermite.hermgauss(n)
    total = 0.0
    for i in range(n):
        total += w[i] * np.exp(a * x[i])
    return total


def pair_by_pair(a, n):
    x, w = POLYNOMIALS.laguerre.laggauss(n)
    return sum(weight * np.sin(a * node) for node, weight in zip(x, w))


def stored(a, n):
    nodes, weights = special.roots_legendre(n)
    z = np.zeros(n)
    for i in range(n):
        z[i] = a * weights[i] * nodes[i]
    return np.sum(z**2)


def changed(a, n):
    _, w = POLYNOMIALS.chebyshev.chebgauss(n)
    w = w * 1.0
    w *= 2.0
    return np.sum(w * a)


def with_the_sum_of_weights(a, n):
    _, w, total = special.roots_jacobi(n, 0.5, 1.5, mu=True)
    return a * total * np.einsum("i,i", w, w)


def by_newton_and_cotes(a, n):
    weights, error = integrate.newton_cotes(n)
    return np.sum(weights * a) * error * a


def of_one_variable(a, n):
    rule = POLYNOMIALS.hermite_e.hermegauss(n)
    x, w = rule
    return np.sum(w * np.cos(a * x))


def of_a_filter(a, n):
    zeros, poles, gain = signal.butter(n, 0.3, output="zpk")
    return gain * a * a * len(zeros)


QUADRATURES = (
    *(weighed, summed_in_a_loop, pair_by_pair, stored, changed),
    *(with_the_sum_of_weights, by_newton_and_cotes, of_one_variable, of_a_filter),
)


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("function", QUADRATURES)
def test_what_is_unpacked_may_be_arrays(function, n):
    check_grads(function, (0.3, n), wrt="a")


@pytest.mark.parametrize("function", QUADRATURES)
def test_numbers_of_nodes_in_the_text(function):
    check_grads(lambda a: function(a, 3), (0.3,))


def test_parameters_that_vary_are_refused():
    def loss(a):
        nodes, weights = special.roots_genlaguerre(3, a)
        return np.sum(nodes * weights)

    with pytest.raises(UnsupportedError, match="'alpha' isn't known, and that varies"):
        grad(loss)(0.5)


def of_groups(x, groups):
    _, inverse = np.unique(groups, return_inverse=True)
    sums = np.zeros(2)
    np.add.at(sums, inverse, x)
    return np.sum(sums**3)


def of_counts(x, groups):
    for group, count in zip(*np.unique(groups, return_counts=True)):
        x = x * count + group
    return np.sum(x**2)


def of_all(x, groups):
    values, places, inverse, counts = np.unique(x, True, True, True)
    return np.sum(values * counts) + np.sum(x[places] ** 2) * values[inverse[1]]


@pytest.mark.parametrize("function", [of_groups, of_counts, of_all])
def test_places_and_counts_of_unique_values(function):
    x = np.array([0.3, 0.5, 0.4])
    check_grads(function, (x, np.array([1, 1, 2])), wrt="x")
