"""Lists, dicts and objects that are kept as they are, under all derivatives: against
differences, forward against reverse, few and many items, and changed by the user
between the sweeps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2sad import (
    UnsupportedError,
    grad,
    hvp,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)
from tests.support.kept_values import mapped, vector, with_numbers

MANY = 200


@dataclass
class Spring:
    k: float
    rest: float


class Dense:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return np.tanh(x @ self.w + self.b)


class Point(NamedTuple):
    x: float
    y: float


@dataclass
class Node:
    sort: str
    value: float
    parts: list[Any]


def energy(points, springs, pairs):
    total = 0.0
    for (i, j), s in zip(pairs, springs):
        d = points[i] - points[j]
        length = math.sqrt(d @ d)
        total += 0.5 * s.k * (length - s.rest) ** 2
    return total


def polynomial(springs, x):
    t = 0.0
    for s in springs:
        t = t * x + s.k * s.rest**2
    return t


def stopped(springs, flags, x):
    t = x
    for s, (flag, name) in zip(springs, flags):
        if flag == 0 or name == "last":
            break
        t = t * s.k + math.sin(s.rest * t)
    return t


def network(layers, x):
    for layer in layers:
        x = layer(x)
    return x @ x


def points_by_name(points, scale):
    total = 0.0
    for p in points:
        total += math.sin(p.x * p.y) * scale
    return total


def pairs_unpacked(pairs, scale):
    total = 0.0
    for a, b in pairs:
        total += a * b * b * scale
    return total


def looked_up(weights, words, scale):
    total = 1.0
    for word in words:
        total = total * math.cos(weights[word]) + scale * weights[word]
    return total


def tree(node, scale):
    if node.sort == "leaf":
        return node.value * scale
    total = 1.0
    for part in node.parts:
        total = total * tree(part, scale) + math.sin(node.value)
    return total


def kept_largest(springs, x):
    best = springs[0]
    for s in springs:
        if s.k * x > best.k * x:
            best = s
    return best.k * best.rest * x + springs[1].rest ** 3


def numbers(rng, n):
    return [float(number) for number in rng.normal(size=n)]


def springs(rng, n):
    return [Spring(a, b) for a, b in zip(numbers(rng, n), numbers(rng, n))]


def grown_tree(rng, n):
    leaves = [Node("leaf", number, []) for number in numbers(rng, n)]
    while len(leaves) > 1:
        leaves = [Node("sum", 0.5, leaves[k : k + 2]) for k in range(0, len(leaves), 2)]
    return leaves[0]


def words(n):
    return [f"w{k}" for k in range(n)]


PROGRAMS = {
    "records beside arrays": (
        energy,
        lambda rng, n: (
            rng.normal(size=(5, 2)),
            springs(rng, n),
            [tuple(map(int, rng.permutation(5)[:2])) for _ in range(n)],
        ),
        (0, 1),
    ),
    "recurrence": (polynomial, lambda rng, n: (springs(rng, n), 0.7), (0, 1)),
    "an argument that isn't differentiated": (
        polynomial,
        lambda rng, n: (springs(rng, n), 0.7),
        (1,),
    ),
    "break": (
        stopped,
        lambda rng, n: (springs(rng, n), [(1, "a")] * (n - 2) + [(0, "b")], 0.4),
        (0, 2),
    ),
    "layers": (
        network,
        lambda rng, n: (
            [
                Dense(rng.normal(size=(2, 2)), rng.normal(size=2))
                for _ in range(min(n, 20))
            ],
            rng.normal(size=2),
        ),
        (0, 1),
    ),
    "one layer many times": (
        network,
        lambda rng, n: (
            [Dense(rng.normal(size=(2, 2)), rng.normal(size=2))] * min(n, 20),
            rng.normal(size=2),
        ),
        (0, 1),
    ),
    "named tuples": (
        points_by_name,
        lambda rng, n: ([Point(*numbers(rng, 2)) for _ in range(n)], 1.5),
        (0, 1),
    ),
    "tuples": (
        pairs_unpacked,
        lambda rng, n: ([tuple(numbers(rng, 2)) for _ in range(n)], 1.5),
        (0, 1),
    ),
    "dict": (
        looked_up,
        lambda rng, n: (dict(zip(words(n), numbers(rng, n))), words(n)[:-1], 0.2),
        (0, 2),
    ),
    "tree": (tree, lambda rng, n: (grown_tree(rng, min(n, 40)), 0.9), (0, 1)),
    "one of several": (kept_largest, lambda rng, n: (springs(rng, n), 1.2), (0, 1)),
}
SIZES = (6, MANY)


def drawn(name, size):
    function, make, wrt = PROGRAMS[name]
    rng = np.random.default_rng(sum(map(ord, name)))
    args = make(rng, size)
    direction = [
        with_numbers(a, rng.normal(size=vector(a).size)) if k in wrt else None
        for k, a in enumerate(args)
    ]
    return function, args, wrt, direction


def moved(args, direction, step):
    return [
        a if t is None else with_numbers(a, vector(a) + step * vector(t))
        for a, t in zip(args, direction)
    ]


def slope(function, args, direction, step=1e-6):
    """The derivative along a direction, by differences."""
    ahead = function(*moved(args, direction, step))
    behind = function(*moved(args, direction, -step))
    return (ahead - behind) / (2 * step)


def close(a, b, tolerance=1e-5):
    a, b = np.asarray(a), np.asarray(b)
    size = max(1.0, float(np.max(np.abs(b), initial=0.0)))
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * size)


def flat(parts):
    return np.concatenate([vector(part) for part in parts])


@pytest.mark.sampled(6)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_and_tangents(name, size):
    function, args, wrt, direction = drawn(name, size)
    value, gradient = value_and_grad(function, wrt=wrt)(*args)
    assert value == pytest.approx(function(*args))
    wanted = slope(function, args, direction)
    along = flat(gradient) @ flat([direction[k] for k in wrt])
    close(along, wanted)
    value, tangent = jvp(function, args, direction)
    assert value == pytest.approx(function(*args))
    close(tangent, along, 1e-9)
    value, tangent_of = linearize(function, *args)
    close(tangent_of(*direction), along, 1e-9)
    close(tangent_of(*direction), along, 1e-9)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_second_derivatives(name, size):
    function, args, wrt, direction = drawn(name, size)
    gradient = grad(function, wrt=wrt)
    tangents = tuple(direction[k] for k in wrt)
    product = flat(hvp(function, wrt=wrt)(*args, tangents))
    step = 1e-6
    ahead = flat(gradient(*moved(args, direction, step)))
    behind = flat(gradient(*moved(args, direction, -step)))
    close(product, (ahead - behind) / (2 * step), 1e-4)


def scrambled(value):
    """Change all that the user may reach, in place."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value[...] = 77.0
    elif isinstance(value, list):
        for part in value:
            scrambled(part)
        value.clear()
    elif isinstance(value, dict):
        value.clear()
    elif isinstance(value, Spring | Dense | Node):
        for name in ("k", "rest", "w", "b", "parts", "value"):
            if hasattr(value, name):
                scrambled(getattr(value, name))
                setattr(value, name, None)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_pullbacks_read_nothing_that_changed(name, size):
    function, args, wrt, _ = drawn(name, size)
    wanted = flat(grad(function, wrt=wrt)(*args))
    args = mapped(lambda number: number * 1.0, args)
    _, pullback = vjp(function, *args)
    first = pullback(1.0)
    kept = flat([first[k] for k in wrt])
    scrambled(list(args))
    second = pullback(1.0)
    third = pullback(2.0)
    close(kept, wanted, 1e-9)
    close(flat([first[k] for k in wrt]), wanted, 1e-9)
    close(flat([second[k] for k in wrt]), wanted, 1e-9)
    close(flat([third[k] for k in wrt]), 2.0 * wanted, 1e-9)


@pytest.mark.parametrize("size", SIZES[:1])
@pytest.mark.parametrize("name", PROGRAMS)
def test_tangents_read_nothing_that_changed(name, size):
    function, args, _, direction = drawn(name, size)
    _, wanted = jvp(function, args, direction)
    args = mapped(lambda number: number * 1.0, args)
    _, tangent_of = linearize(function, *args)
    scrambled(list(args))
    close(tangent_of(*direction), wanted, 1e-9)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_optimisations_on_and_off(name):
    function, args, wrt, direction = drawn(name, 7)
    tangents = tuple(direction[k] for k in wrt)
    plain = grad(function, wrt=wrt, optimise=False)(*args)
    close(flat(plain), flat(grad(function, wrt=wrt)(*args)), 1e-9)
    plain = hvp(function, wrt=wrt, optimise=False)(*args, tangents)
    close(flat(plain), flat(hvp(function, wrt=wrt)(*args, tangents)), 1e-9)


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_text_for_all_sizes(name):
    function, args, wrt, direction = drawn(name, 7)
    _, many, _, others = drawn(name, MANY)
    for make in (grad, hvp, value_and_grad):
        derivative = make(function, wrt=wrt)
        more = (tuple(direction[k] for k in wrt),) if make is hvp else ()
        text = derivative.source_for(*args, *more)
        more = (tuple(others[k] for k in wrt),) if make is hvp else ()
        assert derivative.source_for(*many, *more) == text
        assert len(derivative._dispatcher.entries) == 1
    assert vjp(function, *args)[1].source == vjp(function, *many)[1].source


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_reverse_over_reverse(name):
    function, args, wrt, direction = drawn(name, 7)
    tangents = tuple(direction[k] for k in wrt)
    product = flat(hvp(function, wrt=wrt)(*args, tangents))
    try:
        _, pullback = vjp(grad(function, wrt=wrt), *args)
    except UnsupportedError:  # pairs whose parameters are objects
        assert name == "tree"
        return
    for _ in range(2):
        again = pullback(tangents)
        close(flat([again[k] for k in wrt]), product, 1e-9)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_that_is_given_changes(name):
    function, args, wrt, direction = drawn(name, 7)
    tangents = tuple(direction[k] for k in wrt)
    before = flat(args), flat(tangents)
    value_and_grad(function, wrt=wrt)(*args)
    hvp(function, wrt=wrt)(*args, tangents)
    jvp(function, args, direction)
    linearize(function, *args)[1](*direction)
    vjp(function, *args)[1](1.0)
    jvp(grad(function, wrt=wrt), args, direction)
    assert np.array_equal(before[0], flat(args))
    assert np.array_equal(before[1], flat(tangents))


def item(springs, k):
    return springs[k]


def of_several(springs, x):
    return [s.k * x for s in springs], springs[2], {"rest": springs[2].rest * x}


def selected(springs, x):
    return [s for s in springs if s.k > 0]


def longest(springs, x):
    best = springs[0]
    for s in springs:
        if s.rest > best.rest:
            best = s
    return best, x * best.k


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("function", [of_several, selected, longest])
def test_results_that_hold_references(function, size):
    rng = np.random.default_rng(5)
    args = springs(rng, size), 1.3
    direction = [with_numbers(a, rng.normal(size=vector(a).size)) for a in args]
    value, tangent = jvp(function, args, direction)
    step = 1e-6
    ahead = vector(function(*moved(args, direction, step)))
    behind = vector(function(*moved(args, direction, -step)))
    close(vector(tangent), (ahead - behind) / (2 * step))
    assert np.array_equal(vector(value), vector(function(*args)))
    _, pullback = vjp(function, *args)
    weights = with_numbers(value, rng.normal(size=vector(value).size))
    for _ in range(2):
        close(flat(pullback(weights)) @ flat(direction), inner(weights, tangent), 1e-9)


def inner(a, b):
    return vector(a) @ vector(b)


def test_an_item_is_the_users_own():
    args = springs(np.random.default_rng(6), 6)
    value, tangent = jvp(item, (args, 1), (args, None))
    assert value is args[1]
    assert tangent == args[1]
    value, pullback = vjp(item, args, 1)
    assert value is args[1]
    gradient, _ = pullback(Spring(2.0, 3.0))
    assert gradient[1] == Spring(2.0, 3.0)
    assert gradient[0] == Spring(0.0, 0.0)
