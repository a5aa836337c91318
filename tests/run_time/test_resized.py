"""Lists and dicts that stand in what is given and get other items: what is refused, and
what the caller keeps."""

from __future__ import annotations

import copy
import itertools
from collections import deque

import numpy as np
import pytest

from s2sad import errors, grad, value_and_grad
from tests.run_time.programs.new_keys import Shop, shops
from tests.run_time.programs.resized import Branch, Tank, branches, tanks


def run_over_backwards(ns, x):
    def cut(n):
        if len(n.children) > 1:
            n.children.pop()
        return n.value

    def whole(n):
        return n.value + sum(cut(n) * c.value for c in reversed(n.children))

    return sum(whole(n) for n in ns)


class Bag:
    def __init__(self, items):
        self.items = items

    def __bool__(self):
        return len(self.items) > 2


def asked_by_its_class(bags):
    total = 0.0
    for b in bags:
        while b:
            total += b.items.pop() ** 2
    return total


def of_another_kind(ts, x):
    for t in ts:
        t.levels.append("full")
    return sum(t.gain for t in ts) * x


REFUSED = [
    (run_over_backwards, branches, "grows or shrinks while it is run over"),
    (of_another_kind, tanks, "stored"),
]


@pytest.mark.parametrize(
    ("function", "made", "why"), REFUSED, ids=[case[0].__name__ for case in REFUSED]
)
def test_what_is_not_followed_is_refused(function, made, why):
    with pytest.raises(errors.UnsupportedError, match=why):
        grad(function)(made(80), 0.7)


def test_a_test_that_the_class_answers_is_refused():
    with pytest.raises(errors.UnsupportedError, match="says itself whether it is true"):
        grad(asked_by_its_class)([Bag([1.0, 2.0, 3.0, 4.0]) for _ in range(80)])


def both_grow(ts, x):
    for t in ts:
        t.levels.append(x * t.gain)
        ts[0].levels.append(x)
    return sum(v * v for t in ts for v in t.levels)


def test_lists_of_other_places_may_change_in_a_loop():
    given = tanks(80)
    before = copy.deepcopy(given)
    value, gradient = value_and_grad(both_grow)(given, 0.7)
    assert given == before
    expected = both_grow(copy.deepcopy(given), 0.7)
    assert value == pytest.approx(expected, rel=1e-14)  # sum rounds better in 3.12
    for t, slope in zip(given, gradient, strict=True):
        np.testing.assert_allclose(slope.levels, 2.0 * np.array(t.levels))
        np.testing.assert_allclose(slope.gain, 2.0 * 0.7**2 * t.gain)


def branches_run_over(ns, x):
    total = 0.0
    for n in ns:
        n.children.append(Branch(x, []))
        total += n.value
    return total


def test_a_list_that_is_run_over_and_stands_in_itself_raises():
    given = branches(80)
    given[3].children = given
    with pytest.raises(ValueError, match="run over while it changes"):
        grad(branches_run_over)(given, 0.7)


def changed(ss, x):
    for s in ss:
        s.stock["new"] = s.price * x
        s.stock["last"] = s.stock.pop("k0")
    return sum(v * v for s in ss for v in s.stock.values())


def test_the_caller_keeps_its_dicts_and_gets_their_keys():
    given = shops(80)
    before = copy.deepcopy(given)
    gradient = grad(changed)(given, 0.7)
    assert given == before
    for s, slope in zip(given, gradient, strict=True):
        assert type(slope) is Shop
        assert list(slope.stock) == list(s.stock)
        doubled = [2.0 * v for v in s.stock.values()]
        np.testing.assert_allclose(list(slope.stock.values()), doubled)


def empty_and_filled(ts, x):
    for t in ts:
        t.levels.append(x * t.gain)
    return sum(v * t.gain for t in ts for v in t.levels)


def test_lists_that_are_all_empty_are_filled_by_one_text():
    gradient = grad(empty_and_filled)
    texts = set()
    for count in (7, 80, 5000):
        given = [Tank([], 0.5 + k / count) for k in range(count)]
        found = gradient(given, 0.7)
        assert all(slope.levels == [] for slope in found)
        slopes = [2.0 * 0.7 * t.gain for t in given]
        np.testing.assert_allclose([slope.gain for slope in found], slopes)
        texts.add(gradient.source_for(given, 0.7))
    assert len(texts) == 1


def appended(d):
    d.append(2.0 * d[0])
    return sum(d)


def stored(d):
    d[0] = 2.0 * d[1]
    return sum(d)


def taken(d):
    return d.popleft() * sum(d)


def longer(d):
    d += [1.0]
    return sum(d)


def deleted(d):
    del d[0]
    return sum(d)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (appended, [3.0, 1.0, 1.0, 1.0]),
        (stored, [0.0, 3.0, 1.0, 1.0]),
        (taken, [12.0, 2.0, 2.0, 2.0]),
        (longer, [1.0] * 4),
        (deleted, [0.0, 1.0, 1.0, 1.0]),
    ],
)
@pytest.mark.parametrize("limit", [None, 9, 4])
def test_a_deque_that_is_an_argument(function, expected, limit):
    given = deque([2.0, 3.0, 4.0, 5.0], limit)
    if limit == 4:  # what is appended drops the first one
        expected = {appended: [2.0, 1.0, 1.0, 1.0], longer: [0.0, 1.0, 1.0, 1.0]}.get(
            function, expected
        )
    found = grad(function)(given)
    assert list(given) == [2.0, 3.0, 4.0, 5.0]
    assert (type(found), found.maxlen) == (deque, limit)
    np.testing.assert_allclose(list(found), expected)


class Pair:
    def __init__(self, x):
        self.x = x
        self.first = []
        self.second = []


def one_side(pairs):
    for p in pairs:
        p.first.append(p.x**2)
    return sum(v for p in pairs for v in p.first) + sum(len(p.second) for p in pairs)


def other_side(pairs):
    for p in pairs:
        p.first.append(p.x**2)
    return sum(v for p in pairs for v in p.first) + sum(sum(p.second) for p in pairs)


@pytest.mark.parametrize("function", [one_side, other_side])
def test_empty_lists_that_are_one_raise(function):
    given = [Pair(0.5 + 0.01 * k) for k in range(80)]
    gradient = grad(function)
    slopes = [2.0 * p.x for p in given]
    np.testing.assert_allclose([slope.x for slope in gradient(given)], slopes)
    given[3].second = given[3].first
    with pytest.raises(ValueError, match="given empty stands in two places"):
        gradient(given)


def turned_before(ts, x):
    total = 0.0
    for t in ts:
        backwards = reversed(t.levels)
        t.levels.append(x)
        total += sum(v * (k + 1) for k, v in enumerate(backwards))
    return total


def taken_twice(ts, x):
    total = 0.0
    for t in ts:
        first, second = itertools.tee(t.levels)
        total += sum(first)
        t.levels[0] = x
        total += 3.0 * sum(second)
    return total


def generators_side_by_side(ts, x):
    def scaled(t):
        for v in t.levels:
            yield v * x

    total = 0.0
    for t in ts:
        for a, b in zip(scaled(t), scaled(t)):
            total += a * b
            t.levels[-1] = t.levels[-1] * 1.1
    return total


def attributes_side_by_side(ts, x):
    def gains(by):
        for t in ts:
            yield t.gain * by

    total = 0.0
    for a, b in zip(gains(1.0), gains(x)):
        ts[-1].gain = ts[-1].gain + a
        total += a * b
    return total


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (turned_before, "under reversed has changed its length"),
        (taken_twice, "tee keeps items"),
        (generators_side_by_side, "under zip"),
        (attributes_side_by_side, "under zip"),
    ],
)
def test_iterators_that_would_read_at_another_time_are_refused(function, why):
    with pytest.raises(errors.UnsupportedError, match=why):
        grad(function)(tanks(80), 0.7)
