"""Cached properties and functions, while the program changes what they read."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import s2sad
from s2sad.errors import UnsupportedError

SWITCHES = [True, False, {"inlining": False}, {"scalar_replacement": False}]
STEP = 1e-6


class Model:
    def __init__(self, x):
        self.x, self.items, self.weights = x, [x], np.ones(3) * x
        self.source = np.random.default_rng(3)

    @functools.cached_property
    def rate(self):
        return 2.0 * self.x

    @functools.cached_property
    def total(self):
        return sum(self.items)

    @functools.cached_property
    def pair(self):
        return [self.x, 1.0]

    @functools.cached_property
    def weight(self):
        return np.sum(self.weights)

    @functools.cached_property
    def noise(self):
        return self.source.normal()

    @functools.cache
    def power(self, n):
        return self.x**n

    @functools.lru_cache
    def sum_of_items(self):
        return sum(self.items)


class Field:
    def __init__(self, a):
        self.a = a

    @functools.cached_property
    def levels(self):
        return np.cumsum(self.a**2)

    @functools.cached_property
    def scaled(self):
        return self.levels[-1] * self.a


def read_in_between(x):
    m = Model(x)
    first = m.rate
    m.x = x**3
    return first * m.rate


def list_changed_in_between(x):
    m = Model(x)
    first = m.total
    m.items.append(2.0 * x)
    return first * m.total


def what_it_gives_changed(x):
    m = Model(x)
    m.pair.append(x)
    return m.pair[-1] * m.pair[0] * len(m.pair)


def stored_over(x):
    m = Model(x)
    first = m.rate
    m.rate = x * x
    return first * m.rate


def read_late_in_a_loop(x):
    m, total = Model(x), 0.0
    for k in range(4):
        m.x = m.x + k
        if k > 0:
            total += m.rate
    return total


def swapped(x):
    m, n = Model(x), Model(2.0 * x)
    total = m.rate * n.rate
    m, n = n, m
    m.x = 5.0 * x
    return total * m.rate + n.rate


def in_a_recursion(x):
    def use(m, n):
        m.x = m.x * 2.0
        return m.rate if n == 0 else m.rate + use(m, n - 1)

    return use(Model(x), 3)


def on_one_path(x):
    m, total = Model(x), 1.0
    if x > 0.2:
        total = m.rate
    m.x = x * x
    return total * m.rate


def under_a_handler(x):
    m, total = Model(x), 0.0
    m.x = x * 3.0
    try:
        total = m.rate
        m.x = x * x
        raise ValueError
    except ValueError:
        total += m.rate
    return total


def drawn_once(x):
    m = Model(x)
    return x * m.noise + x * x * m.noise


def drawn_once_in_a_loop(x):
    m, total = Model(x), 0.0
    for k in range(3):
        total += x**k * m.noise
    return total


def of_several(x):
    fields = [Field(np.arange(3.0) * x + k) for k in range(5)]
    return sum(np.sum(f.scaled * f.levels) for f in fields)


RIGHT = [
    *(read_in_between, list_changed_in_between, what_it_gives_changed, stored_over),
    *(read_late_in_a_loop, swapped, in_a_recursion, on_one_path, under_a_handler),
    *(drawn_once, drawn_once_in_a_loop, of_several),
]


@pytest.mark.parametrize("optimise", SWITCHES)
@pytest.mark.parametrize("function", RIGHT)
def test_a_cached_property_is_computed_once(function, optimise):
    x = 0.7
    slope = (function(x + STEP) - function(x - STEP)) / (2.0 * STEP)
    value, gradient = s2sad.value_and_grad(function, optimise=optimise)(x)
    assert value == pytest.approx(function(x), rel=1e-12)
    assert gradient == pytest.approx(slope, rel=1e-6)
    assert s2sad.jvp(function, (x,), (1.0,))[1] == pytest.approx(gradient, rel=1e-12)


def given(fields, x):
    return sum(x * np.sum(f.scaled * f.levels) for f in fields)


@pytest.mark.parametrize("length", [3, 3000])
def test_those_of_what_is_given_are_computed_where_nothing_changes(length):
    def fields():
        return [Field(np.arange(3.0) + k % 7) for k in range(length)]

    assert s2sad.grad(given, wrt="x")(fields(), 0.7) == pytest.approx(
        given(fields(), 1.0), rel=1e-12
    )


def array_written(x):
    m = Model(x)
    first = m.weight
    m.weights[1] = 5.0 * x
    return first * m.weight


def method_with_a_cache(x):
    m = Model(x)
    first = m.power(2)
    m.x = 3.0 * x
    return first * m.power(2)


def list_below_a_cache(x):
    m = Model(x)
    first = m.sum_of_items()
    m.items.append(2.0 * x)
    return first * m.sum_of_items()


def captured_list(x):
    scales = [x]

    @functools.cache
    def multiple(n):
        return scales[0] * n

    first = multiple(2)
    scales[0] = x * x
    return first * multiple(2)


def captured_list_in_a_loop(x):
    scales, total = [x], 0.0

    @functools.cache
    def multiple(n):
        return scales[0] * n

    for k in range(4):
        total += multiple(2)
        scales[0] = x * x
    return total


def captured_array(x):
    scales = np.ones(3) * x
    other = scales[1:]

    @functools.cache
    def multiple(n):
        return np.sum(scales) * n

    first = multiple(2)
    other[0] = x * x
    return first * multiple(2)


def draws(x):
    source = np.random.default_rng(4)

    @functools.cache
    def noise(n):
        return source.normal() * n

    return x * noise(1) + x * x * noise(1)


def given_and_changed(x, fields):
    total = 0.0
    for f in fields:
        total += np.sum(f.scaled) * x
        f.a = f.a * x
        total += np.sum(f.levels)
    return total


REFUSED = [
    *(array_written, method_with_a_cache, list_below_a_cache, captured_list),
    *(captured_list_in_a_loop, captured_array, draws),
]


@pytest.mark.parametrize("optimise", SWITCHES)
@pytest.mark.parametrize("function", REFUSED)
def test_what_a_cache_would_not_see_is_refused(function, optimise):
    with pytest.raises(UnsupportedError):
        s2sad.grad(function, optimise=optimise)(0.7)


def test_a_cached_property_of_what_is_given_and_changes_is_refused():
    fields = [Field(np.arange(3.0) + k) for k in range(5)]
    with pytest.raises(UnsupportedError, match="cached property"):
        s2sad.grad(given_and_changed)(0.7, fields)


def distances(points):
    out = np.zeros((4, 4))

    @functools.cache
    def distance(i, j):
        return np.sqrt(np.sum((points[i] - points[j]) ** 2) + 1.0)

    found = []
    for i in range(4):
        for j in range(4):
            out[i, j] = distance(min(i, j), max(i, j))
        found.append(distance(0, i))
    return np.sum(out * out[1]) + sum(found)


def test_what_changes_beside_a_cache_does_not_matter():
    points = np.arange(8.0).reshape(4, 2) ** 1.5
    gradient = s2sad.grad(distances)(points)
    for place in np.ndindex(points.shape):
        step = np.zeros((4, 2))
        step[place] = STEP
        slope = (distances(points + step) - distances(points - step)) / (2.0 * STEP)
        assert gradient[place] == pytest.approx(slope, rel=1e-6)


def intervals(xs):
    @functools.lru_cache(maxsize=None)
    def best(i, j):
        if i >= j:
            return 0.0
        return max(xs[i] + best(i + 1, j - 1), xs[j] * 0.5 + best(i, j - 2))

    return best(0, len(xs) - 1)


@pytest.mark.parametrize("length", [4, 40])
def test_a_cached_recursion_is_differentiated(length):
    xs = [float(np.sin(3.7 * k) + 0.01 * k) for k in range(length)]
    gradient = s2sad.grad(intervals)(xs)
    for k in range(0, length, 3):
        up, down = (
            intervals([*xs[:k], xs[k] + by, *xs[k + 1 :]]) for by in (STEP, -STEP)
        )
        assert gradient[k] == pytest.approx((up - down) / (2.0 * STEP), abs=1e-6), k
