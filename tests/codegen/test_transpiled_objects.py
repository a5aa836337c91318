"""Objects that a function of a transpiled file makes of classes that are only read."""

from __future__ import annotations

import types

import pytest

from s2sad.errors import UnsupportedError
from tests.codegen.test_transpile import run, transpile

TEXT = """
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Pair(NamedTuple):
    x: float
    y: float = 2.0


class Base:
    scale = 2.0

    def __init__(self, a: float, n: int = 2):
        self.a = self.twice(a)
        self.n = n
        self.b = math.sin(self.a) * self.scale

    def twice(self, a):
        return 2.0 * a

    @property
    def area(self):
        return self.a * self.b


class Child(Base):
    def __init__(self, a: float):
        super().__init__(a, 3)
        self.c = a * a

    def energy(self, x):
        return self.c * self.area * x**self.n


class Grandchild(Child):
    def energy(self, x):
        return 3.0 * super().energy(x)


class Without:
    weight = 3.0

    def times(self, x):
        return self.weight * x


class Changing:
    def __init__(self, a: float):
        self.a = a
        self.total = 0.0

    def add(self, x):
        self.total = self.total + self.a * x


class Vector:
    def __init__(self, x: NDArray[np.float64]):
        self.x = x

    def __mul__(self, other):
        return Vector(self.x * other.x)

    def norm(self):
        return np.sqrt(np.sum(self.x**2))


class Made:
    def __new__(cls, a):
        return object.__new__(cls)

    def __init__(self, a):
        self.a = a


class Left(Base):
    pass


class Right(Base):
    def twice(self, a):
        return 3.0 * a


class Both(Left, Right):
    def twice(self, a):
        return super().twice(a)


def pair(t: float):
    p = Pair(t)
    return p.x * p.y * Pair(y=t, x=3.0).y


def defaults(t: float):
    return Base(t).area + Base(a=t, n=4).n * t


def derived(t: float):
    return Child(t).energy(t)


def derived_twice(t: float):
    return Grandchild(t).energy(t)


def without(t: float):
    return Without().times(t)


def changed(t: float):
    c = Changing(t)
    for i in range(3):
        c.add(t * i)
    return c.total


def on_paths(t: float):
    q = Base(t) if t > 0.5 else Base(2.0 * t, 5)
    return q.area**q.n


def in_a_loop(t: float):
    q = Base(t)
    s = 0.0
    for _ in range(4):
        q = Base(q.b, 1)
        s += q.area
    return s


def in_a_list(t: float):
    return sum(q.area for q in [Base(t), Base(t * 2.0)])


def operators(t: float):
    x = np.array([t, 2.0 * t])
    return (Vector(x) * Vector(2.0 * x)).norm()


class Link:
    def __init__(self, x, after):
        self.x, self.after = x, after


class Knot:
    def __init__(self, x):
        self.x = x
        self.near = []


def chained(t: float):
    head = None
    for k in range(int(10.0 * t)):
        head = Link(t * k, head)
    head.after.x *= t
    total = 0.0
    while head is not None:
        total = 0.5 * total + head.x**2
        head = head.after
    return total


def one_twice(t: float):
    knots = [Knot(t * k) for k in range(int(10.0 * t))]
    knots.append(knots[1])
    for before, knot in zip(knots, knots[1:]):
        before.near.append(knot)
        knot.x *= 1.0 + t
    return sum(knot.x * other.x for knot in knots for other in knot.near)


def grown(x, depth):
    knot = Knot(x)
    if depth > 0:
        knot.near = [grown(math.sin(x), depth - 1), grown(x * x, depth - 1)]
    return knot


def tree(t: float):
    root = grown(t, int(5.0 * t))
    total, waiting = 0.0, [root]
    while waiting:
        knot = waiting.pop()
        total = 0.9 * total + knot.x**2
        waiting.extend(knot.near)
    return total


def shared_rows(t: float):
    best, row, rows = None, [t], []
    for k in range(int(10.0 * t)):
        rows.append(row)
        if best is None or sum(row) > sum(best):
            best = row
        row = row + [t * k]
    best[0] *= t
    return sum(best) + rows[-1][0]


def own_new(t: float):
    return Made(t).a


def too_many(t: float):
    return Base(t, 2, 3).a


def several_bases(t: float):
    return Both(t).a


def stored_property(t: float):
    q = Base(t)
    q.area = t
    return q.area
"""

RIGHT = (
    *("pair", "defaults", "derived", "derived_twice", "without", "changed"),
    *("on_paths", "in_a_loop", "in_a_list", "operators"),
    *("chained", "one_twice", "tree", "shared_rows"),
)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("objects") / "model.py"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def model(path):
    module = types.ModuleType("model")
    exec(compile(TEXT, str(path), "exec"), vars(module))
    return module


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", RIGHT)
def test_objects_are_made_as_their_class_says(path, model, name):
    gradient = getattr(run(transpile(path, name)), f"{name}_grad")
    f = getattr(model, name)
    for t in (0.34, 0.73):
        assert gradient(t) == pytest.approx((f(t + 1e-6) - f(t - 1e-6)) / 2e-6)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("own_new", "how a Made is made isn't known from the text"),
        ("too_many", "__init__ takes 3 positional arguments, 4 are given"),
        ("several_bases", "super.. in Both, of an object of several base"),
        ("stored_property", "storing the attribute 'area' of an object whose class"),
    ],
)
def test_what_the_text_does_not_tell_is_refused(path, name, reason):
    with pytest.raises(UnsupportedError, match=reason):
        transpile(path, name)
