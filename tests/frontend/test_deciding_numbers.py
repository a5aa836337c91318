"""Versions of functions by the floats that decide a branch."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import pytest

from s2sad import grad, hvp

KEPT = {"inlining": False}


def versions_in(text):
    """How many versions of what it calls a text has, and how many branches."""
    _, *called = re.findall(r"^def (\w+)", text, re.M)
    versions = [name for name in called if not name.endswith("_reverse")]
    return len(versions), len(re.findall(r"^ *(?:el)?if ", text, re.M))


def numeric(function, x, *others):
    return (function(x + 1e-6, *others) - function(x - 1e-6, *others)) / 2e-6


def leaky(x, slope):
    if slope > 0.0:
        y = x * math.sin(x) * slope
    elif slope < -1.0:
        y = x * x * slope
    else:
        y = math.cos(x)
    return y * x if abs(slope) > 3.0 else y


def of_two_slopes(x):
    return leaky(x, 0.0) * leaky(2.0 * x, 0.5) + leaky(0.3 * x, 0.0)


def of_a_slope_unknown_at_first(x, s):
    return leaky(x, s) * leaky(2.0 * x, 0.5) + leaky(0.3 * x, s)


def of_many_slopes(x):
    return (
        leaky(x, 0.0) + leaky(x, 0.5) + leaky(x, 0.7) + leaky(x, -2.0)
        + leaky(x, 5.0) + leaky(x, -5.0) + leaky(x, 0.1)
    )  # fmt: skip


def scaled(x, slope):
    return leaky(x, 2.0 * slope) * x


def of_slopes_handed_on(x):
    return scaled(x, 1.0) + scaled(2.0 * x, 1.0)


def until(x, tolerance):
    step = 1.0
    while step > tolerance:
        x = x + step * math.sin(x)
        step = 0.5 * step
    if x > tolerance:
        x = x * x
    return x


def of_tolerances(x):
    return until(x, 0.1) + until(x, 0.2)


def of_an_array(x, threshold):
    if threshold > 0.0:
        return np.where(x > threshold, x, 0.0)
    return x * x


def of_thresholds(x):
    return np.sum(of_an_array(x, 0.5) * of_an_array(x, -1.0))


def of_a_captured_slope(x):
    slope = 0.5

    def inner(y):
        if slope > 0.0:
            return y * math.sin(y)
        return math.cos(y)

    return inner(x) + inner(2.0 * x)


def of_a_captured_slope_that_changes(x):
    slope = 0.5

    def inner(y):
        if slope > 0.0:
            return y * math.sin(y)
        return math.cos(y)

    first = inner(x)
    slope = -0.5
    return first + inner(2.0 * x)


def signed(x, slope):
    if slope > 0.0:
        return x * x
    slope = slope + x
    if slope > 0.0:
        return x * x * x
    return math.copysign(1.0, slope) * math.sin(x)


def of_signs(x):
    return signed(x, 0.0) + signed(x, -0.0) + signed(x, 1.0) + signed(x, -5.0)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("function", "others", "versions", "branches"),
    [
        (of_two_slopes, (), 2, 0),
        (of_a_slope_unknown_at_first, (-0.3,), 2, 5),
        (of_a_slope_unknown_at_first, (4.0,), 2, 5),
        (of_many_slopes, (), 5, 5),
        (of_slopes_handed_on, (), 2, 0),
        (of_tolerances, (), 1, 2),
        (of_a_captured_slope, (), 1, 0),
        (of_a_captured_slope_that_changes, (), 2, 0),
        (of_signs, (), 4, 3),
    ],
)
def test_floats_that_decide_have_versions(function, others, versions, branches):
    gradient = grad(function, wrt="x", optimise=KEPT)
    text = gradient.source_for(0.7, *others)
    assert versions_in(text) == (versions, branches), text
    for x in (0.7, -0.4, 2.0):
        expected = numeric(function, x, *others)
        assert np.isclose(gradient(x, *others), expected, rtol=1e-6)


# ------------------------------------------------------- what else is passed


def with_its_slope(x, s):
    if s > 0.0:
        return x * s * x, s
    return x, s


def of_returned_slopes(x):
    a, s = with_its_slope(x, 0.5)
    b, t = with_its_slope(x, 0.5)
    c, u = with_its_slope(x, -1.0)
    return a * s + b * t * x + c * u


def of_a_dict(x, opts):
    if opts["slope"] > 0.0:
        return x * opts["slope"] * x
    return math.sin(x)


def of_dicts(x):
    return of_a_dict(x, {"slope": 0.5}) + of_a_dict(x, {"slope": -0.5})


@dataclass
class Slopes:
    slope: float
    w: float


def of_an_object(x, c):
    if c.slope > c.w:
        return x * x * c.slope
    return math.sin(x) * c.w


def of_objects(x):
    return (
        of_an_object(x, Slopes(0.5, 0.1))
        + of_an_object(2 * x, Slopes(0.5, 0.7))
        + of_an_object(3 * x, Slopes(0.5, 0.1))
    )


def noting(x, log, s):
    if s > 0.0:
        log.append(x * s)
    else:
        log.append(s)
    return x * x


def of_a_log(x):
    log = [0.5]
    t = noting(x, log, 0.5)
    t += noting(2 * x, log, 0.5)
    t += noting(2 * x, log, -0.5)
    return t * sum(log)


def of_a_list(x, ws):
    if ws[0] > 0.0:
        return x * ws[1] * x
    return x * x * x


def of_lists(x):
    return of_a_list(x, [0.5, x]) + of_a_list(x, [-0.5, x]) + of_a_list(x, [0.5, 2.0])


def checked(x, s):
    if s <= 0.0:
        raise ValueError("s")
    return math.log(x * x) * s


def of_checks(x):
    try:
        r = checked(x, -1.0)
    except ValueError:
        r = checked(x, 2.0)
    return r * x + checked(x, 2.0)


def by_default(x, s=1.0, t=0.0):
    if s > 0.5 or x > 100.0:
        if t > 0.0:
            return x * s
        return x * x * s
    return math.sin(x)


def of_defaults(x):
    return (
        by_default(x)
        + by_default(x, s=0.25)
        + by_default(x, t=2.0)
        + by_default(t=2.0, x=x)
    )


def made_inside(x, s):
    def inner(y):
        if s > 0.0:
            return y * y * s
        return y

    return inner(x) + inner(2 * x)


def of_functions_made(x):
    return made_inside(x, 0.5) + made_inside(x, -0.5) + made_inside(3 * x, 0.5)


def lowered(x, s):
    t = 0.0
    for i in range(3):
        if s > 0.0:
            t += x * i * s
        s = s - 1.0
        if s > 0.0:
            t += x * x
    return t


def of_lowered_slopes(x):
    return lowered(x, 1.5) + lowered(x, 0.5)


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "function",
    [
        of_returned_slopes,
        of_dicts,
        of_objects,
        of_a_log,
        of_lists,
        of_checks,
        of_defaults,
        of_functions_made,
        of_lowered_slopes,
    ],
)
def test_versions_give_the_derivative(function):
    gradient, x = grad(function, optimise=KEPT), 0.7
    assert np.isclose(gradient(x), numeric(function, x), rtol=1e-6)
    second = hvp(function, optimise=KEPT)(x, 1.0)
    assert np.isclose(second, numeric(grad(function), x), rtol=1e-6)


def test_second_derivatives_of_versions():
    product = hvp(of_two_slopes, wrt="x", optimise=KEPT)(0.7, 1.0)
    assert np.isclose(product, numeric(grad(of_two_slopes), 0.7), rtol=1e-6)


def test_thresholds_of_arrays_have_versions():
    x = np.array([0.2, 0.7, -1.0])
    gradient = grad(of_thresholds, optimise=KEPT)
    assert versions_in(gradient.source_for(x)) == (2, 0)
    np.testing.assert_allclose(gradient(x), np.where(x > 0.5, 3.0 * x * x, 0.0))


def test_what_a_branch_that_is_gone_does_is_not_refused():
    def noted(x, mode):
        if mode > 0.0:
            return float(str(x))
        return x * math.sin(x)

    def program(x):
        return noted(x, 0.0) + noted(2.0 * x, 0.0)

    gradient = grad(program, optimise=KEPT)
    assert versions_in(gradient.source_for(0.7)) == (1, 0)
    assert np.isclose(gradient(0.7), numeric(program, 0.7), rtol=1e-6)
