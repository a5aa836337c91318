"""Gradients with respect to run-time values inside of functions that are differentiated
again, against differences."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hessian, hvp, jvp, value_and_grad, vjp
from s2sad.errors import UnsupportedError
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


@dataclass
class Tree:
    value: float
    kids: list[Tree]
    count: int = 2


def tree(count: int) -> Tree:
    """A tree of so many nodes, of which two parents share one."""
    nodes = [Tree(0.9 - 0.07 * (k % 8), []) for k in range(count)]
    for k in range(1, count):
        nodes[(k - 1) // 2].kids.append(nodes[k])
    nodes[-1].kids.append(Tree(0.7, []))
    nodes[-3].kids.append(nodes[-1].kids[0])
    return nodes[0]


def total(tree: Tree, s: float) -> Any:
    below = sum(total(kid, 0.9 * s * tree.value) for kid in tree.kids)
    return math.sin(tree.value) ** 2 * s * tree.count + below


def steepness(tree: Tree, s: float) -> Any:
    g = grad(total)(tree, s)
    return g.value**2 * s + sum(kid.value * kid.value for kid in g.kids)


def total_of_the_gradient(tree: Tree, s: float) -> Any:
    return squares(grad(total)(tree, s), s)


def squares(tree: Tree, s: float) -> Any:
    return tree.value**2 * s + sum(squares(kid, s) for kid in tree.kids)


def moved_down(tree: Tree, g: Tree, rate: float) -> None:
    tree.value -= rate * g.value
    for kid, of_kid in zip(tree.kids, g.kids, strict=True):
        moved_down(kid, of_kid, rate)


def after_steps_in_place(tree: Tree, s: float) -> Any:
    for _ in range(2):
        moved_down(tree, grad(total)(tree, s), 0.01 * s)
    return total(tree, s)


def scaled_first(tree: Tree, s: float) -> Any:
    tree.value *= s
    return math.sin(tree.value) + sum(scaled_first(k, s) for k in tree.kids)


def of_what_stores(tree: Tree, s: float) -> Any:
    g = grad(scaled_first)(tree, s)
    return g.value**2 + g.kids[0].value * tree.value


def both_of_a_tree(tree: Tree, s: float) -> Any:
    value, (g, slope) = value_and_grad(total, ("tree", "s"))(tree, s)
    return value * g.value + slope * g.kids[-1].value


def pulled_back_to_a_tree(tree: Tree, s: float) -> Any:
    value, pullback = vjp(total, tree, s)
    g, slope = pullback(value)
    return slope * g.value


def twice_of_a_tree(tree: Tree, s: float) -> Any:
    return grad(steepness)(tree, s).value + grad(steepness, "s")(tree, s)


def stepped_again_and_again(tree: Tree, s: float) -> Any:
    for _ in range(3):
        s = s + 0.01 * grad(total)(tree, s).value
    return s


def folded(ws: list[float], s: float, k: int = 0) -> Any:
    return s if k == len(ws) else math.sin(ws[k] * folded(ws, s, k + 1)) + 0.1 * ws[k]


def steepness_of_a_list(ws: list[float], s: float) -> Any:
    return sum(v * v for v in grad(folded)(ws, s)) * s


def a_list_after_steps(ws: list[float], s: float) -> Any:
    for _ in range(2):
        g = grad(folded)(ws, s)
        for k in range(len(ws)):
            ws[k] = ws[k] - 0.1 * s * g[k]
        ws.append(s)
    return folded(ws, s)


def sums(ps: list[Mass], s: float) -> Any:
    return sum(math.sin(p.x * s) * np.sum(p.w) for p in ps)


def what_is_added_to_all_of_an_array(ps: list[Mass], s: float) -> Any:
    g = grad(sums)(ps, s)
    return np.sum(g[0].w) * s + g[-1].w @ g[1].w


def pulled_back_after_stores(ps: list[Mass], s: float) -> Any:
    _, pullback = vjp(sums, ps, s)
    for p in ps:
        p.x = s * p.x
        p.w[0] = s * s
    g, slope = pullback(1.0)
    return g[0].x * slope + np.sum(ps[0].w)


@dataclass
class Leafy:
    w: np.ndarray
    kids: list[Leafy]


def leafy(count: int) -> Leafy:
    nodes = [Leafy(np.array([0.9 - 0.07 * (k % 8), 0.5]), []) for k in range(count)]
    for k in range(1, count):
        nodes[(k - 1) // 2].kids.append(nodes[k])
    return nodes[0]


def cubes(tree: Leafy, s: float) -> Any:
    return np.sum(tree.w**3) * s + sum(cubes(kid, 0.9 * s) for kid in tree.kids)


def after_writing_into_arrays(tree: Leafy, s: float) -> Any:
    tree.w *= s
    tree.kids[0].w[0] = s
    g = grad(cubes)(tree, s)
    tree.w -= 0.1 * g.w
    value, h = value_and_grad(cubes)(tree, s)
    return np.sum(h.w) * value


def folded_chain(link: Link | None, s: float) -> Any:
    if link is None:
        return s
    return math.sin(link.weight * folded_chain(link.behind, s))


def a_chain_after_stores(link: Link, s: float) -> Any:
    g = grad(folded_chain)(link, s)
    link.behind.weight = s * g.weight
    _, pullback = vjp(folded_chain, link, s)
    link.weight *= s
    h, slope = pullback(s)
    return g.weight * slope + h.behind.weight


TREES = (
    *(steepness, total_of_the_gradient, after_steps_in_place, of_what_stores),
    *(both_of_a_tree, pulled_back_to_a_tree, twice_of_a_tree),
    stepped_again_and_again,
)


def weights(count: int) -> list[float]:
    return [0.6 + 0.05 * (k % 9) for k in range(count)]


MADE: dict[Any, Any] = {
    **dict.fromkeys(
        (
            *(norm, after_a_step, value_beside, pulled_back, by_the_other, product),
            *(pushed_forward, what_carries_nothing_is_none, twice),
        ),
        masses,
    ),
    over_a_dict: lambda n: {f"k{k}": 0.1 * (k % 9) + 0.2 for k in range(n)},
    **dict.fromkeys(TREES, tree),
    **dict.fromkeys((along_a_chain, a_chain_after_stores), chain),
    **dict.fromkeys(
        (what_is_added_to_all_of_an_array, pulled_back_after_stores), masses
    ),
    after_writing_into_arrays: leafy,
    **dict.fromkeys((steepness_of_a_list, a_list_after_steps), weights),
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


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", MADE, ids=lambda f: f.__name__)
def test_second_derivatives(function: Any) -> None:
    made = MADE[function](9)

    def slope(s: float) -> Any:
        return grad(function, 1)(copy.deepcopy(made), s)

    expected = (slope(0.7 + STEP) - slope(0.7 - STEP)) / (2.0 * STEP)
    for found in (
        hessian(function, 1)(made, 0.7),
        hvp(function, 1)(made, 0.7, 1.0),
        jvp(grad(function, 1), (made, 0.7), (None, 1.0))[1],
    ):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-7)


@pytest.mark.parametrize("function", TREES, ids=lambda f: f.__name__)
def test_pullbacks_keep_what_they_read(function: Any) -> None:
    made = tree(9)
    expected, by_s = grad(function, (0, 1))(made, 0.7)
    _, pullback = vjp(function, made, 0.7)
    made.value, made.kids[0].kids = 3.0, []
    for seed in (1.0, 2.0):
        found, slope = pullback(seed)
        assert np.isclose(slope, seed * by_s)
        for path in numbers_in(expected):
            own, other = read(found, path), read(expected, path)
            assert np.isclose(own or 0.0, seed * (other or 0.0))


def test_pullbacks_of_lists_of_arrays_that_are_written_into_are_refused() -> None:
    def pulled(ws: list[np.ndarray], s: float) -> Any:
        _, pullback = vjp(lambda vs: sum(np.sum(v**3) for v in vs), ws)
        for w in ws:
            w *= s
        return sum(np.sum(v) for v in pullback(1.0)[0])

    with pytest.raises(UnsupportedError, match="pullback of a function of a list"):
        grad(pulled)([np.ones(2) for _ in range(7)], 0.8)


def test_gradients_of_gradients_over_deep_and_large_trees() -> None:
    gradient = grad(total_of_the_gradient)
    gradient(tree(9), 0.7)
    with counted() as compiled:
        found = gradient(tree(20_000), 0.7)
    assert compiled.count("total_of_the_gradient") == 0
    assert found.kids[1].kids[0].value != 0.0


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
