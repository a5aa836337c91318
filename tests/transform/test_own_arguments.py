"""Derivatives, inside of a function and of each other, of functions that write into
their arguments."""

from dataclasses import dataclass

import numpy as np
import pytest

from s2sad import (
    UnsupportedError,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)

X, Y = np.array([0.3, 0.7, 1.1]), np.array([0.2, 0.5, 0.9])
DATA = np.array([1.0, 2.0, 3.0])


def one(x):
    x[0] = 2.0 * x[1]
    return np.sum(x**2) * x[2]


def two(x, y):
    x[0] = y[1] * x[1]
    y[2] *= x[0]
    return np.sum(x * y)


def cumulated(x):
    for i in range(1, x.shape[0]):
        x[i] += x[i - 1] ** 2
    return np.sum(x * x[0])


def viewed(x):
    part = x[1:]
    part *= x[0]
    return np.sum(part**2) + x[2]


def with_data(x):
    x[0] = DATA[1] * x[1] ** 2
    return np.sum(x * DATA)


def differences(function, x, step=1e-6):
    """The Jacobian by central differences."""
    units = step * np.eye(x.size)
    return np.array([(function(x + e) - function(x - e)) / (2 * step) for e in units]).T


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize("function", [one, cumulated, viewed, with_data])
def test_second_derivatives(function, optimise):
    before = X.copy()
    products = np.array([hvp(function)(X, v) for v in np.eye(3)])
    for way in (
        hessian(function, optimise=optimise),
        jacfwd(grad(function), optimise=optimise),
        jacrev(grad(function), optimise=optimise),
    ):
        np.testing.assert_allclose(way(X), products, atol=1e-12)
    np.testing.assert_array_equal(X, before)


def test_jacobians():
    def moved(x):
        x[1:] *= x[:-1].copy()
        return x

    expected = differences(lambda x: moved(x.copy()), X)
    for transform in (jacfwd, jacrev):
        found = transform(moved)(X)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert not np.shares_memory(found, X)


def test_inside_of_a_differentiated_function():
    def penalty(x):
        y = 2.0 * x
        table = hessian(one)(y)
        value, gradient = value_and_grad(one)(y)
        return np.sum(table**2) + np.sum(y * value) + np.sum(gradient**3)

    def pulled_back(x):
        value, pullback = vjp(two, x, Y)
        return value * np.sum(pullback(1.0)[0] ** 2) + x[0]

    def pushed(x):
        return jvp(two, (x, Y), (Y, X))[1] + x[0]

    for function in (penalty, pulled_back, pushed):
        expected = differences(function, X)
        np.testing.assert_allclose(grad(function)(X), expected, rtol=1e-6, atol=1e-6)
        assert value_and_grad(function)(X)[0] == function(X)


def test_arguments_that_share_memory():
    for arguments in ((X, X), (X, X[::-1])):
        with pytest.raises(ValueError, match="shares memory"):
            hessian(two)(*arguments)
    with pytest.raises(ValueError, match="shares memory"):
        hessian(with_data)(DATA)
    with pytest.raises(ValueError, match="shares memory"):
        grad(lambda x: np.sum(grad(two)(x, x[::-1])))(X)


@dataclass
class Model:
    w: np.ndarray
    b: float


def of_model(model):
    model.b = model.b * model.w[0]
    model.w[0] = model.b
    return np.sum(model.w**2) * model.b


def of_dict(p):
    p["w"][0] = p["b"] ** 2
    p["b"] = p["w"][1] * p["b"]
    return np.sum(p["w"] ** 2) * p["b"]


def of_list(xs):
    xs.append(xs[0] * xs[1])
    xs[0] = xs[-1]
    return xs[0] * xs[1] * xs[2]


def read_alone(xs, ys):
    return xs[0] * ys[1] + xs[1] ** 2


def of_lists(xs, ys):
    xs[0] = ys[1] * xs[1]
    ys[0] = xs[0] ** 2
    return xs[0] * ys[0]


def test_objects_dicts_and_lists():
    model = Model(np.array([0.4, 0.6]), 0.7)
    found = hessian(of_model)(model).b
    expected = hvp(of_model)(model, Model(np.zeros(2), 1.0))
    np.testing.assert_allclose(found.w, expected.w)
    assert found.b == pytest.approx(expected.b)
    p = {"w": np.array([0.4, 0.6]), "b": 0.7}
    found = hessian(of_dict)(p)["b"]
    expected = hvp(of_dict)(p, {"w": np.zeros(2), "b": 1.0})
    np.testing.assert_allclose(found["w"], expected["w"])
    assert found["b"] == pytest.approx(expected["b"])
    xs = [0.3, 0.4]
    found = np.array(hessian(of_list)(xs))
    np.testing.assert_allclose(found[0], hvp(of_list)(xs, [1.0, 0.0]))
    np.testing.assert_allclose(found[1], hvp(of_list)(xs, [0.0, 1.0]))
    assert (model.b, p["b"], xs) == (0.7, 0.7, [0.3, 0.4])
    assert model.w[0] == p["w"][0] == 0.4


def test_lists_that_both_functions_change():
    def outer(x):
        xs = [x[0], x[1]]
        xs.append(grad(of_list)(xs)[0])
        return xs[0] * xs[1] * xs[2] + hessian(of_list)(xs)[1][0]

    np.testing.assert_allclose(grad(outer)(X), differences(outer, X), atol=1e-8)


@pytest.mark.parametrize("function", [read_alone, of_lists])
def test_one_list_for_two_arguments(function):
    def outer(x):
        xs = [x, x * x]
        xs.append(3.0)
        gradient = grad(function)(xs, xs)
        return gradient[0] * gradient[1] + gradient[1] ** 2

    def by_itself(x):
        kept = grad(function, optimise={"scalar_replacement": False})
        gradient = kept(*([x, x * x, 3.0],) * 2)
        return gradient[0] * gradient[1] + gradient[1] ** 2

    if function is read_alone:  # that changes nothing, so the lists may be two
        by_itself = outer
    expected = (by_itself(0.7 + 1e-6) - by_itself(0.7 - 1e-6)) / 2e-6
    assert grad(outer)(0.7) == pytest.approx(expected, rel=1e-7)


@pytest.mark.taken_apart
def test_one_list_for_two_arguments_that_are_taken_apart():
    xs = [2.0, 3.0]
    with pytest.raises(ValueError, match="the same object"):
        hessian(of_lists)(xs, xs)
    assert hessian(read_alone)(xs, xs) == [[0.0, 0.0], [0.0, 2.0]]


def test_what_a_function_captures_stays():
    def outer(x):
        total = 0.0

        def counted(y):
            nonlocal total
            total = total + y
            return total * y

        return grad(counted)(x) * total

    with pytest.raises(UnsupportedError, match="a derivative changes nothing"):
        grad(outer)(2.0)


@dataclass
class Holder:
    held: np.ndarray


def popped(rows, springs, t):
    found = 0.0
    while rows and springs:
        a, b = rows.pop()
        found = 0.5 * found + a * b * springs.pop().held[0] * t
    return found


def put_into_objects(start, holders):
    for holder in holders:
        holder.held = start
    holders[0].held[1] = 2.0 * start[0]
    for holder in holders[1:]:
        holder.held[0] = holder.held[0] * 1.01
    return holders[-1].held @ start + holders[0].held.sum()


def test_each_run_has_a_copy_of_each_of_several_arguments():
    rows = [[0.1 * k, 1.0 + k] for k in range(1, 7)]
    springs = [Holder(np.array([0.3 * k + 0.1])) for k in range(6)]

    def both(rows, springs, t):
        value = popped(rows, springs, t)
        return np.array([value, value**2])

    def thrice(rows, springs, t):
        total = 0.0
        for _ in range(3):
            total = total + value_and_grad(popped)(rows, springs, t)[0] ** 2
        return total

    value, slopes = value_and_grad(popped)(rows, springs, 0.7)
    for jacobian in (jacrev, jacfwd):
        found = np.array(jacobian(both)(rows, springs, 0.7))
        wanted = np.array(slopes)[..., None] * [1.0, 2.0 * value]
        np.testing.assert_allclose(found, wanted, rtol=1e-10)
    found = np.array(grad(thrice)(rows, springs, 0.7))
    np.testing.assert_allclose(found, 6.0 * value * np.array(slopes), rtol=1e-10)
    assert len(rows) == len(springs) == 6


def test_an_array_that_is_put_into_objects_is_written_into_there():
    holders = [Holder(k * Y) for k in range(6)]

    def both(start, holders):
        value = put_into_objects(start, holders)
        return np.array([value, value**2])

    value, slope = value_and_grad(put_into_objects)(X, holders)
    for jacobian in (jacrev, jacfwd):
        found = jacobian(both)(X, holders)
        wanted = np.array([slope, 2.0 * value * slope])
        np.testing.assert_allclose(found, wanted, rtol=1e-10)
