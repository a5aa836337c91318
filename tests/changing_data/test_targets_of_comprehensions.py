"""Names bound by comprehensions hold what stood in a list, whatever is put there while
the expression is computed."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from s2sad import grad, hvp, jvp, value_and_grad


@dataclass
class Walker:
    pace: float
    path: list = field(default_factory=lambda: [0.5, 0.1])

    def step(self, e):
        self.path[-2] = self.pace
        return 0.5 * e

    def swap(self):
        self.path[0], self.path[1] = self.path[1], self.path[0]
        return self.pace


def left_operand(x):
    one = Walker(x)
    one.path = [e * one.step(x) for e in one.path]
    return one.path[0] * x


def right_operand(x):
    one = Walker(x)
    new = [one.step(x) * e for e in one.path]
    return new[0] * x + new[1]


def swapped(x):
    one = Walker(x)
    new = [e * one.swap() * e for e in one.path]
    return sum(new) * x


def generator(x):
    one = Walker(x)
    return sum(e * one.step(e) * e for e in one.path) * x


def in_a_dict(x):
    one = Walker(x)
    new = {k: e * one.swap() + e for k, e in enumerate(one.path)}
    return new[0] * x + new[1]


def of_a_list(x):
    items = [x, 2.0 * x]

    def replaced(k):
        items[0] = 7.0
        items[1] = items[1] * x
        return items[k]

    new = [e * replaced(1) - e for e in items]
    return new[0] + new[1] * x


PROGRAMS = [left_operand, right_operand, swapped, generator, in_a_dict, of_a_list]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("optimise", [None, False], ids=["optimised", "plain"])
def test_is_right(program, optimise):
    x, h = 1.3, 1e-5
    value, slope = value_and_grad(program, optimise=optimise)(x)
    assert value == pytest.approx(program(x), rel=1e-14)
    expected = (program(x + h) - program(x - h)) / (2 * h)
    assert slope == pytest.approx(expected, rel=1e-8)
    assert jvp(program, (x,), (1.0,))[1] == pytest.approx(slope)
    above, below = grad(program)(x + h), grad(program)(x - h)
    second = (above - below) / (2 * h)
    assert hvp(program)(x, 1.0) == pytest.approx(second, rel=1e-7, abs=1e-7)
