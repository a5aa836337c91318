"""Gradients of gradients of loops that keep references between their sweeps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad
from tests.run_time.structures import Link, assert_gradient, springs


def chain(count):
    found = None
    for k in range(count):
        found = Link(0.5 + 0.7 * math.sin(k), found)
    return found


def of_slices(items):
    total = 0.0
    for s in items[1:]:
        total = 0.9 * total + s.k**3 * s.rest
    return total


def of_pairs(items):
    total = 0.0
    for s, before in zip(items[1:], items[:-1]):
        total = math.sin(total) + s.k**2 * before.rest
    return total


def of_links(link):
    total = 0.3
    while link is not None:
        total = 0.9 * math.sin(total + link.weight)
        link = link.behind
    return total


def of_a_stack(link):
    total = 0.3
    waiting = [link]
    while waiting:
        link = waiting.pop()
        total = 0.9 * math.sin(total + link.weight**2)
        if link.behind is not None:
            waiting.append(link.behind)
    return total


def squares_of_springs(items):
    return sum(s.k**2 + 2.0 * s.rest**2 for s in items)


def squares_of_links(link):
    total = 0.0
    while link is not None:
        total += link.weight**2
        link = link.behind
    return total


def second(function, optimise):
    inner = grad(function, optimise=optimise)
    if function in (of_slices, of_pairs):
        return grad(lambda v: squares_of_springs(inner(v)), optimise=optimise)
    return grad(lambda v: squares_of_links(inner(v)), optimise=optimise)


def number_at(value, place):
    """What holds a number, and under which name."""
    if isinstance(value, list):
        return value[place], "rest"
    for _ in range(place):
        value = value.behind
    return value, "weight"


@pytest.mark.parametrize("optimise", [True, False, {"scalar_replacement": False}])
@pytest.mark.parametrize("count", [7, 80])
@pytest.mark.parametrize("function", [of_slices, of_pairs, of_links, of_a_stack])
def test_references_are_kept_with_their_adjoints(function, count, optimise):
    made = springs if function in (of_slices, of_pairs) else chain
    whole = second(function, optimise)
    value = made(count)
    found = whole(value)
    inner = grad(function)

    def at(place, by):
        moved = made(count)
        holder, name = number_at(moved, place)
        setattr(holder, name, getattr(holder, name) + by)
        if isinstance(moved, list):
            return squares_of_springs(inner(moved))
        return squares_of_links(inner(moved))

    for place in range(count - 4, count - 1):
        expected = (at(place, 1e-5) - at(place, -1e-5)) / 2e-5
        holder, name = number_at(found, place)
        assert np.isclose(getattr(holder, name), expected, rtol=1e-4, atol=1e-7)
        assert abs(expected) > 1e-3


def by_recursion(link, x):
    if link is None:
        return 0.0
    return math.sin(link.weight * x) + x * by_recursion(link.behind, 0.9 * x)


def squared_slope(link, x):
    return grad(by_recursion, wrt=1)(link, x) ** 2


@pytest.mark.parametrize("count", [1, 6, 60])
def test_slopes_of_recursions_have_gradients_by_what_they_read(count):
    link = chain(count)
    derivative = grad(squared_slope, wrt=("link", "x"))
    assert_gradient(squared_slope, (link, 0.7), derivative(link, 0.7))
    shorter = derivative.source_for(chain(2), 0.7)
    assert shorter == derivative.source_for(link, 0.7)
