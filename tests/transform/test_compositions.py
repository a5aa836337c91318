"""Transforms of transforms, to any order, as functions and as decorators."""

from __future__ import annotations

import importlib.util
import math
import pickle

import numpy as np
import pytest

from s2sad import (
    differentiate,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)

X = np.array([0.4, -1.3, 2.1])


def cube(x):
    return x**3


def wave(x):
    return math.sin(x)


def energy(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = np.sin(x[i]) * x[i - 1]
    y[1:] *= x[:-1]
    return np.sum(y**2) + np.prod(x)


def test_derivatives_of_higher_order():
    assert grad(grad(cube))(2.0) == 12.0
    assert grad(grad(grad(cube)))(2.0) == 6.0
    assert grad(grad(grad(grad(cube))))(2.0) == 0.0
    assert grad(grad(grad(wave)))(0.0) == -1.0


def test_a_gradient_of_gradients_reads_well():
    text = grad(grad(cube)).source_for(2.0)
    assert text.splitlines()[0] == "def cube_grad_grad(x):"
    assert "derivative" not in text


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_forward_over_forward(order):
    function = wave
    for _ in range(order):
        inner = function

        def pushed(x, inner=inner):
            return jvp(inner, (x,), (1.0,))[1]

        function = pushed
    cycle = [math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x), math.sin]
    assert function(0.7) == pytest.approx(cycle[order - 1](0.7))


@pytest.mark.long
def test_second_derivatives_in_all_ways():
    expected = np.array([hvp(energy)(X, v) for v in np.eye(3)])

    def squared(x):
        return np.sum(grad(energy)(x) ** 2)

    ways = [
        hessian(energy)(X),
        jacfwd(jacrev(energy))(X),
        jacrev(jacfwd(energy))(X),
        jacfwd(jacfwd(energy))(X),
        jacrev(jacrev(energy))(X),
        jacrev(grad(energy))(X),
        np.array([jvp(grad(energy), (X,), (v,))[1] for v in np.eye(3)]),
        np.array([vjp(grad(energy), X)[1](v)[0] for v in np.eye(3)]),
    ]
    for found in ways:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        grad(squared)(X), 2 * expected @ grad(energy)(X), rtol=1e-9
    )


@pytest.mark.long
def test_third_derivatives():
    third = jacfwd(hessian(energy))(X)
    h = 1e-5
    differences = np.stack(
        [
            (hessian(energy)(X + h * v) - hessian(energy)(X - h * v)) / (2 * h)
            for v in np.eye(3)
        ],
        axis=-1,
    )
    np.testing.assert_allclose(third, differences, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(third, np.swapaxes(third, 0, 2), rtol=1e-9, atol=1e-9)


def test_values_and_several_parameters():
    def product(x, w):
        return np.sum(x**2 * w**3)

    second = value_and_grad(grad(product, "x"), "w")
    value, slope = second(X, 2 * X, gradient=np.ones(3))
    np.testing.assert_allclose(value, 2 * X * 8 * X**3)
    np.testing.assert_allclose(slope, 2 * X * 3 * 4 * X**2)


def test_keywords_defaults_and_stars():
    def scaled(x, *rest, power=2.0, **more):
        return np.sum(x**power) * rest[0] * more["c"]

    first = grad(scaled)
    second = grad(lambda x: np.sum(first(x, 3.0, c=2.0)))
    np.testing.assert_allclose(second(X), 12.0 * np.ones(3))
    np.testing.assert_allclose(
        jacfwd(first)(X, 3.0, c=2.0), 12.0 * np.eye(3), atol=1e-12
    )


@differentiate(wrt="w")
def loss(w, x):
    return np.mean((np.tanh(x * w) - 0.5) ** 2)


def test_decorated():
    @differentiate
    def penalised(w):
        return loss(w, X) + np.sum(loss.grad(w, X) ** 2)

    h = 1e-6
    slope = (penalised(0.3 + h) - penalised(0.3 - h)) / (2 * h)
    assert penalised.grad(0.3) == pytest.approx(slope, rel=1e-7)
    assert grad(loss.grad)(0.3, X) == pytest.approx(loss.hvp(0.3, X, 1.0))
    second = differentiate(loss.grad)
    assert second.grad(0.3, X) == pytest.approx(loss.hvp(0.3, X, 1.0))


def test_through_a_step_of_descent():
    def inner(w, x):
        return np.sum((w * x - 1.0) ** 2)

    def after_a_step(rate, w):
        stepped = w - rate * grad(inner)(w, X)
        return inner(stepped, X)

    h = 1e-6
    slope = (after_a_step(0.1 + h, 0.5) - after_a_step(0.1 - h, 0.5)) / (2 * h)
    assert grad(after_a_step)(0.1, 0.5) == pytest.approx(slope, rel=1e-6)


def path_energy(x):
    y = np.zeros(3)
    for i in range(3):
        if x[i] > 0:
            y[i] = np.sin(x[i]) * x[i - 1]
        else:
            y[i] = y[i - 1] * x[i]
    return np.sum(y**2) + np.sum(x * y[0])


def test_emitted_source_is_accepted(tmp_path):
    text = "import numpy as np\n\n\n" + grad(path_energy).source_for(X)
    path = tmp_path / "emitted_gradient.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("emitted_gradient", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    np.testing.assert_allclose(
        jacrev(module.path_energy_grad)(X),
        hessian(path_energy)(X),
        rtol=1e-9,
        atol=1e-9,
    )


def test_arguments_are_left_alone():
    def writes(x):
        y = x.copy()
        y[0] = y[1] * 2.0
        return np.sum(y**2)

    before = X.copy()
    hessian(writes)(X)
    grad(lambda x: grad(writes)(x)[1])(X)
    np.testing.assert_array_equal(X, before)


def test_pickles():
    for derivative in (grad(grad(cube)), hessian(cube), jacfwd(grad(cube))):
        again = pickle.loads(pickle.dumps(derivative))
        assert again(2.0) == 12.0


@pytest.mark.long
def test_optimisations_off():
    for transform in (grad, jacfwd, jacrev, hessian):
        inner = grad(energy) if transform is not hessian else energy
        words = {"gradient": X} if transform is grad else {}
        found = transform(inner, optimise=False)(X, **words)
        np.testing.assert_allclose(found, transform(inner)(X, **words), rtol=1e-9)


def test_a_loop_variable_that_is_read_behind_the_loop():
    def last(x):
        for i in range(3):
            pass
        return np.sum(np.sin(x) * i)

    np.testing.assert_allclose(hessian(last)(X), np.diag(-2 * np.sin(X)))
