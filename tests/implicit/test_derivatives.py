"""Derivatives of fixed points and roots: both modes, to second order, against
differences."""

import functools

import numpy as np
import pytest

import s2sad
from s2sad import fixed_point, grad, root


def babylonian(z, a):
    return 0.5 * (z + a / z)


def number(a):
    return 3.0 * fixed_point(babylonian, 1.0, a)


def captured(a):
    rate = 0.3 * a
    return fixed_point(lambda e: a + rate * np.sin(e), a)


def first_guess(a):
    return fixed_point(lambda z, b: 0.5 * np.cos(z * b), a * a, 2.0 * a)


def first_guess_of_int(a):
    return fixed_point(lambda z: 0.5 * np.cos(z * a), 0)


def in_a_loop(a):
    total, z = 0.0, 1.0
    for k in range(4):
        z = fixed_point(lambda z: np.cos(a * z + 0.1 * k), z)
        total += z * a
    return total


def within_another(a):
    def outer(y):
        inner = fixed_point(lambda z: 0.5 * np.cos(z) + 0.2 * y * a, 0.0)
        return 0.3 * np.sin(inner) + a

    return fixed_point(outer, 0.0)


def with_loops_and_branches(a):
    def step(z):
        for _ in range(3):
            z = 0.5 * np.sin(z * a) + 0.4 if z > 0.1 else z + 1.0
        return z

    return fixed_point(step, 0.3) ** 2


def of_a_dict(a):
    def step(z):
        return {"x": a * np.cos(z["y"]), "y": 0.5 * np.sin(z["x"] * a)}

    z = fixed_point(step, {"x": 0.0, "y": 0.0})
    return z["x"] * z["y"] ** 2


def of_a_list(a):
    z = fixed_point(lambda z: [0.5 * np.cos(z[1] * a), 0.5 * z[0]], [0.0, 1.0])
    return z[0] * z[1]


def of_number_and_array(a):
    def step(z):
        x, y = z
        return a * np.cos(y) * np.array([1.0, 0.5]), 0.5 * np.sin(np.sum(x) * a)

    x, y = fixed_point(step, (np.zeros(2), 0.0))
    return np.sum(x) * y


def of_changed_dict(a):
    rates = {"a": a}
    rates["a"] = 2.0 * rates["a"]
    return fixed_point(lambda z: 0.5 * np.cos(z * rates["a"]), 0.0)


def with_structure_as_argument(a):
    def step(z, p):
        return 0.5 * np.cos(z * p["w"]) + p["b"]

    return fixed_point(step, 0.0, {"w": a, "b": a * a}, tol=1e-13, maxiter=200)


def scaled_cosine(a, z):
    return 0.5 * np.cos(z * a)


def of_partial(a):
    return fixed_point(functools.partial(scaled_cosine, a), 0.0)


class Cosine:
    def __init__(self, rate):
        self.rate = rate

    def step(self, z):
        return 0.5 * np.cos(z * self.rate)

    def __call__(self, z):
        return 0.4 * np.cos(z * self.rate)


def of_method_and_object(a):
    cosine = Cosine(a)
    return fixed_point(cosine.step, 0.0) * fixed_point(cosine, 0.0)


def cubic(a):
    x = root(lambda x: x**3 + a * x - 2.0, 1.0)
    return x * x


def far_guess(a):
    return root(lambda x: np.arctan(x - a) * 3.0, 20.0 + a)


def gradient_of_solution(a):
    def energy(x, a):
        return fixed_point(lambda z: 0.5 * np.cos(z * x) + a * x, 0.0)

    return grad(energy)(1.3, a)


def of_stepsize(a):
    z = fixed_point(lambda z: [0.2 * a * z[0], 0.3 * z[1] + a], [1.0, 0.0])
    return z[1] + z[0]


NUMBERS = [
    (number, 2.0),
    (captured, 1.0),
    (first_guess, 0.7),
    (first_guess_of_int, 0.7),
    (in_a_loop, 0.6),
    (within_another, 0.6),
    (with_loops_and_branches, 0.9),
    (of_a_dict, 0.4),
    (of_a_list, 0.7),
    (of_number_and_array, 0.4),
    (of_changed_dict, 0.7),
    (with_structure_as_argument, 0.4),
    (of_partial, 0.7),
    (of_method_and_object, 0.7),
    (cubic, 1.3),
    (far_guess, 0.4),
    (gradient_of_solution, 0.7),
    (of_stepsize, 0.8),
]


def layer(w):
    b = 1.0 * w[0]
    z = fixed_point(lambda z: np.tanh(w @ z + b), np.zeros(3))
    return np.sum(z * z * b)


def layers(w):
    total, z = 0.0, np.zeros(3)
    for k in range(3):
        z = fixed_point(lambda z: np.tanh(w @ z + 0.1 * k), z)
        total += np.sum(z * z)
    return total


def both(w):
    z = fixed_point(lambda z: np.tanh(w @ z + w[0]), np.zeros(3))
    x = root(lambda x: w @ x + 5.0 * x - z + 0.1 * x**3, np.zeros(3))
    return np.sum(x * x * z)


def square_root_of_matrix(w):
    p = w @ w.T + np.eye(3)
    x = root(lambda x: x @ x - p, np.eye(3))
    return np.sum(x * np.array([[1.0, 2.0, 3.0], [3.0, 4.0, 1.0], [0.0, 1.0, 2.0]]))


def rows(w):
    z = fixed_point(lambda z: 0.3 * np.cos(z @ w) + w, np.zeros((3, 3)))
    return np.sum(z * w * w)


def written_into(w):
    z = fixed_point(lambda z: 0.3 * w[0] * np.cos(z), np.zeros(3))
    z[0] = z[1] * w[1, 1]
    return np.sum(z)


def given_back(w):
    row = 2.0 * w[0]
    z = fixed_point(lambda z: row, np.zeros(3))
    z[0] = z[1] * w[0, 2]
    return np.sum(z * row)


ARRAYS = [layer, layers, both, square_root_of_matrix, rows, written_into, given_back]


def slope(function, x, direction, h=1e-6):
    """The central difference along a direction."""
    return (function(x + h * direction) - function(x - h * direction)) / (2.0 * h)


def check(function, x, optimise):
    rng = np.random.default_rng(3)
    direction = rng.normal(size=np.shape(x)) if np.ndim(x) else 0.8
    gradient = grad(function, optimise=optimise)
    expected = slope(function, x, direction)
    assert np.sum(gradient(x) * direction) == pytest.approx(expected, rel=1e-6)
    if optimise is None:
        value, tangent = s2sad.jvp(function, (x,), (direction,))
        assert value == pytest.approx(function(x), rel=1e-9)
        assert tangent == pytest.approx(np.sum(gradient(x) * direction), rel=1e-9)
        value, pullback = s2sad.vjp(function, x)
        np.testing.assert_allclose(pullback(2.0)[0], 2.0 * gradient(x), rtol=1e-12)
    second = s2sad.hvp(function, optimise=optimise)(x, direction)
    differences = slope(gradient, x, direction)
    np.testing.assert_allclose(second, differences, rtol=1e-5, atol=1e-7)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize(("function", "x"), NUMBERS)
def test_of_a_number(function, x, optimise):
    check(function, x, optimise)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize("function", ARRAYS)
def test_of_an_array(function, optimise):
    check(function, 0.3 * np.random.default_rng(0).normal(size=(3, 3)), optimise)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("function", "x"), NUMBERS[:8])
def test_reverse_over_reverse(function, x):
    second = grad(lambda x: grad(function)(x))(x)
    assert second == pytest.approx(s2sad.hvp(function)(x, 1.0), rel=1e-9)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("function", ARRAYS[:5])
def test_reverse_over_reverse_of_an_array(function):
    rng = np.random.default_rng(0)
    x, v = 0.3 * rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    second = grad(lambda x: np.sum(grad(function)(x) * v))(x)
    np.testing.assert_allclose(second, s2sad.hvp(function)(x, v), rtol=1e-9)


def test_third_order():
    third = grad(lambda x: grad(lambda y: grad(number)(y))(x))(2.0)
    assert third == pytest.approx(3.0 * 0.375 * 2.0**-2.5, rel=1e-8)


def test_a_first_guess_has_no_derivative():
    def of_guess(z0, a):
        return fixed_point(babylonian, z0, a)

    assert grad(of_guess)(1.0, 2.0) == 0.0


def recursive_step(a):
    def repeated(z, n):
        return z if n == 0 else 0.5 * np.cos(repeated(z * a, n - 1))

    return fixed_point(lambda z: repeated(z, 3), 0.0)


def test_a_step_that_calls_itself():
    check(recursive_step, 0.7, None)


def test_the_iterations_leave_nothing_in_the_reverse_sweep():
    text = grad(number).source_for(2.0)
    assert text.count("while ") == 1
    assert "append" not in text and "reversed" not in text


def test_steps_that_write_into_their_own_arrays():
    def written(a):
        def step(z):
            new = np.zeros(2)
            new[0] = np.cos(a * z[1])
            new[1] = 0.5 * z[0] + a
            return new

        return np.sum(fixed_point(step, np.zeros(2)))

    def plain(a):
        def step(z):
            return np.array([np.cos(a * z[1]), 0.5 * z[0] + a])

        return np.sum(fixed_point(step, np.zeros(2)))

    assert grad(written)(0.5) == pytest.approx(grad(plain)(0.5))
