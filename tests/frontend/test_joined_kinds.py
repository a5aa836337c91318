"""Names that hold a number on one path, and None, a whole number or an array on
another."""

from __future__ import annotations

import math
import textwrap

import numpy as np
import pytest

from s2sad import grad, jvp, value_and_grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "previous value": """
        def program(x, y, k):
            previous = None
            total = 0.0
            for i in range(k + 2):
                h = x * (i + 1) + y
                if previous is not None:
                    total += (h - previous) ** 2
                previous = h * x
            return total * y
    """,
    "previous value of an array": """
        def program(v):
            previous = None
            total = 0.0
            for h in v:
                if previous is None:
                    total = total + h
                else:
                    total += h * previous
                previous = h * h
            return total * previous
    """,
    "previous array": """
        def program(v, k):
            previous = None
            total = 0.0
            for i in range(k + 2):
                h = np.sin(v * (i + 1))
                if previous is not None:
                    total += np.sum((h - previous) ** 2)
                previous = h * v
            return total
    """,
    "largest so far": """
        def program(v, k):
            best = None
            for i in range(k + 1):
                h = np.sin(v * i + 0.5)
                if best is None or np.sum(h) > np.sum(best):
                    best = h
            return np.sum(best * v)
    """,
    "smallest number so far": """
        def program(x, y, k):
            best = None
            for i in range(k + 1):
                h = x * i * i - y * i
                if best is None or not h > best:
                    best = h
            return best * x if best is not None else y
    """,
    "first value kept": """
        def program(x, y, k):
            first = None
            for i in range(k):
                x = x * y
                if first is None:
                    first = x
            if first is None:
                return y
            return first * first + x
    """,
    "first value, with an initial one": """
        def program(x, y, k):
            state = None
            for i in range(k):
                if state is None:
                    state = x
                state = state * y + 0.1
            return 1.5 * y if state is None else state
    """,
    "both conditions": """
        def program(x, y, k):
            a = x * y if k > 0 else None
            b = y * y if k < 3 else None
            total = x
            if a is not None and b is not None and a > b:
                total = total * a * b
            elif not (a is None or x < 0.0):
                total = total + a
            return total
    """,
    "guard before": """
        def program(x, y, k):
            a = x * y if k < 9 else None
            if a is None:
                raise ValueError
            return a * a
    """,
    "truth of what may be None": """
        def program(x, y, k):
            a = x * y if k > 1 else None
            b = a or y
            if a:
                b = b * a
            return b * x
    """,
    "passed on": """
        def scaled(x, scale):
            if scale is None:
                return x * x
            return x * scale

        def program(x, y, k):
            s = y * y if k > 1 else None
            return scaled(x, s) * scaled(y, None) + scaled(x, y)
    """,
    "counted": """
        def program(x, y, k):
            where = None
            for i in range(k + 1):
                x = x + y
                if where is None and x * x > 1.0:
                    where = i + 1
            return x * y if where is None else x * where
    """,
    "inside a loop inside a branch": """
        def program(x, y, k):
            previous = None
            for i in range(k):
                if x < 10.0:
                    for j in range(2):
                        if previous is not None:
                            x = x + 0.1 * previous * y
                        previous = x * y
                if i == 1:
                    previous = None
            return x if previous is None else x * previous
    """,
    "number and array": """
        def program(x, v, k):
            y = x
            if k > 1:
                y = v * x
            return np.sum(y * v)
    """,
    "total that becomes an array": """
        def program(v, k):
            total = 0
            for i in range(k + 1):
                total = total + v * i
            return np.sum(total * total)
    """,
    "whole number and float": """
        def program(x, y, k):
            n = 1
            for i in range(k):
                n = n * x + i
            return n * y
    """,
    "array of another rank": """
        def program(v, m, k):
            a = v * v
            if k > 1:
                a = m * v
            return np.sum(a * v)
    """,
    "a fact ends where the name is bound": """
        def program(x, y, k):
            a = x * y if k > 1 else None
            known = a is not None
            a = y if k > 2 else None
            if known and a is not None:
                return a * x
            return x * x if a is None else a
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text)


def smoothness(x, n):
    previous = None
    total = 0.0
    for i in range(n):
        h = x * i
        if previous is not None:
            total += (h - previous) ** 2
        previous = h * h
    return total


def test_the_code_is_that_of_a_number():
    assert grad(smoothness).source_for(2.0, 4) == SMOOTHNESS


SMOOTHNESS = '''\
def smoothness_grad(x, n):
    """Gradient of smoothness with respect to x."""
    previous = None
    previous_saved = []
    for i in range(n):
        h = x * i
        previous_saved.append(previous)
        previous = h * h
    # for i in range(n):
    previous_bar = 0.0
    x_bar = 0.0
    for i in reversed(range(n)):
        # previous = h * h
        h = x * i
        h_bar = 2 * previous_bar * h
        previous = previous_saved.pop()
        if previous is not None:
            # total += (h - previous) ** 2
            difference_bar = 2.0 * (h - previous)
            h_bar += difference_bar
            previous_bar = -difference_bar
        else:
            # if previous is not None:
            previous_bar = 0.0
        # h = x * i
        x_bar += h_bar * i
    return x_bar
'''


def last(x, n):
    value = None
    for i in range(n):
        value = x * x
    return value


def test_none_as_the_result_raises():
    assert value_and_grad(last)(3.0, 2) == (9.0, 6.0)
    assert jvp(last, (3.0, 2), (1.0, None)) == (9.0, 6.0)
    for function in (grad(last), value_and_grad(last)):
        with pytest.raises((TypeError, ValueError)):
            function(3.0, 0)


def used_without_a_test(x, n):
    value = None
    for i in range(n):
        value = x * x
    return value * x


def test_none_in_arithmetic_raises_as_in_python():
    assert grad(used_without_a_test)(3.0, 1) == 27.0
    for function in (used_without_a_test, grad(used_without_a_test)):
        with pytest.raises(TypeError):
            function(3.0, 0)


NUMBER_OR_ARRAY = {
    "bound anew by each iteration": """
        def program(x, v, k):
            for i in range(k):
                v = 0.5 * x
            return v * v
    """,
    "bound anew by each iteration, read before": """
        def program(x, v, k):
            t = [e * x for e in v]
            for i in range(len(v)):
                t[i] += v[i] * v[0]
            for i in range(k):
                v = 0.5 * x
            return v * v * t[0] * sum(t)
    """,
    "bound anew by each iteration of a while loop": """
        def program(x, v, k):
            t = v * x
            for e in v:
                t = t * e
            while k > 0:
                v = x * k
                v = v * v
                k -= 1
            return np.sum(t) * v
    """,
    "bound to no variable by each iteration": """
        def program(x, v, k):
            t = v * x
            for i in range(k - 1):
                for j in range(2):
                    v = 0.5
                v = v * x
            return np.sum(t * t) + v * v
    """,
    "a parameter becomes an array": """
        def program(x, v, k):
            if k > 1:
                x = x - v
            return np.sum((x - np.array([0.4, 0.5, 1.3])) ** 2) + np.sum(x)
    """,
    "in a loop": """
        def program(x, v, k):
            for i in range(k):
                x = x * v + i
            return np.mean((x - np.array([0.4, 0.5, 1.3])) ** 2) * np.sum(x * x)
    """,
    "or another array": """
        def program(x, v, k):
            if any(x > 0.7 for a in v):
                x = v
            y = x * 2.0
            return np.mean((y - np.array([0.4, 0.5, 1.3])) ** 2)
    """,
    "an array that is stretched": """
        def part(w, n):
            if n > 2:
                return 0.5
            return w[: n + 1]

        def program(x, v, k):
            y = part(v, k % 4 if k % 2 else 0)
            if x > 0.0:
                y = y - v * x
            return np.sum(y * y) + np.sum(y)
    """,
    "the result of a recursion": """
        def halves(w):
            if len(w) < 2:
                return np.sum(w)
            return halves(w[: len(w) // 2]) * 0.5

        def program(x, v, m, k):
            y = halves(v)
            if k % 2 == 0:
                y = y - m * x
            return np.sum(y * y)
    """,
    "the mean of what a recursion returns": """
        def f(x, v, n):
            if n == 0:
                return x
            if n == 1:
                return v * x
            return f(x * 0.5, v, n - 2) + x

        def program(x, v, k):
            r = f(x, v, k)
            return np.sum(r * v) + np.mean(r)
    """,
    "a name without value on one path": """
        def program(x, v, k):
            if k > 1:
                w = v * x
            if x > 0.5:
                y = x * 2.0
            elif k > 1:
                y = np.sum(w * w)
            else:
                y = x
            return y * x
    """,
    "the mean": """
        def program(x, v, m, k):
            p = x if k % 2 else v
            q = m if k % 2 else x
            return np.mean(p) * x + np.mean(q * x) + np.var(p + v)
    """,
    "stretched, and read twice": """
        def program(x, y, v, k):
            if y > 0.0:
                x = x * (v[: k % 3] * y if k % 3 == 1 else v)
            else:
                x = math.sqrt(1.0 + x**2)
            return np.sum(x * v) + np.sum(x * v[[2, 0, 0]])
    """,
    "a name without value if a loop doesn't run": """
        def program(x, v, k):
            for i in range(k - 1):
                w = (x * v)[1:] * (i + 1)
            if k > 1:
                x = w * x
            for j in range(2):
                if k > 1:
                    x = x * w + j
            return np.sum(x)
    """,
    "an array of rank 0": """
        def program(x, y, k):
            h = np.where(y > 0.5, 0.5, y**2)
            for i in range(3):
                h = np.where(y > 0.5 * i, h * x, h + y)
            return h * x
    """,
    "a list built anew in each round": """
        def program(x, v, k):
            n = 0
            while n < k + 1:
                n += 1
                items = [a * np.sum(v[:2]) for a in itertools.chain(v, (x,))]
            return x * sum(items)
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", NUMBER_OR_ARRAY.values(), ids=NUMBER_OR_ARRAY)
def test_a_number_on_one_path_and_an_array_on_another(text):
    text = "import itertools\n" + textwrap.dedent(text)
    assert_differentiated(text, range(8))


def modules_by_turns(xs, x):
    held = (x, math)
    for v in xs:
        held = (held[0] * v, np) if held[1] is math else (held[0] + v, math)
    return held[0]


def lists_and_dicts_by_turns(xs, x):
    held = {"value": x, "rest": [1.0]}
    for v in xs:
        if isinstance(held["rest"], list):
            held = {"value": held["value"] * v, "rest": {"a": 1.0}}
        else:
            held = {"value": held["value"] + v, "rest": [2.0]}
    return held["value"]


def constants_by_turns(xs, x):
    held = [x, ...]
    for v in xs:
        if held[1] is ...:
            held = [held[0] * v, NotImplemented]
        else:
            held = [held[0] + v, ...]
    return held[0]


@pytest.mark.parametrize(
    "function", [modules_by_turns, lists_and_dicts_by_turns, constants_by_turns]
)
def test_a_part_that_is_unlike_on_two_paths_is_not_read(function):
    """It isn't None, nor anything else: it was compared as if it were."""
    with pytest.raises(UnsupportedError, match="on one path and"):
        grad(function, "x")([0.3, 0.7, 0.9, 0.2, 0.5, 0.6], 0.5)
