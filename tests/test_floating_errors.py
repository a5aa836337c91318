"""Where settings make floating-point errors exceptions, a derivative raises only where
its function does."""

from __future__ import annotations

import contextlib
import threading
import warnings

import numpy as np
import pytest

from s2sad import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)


def into_arrays(x):
    y = x * 1.0
    for i in range(2):
        x[i] = np.sqrt(x[i])
        y[i] = np.sqrt(y[i]) * x[i]
    return np.sum(y)


def chosen(x):
    if x[0] > 0.0:
        return x[1] / x[0]
    return np.sqrt(x[0]) * x[1]


FINE = {
    "sqrt": (lambda x: np.sum(np.sqrt(x)), (0.0, 1.0)),
    "masked sqrt": (
        lambda x: np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0)),
        (0.0, 1.0),
    ),
    "masked log": (
        lambda x: np.sum(np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0)),
        (0.0, 1.0),
    ),
    "masked division": (
        lambda x: np.sum(np.where(x > 0, 1 / np.where(x > 0, x, 1.0), 0.0)),
        (0.0, 1.0),
    ),
    "power": (lambda x: np.sum(x**0.5), (0.0, 1.0)),
    "arcsin": (lambda x: np.sum(np.arcsin(x)), (0.0, 1.0)),
    "cbrt": (lambda x: np.sum(np.cbrt(x)), (0.0, 1.0)),
    "arctan2": (lambda x: np.arctan2(x[0], x[1]), (0.0, 0.0)),
    "norm": (lambda x: np.linalg.norm(x), (0.0, 0.0)),
    "std": (lambda x: np.std(x), (1.0, 1.0)),
    "loop": (lambda x: sum([np.sqrt(v) * v for v in x]), (0.0, 1.0)),
    "stores": (into_arrays, (0.0, 1.0)),
    "branch": (chosen, (0.0, 1.0)),
}
RAISING = {
    "log": (lambda x: np.sum(np.sqrt(x) * np.log(x)), (0.0, 1.0)),
    "division": (lambda x: np.sum(1 / x), (0.0, 1.0)),
    "overflow": (lambda x: np.sum(np.exp(1000 * x)), (0.0, 1.0)),
    "invalid": (lambda x: np.sum(np.sqrt(x)), (-1.0, 1.0)),
}
TRANSFORMS = {
    "grad": lambda f: grad(f),
    "value_and_grad": lambda f: value_and_grad(f),
    "seeded": lambda f: lambda x: grad(f)(x, gradient=2.0),
    "vjp": lambda f: lambda x: vjp(f, x)[1](1.0),
    "jvp": lambda f: lambda x: jvp(f, (x,), (np.ones(2),)),
    "linearize": lambda f: lambda x: linearize(f, x)[1](np.ones(2)),
    "hvp": lambda f: lambda x: hvp(f)(x, np.ones(2)),
    "jacfwd": lambda f: jacfwd(f),
    "jacrev": lambda f: jacrev(f),
    "hessian": lambda f: hessian(f),
}


@contextlib.contextmanager
def errors_from_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


SETTINGS = (lambda: np.errstate(all="raise"), errors_from_warnings)


def assert_same(found, expected):
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
        return
    np.testing.assert_array_equal(found, expected)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", FINE)
def test_a_function_that_does_not_raise(name, transform):
    function, point = FINE[name]
    derivative, x = TRANSFORMS[transform](function), np.array(point)
    with np.errstate(all="ignore"):
        expected = derivative(x)
    for setting in SETTINGS:
        with setting():
            assert_same(derivative(x), expected)
    np.testing.assert_array_equal(x, point)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", RAISING)
def test_a_function_that_raises(name, transform):
    function, point = RAISING[name]
    derivative, x = TRANSFORMS[transform](function), np.array(point)
    for setting in SETTINGS:
        with setting():
            with pytest.raises((FloatingPointError, RuntimeWarning)):
                function(x.copy())
            with pytest.raises((FloatingPointError, RuntimeWarning)) as caught:
                derivative(x)
    assert "test_floating_errors.py" in "".join(caught.value.__notes__)


def test_compiled_under_the_settings():
    with np.errstate(all="raise"):
        found = grad(lambda x: np.sum(np.sqrt(x)) + np.std(x))(np.zeros(2))
    np.testing.assert_array_equal(found, [np.inf, np.inf])


def test_methods_keywords_and_objects():
    class Root:
        def __init__(self, scale):
            self.scale, self.calls = scale, 0

        def value(self, x, shift=0.0):
            self.calls = self.calls + 1
            return np.sum(self.scale * np.sqrt(x)) + shift

    root = Root(2.0)
    with np.errstate(all="raise"):
        found = grad(root.value)(np.array([0.0, 1.0]), shift=1.0)
    np.testing.assert_array_equal(found, [np.inf, 1.0])


def test_a_function_that_shows_when_it_runs_once_more(capsys):
    def told(x):
        print("run")
        return np.sum(np.sqrt(x))

    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        grad(told)(np.zeros(2))
    assert capsys.readouterr().out == "run\n"

    def drawn(x, rng):
        return np.sum(np.sqrt(x)) * rng.normal()

    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        grad(drawn)(np.zeros(2), np.random.default_rng(0))


def test_settings_are_those_of_the_caller_afterwards():
    gradient = grad(lambda x: np.sum(np.sqrt(x)))
    with np.errstate(all="raise"):
        gradient(np.zeros(2))
        with pytest.raises(FloatingPointError):
            np.log(np.zeros(2))
    with errors_from_warnings():
        gradient(np.zeros(2))
        with pytest.raises(RuntimeWarning):
            np.log(np.zeros(2))
    with pytest.warns(RuntimeWarning):
        gradient(np.zeros(2))


def test_a_pullback_under_other_settings_than_the_function():
    _, pull = vjp(lambda x: np.sum(np.sqrt(x) * x), np.array([0.0, 1.0]))
    with np.errstate(all="raise"):
        for _ in range(2):
            np.testing.assert_array_equal(pull(1.0)[0][1], 1.5)


def test_in_a_thread_of_its_own():
    found = []

    def work():
        with np.errstate(all="raise"):
            found.append(grad(lambda x: np.sum(np.sqrt(x)))(np.zeros(1)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    np.testing.assert_array_equal(found, [[np.inf]])


def test_a_sparse_jacobian():
    pytest.importorskip("scipy")
    from s2sad import sparse_jacobian

    def roots(x):
        return np.sqrt(x)

    with np.errstate(all="raise"):
        found = sparse_jacobian(roots)(np.array([0.0, 1.0]))
    np.testing.assert_array_equal(found.diagonal(), [np.inf, 0.5])
