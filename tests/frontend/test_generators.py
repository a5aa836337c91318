"""Generator functions, against hyper-dual numbers in every mode."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.test_iteration import differentiates

PROGRAMS = {
    "several managers of one statement": """
from contextlib import contextmanager
def program(x, y):
    log = []
    @contextmanager
    def tagged(k):
        nonlocal y
        v, old = k * x, y
        y = y * k
        try:
            yield v
        finally:
            log.append(v)
            y = old
    with tagged(y) as a, tagged(2.0) as b, tagged(a * b) as c:
        r = a * b * c * y
    return r * y + sum(v * k for k, v in enumerate(log))
""",
    "one inside of another that was called at the same place": """
def program(x, y):
    def powers(v):
        own = v * x
        yield own
        yield own * own
    def called(v):
        return powers(v)
    total = 0.0
    for a in called(y):
        for b in called(a):
            total += a * b * b
    return total
""",
    "a name yielded again and again, listed": """
def each(items):
    for item in items:
        yield item

def program(x, y):
    first, second, third = each((x, y, 2.0))
    listed = list(each((x, y, x * y)))
    pairs = dict(enumerate(each((y, x))))
    return first * second + third + listed[0] * listed[1] - listed[2] * pairs[0]
""",
    "a name bound anew behind yields, listed": """
def steps(x, y):
    yield from (x, 2.0 * x)
    x = 3.0 * x * y
    yield x, y

def program(x, y):
    a, b, c = steps(x, y)
    listed = [*steps(y, x)]
    return a * b + c[0] * c[1] + listed[0] * listed[2][0]
""",
    "a captured name bound anew, listed": """
def program(x, y):
    total = x
    def sums():
        nonlocal total
        for k in range(3):
            yield total
            total = total * y
    listed = list(sums())
    return listed[0] + 2.0 * listed[1] + 3.0 * listed[2] + total
""",
    "what is summed up, listed": """
import itertools

def each(items):
    for item in items:
        yield item

def program(x, y):
    listed = list(itertools.accumulate(each((x, y, x * y))))
    return listed[0] * listed[1] + listed[2]
""",
    "taken one by one of texts": """
def words(text):
    for word in text.split():
        yield word

def program(x, y):
    weights, items = {"a": x, "b": y}, words("b a b")
    def product(k):
        return 1.0 if k == 0 else weights[next(items)] * product(k - 1)
    return product(3)
""",
    "summed": """
def squares(x):
    for u in x:
        yield u * u

def program(v):
    return sum(squares(v))
""",
    "looped over": """
def steps(x, n):
    for i in range(n):
        x = x + 0.1 * math.sin(x)
        yield i, x

def program(a):
    total = 0.0
    for i, x in steps(a, 4):
        total += x * x * i
    return total
""",
    "without a loop": """
def three(a, b):
    yield a
    yield a * b
    if b > 0:
        yield b * b
    yield b

def program(a, b):
    total = 1.0
    for x in three(a, b):
        total = total * 0.5 + x * x
    return total
""",
    "yield from": """
def inner(x):
    for u in x:
        yield u * u

def outer(x, y):
    yield from inner(x)
    yield 1.0
    yield from y

def program(v, m):
    total = 0.0
    for x in outer(v, m[0]):
        total = total * 0.5 + x
    return total
""",
    "with a while loop": """
def halves(x):
    while x > 0.1:
        yield x
        x = 0.5 * x

def program(a):
    return sum(x * x for x in halves(a * a + 1.0))
""",
    "left early": """
def powers(x):
    y = x
    while True:
        yield y
        y = y * x

def program(a):
    x = 0.4 + 0.1 * math.sin(a)
    total = 0.0
    for y in powers(x):
        if y < 0.01:
            break
        total += y
    return total
""",
    "left early, with more behind the yield": """
def numbers(x):
    yield x
    x = x * x
    yield x
    yield x + 1.0

def program(a):
    total = 1.0
    for y in numbers(a):
        if y > 1.0:
            break
        total = total * y + y
    return total
""",
    "with a return": """
def upto(x, limit):
    total = 0.0
    for u in x:
        total += u * u
        if total > limit:
            return
        yield total

def program(v):
    return sum(t * t for t in upto(v, 1.0)) + v[0]
""",
    "nested": """
def rows(m):
    for row in m:
        yield row

def items(row):
    for u in row:
        yield u * row[0]

def program(m):
    total = 0.0
    for row in rows(m):
        for u in items(row):
            total += u * u
    return total
""",
    "twice": """
def squares(x):
    for u in x:
        yield u * u

def program(v, m):
    total = 0.0
    for a in squares(v):
        for b in squares(m[0]):
            total += a * b * b
    return total
""",
    "as a list": """
def squares(x):
    for u in x:
        if u > 0:
            yield u * u

def program(v):
    p = list(squares(v))
    return sum(p) + len(p) + np.sum(np.array(p) ** 2)
""",
    "of known length": """
def both(a, b):
    yield a * b
    yield a + b

def program(a, b):
    x, y = both(a, b)
    p, q = tuple(both(x, y))
    return p * q
""",
    "enumerated": """
def squares(x):
    for u in x:
        if u > 0:
            yield u * u

def program(v):
    total = 0.0
    for i, s in enumerate(squares(v), 1):
        total += s * i
    return total
""",
    "any of them": """
def running(x):
    total = 0.0
    for u in x:
        total += u
        yield total

def program(v, a):
    return a * a if any(t > 0.5 for t in running(v)) else a
""",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_generators(name):
    differentiates(PROGRAMS[name])


def numbers(x):
    yield x
    yield x * x


def consumed_twice(x):
    found = numbers(x)
    return sum(found) + sum(found)


def test_what_has_run_gives_nothing_more():
    assert grad(consumed_twice)(2.0) == 5.0


def test_a_generator_that_is_summed_is_one_loop():
    def squares(x):
        for v in x:
            yield v * v

    def cost(x):
        return sum(squares(x))

    assert "append" not in grad(cost).source_for(np.ones(3))


def test_generators_that_a_helper_makes_for_loops_in_one_another():
    def program(x):
        def steps(v):
            twice = 2.0 * v
            yield v
            yield twice

        def made(v):
            return steps(v)

        return sum(a * b * c for a in made(x) for b in made(a) for c in made(b))

    # x * (1 + 2) for each loop, of what the one around it gives
    expected = sum(
        a * (a * b) * (a * b * c) for a in (1, 2) for b in (1, 2) for c in (1, 2)
    )
    assert grad(program)(1.5) == pytest.approx(3.0 * 1.5**2 * expected)
