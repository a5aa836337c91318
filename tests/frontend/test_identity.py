"""``a is b`` of lists, dicts and objects."""

from dataclasses import dataclass

import numpy as np
import pytest

import s2sad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

HEAD = """from dataclasses import dataclass

class P:
    def __init__(self, v):
        self.v = v

"""
PROGRAMS = {
    "items of a list of unknown length": """
def program(v, x):
    ps = [P(a) for a in v]
    for p in ps:
        p.v = p.v * x
    return sum(1.0 + a.v if a is b else a.v * b.v for a in ps for b in ps)
""",
    "an item and the same item": """
def program(v, x):
    ps = [P(a) for a in v]
    for p in ps:
        p.v = p.v * x
    t = 0.0
    for p in ps:
        q = p
        if q is p: t += p.v
        if q is ps[0]: t += 10 * p.v
    return t
""",
    "chosen objects": """
def program(x, y):
    p, q = P(x), P(y)
    p.v = p.v * 2
    c = p if x > 0 else q
    c.v = c.v * y
    d = q if y > 0 else p
    first = (1.0 if c is p else 2.0) * c.v * q.v
    return first + (3.0 if c is d else 5.0) * d.v + (2.0 if c is not q else 1.0) * x
""",
    "chosen in a loop": """
def program(x, y, k):
    p, q = P(x), P(y)
    c = p
    for i in range(k):
        c.v = c.v * y
        c = q if c is p else p
    return (1.0 if c is p else 2.0) * c.v * q.v
""",
    "items of a list": """
def program(x, y):
    ps = [P(x), P(y), P(x * y)]
    for p in ps:
        p.v += 1.0
    t = 0.0
    for i, a in enumerate(ps):
        for b in ps[i:]:
            t += 0.5 * a.v if a is b else a.v * b.v
    return t
""",
    "lists that grow": """
def program(x, y):
    a = [x]
    b = [x]
    c = a
    a.append(y)
    return sum(c) * (1.0 if a is b else 2.0) * (3.0 if a is c else 5.0)
""",
    "objects that stay": """
def program(x, y):
    p, q = P(x), P(y)
    r = p
    return p.v * (2.0 if p is q else 3.0) + q.v * (5.0 if r is p else 7.0)
""",
    "objects of a list that stay": """
def program(x, y):
    ps = [P(x), P(y), P(x * y)]
    return sum(0.5 * a.v if a is b else a.v * b.v for a in ps for b in ps)
""",
    "a chosen object that stays": """
def program(x, y):
    p, q = P(x), P(y)
    c = p if x > y else q
    return c.v * (2.0 if c is q else 3.0) * q.v
""",
    "objects in objects": """
@dataclass(frozen=True)
class Node:
    v: float
    left: object = None
    right: object = None
def total(n, skip):
    if n is None or n is skip:
        return 0.0
    return n.v + total(n.left, skip) * total(n.right, skip)
def program(x, y):
    a = Node(x)
    b = Node(y)
    r = Node(x * y, a, Node(2.0, b, a))
    return total(r, a) + total(r, b) * x
""",
    "bound anew on one path": """
def program(x, y):
    p = P(x)
    q = p
    if y > 0:
        q = P(y)
    return p.v * q.v * (2.0 if q is p else 3.0)
""",
    "the best one": """
def program(x, y, z):
    ps = [P(x), P(y), P(z)]
    best = None
    for p in ps:
        if best is None or p.v > best.v:
            best = p
    return sum(2.0 * p.v if p is best else p.v * x for p in ps)
""",
    "from the end": """
def program(v, x):
    ps = [P(a * x) for a in v]
    same = ps[-3] is ps[0]
    return sum(2.0 * p.v if p is ps[-1] else p.v * x for p in ps) + same * x
""",
    "objects of the module": """
A = P(2.0)
B = A
C = P(3.0)
def program(x, y):
    return x * (2.0 if A is B else 3.0) * (5.0 if A is C else 7.0) * A.v
""",
    "lists that stay": """
def program(x, y):
    a = [x, y]
    b = [x, y]
    c = a
    return sum(a) * (2.0 if a is b else 3.0) * (5.0 if c is a else 7.0)
""",
    "dicts": """
def program(x, y):
    a = {"p": x}
    b = dict(a)
    c = a
    return a["p"] * (2.0 if a is b else 3.0) * (5.0 if c is a else 7.0) * y
""",
    "in a recursion": """
def f(p, q, n):
    if n <= 0:
        return p.v if p is q else 2.0 * q.v
    return f(p, p, n - 1) * p.v
def program(x, y, k):
    return f(P(x), P(y), k)
""",
    "swapped in a recursion": """
def f(p, q, n):
    if n <= 0:
        return p.v if p is q else 2.0 * q.v
    return f(q, p, n - 1) * p.v
def program(x, y, k):
    p = P(x)
    return f(p, p, k) + f(p, P(y), k)
""",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(HEAD + PROGRAMS[name])


@dataclass
class Leg:
    v: float


KNOWN = Leg(3.0)


def product(a, b):
    return a.v if a is b else a.v * b.v


def squares(legs, x):
    return sum(x if a is b else a.v * b.v for a in legs for b in legs)


def moved(a, b, x):
    c = a if x > 0.0 else Leg(x)
    return c.v * b.v * (2.0 if c is b else 3.0)


def test_arguments_are_different_objects():
    assert s2sad.grad(product)(Leg(2.0), Leg(3.0)) == Leg(3.0)
    assert s2sad.grad(squares)([Leg(2.0), Leg(3.0)], 1.0) == [Leg(6.0), Leg(4.0)]


@pytest.mark.taken_apart
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (product, lambda leg: (leg, leg)),
        (squares, lambda leg: ([leg, leg], 1.0)),
        (moved, lambda leg: (leg, leg, 1.0)),
    ],
)
def test_one_object_given_twice_raises(function, arguments):
    given = arguments(Leg(2.0))
    with pytest.raises(ValueError, match="same object"):
        s2sad.grad(function)(*given)
    tangents = tuple(0.0 if isinstance(g, float) else g for g in given)
    with pytest.raises(ValueError, match="same object"):
        s2sad.jvp(function, given, tangents)


def of_the_module(a, b):
    return a.v if a is KNOWN else b.v


def of_tuples(x, y):
    a, b = (x, y), (y, x)
    return x if a is b else y


def behind_a_change(x):
    legs = [Leg(a) for a in x]
    first = legs[-1]
    legs.append(Leg(x[0]))
    return legs[0].v * (2.0 if legs[-1] is first else 3.0)


def test_an_item_behind_a_change_of_its_list():
    assert s2sad.grad(behind_a_change)(np.array([1.5, 2.0])) == pytest.approx([3.0, 0])


@pytest.mark.taken_apart
@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (of_the_module, (Leg(2.0), Leg(3.0))),
        (of_tuples, (2.0, 3.0)),
    ],
)
def test_what_is_refused(function, arguments):
    with pytest.raises(UnsupportedError, match="same object|moved or were replaced"):
        s2sad.grad(function)(*arguments)
