"""Try statements around lines of which some can't raise: what such lines assign, the
handlers may go on with."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.whole_programs import assert_differentiated

CASES = {
    "hoisted": """
def program(x, y):
    a = x
    try:
        a = 2.0 * a
        b = math.log(a)
    except ValueError:
        b = a * y
    return a * b
""",
    "sunk": """
def program(x, y):
    t = y
    try:
        b = math.log(x)
        t = t + b * y
        t = t * 2.0
    except ValueError:
        t = t * t
    return t * x
""",
    "both in a loop": """
def program(x, y):
    t = y
    n = 0
    for i in range(3):
        try:
            n += 1
            x = x * 0.7 - 0.2
            b = math.sqrt(x)
            t = t + b * y
        except ValueError:
            t = t * x + n
    return t * x
""",
    "with finally and else": """
def program(x, y):
    t = y
    try:
        t = t * x
        b = 1.0 / math.sqrt(x)
        t = t - y
    except ValueError:
        b = t
        t = t * 3.0
    else:
        t = t * b
    finally:
        x = x * t
    return t * x + b
""",
    "branch in front": """
def program(x, y):
    t = y
    try:
        if y > 0:
            t = t * x
        else:
            x = x * 2.0
        b = math.log(x)
    except ValueError:
        b = t * x
    return t * x + b
""",
    "jump": """
def f(x, y):
    for i in range(3):
        try:
            x = x * y
            b = math.sqrt(x)
            if b > 0.3:
                continue
            break
        except ValueError:
            return x * y
    return x + y
def program(x, y):
    return f(x, y) * f(y, x)
""",
    "ints": """
def program(x, y, k):
    n = k
    try:
        n = n + 2
        b = math.log(x) * n
        n = n * 3
    except ValueError:
        b = x * n
    return b * n * y
""",
    "counting attempts": """
def program(v, x):
    ok, bad = 0, 0
    t = x
    for a in v:
        try:
            r = math.sqrt(a)
            ok += 1
        except ValueError:
            bad += 1
            r = a
        t = t * x + r
    return t * (ok + 2 * bad)
""",
    "zero division": """
def program(x, y, k):
    t = 1.0
    for i in range(3):
        try:
            t = t * x
            q = y / (i - k)
            t = t + q
        except ZeroDivisionError:
            t = t * y
    return t
""",
    "reraise": """
def f(x, y):
    try:
        x = x * y
        z = math.log(x)
    except ValueError:
        if x < -5:
            raise
        z = x * x
    return z + x
def program(x, y):
    return f(x, y)
""",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", CASES.values(), ids=list(CASES))
def test_differentiated(text):
    assert_differentiated(text, range(6))


def numpy_number(x):
    y = np.float64(x)
    try:
        y = y * y
        z = 1.0 / float(y)
    except (FloatingPointError, ZeroDivisionError):
        z = y
    return z


def large(x, n):
    try:
        x = x * n
        y = 1.0 / x
    except (OverflowError, ZeroDivisionError):
        y = x
    return y


def test_a_numpy_number_raises_under_errstate():
    assert grad(numpy_number)(2.0) == pytest.approx(-0.25)
    assert grad(numpy_number)(0.0) == 0.0
    with np.errstate(over="raise"):
        assert grad(numpy_number)(1e200) == 1.0


def test_an_int_may_be_too_large_for_a_float():
    assert grad(large)(2.0, 4) == pytest.approx(-0.0625)
    assert grad(large)(0.0, 4) == 4.0
    assert grad(large)(2.0, 10**400) == 1.0
