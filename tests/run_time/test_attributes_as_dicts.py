"""What isn't read of the attributes of objects that are kept."""

from __future__ import annotations

import pytest

from s2sad import errors, grad


class Part:
    def __init__(self, a, b, turned=False):
        if turned:
            self.b = b
        self.a = a
        self.b = b


def total(parts):
    found = 0.0
    for part in parts:
        for value in vars(part).values():
            found = 0.5 * found + value
    return found


def parts_of(count):
    return [Part(1.0, 2.0) for _ in range(count)]


def test_attributes_in_another_order_are_refused_when_the_derivative_runs():
    derivative = grad(total)
    assert derivative(parts_of(80))[-1].b == 1.0
    with pytest.raises(ValueError, match="in this order"):
        derivative([*parts_of(80), Part(1.0, 2.0, turned=True)])


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b

    @property
    def __dict__(self):
        return {"a": self.a, "b": self.b}


def test_classes_with_slots_are_refused():
    with pytest.raises(errors.UnsupportedError, match="has slots"):
        grad(total)([Slotted(1.0, 2.0) for _ in range(80)])


def test_objects_of_which_some_lack_attributes_are_refused():
    parts = parts_of(80)
    del parts[3].b
    with pytest.raises(errors.UnsupportedError, match="not all have the same ones"):
        grad(total)(parts)
