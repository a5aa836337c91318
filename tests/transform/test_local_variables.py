"""``grad(f, wrt="h")`` of a local variable: the adjoint of what it is assigned."""

import numpy as np
import pytest

from s2sad import ArgumentError, differentiate, grad, hvp, value_and_grad

X = np.array([0.3, 1.2, -0.7])
W = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 0.3]])


def loss(x, w):
    h = np.tanh(w @ x)
    y = h * h
    return np.sum(y * h)


H = np.tanh(W @ X)


@pytest.mark.parametrize("optimise", [None, False])
def test_the_adjoint_of_a_local_variable(optimise):
    found = grad(loss, wrt="h", optimise=optimise)(X, W)
    assert np.allclose(found, 3 * H**2)
    x_bar, h_bar, y_bar = grad(loss, ("x", "h", "y"), optimise=optimise)(X, W)
    assert np.allclose(x_bar, grad(loss)(X, W))
    assert np.allclose(h_bar, 3 * H**2)
    assert np.allclose(y_bar, H)
    assert not np.shares_memory(h_bar, x_bar)
    value, found = value_and_grad(loss, "h", optimise=optimise)(X, W)
    assert value == loss(X, W)
    assert np.allclose(found, 3 * H**2)


def test_the_text():
    assert (
        grad(loss, wrt="h").source_for(X, W)
        == '''\
def loss_grad(x, w):
    """Gradient of loss with respect to h."""
    h = np.tanh(w @ x)
    y = h * h
    # y = h * h
    h_bar = y + 2.0 * h * h
    return h_bar
'''
    )


def test_numbers_and_structures():
    def f(x):
        pair = (x[0] * 2.0, x * 3.0, 4)
        s = np.sum(x)
        return pair[0] * s + np.sum(pair[1] ** 2) * pair[2]

    first, second, third = grad(f, "pair")(X)
    assert first == pytest.approx(np.sum(X))
    assert np.allclose(second, 8 * 3 * X)
    assert third is None
    assert grad(f, "s")(X) == pytest.approx(2 * X[0])


def test_dtype_and_shape():
    def f(x):
        h = x * np.float32(2.0)
        return np.mean(h)

    found = grad(f, "h")(X.astype(np.float32))
    assert found.dtype == np.float32 and found.shape == (3,)
    assert found.flags.writeable


def test_it_is_read_in_loops_and_written_into():
    def f(x):
        h = x * 2.0
        total = 0.0
        for i in range(len(x)):
            total += h[i] ** 2 * (i + 1)
        return total

    assert np.allclose(grad(f, "h")(X), 4 * X * np.arange(1, 4))

    def stored(x):
        h = x * 2.0
        h[0] = 5.0
        return np.sum(h * h)

    assert np.allclose(grad(stored, "h")(X), [0.0, 4 * X[1], 4 * X[2]])


def test_a_decorated_function():
    @differentiate(wrt=("x", "h"))
    def f(x):
        h = x**2
        return h * x

    assert f.grad(3.0) == pytest.approx((27.0, 3.0))
    with pytest.raises(ArgumentError, match="a local variable"):
        f.hvp(3.0, (1.0, 1.0))
    with pytest.raises(ArgumentError, match="a local variable"):
        hvp(f, "h")(3.0, 1.0)


def refused(function, *args):
    with pytest.raises(ArgumentError) as caught:
        grad(function, "h")(*args)
    return str(caught.value)


def test_names_that_dont_mean_one_value():
    def twice(x):
        h = x * 2.0
        h = h * x
        return h

    def augmented(x):
        h = x * 2.0
        h += x
        return h

    def in_a_loop(x):
        h = x
        for _ in range(3):
            h = h * x
        return h

    def in_a_branch(x):
        if x > 0:
            h = x * 2.0
            return h
        return x

    def unpacked(x):
        h, k = x * 2.0, x
        return h * k

    def behind_a_return(x):
        if x < 0:
            return x
        h = x * 2.0
        return h

    for function in (twice, augmented, in_a_loop):
        assert "h, which is assigned more than once" in refused(function, 2.0)
    for function in (in_a_branch, unpacked):
        assert "isn't assigned by a statement of its own" in refused(function, 2.0)
    assert "isn't assigned on every path" in refused(behind_a_return, 2.0)


def test_names_that_dont_matter():
    def unused(x):
        h = x * 2.0  # noqa: F841
        return x

    assert "doesn't depend on it" in refused(unused, 2.0)
    with pytest.raises(ArgumentError, match="has no parameter 'k'"):
        grad(loss, "k")
