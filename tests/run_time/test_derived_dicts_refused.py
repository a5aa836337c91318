"""What isn't followed of the dicts of collections, of sets and of names of the run."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict

import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError

NUMBERS = [0.5, 1.5, 2.5, 0.7, 0.9, 1.1]


def counts_of(xs):
    counts = Counter()
    for k, x in enumerate(xs):
        counts[k % 3] += x
    return counts


def united(xs):
    both = counts_of(xs) | counts_of(xs[1:])
    return both[0]


def united_in_place(xs):
    counts = counts_of(xs)
    counts |= counts_of(xs[1:])
    return counts[0]


def summed(xs):
    return sum((counts_of(xs) + counts_of(xs)).values())


def compared(xs):
    return xs[0] * (2.0 if counts_of(xs) == {0: 0.0} else 1.0)


def compared_in_order(xs):
    a, b = OrderedDict(), OrderedDict()
    for k, x in enumerate(xs):
        a[k], b[-k] = x, x
    return xs[0] * (2.0 if a == b else 1.0)


@pytest.mark.parametrize(
    "function",
    [united, united_in_place, summed, compared, compared_in_order],
    ids=lambda function: function.__name__,
)
def test_operators_of_counters_and_ordered_dicts_are_refused(function):
    with pytest.raises(UnsupportedError, match="an operator on a"):
        grad(function)(NUMBERS)


def two_factories(xs):
    table = {}
    for k, x in enumerate(xs):
        table[k] = defaultdict(float) if k % 2 else defaultdict(lambda: 1.0)
        table[k][0] += x
    return sum(row[5] for row in table.values())


def beside_a_plain_one(xs):
    table = {}
    for k, x in enumerate(xs):
        if k % 2:
            table[k] = defaultdict(float)
        else:
            table[k] = {}
        table[k][0] = x
    return sum(row[0] for row in table.values())


def set_of_what_varies(xs):
    seen = {}
    for k, x in enumerate(xs):
        seen.setdefault(k % 2, set()).add(x)
    return sum(sum(s) for s in seen.values())


@pytest.mark.parametrize(
    "function",
    [two_factories, beside_a_plain_one, set_of_what_varies],
    ids=lambda function: function.__name__,
)
def test_what_only_the_run_tells_apart_is_refused(function):
    with pytest.raises(UnsupportedError):
        grad(function)(NUMBERS)


class Node:
    def __init__(self, value):
        self.value = value
        self.rest = None


def put(xs, name):
    nodes = [Node(x) for x in xs]
    for first, second in zip(nodes, nodes[1:], strict=False):
        setattr(first, name(len(xs)), second)
    total, node = 0.0, nodes[0]
    while node is not None:
        total += node.value**2
        node = node.rest
    return total


def named_well(xs):
    return put(xs, lambda n: "rest" if n > 2 else "value")


def named_ill(xs):
    return put(xs, lambda n: "value" if n > 2 else "rest")


def test_a_name_under_which_something_else_stands_raises():
    assert grad(named_well)(NUMBERS) == [2.0 * x for x in NUMBERS]
    with pytest.raises(ValueError, match="something else stands under this name"):
        grad(named_ill)(NUMBERS)


def missing(xs):
    table = defaultdict(lambda: defaultdict(float))
    for k, x in enumerate(xs):
        table[k % 2][k % 3] += x
    try:
        return dict(table[0])[17]
    except KeyError:
        return xs[0] ** 2


def test_a_copy_that_is_a_dict_makes_nothing():
    assert grad(missing)(NUMBERS)[:2] == [1.0, 0.0]
