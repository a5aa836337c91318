"""Objects: inheritance, protocols, several classes, functions in slots."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from tests.run_time.programs.table import (
    Frozen,
    number,
    program,
)


class Base:
    scale = 2.0

    def __init__(self, w):
        self.w = w

    @property
    def twice(self):
        return 2 * self.w

    def value(self, x):
        return self.w * x * self.scale


class Derived(Base):
    scale = 3.0

    def __init__(self, w, b):
        super().__init__(w)
        self.b = b

    def value(self, x):
        return super().value(x) + self.b


@program(lambda n: ([Derived(number(), number()) for _ in range(n)],))
def inherits(xs):
    return sum(x.value(x.twice) for x in xs)


@program(
    lambda n: (
        [Derived(number(), number()) if k % 2 else Base(number()) for k in range(n)],
    )
)
def union_methods(xs):
    t = 0.0
    for x in xs:
        t += x.value(0.5) ** 2
        t += x.w * x.scale
    return t


@program(
    lambda n: (
        [Derived(number(), number()) if k % 2 else Base(number()) for k in range(n)],
    )
)
def union_isinstance(xs):
    t = 0.0
    for x in xs:
        if isinstance(x, Derived):
            t += x.b * x.w
        else:
            t += x.w**3
    return t


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a = a
        self.b = b

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return self.a if i == 0 else self.b

    def __add__(self, o):
        return self.a + o.a * self.b

    def __call__(self, x):
        return self.a * x


@program(lambda n: ([Slotted(number(), number()) for _ in range(n)],))
def slotted(xs):
    t = 0.0
    for x in xs:
        t += x[0] * x[1] * len(x) + x(0.3)
    return t + (xs[0] + xs[1])


class Bag:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


@program(lambda n: ([Bag([number() for _ in range(k % 3)]) for k in range(n)],))
def iterates(bags):
    t = 0.0
    for b in bags:
        for v in b:
            t += v * v
        t += len(b)
    return t


class Pt(NamedTuple):
    x: float
    y: float

    def norm(self):
        return math.hypot(self.x, self.y)


@program(lambda n: ([Pt(number(), number()) for _ in range(n)],))
def namedtuples(ps):
    t = 0.0
    for p in ps:
        x, y = p
        t += p.norm() * x + y * p[1]
    return t


@program(lambda n: ([Frozen(number(), "u" if k % 2 else "v") for k in range(n)],))
def frozen(xs):
    return sum(x.a**2 if x.tag == "u" else x.a for x in xs)


@dataclass
class Circle:
    r: float


@dataclass
class Rect:
    w: float
    h: float


@program(
    lambda n: (
        [Circle(number()) if k % 2 else Rect(number(), number()) for k in range(n)],
    )
)
def matches(shapes):
    t = 0.0
    for s in shapes:
        match s:
            case Circle(r=r):
                t += math.pi * r * r
            case Rect(w, h):
                t += w * h
    return t


def relu(x):
    return x if x > 0 else 0.0


@dataclass
class Layer:
    w: float
    act: object


@program(lambda n: ([Layer(number(), math.tanh) for k in range(n)], 0.3))
def same_function(ls, x):
    for l in ls:
        x = l.act(l.w * x)
    return x


@program(
    lambda n: ([Layer(number(), math.tanh if k % 2 else relu) for k in range(n)], 0.3)
)
def one_of_functions(ls, x):
    for l in ls:
        x = l.act(l.w * x)
    return x


class Own:
    def __init__(self, v):
        self.v = v

    def __bool__(self):
        return self.v > 1.0

    def __eq__(self, o):
        return self.v == o.v

    def __getattr__(self, name):
        if name == "double":
            return 2 * self.v
        raise AttributeError(name)


@program(lambda n: ([Own(number()) for k in range(n)],))
def own_protocols(xs):
    t = 0.0
    for x in xs:
        if x:
            t += x.v**2
        if x == xs[0]:
            t += x.v
        t += x.double
    return t
