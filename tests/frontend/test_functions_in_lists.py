"""Functions in lists and dicts whose length only the run knows: those that one text
makes, and different ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from s2sad import value_and_grad

# ------------------------------------------------------------------ of one text


def scaling(a: float) -> Callable[[float], float]:
    return lambda v, a=a: v * a


def keeping(a: float) -> Callable[..., float]:
    def f(v: float, b: float = 2.0) -> float:
        return v * a + b

    return f


class Layer:
    def __init__(self, w: float, act: Callable[[float], float]) -> None:
        self.w, self.act = w, act

    def scaled(self, v: float) -> float:
        return v * self.w


def made_by_a_function(x, n):
    fs = []
    for k in range(n):
        fs.append(scaling(x * k))
    fs.append(scaling(x))
    fs[0] = scaling(x * x)
    return sum(f(x) for f in fs)


def repeated_and_stored(x, n):
    fs = [scaling(x)] * n
    fs[1] = scaling(2 * x)
    return sum(f(x) for f in fs)


def reading_what_stays(x, n):
    fs = []
    for k in range(n):
        fs.append((k, lambda v, a=x * k: v * a + x))
    return sum(f(x) * k for k, f in fs)


def by_key(x, n):
    def layer(w):
        def g(v, w=w):
            return v * w + x

        return g

    d = {}
    for k in range(n):
        d[k] = layer(x * k)
    return sum(f(x) for f in d.values()) + d[1](x)


def in_a_call_of_a_loop(x, n):
    def run():
        fs = []
        c = x * x
        for k in range(n):
            fs.append((k, lambda v, a=x: v * c * a))
        return sum(f(x) * k for k, f in fs)

    total = 0.0
    for _ in range(n):
        total += run()
    return total


def one_beside_another(x, n):
    hs = []
    for k in range(n):
        hs.append((k, [lambda v, a=x: v * a, lambda v, a=x: v + a]))
    return sum(f(x) * k for k, (f, g) in hs) + hs[0][1][1](x)


def one_for_all(x, n):
    act = keeping(x)
    layers = [Layer(x * k, act) for k in range(n)]
    return sum(layer.act(layer.w) for layer in layers)


@pytest.mark.parametrize(
    "function",
    [
        *(made_by_a_function, repeated_and_stored, reading_what_stays, by_key),
        *(in_a_call_of_a_loop, one_beside_another, one_for_all),
    ],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize("optimise", [True, False])
def test_those_that_one_text_makes_keep_their_numbers(
    function: Callable[..., float], optimise: bool
) -> None:
    value, slope = value_and_grad(function, optimise=optimise)(1.2, 4)
    h = 1e-6
    assert value == pytest.approx(function(1.2, 4))
    difference = (function(1.2 + h, 4) - function(1.2 - h, 4)) / (2 * h)
    assert slope == pytest.approx(difference, rel=1e-7)


# ------------------------------------------------------------------ different ones


def two_lambdas(x, n):
    fs = []
    for k in range(n):
        fs.append(lambda v, a=x * k: v * a)
        fs.append(lambda v, a=x * k: v + a)
    return sum(f(x) for f in fs)


def two_functions(x, n):
    def layer(v, w=x):
        return v * w

    def act(v, w=x):
        return math.tanh(v) * w

    net = [layer]
    while len(net) < n:
        net.append(act)
        net.append(layer)
    for f in net:
        x = f(x)
    return x


def under_keys(x, n):
    d = {}
    for k in range(n):
        d[k] = lambda v, a=x * k: v * a
    d[n] = lambda v, a=x: v + a
    return sum(f(x) for f in d.values())


def stored_at_a_place(x, n):
    fs = [lambda v, a=x: v * a] * n
    fs[1] = lambda v, a=x: v + a
    return sum(f(x) for f in fs)


def joined(x, n):
    fs = [lambda v, a=x: v * a] * n + [lambda v, a=x: v + a] * n
    return sum(f(x) for f in fs)


def in_tuples(x, n):
    fs = []
    for k in range(n):
        fs.append((k, lambda v, a=x * k: v * a))
    fs.append((n, lambda v, a=x: v + a))
    return sum(f(x) for _, f in fs)


def in_objects(x, n):
    layers = []
    for k in range(n):
        layers.append(Layer(x * k + 1, lambda v, a=x: v * a))
    layers.append(Layer(x, lambda v, a=x: v + a))
    return sum(layer.act(x) for layer in layers)


def on_two_paths(x, n):
    fs = []
    for k in range(n):
        if k % 2:
            fs.append(lambda v, a=x * k: v * a)
        else:
            fs.append(lambda v, a=x * k: v + a)
    return sum(f(x) for f in fs)


def chosen_before(x, n):
    f = (lambda v, a=x: v * a) if x > 1 else (lambda v, b=2 * x: v + b)
    return sum(g(x) for g in [f] * n)


def chosen_before_in_tuples(x, n):
    f = (lambda v, a=x: v * a) if x > 1 else (lambda v, b=2 * x: v + b)
    return sum(g(x) * w for w, g in [(1.0, f)] * n)


def with_a_default_and_without(x, n):
    fs = []
    for k in range(n):
        fs.append(lambda v, a=x * k: v * a)
        fs.append(lambda v: v * 2)
    return sum(f(x) for f in fs)


def with_other_variables(x, n):
    fs = [(k, keeping(x * k)) for k in range(n)]
    return sum(f(x) * k for k, f in fs)


def with_variables_of_objects(x, n):
    layers = [Layer(x * k, keeping(x * k)) for k in range(n)]
    return sum(layer.act(layer.w) for layer in layers)


def squared(v: float, a: float = 1.0) -> float:
    return v * v * a


def partials(x, n):
    fs = []
    for k in range(n):
        fs.append(partial(squared, a=x * k))
    return sum(f(x) for f in fs)


def partials_in_tuples(x, n):
    fs = []
    for k in range(n):
        fs.append((k, partial(math.pow, x)))
    return sum(f(k) for k, f in fs)


def methods(x, n):
    fs = []
    for k in range(n):
        fs.append(Layer(x * k, math.sin).scaled)
    return sum(f(x) for f in fs)


DIFFERENT: list[Any] = [
    *(two_lambdas, two_functions, under_keys, stored_at_a_place, joined, in_tuples),
    *(in_objects, on_two_paths, chosen_before, chosen_before_in_tuples),
    *(with_a_default_and_without, with_other_variables, with_variables_of_objects),
    *(partials, partials_in_tuples, methods),
]


@pytest.mark.parametrize("n", [4, 50])
@pytest.mark.parametrize("function", DIFFERENT, ids=lambda f: f.__name__)
def test_different_ones(function: Callable[..., float], n: int) -> None:
    value, slope = value_and_grad(function)(1.2, n)
    h = 1e-6
    assert value == pytest.approx(function(1.2, n))
    difference = (function(1.2 + h, n) - function(1.2 - h, n)) / (2 * h)
    assert slope == pytest.approx(difference, rel=1e-6)
