"""Gradients with respect to run-time values inside of functions that are differentiated
again, against differences."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, value_and_grad, vjp
from tests.run_time.structures import Link, chain
from tests.run_time.test_reading import changed, numbers_in, read
from tests.support.compilations import counted

STEP = 1e-5


@dataclass
class Mass:
    x: float
    w: np.ndarray
    name: str = "a"
    count: int = 2


def masses(count: int) -> list[Mass]:
    return [
        Mass(0.1 * (k % 9) - 0.3, np.array([1.0, 0.5]) * (0.02 * (k % 7) + 0.1))
        for k in range(count)
    ]


def loss(ps: list[Mass], s: float) -> Any:
    t = 0.0
    for p in ps:
        t += math.sin(p.x * s) * np.sum(p.w**2) * p.count + 0.01 * t * t
    return t


def norm(ps: list[Mass], s: float) -> Any:
    t = 0.0
    for q in grad(loss)(ps, s):
        t += q.x**2 + np.sum(q.w**2)
    return t


def after_a_step(ps: list[Mass], s: float) -> Any:
    g = grad(loss)(ps, s)
    t = 0.0
    for p, q in zip(ps, g, strict=True):
        t += (p.x - 0.1 * q.x) ** 2 + np.sum(np.sin(p.w - 0.1 * q.w))
    return t


def value_beside(ps: list[Mass], s: float) -> Any:
    value, (g, slope) = value_and_grad(loss, ("ps", "s"))(ps, s)
    return value * slope + g[0].x * g[-1].x


def pulled_back(ps: list[Mass], s: float) -> Any:
    value, pullback = vjp(loss, ps, s)
    g, slope = pullback(value)
    return slope + sum(q.x * q.x for q in g)


def first(ps: list[Mass], s: float) -> Any:
    return grad(loss)(ps, s)[1].x


def by_the_other(ps: list[Mass], s: float) -> Any:
    return grad(first, "s")(ps, s) * ps[0].x


def product(ps: list[Mass], s: float) -> Any:
    t = 0.0
    for q in hvp(loss)(ps, s, grad(loss)(ps, s)):
        t += q.x**2 + np.sum(q.w)
    return t


def pushed_forward(ps: list[Mass], s: float) -> Any:
    value, slope = jvp(loss, (ps, s), (grad(loss)(ps, s), 1.0))
    return value * slope


def what_carries_nothing_is_none(ps: list[Mass], s: float) -> Any:
    t = 0.0
    for q in grad(loss)(ps, s):
        if q.count is None and q.name is None:
            t += q.x * s
        if q.x > 0.01:
            t += q.x**3
    return t


def twice(ps: list[Mass], s: float) -> Any:
    return sum(q.x for q in grad(norm)(ps, s))


def of_values(d: dict[str, float], s: float) -> float:
    t = 0.0
    for value in d.values():
        t += math.exp(value * s) * 0.3
    return t


def over_a_dict(d: dict[str, float], s: float) -> Any:
    g = grad(of_values)(d, s)
    return sum(v * v for v in g.values()) + g["k0"]


def weighed(link: Link | None, s: float) -> float:
    if link is None:
        return 0.1
    return math.sin(link.weight * s) + 0.5 * link.weight * weighed(link.behind, s)


def along_a_chain(link: Link, s: float) -> Any:
    g = grad(weighed)(link, s)
    t = 0.0
    while g is not None:
        t += g.weight**2
        g = g.behind
    return t


MADE: dict[Any, Any] = {
    **dict.fromkeys(
        (
            *(norm, after_a_step, value_beside, pulled_back, by_the_other, product),
            *(pushed_forward, what_carries_nothing_is_none, twice),
        ),
        masses,
    ),
    over_a_dict: lambda n: {f"k{k}": 0.1 * (k % 9) + 0.2 for k in range(n)},
}


def check(function: Any, gradient: Any, arguments: Any, wrt: int, most: int) -> None:
    found = gradient(*arguments)
    paths = list(numbers_in(arguments[wrt]))
    for path in paths[:: len(paths) // most + 1]:
        up, down = (
            function(*changed(copy.deepcopy(arguments), (wrt, *path), by))
            for by in (STEP, -STEP)
        )
        expected = (up - down) / (2.0 * STEP)
        own = read(found, path)
        np.testing.assert_allclose(own or 0.0, expected, rtol=2e-5, atol=1e-7)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("wrt", [0, 1])
@pytest.mark.parametrize("function", MADE, ids=lambda f: f.__name__)
def test_gradients(function: Any, wrt: int) -> None:
    gradient = grad(function, wrt)
    with counted() as compiled:
        check(function, gradient, (MADE[function](7), 0.7), wrt, 8)
        check(function, gradient, (MADE[function](40), 0.7), wrt, 3)
    assert compiled.count(function.__name__) == 1
    texts = {gradient.source_for(MADE[function](n), 0.7) for n in (7, 40)}
    assert len(texts) == 1


@pytest.mark.parametrize("wrt", [0, 1])
def test_tangents_are_those_of_the_gradient(wrt: int) -> None:
    ps, s = masses(6), 0.7
    direction = [Mass(0.3, np.array([0.2, -0.1]), None, None) for _ in ps]
    tangents = (direction, None) if wrt == 0 else (None, 1.0)
    _, found = jvp(norm, (ps, s), tangents)
    own = grad(norm, wrt)(ps, s)
    if wrt == 0:
        own = sum(q.x * 0.3 + q.w @ np.array([0.2, -0.1]) for q in own)
    np.testing.assert_allclose(found, own, rtol=1e-10)


def test_results_of_calls_that_are_structures_have_tangents() -> None:
    def heavier(a: Link, b: Link, n: int) -> Link:
        if n == 0:
            return a if a.weight > b.weight else b
        return heavier(b, a, n - 1)

    def chosen(link: Link) -> float:
        return heavier(link, link.behind, 2).weight ** 2

    link = chain(6)
    tangent = chain(6, seed=3)
    _, found = jvp(chosen, (link,), (tangent,))
    most = max(
        (link, tangent), (link.behind, tangent.behind), key=lambda p: p[0].weight
    )
    np.testing.assert_allclose(found, 2 * most[0].weight * most[1].weight)
