"""Functions that call themselves, as pairs of programs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import grad, hvp, vjp
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated
from tests.fuzz.checking import load

PROGRAMS = {
    "versions for several kinds that call each other": """
        def folded(x, v, n):
            if n <= 0:
                return x
            if x:
                x = x - np.sum(x * v)
            first = folded(0.8 * np.sum(x * v), np.tanh(v), n - 1) * 0.4
            return first - folded(np.abs(1), v, n - 2) * v.max()

        def program(x, v, k):
            x += folded(float(x), np.zeros_like(v) + x, abs(k) % 4)
            return np.sum(v) * folded(np.sum(v), v, abs(k) % 4 + 1) + folded(x, v, 2)
    """,
    "one of two has no path of its own": """
        def even(x, n):
            return odd(0.5 * x, n - 1) * x

        def odd(x, n):
            return np.sin(x) if n <= 0 else even(x + 0.1, n - 1)

        def program(x, y, k):
            return even(x, abs(k)) + odd(y, abs(k)) * even(y, 2)
    """,
    "three that call each other": """
        def a(x, n):
            return b(x * 0.9, n - 1) + 1.0

        def b(x, n):
            return c(x, n - 1) * x if n > 0 else x * x

        def c(x, n):
            return a(x, n - 1) - b(np.cos(x), n - 2)

        def program(x, y, k):
            return c(x, abs(k) + 2) + a(y, 3) * b(x, 1)
    """,
    "calls that bind parameters in other orders": """
        def series(x, n, *, low=1.0, **more):
            if n <= 0:
                return low * x + more["up"] * x * x
            if n % 2:
                return np.sin(series(x, n - 1, up=more["up"], low=low + 1.0))
            return series(x, n - 1, up=more["up"] * low)

        def program(x, y, k):
            return series(x, abs(k) + 2, up=y, low=x * y)
    """,
    "a list is read between calls that change it": """
        def logged(x, n, log):
            if n <= 0:
                log.append(x)
                return x
            log.append(x * n)
            return x * logged(0.5 * x, n - 1, log)

        def program(x, y, k):
            log = []
            first = logged(x, abs(k) + 1, log) * sum(log)
            return first + logged(y, 1, log) * log[-1]
    """,
    "an array is read between calls that change it": """
        def halved(v, n):
            if n <= 0:
                return np.sum(v * v)
            v[n % 3] = v[n % 3] * v[0]
            return halved(v, n - 1)

        def program(x, v, k):
            w = np.sin(v) * x
            once = halved(w, abs(k) % 3 + 1)
            total = np.sum(w**2)
            return total * halved(w, 2) + once * w[1]
    """,
    "keywords in a dict that changes": """
        def scaled(x, n, **words):
            words["b"] = words.get("b", 1.0) * 3.0
            words.setdefault("c", 0.5)
            if n <= 0:
                return x * words["b"] * words["c"]
            return np.sin(scaled(x, n - 1, b=words["b"])) * words["b"]

        def program(x, y, k):
            return scaled(x, abs(k)) * scaled(y, abs(k), b=x, c=y)
    """,
    "a list is returned twice": """
        def made(x, n):
            y = made(x * 1.5, n - 1)[0][0] if n > 0 else x
            items = [y]
            items.append(x * x)
            return items, items

        def program(x, y, k):
            one, other = made(x, abs(k))
            one.append(y)
            return sum(other) * len(other)
    """,
    "an object is returned beside a list that it holds": """
        class Box:
            def __init__(self, value, log):
                self.value = value
                self.log = log

        def made(x, n):
            y = made(x * 1.5, n - 1)[0].value if n > 0 else x
            log = [y]
            return Box(y * 2.0, log), log

        def program(x, y, k):
            box, log = made(x, abs(k))
            box.log.append(y)
            box.value = box.value * x
            return sum(log) * box.value
    """,
    "on a number": """
        def power(x, n):
            if n == 0:
                return 1.0
            return x * power(x * 0.9, n - 1)

        def program(x, y, k):
            return power(x, k + 2) + y * power(x * y, 2)
    """,
    "the program itself": """
        def program(x, y, k):
            if k <= 0:
                return x * y
            return math.sin(x) * program(x * y, y + 0.1, k - 1) + x
    """,
    "mutual": """
        def even(x, n):
            if n == 0:
                return x
            return odd(x * 1.1, n - 1)

        def odd(x, n):
            if n == 0:
                return x * x
            return even(np.sin(x), n - 1)

        def program(x, y, k):
            return even(x, k + 1) * odd(y, k)
    """,
    "on slices": """
        def fold(v):
            if len(v) <= 1:
                return np.sum(v * v)
            m = len(v) // 2
            return fold(v[:m]) * 0.5 + fold(v[m:]) * np.sin(fold(v[:1]))

        def program(x, v):
            return fold(np.concatenate((v, x * v)))
    """,
    "arrays in, two arrays out": """
        def transform(re, im):
            n = len(re)
            if n == 1:
                return re, im
            a, b = transform(re[::2], im[::2])
            c, d = transform(re[1::2], im[1::2])
            angle = 2.0 * np.pi * np.arange(n // 2) / n
            p = np.cos(angle) * c + np.sin(angle) * d
            q = np.cos(angle) * d - np.sin(angle) * c
            return np.concatenate((a + p, a - p)), np.concatenate((b + q, b - q))

        def program(x, v):
            signal = np.concatenate((v, x * v[:1]))
            re, im = transform(signal, 0.0 * signal)
            return np.sum((re ** 2 + im ** 2) * np.arange(4))
    """,
    "a function is passed along": """
        def integral(f, a, b, depth):
            middle = 0.5 * (a + b)
            if depth == 0:
                return (b - a) * f(middle)
            return integral(f, a, middle, depth - 1) + integral(f, middle, b, depth - 1)

        def program(x, y, k):
            return integral(lambda t: math.exp(-x * t * t) * y, 0.0, 1.0 + x * x, 2)
    """,
    "nested, reads variables around it": """
        def program(x, y, k):
            scale = x * y

            def go(t, n):
                if n == 0:
                    return t * scale
                return go(t * scale + n, n - 1)

            return go(y, k) * x
    """,
    "over the structure of a tuple": """
        def total(tree):
            if isinstance(tree, tuple):
                return total(tree[0]) * total(tree[1])
            return np.sin(tree)

        def program(x, y):
            return total(((x, y), (x * y, (y, 0.3))))
    """,
    "in loops and branches": """
        def power(x, n):
            total = x
            for i in range(n):
                if total > 3.0:
                    return total
                total = total + power(x * 0.5, i)
            return total

        def program(x, y, k):
            s = y
            for i in range(3):
                s = s + power(x, i) * 0.1
                if s > 4.0:
                    break
            return s * x
    """,
    "floats of Python's and of NumPy's": """
        def rooted(x, y, n):
            if n <= 0:
                return np.sqrt(x) / (1.0 + y)
            return rooted(np.exp(x), 0.5, n - 1) - rooted(x * 1.1, y * x, n - 2) / 3.0

        def filled(items, low, high, x):
            if high - low == 1:
                items[low] = items[low] / x
                return
            middle = (low + high) // 2
            filled(items, low, middle, np.exp(x) + 1.0)
            filled(items, middle, high, x * 1.1)

        def program(x, y, k):
            x, items = float(x) + 3.0, [y] * 6
            filled(items, 0, 6, x)
            for item in items:
                y = y * x + item
            return y + rooted(x, x, k) + rooted(x, np.exp(y), k)
    """,
    "lists that hold nothing at first": """
        def collected(items, v, low, high):
            if high - low == 1:
                items.append(v[low] * (items[-1] if items else 1.5))
                return
            middle = (low + high) // 2
            collected(items, v, low, middle)
            collected(items, v, middle, high)

        def program(x, v, k):
            items = []
            collected(items, v * x, 0, len(v))
            return sum(items)
    """,
    "structures as arguments and results": """
        def advance(state, n):
            if n == 0:
                return state
            p, q = state
            return advance((p + 0.1 * q, q - 0.1 * np.sin(p)), n - 1)

        def program(x, y, k):
            p, q = advance((x, y), k + 2)
            return p * p + p * q
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_recursion_is_differentiated(text):
    assert_differentiated(text, range(8))


def factorial(x, n):
    if n == 0:
        return 1.0
    return x * factorial(x - 1.0, n - 1)


def test_the_pair_can_be_read():
    text = grad(factorial, optimise={"preaccumulation": False}).source_for(5.0, 3)
    assert "def factorial_forward(x, n):" in text
    assert "def factorial_reverse(residuals, gradient):" in text


def scaled(values, low, high, x):
    if high - low == 1:
        values[low] = values[low] * x
        return
    middle = (low + high) // 2
    scaled(values, low, middle, np.sin(x))
    scaled(values, middle, high, x * 1.1)


def of_an_array(x, n):
    values = np.ones(n)
    scaled(values, 0, n, x)
    return np.sum(values)


def of_a_list(x, n):
    values = [1.0] * n
    scaled(values, 0, n, x)
    return sum(values)


@pytest.mark.parametrize("function", [of_an_array, of_a_list])
def test_a_procedure_that_returns_nothing_has_no_result(function):
    """And one version: which floats are Python's, and which NumPy's, is no matter."""
    gradient, h = grad(function), 1e-6
    text = gradient.source_for(0.5, 8)
    assert "None" not in text
    assert "return values, (condition," in text.replace("values_2", "values")
    assert text.count("def ") == 3
    assert "None" not in hvp(function).source_for(0.5, 8, 1.0)
    by_differences = (function(0.5 + h, 8) - function(0.5 - h, 8)) / (2 * h)
    assert gradient(0.5, 8) == pytest.approx(by_differences, rel=1e-6)


def root(x, n):
    return x**0.5 if n == 0 else root(x * 1.0, n - 1)


def test_what_is_made_for_numbers_of_numpys_takes_no_others():
    """The derivative at zero is inf for both; a power of Python's would raise."""

    def program(x, y):
        return root(np.sin(y), 1) + root(x if y > 0.5 else np.cos(x), 1)

    with np.errstate(divide="ignore"):
        assert grad(program)(0.0, 1.0) == np.inf


def test_a_pullback_through_a_recursion_may_be_called_again():
    value, pullback = vjp(lambda x: factorial(x, 3), 5.0)
    assert value == 60.0
    assert pullback(1.0) == pullback(1.0) == (47.0,)


def test_residuals_share_no_memory_with_arguments():
    def product(v):
        if len(v) == 1:
            return v[0]
        return v[0] * product(v[1:])

    v = np.array([2.0, 3.0, 4.0])
    _, pullback = vjp(product, v)
    v[:] = 0.0
    np.testing.assert_array_equal(pullback(1.0)[0], [12.0, 8.0, 6.0])


def test_a_recursion_without_end_is_refused():
    def forever(x):
        return forever(x * 0.5)

    with pytest.raises(UnsupportedError, match="on every path"):
        grad(forever)(1.0)


@pytest.mark.parametrize(
    "made, used",
    [
        ("tone", "made(0.5)"),
        ("functools.partial(tone, 0.5)", "made()"),
        ("[tone]", "made[0](0.5)"),
        ("changed", "made[0](0.5)"),
    ],
)
def test_a_function_that_was_made_inside_is_returned(made, used):
    """It reads variables of the recursion, not those of the caller that have the same
    names."""
    text = f"""
import functools
import math

def make(k, n):
    if n > 0:
        k = 2.0 * k
        make(k, n - 1)
    def tone(t):
        return math.sin(k * t)
    changed = []
    changed.append(tone)
    return {made}

def program(k, n):
    made = make(3.0 * k, n)
    return k * {used}
"""
    assert_is_right(load(text)["program"], 0.3, 2)


def assert_is_right(program, x, *others):
    h = 1e-6
    expected = (program(x + h, *others) - program(x - h, *others)) / (2 * h)
    assert grad(program)(x, *others) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n", [2, 20])
def test_a_function_that_was_made_on_one_path_is_returned(n):
    def made(x, n):
        if n == 0:
            return lambda v: v * x
        return made(x * x + 0.1, n - 1)

    assert_is_right(lambda x, n: made(x, n)(x), 0.3, n)


def test_a_deque_that_drops_items_is_returned():
    """It drops them outside, too: it was a list there."""
    text = """
from collections import deque

def made(x, n):
    y = made(x * 1.5, n - 1)[0] if n > 0 else x
    items = deque([y], maxlen=2)
    items.append(x * x)
    return items

def program(x, n):
    items = made(x, n)
    items.append(x)
    return sum(items) * len(items)
"""
    assert_is_right(load(text)["program"], 0.3, 2)


def test_math_functions_inside_stay_exact():
    def nested(x, n):
        return x if n == 0 else math.sqrt(2.0 + nested(x, n - 1))

    h = 1e-6
    expected = (nested(1.0 + h, 5) - nested(1.0 - h, 5)) / (2 * h)
    assert grad(nested)(1.0, 5) == pytest.approx(expected, rel=1e-6)


def test_a_parameter_without_tangent_gets_one_where_it_is_overwritten():
    assert_differentiated(
        """
        def first(x, v, n):
            return second(np.ones(2).sum(), v, n)

        def second(x, v, n):
            for _ in range(n):
                x = first(x, v, n - 1) * v[0]
            return x + v[1]

        def program(x, v, k):
            return first(x, v, k)
        """,
        range(4),
    )


def test_what_is_refused_in_a_recursion_is_reported_at_each_call():
    def changed(v, n):
        if n <= 0:
            return 0.5
        v[1] += np.roots(v)[0]
        return changed(v, n - 2)

    def program(v):
        if all(changed(v, 0.5) for _ in v):
            pass
        return np.sum(v)

    with pytest.raises(UnsupportedError, match="is stored into an array"):
        grad(program)(np.ones(3))


def test_a_problem_is_reported_though_its_value_is_written_into():
    """What is refused has no kind, and ``x += 0.5`` may write into it."""

    def inner(x, v, n):
        if n <= 0:
            return 0.5
        if v[0] > 0.0:
            y = undefined  # noqa: F821
        else:
            x += 0.5
        return inner(y, v, 0.5)

    def program(x, v):
        return x if x > 0.0 else inner(0.5, v, 3)

    with pytest.raises(UnsupportedError, match="undefined"):
        vjp(program, 0.5, np.ones(3))
