"""Objects told apart by ``==``, ``in``, ``index``; matched, added up, taken apart."""

import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

DEFINITIONS = """
from dataclasses import asdict, astuple, dataclass, field
from typing import TypedDict

class Plain:
    def __init__(self, a):
        self.a = a

    @property
    def square(self):
        return self.a * self.a

@dataclass
class Pair:
    a: float
    b: float = 2.0

@dataclass
class Held:
    a: float
    rest: list = field(default_factory=list)
    pair: Pair = None

@dataclass(frozen=True)
class Term:
    a: float

    def __add__(self, other):
        return Term(self.a + (other.a if isinstance(other, Term) else other))

    __radd__ = __add__

class Entry(TypedDict):
    a: float
    b: float
"""
PROGRAMS = {
    "plain objects in a list": """
def program(x):
    p, q = Plain(x), Plain(x)
    items = [p, q]
    t = 1.0 if p in items else 2.0
    if p == q or not p != p:
        t = t + 5.0
    if Plain(x) in items:
        t = 7.0
    i = items.index(q)
    return t * items[i].a * x + i + items.count(p)
""",
    "plain objects removed": """
def program(x):
    p, q = Plain(x), Plain(2 * x)
    items = [p, q, p]
    items.remove(p)
    return items[0].a * items[1].a * x + len(items)
""",
    "objects in a list of unknown length": """
def program(x, k):
    items = [Plain(x * i) for i in range(k + 3)]
    q = items[k]
    q.a = q.a + 1.0
    place = items.index(q)
    inside = 2.0 if q in items else 1.0
    items.remove(q)
    left = sum(p.a**2 for p in items) * len(items)
    return left + place * x + inside * q.a + (0.0 if q in items else x)
""",
    "objects that only the run knows": """
def program(x, k):
    items = []
    last = None
    for i in range(k + 3):
        last = Plain(x * i)
        items.append(last)
    best = items[0]
    for p in items:
        if p.a > best.a:
            best = p
    others = [p for p in items if p is not best]
    t = 0.0
    for p in items:
        if p in others:
            t += p.a * x
        if p not in others:
            t += 10 * p.a
    return t + items.index(best) * x + others.count(best) + items.count(best) * x
""",
    "dataclasses in a list": """
def program(x, y):
    items = [Pair(x), Pair(y), Pair(x, y)]
    return items.index(Pair(x, y)) * x + (Pair(y) in items) * y + items.count(Pair(x))
""",
    "matched objects of a list": """
def program(x, k):
    items = [Pair(x * i) for i in range(k + 3)]
    items[k].a *= x
    t = 0.0
    for item in items:
        match item:
            case Pair(a=v) if v > 0.1:
                t += v * v
            case Pair(v, w):
                t += v * w
    return t
""",
    "a matched property under a guard": """
def program(x, y):
    t = 0.0
    for item in (Plain(x), Plain(y)):
        match item:
            case Plain(square=s) if s > 0.5:
                t += s * y
            case Plain(square=s):
                t += 3.0 * s
    return t
""",
    "sums of objects": """
def program(x):
    return sum([Term(x), Term(x * x)], Term(1.0)).a * sum([Term(x), Term(2.0)]).a
""",
    "sums of lists": """
def program(x, y):
    return sum(sum([[x, y], [y]], [])) * x
""",
    "fields": """
def program(x):
    p = Pair(x)
    a, b = astuple(p)
    return a * b * asdict(p)["a"]
""",
    "fields as they were": """
def program(x):
    held = Held(x, pair=Pair(x, x * x))
    held.rest.append(x * x)
    fields = asdict(held)
    values = astuple(held)
    held.a = 3.0 * x
    held.rest[0] = 1.0
    held.pair.b = 0.0
    held.rest.append(x)
    kept = fields["a"] * fields["rest"][0] * len(fields["rest"])
    return kept + fields["pair"]["b"] * values[2][0] * values[1][0] + held.a
""",
    "fields of an object in a list": """
def program(x, k):
    items = [Pair(x * i, x) for i in range(k + 2)]
    items[k].a *= x
    fields, values = asdict(items[k]), astuple(items[1])
    items[k].a = 0.0
    items[1].a = 0.0
    return fields["a"] * values[0]
""",
    "typed dicts": """
def program(x):
    p = Entry(a=x, b=2.0 * x)
    p["a"] = p["a"] * p["b"]
    q: Entry = {"a": x, "b": 3.0}
    return p["a"] * q["b"]
""",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_objects_are_what_python_takes_them_for(name):
    assert_differentiated(DEFINITIONS + PROGRAMS[name], range(3))


class Plain:
    def __init__(self, a):
        self.a = a


def not_there(x):
    return [Plain(x)].index(Plain(x)) * x


def test_an_object_that_is_not_there_raises():
    with pytest.raises((ValueError, UnsupportedError)):
        grad(not_there)(1.0)
