"""Handed buffers: reverse programs of recursions add into the adjoint of the caller."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.whole_programs import IMPORTS, assert_differentiated
from tests.fuzz.checking import load


def source_of(text, *arguments):
    program = load(IMPORTS + textwrap.dedent(text))["program"]
    return grad(program).source_for(*arguments)


HORNER = """
def horner(c, s):
    if len(c) == 0:
        return 0.0
    return c[0] + s * horner(c[1:], s)

def program(v, x):
    return horner(v, x) * horner(v[:2], v[1])
"""

HANDED = {
    "the rest of an array": HORNER,
    "the rest of a list": """
def horner(c, s):
    if not c:
        return 0.0
    first, *rest = c
    return first + s * horner(rest, s)

def program(v, x):
    c = [x * value for value in v]
    total = 0.0
    for k in range(3):
        total = total + horner(c, total + x) * v[k]
    return total
""",
    "halves": """
def tree(x):
    if len(x) == 1:
        return x[0]
    half = len(x) // 2
    return np.sin(tree(x[:half]) * tree(x[half:]))

def program(v, x):
    return tree(v * x) + tree(v)
""",
    "what the buffer starts with is no zeros": """
def squares(x):
    if len(x) < 2:
        return np.sum(x)
    return x[0] * squares(x[1:]) + np.sum(x**2)

def program(v):
    return squares(v * v)
""",
    "items by index": """
def tree(x, low, high):
    if high - low == 1:
        return x[low] ** 2
    half = (low + high) // 2
    return np.sin(tree(x, low, half)) + 0.5 * tree(x, half, high)

def program(v, x):
    return tree(v * x, 0, len(v)) + tree(v, 0, 2)
""",
    "items of two lists": """
def paired(x, y, low, high):
    if high - low == 1:
        return x[low] * y[low]
    half = (low + high) // 2
    return np.sin(paired(x, y, low, half)) + 0.5 * paired(y, x, half, high)

def program(v, x):
    others = [x * value for value in v]
    total = paired(list(v), others, 0, len(v))
    others.append(total)
    return total * others[0] + paired(others, others, 0, len(others))
""",
    "items of three lists, of which two change places": """
def weighed(a, b, c, i):
    if i >= len(a):
        return 1.0
    product = b[i] * c[i] * weighed(a, c, b, 2 * i + 2)
    return a[i] * weighed(a, b, c, 2 * i + 1) + product

def program(v, x):
    others = [x * value for value in v]
    return weighed(list(v), others, [np.sin(value) for value in v], 0)
""",
    "two arrays": """
def paired(x, y):
    if len(x) == 0:
        return 1.0
    return x[0] * y[0] + np.sin(paired(x[1:], y[1:])) * y[0]

def program(v, m):
    return paired(v, m[0]) + paired(m[0], m[1])
""",
    "one array as both": """
def paired(x, y):
    if len(x) == 0:
        return 1.0
    return x[0] * y[0] + np.sin(paired(x[1:], y[1:])) * y[0]

def program(v):
    return paired(v[:-1], v[1:]) * paired(v, v)
""",
    "the same part twice": """
def again(x, s):
    if len(x) == 0:
        return s
    return again(x[1:], x[0] * s) * again(x[1:], s) + x[0]

def program(v, x):
    return again(v, x)
""",
    "rows and columns": """
def minors(m):
    if len(m) == 1:
        return np.sum(m[0] ** 2)
    return m[0, 0] * minors(m[1:, 1:]) + minors(m[:1])

def last(v):
    if len(v) == 1:
        return v[0]
    return v[0] * last(v[1:])

def program(m):
    square = np.stack([m[0], m[1], m[0] * m[1]])
    return minors(square) + last(m[1]) * last(m[:, 0])
""",
    "backwards, in steps": """
def folded(x):
    if len(x) < 2:
        return 2.0
    return x[0] * folded(x[-2::-1]) + folded(x[::2])

def program(v, m):
    return folded(v) + folded(np.ravel(m))
""",
    "another function in between": """
def even(x):
    if len(x) == 0:
        return 1.0
    return x[0] * odd(x[1:])

def odd(x):
    if len(x) == 0:
        return 2.0
    return x[0] + even(x[1:])

def program(v):
    return even(v) + odd(v)
""",
    "within a branch": """
def signed(x, s):
    if len(x) == 0:
        return s
    if x[0] > 0.0:
        s = s * signed(x[1:], s)
    else:
        s = s - x[0]
    return s + x[0] ** 2

def program(v, x):
    return signed(v, x)
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", HANDED.values(), ids=list(HANDED))
def test_handed_on(text):
    assert_differentiated(text, range(3))


OTHERS = {
    "a sum that keeps its axis": """
def shrunk(x, n):
    if n == 0:
        return np.sum(x)
    return x[0] * shrunk(np.sum(x[1:], keepdims=True), n - 1)

def program(v):
    return shrunk(v, 1)
""",
    "a part that is computed with": """
def scaled(x):
    if len(x) == 0:
        return 1.0
    return x[0] + scaled(2.0 * x[1:]) * scaled(-x[1:])

def program(v):
    return scaled(v)
""",
    "arrays as results": """
def sorted_sums(x):
    if len(x) < 2:
        return x
    half = len(x) // 2
    a, b = sorted_sums(x[:half]), sorted_sums(x[half:])
    return np.concatenate([a * np.sum(b), b])

def program(v):
    return np.sum(sorted_sums(v) ** 2)
""",
    "another result is the same array": """
def added(a, c, b, d):
    return a + b, c + d

def program(v):
    a, s = added(1.0, v, 2.0, v)
    a, s = added(a, s, 1.0, v * 0.3)
    return np.sum(s) * a
""",
    "the result is the seed of the next": """
def settled(x, n):
    if n == 0:
        return x
    y = settled(x, n - 1)
    return x + 0.5 * np.sin(y) * y[0]

def program(v):
    y = v + settled(v, 2)
    return np.sum(y * settled(y, 1))
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", OTHERS.values(), ids=list(OTHERS))
def test_not_handed_on_or_with_care(text):
    assert_differentiated(text, range(3))


def test_an_adjoint_that_is_returned_twice_is_not_added_to_a_buffer():
    program = load(IMPORTS + OTHERS["another result is the same array"])["program"]
    gradient = grad(program, optimise={"inlining": False})(np.ones(2))
    np.testing.assert_allclose(gradient, [9.2, 9.2], rtol=1e-12)


def test_one_reverse_program_serves_all_calls():
    text = source_of(HORNER.replace(" * horner(v[:2], v[1])", ""), np.ones(3), 2.0)
    assert text.count("def ") == 3
    assert "horner_reverse(residuals, gradient * s, c_bar[1:])" in text
    assert "return None" not in text


def test_the_arrays_of_a_recursion_over_slices_are_made_once():
    text = source_of(HANDED["the rest of a list"], np.ones(3), 2.0)
    reverse = text[text.index("_reverse(residuals, gradient, c_bar):") :]
    assert "np.zeros" not in reverse and "c_bar[0] += gradient" in reverse


TWO_LISTS = """
def paired(x, y, low, high):
    if high - low == 1:
        return x[low] * y[low]
    half = (low + high) // 2
    return paired(x, y, low, half) + 0.5 * paired(x, y, half, high)

def program(v, x):
    return paired(v, [x * value for value in v], 0, len(v))
"""


@pytest.mark.parametrize("text", [HANDED["items by index"], TWO_LISTS])
def test_a_recursion_hands_on_what_it_is_handed(text):
    """With zeros for each call it took the square of their number."""
    emitted = source_of(text, np.ones(3), 2.0)
    reverse = emitted[emitted.rindex("\ndef ") :]
    assert "Pullback" in reverse and "np.zeros" not in reverse
    assert_differentiated(text, range(3))


def test_without_the_optimisation_adjoints_are_returned():
    program = load(IMPORTS + HORNER)["program"]
    arguments = (np.array([1.0, -2.0, 3.0]), 0.5)
    plain = grad(program, optimise={"destination_passing": False})
    assert "return c_bar" in plain.source_for(*arguments)
    assert np.allclose(plain(*arguments), grad(program)(*arguments))
