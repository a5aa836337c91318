"""Calls with starred values whose number isn't known before the program runs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from s2sad.errors import UnsupportedError
from s2sad.testing import check_grads
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "an array into a function": """
        def model(t, a, b, c):
            return a * np.exp(-b * t) + c
        def program(x, v):
            return model(x, *v) * model(x * x, *v)
    """,
    "rows of a matrix in a loop": """
        def area(a, b, c):
            return a * b + b * np.sin(c)
        def program(x, m):
            total = x
            for row in m:
                total = total + area(*row) * total
            return total + sum(area(*row) for row in m)
    """,
    "a list, in a branch": """
        def line(a, b, /):
            return a * b - b
        def program(x, y, k):
            pair = [x * y for _ in range(k)]
            if k == 2:
                return line(*pair) + x
            return y * x
    """,
    "lambda, nested function, partial, method, given by keyword": """
        from functools import partial
        class Model:
            def __init__(self, s):
                self.s = s
            def value(self, a, b, c):
                return self.s * a + b * c
            def __call__(self, a, b, c, *, scale=1.0):
                return self.value(b, c, a) * scale
        def four(s, a, b, c, d):
            return s * a * b + c * d
        def program(x, v):
            model = Model(x)
            def inner(a, b, c):
                return a * x - b * c
            def three(a, b, c, d):
                return a * b + c * d
            first = (lambda a, b, c: a * b * c + x)(*v) + inner(*v)
            second = model.value(*v) * model(*v) + partial(four, x, d=x)(*v)
            return first + second + three(*v, d=x) + three(x, *v)
    """,
    "classes": """
        from dataclasses import dataclass
        from typing import NamedTuple
        class Plain:
            def __init__(self, a, b, c):
                self.value = a * b + c
        @dataclass
        class Data:
            a: float
            b: float
            c: float
        class Row(NamedTuple):
            a: float
            b: float
            c: float
        def program(x, v):
            p, d, r = Plain(*v), Data(*v), Row(*v)
            return p.value * x + d.a * d.c + r.b * x * r.a
    """,
    "functions of the libraries": """
        def program(x, y, k):
            pair = [x + i * y for i in range(2 if k >= 0 else 3)]
            return np.maximum(*pair) * np.subtract(*pair)
    """,
    "max and min": """
        def program(x, y, v):
            values = [x * w for w in v if w < 100.0]
            return max(*values) * min(y, *values) + max(x, y, *v)
    """,
    "into *args": """
        def norm(*values, power=2):
            return sum(abs(v) ** power for v in values)
        def weighed(first, *rest):
            total = first
            for r in rest:
                total = total * 0.5 + r
            return total
        def program(x, v):
            return norm(*v) + weighed(*v) * norm(x, x * x, *v, power=3) + weighed(x, *v)
    """,
    "rows of a matrix into *args": """
        def longest(*rows):
            return max(np.sum(row**2) for row in rows)
        def last(first, *rows):
            return np.sum(first * rows[-1])
        def program(x, m):
            return longest(*m) * x + last(*m)
    """,
    "tuples of unknown length, empty, passed on": """
        def inner(*values):
            if not values:
                return 1.0
            return values[0] * values[-1] + len(values)
        def outer(scale, *values):
            return scale * inner(*values) + inner(scale, *values)
        def program(x, y, k):
            values = [x * i + y for i in range(k)]
            return outer(x, *values) + inner(*values[1:])
    """,
    "several stars": """
        def polynomial(t, *coefficients):
            total = 0.0
            for c in coefficients:
                total = total * t + c
            return total
        def six(a, b, c, d, e, f):
            return a * b + c * d + e * f
        def program(x, v):
            return polynomial(x, *v, x, *(v * x)) + six(*v, *(v * x))
    """,
    "structures of unknown number into *args": """
        def spread(*pairs):
            return sum(a * b for a, b in pairs)
        def program(x, y, k):
            pairs = [(x * i, y + i) for i in range(k)]
            return spread(*pairs) + x
    """,
    "a recursive function with the tail": """
        def nested(head, *tail):
            if not tail:
                return np.sin(head)
            return np.sin(head * nested(*tail))
        def program(x, v):
            return nested(*v) * x
    """,
    "a generator and an object that is one of several": """
        class Scale:
            def __init__(self, k):
                self.k = k
            def __call__(self, a, b, c):
                return self.k * a * b + c
        def program(x, y, v):
            f = Scale(x) if x > 0.0 else Scale(y * y)
            return f(*(w * x for w in v)) + f(*map(np.sin, v))
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name])


class Pair(NamedTuple):
    a: float
    b: float


def product(a, b):
    return a * b


@pytest.mark.parametrize("function", (product, lambda a, b: a * b, Pair))
def test_a_wrong_number_raises_as_in_python(function):
    def f(x):
        made = function(*x)
        return made if isinstance(made, float) else made[0]

    derivative = grad(f)
    for count in (0, 1, 3):
        x = np.ones(count)
        with pytest.raises(TypeError):
            f(x)
        with pytest.raises(TypeError):
            derivative(x)


def test_max_of_one_number_raises_as_in_python():
    def f(x):
        return max(*[v for v in x if v > 0.0])

    with pytest.raises(TypeError):
        grad(f)(np.array([1.0, -1.0]))
    assert np.allclose(grad(f)(np.array([1.0, 2.0])), [0.0, 1.0])


def with_default(a, b=2.0):
    return a * b


def six(a, b, c=3.0, d=4.0, e=5.0, f=6.0):
    return a * b + c * d**2 + e * f**3


class Called:
    def forward(self, a, b, c, d, e, f=2.0):
        return six(a, b, c, d, e, f)

    def __call__(self, *args, **named):
        return self.forward(*args, **named)


@pytest.mark.parametrize("count", (5, 6))
@pytest.mark.parametrize("function", (six, Called()))
def test_arguments_that_are_passed_on_to_parameters_with_defaults(count, function):
    def passed_on(*args):
        return function(*args)

    values = tuple(0.5 + 0.25 * k for k in range(count))
    check_grads(passed_on, values)
    assert value_and_grad(passed_on)(*values)[0] == function(*values)
    with pytest.raises(UnsupportedError, match="takes"):
        grad(passed_on)(*values, *values)


def test_refused():
    with pytest.raises(UnsupportedError, match="parameters with defaults.*: b"):
        grad(lambda x: with_default(*x))(np.ones(2))
    with pytest.raises(UnsupportedError, match="unpacked into a call of lcm"):
        grad(lambda x: x[0] * math.lcm(*x))(np.ones(2))


def apart(xs, ys):
    return math.dist(xs, ys)


def length(xs):
    return math.hypot(2.0, *xs, *xs[:2])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("count", (0, 1, 5, 5000))
def test_norms_of_numbers_in_lists(count):
    xs = [0.3 + 0.1 * math.sin(k) for k in range(count)]
    assert value_and_grad(length)([*xs, 1.0])[0] == length([*xs, 1.0])
    check_grads(length, ([*xs[:9], 1.0],))
    for ys in (xs[::-1], [0.5] * count, (0.25,) * count):
        if count:
            value, gradient = value_and_grad(apart)(xs, ys)
            assert value == apart(xs, ys)
            expected = np.subtract(xs, ys) / (value + (value == 0.0))
            np.testing.assert_allclose(gradient, expected)
    with pytest.raises(ValueError):
        grad(apart)([1.0] * (count + 1), xs)


def test_the_length_of_an_array():
    assert grad(lambda x: math.hypot(*x))(np.array([3.0, 4.0])) == pytest.approx(
        [0.6, 0.8]
    )
    assert grad(lambda x: math.hypot(*x))(np.zeros(3)).tolist() == [0.0] * 3
