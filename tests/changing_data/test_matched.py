"""Lists and dicts that the program changes, and that patterns are matched with."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from s2sad import grad, jvp


def longer_list(x, n):
    m = [x, 2.0 * x]
    m.append(x * x)
    match m:
        case [a, b]:
            return a
        case [a, b, c]:
            m[0] = 5.0
            return a * b * c
    return x


def list_of_the_run(x, n):
    m = [x, 2.0 * x]
    for k in range(n):
        m.append(x * k)
    match m:
        case [a, *rest, b]:
            return a * b + sum(rest) * len(rest)
    return x


def queue(x, n):
    m = deque([x], maxlen=2)
    for k in range(n):
        m.append(x * k)
    match m:
        case [a, b]:
            return a * b
    return x


def dict_with_more(x, n):
    m = {"a": x}
    m["b"] = x * x
    match m:
        case {"c": _}:
            return x
        case {"a": a, "b": b, **rest}:
            rest["q"] = a
            return a * b * len(m) * len(rest)
    return x


def key_on_one_path(x, n):
    m = {"a": x}
    if n > 2:
        m["b"] = x * x
    match m:
        case {"a": a, "b": b}:
            return a * b
        case {"a": a}:
            return 3.0 * a
    return x


def keys_of_the_run(x, n):
    m = {}
    for k in range(n):
        m[k % 5] = m.get(k % 5, x) * x
    match m:
        case {7: a}:
            return a
        case {1: a, 3: b, **rest}:
            return a * b + sum(rest.values())
        case {0: a}:
            return 2.0 * a
    return x


def one_of_two(x, n):
    first, second = {"a": x}, {"a": 2.0 * x}
    chosen = first if n > 2 else second
    chosen["b"] = x * x
    match chosen:
        case {"a": a, "b": b}:
            return a * b
    return x


def changed_inside(x, n):
    m = {"a": [x, x]}
    match m:
        case {"a": [a, b] as inner}:
            inner[0] = x * x
            return m["a"][0] * a * b
    return x


def changed_before(x, n):
    m = {"a": [x, x]}
    m["a"][0] = x * x
    match m:
        case {"a": [a, b]}:
            return a * b
    return x


@pytest.mark.parametrize("n", (0, 2, 9))
@pytest.mark.parametrize(
    "function",
    (
        *(longer_list, list_of_the_run, queue, dict_with_more, key_on_one_path),
        *(keys_of_the_run, one_of_two, changed_inside, changed_before),
    ),
)
def test_patterns_see_what_they_hold_now(function, n):
    step = 1e-6
    up, down = function(1.3 + step, n), function(1.3 - step, n)
    expected = (up - down) / (2.0 * step)
    assert np.isclose(grad(function)(1.3, n), expected, rtol=1e-6)
    assert np.isclose(jvp(function, (1.3, n), (1.0, None))[1], expected, rtol=1e-6)
