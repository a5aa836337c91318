"""Items of lists are those that stood there when they were read, also where a function
that is called with them stores into the list."""

from __future__ import annotations

import functools
import heapq
import itertools

import numpy as np
import pytest

from s2sad import UnsupportedError, grad


class Box:
    def __init__(self, items):
        self.items = items


def changing(items):
    """A function that gives its argument, and changes an item."""

    def changed(e):
        items[2] = items[2] * e
        return e

    return changed


def filtered(items):
    f = changing(items)
    return sum(filter(lambda e: f(e) > 0.96, items))


def taken(items):
    f = changing(items)
    return sum(itertools.takewhile(lambda e: f(e) > 0.96, items))


def dropped(items):
    f = changing(items)
    return sum(itertools.dropwhile(lambda e: f(e) > 1.15, items))


def compressed(items):
    f = changing(items)
    return sum(itertools.compress(items, map(lambda e: f(e) > 0.96, items)))


def mapped(items):
    f = changing(items)
    return sum(map(lambda e: e * f(e) * e, items))


def zipped(items):
    f = changing(items)
    return sum(a * b for a, b in zip(items, map(f, items)))


def enumerated(items):
    f = changing(items)
    return sum(k * e * f(e) * e for k, e in enumerate(items))


def largest(items):
    return max(items, key=changing(items))


def ordered(items):
    return sorted(items, key=changing(items))[0]


def two_largest(items):
    return sum(heapq.nlargest(2, items, key=changing(items)))


def reduced(items):
    f = changing(items)
    return functools.reduce(lambda total, e: 0.5 * total + f(e), items)


FOLLOWED = (
    *(filtered, taken, dropped, compressed, mapped, zipped, enumerated, reduced),
)
REFUSED = (largest, ordered, two_largest)


def of_box(function, box):
    return function(box.items)


def of_first(function, boxes):
    return function(boxes[0].items)


def of_copy(function, box):
    return function([*box.items])


def differences(function, items, step=1e-6):
    found = []
    for k in range(len(items)):
        ends = []
        for sign in (1.0, -1.0):
            moved = list(items)
            moved[k] += sign * step
            ends.append(function(moved))
        found.append((ends[0] - ends[1]) / (2.0 * step))
    return found


def gradient_of(function, holder, size):
    items = [1.1, 1.2, 0.97, *(0.9503 + 0.001 * k for k in range(3, size))]

    def program(given):
        return holder(function, given)

    derivative = grad(program)
    if holder is of_first:
        others = [Box([1.0, 2.0]) for _ in range(70)]
        return items, derivative([Box(items), *others])[0].items
    return items, derivative(Box(items)).items


@pytest.mark.parametrize("size", [4, 70])
@pytest.mark.parametrize("holder", [of_box, of_first, of_copy])
@pytest.mark.parametrize("function", FOLLOWED)
def test_an_item_is_the_one_that_was_read(function, holder, size):
    items, gradient = gradient_of(function, holder, size)
    expected = differences(function, items)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("size", [4, 70])
@pytest.mark.parametrize("holder", [of_box, of_first, of_copy])
@pytest.mark.parametrize("function", REFUSED)
def test_what_reads_items_again_is_refused(function, holder, size):
    with pytest.raises(UnsupportedError, match="changes in the same expression"):
        gradient_of(function, holder, size)
