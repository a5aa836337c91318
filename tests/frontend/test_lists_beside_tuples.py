"""Known lists are told from tuples, and keys of a known dict are found by equality."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, value_and_grad

CALLS = []


def compared(function):
    CALLS.append(function)
    return function


@compared
def list_beside_tuple(x):
    known = [0, 1]
    return x * (known == (0, 1)) + 2.0 * x * ((0, 1) in [known]) + x * x


@compared
def counted(x):
    known = [[0, 1], (0, 1), [0, 1]]
    return x * known.count((0, 1)) + x * x * known.count([0, 1])


@compared
def text_of_a_list(x):
    half = 2.5 - 1
    return x * len(str([half])) + x * x * len("{}".format([2 + 1])) + len(f"{[half]}")


@compared
def branch_on_a_text(x):
    return x * x if str([0, 1]) == "[0, 1]" else x


@compared
def text_of_lists_in_a_tuple(x):
    return x * (repr(([1], (2,))) == "([1], (2,))") + len(str([])) * x * x


@compared
def number_as_a_key(x):
    one = 2 - 1
    return x * {1.0: 2, 2: 3}.get(one, 7) + x * x * {1: 2.0, 2: 3.0}[True]


@pytest.mark.parametrize("function", CALLS)
def test_values_and_gradients(function):
    value, slope = value_and_grad(function)(1.5)
    assert value == function(1.5)
    want = (function(1.5 + 1e-6) - function(1.5 - 1e-6)) / 2e-6
    assert slope == pytest.approx(want)


def summed_along(x, rows):
    return np.outer(x, x).sum(tuple(rows[0]))


def test_items_of_lists_in_lists_that_decide_end():
    x = np.array([1.5, 0.7])
    assert grad(summed_along)(x, [[0, 1]] * 3) == pytest.approx([4.4, 4.4])
    with pytest.raises(UnsupportedError, match="isn't known before the program runs"):
        grad(summed_along)(x, [[0, 1] for _ in range(6)])
