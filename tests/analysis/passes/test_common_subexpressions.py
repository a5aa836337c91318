"""Repeated calls: what rules call twice with the same numbers is called once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from s2sad import grad, value_and_grad
from s2sad.testing import check_grads
from tests.frontend.whole_programs import assert_differentiated


def test_the_same_argument():
    def f(a, b):
        return math.lgamma(a) * math.lgamma(a + b) - math.lgamma(b + a) + math.lgamma(a)

    text = grad(f).source_for(2.0, 3.0)
    # a + b and b + a are two sums.
    assert text.count("digamma(") == 3
    expected = (math.lgamma(5.0) + 1.0) * special.digamma(2.0)
    expected += (math.lgamma(2.0) - 1.0) * special.digamma(5.0)
    np.testing.assert_allclose(grad(f)(2.0, 3.0), expected)


def test_of_what_was_computed_the_same_way():
    def f(a, b):
        c = a + b
        d = a + b
        return math.lgamma(c) + a * math.lgamma(d)

    assert grad(f).source_for(2.0, 3.0).count("digamma(") == 1


def test_a_call_of_the_program_itself():
    def f(x):
        return math.sin(x) * math.cos(x)

    text = value_and_grad(f).source_for(2.0)
    # Once in the code, once in the comment.
    assert text.count("sin(") == text.count("cos(") == 2


def drifted(s, r, t, sigma):
    d = (math.log(s) + (r - 0.5 * sigma**2) * t) / (sigma * math.sqrt(t))
    end = math.exp((r - 0.5 * sigma**2) * t + sigma * math.sqrt(t) * d)
    return end * math.exp(-r * t) - d * math.exp(-r * t) / (1.0 + r * t)


def test_parts_of_expressions():
    arguments = 1.2, 0.3, 0.9, 0.4
    text = grad(drifted, (0, 1, 2, 3)).source_for(*arguments)
    code = "\n".join(line for line in text.splitlines() if "# " not in line)
    assert code.count("math.sqrt(t)") == code.count("math.exp(-r * t)") == 1
    assert code.count("0.5 * sigma**2") == 1
    assert "product" not in code.partition("1.0 + r * t")[0].partition("r * t")[2]
    check_grads(drifted, arguments)


def test_arithmetic_that_has_a_name_is_shared():
    def weighted(x, y):
        u = (x - y * y) * math.sin(x)
        v = (x - y * y) * y
        return u * v

    text = grad(weighted, (0, 1)).source_for(1.2, 0.4)
    code = "\n".join(line for line in text.splitlines() if "# " not in line)
    assert code.count("x - y * y") == 1
    check_grads(weighted, (1.2, 0.4))


CHANGING = {
    "in the test of a loop": """
def program(x, y, k):
    total = math.exp(-y)
    while math.exp(x) * k < 5.0:
        total = total + math.exp(x) * math.exp(-y)
        x = x + 0.3
        k = k + 1
    return total * math.exp(x) + math.exp(-y)
""",
    "an argument of arithmetic changed in between": """
def program(x, y):
    a = (x - y * y) * math.sin(x - y * y) / math.sqrt(2.0 + x * y)
    x = x + y * y
    b = (x - y * y) * math.sin(x - y * y) / math.sqrt(2.0 + x * y)
    for i in range(2):
        b = b * (x - y * y) * math.sin(x - y * y) / math.sqrt(2.0 + x * y)
        y = 0.5 * y
    return a * b + (x - y * y) * math.cos(x - y * y) / math.sqrt(2.0 + x * y)
""",
    "an argument changed in between": """
def program(x, y):
    a = math.sqrt(x * x + 1.0)
    x = x + y * y
    return a * math.sin(x * x + 1.0) * math.sqrt(x * x + 1.0) * math.sin(x * x + 1.0)
""",
    "in one branch": """
def program(x, y):
    total = math.cosh(x) * y
    if y > 0.0:
        total = total * math.cosh(x)
        x = x * y
    return total + math.cosh(x) * math.cosh(x)
""",
    "in a loop": """
def program(x, y, k):
    total = y
    for i in range(k + 1):
        total = math.sin(x) * total + math.sin(x * y)
        if i == 1:
            x = x * y
        total = total + math.sin(x) * math.cos(x)
    return total * math.sin(x)
""",
    "of an element that is written into": """
def program(v, x):
    w = v * x
    total = math.tanh(w[0])
    w[0] = w[0] * x
    total = total * math.tanh(w[0]) + math.tanh(w[0])
    return total
""",
    "behind an exception": """
def program(x, y):
    try:
        z = math.log(y) * math.sin(x)
    except ValueError:
        z = math.sin(x) * math.sin(x)
    return z * math.sin(x)
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", CHANGING.values(), ids=list(CHANGING))
def test_only_while_nothing_changes(text):
    assert_differentiated(text, range(4))


def rate(state, theta):
    x, y = state
    a, b = theta
    return np.array([a * x - b * x * y, b * y])


def stepped(theta, state):
    for _ in range(3):
        half = state + 0.5 * rate(state, theta)
        state = state + rate(half, theta)
    return np.sum(state)


def changed_between(theta, state):
    theta = theta.copy()
    first = rate(state, theta)
    theta[0] *= 2.0
    return np.sum(first * rate(first, theta))


@pytest.mark.written_out
def test_lines_of_a_function_that_is_written_out_twice():
    theta, state = np.array([0.3, 0.1]), np.array([1.0, 0.5])
    text = grad(stepped).source_for(theta, state)
    forward = text.partition("# for ")[0]
    assert forward.count(" = theta\n") == 1
    assert forward.count(" = state\n") == forward.count(" = half\n") == 1
    assert "theta[" not in forward
    with pytest.raises(ValueError, match="unpack"):
        grad(stepped)(np.ones(3), state)
    check_grads(stepped, (theta, state))


def test_an_array_that_changes_between_them():
    theta, state = np.array([0.3, 0.1]), np.array([1.0, 0.5])
    text = grad(changed_between).source_for(theta, state)
    assert text.count("theta[0]") > 1
    check_grads(changed_between, (theta, state))
