"""Derivatives of gradients of functions that call themselves, to any order."""

import numpy as np
import pytest

from s2sad import (
    UnsupportedError,
    elementwise_grad,
    grad,
    hessian,
    hook,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)

X, Y = np.array([0.3, 0.7, 1.1]), np.array([0.2, 0.5, -0.9])


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def total(x, y, n):
    return np.sum(power(x * y, n) * np.sin(x)) + power(y[0] * x[1], 2)


def tree(x, first, last):
    if last - first == 1:
        return np.sin(x[first])
    middle = (first + last) // 2
    return tree(x, first, middle) * tree(x, middle, last)


def rewritten(x, k):
    if k == 0:
        return np.sum(x**3)
    x[k] = x[k] * x[k - 1]
    return rewritten(x, k - 1)


def differences(function, x, step=1e-6):
    """The Jacobian by central differences."""
    units = step * np.eye(x.size)
    return np.array([(function(x + e) - function(x - e)) / (2 * step) for e in units]).T


@pytest.mark.long
def test_numbers_to_order_four():
    first = grad(power)
    assert grad(first)(0.5, 5) == pytest.approx(20 * 0.5**3)
    assert grad(grad(first))(0.5, 5) == pytest.approx(60 * 0.5**2)
    assert grad(grad(grad(first)))(0.5, 5) == pytest.approx(120 * 0.5)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize(
    "function, more",
    [(total, (Y, 3)), (tree, (0, 3)), (rewritten, (2,))],
    ids=["total", "tree", "rewritten"],
)
def test_all_ways_give_one_hessian(function, more, optimise):
    before = X.copy()
    expected = differences(lambda x: grad(function)(x, *more), X)
    gradient = grad(function)
    ways = [
        hessian(function, optimise=optimise),
        *(way(gradient, optimise=optimise) for way in (jacfwd, jacrev, jacobian)),
    ]
    for way in ways:
        np.testing.assert_allclose(way(X, *more), expected, atol=1e-7)
    v = np.array([1.0, -2.0, 0.5])
    missing = (None,) * len(more)
    values = [
        hvp(function)(X, *more, v),
        jvp(gradient, (X, *more), (v, *missing))[1],
        linearize(gradient, X, *more)[1](v, *missing),
        vjp(gradient, X, *more)[1](v)[0],
    ]
    for value in values:
        np.testing.assert_allclose(value, expected @ v, atol=1e-7)
    np.testing.assert_array_equal(X, before)


@pytest.mark.long
def test_mixed_and_third_derivatives():
    def penalty(x, y):
        return np.sum(jacrev(grad(total, 1), 0)(x, y, 2) ** 2)

    for place in (0, 1):
        own = [X, Y]

        def along(z, place=place, own=own):
            given = [z if k == place else a for k, a in enumerate(own)]
            return penalty(*given)

        expected = differences(along, own[place])
        np.testing.assert_allclose(grad(penalty, place)(X, Y), expected, atol=1e-6)


@pytest.mark.long
def test_values_seeds_and_pullbacks_inside():
    def with_value(x):
        value, gradient = value_and_grad(total)(x, Y, 3)
        return value * np.sum(gradient**2)

    def seeded(x, seed):
        return np.sum(grad(power)(x, 3, gradient=seed) ** 2)

    def pulled_back(x):
        value, pullback = vjp(power, x, 3)
        return np.sum(pullback(np.cos(value))[0] ** 2)

    def product(x):
        return np.sum(hvp(total)(x, Y, 3, np.sin(x)))

    for function in (with_value, pulled_back, product, lambda x: seeded(x, Y)):
        expected = differences(function, X)
        np.testing.assert_allclose(grad(function)(X), expected, atol=1e-6)
        expected = jvp(function, (X,), (Y,))[1]
        assert grad(function)(X) @ Y == pytest.approx(expected)
    expected = differences(lambda y: seeded(X, y), Y)
    np.testing.assert_allclose(grad(seeded, 1)(X, Y), expected, atol=1e-7)


def test_several_results():
    def both(x):
        return np.cos(x) * tree(x, 0, 3), tree(x, 0, 2)

    def of_both(x):
        rows, row = jacrev(both)(x)
        return np.sum(rows**2) + np.sum(row**3)

    expected = differences(of_both, X)
    np.testing.assert_allclose(grad(of_both)(X), expected, atol=1e-6)


def test_single_precision_stays():
    found = hessian(tree)(X.astype("float32"), 0, 3)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, hessian(tree)(X, 0, 3), rtol=1e-4, atol=1e-6)


def test_one_sweep_for_all_columns():
    text = hessian(tree).source_for(X, 0, 3)
    assert "rows = []" not in text and "in range(" not in text


def test_what_has_no_tangent_is_refused():
    def clipped(x, n):
        if n == 0:
            return 1.0
        return hook(x, lambda x_bar: 2.0 * x_bar) * clipped(x, n - 1)

    with pytest.raises(UnsupportedError, match="hook"):
        grad(grad(clipped))(0.5, 2)


def sum_of_items(xs, k):
    return 0.0 if k == 0 else xs[k - 1] ** 3 + sum_of_items(xs, k - 1)


def test_lists_in_an_argument():
    xs = [0.3, 0.7]
    found = hessian(sum_of_items)(xs, 2)
    np.testing.assert_allclose(found, np.diag([1.8, 4.2]), atol=1e-12)


def test_what_is_refused_in_reverse_over_reverse():
    rng = np.random.default_rng(0)

    def drawing(x, k):
        return 1.0 if k == 0 else (x + rng.normal()) * drawing(x, k - 1)

    with pytest.raises(UnsupportedError, match="draw"):
        grad(grad(drawing))(0.5, 2)


def of_grown_list(x, n):
    xs = [x * k for k in range(1, n + 1)]
    return grad(lambda ys: sum_of_items(ys, n))(xs)[-1]


def test_lists_that_the_program_grows():
    assert grad(of_grown_list)(0.5, 3) == pytest.approx(2 * 27 * 0.5)


def nested(x, n):
    if n == 0:
        return x
    return np.sin(x * nested(x, n - 1))


def test_elementwise_gradients():
    def total(x):
        return np.sum(elementwise_grad(nested)(x * x, 3) * np.sin(x))

    np.testing.assert_allclose(grad(total)(X), differences(total, X), atol=1e-6)
    expected = differences(grad(total), X)
    np.testing.assert_allclose(hessian(total)(X), expected, atol=1e-5)


def left_within(xs):
    total = 0.0
    for x in xs:
        if x > 1.0:
            return total
        total += x * total + x
    return total


def of_left_within(xs):
    return sum(g * g for g in grad(left_within)(xs))


@pytest.mark.parametrize("last", (0.7, 1.4))
def test_gradients_again_of_a_loop_that_returns(last):
    xs = [0.5, 0.8, 0.3, last, 0.6, 0.7]
    found = grad(of_left_within)(xs)
    for place, own in enumerate(found):
        up, down = list(xs), list(xs)
        up[place] += 1e-5
        down[place] -= 1e-5
        slope = (of_left_within(up) - of_left_within(down)) / 2e-5
        assert np.isclose(own, slope, rtol=1e-6, atol=1e-7)
