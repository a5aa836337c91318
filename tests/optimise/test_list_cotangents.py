"""Cotangents of lists become lists, where nothing can tell the difference."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad


def both(function, *args):
    """The gradient with lists and with arrays, and the texts."""
    derived = [
        grad(function, optimise={"list_cotangents": flag}) for flag in (True, False)
    ]
    with np.errstate(all="ignore"):
        values = [d(*args) for d in derived]
    return values, [d.source_for(*args) for d in derived]


def roots(x, n):
    found = [0.0 * x, x]
    for i in range(n):
        found.append(found[i] * x)
        found[i] = math.sqrt(found[i])
    return found[0] + found[1] + found[-1]


def stack(x, n):
    items = [x]
    for i in range(n):
        items.append(x * i)
    total = 0.0
    while items:
        total += items.pop() * x
    return total


def norm(x, n):
    items = [x * i for i in range(n)]
    items[1] = items[0] * x
    return float(np.linalg.norm(np.array(items))) + items[-1]


def neighbours(x, n):
    items = [x]
    for i in range(n):
        items.append(items[i] * x + i)
    first, second, turned = items[:-1], items[1:], items[::-1]
    total = 0.0
    for i in range(len(first)):
        total += first[i] * second[i] * (i + 1) + turned[i] ** 2
    return total * items[-1]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [roots, stack, norm, neighbours])
@pytest.mark.parametrize("x", [0.0, 1.5])
def test_gradients_are_equal(function, x):
    (on, off), _ = both(function, x, 4)
    assert on == pytest.approx(off, nan_ok=True)


def test_the_cotangent_of_a_slice_is_stored_as_a_list():
    def smoothed(x, n):
        steps = []
        for k in range(n):
            steps.append(math.sin(x * k))
        last = steps[-1]
        earlier = steps[:-1]
        for k in range(len(earlier)):
            last = last * x + earlier[k]
        return last

    (on, off), (text, other) = both(smoothed, 1.5, 5)
    assert "steps_bar = [0.0] * len(steps)" in text
    assert "steps_bar[:-1] = " in text
    assert "np." not in text and "np.zeros" in other
    assert on == pytest.approx(off)


def test_a_division_by_zero_gives_what_arrays_give():
    (on, off), (text, other) = both(roots, 0.0, 3)
    assert "[0.0] * len(found)" in text and "[0.0] *" not in other
    assert not math.isfinite(off)
    np.testing.assert_equal(float(on), float(off))


def test_a_stack_gets_longer_without_a_copy():
    _, (text, other) = both(stack, 1.5, 4)
    assert "items_bar.append(" in text and "np." not in text
    assert "np.append(items_bar, 0.0)" in other
