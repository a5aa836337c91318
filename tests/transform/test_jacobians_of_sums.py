"""Jacobians of results that start as a number and become an array in a loop."""

import numpy as np
import pytest

from s2sad import grad, hessian, jacfwd, jacobian, jacrev

X = np.array([1.0, 2.0, 3.0])


def summed(x):
    total = 0.0
    for k in range(3):
        total = total + x[k] * x
    return total


def summed_often(x, n):
    total = 0.0
    for k in range(n):
        total = total + x[k] * np.sin(x)
    return total


def differences(f, x):
    step = 1e-6
    columns = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(3)]
    return np.stack(columns, axis=-1)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("transform", [jacobian, jacfwd, jacrev])
@pytest.mark.parametrize("optimise", [None, False], ids=["on", "off"])
def test_the_jacobian_of_a_sum_in_a_loop(transform, optimise):
    made = transform(summed, optimise=optimise)
    np.testing.assert_allclose(made(X), differences(summed, X), rtol=1e-8)
    other = transform(summed_often, optimise=optimise)
    expected = differences(lambda x: summed_often(x, 2), X)
    np.testing.assert_allclose(other(X, 2), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("transform", [jacfwd, jacrev])
def test_a_number_after_all_raises(transform):
    with pytest.raises(ValueError, match="array of rank 1, and this gives rank 0"):
        transform(summed_often)(X, 0)


@pytest.mark.long
def test_compositions():
    expected = differences(jacobian(summed), X)
    np.testing.assert_allclose(jacfwd(jacrev(summed))(X), expected, rtol=1e-8)
    np.testing.assert_allclose(jacrev(jacfwd(summed))(X), expected, rtol=1e-8)

    def size(x):
        return np.sum(jacobian(summed)(x) ** 2)

    np.testing.assert_allclose(grad(size)(X), differences(size, X), rtol=1e-7)
    np.testing.assert_allclose(hessian(size)(X), differences(grad(size), X), rtol=1e-7)
