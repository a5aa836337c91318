"""s2sad's transforms called inside differentiated functions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad
from s2sad import differentiate, grad, hvp, jvp, value_and_grad, vjp
from s2sad.errors import UnsupportedError
from tests.fuzz.checking import ALL_OFF
from tests.support.compiled import compiled
from tests.support.finite_differences import central_difference_gradient


def cubic(x):
    return x**3


def chain(x, n):
    for i in range(n):
        if x > 2.0:
            break
        x = x * x + 0.1 * i
    return x


def loss(w, x):
    return np.mean((np.tanh(x @ w)) ** 2)


@differentiate
def energy(q):
    return np.sum(q**4) - np.prod(q)


slope = grad(cubic)


def second(x):
    return grad(cubic)(x) * x


def third(x):
    return grad(lambda y: grad(cubic)(y))(x) * x


def through_a_loop(x):
    return grad(chain)(x, 4) + x


def with_a_value(x):
    value, derivative = value_and_grad(lambda y: math.sin(x * y))(x)
    return value * derivative


def gradient_penalty(w):
    x = np.array([[0.3, -0.2, 0.5], [1.0, 0.4, -0.6]])
    g = grad(loss)(w, x)
    return loss(w, x) + np.sum(g * g)


def step_of_descent(w):
    x = np.array([[0.3, -0.2, 0.5], [1.0, 0.4, -0.6]])
    for _ in range(3):
        w = w - 0.5 * grad(loss)(w, x)
    return loss(w, x)


def of_a_decorated_one(q):
    return np.sum(energy.grad(q) * q)


def of_a_global_one(x):
    return slope(x) * x


def tangent(x):
    value, dot = jvp(cubic, (x,), (2.0 * x,))
    return value + dot * x


def pulled_back(q):
    value, pullback = vjp(lambda v: np.sin(v) * v, q)
    (cotangent,) = pullback(value)
    return np.sum(cotangent * q)


def curvature(q):
    return np.sum(hvp(energy)(q, q) * q)


def two_arguments(x):
    a, b = grad(lambda y, z: y * y * z, wrt=("y", "z"))(x, 2.0 * x)
    return a * b


FUNCTIONS = [
    (second, 1.3),
    (third, 1.3),
    (through_a_loop, 0.7),
    (with_a_value, 0.8),
    (of_a_global_one, 1.3),
    (tangent, 1.3),
    (two_arguments, 0.9),
    (gradient_penalty, np.array([0.3, -0.7, 0.4])),
    (step_of_descent, np.array([0.3, -0.7, 0.4])),
    (of_a_decorated_one, np.array([0.3, -0.7, 0.4])),
    (pulled_back, np.array([0.3, -0.7, 0.4])),
    (curvature, np.array([0.3, -0.7, 0.4])),
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "function, at", FUNCTIONS, ids=[f.__name__ for f, _ in FUNCTIONS]
)
def test_a_transform_inside_is_differentiated(function, at):
    expected = central_difference_gradient(function, (at,))
    value, gradient = s2sad.value_and_grad(function)(at)
    np.testing.assert_allclose(value, function(at), rtol=1e-12)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    (name,) = function.__code__.co_varnames[:1]
    plain = compiled("gradient", function, (at,), name, switched_off=ALL_OFF)(at)
    np.testing.assert_allclose(plain, gradient, rtol=1e-10)
    direction = np.cos(np.arange(np.size(at)) + 1.0).reshape(np.shape(at))[()]
    _, dot = jvp(function, (at,), (direction,))
    np.testing.assert_allclose(dot, np.sum(direction * gradient), rtol=1e-9)
    value, pullback = vjp(function, at)
    np.testing.assert_allclose(pullback(1.0)[0], gradient, rtol=1e-10)


def test_a_function_of_arrays_is_refused():
    def wrong(q):
        return np.sum(grad(lambda v: v * v)(q))

    with pytest.raises(UnsupportedError, match="single number"):
        grad(wrong)(np.ones(3))


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "function, at", FUNCTIONS, ids=[f.__name__ for f, _ in FUNCTIONS]
)
def test_a_transform_inside_has_second_derivatives(function, at):
    direction = np.cos(np.arange(np.size(at)) + 1.0).reshape(np.shape(at))[()]
    h, slope = 1e-5, grad(function)
    expected = (slope(at + h * direction) - slope(at - h * direction)) / (2 * h)
    actual = hvp(function)(at, direction)
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)


# ---------------------------------------------------- one cotangent for each argument


def gathered(x, *rest):
    return x * rest[0] + rest[1] ** 2


def optional(x, n=2, *, k=3.0):
    return x**n * k


class Scaled:
    def __init__(self):
        self.w = 2.0

    def act(self, x, *rest):
        return self.w * x * rest[0]


SCALED = Scaled()


def all_of_rest(x):
    a, b, c = vjp(gathered, x, x * 2, x * 3)[1](1.0)
    return a * b * c


def last_of_rest(x):
    found = vjp(gathered, x, x * 2, x * 3)[1](1.0)
    return 0.0 if len(found) != 3 else found[2] * x


def without_optional(x):
    (a,) = vjp(optional, x)[1](1.0)
    return a


def with_optional(x):
    a, b = vjp(optional, x, 2)[1](1.0)
    return a if b is None else 0.0


def of_method(x):
    a, b = vjp(SCALED.act, x, x * x)[1](1.0)
    return a * b


def rest_alone(x):
    a, b = vjp(lambda *values: values[0] * values[1], x, x * x)[1](1.0)
    return a * b


def tangents_of_rest(x):
    return jvp(gathered, (x, x * 2, x * 3), (1.0, x, x * x))[1]


def tangent_of_last(x):
    return jvp(gathered, (x, x * 2, x * 3), (1.0, None, x * x))[1]


def gradient_by_rest(x):
    return grad(gathered, "rest")(x, x * 2, x * 3)[1] * x


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "function",
    [
        *(all_of_rest, last_of_rest, without_optional, with_optional, of_method),
        *(rest_alone, tangents_of_rest, tangent_of_last, gradient_by_rest),
    ],
    ids=lambda function: function.__name__,
)
def test_each_argument_has_its_own_cotangent(function):
    expected = central_difference_gradient(function, (1.5,))
    assert grad(function)(1.5) == pytest.approx(expected, rel=1e-6)
    assert value_and_grad(function)(1.5)[0] == pytest.approx(function(1.5))
    assert jvp(function, (1.5,), (1.0,))[1] == pytest.approx(expected, rel=1e-6)


def test_tangents_are_as_many_as_primals():
    def too_few(x):
        return jvp(gathered, (x, x, x), (1.0, 1.0))[1]

    with pytest.raises(UnsupportedError, match="3 primals and 2 tangents"):
        grad(too_few)(1.5)


def of_several_pullbacks(xs, s):
    pullbacks = []
    for k in range(2):
        _, pullback = vjp(lambda u, x: sum(math.sin(w * x) for w in u), xs, s + k)
        pullbacks.append(pullback)
    return sum(pullback(s)[0][0] for pullback in pullbacks)


def test_pullbacks_in_lists_of_the_run_are_refused():
    with pytest.raises(UnsupportedError, match="functions that transforms gave"):
        grad(of_several_pullbacks, "s")([0.5, 0.6, 0.7], 0.8)
