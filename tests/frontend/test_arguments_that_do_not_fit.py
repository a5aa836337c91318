"""Calls of Python's own functions that raise whatever the numbers are are refused."""

from __future__ import annotations

import functools
import itertools
import operator

import numpy as np
import pytest

from s2sad import UnsupportedError, grad


def getter_of_no_keys(x):
    names = [name for name in ("a", "b") if len(name) > 1]
    return operator.itemgetter(*names)({"a": x[0]})


def getter_of_known_keys(x):
    try:
        return operator.attrgetter(3)(x)
    except TypeError:
        return x[0] * 2.0


def loop_without_steps(x):
    total = x[0]
    for k in range(1, 3, 0):
        total += x[k]
    return total


def loop_over_a_text(x):
    total = x[0]
    for _ in range("a"):
        total += x[0]
    return total


def insertion_without_an_item(x):
    items = [x[0]]
    items.insert(3)
    return items[0]


CALLS = {
    "an itemgetter of no keys": (getter_of_no_keys, "itemgetter expected 1 argument"),
    "an attrgetter of nothing": (
        lambda x: operator.attrgetter()(x),
        "attrgetter expected 1 argument",
    ),
    "a methodcaller of a number": (
        lambda x: operator.methodcaller(3)(x),
        "method name must be a string",
    ),
    "a keyword": (
        lambda x: operator.itemgetter(0, default=3)(x),
        "takes no keyword arguments",
    ),
    "a range of steps of 0": (
        lambda x: x[0] * range(1, 2, 0)[0],
        "must not be zero",
    ),
    "a loop of steps of 0": (loop_without_steps, "must not be zero"),
    "a loop over a text": (loop_over_a_text, "cannot be interpreted as an integer"),
    "a slice of steps of 0": (lambda x: x[0] * [1, 2][::0][0], "step cannot be zero"),
    "a slice of a range": (lambda x: x[0] * range(9)[::0][0], "step cannot be zero"),
    "what can't be ordered": (
        lambda x: x[0] * len(sorted([1, "a"])),
        "not supported between",
    ),
    "reduce of a function alone": (
        lambda x: functools.reduce(lambda a, b: a + b),
        "call of reduce",
    ),
    "a slice of nothing": (lambda x: x[0] * slice(), "call of slice"),
    "setattr of one": (lambda x: x[0] * setattr(x), "call of setattr"),
    "next of nothing": (lambda x: x[0] * next(), "call of next"),
    "tuple of two": (lambda x: x[0] * len(tuple(1, 2)), "call of tuple"),
    "islice without an end": (
        lambda x: next(itertools.islice(x)),
        "call of islice",
    ),
    "repeated a text times": (
        lambda x: x[0] * list(itertools.repeat(2, "a"))[0],
        "call of repeat",
    ),
    "permutations of a text": (
        lambda x: x[0] * len(list(itertools.permutations(x, "a"))),
        "call of permutations",
    ),
    "an insertion without an item": (insertion_without_an_item, "call of insert"),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("function, words", CALLS.values(), ids=list(CALLS))
def test_what_the_compiler_would_call_itself_is_refused(function, words):
    x = np.array([0.5, 0.3, 0.8])
    with pytest.raises((TypeError, ValueError)):
        function(x)
    with pytest.raises(UnsupportedError, match=words) as caught:
        grad(function)(x)
    assert "^" in str(caught.value)


def test_a_handler_catches_what_such_a_call_raises():
    found = grad(getter_of_known_keys)(np.array([0.5, 0.3, 0.8]))
    np.testing.assert_array_equal(found, [2.0, 0.0, 0.0])
