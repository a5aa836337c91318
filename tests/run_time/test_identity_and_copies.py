"""``is`` between lists, copies under the same name, lists that change between loops."""

from __future__ import annotations

import copy
import math

import pytest

from s2sad import value_and_grad


class Part:
    def __init__(self, s, after=None):
        self.s, self.after = s, after


def read_twice(x, n):
    rows = [[x * i, 0.5] for i in range(n)]
    a, b = rows[0], rows[0]
    if a is b:
        a[0] += x * x
    return sum(sum(row) for row in rows)


def only_read(x, n):
    rows = [[x * i, 0.5] for i in range(n)]
    a, b = rows[0], rows[0]
    return (x * x if a is b else 0.0) + sum(sum(row) for row in rows)


def walked(x, n):
    rows = [[x * i, 0.5] for i in range(n)]
    others = [rows[1], rows[0]]
    a = b = rows[0]
    for k in range(n):
        b[0] += x
        a = b
        if a is b:
            a[0] *= x
        b = others[k % 2]
    return sum(sum(row) for row in rows)


def copied_in_a_loop(x, n):
    parts = [Part(x * i) for i in range(n)]
    part = parts[1]
    for k in range(n):
        part = copy.copy(part)
        part.s *= x
        parts[k].s += part.s * part.s
    return sum(part.s for part in parts)


def copied_with_what_it_leads_to(x, n):
    parts = [Part(x * i) for i in range(n)]
    parts[0].after = parts[1]
    other = copy.copy(parts[0])
    other.after.s += x * x
    other.s += x
    return parts[1].s * (parts[0].s + 2.0)


def shorter_in_between(x, n):
    parts = [Part(1.0 + x * k) for k in range(n)]
    total = 1.0
    for k in range(len(parts)):
        total *= parts[k].s * math.cos(k)
    parts.pop()
    for k in range(len(parts)):
        total *= parts[k].s * math.cos(k)
    return total


def values_that_change(x, n):
    parts = [Part({"a": x * k, "b": 1.5, "c": "text"}) for k in range(n)]
    parts.append(parts[0])
    for part in parts:
        for name, value in part.s.items():
            if name != "c":
                part.s[name] = value * x
                part.s["b"] *= x
    return sum(part.s["a"] + part.s["b"] for part in parts)


PROGRAMS = (
    *(read_twice, only_read, walked, copied_in_a_loop),
    *(copied_with_what_it_leads_to, shorter_in_between, values_that_change),
)


@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("program", PROGRAMS)
def test_right(program, optimise):
    x, n, step = 0.7, 6, 1e-6
    value, gradient = value_and_grad(program, optimise=optimise)(x, n)
    expected = (program(x + step, n) - program(x - step, n)) / (2.0 * step)
    assert value == pytest.approx(program(x, n))
    assert gradient == pytest.approx(expected, rel=1e-6)
