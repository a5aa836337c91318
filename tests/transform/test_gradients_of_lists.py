"""Gradients of arguments that are lists and tuples of any length."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import (
    grad,
    hessian,
    hvp,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)
from s2sad.errors import ArgumentError
from s2sad.testing import check_grads


def cubes(xs):
    total = 0.0
    for x in xs:
        total += x**3
    return total


def products(xs):
    return [x * xs[0] for x in xs]


def layers(ws, x):
    for w in ws:
        x = np.tanh(w * x)
    return np.sum(x)


def in_pairs(pairs):
    total = 0.0
    for x, y in pairs:
        total += x * y**2
    return total


NUMBERS = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
CUBES = [3.0 * x * x for x in NUMBERS]


class TestStructure:
    def test_a_list_of_floats(self):
        found = grad(cubes)(NUMBERS)
        assert found == CUBES and type(found) is list
        assert {type(x) for x in found} == {float}

    def test_a_tuple_of_floats(self):
        assert grad(cubes)(tuple(NUMBERS)) == tuple(CUBES)

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_numbers_of_numpy(self, dtype):
        found = grad(cubes)([dtype(x) for x in NUMBERS])
        assert found == CUBES and {type(x) for x in found} == {dtype}

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_arrays(self, dtype):
        ws = [np.full(n, 0.5, dtype) for n in (2, 2, 2, 2, 2)]
        found = grad(layers)(ws, np.ones(2, dtype))
        assert {(type(w), w.dtype, w.shape) for w in found} == {
            (np.ndarray, np.dtype(dtype), (2,))
        }
        assert not any(
            np.shares_memory(a, b) for k, a in enumerate(found) for b in found[:k]
        )

    def test_arrays_of_unlike_lengths(self):
        ws = [np.arange(1.0, 1.0 + n) for n in (1, 2, 3, 1, 0)]
        found = grad(lambda ws: sum(np.sum(w * w) for w in ws))(ws)
        for bar, w in zip(found, ws, strict=True):
            np.testing.assert_array_equal(bar, 2.0 * w)

    def test_one_array_several_times(self):
        w = np.array([0.5, 2.0])
        found = grad(layers)([w] * 5, np.ones(2))
        assert not any(np.shares_memory(a, b) for a in found for b in [w])

    def test_lists_of_lists(self):
        rows = [[1.0, 2.0], [3.0], [], [4.0, 5.0, 6.0], [7.0]]
        found = grad(lambda rows: sum(cubes(row) for row in rows))(rows)
        assert found == [[3.0 * x * x for x in row] for row in rows]
        assert {type(row) for row in found} == {list}

    def test_lists_of_tuples(self):
        found = grad(in_pairs)([(2.0, 3.0)] * 5)
        assert found == [(9.0, 12.0)] * 5

    def test_three_deep(self):
        data = [[[1.0], [2.0, 3.0]], [], [[4.0]], [[]], [[5.0]]]
        found = grad(lambda d: sum(x * x for a in d for b in a for x in b))(data)
        assert found == [[[2.0], [4.0, 6.0]], [], [[8.0]], [[]], [[10.0]]]

    def test_what_is_not_read(self):
        assert grad(lambda xs, w: w * 2.0)(NUMBERS, 1.0) == [0.0] * 6
        assert grad(lambda xs, w: w * 2.0)([NUMBERS] * 5, 1.0) == [[0.0] * 6] * 5

    def test_inside_of_other_structures(self):
        def loss(p):
            return cubes(p["xs"]) * p["w"]

        assert grad(loss)({"xs": NUMBERS, "w": 2.0}) == {
            "xs": [2.0 * x for x in CUBES],
            "w": cubes(NUMBERS),
        }


class TestIntsBesideFloats:
    def test_they_have_none(self):
        assert grad(cubes)([1, 2.0, 3.0, 4, 5]) == [None, 12.0, 27.0, None, None]
        assert grad(cubes)([1, 2.0, True]) == [None, 12.0, None]

    def test_in_lists_of_lists(self):
        rows = [[1, 2.0], [3.0], [4], [5.0], []]
        found = grad(lambda rows: sum(cubes(row) for row in rows))(rows)
        assert found == [[None, 12.0], [27.0], [None], [75.0], []]

    def test_tangents(self):
        xs = [1, 2.0, 3.0, 4, 5.0]
        tangent = [None, 1.0, 1.0, None, 1.0]
        assert jvp(cubes, (xs,), (tangent,)) == (cubes(xs), 12.0 + 27.0 + 75.0)
        assert hvp(cubes)(xs, tangent) == [None, 12.0, 18.0, None, 30.0]

    def test_arrays_of_ints_are_not_taken_for_ones_of_floats(self):
        def squares(xs):
            first = np.array(xs[:2])
            return np.sum(first * first) * xs[4]

        xs = [1, 2, 3.5, 1, 3.0]
        assert grad(squares)(xs) == [None, None, 0.0, None, 5.0]
        with pytest.raises(ArgumentError, match="int has no derivative"):
            hvp(squares)(xs, [1.0] * 5)

    def test_they_are_told_apart_when_it_runs(self):
        def by_class(xs):
            return sum(3.0 * x if isinstance(x, int) else x * x for x in xs)

        assert grad(by_class)([1, 2.0, 3, 4.0, 5]) == [None, 4.0, None, 8.0, None]


class TestModes:
    def test_value_and_gradient(self):
        assert value_and_grad(cubes)(NUMBERS) == (441.0, CUBES)

    def test_pullbacks_may_be_called_again(self):
        value, pullback = vjp(cubes, NUMBERS)
        assert value == 441.0
        assert pullback(1.0) == (CUBES,)
        assert pullback(2.0) == ([2.0 * x for x in CUBES],)

    def test_pullbacks_of_lists(self):
        value, pullback = vjp(products, NUMBERS)
        assert value == NUMBERS
        assert pullback([1.0] * 6) == ([22.0, 1.0, 1.0, 1.0, 1.0, 1.0],)
        with pytest.raises(ArgumentError, match="5 items, but must have 6"):
            pullback([1.0] * 5)

    def test_cotangents_in_a_gradient(self):
        assert grad(products)(NUMBERS, gradient=[1.0] * 6)[0] == 22.0
        with pytest.raises(ArgumentError, match="7 items, but must have 6"):
            grad(products)(NUMBERS, gradient=[1.0] * 7)

    def test_tangents(self):
        assert jvp(cubes, (NUMBERS,), (NUMBERS,)) == (441.0, 1323.0)
        assert jvp(products, (NUMBERS,), (NUMBERS,))[1] == [2.0 * x for x in NUMBERS]
        with pytest.raises(ArgumentError, match="4 items, but must have 6"):
            jvp(cubes, (NUMBERS,), (NUMBERS[:4],))
        with pytest.raises(ArgumentError, match="must be a list"):
            jvp(cubes, (NUMBERS,), (tuple(NUMBERS),))

    def test_linear_maps(self):
        value, tangent = linearize(cubes, NUMBERS)
        assert (value, tangent(NUMBERS)) == (441.0, 1323.0)

    def test_second_derivatives(self):
        twice = [6.0 * x * v for x, v in zip(NUMBERS, NUMBERS, strict=True)]
        assert hvp(cubes)(NUMBERS, NUMBERS) == twice
        assert hvp(cubes)(tuple(NUMBERS), tuple(NUMBERS)) == tuple(twice)
        assert np.array_equal(hessian(cubes)(NUMBERS), np.diag(6.0 * np.array(NUMBERS)))

    @pytest.mark.parametrize("count", [3, 6])
    def test_jacobians_are_as_those_of_short_lists(self, count):
        xs = NUMBERS[:count]
        expected = xs[0] * np.eye(count)
        expected[:, 0] += xs
        assert np.array_equal(jacobian(products)(xs), expected)

        def as_array(xs):
            return np.array(products(xs))

        columns = jacrev(as_array)(xs)
        assert type(columns) is list and np.array_equal(np.stack(columns, 1), expected)

    def test_of_something_else(self):
        def loss(xs, w):
            return cubes(xs) * w, xs

        assert grad(loss, "w", has_aux=True)(NUMBERS, 2.0) == (441.0, NUMBERS)
        (xs, w), aux = grad(loss, ("xs", "w"), has_aux=True)(NUMBERS, 2.0)
        assert xs == [2.0 * x for x in CUBES] and (w, aux) == (441.0, NUMBERS)

    def test_gradients_inside(self):
        def penalty(xs):
            return sum(x * x for x in grad(cubes)(xs))

        expected = [36.0 * x**3 for x in NUMBERS]
        assert grad(penalty)(NUMBERS) == expected
        assert grad(penalty)(NUMBERS[:3]) == expected[:3]


WEIGHTS = [0.5, 1.0, 1.5, 2.0, 2.5]
POINTS = tuple((float(k), 0.5) for k in range(6))


def with_data(xs):
    return xs, WEIGHTS, POINTS


class TestListsThatAreReturned:
    def test_those_of_the_module_have_tangents_of_zeros(self):
        _, (tangent, *zeros) = jvp(with_data, (NUMBERS,), (NUMBERS,))
        assert tangent == NUMBERS
        assert zeros == [[0.0] * 5, ((0.0, 0.0),) * 6]

    def test_cotangents_stay_with_the_caller(self):
        ws = [np.ones(2) for _ in range(5)]
        _, pullback = vjp(lambda ws: ws, ws)
        seeds = [np.full(2, float(k)) for k in range(5)]
        (found,) = pullback(seeds)
        assert np.array_equal(found, seeds)
        assert not any(map(np.shares_memory, found, seeds))

    def test_shapes_of_their_arrays_are_compared(self):
        ws = [np.ones(2) for _ in range(5)]
        wrong = [np.ones(3)] * 5
        with pytest.raises(ArgumentError, match=r"\(3,\), but must have shape \(2,\)"):
            vjp(lambda ws: ws, ws)[1](wrong)
        with pytest.raises(ArgumentError, match=r"\(3,\), but must have shape \(2,\)"):
            jvp(lambda ws: ws, (ws,), (wrong,))

    def test_long_hessians_are_lists_of_lists(self):
        expected = np.diag(6.0 * np.array(NUMBERS * 20))
        assert np.allclose(hessian(cubes)(NUMBERS * 20), expected)


class TestInsideOfFunctions:
    """A gradient with respect to a list is a list there, too: ``g * 2`` is twice as
    long."""

    def compare(self, function, *args):
        check_grads(function, args)

    def test_of_an_argument(self):
        def joined(xs):
            g = grad(cubes)(xs)
            return sum((g + g)[4:]) * len(g)

        def of_a_pullback(xs):
            value, pullback = vjp(cubes, xs)
            (g,) = pullback(2.0)
            return sum(g * 2) * value

        def of_second_order(xs):
            return sum(hvp(cubes)(xs, xs) * 2)

        for function in (joined, of_a_pullback, of_second_order):
            self.compare(function, NUMBERS)

    def test_of_a_list_made_there(self):
        def of_powers(x, n):
            powers = []
            for k in range(n):
                powers.append(x**k)
            return sum(grad(cubes)(powers) * 2)

        self.compare(of_powers, 1.3, 4)

    def test_of_tuples_and_lists_of_lists(self):
        def of_tuple(xs):
            return sum(grad(cubes)(tuple(xs)) + (xs[0],))

        def of_rows(rows):
            g = grad(lambda rows: sum(map(cubes, rows)))(rows)
            return sum(x for row in g for x in row + row)

        self.compare(of_tuple, NUMBERS)
        self.compare(of_rows, [[1.0, 2.0], [3.0], [], [4.0], [5.0]])


def of_rows(rows):
    total = 0.0
    for row in rows:
        total += row[0] * row[1]
        for x in row:
            if x > 1.0:
                total += x**3
    return total + max(max(row) for row in rows)


def largest_of_rows(rows):
    return sum(max(row) ** 2 for row in rows)


def first_of_nested(rows):
    return sum(row[0][0] * row[0][1] for row in rows)


def nested(count):
    return [[[0.3 * k, 1.5 - k]] for k in range(count)]


def rows(count):
    return [[0.2 * k + 0.5 * i * i for i in range(3)] for k in range(count)]


def changed_within(xs):
    for place, x in enumerate(xs):
        if isinstance(x, list):
            changed_within(x)
        else:
            xs[place] = 5.0 - 2.0 * x


@pytest.mark.parametrize("count", (3, 7))
@pytest.mark.parametrize(
    "function, made",
    [
        (cubes, lambda n: rows(n)[1]),
        (of_rows, rows),
        (largest_of_rows, rows),
        (first_of_nested, nested),
    ],
)
def test_pullbacks_keep_lists_as_they_were(function, made, count):
    xs = made(count)
    expected = grad(function)(xs)
    _, pullback = vjp(function, xs)
    _, tangent_of = linearize(function, xs)
    direction = made(count)
    slope = tangent_of(direction)
    changed_within(xs)
    assert pullback(1.0) == (expected,)
    assert tangent_of(direction) == slope


def test_pullbacks_keep_the_lists_that_they_hand_out():
    def squares(xs):
        found = [x * x for x in xs]
        return found, sum(x**2 for x in found)

    (found, _), pullback = vjp(squares, [1.0, 2.0, 3.0, 4.0, 5.0])
    seeds = ([1.0] * 5, 1.0)
    before = pullback(seeds)
    found[1] = 7.0
    assert pullback(seeds) == before
