"""Tuples that are told by their text in front, where only the run knows it."""

from __future__ import annotations

import pytest

from s2sad import grad


def name_at(k):
    return ("+", "leaf")[k // 3 % 2]


def built(xs, low, high):
    if high - low == 1:
        return ("leaf", xs[low], None)
    middle = (low + high) // 2
    return (name_at(low), built(xs, low, middle), built(xs, middle, high))


def value_of(node):
    op, a, b = node
    return a if op == "leaf" else value_of(a) + value_of(b)


def summed(xs):
    return value_of(built(xs, 0, len(xs)))


def test_a_text_that_tells_another_tuple_is_refused_when_it_is_met():
    derivative = grad(summed)
    assert derivative([1.0, 2.0, 3.0]) == [1.0, 1.0, 1.0]
    with pytest.raises(ValueError, match="begins with 'leaf' and holds other things"):
        derivative([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
