"""Derivatives have the precision of what they are taken by, whatever computes them."""

import numpy as np
import pytest

from s2sad import custom_jvp, custom_vjp, grad, hessian, hook, hvp, jvp, rule, vjp
from s2sad.rules.registry import unregister
from tests.transform.test_nested_customs import decorated


@custom_vjp
def squared(y):
    return y * y


squared.defvjp(lambda y: (squared(y), y), lambda y, out_bar: 2 * y * out_bar)


@custom_jvp
def pushed(y):
    return y * y


pushed.defjvp(lambda p, t: (p[0] * p[0], 2 * p[0] * t[0]))


def cumulated(x):
    return np.add.accumulate(x)


@pytest.fixture(autouse=True)
def rules():
    @rule.reverse_of(cumulated)
    def _(x, *, out, out_bar):
        return np.flip(np.cumsum(np.flip(out_bar)))

    yield
    unregister(cumulated)


def repeated(x, n):
    return x if n == 0 else repeated(x * x, n - 1)


def solved(x):
    return np.sum(np.linalg.solve(np.eye(3, dtype=x.dtype) * x[0], x))


def stored(x):
    y = np.exp(x)
    y[0] = 5.0
    y[1:] *= x[1:]
    return np.sum(y)


def with_doubles(x):
    y = np.ones(3)
    for k in range(3):
        if k == 2:
            y = np.ones(3)
        y = y * x + np.arange(3)
    return np.sum(y * x)


def with_whole_numbers(x):
    y = np.array([1, 2, 3])
    for _ in range(2):
        y = y * x
    return np.sum(y * x)


def joined_with_doubles(x):
    both = np.concatenate([x, np.ones(2), x[1:]])
    return np.sum(np.arange(7.0) * both * both)


# function, and whether it has forward mode
FUNCTIONS = {
    "custom_vjp": (lambda x: np.sum(squared(x)), False),
    "custom_jvp": (lambda x: np.sum(pushed(x) * x), True),
    "made inside": (lambda x: decorated(x, 1.0), False),
    "hook": (lambda x: np.sum(hook(x * x, lambda h_bar: 2 * h_bar)), False),
    "pullback": (lambda x: np.mean(cumulated(x)), False),
    "recursion": (lambda x: np.sum(repeated(x, 2)), True),
    "solve": (solved, True),
    "views": (lambda x: np.sum(x[:, None] @ x[None, :]), True),
    "stores": (stored, True),
    "loop with doubles": (with_doubles, False),
    "loop with whole numbers": (with_whole_numbers, False),
    "joined with doubles": (joined_with_doubles, False),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_in_the_precision_of_the_argument(name):
    f, has_forward = FUNCTIONS[name]
    x = np.array([1.0, 2.0, 3.0], np.float32)
    v = np.ones(3, np.float32)
    found = [grad(f)(x), grad(f, optimise=False)(x), vjp(f, x)[1](1.0)[0]]
    if has_forward:
        found.append(jvp(f, (x,), (v,))[1])
    if name != "pullback":  # it has no pushforward
        found += [hvp(f)(x, v), hvp(f, optimise=False)(x, v)]
    assert [part.dtype for part in found] == [np.float32] * len(found)
    assert np.allclose(found[0], grad(f)(x.astype(float)), rtol=1e-4)


def test_jacobians_that_are_zero_or_were_computed_in_float64():
    x = np.array([1.0, 2.0, 3.0], np.float32)
    assert hessian(lambda x: np.sum(np.where(x > 1, x, 2 * x)))(x).dtype == np.float32
    assert hessian(lambda x: np.sum(x[np.array([0, 0, 1])]))(x).dtype == np.float32
