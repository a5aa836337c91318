"""Sets that a program is given, or reads from its module, stay as they are."""

from __future__ import annotations

import copy
from collections import defaultdict

import pytest

from s2sad import UnsupportedError, grad, value_and_grad, vjp

XS = [1.0, 1.5, 2.0, 0.5]
ROWS = [{1, 2}, {0}]
TABLE = {"left": {1}, "right": {2}}


def added(xs, chosen):
    chosen.add(3)
    chosen.discard(1)
    return sum(xs[k] ** 2 for k in chosen)


def added_in_rows(xs, rows):
    for k, row in enumerate(rows):
        row.add(k % 4)
    return sum(xs[k] ** 2 for row in rows for k in row)


def added_under_keys(xs, near):
    for k in near:
        near[k].add(0)
    return sum(xs[k] ** 2 for members in near.values() for k in members)


def asked_before_it_changes(xs, chosen):
    total = xs[1] ** 2 if chosen else xs[0]
    if chosen and xs[0] > 0.0:
        total += xs[2] ** 2
    chosen.clear()
    return total + (xs[3] if chosen else xs[0])


GIVEN = [
    (added, {0, 1, 2}),
    (added_in_rows, [{1}, {2, 3}]),
    (added_in_rows, [{k % 3} for k in range(80)]),
    (added_under_keys, {"a": {1}, "b": set()}),
    (added_under_keys, {f"k{k}": {k % 4} for k in range(80)}),
    (asked_before_it_changes, {1, 2}),
    (asked_before_it_changes, set()),
]


@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize(("function", "sets"), GIVEN)
def test_given_ones_stay_as_they_are(function, sets, optimise):
    before = copy.deepcopy(sets)
    value, slopes = value_and_grad(function, optimise=optimise)(XS, sets)
    assert sets == before
    assert value == pytest.approx(function(XS, copy.deepcopy(before)))
    want = []
    for k in range(len(XS)):
        ends = []
        for step in (1e-6, -1e-6):
            moved = [*XS]
            moved[k] += step
            ends.append(function(moved, copy.deepcopy(before)))
        want.append((ends[0] - ends[1]) / 2e-6)
    assert slopes == pytest.approx(want)
    _, pullback = vjp(function, XS, sets)
    for _ in range(2):
        assert pullback(1.0)[0] == pytest.approx(want)
    assert sets == before


def of_the_module(x, k):
    ROWS[0].add(k)
    return x * len(ROWS[0])


def under_a_key_of_the_module(x, k):
    members = TABLE["left"]
    members.add(k)
    return x * len(members)


def number_seen(k, seen=set()):  # noqa: B006
    seen.add(k)
    return len(seen)


def with_a_default(x, k):
    return x * number_seen(k)


@pytest.mark.parametrize(
    "function", [of_the_module, under_a_key_of_the_module, with_a_default]
)
def test_changing_those_of_the_module_is_refused(function):
    with pytest.raises(UnsupportedError, match="a set of the module is changed"):
        grad(function)(2.0, 7)
    assert ROWS == [{1, 2}, {0}] and TABLE == {"left": {1}, "right": {2}}


def put_under_new_keys(x, near, keys):
    total = 0.0
    for k in keys:
        near[k].add(k)
        total += x * len(near[k])
    return total


def changed_beside_others(x, rows):
    total = 0.0
    for k, members in rows:
        members.add(k)
        total += x * len(members)
    return total


def test_those_that_stand_beside_others_are_not_changed_either():
    near = defaultdict(set, {1: {9}})
    with pytest.raises((TypeError, UnsupportedError)):
        grad(put_under_new_keys)(2.0, near, [1, 1, 1])
    assert near == {1: {9}}
    rows = [[k, {k + 1}] for k in range(6)]
    with pytest.raises((TypeError, UnsupportedError)):
        grad(changed_beside_others)(2.0, rows)
    assert rows == [[k, {k + 1}] for k in range(6)]


def known_beside_the_run(xs, keys):
    known, held, total = set(), [set()], 0.0
    for k in keys:
        if known == held[0]:
            total += xs[0] ** 2
        if held[0] != {1}:
            total += xs[1]
        held[0].add(k)
        held[0].discard(k)
    return total


def test_sets_that_are_known_are_compared_with_others():
    keys = [3, 2, 2, 1, 0]
    value, slopes = value_and_grad(known_beside_the_run)(XS, keys)
    assert value == known_beside_the_run(XS, keys)
    assert slopes == [10.0, 5.0, 0.0, 0.0]
