"""Iterators without end, ``tee``, and what ``next`` leaves."""

import itertools

import numpy as np
import pytest

import s2sad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

LOOPS = {
    "count": """
        def program(x, y):
            t = x
            for n in itertools.count(1):
                t = t / 2.0
                if abs(t) < 0.1:
                    break
            return t * n * y
    """,
    "cycle": """
        def program(x, y, v):
            t = x
            for w in itertools.cycle(v):
                t = t * 0.7 + w * y
                if abs(t) < 0.3 or t > 1.0:
                    break
            return t * w
    """,
    "repeat": """
        def program(x, y):
            t = y
            for a in itertools.repeat(x):
                t = t * a + 0.1
                if abs(t) < 0.2 or abs(t) > 2.0 or t != t:
                    break
            else:
                t = 3.0
            return t
    """,
    "return": """
        def f(x, y):
            for i, n in enumerate(itertools.count(x, y)):
                if i >= 3 or n > 2.0:
                    return n * i
                x = x + n

        def program(x, y):
            return f(x, y)
    """,
    "takewhile": """
        def program(x, y):
            values = itertools.count(y * y, x * x + 0.5)
            return sum(itertools.takewhile(lambda a: a < 3.0, values))
    """,
    "next": """
        def program(x, y):
            n = next(i for i in itertools.count() if x * x * i > 1.0 or i > 5)
            return n * x * y
    """,
    "map": """
        def program(x, y):
            t = 0.0
            for a in map(lambda n: math.sin(x) ** n, itertools.count(1)):
                t += a * y
                if a < 0.1:
                    break
            return t
    """,
}
ITERATORS = {
    "tee": """
        def pairs(values):
            a, b = itertools.tee(values)
            next(b, None)
            return zip(a, b)

        def program(v, x):
            return sum((q - p) ** 2 * x for p, q in pairs(v))
    """,
    "three": """
        def program(v, x):
            a, b, c = itertools.tee((u * x for u in v), 3)
            return sum(a) * sum(b) * max(c)
    """,
    "next, then a loop": """
        def program(v, x):
            values = iter(v)
            t = next(values) * x
            for a in values:
                t = t * a + x
            return t
    """,
    "next until the end": """
        def program(v, x):
            values = iter(v)
            a, b, c = next(values), next(values), next(values)
            return a * b * c * next(values, x)
    """,
    "enumerate": """
        def program(v, x):
            values = enumerate(v, 1)
            i, a = next(values)
            return sum(j * b * x for j, b in values) + i * a
    """,
    "a list": """
        def program(x, y):
            values = iter([x, y, x * y])
            a = next(values)
            rest = list(values)
            return a * rest[0] + rest[1]
    """,
    "numbers": """
        def program(x, y):
            numbers = itertools.count(1)
            return x ** next(numbers) * y ** next(numbers) + next(numbers) * x
    """,
    "in a function": """
        def program(v, x):
            values = map(lambda a: a * x, v)
            def take():
                return next(values) * x
            return take() * take() + sum(values)
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [*LOOPS, *ITERATORS])
def test_programs(name):
    text = {**LOOPS, **ITERATORS}[name]
    assert_differentiated(f"        import itertools\n{text}")


def to_the_end(v):
    return v[0] * sum(itertools.cycle(v))


def sorted_to_the_end(v):
    return v[0] * sorted(itertools.count(1))[0]


def in_a_list(v):
    return v[0] * len(list(itertools.repeat(1)))


def in_a_loop(v):
    total = 1.0
    for a in itertools.cycle(v):
        total = total * a
    return total


def added_up(v):
    total = 1.0
    for a in itertools.count(v[0]):
        total = total * a
    return total


@pytest.mark.parametrize(
    "function", [to_the_end, sorted_to_the_end, in_a_list, in_a_loop, added_up]
)
def test_what_never_ends_is_refused(function):
    with pytest.raises(UnsupportedError, match="without end|never ends"):
        s2sad.grad(function)(np.ones(3))
