"""Jacobians and Hessians: all tangents, or cotangents, carried at once.

Each is compared with one pullback or tangent after the other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

import s2sad
from s2sad import (
    ArgumentError,
    UnsupportedError,
    elementwise_grad,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    vjp,
)
from s2sad.rules.registry import unregister
from s2sad.rules.result_kinds import same_kind

X = np.array([0.4, -1.3, 2.1])
M = np.array([[0.5, 1.5, -0.5], [2.0, 0.3, 0.7]])


def layer(x):
    return np.tanh(M @ x) * x[0]


def elements(x):
    return np.array([x[0] * x[1], math.sin(x[1]), x[2] ** 2, x[0]])


def loop(x):
    h = x
    for i in range(4):
        if h[0] > 0:
            h = np.sin(h) * x[i % 3]
        else:
            h = h * 2 - x[::-1]
    return h


def table(x):
    y = np.zeros((3, 4))
    y[:, 0] = x
    for i in range(3):
        for j in range(1, 4):
            y[i, j] = y[i - 1, j - 1] * x[i] + j
    y[1:] += np.outer(x[:2], y[0])
    return y


def gathered(x):
    y = x[[0, 2, 2, 1]] * np.arange(4.0)
    y[np.array([True, False, True, False])] *= x[1]
    np.add.at(y, [0, 0, 3], x)
    return y


def appended(x):
    out = []
    for v in x:
        if v > 0:
            out.append(v * x[1])
        out.append(np.exp(v))
    return np.array(out)


def popped(x):
    stack = [x[0]]
    for v in x:
        stack.append(stack[-1] * v)
    total = 0.0
    while stack:
        total = total * 0.5 + stack.pop()
    return np.array([total, total**2])


def while_loop(x):
    n = 0
    while np.sum(x**2) > 0.5:
        x = 0.7 * x + 0.1 * np.cos(x[::-1])
        n += 1
    return x * n


def sorted_and_summed(x):
    y = np.sort(x)
    return np.cumsum(y) + np.max(x) - np.where(x > 0, x**3, 0.0)


def solved(x):
    a = np.eye(3) * 3 + np.outer(x, x)
    return np.linalg.solve(a, np.array([1.0, 2.0, 3.0])) + np.linalg.det(a)


def joined(x):
    rows = np.stack([x, x**2, x[::-1]], axis=1)
    return np.concatenate([rows, rows.T], axis=0).ravel()[::2]


def power(x, n):
    return x if n == 0 else np.sin(power(x, n - 1)) * x


def recursive(x):
    return power(x, 3)


def recursive_number(x):
    return np.array([power(x[0], 3), x[1]])


def product_of_tensors(x):
    t = np.einsum("i,j,k->ijk", x, x, np.arange(2.0))
    return np.tensordot(t, M, axes=([1], [1]))


VECTORS = [
    layer,
    elements,
    loop,
    table,
    gathered,
    appended,
    popped,
    while_loop,
    sorted_and_summed,
    solved,
    joined,
    recursive,
    recursive_number,
    product_of_tensors,
]
functions = pytest.mark.parametrize("function", VECTORS, ids=lambda f: f.__name__)


def by_columns(function, x):
    columns = []
    for k in range(x.size):
        direction = np.zeros(x.size)
        direction[k] = 1.0
        columns.append(jvp(function, (x,), (direction.reshape(x.shape),))[1])
    return np.moveaxis(np.array(columns), 0, -1).reshape(
        np.shape(columns[0]) + np.shape(x)
    )


@pytest.mark.sampled(3)
@functions
@pytest.mark.parametrize("optimise", [None, False], ids=["optimised", "plain"])
@pytest.mark.parametrize("transform", [jacfwd, jacrev], ids=["forward", "reverse"])
def test_is_what_tangents_give(function, transform, optimise):
    before = X.copy()
    found = transform(function, optimise=optimise)(X)
    expected = by_columns(function, X)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(X, before)
    assert found.flags.writeable and not np.shares_memory(found, X)


@pytest.mark.sampled(3)
@functions
def test_jacobian_takes_one_of_them(function):
    expected = by_columns(function, X)
    np.testing.assert_allclose(jacobian(function)(X), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.sampled(6)
@functions
def test_second_order(function):
    def energy(x):
        return np.sum(np.sin(function(x)))

    found = hessian(energy)(X)
    products = np.array([hvp(energy)(X, v) for v in np.eye(3)])
    np.testing.assert_allclose(found, products, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found, found.T, rtol=1e-9, atol=1e-9)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [layer, elements, table, gathered, loop])
def test_reverse_over_reverse(function):
    def energy(x):
        return np.sum(np.sin(function(x)))

    found = jacrev(grad(energy))(X)
    np.testing.assert_allclose(found, hessian(energy)(X), rtol=1e-9, atol=1e-9)


def test_no_loop_over_tangents():
    for function in (layer, elements, loop):
        for transform in (jacfwd, jacrev):
            assert "for k in" not in transform(function).source_for(X)


def test_text():
    def squares(x, w):
        return np.tanh(x @ w)

    assert jacrev(squares).source_for(X, M.T).splitlines()[2:] == [
        "    result = np.tanh(x @ w)",
        "    # return np.tanh(x @ w)",
        "    product_bar = (1.0 - result * result) * np.eye(w.shape[1])",
        "    return product_bar @ w.T",
    ]


def test_shapes():
    def scaled(x, s):
        return x * s

    assert jacfwd(scaled)(M, 2.0).shape == (2, 3, 2, 3)
    assert jacrev(scaled)(M, 2.0).shape == (2, 3, 2, 3)
    np.testing.assert_array_equal(jacfwd(scaled, "s")(M, 2.0), M)
    np.testing.assert_array_equal(jacrev(scaled, "s")(M, 2.0), M)
    assert jacfwd(scaled)(3.0, 2.0) == jacrev(scaled)(3.0, 2.0) == 2.0
    assert jacobian(scaled)(np.zeros((0, 2)), 2.0).shape == (0, 2, 0, 2)
    assert jacobian(scaled)(np.ones((1, 1)), 2.0).shape == (1, 1, 1, 1)


def test_single_precision_stays():
    def scaled(x):
        return np.sin(x) * x

    x = X.astype(np.float32)
    for transform in (jacfwd, jacrev):
        found = transform(scaled)(x)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, by_columns(scaled, X), rtol=1e-5)


class State(NamedTuple):
    position: float
    velocity: np.ndarray


def test_structures_of_results_and_arguments():
    def step(params, x):
        h = np.tanh(params["w"] @ x) + params["b"]
        return State(np.sum(h), h * x[:2]), 3

    params = {"w": M, "b": 0.5}
    for transform in (jacfwd, jacrev, jacobian):
        (state, nothing) = transform(step, ("params", "x"))(params, X)
        assert nothing is None and isinstance(state, State)
        by_params, by_x = state.velocity
        assert by_params["w"].shape == (2, 2, 3) and by_params["b"].shape == (2,)
        assert by_x.shape == (2, 3)
        assert state.position[0]["w"].shape == (2, 3)
        _, pullback = vjp(step, params, X)
        for k in range(2):
            seed = np.zeros(2)
            seed[k] = 1.0
            by_hand = pullback((State(0.0, seed), None))
            np.testing.assert_allclose(by_params["w"][k], by_hand[0]["w"])
            np.testing.assert_allclose(by_params["b"][k], by_hand[0]["b"])
            np.testing.assert_allclose(by_x[k], by_hand[1])


def test_several_arguments():
    def product(x, y):
        return np.sum(x * y**2)

    found = hessian(product, ("x", "y"))(X, 2 * X)
    np.testing.assert_allclose(found[0][0], np.zeros((3, 3)))
    np.testing.assert_allclose(found[0][1], np.diag(4 * X))
    np.testing.assert_allclose(found[1][0], np.diag(4 * X))
    np.testing.assert_allclose(found[1][1], np.diag(2 * X))


def test_unit_tangents_at_singular_points():
    with np.errstate(all="ignore"):
        for transform in (jacfwd, jacrev):
            found = transform(np_sqrt)(np.array([0.0, 4.0]))
            np.testing.assert_array_equal(found, [[np.inf, 0.0], [0.0, 0.25]])


def np_sqrt(x):
    return np.sqrt(x)


def test_results_that_depend_on_nothing():
    def constant(x):
        return np.ones(2), np.sum(x)

    for transform in (jacfwd, jacrev):
        first, second = transform(constant)(X)
        np.testing.assert_array_equal(first, np.zeros((2, 3)))
        np.testing.assert_array_equal(second, np.ones(3))


def test_aux():
    def with_aux(x):
        h = np.sin(x)
        return h * x[0], {"h": h, "note": "kept"}

    for transform in (jacfwd, jacrev, jacobian):
        found, aux = transform(with_aux, has_aux=True)(X)
        np.testing.assert_allclose(found, by_columns(lambda x: np.sin(x) * x[0], X))
        np.testing.assert_array_equal(aux["h"], np.sin(X))
        assert aux["note"] == "kept"

    def energy(x):
        return np.sum(x**3), x[0]

    found, aux = hessian(energy, has_aux=True)(X)
    np.testing.assert_allclose(found, np.diag(6 * X))
    assert aux == X[0]


def test_aux_must_be_there():
    with pytest.raises((ArgumentError, UnsupportedError), match="pair"):
        jacobian(layer, has_aux=True)(X)


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def force(self, x):
        return -self.stiffness * x**3

    @s2sad.differentiate(wrt="x")
    def energy(self, x):
        return np.sum(self.stiffness * x**4) / 4


def test_methods():
    spring = Spring(2.0)
    expected = np.diag(-6.0 * X**2)
    np.testing.assert_allclose(jacobian(spring.force)(X), expected)
    np.testing.assert_allclose(hessian(spring.energy)(X), -expected)
    np.testing.assert_allclose(jacobian(spring.energy.grad)(X), -expected)
    spring.stiffness = 4.0
    np.testing.assert_allclose(hessian(spring.energy)(X), -2 * expected)


def test_elementwise_gradient():
    def wave(x):
        return np.tanh(x) * x

    x = np.linspace(-1.0, 1.0, 6).reshape(2, 3)
    first = elementwise_grad(wave)
    assert first(x).shape == (2, 3)
    diagonal = np.diagonal(jacobian(wave)(x).reshape(6, 6)).reshape(2, 3)
    np.testing.assert_allclose(first(x), diagonal)
    second = elementwise_grad(first)
    for value, slope in zip(x.ravel(), second(x).ravel(), strict=True):
        assert slope == pytest.approx(grad(grad(wave))(float(value)))
    assert first(2.0) == pytest.approx(grad(wave)(2.0))
    with pytest.raises(UnsupportedError, match="one number or array"):
        elementwise_grad(lambda x: (x, x))(x)


def test_inside_of_differentiated_functions():
    def penalty(x):
        j = s2sad.jacobian(elements)(x)
        return np.sum(j**2)

    def by_hand(x):
        total = 0.0
        for k in range(3):
            column = jvp(elements, (x,), (np.eye(3)[k],))[1]
            total += np.sum(column**2)
        return total

    np.testing.assert_allclose(grad(penalty)(X), grad(by_hand)(X))

    def laplacian(x):
        return np.trace(s2sad.hessian(lambda z: np.sum(np.sin(z) * z[0]))(x))

    h = 1e-5
    slopes = [
        (laplacian(X + h * v) - laplacian(X - h * v)) / (2 * h) for v in np.eye(3)
    ]
    np.testing.assert_allclose(grad(laplacian)(X), slopes, rtol=1e-6)


def test_arguments_that_have_no_derivative():
    with pytest.raises(ArgumentError, match="pass a float"):
        jacobian(lambda x: x * 2)(3)


def test_unknown_ranks_are_refused():
    with pytest.raises(UnsupportedError, match="known rank"):
        _ = jacobian(without_annotation).source


def without_annotation(x: np.ndarray):
    return x * 2.0


def cumulated(x):
    """Stands for a function written in C."""
    return np.add.accumulate(x)


def test_a_rule_may_say_what_a_function_is_for_many_tangents():
    s2sad.rule.reverse_of(cumulated, kind=same_kind, linear=True)(
        lambda x, *, out, out_bar: np.flip(np.cumsum(np.flip(out_bar)))
    )

    def weighted(x):
        return cumulated(np.sin(x)) * x[0]

    expected = by_columns(weighted, X)
    assert "for k in" in jacfwd(weighted).source_for(X)
    np.testing.assert_allclose(jacfwd(weighted)(X), expected)

    @s2sad.rule.batched_as(cumulated)
    def _(x, *, batched):
        assert batched == ("x",)
        return np.cumsum(x, axis=1)

    assert "for k in" not in jacfwd(weighted).source_for(X)
    np.testing.assert_allclose(jacfwd(weighted)(X), expected)
    unregister(cumulated)


def test_the_function_is_not_run_again_where_that_shows(capsys):
    rng = np.random.default_rng(1)

    def noisy(x):
        print("run")
        return x * rng.normal(size=3)

    found = jacobian(noisy)(X)
    assert capsys.readouterr().out == "run\n"
    again = np.random.default_rng(1)
    np.testing.assert_array_equal(found, np.diag(again.normal(size=3)))
    assert rng.bit_generator.state == again.bit_generator.state


def test_what_is_refused_inside_is_refused_at_its_line():
    def reads_a_file(x):
        return grad(lambda z: np.sum(z**3))(x) + open(x).read()

    for transform in (jacobian, jacfwd, jacrev):
        with pytest.raises(UnsupportedError, match="no derivative rule for open"):
            transform(reads_a_file)(X)
