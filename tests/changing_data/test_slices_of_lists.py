"""Slices of lists whose length only the run knows are stored into and deleted: written
out, under a name, handed to a method, and with bounds that are None on some paths."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from s2sad import value_and_grad
from s2sad.testing import check_grads


class Held:
    def __init__(self, c: list[float]) -> None:
        self.c = c

    def __setitem__(self, i: Any, v: Any) -> None:
        self.c[i] = v

    def __delitem__(self, i: Any) -> None:
        del self.c[i]

    def __getitem__(self, i: Any) -> Any:
        return self.c[i]


def total(c: list[float]) -> float:
    return sum(v * k for k, v in enumerate(c))


def under_a_name(x, n):
    c = [x * k for k in range(n)]
    s = slice(1, 3)
    c[s] = [x * x, x]
    del c[s]
    t = slice(-2, None)
    c[t] = [x * x, x, x]
    return total(c)


def one_of_two(x, n):
    c = [x * k for k in range(n)]
    s = slice(1, 3) if n > 3 else slice(0, 2)
    c[s] = [x * x, x]
    for t in (slice(1, 3), slice(0, 1)):
        c[t] = [x * x, x]
    return total(c)


def handed_to_a_method(x, n):
    held = Held([x * k for k in range(n)])
    held[1:] = [x, x * x, x]
    held[:1] = [x * 3, x]
    held[:0] = [x]
    held[len(held.c) :] = [x * x]
    held[::2] = [x for _ in range(len(held.c[::2]))]
    del held[::3]
    held[n - 2 : n - 1] = [x, x, x]
    held[-1] = x * x
    return total(held.c)


def by_parameters(x, n):
    c = [x * k for k in range(n)]

    def put(low=None, high=None, step=None):
        c[low:high:step] = [x for _ in c[low:high:step]]

    put(1, 3)
    put(high=2)
    put(low=n - 2)
    put(step=2)
    put(1, None, 2)
    return total(c)


def bounds_of_some_paths(x, n):
    c = [x * k for k in range(n)]
    low = None if n > 3 else 1
    high = 2 if n > 3 else None
    c[low:high] = [x * x, x, x]
    c[:high] = [x * x, x, x]
    c[low:] = [x * x, x, x]
    c[low:2] = [x * x, x, x]
    del c[low:high]
    return total(c) + x


def a_step_of_some_paths(x, n):
    c = [x * k for k in range(n)]
    step = None if n > 3 else 2
    c[0:4:step] = [x for _ in c[0:4:step]]
    del c[::step]
    c.append(x)
    c.append(x)
    return total(c)


def of_lists(x, n):
    rows = [[x * k, x] for k in range(n)]
    s = slice(1, 3)
    rows[s] = [[x, x * x]]
    del rows[slice(0, 1, None)]
    return sum(a * b for a, b in rows)


class Scale:
    def __init__(self, w: float) -> None:
        self.w = w

    def of(self, v: float) -> float:
        return v * self.w


class Shift:
    def __init__(self, w: float) -> None:
        self.w = w

    def of(self, v: float) -> float:
        return v + self.w


class Square:
    def of(self, v: float) -> float:
        return v * v


def applied(steps, x):
    for step in steps:
        x = step.of(x)
    return x


def of_another_class(x, n):
    steps = [Scale(x + k) for k in range(n)]
    steps[1:2] = [Shift(x), Shift(x * x)]
    steps[::2] = [Shift(x) for _ in steps[::2]]
    return applied(steps, x)


def of_a_class_without_numbers(x, n):
    steps = [Scale(1.0 / (x + k)) for k in range(n)]
    squares = [Square() for k in range(n) if k < 2]
    steps[1:2] = squares
    steps.extend(square for square in squares)
    return applied(squares + steps, x)


def of_functions(x, n):
    steps = [lambda v, k=k: v * x + k for k in range(n)]
    steps[1:2] = [lambda v: v + x, math.sin]
    return sum(step(x) for step in steps)


PROGRAMS: list[Any] = [
    *(of_another_class, of_a_class_without_numbers, of_functions),
    *(under_a_name, one_of_two, handed_to_a_method, by_parameters),
    *(bounds_of_some_paths, a_step_of_some_paths, of_lists),
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("count", [3, 6])
@pytest.mark.parametrize("optimise", [True, False])
def test_slices_are_stored_into_and_deleted(
    function: Callable[..., float], count: int, optimise: bool
) -> None:
    value, slope = value_and_grad(function, optimise=optimise)(1.1, count)
    h = 1e-6
    assert value == pytest.approx(function(1.1, count))
    up, down = function(1.1 + h, count), function(1.1 - h, count)
    assert slope == pytest.approx((up - down) / (2 * h), rel=1e-6)


def given(c, x):
    s = slice(0, 2)
    c[s] = [x * x, x]
    del c[slice(3, 4)]
    c[-1] = x * x
    return total(c)


def test_slices_of_a_list_that_is_given() -> None:
    check_grads(given, ([1.0] * 9, 1.1))
