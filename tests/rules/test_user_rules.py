"""Rules that users register: for methods, and with mistakes in them."""

import numpy as np
import pytest

from s2sad import UnsupportedError, custom_vjp, grad, hvp, jvp, rule
from s2sad.rules.predicates import is_literal_zero
from s2sad.rules.registry import unregister
from s2sad.rules.steps.shape_steps import difference_of, sum_of
from s2sad.testing import check_gradient

X = np.array([0.3, 1.2, -0.7])


class Model:
    def __init__(self, w):
        self.w = w

    def act(self, x):
        return np.tanh(x * self.w)

    @custom_vjp
    def square(self, x):
        return x * x


Model.square.defvjp(lambda self, x: (x * x, x), lambda x, bar: (None, 10.0 * x * bar))
MODEL = Model(2.0)


def outer_product(x, y):
    """Stands for a function written in C."""
    return x * y


def total(x, y):
    return np.sum(outer_product(x, y))


@pytest.fixture
def forget():
    yield
    for function in (outer_product, Model.act):
        unregister(function)


def test_a_rule_of_a_method(forget):
    @rule.reverse_of(Model.act, differentiable=("x",))
    def _(self, x, *, out, out_bar):
        return self.w * out_bar * (1 - out**2)

    def f(x):
        return np.sum(MODEL.act(x))

    assert np.allclose(grad(f)(X), 2.0 * (1 - np.tanh(2 * X) ** 2))
    assert "Model.act(MODEL, x)" in grad(f).source_for(X)

    def made_inside(x):
        return np.sum(Model(x[0]).act(x))

    with pytest.raises(UnsupportedError, match="a Model is passed to act"):
        grad(made_inside)(X)


def test_a_custom_method():
    def f(x):
        return np.sum(MODEL.square(x))

    assert np.allclose(grad(f)(X), 10 * X)
    assert MODEL.square(3.0) == 9.0


def register(reverse):
    rule.reverse_of(outer_product, differentiable=("x", "y"))(reverse)


def test_the_wrong_number_of_cotangents(forget):
    register(lambda x, y, *, out, out_bar: (out_bar,))
    with pytest.raises(UnsupportedError, match="returns 1, and must return a tuple of"):
        grad(total)(X, X)


def test_the_wrong_shape(forget):
    register(lambda x, y, *, out, out_bar: (np.sum(out_bar), None))
    with pytest.raises(UnsupportedError, match="the rule of outer_product gives for x"):
        grad(total)(X, X)
    register(lambda x, y, *, out, out_bar: (out_bar[1:], None))
    with pytest.raises(ValueError, match=r"has shape \(2,\), not \(3,\)"):
        grad(total)(X, X)


def test_the_wrong_dtype(forget):
    register(lambda x, y, *, out, out_bar: (x > 0, None))
    with pytest.raises(UnsupportedError, match="must be of floats"):
        grad(total)(X, X)


def test_none_is_no_cotangent(forget):
    register(lambda x, y, *, out, out_bar: (out_bar * y, None))
    x_bar, y_bar = grad(total, (0, 1))(X, X)
    assert np.allclose(x_bar, X)
    assert np.array_equal(y_bar, np.zeros(3))


@pytest.mark.parametrize("partials", [lambda x, y, out: y, lambda x, y, out: (y, x, x)])
def test_the_wrong_number_of_partial_derivatives(forget, partials):
    rule.elementwise(outer_product, partials)
    with pytest.raises(UnsupportedError, match="a tuple of 2 partial derivatives"):
        grad(total)(X, X)
    with pytest.raises(UnsupportedError, match="a tuple of 2 partial derivatives"):
        jvp(total, (X, X), (X, X))


def product_with_itself(x):
    """Stands for a function written in C."""
    return x @ x


def halves(left_bar, x, out_bar):
    left = 0.0 if is_literal_zero(left_bar) else np.transpose(x) @ left_bar
    right = 0.0 if is_literal_zero(out_bar) else np.transpose(x) @ out_bar
    return 0.5 * sum_of(left, right) - 0.5 * difference_of(left, right)


def test_a_value_of_a_rule_may_have_two_names():
    """The line that computes it isn't renamed while the first name is read."""

    @rule.reverse_of(product_with_itself)
    def _(x, *, out, out_bar):
        return halves(0.0, x, out_bar) + out_bar @ np.transpose(x)

    def loss(x):
        return np.sum(product_with_itself(x) ** 2)

    try:
        x = np.array([[1.0, 2.0], [3.0, -1.0]])
        assert check_gradient(loss, x).passed
    finally:
        unregister(product_with_itself)


def test_a_function_that_is_linear_in_each_of_two_arguments(forget):
    @rule.reverse_of(outer_product, differentiable=("x", "y"), bilinear=True)
    def _(x, y, *, out, out_bar):
        return y * out_bar, x * out_bar

    def f(x, y):
        return np.sum(outer_product(np.sin(x), y=y))

    y, dot = X**2, np.array([1.0, -2.0, 0.5])
    both = np.cos(X) * dot * y + np.sin(X) * dot
    assert np.allclose(jvp(f, (X, y), (dot, dot))[1], np.sum(both))
    assert np.allclose(jvp(f, (X, y), (None, dot))[1], np.sum(np.sin(X) * dot))
    hessian_product = hvp(f, wrt=("x", "y"))(X, y, (dot, dot))
    expected = -np.sin(X) * y * dot + np.cos(X) * dot, np.cos(X) * dot
    assert np.allclose(hessian_product, expected)
