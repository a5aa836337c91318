"""Branches under one condition: one with which a function ends, and its reverse."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad, hvp, value_and_grad

OFF = {"joined_branches": False}


def of_an_end(x, d):
    if x < d:
        q = x * x * d
        y = q * q + x
    else:
        y = d * math.sin(x)
    return y


def of_several(x, d):
    if x < 2.0 * d:
        if x < d:
            y = x * d * x
        else:
            y = math.exp(x * d)
    else:
        y = d * x
    return y


def of_a_changed_name(x, d):
    if x < d:
        x = x * x
        x = x * d
    else:
        x = math.sin(x)
    return x


def of_a_changed_test(x, d):
    low = x < d
    y = d
    if low:
        low = x > 0.5 * d
        y = x * x * d
    if low:
        y = y * x
    return y


def of_a_loop(x, d):
    y = x
    for k in range(4):
        if y < d + 0.1 * k:
            y = y * y + x
        else:
            y = y * d
    return y


def of_a_list(x, d):
    kept = []
    if x < d:
        for k in range(3):
            kept.append(x * k)
            x = x * x + d
        y = sum(kept) + x
    else:
        y = d * x
    return y


def of_an_array(x, d):
    a = np.zeros(2)
    if x < d:
        a[0] = x * x
        a[0] = a[0] * d
    else:
        a[1] = d * x
    return np.sum(a * a)


PROGRAMS = [
    *(of_an_end, of_several, of_a_changed_name, of_a_changed_test),
    *(of_a_loop, of_a_list, of_an_array),
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_they_give_the_derivative(function):
    h = 1e-6
    for x, d in ((0.3, 0.4), (0.7, 0.4), (0.9, 0.4)):
        expected = [
            (function(x + h, d) - function(x - h, d)) / (2 * h),
            (function(x, d + h) - function(x, d - h)) / (2 * h),
        ]
        for optimise in (None, OFF):
            value, found = value_and_grad(function, (0, 1), optimise=optimise)(x, d)
            assert np.isclose(value, function(x, d))
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8)
        product = hvp(function, (0, 1))(x, d, (0.4, 0.3))
        unjoined = hvp(function, (0, 1), optimise=OFF)(x, d, (0.4, 0.3))
        np.testing.assert_allclose(product, unjoined, rtol=1e-12)


def test_a_branch_at_the_end_is_one():
    text = value_and_grad(of_an_end, (0, 1)).source_for(0.3, 0.4)
    assert text.count("    if ") == 1 and "condition" not in text
    text = value_and_grad(of_an_end, (0, 1), optimise=OFF).source_for(0.3, 0.4)
    assert text.count("if condition:") == 2


def test_what_lies_between_stays_there():
    def between(x, d):
        if x < d:
            y = x * x
        else:
            y = x * d
        z = math.sin(y)
        return z * y

    text = grad(between, (0, 1)).source_for(0.3, 0.4)
    assert text.count("if condition:") == 2
