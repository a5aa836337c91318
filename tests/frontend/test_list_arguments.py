"""Arguments that are lists and tuples of any length: their kinds, and one derivative
for all lengths."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad, ir, jvp, value_and_grad
from s2sad.dispatch.cache import MEMORY
from s2sad.errors import ArgumentError
from s2sad.source.kinds import lists
from s2sad.source.kinds.kinds_of_values import kind_of_value
from s2sad.testing import check_grads
from tests.support.compilations import counted
from tests.support.work import calls


def squares(xs):
    total = 0.0
    for x in xs:
        total += x * x
    return total


def recurrence(xs, rate):
    state = 0.0
    for k, x in enumerate(xs):
        state = math.tanh(rate * state + x / (k + 1))
    return state


def steps(xs):
    return sum((b - a) ** 2 for a, b in zip(xs, xs[1:], strict=False))


def until_large(xs, ys):
    total = 0.0
    for x, y in zip(xs, ys, strict=False):
        if x > 3.0:
            break
        total += x * y
    return total


def spread(xs):
    ordered = sorted(xs)
    return (max(xs) - min(xs)) * ordered[len(ordered) // 2] + xs[0] * xs[-1]


def first_two(xs):
    a, b, *rest = xs
    return a * b + sum(x * x for x in rest)


def large_ones(xs):
    return sum([x * x for x in xs if x > 1.0])


def backwards(xs):
    total = 0.0
    for x in reversed(xs):
        total = total * 0.5 + x * x
    return total


def entries(rows):
    return sum(x * x for row in rows for x in row)


def through_layers(ws, x):
    for w in ws:
        x = np.tanh(w @ x)
    return np.sum(x)


def varying(count):
    return [0.3 + math.sin(1.7 * k) + 0.1 * k / count for k in range(count)]


def matrices(count):
    rng = np.random.default_rng(count)
    return [rng.normal(size=(2, 2)) for _ in range(count)]


PROGRAMS = {
    squares: lambda n: (varying(n),),
    recurrence: lambda n: (varying(n), 0.7),
    steps: lambda n: (varying(n),),
    until_large: lambda n: (varying(n), varying(n + 2)),
    spread: lambda n: (varying(n),),
    first_two: lambda n: (varying(n),),
    large_ones: lambda n: (varying(n),),
    backwards: lambda n: (varying(n),),
    entries: lambda n: ([varying(k % 4) for k in range(n)],),
    through_layers: lambda n: (matrices(n), np.ones(2)),
}


class TestOneDerivativeForAllLengths:
    @pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
    def test_derivatives(self, program):
        check_grads(program, PROGRAMS[program](7))

    @pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
    def test_nothing_is_compiled_again(self, program):
        derivative = value_and_grad(program)
        texts = set()
        MEMORY.clear()
        with counted() as compiled:
            for count in (5, 6, 50, 5000):
                arguments = PROGRAMS[program](count)
                value, expected = derivative(*arguments)[0], program(*arguments)
                assert value == pytest.approx(expected, rel=1e-12)
                texts.add(derivative.source_for(*arguments))
        assert len(compiled) == len(texts) == 1

    @pytest.mark.parametrize("count", [0, 1, 2, 4])
    def test_short_lists_are_taken_by_what_was_compiled_for_long_ones(self, count):
        derivative = grad(squares)
        derivative(varying(9))
        with counted() as compiled:
            xs = varying(count)
            assert derivative(xs) == [2.0 * x for x in xs]
        assert compiled == []

    @pytest.mark.taken_apart
    @pytest.mark.parametrize("count", [2, 3, 4])
    def test_short_lists_are_taken_apart(self, count):
        MEMORY.clear()
        text = grad(squares).source_for(varying(count))
        assert "for" not in text.split('"""')[2].replace("# for", "")

    @pytest.mark.taken_apart
    def test_a_list_that_becomes_an_array_is_not_taken_for_one_of_length_one(self):
        def stretched(xs, w):
            return np.sum(np.array(xs) * w)

        derivative = grad(stretched)
        w = np.arange(5.0)
        assert derivative([1.0] * 5, w) == list(w)
        assert "sum_to_shape" not in derivative.source_for([1.0] * 5, w)
        assert derivative([1.0], w) == [10.0]

    def test_loops_over_lists_that_are_unlike(self):
        def together(xs, ys):
            return sum(x * y for x, y in zip(xs, ys, strict=False))

        derivative = grad(together, ("xs", "ys"))
        for n, m in ((5, 5), (7, 5), (5, 9), (1, 6), (0, 3), (6, 0)):
            xs, ys = varying(n), varying(m)
            count = min(n, m)
            zeros = [0.0] * max(n, m)
            assert derivative(xs, ys) == (
                ys[:count] + zeros[: n - count],
                xs[:count] + zeros[: m - count],
            )

    def test_the_wrong_number_of_items(self):
        def of_five(xs):
            a, b, c, d, e = xs
            return a * b + c * d * e

        derivative = grad(of_five)
        assert derivative(varying(5)) == pytest.approx(
            jvp_of_each(of_five, varying(5)), rel=1e-12
        )
        with pytest.raises(ValueError, match="unpack"):
            derivative(varying(6))


def jvp_of_each(function, xs):
    count = len(xs)
    units = ([float(i == k) for i in range(count)] for k in range(count))
    return [jvp(function, (xs,), (unit,))[1] for unit in units]


class TestKinds:
    @pytest.mark.parametrize(
        ("value", "kind"),
        [
            ([1.0] * 5, "list of float [n]"),
            ((1.0,) * 5, "tuple of float [n]"),
            ([1] * 5, "list of int [n]"),
            ([1, 2.0, 3, 4, 5], "list of float [n]"),
            ([np.float32(1.0)] * 5, "list of np.float32 [n]"),
            ([1.0, *np.ones(5)], "list of np.float64 [n]"),
            ([1j] * 5, "list of complex [n]"),
            ([np.ones((2, 1))] * 5, "list of float64[n, 1] [n]"),
            ([np.ones(1), *[np.ones(2)] * 5], "list of float64[?] [n]"),
            ([[1.0], [2.0, 3.0], [], [], []], "list of list of float [?] [n]"),
            ([(1.0, 2.0)] * 5, "list of tuple of float [?] [n]"),
            ([[[1.0]], [], [], [[2.0], []], []], "list of list of list of float"),
        ],
    )
    def test_alike(self, value, kind):
        assert str(kind_of_value(value, "x")).startswith(kind)
        assert kind_of_value(value * 3, "x") == kind_of_value(value, "x")

    @pytest.mark.parametrize(
        "value",
        [
            [1.0] * 4,
            [1.0, "a", 1.0, 1.0, 1.0],
            [1.0, None, 1.0, 1.0, 1.0],
            [np.ones(2), 1.0, 1.0, 1.0, 1.0],
            [np.ones(2)] * 4 + [np.ones((2, 2))],
            [np.ones(2)] * 4 + [np.ones(2, int)],
            [np.array(1.0)] * 5,
            [[1.0], (1.0,), [1.0], [1.0], [1.0]],
            [[]] * 5,
            [(1, 0.5)] * 5,
            [True, 1, 1, 1, 1],
            [1.0, 1j, 1.0, 1.0, 1.0],
        ],
    )
    def test_unlike(self, value):
        assert isinstance(kind_of_value(value, "x"), ir.Structure)

    @pytest.mark.taken_apart
    def test_a_long_list_of_something_else(self):
        with pytest.raises(ArgumentError, match="100 items.*aren't numbers"):
            grad(squares)([1.0, 1j] * 50)


class TestChecks:
    @pytest.mark.parametrize(
        ("value", "others"),
        [
            ([1.0] * 5, ([1.0] * 4 + [1], (1.0,) * 5, [np.float64(1.0)] * 5, [None])),
            ([1, 2.0, 3, 4, 5], ([1.0, 1j], [np.float64(1.0)])),
            ([np.float32(1.0)] * 5, ([1.0] * 5, [np.float64(1.0)] * 5)),
            ([np.ones(2)] * 5, ([np.ones(1)], [np.ones((2, 2))], [np.ones(2, int)])),
            ([[1.0], [2.0], [], [], []], ([[1.0, 2]], [(1.0,)], [1.0])),
        ],
    )
    def test_what_fits(self, value, others):
        kind = kind_of_value(value, "x")
        assert lists.holds(value, kind) and lists.holds(value[:1] * 9, kind)
        assert lists.holds([], kind)
        assert not any(lists.holds(other, kind) for other in others)

    def test_the_check_of_a_long_list_is_made_at_once(self):
        derivative = grad(lambda xs: xs[0] * xs[-1])
        xs = varying(20_000)
        derivative(xs)
        assert calls(derivative, xs) < 100


class TestListsThatAreChanged:
    """Arguments stay as they are."""

    def test_items(self):
        def changed(xs):
            xs[0] = 2.0 * xs[1]
            xs.append(xs[2] * xs[3])
            xs[2] += 1.0
            del xs[1]
            return sum(x * x for x in xs)

        xs = varying(6)
        before = list(xs)
        check_grads(changed, (xs,))
        grad(changed)(xs)
        assert xs == before

    def test_until_nothing_is_left(self):
        def emptied(xs):
            total = 0.0
            while xs:
                total = 0.5 * total + xs.pop() ** 2
            return total

        check_grads(emptied, (varying(6),))
        xs = varying(300)
        assert len(grad(emptied)(xs)) == len(xs) == 300

    @pytest.mark.taken_apart
    def test_lists_in_lists(self):
        def changed(rows):
            for row in rows:
                row[0] = row[0] * row[-1]
            return entries(rows)

        check_grads(changed, ([[1.0, 2.0], [3.0], [4.0, 5.0], [1.5], [0.5, 2.0]],))
        row = [1.0, 2.0]
        with pytest.raises(ValueError, match="one list twice"):
            grad(changed)([row] * 5)

    def test_lists_that_others_hold_too(self):
        def shared(rows):
            others = list(rows)
            others[0][0] = 7.0 * rows[1][1]
            return entries(rows)

        def chosen(rows):
            rows[0], rows[1] = rows[1], rows[0]
            best = rows[0]
            for row in rows:
                if row[0] > best[0]:
                    best = row
            best[0] = 3.0 * rows[2][0] * best[-1]
            return entries(rows)

        rows = [[1.0, 2.0], [3.0, 4.0], [5.0], [1.0], [2.0]]
        for function in (shared, chosen):
            check_grads(function, (rows,))
            derivative = grad(function)
            text = derivative.source_for(rows)
            assert derivative.source_for([list(row) for row in rows * 200]) == text
        found = grad(shared)([list(row) for row in rows * 200])
        assert found[0] == [0.0, 4.0] and found[1] == [6.0, 400.0]
        assert grad(shared)([rows[1]] * 5)[0] == [0.0, 2000.0]

    def test_arrays(self):
        def changed(ws):
            for w in ws:
                w *= 2.0
            return sum(np.sum(w * w) for w in ws)

        ws = [np.ones(2) for _ in range(5)]
        found = grad(changed)(ws)
        assert all(np.array_equal(bar, [8.0, 8.0]) for bar in found)
        assert np.array_equal(ws, np.ones((5, 2)))
        with pytest.raises(ValueError, match="shares memory"):
            grad(changed)([ws[0]] * 5)
        large = [np.full(2, 0.1 * k) for k in range(1000)]
        assert grad(changed).source_for(large) == grad(changed).source_for(ws)
        assert np.allclose(grad(changed)(large)[999], 8.0 * large[999])

    def test_arrays_that_are_written_into_item_by_item(self):
        def changed(ws, x):
            ws[0][0] = x[1] * ws[1][0]
            for k in range(1, len(ws)):
                ws[k] += 0.5 * ws[k - 1] * x
            ws.append(ws[0] * 2.0)
            ws[-1][1] = x[0] ** 2
            return sum(np.sum(w * w) for w in ws)

        def parts(pair):
            ws, k = pair
            for w in ws:
                w *= k
            return sum(np.sum(w * w) for w in ws)

        def inner(ws, x):
            bars = grad(changed)(ws, x)
            return sum(np.sum(bar * w) for bar, w in zip(bars, ws))

        ws, x = [np.array([0.3, 0.5]) * k for k in range(1, 7)], np.array([0.7, 1.1])
        check_grads(changed, (ws, x))
        check_grads(inner, (ws, x))
        check_grads(parts, ((ws, 0.5),))
        with pytest.raises(ValueError, match="shares memory"):
            grad(changed, wrt=1)(ws, ws[2])

    @pytest.mark.taken_apart
    def test_one_list_as_two_arguments(self):
        def changed(xs, ys):
            xs[0] = 3.0 * ys[1]
            return sum(x * y for x, y in zip(xs, ys, strict=True))

        check_grads(
            changed,
            (
                varying(5),
                varying(5),
            ),
        )
        xs = varying(5)
        with pytest.raises(ValueError, match="same object"):
            grad(changed)(xs, xs)
