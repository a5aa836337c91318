"""Cotangents of lists to whose items one value each is added in a loop: the values are
appended."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import differentiate, grad
from s2sad.testing import check_grads


def squares(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total


def recurrence(xs):
    state = 0.0
    for x in xs:
        state = math.tanh(0.7 * state + x)
    return state


def by_places(xs):
    total = 1.0
    for k in range(len(xs)):
        total = total * 0.5 + xs[k] * k
    return total


def layers(ws):
    x = np.ones(3)
    for w in ws:
        x = np.tanh(w @ x)
    return np.sum(x * x)


def total_of(ws):
    total = np.zeros((3, 3))
    for w in ws:
        total = total + w
    return np.sum(total**2)


def sums_that_grow(ws):
    total = np.zeros((3, 3))
    result = 0.0
    for w in ws:
        total = total + w
        result += np.sum(total**2)
    return result


def broadcast(ws):
    total = 0.0
    for w in ws:
        total += np.sum(w) * 2.0
    return total


def views(ws):
    total = np.zeros((3, 3))
    for w in ws:
        total = total + w.T
    return np.sum(total * np.arange(9.0).reshape(3, 3))


APPENDED = (squares, recurrence, by_places, layers, total_of, sums_that_grow, views)


def with_first(xs):
    total = 0.0
    for x in xs:
        total += x * xs[0]
    return total


def first_once_more(xs):
    total = 3.0 * xs[0] ** 2 if xs else 0.0
    for x in xs:
        total += x * x
    return total


def twice(xs):
    total = 0.0
    for x in xs:
        total += x * x
    for x in xs:
        total += x**3
    return total


def until_large(xs):
    total = 0.0
    for x in xs:
        total += x * x
        if total > 4.0:
            break
    return total


def some(xs):
    total = 0.0
    for x in xs:
        if x < 1.0:
            continue
        total += x * x
    return total


def some_sorts(xs):
    total = 0.0
    for x in xs:
        total += x * x if x > 1.0 else math.sin(x)
    return total


def but_one(xs):
    total = 0.0
    for k in range(len(xs) - 1):
        total += xs[k] ** 2
    return total


def neighbours(xs):
    total = 0.0
    for k in range(len(xs)):
        total += xs[k] * xs[k - 1]
    return total


def backwards(xs):
    total = 1.0
    for x in reversed(xs):
        total = total * 0.5 + x * x
    return total


def of_another_length(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys):
        total += x * y
    return total


def again_and_again(xs):
    total = 0.0
    for k in range(3):
        for x in xs:
            total = 0.9 * total + k * x * x
    return total


def results(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total, total * 2.0


def grown(xs):
    total = 0.0
    for x in xs:
        total += x * x
    xs.append(total)
    return sum(x * x for x in xs)


OTHERS = (
    *(with_first, first_once_more, twice, until_large, some, some_sorts, but_one),
    *(neighbours, backwards, again_and_again, grown),
)


def argument(program, size):
    rng = np.random.default_rng(size)
    of_arrays = program in (layers, total_of, sums_that_grow, broadcast, views)
    if of_arrays:
        return [rng.normal(size=(3, 3)) / 2 for _ in range(size)]
    return rng.uniform(0.5, 1.5, size).tolist()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("program", [*APPENDED, *OTHERS, broadcast])
def test_gradients_are_those_by_differences_and_without_it(program):
    xs = argument(program, 6)
    check_grads(program, (xs,), ("rev",), order=1)
    plain = grad(program, optimise={"list_cotangents": False})
    for found, wanted in zip(grad(program)(xs), plain(xs), strict=True):
        np.testing.assert_allclose(found, wanted, 1e-12)


@pytest.mark.taken_apart
@pytest.mark.parametrize("program", APPENDED)
def test_values_are_appended_whatever_the_length(program):
    texts = {
        differentiate(program).grad.source_for(argument(program, n)) for n in (5, 5_000)
    }
    (text,) = texts
    assert ".append(" in text and "zeros_like(row)" not in text
    assert "[0.0] *" not in text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("program", APPENDED)
def test_one_derivative_serves_empty_and_long_lists(program):
    gradient, plain = grad(program), grad(program, optimise=False)
    gradient(argument(program, 5)), plain(argument(program, 5))
    for size in (0, 1, 5_000):
        if size == 0 and program in (layers, total_of, sums_that_grow, views):
            continue  # of no arrays it isn't known that they are such
        xs = argument(program, size)
        for found, wanted in zip(gradient(xs), plain(xs), strict=True):
            np.testing.assert_allclose(found, wanted, 1e-9, 1e-12)


@pytest.mark.parametrize("program", [total_of, sums_that_grow, broadcast, views])
def test_gradients_of_items_share_no_memory(program):
    ws = argument(program, 6)
    found = grad(program)(ws)
    for k, one in enumerate(found):
        assert one.flags.writeable and one.dtype == ws[k].dtype
        for other in (*found[:k], *ws):
            assert not np.shares_memory(one, other)


def test_items_of_single_precision_stay_so():
    ws = [np.ones((2, 2), np.float32) for _ in range(6)]

    def scaled(ws, factor):
        total = 0.0
        for w in ws:
            total += np.sum(w * factor)
        return total

    found = grad(scaled)(ws, np.full((2, 2), 2.0))
    assert all(one.dtype == np.float32 and np.all(one == 2.0) for one in found)


@pytest.mark.parametrize("sizes", [(5, 7), (7, 5), (6, 6)])
def test_lists_of_unlike_lengths_have_zeros_at_their_ends(sizes):
    xs, ys = (argument(squares, size) for size in sizes)
    found = grad(of_another_length, wrt=(0, 1))(xs, ys)
    least = min(sizes)
    assert found[0] == ys[:least] + [0.0] * (sizes[0] - least)
    assert found[1] == xs[:least] + [0.0] * (sizes[1] - least)


def sums_of_rows(rows):
    total = 0.0
    for row in rows:
        s = 0.0
        for x in row:
            s = 0.5 * s + x * x
        total += math.sin(s)
    return total


def first_of_rows(rows):
    total = 0.0
    for row in rows:
        s = 1.0
        for x in row:
            s = math.cos(s * x)
        total += s * rows[0][0]
    return total


def rows_by_places(rows):
    total = 0.0
    for k in range(len(rows)):
        row = rows[k]
        for j in range(1, len(row)):
            total = 0.9 * total + row[j] * row[j - 1]
    return total


def rows_twice(rows):
    total = 0.0
    for row in rows:
        for x in row:
            total = total * 0.5 + x * x
    for row in rows:
        if len(row) > 1:
            for x in row:
                total *= math.sin(x)
    return total


@pytest.mark.parametrize("rows", [[[0.3, 0.7], [0.2], [], [0.9, 0.4, 1.1]] * 2])
@pytest.mark.parametrize(
    "function, collected",
    [
        (sums_of_rows, True),
        (first_of_rows, False),
        (rows_by_places, True),
        (rows_twice, True),
    ],
)
def test_rows_are_lists(function, collected, rows):
    text = grad(function).source_for(rows)
    assert "np." not in text
    assert ("rows_bar = []" in text) == collected, text
    check_grads(function, (rows,))
    plain = grad(function, optimise={"list_cotangents": False})(rows)
    for own, other in zip(grad(function)(rows), plain, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-12)


def centred(points):
    a = b = 0.0
    for x, y in points:
        a += x * y
        b += math.sin(x) * a
    return a * b


def closed(points):
    area = 0.0
    x, y = points[-1]
    for u, v in points:
        area += x * v - u * y
        x, y = u, v
    return 0.5 * area


def closed_and_first(points):
    return closed(points) * points[0][1]


def labelled(points):
    total = 0.0
    for x, n, _ in points:
        total = 0.5 * total + n * x * x
    return total


def some(points):
    total = 0.0
    for x, y in points:
        if x > 0.5:
            total += x * y
    return total


def swapped(points):
    total = 1.0
    for x, y in points:
        total = total * x + y
        x, y = y * total, x
        total += x * y
    return total


PAIRS = [(0.1 * k + 0.2, 1.3 - 0.07 * k) for k in range(9)]


@pytest.mark.parametrize(
    "function, points, collected",
    [
        (centred, PAIRS, True),
        (closed, PAIRS, True),
        (labelled, [(x, k, "p") for k, (x, _) in enumerate(PAIRS)], True),
        (some, PAIRS, True),
        (closed_and_first, PAIRS, False),
        (swapped, PAIRS, True),
    ],
)
def test_tuples_are_collected(function, points, collected):
    derivative = grad(function)
    text = derivative.source_for(points)
    assert ("points_bar.append" in text) == collected, text
    plain = grad(function, optimise={"list_cotangents": False})
    assert "points_bar.append" not in plain.source_for(points)
    for given in (points, points * 40, [points[0], points[0]] * 3):
        assert derivative(given) == plain(given)
    check_grads(function, (points,))
    with pytest.raises(Exception):  # noqa: B017
        derivative([*points, (1.0,)])
