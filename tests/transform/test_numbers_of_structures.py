"""Numbers of displays and objects stand where they are read, without names."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from s2sad import grad
from s2sad.testing import check_grads


@dataclass
class Point:
    x: float
    y: float

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y)


def horner(x):
    c = (-0.007784894002430293, -0.3223964580411365, 2.5)
    return ((c[0] * x + c[1]) * x + c[2]) * math.exp(x * c[2])


def read_often(x):
    steps = [0.0625, 0.1]
    for _ in range(2):
        x = x + steps[0] * math.sin(x) + steps[1] * x
    return x * steps[0] + math.cos(x * steps[0])


def distance(x):
    d = Point(x, 2.0 * x) - Point(0.0, -1.5)
    return d.x * d.x + d.y * d.y


def changed(x):
    w = [0.5, 1.5]
    if x > 1.0:
        w[0] = 2.5
    return w[0] * x * x + w[1] * x


PROGRAMS = [horner, read_often, distance, changed]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("x", [0.7, 1.3])
@pytest.mark.parametrize("optimise", [None, False])
def test_gradients(program, x, optimise):
    h = 1e-6
    slope = (program(x + h) - program(x - h)) / (2 * h)
    assert grad(program, optimise=optimise)(x) == pytest.approx(slope, rel=1e-7)
    check_grads(program, (x,))


def test_what_is_read_once_or_twice_has_no_name():
    text = grad(horner).source_for(0.7)
    assert "-0.007784894002430293 * x - 0.3223964580411365" in text
    assert "c_" not in text


def test_what_is_read_often_has_one():
    text = grad(read_often).source_for(0.7)
    assert "steps_0 = 0.0625" in text
    assert "0.1 * " in text  # short, and no name of the user's


@pytest.mark.written_out
def test_of_objects():
    text = grad(distance).source_for(0.7)
    assert "x - 0.0" in text
    assert "self_y + 1.5" in text


def found(xs, k):
    best = None
    for x in xs:
        if x > k and (best is None or x < best):
            best = x * k
    return best


def after_none(xs, k):
    best = found(xs, k)
    return k if best is None else best * best + k


def test_the_cotangent_of_a_number_beside_none_is_no_sum():
    xs = [1.0, 2.0, 0.5]
    assert "sum_to_shape_of" not in grad(after_none, (0, 1)).source_for(xs, 0.3)
    assert grad(after_none, "k")(xs, 5.0) == 1.0
    check_grads(after_none, (xs, 0.3))
