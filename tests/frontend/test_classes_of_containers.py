"""Deques and dicts of derived classes keep their class, also where a call gave them."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

import pytest

from s2sad import UnsupportedError, grad
from tests.support.finite_differences import central_difference_gradient

XS = [0.5, 1.5, 2.5, 0.7, 0.9, 1.1]
FORMS = pytest.mark.parametrize("optimise", [None, {"inlining": False}], ids=str)


def counts_of(xs):
    counts = Counter()
    for k, x in enumerate(xs):
        counts[k % 3] += x
    return counts


def last_of(xs):
    entries = OrderedDict()
    for k, x in enumerate(xs):
        entries[k % 4] = x
    return entries


def queue_of(xs):
    queue = deque()
    for x in xs:
        queue.append(x)
    return queue


def counted_by_itself(xs, n):
    if n == 0:
        return Counter()
    counts = counted_by_itself(xs, n - 1)
    counts[n] += xs[n]
    return counts


def queued_by_itself(xs, n):
    if n == 0:
        return deque()
    queue = queued_by_itself(xs, n - 1)
    queue.appendleft(xs[n])
    return queue


def added(xs):
    counts = counts_of(xs)
    counts.update({0: xs[1]})
    return counts[0] * counts[1] + counts[7]


def taken_in_front(xs):
    entries = last_of(xs)
    first = entries.popitem(last=False)[1]
    return first * entries.popitem()[1]


def put_in_front(xs):
    queue = queue_of(xs)
    queue.appendleft(xs[1] * 2.0)
    queue.rotate(1)
    return queue[0] * queue[1]


def added_by_itself(xs):
    counts = counted_by_itself(xs, len(xs) - 1)
    counts.update({2: xs[0]})
    return counts[2] * xs[2] + counts[100]


def put_in_front_by_itself(xs):
    queue = queued_by_itself(xs, len(xs) - 1)
    queue.appendleft(xs[0])
    return queue[2] * queue[0]


class Held:
    def __init__(self, xs):
        self.counts = counts_of(xs)
        self.queue = queue_of(xs)


def in_an_object(xs):
    held = Held(xs)
    held.counts.update({0: xs[2]})
    held.queue.rotate(2)
    return held.counts[0] * held.queue[0] + held.counts[55]


PROGRAMS = (
    *(added, taken_in_front, put_in_front, in_an_object),
    *(added_by_itself, put_in_front_by_itself),
)


@FORMS
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_what_a_call_gives_has_its_class(program, optimise):
    expected = central_difference_gradient(program, [XS], 0)
    found = grad(program, optimise=optimise)(XS)
    assert found == pytest.approx(list(expected), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("program", [added, taken_in_front, put_in_front])
def test_such_a_call_stays_one(program):
    text = grad(program, optimise={"inlining": False}).source_for(XS)
    assert text.count("_forward(") == 2


def united(xs):
    return (counts_of(xs[1:]) | counts_of(xs))[0]


@FORMS
def test_operators_of_their_class_are_refused(optimise):
    """They were those of dicts."""
    with pytest.raises(UnsupportedError, match="an operator on a Counter"):
        grad(united, optimise=optimise)(XS)


MADE = {
    "Counter": Counter,
    "OrderedDict": OrderedDict,
    "defaultdict": lambda: defaultdict(float),
    "dict": dict,
}
CLASSES = (Counter, OrderedDict, defaultdict, dict, deque, list, (list, Counter))


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("cls", CLASSES, ids=str)
def test_isinstance_of_dicts(name, cls):
    make = MADE[name]

    def asked(xs):
        made = make()
        made["a"] = xs[0]
        return made["a"] * (2.0 if isinstance(made, cls) else 3.0)

    assert grad(asked)(XS[:2]) == [asked([1.0]), 0.0]


@pytest.mark.parametrize("cls", CLASSES, ids=str)
def test_isinstance_of_deques(cls):
    def asked(xs):
        made = deque()
        made.append(xs[0])
        return made[0] * (2.0 if isinstance(made, cls) else 3.0)

    assert grad(asked)(XS[:2]) == [asked([1.0]), 0.0]


def one_of_two(xs):
    made, other = deque(), []
    made.append(xs[0])
    other.append(xs[1])
    one = made if xs[0] > 1.0 else other
    one.append(xs[1])
    return one[0] * (2.0 if isinstance(one, list) else 3.0)


def test_isinstance_of_one_of_two():
    assert grad(one_of_two)([2.0, 1.0]) == [3.0, 0.0]
    assert grad(one_of_two)([0.5, 1.0]) == [0.0, 2.0]
