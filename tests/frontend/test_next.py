"""``next``: the first value of an iterator."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import UnsupportedError, grad
from s2sad.testing import check_gradient
from tests.frontend.whole_programs import assert_differentiated

CASES = {
    "taken on one path": """
def program(v, x):
    values = reversed(v)
    total = next(values) if v[0] > 0.0 else x
    for value in values:
        total = total * value
    return total
""",
    "taken in a loop": """
def program(v, x):
    values = reversed(v)
    total = x
    for _ in range(2):
        total = total + next(values) * total
    return total
""",
    "first positive": """
def program(v, x):
    first = next((a for a in v if a > 0), x)
    return first * x
""",
    "index of first": """
def program(v, x):
    k = next((i for i, a in enumerate(v) if a * x > 0.1), len(v) - 1)
    return v[k] * x
""",
    "none default": """
def program(v, x):
    first = next((a for a in v if a > 0.3), None)
    if first is None:
        return x * x
    return first * x
""",
    "tuple none default": """
def program(v, x):
    pair = next(((i, a) for i, a in enumerate(v) if a > 0.3), None)
    return x * x if pair is None else pair[1] * x + pair[0]
""",
    "no default guarded": """
import itertools
def program(v, x):
    a = next(z for z in v if z > -100)
    b = next(iter(v)) * next(itertools.chain([x], v))
    return a * x + b
""",
    "generator function": """
import itertools
def gen(x):
    while True:
        x = x * 0.5
        yield x
def program(x, y):
    return next(gen(x)) * y + next(itertools.count(2)) * x
""",
    "known items": """
def program(x, y):
    return next(filter(lambda z: z > 0, [x, y]), 0.5) * next(zip((x, y), (y, x)))[1]
""",
    "structures": """
from dataclasses import dataclass
@dataclass
class P:
    a: float
    b: float
def program(x, y):
    ps = [P(x, y), P(y, 2.0)]
    p = next((p for p in ps if p.a > 0), P(1.0, x))
    return p.a * p.b
""",
    "next with map over array": """
def program(v, x):
    return next(map(lambda z: z * x, v)) + next(reversed(v)) * next(iter([x]))
""",
    "try StopIteration": """
def program(v, x):
    try:
        a = next(z for z in v if z > 0.5)
    except StopIteration:
        a = x * x
    return a * x
""",
    "dict iter": """
def program(x, y):
    d = {"p": x, "q": y}
    return d[next(iter(d))] * next(iter(d.values()))
""",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", CASES.values(), ids=list(CASES))
def test_differentiated(text):
    assert_differentiated(text, range(4))


def test_there_is_none():
    def f(v):
        return next(a for a in v if a > 5.0) * 2.0

    assert grad(f)(np.array([1.0, 6.0])).tolist() == [0.0, 2.0]
    with pytest.raises(StopIteration):
        grad(f)(np.array([1.0, 2.0]))


def taken_on_one_path(v):
    values = filter(None, v)
    total = next(values) if v[0] > 0.0 else 2.0
    for value in values:
        total = total * value
    return total


def in_a_loop(v):
    values = filter(None, v)
    total = 1.0
    for _ in range(2):
        total = total + next(values)
    return total


def of_an_array(v):
    return next(v)


@pytest.mark.parametrize("function", [taken_on_one_path, in_a_loop])
def test_an_iterator_runs_on(function):
    assert check_gradient(function, np.array([0.5, 2.0, 0.7])).passed


def test_an_array_is_no_iterator():
    with pytest.raises(UnsupportedError, match="next is given a value of kind"):
        grad(of_an_array)(np.ones(3))
