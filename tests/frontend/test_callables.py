"""What can be called and isn't a plain function: partial applications, objects, what
NumPy and ``math`` have, functions under decorators."""

import functools
import math

import numpy as np
import pytest

import s2sad
from s2sad import elementwise_grad, grad, hessian, jacobian, jvp, value_and_grad, vjp


def cubic(a, x, k=2.0):
    return a * x**3 * k


def defaulted(x, k=np.float64(3.0)):
    return x * x * k


class Squared:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.w * x * x


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args, **words):
        return 2.0 * function(*args, **words)

    return wrapper


@doubled
def product(x, y=3.0, *, z=1.0):
    return x * y * z


@doubled
@doubled
def twice(x, y):
    return x * y


CALLABLES = {
    "partial": (functools.partial(cubic, 3.0), 2.0, 72.0),
    "partial by name": (functools.partial(cubic, 3.0, k=1.0), 2.0, 36.0),
    "partial of partial": (
        functools.partial(functools.partial(cubic, 3.0), k=1.0),
        2.0,
        36.0,
    ),
    "partial with a NumPy number": (
        functools.partial(cubic, np.float64(3.0)),
        2.0,
        72.0,
    ),
    "a default that is a NumPy number": (defaulted, 2.0, 12.0),
    "an object": (Squared(3.0), 2.0, 12.0),
    "a ufunc": (np.tanh, 0.5, 1.0 - math.tanh(0.5) ** 2),
    "a function of math": (math.sin, 0.5, math.cos(0.5)),
    "a builtin": (abs, -2.0, -1.0),
    "under a decorator": (product, 2.0, 6.0),
    "a function of NumPy": (np.linalg.norm, np.array([3.0, 4.0]), [0.6, 0.8]),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", CALLABLES)
def test_what_can_be_called_can_be_differentiated(case):
    function, at, expected = CALLABLES[case]
    np.testing.assert_allclose(grad(function)(at), expected)
    value, gradient = value_and_grad(function)(at)
    np.testing.assert_allclose(value, function(at))
    np.testing.assert_allclose(gradient, expected)
    np.testing.assert_allclose(vjp(function, at)[1](1.0)[0], expected)
    tangent = jvp(function, (at,), (np.ones_like(at)[()],))[1]
    np.testing.assert_allclose(tangent, np.sum(expected))
    inside = grad(lambda x: 2.0 * function(x))
    np.testing.assert_allclose(inside(at), np.multiply(2.0, expected))


def test_derivatives_of_higher_order():
    part = functools.partial(cubic, 3.0)
    assert grad(grad(part))(2.0) == pytest.approx(72.0)
    assert hessian(part)(2.0) == pytest.approx(72.0)
    x = np.array([0.5, 1.5])
    np.testing.assert_allclose(elementwise_grad(np.tanh)(x), 1.0 - np.tanh(x) ** 2)
    np.testing.assert_allclose(jacobian(np.sin)(x), np.diag(np.cos(x)))


def test_parameters_are_those_of_what_is_called():
    assert grad(product, "y")(2.0, 3.0) == 4.0
    assert grad(product, (0, 1))(2.0, 3.0) == (6.0, 4.0)
    assert grad(product, ("x", "z"))(2.0, y=5.0, z=3.0) == (30.0, 20.0)
    assert grad(twice, (0, "y"))(2.0, 3.0) == (12.0, 8.0)
    assert vjp(product, 2.0, 3.0)[1](1.0) == (6.0, 4.0)
    assert grad(functools.partial(cubic, k=2.0), "a")(1.0, 2.0) == 16.0
    assert grad(np.multiply, (0, 1))(2.0, 3.0) == (3.0, 2.0)
    assert grad(np.tanh).source_for(1.0).startswith("def tanh_grad(x):")
    assert "np.tanh(x)" in grad(np.tanh).source_for(1.0)


def test_what_has_no_parameters_is_refused():
    for nothing in (dict, np.random.normal, 3.0):
        with pytest.raises(s2sad.S2sadError):
            grad(nothing)(2.0)


# ------------------------------------------------------------- one value returned twice


def same(x):
    return x, x


def same_inside(x):
    y = np.sin(x)
    return {"a": y, "b": (y, 2.0 * x)}


def test_a_value_that_is_returned_twice_has_two_cotangents():
    assert vjp(same, 2.0)[1]((1.0, 2.0)) == (3.0,)
    x = np.array([0.5, 1.5])
    (found,) = vjp(same, x)[1]((np.ones(2), 2.0 * np.ones(2)))
    np.testing.assert_allclose(found, [3.0, 3.0])
    seed = {"a": 1.0, "b": (2.0, 3.0)}
    (found,) = vjp(same_inside, 0.5)[1](seed)
    assert found == pytest.approx(3.0 * math.cos(0.5) + 6.0)
    assert grad(same, has_aux=True)(2.0) == (1.0, 2.0)
    assert value_and_grad(same, has_aux=True)(2.0) == ((2.0, 2.0), 1.0)


def test_a_value_that_is_returned_twice_to_second_order():
    def weighted(x):
        return vjp(same, x)[1]((x, x * x))[0]

    assert grad(weighted)(2.0) == pytest.approx(5.0)

    def curved(x):
        return vjp(same_inside, x)[1]({"a": 1.0, "b": (x, 3.0)})[0]

    expected = math.cos(0.5) - (1.0 + 0.5) * math.sin(0.5)
    assert grad(curved)(0.5) == pytest.approx(expected)
    assert jacobian(same)(2.0) == (1.0, 1.0)


def test_what_vectorize_makes():
    numba = pytest.importorskip("numba")
    waves = numba.vectorize(lambda x, y: x * x * np.sin(y))
    squares = np.vectorize(lambda x: x * x)
    x, y = np.array([0.4, 0.7]), np.array([0.3, 0.8])
    assert grad(waves)(0.7, 0.3) == pytest.approx(1.4 * np.sin(0.3))
    assert grad(waves, wrt="y")(0.7, 0.3) == pytest.approx(0.49 * np.cos(0.3))
    assert grad(squares)(0.7) == pytest.approx(1.4)
    np.testing.assert_allclose(elementwise_grad(waves)(x, y), 2 * x * np.sin(y))
    np.testing.assert_allclose(elementwise_grad(squares)(x), 2 * x)
