"""Calls that stay calls and give what they were given in a list, dict or object: it is
the caller's own, and changes with it."""

from collections import deque

import numpy as np
import pytest

from s2sad import value_and_grad


class Box:
    def __init__(self, held):
        self.held = held


def in_a_list(r, n):
    return [r]


def in_a_list_twice(r, n):
    return [r, r]


def beside_a_number(r, n):
    return [r, 1.0]


def beside_a_copy(r, n):
    return [r, r.copy()]


def appended(r, n):
    found = []
    found.append(r)
    return found


def repeated(r, n):
    return [r] * 2


def in_a_comprehension(r, n):
    return [r for _ in range(2)]


def in_a_long_comprehension(r, n):
    return [r for _ in range(n)]


def appended_often(r, n):
    found = []
    for _ in range(n):
        found.append(r)
    return found


def in_a_deque(r, n):
    return deque([r])


def in_a_dict(r, n):
    return {0: r}


def in_a_dict_later(r, n):
    found = {}
    found[0] = r
    return found


def deeper(r, n):
    inner = [r]
    return [inner[0], inner]


def in_a_slice(r, n):
    found = [1.0, 2.0]
    found[:1] = [r]
    return found


def of_two_calls(r, n):
    return in_a_list(r, n) + in_a_list(r, n)


def through_a_box(r, n):
    return [Box(r).held]


def on_one_path(r, n):
    return [r] if n > 1 else [r, r]


HELPERS = [
    *(in_a_list, in_a_list_twice, beside_a_number, beside_a_copy, appended, repeated),
    *(in_a_comprehension, in_a_long_comprehension, appended_often, in_a_deque),
    *(in_a_dict, in_a_dict_later, deeper, in_a_slice, of_two_calls, through_a_box),
    on_one_path,
]


def changed_there(helper):
    def f(x, n):
        r = [1.0 * x[0], 2.0]
        h = helper(r, n)
        h[0][0] = x[0] * x[1]
        return r[0] * x[2] + r[1]

    return f


def changed_here(helper):
    def f(x, n):
        r = [1.0 * x[0], 2.0]
        h = helper(r, n)
        r[0] = x[0] * x[1]
        return h[0][0] * x[2] + h[0][1]

    return f


def grown_there(helper):
    def f(x, n):
        r = [1.0 * x[0], 2.0]
        h = helper(r, n)
        h[0].append(x[0] * x[1])
        return sum(r) * x[2]

    return f


def changed_by_another_call(helper):
    def scale(row, by):
        row[0] *= by

    def f(x, n):
        r = [1.0 * x[0], 2.0]
        h = helper(r, n)
        scale(h[0], x[1])
        scale(r, x[2])
        return h[0][0] + r[0] * r[1]

    return f


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [2, 7])
@pytest.mark.parametrize("helper", HELPERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "program", [changed_there, changed_here, grown_there, changed_by_another_call]
)
def test_it_is_the_callers_own(program, helper, n):
    f, x = program(helper), np.array([0.7, 0.4, 1.3])
    value, gradient = value_and_grad(f, optimise={"inlining": False})(x, n)
    assert value == pytest.approx(f(x, n), rel=1e-14)
    step = 1e-6 * np.eye(3)
    differences = [(f(x + h, n) - f(x - h, n)) / 2e-6 for h in step]
    np.testing.assert_allclose(gradient, differences, rtol=1e-6, atol=1e-8)
