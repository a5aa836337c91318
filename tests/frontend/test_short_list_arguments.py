"""Lists of one item and of none: where a program doesn't need their lengths, what is
compiled for one of them serves lists of any length."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from s2sad import grad, hessian, jvp, value_and_grad
from s2sad.dispatch.cache import MEMORY
from s2sad.errors import ArgumentError
from tests.support.compilations import counted


def recurrence(xs):
    state = 1.0
    for k, x in enumerate(xs):
        state = math.sin(state * x) + x / (k + 1)
    return state


def squares(xs):
    return sum(x * x for x in xs)


def steps(xs):
    return 1.0 + sum((b - a) ** 2 for a, b in zip(xs, xs[1:]))


def largest(xs):
    return max(xs, default=1.0) ** 2


def changed(xs):
    for k in range(len(xs)):
        xs[k] = 2.0 * xs[k]
    return sum(x * x for x in xs) if xs else 1.0


PROGRAMS = [recurrence, squares, steps, largest, changed]


def numbers(count):
    return [0.3 + 0.1 * math.sin(k) for k in range(count)]


def differences(function, xs):
    found = []
    for k in range(len(xs)):
        sides = []
        for step in (1e-6, -1e-6):
            moved = list(xs)
            moved[k] += step
            sides.append(function(moved))
        found.append((sides[0] - sides[1]) / 2e-6)
    return found


@pytest.mark.sampled(12)
@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.parametrize("sizes", [*permutations((0, 1, 5))])
def test_one_compilation_serves_all_lengths(function, sizes):
    MEMORY.clear()
    with counted() as compiled:
        for size in (*sizes, 5000):
            xs = numbers(size)
            gradient = grad(function)(xs)
            assert type(gradient) is list and len(gradient) == size
            if size < 100:
                expected = differences(function, xs)
                np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-6)
    assert compiled == [function.__name__]


def test_other_modes_serve_them_too():
    MEMORY.clear()
    value, slope = jvp(squares, ([3.0],), ([1.0],))
    assert (value, slope) == (9.0, 6.0)
    assert value_and_grad(squares)([]) == (0, [])
    assert hessian(squares)([3.0]) == [[2.0]]


def norm(xs):
    return np.sum(np.array(xs) ** 2)


def stretched(xs, y):
    return np.sum(np.array(xs) * y)


def doubled(xs):
    return sum(np.sum(x * x) for x in xs)


def test_where_an_array_is_made_the_length_is_known():
    MEMORY.clear()
    assert grad(norm)([3.0]) == [6.0]
    assert grad(norm)([3.0, 1.0, 2.0, 1.0, 1.0]) == [6.0, 2.0, 4.0, 2.0, 2.0]
    assert grad(norm)([3.0]) == [6.0]
    y = np.array([1.0, 2.0, 3.0])
    assert grad(stretched)([3.0], y) == [6.0]
    with pytest.raises(ArgumentError, match="a list that holds no float"):
        MEMORY.clear()
        grad(norm)([])


def test_lists_of_arrays():
    MEMORY.clear()
    with counted() as compiled:
        for count in (1, 5, 0, 100):
            arrays = [np.full(2, 1.0 + k) for k in range(count)]
            for found, array in zip(grad(doubled)(arrays), arrays, strict=True):
                assert found.tolist() == (2.0 * array).tolist()
    assert compiled == ["doubled"]


def added(xs, y):
    xs.append(y)
    return sum(x * y for x in xs)


def named(xs, y):
    xs.append("a")
    return y * len(xs)


def test_what_is_put_into_them_may_be_anything():
    MEMORY.clear()
    assert grad(added)([], 2.0) == []
    assert grad(added, wrt="y")([], 3.0) == 6.0
    assert grad(added, wrt="y")([1.0], 3.0) == 7.0
    assert grad(named, wrt="y")([], 3.0) == 1.0
    assert grad(named, wrt="y")([1.0], 3.0) == 2.0


def whole(xs, y):
    xs.append(3)
    return y * (10.0 if isinstance(xs[-1], int) else 1.0) + sum(xs)


def test_whole_numbers_stay_whole():
    MEMORY.clear()
    assert grad(whole, wrt="y")([1.0], 3.0) == 10.0
    assert grad(whole, wrt=("xs", "y"))([1.0], 3.0) == ([1.0], 10.0)
    assert grad(whole, wrt=("xs", "y"))([], 3.0) == ([], 10.0)


def dotted(a, b, n):
    if n == 0 or len(a) < 2:
        return sum(x * y for x, y in zip(a, b)) + sum(a) * len(b)
    return dotted(a, b, n - 1) + dotted(b[:2], a, n - 1) + dotted(b[1:], a[1:], 0)


def grown(xs, n):
    if n == 0:
        return xs
    xs.append(xs[0] * xs[-1])
    return grown(xs, n - 1)


def of_parts(xs):
    return dotted(xs, xs, 3)


def of_grown(xs):
    longer = grown(list(xs), 3)
    return sum(x * y for x, y in zip(xs, longer)) + sum(y * y for y in longer)


@pytest.mark.parametrize("function", [of_parts, of_grown])
@pytest.mark.parametrize("length", [2, 3, 4, 5, 9])
def test_recursions_over_parts_of_lists(function, length):
    """However short a list is, its parts are lists in a recursion."""
    xs = [0.5 + 0.1 * k for k in range(length)]
    found = grad(function)(xs)
    for k, slope in enumerate(found):
        above, below = list(xs), list(xs)
        above[k], below[k] = xs[k] + 1e-6, xs[k] - 1e-6
        assert slope == pytest.approx(
            (function(above) - function(below)) / 2e-6, rel=1e-6, abs=1e-6
        )
    _, slope = jvp(function, (xs,), (found,))
    assert slope == pytest.approx(sum(v * v for v in found))


def test_a_recursion_has_one_version_for_lists_of_any_length():
    text = grad(of_parts).source_for([0.1 * k for k in range(9)])
    assert text.count("def dotted_forward") == 1
    assert "dotted_2_forward" not in text
