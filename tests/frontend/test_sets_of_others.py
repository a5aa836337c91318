"""Sets that a program is given, or reads from its module, stay as they are."""

from __future__ import annotations

import copy
from collections import defaultdict, deque

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


def put_under_new_keys(x, near):
    total = 0.0
    for k in [1, 2, 1]:
        near[k].add(k)
        total += x * len(near[k])
    return total


def unpacked_in_the_loop(x, rows):
    total = 0.0
    for k, members in rows:
        members.add(k)
        total += x * len(members)
    return total


def unpacked_later(x, rows):
    total = 0.0
    for row in rows:
        k, *rest = row
        rest[0].add(k)
        list(row)[1].add(7)
        total += x * len(row[1])
    return total


def put(members, k):
    members.add(k)


def second_of(row):
    return row[1]


def changed_by_another(x, rows):
    total = 0.0
    for row in rows:
        put(second_of(row), row[0])
        total += x * len(row[1])
    return total


def put_down_from(members, k):
    if k > 0:
        members.add(k)
        put_down_from(members, k - 1)


def changed_by_one_that_calls_itself(x, rows):
    total = 0.0
    for row in rows:
        put_down_from(row[1], 3)
        total += x * len(row[1])
    return total


def held_in_a_list(x, rows):
    held = []
    for row in rows:
        held.append(row[1])
    for members in held:
        members.add(7)
    return x * sum([len(row[1]) for row in rows])


def held_in_a_dict(x, rows):
    held = {}
    for k, row in enumerate(rows):
        held[k] = row[1]
    for k in held:
        held[k].add(8)
    return x * sum([len(row[1]) for row in rows])


def waiting(x, rows):
    queue = deque()
    for row in rows:
        queue.append(row[1])
    total = 0.0
    while queue:
        members = queue.popleft()
        members.add(9)
        total += x * len(members)
    return total


def found_or_none(x, rows):
    total = 0.0
    for row in rows:
        members = row.get("members")
        members.add(7)
        total += x * len(members)
    return total


def shared(x, rows, chosen):
    chosen.add(9)
    total = 0.0
    for row in rows:
        total += x * len(row[1])
    return total


def shared_with_many(x, rows, chosen):
    for members in chosen:
        members.add(9)
    total = 0.0
    for row in rows:
        total += x * len(row[1])
    return total


def lists_of(length):
    return ([[k, {k + 1}] for k in range(length)],)


def lists_and_tuples_of(length):
    return ([[k, {k + 1}] if k % 2 else (k, {k + 1}) for k in range(length)],)


def dicts_of(length):
    rows = [{"members": {k}, "n": k if k % 2 else "n"} for k in range(length)]
    return (rows,)


def one_of_lists(length):
    (rows,) = lists_of(length)
    return rows, rows[1][1]


def one_of_lists_and_tuples(length):
    (rows,) = lists_and_tuples_of(length)
    return rows, rows[1][1]


def all_of_them(length):
    (rows,) = lists_and_tuples_of(length)
    return rows, [row[1] for row in rows]


def a_default_dict(length):
    return (defaultdict(set, {1: set(range(length))}),)


BESIDE_OTHERS = [
    *((unpacked_in_the_loop, made) for made in (lists_of, lists_and_tuples_of)),
    *((unpacked_later, made) for made in (lists_of, lists_and_tuples_of)),
    *((changed_by_another, made) for made in (lists_of, lists_and_tuples_of)),
    (changed_by_one_that_calls_itself, lists_of),
    *((held_in_a_list, made) for made in (lists_of, lists_and_tuples_of)),
    (held_in_a_dict, lists_of),
    *((waiting, made) for made in (lists_of, lists_and_tuples_of)),
    (found_or_none, dicts_of),
    *((shared, made) for made in (one_of_lists, one_of_lists_and_tuples)),
    (shared_with_many, all_of_them),
    (put_under_new_keys, a_default_dict),
]


@pytest.mark.parametrize("optimise", [True, False, {"inlining": False}])
@pytest.mark.parametrize("length", [6, 300])
@pytest.mark.parametrize(("function", "made"), BESIDE_OTHERS)
def test_those_that_stand_beside_others_stay_too(function, made, length, optimise):
    given = made(length)
    want = function(2.0, *made(length))
    found = value_and_grad(function, optimise=optimise)
    for _ in range(2):
        assert found(2.0, *given) == (want, want / 2.0)
    assert given == made(length)
    value, pullback = vjp(function, 2.0, *given)
    assert (value, pullback(1.0)[0]) == (want, want / 2.0)
    assert given == made(length)


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
