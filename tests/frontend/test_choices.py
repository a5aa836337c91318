"""Functions and objects of which the program chooses one when it runs."""

from __future__ import annotations

import pytest

import s2sad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a callback or None": """
        def program(x, y):
            callback = None
            if x > 0.5:
                callback = np.sin
            elif x > -0.5:
                callback = lambda t: t * y
            z = y
            if callback:
                z = z + callback(x)
            if callback is not None:
                z = z * callback(y)
            if not callback:
                return z * x
            return z * x + (callback(x) if callback else 1.0)
    """,
    "a callback in a boolean expression": """
        def program(x, y):
            callback = np.exp if x > 0.0 else None
            z = callback and callback(y)
            w = z if z is not None else x * y
            other = callback or (lambda t: t * x)
            if callback is None or y > 0.0:
                w = w * y
            return w + other(y) * (2.0 if callback is None else callback(x))
    """,
    "a callback that a loop replaces": """
        def program(x, y, k):
            callback = None
            total = x
            for i in range(k + 1):
                if callback:
                    total = callback(total)
                    if i == 2:
                        callback = None
                elif total < y:
                    callback = np.sin
                else:
                    callback = lambda t: t * y
            while callback and total > 100.0:
                total = callback(total)
            return total if callback else total * x
    """,
    "a callback of a class": """
        class Solver:
            def __init__(self, hook=None):
                self.hook = hook
            def run(self, x):
                for _ in range(2):
                    x = np.cos(x)
                    if self.hook:
                        x = self.hook(x)
                return x
        def program(x, y):
            chosen = Solver(np.tanh) if x > 0.0 else Solver()
            return chosen.run(y) * Solver().run(x) + Solver(lambda t: t * y).run(x)
    """,
    "functions that are never None": """
        def program(x, y):
            f = np.sin if x > 0.0 else np.cos
            if f:
                y = y * f(x)
            return f and f(y)
    """,
    "objects of a list, by a number": """
        class Layer:
            def __init__(self, w):
                self.w = w
            def __call__(self, t):
                return np.tanh(t * self.w)
        class Shift:
            def __init__(self, b):
                self.b = b
            def __call__(self, t):
                return t + self.b
        def program(x, y, k):
            layers = [Layer(x), Shift(y), Layer(y)]
            h = x
            for i in range(k):
                h = layers[i % 3](h)
            layer = layers[k - 1 if k < 3 else 0]
            return h + layer(y)
    """,
    "tuples of a class with methods": """
        from typing import NamedTuple
        class Cell(NamedTuple):
            w: float
            b: float = 0.5
            def __call__(self, h, x):
                return np.tanh(self.w * h + x) + self.b
        def program(x, y, v):
            cells = [Cell(x), Cell(y, x)]
            sequence = list(v)
            for cell in cells:
                h = 0.0
                sequence = [h := cell(h, t) for t in sequence]
            size = 2.0 if callable(cells[0]) else 1.0
            wide = getattr(cells[0], "missing", 3.0) if hasattr(cells[0], "w") else 1.0
            return sequence[-1] * size * wide + sum(map(cells[0], v, v))
    """,
    "an object that calls itself while it is made": """
        class Fixed:
            def __init__(self, w):
                self.w = w
                self.b = self(w)
            def __call__(self, t):
                return np.sin(self.w * t)
        def program(x, y):
            return Fixed(x).b * Fixed(y)(x)
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name])


def test_a_wrong_place_raises_as_in_python():
    def f(x):
        for k in range(3):
            x = [abs, lambda t: 2.0 * t][k](x)
        return x

    for function in (f, s2sad.grad(f)):
        with pytest.raises(IndexError):
            function(-1.0)


def test_refused():
    def f(x):
        class_of = [lambda t: t, lambda t: -t]
        chosen = class_of[int(x)]
        return x if chosen else 0.0

    with pytest.raises(UnsupportedError, match="a test on one of"):
        s2sad.grad(f)(1.0)


TESTS = {
    "list_and_number": """
        def program(x, k):
            left = [i * x for i in range(abs(k) + 3)]
            total = x
            while left and total < 3.0:
                total = total + left[-1] * x
                left = left[:-1]
            return total * x
        """,
    "number_or_list": """
        def program(x, y):
            kept = [v for v in (x, y, x * y) if v > 0.0]
            if x > 1.0 or kept:
                return x * y * (1.0 + len(kept))
            return x + y
        """,
    "negated": """
        def program(x, y):
            kept = [v for v in (x, y, x * y) if v > 0.0]
            return kept[-1] * x if not (x > 1.0 or not kept) and y < 1.0 else y * y
        """,
    "function_and_list": """
        def program(x, y):
            f = math.sin if x > y else None
            kept = [v for v in (x, y, x * y) if v > 0.0]
            return sum(f(v) * x for v in kept) if kept and f else x * y
        """,
    "in_comprehension": """
        def program(x, y):
            kept = [v for v in (x, y, x * y) if v > 0.0]
            return sum([v * x for v in (x, y) if kept and v < kept[-1]]) + x
        """,
    "guard_of_case": """
        def program(x, y):
            kept = [v for v in (x, y, x * y) if v > 0.0]
            match kept:
                case _ if kept and kept[0] > 0.5:
                    return kept[0] * x
                case _:
                    return x * y
        """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", TESTS.values(), ids=TESTS)
def test_a_list_beside_another_test_counts_as_its_truth(text):
    assert_differentiated(text)


def test_and_of_a_test_stays_one_expression():
    def program(x, y):
        if x > 0.0 and (y > 1.0 or x * y > 3.0):
            x = x * y
        return x

    derived = s2sad.grad(program)
    derived(1.0, 2.0)
    assert "if x > 0.0 and (y > 1.0 or x * y > 3.0):" in derived.source_for(1.0, 2.0)
