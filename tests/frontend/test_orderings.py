"""Tuples and objects that are compared, and put in order."""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad
from s2sad import grad
from s2sad.errors import UnsupportedError
from s2sad.testing import check_grads
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a dataclass with an order": """
        from dataclasses import dataclass, field
        @dataclass(order=True)
        class P:
            cost: float
            name: str = field(compare=False, default="a")
            size: float = 1.0
        def program(x, y):
            a, b, c = P(x), P(y, "b"), P(x * y, "c", 2.0)
            best = min([a, b, c], key=lambda p: p.cost)
            z = a.cost if a < b else b.cost * 2.0
            w = a if a >= c else c
            low = min(a, b, c)
            return best.cost * z + w.cost * w.size + low.cost
    """,
    "tuples and lists compared": """
        def program(x, y):
            z = x if (x, y) < (y, x) else y * y
            if (1, x) <= (1, y):
                z = z * 2.0
            if (x, y) != (y, x) and [x, 1.0] > [y, 2.0]:
                z = z + x
            return z
    """,
    "tuples in order, by themselves and by keys": """
        def program(x, y, v):
            pairs = [(x, 1.0), (y, 2.0), (x * y, 3.0)]
            low = min(pairs)
            high = max(pairs, key=lambda p: (p[0], p[1]))
            ranked = sorted(pairs)
            r = sorted(pairs, key=lambda p: -p[0])
            z = low[0] * low[1] + high[0] * high[1]
            return z + ranked[0][0] * ranked[1][1] * r[0][0]
    """,
    "sorted of a few numbers": """
        def program(x, y, v):
            a, b, c = sorted([x, y, x * y])
            d, e, f = sorted((x, y, 1.0), reverse=True)
            return a * 2.0 + b * 3.0 + c * d - f
    """,
    "tuples of unknown number": """
        def program(x, y, v):
            pairs = [(w * x, i) for i, w in enumerate(v)]
            ranked = sorted(pairs)
            r = sorted(pairs, key=lambda p: p[0], reverse=True)
            best = min(pairs)
            return ranked[0][0] * 2.0 + ranked[-1][0] * ranked[1][1] + r[0][0] + best[0]
    """,
    "a NamedTuple with one comparison of its own": """
        from typing import NamedTuple
        class V(NamedTuple):
            a: float
            b: float
            def __lt__(self, other):
                return self.a * self.b < other.a * other.b
        def program(x, y):
            u, v = V(x, y), V(y, 2.0)
            z = x if u < v else y * y
            return z * (x if u > v else 2.0) + sum(u)
    """,
    "total_ordering": """
        from functools import total_ordering
        @total_ordering
        class M:
            def __init__(self, v):
                self.v = v
            def __lt__(self, o):
                return self.v < o.v
            def __eq__(self, o):
                return self.v == o.v
        def program(x, y):
            a, b = M(x), M(y)
            return (a.v * 2.0 if a >= b else b.v) * max(a, b).v
    """,
    "keys that are tuples, descending, ties": """
        from typing import NamedTuple
        class Job(NamedTuple):
            late: bool
            cost: float
            size: int = 1
        def program(x, y, v):
            jobs = [Job(w > 0.0, w * x, i) for i, w in enumerate(v)]
            a = sorted(jobs, reverse=True)
            b = sorted(jobs, key=lambda j: (not j.late, -j.size))
            c = max(jobs, key=lambda j: (j.late, j.cost))
            d = min([Job(False, x), Job(True, y), Job(False, x * y)])
            e = sorted(((1, x), (0, y), (1, y * x)), key=lambda p: p[0])
            return a[0].cost * 2.0 + b[1].cost + c.cost * c.size + d.cost * y + e[1][1]
    """,
    "sorted in a loop and in a branch, lengths 0 to 2": """
        def program(x, y, k):
            total = x
            for i in range(k):
                low, high = sorted((total, y * i))
                total = low * x + np.sin(high)
            if x > 0.0:
                total = total + sorted([x, y])[0] * 3.0
            empty = sorted([])
            (one,) = sorted([x])
            return total * one + len(empty)
    """,
    "nested tuples, dicts and dataclasses compared": """
        from dataclasses import dataclass
        @dataclass
        class P:
            name: str
            at: tuple
        def program(x, y):
            z = x if ((x, 1), "a") < ((y, 2), "a") else y
            if {"a": x, "b": 1} == {"b": 1, "a": x}:
                z = z * 2.0
            if {"a": x} != {"a": y} and {"a": x} != {"b": x}:
                z = z + x
            if P("a", (x, y)) == P("a", (x, y)) and P("a", (x, y)) != P("b", (x, y)):
                z = z * y
            if (x,) < (x, y) and not (x, y) < (x,) and (x, y) != (x, y, 1.0):
                z = z + y
            if (x, y) == [x, y] or ("a", x) == ("b", x):
                z = z + 100.0
            return z
    """,
    "an item of a few numbers, found at run time": """
        def program(x, y, k):
            weights = (x, y, x * y)
            rows = [(x, 1.0), (y, x)]
            total = 0.0
            for i in range(k + 2):
                total = total * 0.5 + weights[i % 3] * rows[i % 2][1]
            where = 0
            for i in range(3):
                if weights[i] > weights[where]:
                    where = i
            return total + weights[where] * rows[-1 if where > 1 else 0][0]
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name])


def test_errors_are_those_of_python():
    def extreme(x):
        return max([(v, 1.0) for v in x if v > 0.0])[0]

    assert np.array_equal(s2sad.grad(extreme)(np.array([1.0, 2.0])), [0.0, 1.0])
    with pytest.raises(ValueError, match="empty"):
        s2sad.grad(extreme)(-np.ones(2))

    def item(x):
        k = 0
        while x > k:
            k += 1
        return (x, 2.0 * x)[k]

    assert s2sad.grad(item)(0.5) == 2.0
    with pytest.raises(IndexError):
        s2sad.grad(item)(1.5)


class Odd:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v > other.v


def test_refused():
    with pytest.raises(UnsupportedError, match="order of a Odd isn't followed"):
        s2sad.grad(lambda x: sorted([Odd(x), Odd(2.0 * x)])[0].v)(1.0)
    with pytest.raises(UnsupportedError, match="raises in Python"):
        s2sad.grad(lambda x: x if (x, 1.0) < [x, 2.0] else 0.0)(1.0)
    with pytest.raises(UnsupportedError, match="different structures"):
        s2sad.grad(lambda x: sorted([(x, 1.0), (x, 2.0, 3.0)])[0][0])(1.0)


def test_one_of_arrays_whose_shapes_may_differ():
    a_bar, b_bar = s2sad.grad(one_of_two, ("a", "b"))(np.ones(2), np.ones(3))
    assert np.array_equal(a_bar, [2.0, 2.0]) and np.array_equal(b_bar, np.ones(3))


def one_of_two(a, b):
    total = 0.0
    for i in range(3):
        total = total + np.sum([a, b, a, b, a][i % 5])
    return total


def _of_changed_lists(x, n):
    lists = [[x, 1.0], [2.0 * x, 0.0]]
    lists[0].append(3.0 * x)
    chosen = max(lists)
    chosen.append(x)
    return min(lists)[0] + lists[1][-1] * x


def _of_lists_of_the_run(x, n):
    first, second = [], []
    for i in range(n):
        first.append(x * i)
    second.append(x * x)
    return max(first, second)[-1] * x


@pytest.mark.sampled(3)
@pytest.mark.parametrize("x", [2.0, -1.0])
def test_largest_of_lists_that_change(x):
    slope = (_of_changed_lists(x + 1e-6, 2) - _of_changed_lists(x - 1e-6, 2)) / 2e-6
    found = s2sad.grad(_of_changed_lists)(x, 2)
    np.testing.assert_allclose(found, slope, rtol=1e-6)
    tangent = s2sad.jvp(_of_changed_lists, (x, 2), (1.0, None))[1]
    np.testing.assert_allclose(tangent, slope, rtol=1e-6)
    with pytest.raises(UnsupportedError, match="max"):
        s2sad.grad(_of_lists_of_the_run)(x, 2)


async def _coroutine(x):
    return x


def test_coroutines_are_refused():
    with pytest.raises(UnsupportedError, match="coroutines can't be differentiated"):
        s2sad.grad(_coroutine)(1.0)


def largest_of_computed(x, y):
    return max(x * 3.0, y, key=lambda v: v * v)


def smallest_of_computed(x, y):
    return x * min(y, x * 3.0, math.sin(x), key=lambda v: (v - 1.0) ** 2)


def largest_of_one(x, y):
    return y * max([x * 3.0], key=lambda v: v)


def first_of_sorted(x, y):
    return y * sorted([x * 3.0, y], key=lambda v: -v)[0]


def both_of_sorted(x, y):
    a, b = sorted([x * 3.0, y], key=lambda v: v)
    return a * a * b


def largest_value(x, y):
    d = {"a": x * 3.0, "b": y}
    best = max(d.values(), key=lambda v: v * y)
    return best * best


def by_a_nested_function(x, y):
    def key(v):
        v = v * v
        return v

    return x * max([x * 3.0, y, x * y], key=key)


def in_a_loop(x, y):
    best = y
    for k in range(3):
        best = max(best, x * k - y, key=lambda v: v * v)
    return best * x


KEYS_OF_COMPUTED = (
    *(largest_of_computed, smallest_of_computed, largest_of_one, first_of_sorted),
    *(both_of_sorted, largest_value, by_a_nested_function, in_a_loop),
)


@pytest.mark.parametrize("optimise", [None, False])
@pytest.mark.parametrize("program", KEYS_OF_COMPUTED)
def test_keys_of_items_that_have_no_name(program, optimise):
    at = (1.2, 0.7)
    moved = [
        (program(*(np.array(at) + s)) - program(*(np.array(at) - s))) / 2e-6
        for s in 1e-6 * np.eye(2)
    ]
    assert grad(program, (0, 1), optimise=optimise)(*at) == pytest.approx(moved)
    check_grads(program, at)
