"""Values that are kept together are on one stack, unless they change in between."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad, hvp, value_and_grad, vjp
from s2sad.testing import check_grads
from tests.support.finite_differences import assert_trees_close

OFF = {"joint_stacks": False}


def several(x, y):
    a, b, c = x, y, x * y
    for k in range(4):
        d = math.exp(-a * b) + c
        e = math.sin(d * b)
        a, b, c = a * e + 0.1, b * d * 0.5, math.tanh(c * a) + k
    return a * b * c


def arrays_and_numbers(x, y):
    a, b, s = np.array([x, y]), np.array([1.0, x]), y
    for _ in range(3):
        c = np.tanh(a * s)
        d = np.exp(-b * s)
        s = s * math.sin(s * s) + np.sum(c * d)
        a = a * c + d * b
        b = b * d * a
    return np.sum(a * b) * s


def left_early(x, y):
    a, b, total = x, y, 0.0
    while True:
        c, d = math.exp(a * b), math.sin(a + b)
        e = math.sqrt(c + 1.0) * d
        if e > 20.0 or total > 5.0:
            break
        total = total + c * d * e
        a, b = a * 1.1 + 0.1 * e, b * d + 0.2
    return total * a * b


def in_branches(x, y):
    a, b = x, y
    for k in range(5):
        if k % 2:
            c, d = math.exp(a * b), math.sin(a - b)
            e = math.tanh(c * d) * c
            a, b = a * e + d, b * c
        else:
            a = a * b
    return a * b


JOINT = (several, arrays_and_numbers, left_early, in_branches)


def with_a_handler(x, y):
    a, b, c = x, y, x * y
    for k in range(3):
        d = math.exp(-a * b) + c
        e = math.sin(d * b)
        try:
            c = math.tanh(c * a) / (k - 1)
        except ZeroDivisionError:
            c = c * a
        a, b = a * e + 0.1, b * d * 0.5
    return a * b * c


@pytest.mark.sampled(8)
@pytest.mark.parametrize("function", (*JOINT, with_a_handler))
def test_one_stack_for_several_values(function):
    text = grad(function, (0, 1)).source_for(0.6, 0.8)
    plain = grad(function, (0, 1), optimise=OFF)
    assert "kept" not in plain.source_for(0.6, 0.8)
    assert ("kept = []" in text) == (function in JOINT)
    value, found = value_and_grad(function, (0, 1))(0.6, 0.8)
    assert value == function(0.6, 0.8)
    assert_trees_close(found, plain(0.6, 0.8), rtol=1e-14)
    assert_trees_close(vjp(function, 0.6, 0.8)[1](1.0), found, rtol=1e-14)
    twice = hvp(function)(0.6, 0.8, 1.0)
    assert_trees_close(twice, hvp(function, optimise=OFF)(0.6, 0.8, 1.0), rtol=1e-13)
    assert check_grads(function, (0.6, 0.8), wrt=(0, 1)).passed
