"""``functools.singledispatch`` and ``singledispatchmethod``."""

import functools

import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

DEFINITIONS = """
import functools
from dataclasses import dataclass

class Shape:
    pass

@dataclass
class Square(Shape):
    side: float

@dataclass
class Circle(Shape):
    radius: float

@functools.singledispatch
def area(shape, scale=1.0):
    return scale * shape

@area.register
def _(shape: Shape, scale=1.0):
    return scale * shape.side ** 2

@area.register
def _(shape: Circle, scale=1.0):
    return 3.0 * scale * shape.radius ** 2

@area.register(tuple)
def _(shape, scale=1.0):
    return scale * shape[0] * shape[1]

@area.register
def _(shape: np.ndarray, scale=1.0):
    return scale * np.sum(shape * shape)

@area.register
def _(shape: int, scale=1.0):
    return scale * shape / 2

class Scale:
    def __init__(self, factor):
        self.factor, self.calls = factor, 0

    @functools.singledispatchmethod
    def of(self, value):
        self.calls += 1
        return self.factor * value

    @of.register
    def _(self, value: tuple):
        return self.factor * value[0] * value[1]

    @of.register
    @staticmethod
    def _(value: list):
        return value[0]

    @functools.singledispatchmethod
    @classmethod
    def made(cls, value):
        return cls(value)

    @made.register
    @classmethod
    def _(cls, value: tuple):
        return cls(value[0] * value[1])
"""
PROGRAMS = {
    "numbers, tuples and arrays": """
def program(x, v, k):
    return area(x) * area((x, 2.0 * x)) * area(v) + area(k, scale=x)
""",
    "objects in a list": """
def program(x):
    shapes = [Square(x), Circle(2.0 * x), Square(1.0)]
    return sum(area(s) for s in shapes) + area(Circle(x), scale=x)
""",
    "methods": """
def program(x):
    scale = Scale(x)
    total = scale.of(x) + scale.of((x, x * x)) + scale.of([x])
    return total * scale.calls * scale.made(x).factor * scale.made((x, x)).factor
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_class_of_the_first_argument_tells(name):
    assert_differentiated(DEFINITIONS + PROGRAMS[name], range(3))


@functools.singledispatch
def twice(x):
    return 2.0 * x


class Maker:
    @functools.singledispatchmethod
    def made(self, x):
        return x


def of_an_unknown_class(x):
    y = x if x > 0.0 else 1
    return twice(y) * x


def of_the_class(x):
    return Maker.made(Maker(), x)


def test_a_class_that_only_the_run_knows_is_refused():
    @twice.register
    def _(x: int):
        return x

    with pytest.raises(UnsupportedError, match="twice is given a value"):
        grad(of_an_unknown_class)(2.0)


def test_a_method_of_the_class_is_refused():
    with pytest.raises(UnsupportedError, match="is called on its class"):
        grad(of_the_class)(2.0)


def test_what_is_registered_later_is_seen():
    @functools.singledispatch
    def power(x):
        return x

    def program(x):
        return power(x) * x

    gradient = grad(program)
    assert gradient(2.0) == 4.0
    power.register(float, lambda x: x**3)
    assert gradient(2.0) == 32.0
