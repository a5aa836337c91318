"""``vjp`` and ``grad``, inside a differentiated function, of functions that draw: the
numbers are drawn once, and their parameters have pathwise derivatives."""

import numpy as np
import pytest

import s2sad
from s2sad import UnsupportedError, grad, vjp


def inactive(x, rng):
    keep = rng.random(3) < 0.7
    return np.sum(np.where(keep, x, 0.5) ** 3 * rng.standard_normal(3))


def pathwise(x, rng):
    d = rng.normal(x, 0.5 + x[0] ** 2)
    e = rng.gamma(2.0, x[1] ** 2)
    return np.sum(d**2 * x) * np.exp(-e) + rng.uniform(x[0], high=2.0) ** 3


def written_into(x, rng):
    d = rng.normal(size=3)
    d[0] = x[0] * d[1]
    return np.sum(d * x**2)


def of_its_own(x, rng):
    own = np.random.default_rng(5)
    return np.sum(own.normal(x) ** 3) + rng.integers(5) * x[0] ** 2


def of_the_state(x, rng):
    state = np.random.RandomState(3)
    return np.sum(state.normal(x, x[1] ** 2) ** 3)


def by_pullback(function):
    def of_gradient(x, rng):
        value, pullback = vjp(function, x, rng)
        first, second = pullback(2.0)[0], pullback(value)[0]
        return np.sum(first * x) * value + np.sum(second**2)

    return of_gradient


def by_gradient(function):
    def of_gradient(x, rng):
        return np.sum(grad(function)(x, rng) ** 2 * x)

    return of_gradient


X = np.array([0.7, -0.8, 1.1])
V = np.array([0.3, 1.0, -0.6])


def rng():
    return np.random.default_rng(2)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize(
    "function", [inactive, pathwise, written_into, of_its_own, of_the_state]
)
def test_derivatives(function, optimise):
    for make in (by_pullback, by_gradient):
        outer = make(function)
        h = 1e-6
        slope = (outer(X + h * V, rng()) - outer(X - h * V, rng())) / (2.0 * h)
        gradient = grad(outer, optimise=optimise)
        assert np.sum(gradient(X, rng()) * V) == pytest.approx(slope, rel=1e-6)
        value, tangent = s2sad.jvp(outer, (X, rng()), (V, None))
        assert value == pytest.approx(outer(X, rng()))
        assert tangent == pytest.approx(slope, rel=1e-6)
        plus, minus = (gradient(X + s * h * V, rng()) for s in (1.0, -1.0))
        second = s2sad.hvp(outer, optimise=optimise)(X, rng(), V)
        np.testing.assert_allclose(second, (plus - minus) / (2.0 * h), rtol=1e-5)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("make", [by_pullback, by_gradient])
def test_the_generator_ends_in_the_same_state(make):
    of_function, of_gradient = rng(), rng()
    pathwise(X, of_function)
    text = grad(make(pathwise)).source_for(X, rng())
    grad(make(pathwise))(X, of_gradient)
    assert of_function.random() == of_gradient.random()
    lines = [line for line in text.splitlines() if not line.strip().startswith("#")]
    for drawn in ("rng.normal(", "rng.gamma(", "rng.uniform("):
        assert sum(drawn in line for line in lines) == 1


def test_auxiliary_results_come_of_the_same_numbers():
    def drawn(x, rng):
        d = rng.normal(x)
        return np.sum(d**2), d

    def outer(x, rng):
        value, pullback, d = vjp(drawn, x, rng, has_aux=True)
        return np.sum(pullback(1.0)[0] * d)

    d = rng().normal(X)
    assert outer(X, rng()) == pytest.approx(2.0 * np.sum(d**2))
    np.testing.assert_allclose(grad(outer)(X, rng()), 4.0 * d)


def in_a_loop(x, rng):
    total = 0.0
    for k in range(3):
        total += rng.normal(x[k]) * x[k] ** 2
    return total


def in_a_branch(x, rng):
    return rng.normal() * x[0] ** 2 if x[1] < 0.0 else np.sum(x**2)


def without_derivative(x, rng):
    return rng.poisson(x[0] ** 2) * np.sum(x)


@pytest.mark.parametrize("function", [in_a_loop, in_a_branch])
def test_a_gradient_takes_loops_and_branches(function):
    outer = by_gradient(function)
    h = 1e-6
    slope = (outer(X + h * V, rng()) - outer(X - h * V, rng())) / (2.0 * h)
    assert np.sum(grad(outer)(X, rng()) * V) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (in_a_loop, "in a loop, in a branch"),
        (in_a_branch, "in a loop, in a branch"),
        (without_derivative, "poisson draws what has no derivative"),
    ],
)
def test_what_is_refused(function, words):
    with pytest.raises(UnsupportedError, match=words):
        grad(by_pullback(function))(X, rng())
