"""Lists whose length a reverse sweep asks for, and that the program takes for others
which grow: nobody reads the earlier list any more, but its length is read."""

from __future__ import annotations

import pytest

from s2sad import value_and_grad


def joined(b, xs, ys):
    total = 0.0
    xs = xs + ys
    for _ in xs:
        total += b
    xs = xs + ys
    return total


def joined_and_read(b, xs, ys):
    total = 0.0
    xs = xs + ys
    for x in xs:
        total += b * x
    xs = xs + ys
    for x in xs:
        total += b * b * x
    return total


def joined_in_a_loop(b, xs, ys):
    total = 0.0
    for _ in range(3):
        for _ in xs:
            total += b
        xs = xs + ys
    return total


def appended(b, xs, ys):
    total = 0.0
    made = [b * y for y in ys]
    for _ in made:
        total += b
    made.append(b)
    made.extend(xs)
    for x in made:
        total += b * x
    return total


def in_lists(b, xs, ys):
    rows = [[b * x] for x in xs]
    total = 0.0
    for _ in rows[0]:
        total += b
    for k in range(len(ys)):
        rows[0].append(ys[k])
    for x in rows[0]:
        total += b * x
    return total


def taken_and_popped(b, xs, ys):
    made = [b * x for x in xs + ys]
    total = 0.0
    for _ in made:
        total += b
    while len(made) > 3:
        made.pop()
    for x in made:
        total += x * x
    return total


FUNCTIONS = [joined, joined_and_read, joined_in_a_loop, appended, in_lists]
FUNCTIONS.append(taken_and_popped)


@pytest.mark.parametrize("wrt", [("b",), ("b", "xs"), ("b", "ys"), ("b", "xs", "ys")])
@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_the_length_is_that_of_the_earlier_list(function, wrt, optimise):
    xs, ys = ([1.0 + 0.01 * k for k in range(n)] for n in (70, 66))
    value, gradient = value_and_grad(function, wrt=wrt, optimise=optimise)(0.7, xs, ys)
    assert value == pytest.approx(function(0.7, xs, ys), rel=1e-12)
    step = 1e-6
    by_b = function(0.7 + step, xs, ys) - function(0.7 - step, xs, ys)
    assert gradient[0] == pytest.approx(by_b / (2.0 * step), rel=1e-6)
