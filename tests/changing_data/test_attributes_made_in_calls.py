"""Attributes that a call gives an object, or finds it to lack, also in pairs."""

from __future__ import annotations

import pytest

from s2sad import grad
from tests.support.finite_differences import central_difference_gradient


class Part:
    def asked(self, y):
        return self.x * y if hasattr(self, "x") else y

    def asked_inside(self, y):
        return self.asked(y) * y

    def all_asked(self, y):
        return y * len(vars(self))

    def made(self, y):
        self.s = y * y
        return y

    def made_on_one_path(self, y):
        if y > 0.0:
            self.s = y * y
        return y

    def made_or_raised(self, y):
        if y < 0.0:
            raise ValueError(y)
        self.s = y * y


def asked_before_and_behind(y):
    part = Part()
    before = part.asked(y)
    part.x = y * y
    return before + part.asked(y)


def asked_by_what_is_called(y):
    part = Part()
    before = part.asked_inside(y)
    part.x = y * y
    return before + part.asked_inside(y)


def asked_for_all(y):
    part = Part()
    before = part.all_asked(y)
    part.x = y * y
    return before + part.all_asked(y * y)


def asked_of_two(y):
    part, other = Part(), Part()
    total = other.asked(y) * 5.0
    part.x = y * y
    return total + part.asked(y)


def made_on_one_path(y):
    part = Part()
    part.made_on_one_path(y)
    return part.s if hasattr(part, "s") else y


def made_in_a_loop(y):
    part, total = Part(), 0.0
    for k in range(3):
        part.made_on_one_path(y * (k - 1))
        total += part.s * (k + 1) if hasattr(part, "s") else y
    return total


def made_or_caught(y):
    part = Part()
    try:
        return part.made_on_one_path(y) * part.s
    except AttributeError:
        return y * y * y


def made_or_raised(y):
    part = Part()
    try:
        part.made_or_raised(y)
    except ValueError:
        pass
    return part.s if hasattr(part, "s") else 3.0 * y


def made_twice(y):
    part, other = Part(), Part()
    part.made(y)
    first = part.s
    part.made(first * y)
    other.made(y * 2.0)
    return part.s * first * other.s


def given_by_itself(part, n, y):
    if n == 0:
        part.s = y
        return y
    return given_by_itself(part, n - 1, y * y) + part.s


def made_by_itself(y):
    part = Part()
    return given_by_itself(part, 3, y) * part.s


def given_on_one_path(part, n, y):
    if n == 0:
        return y
    if y > 0.5:
        part.s = y
    return given_on_one_path(part, n - 1, y * y)


def made_by_itself_on_one_path(y):
    part = Part()
    last = given_on_one_path(part, 3, y)
    return part.s * last if hasattr(part, "s") else 7.0 * y


PROGRAMS = (
    *(asked_before_and_behind, asked_by_what_is_called, asked_for_all, asked_of_two),
    *(made_on_one_path, made_in_a_loop, made_or_caught, made_or_raised, made_twice),
    *(made_by_itself, made_by_itself_on_one_path),
)


@pytest.mark.parametrize("optimise", [None, {"inlining": False}], ids=str)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_an_attribute_is_there_from_when_it_was_made_on(program, optimise):
    derivative = grad(program, optimise=optimise)
    for y in (0.8, -0.6):
        expected = central_difference_gradient(program, [y], 0)
        assert derivative(y) == pytest.approx(expected, rel=1e-6), y
