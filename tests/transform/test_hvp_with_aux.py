"""``hvp(f, has_aux=True)``: the product in a pair with what is beside the result."""

import numpy as np
import pytest

from s2sad import differentiate, grad, hvp
from s2sad.errors import ArgumentError


def loss(x, y):
    residual = np.sin(x) * y
    return np.sum(residual**2), {"residual": residual, "count": len(x), "name": "sin"}


def depth(x, n):
    if n == 0:
        return np.sum(x**4)
    return np.sum(np.sin(x)) * depth(x * 0.9, n - 1)


def recursive(x, y):
    return depth(x, 2), (y, np.cos(x))


X, Y, V = np.array([0.3, -0.8]), np.array([1.1, 0.4]), np.array([1.0, 2.0])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", [loss, recursive])
@pytest.mark.parametrize("optimise", [None, False], ids=["on", "off"])
def test_the_product_and_what_is_beside_it(program, optimise):
    product, aux = hvp(program, has_aux=True, optimise=optimise)(X, Y, V)
    step = 1e-5
    ahead, behind = (
        grad(program, has_aux=True)(X + s * V, Y)[0] for s in (step, -step)
    )
    np.testing.assert_allclose(product, (ahead - behind) / (2 * step), rtol=1e-6)
    np.testing.assert_equal(aux, program(X, Y)[1])


def test_several_arguments():
    (first, second), aux = hvp(loss, (0, 1), has_aux=True)(X, Y, (V, V))
    plain = hvp(lambda x, y: loss(x, y)[0], (0, 1))(X, Y, (V, V))
    np.testing.assert_allclose(first, plain[0], rtol=1e-12)
    np.testing.assert_allclose(second, plain[1], rtol=1e-12)
    assert aux["count"] == 2


def test_inside_of_a_differentiated_function():
    def curvature(x, y, v):
        product, aux = hvp(loss, has_aux=True)(x, y, v)
        return np.sum(product * v) + np.sum(aux["residual"]) * aux["count"]

    step = 1e-5
    numeric = [
        (curvature(X + step * e, Y, V) - curvature(X - step * e, Y, V)) / (2 * step)
        for e in np.eye(2)
    ]
    np.testing.assert_allclose(grad(curvature)(X, Y, V), numeric, rtol=1e-6)


def test_of_a_product_in_a_pair():
    """The product is differentiated again, with the pair it stands in."""
    product = hvp(loss, has_aux=True)
    derivative, aux = grad(lambda x: _first_weighted(product(x, Y, V)), has_aux=True)(X)
    step = 1e-5
    numeric = [
        np.sum(product(X + step * e, Y, V)[0] - product(X - step * e, Y, V)[0])
        / (2 * step)
        for e in np.eye(2)
    ]
    np.testing.assert_allclose(derivative, numeric, rtol=1e-6)
    assert aux == "sin"


def _first_weighted(pair):
    return np.sum(pair[0]), pair[1]["name"]


def test_other_results_are_refused():
    with pytest.raises(ArgumentError, match="must return a pair"):
        hvp(lambda x: np.sum(x), has_aux=True)(X, V)


def test_as_a_decorator():
    @differentiate
    def own(x, y):
        return loss(x, y)

    product, aux = hvp(own, has_aux=True)(X, Y, V)
    assert product.shape == X.shape and aux["name"] == "sin"
