"""Attributes that given objects have in their class alone, and that are stored into."""

from __future__ import annotations

import pytest

from s2sad import errors, grad, jvp, value_and_grad
from tests.run_time.programs.class_data import (
    Controller,
    Scaled,
    controlled,
    in_turn,
    turned,
)

ERRORS = [0.3, 0.7, 0.2] * 30


def test_a_gradient_has_the_attributes_that_the_object_had():
    controller = Controller(1.0, 2.0)
    found = grad(controlled)(controller, ERRORS)
    assert sorted(vars(found)) == ["gain", "rate"]
    assert sorted(vars(controller)) == ["gain", "rate"]


def test_an_object_that_has_it_itself_has_a_derivative_by_it():
    fresh, used = Controller(1.0, 2.0), Controller(1.0, 2.0)
    used.integral, used.last = 0.5, 0.1
    derivative = value_and_grad(controlled)
    for controller, names in ((fresh, 2), (used, 4), (fresh, 2)):
        value, found = derivative(controller, ERRORS)
        assert len(vars(found)) == names
        same = Controller(1.0, 2.0)
        vars(same).update(vars(controller))
        assert value == pytest.approx(controlled(same, ERRORS))


def made(count):
    return [Controller(1.0 + 0.01 * k, 2.0 - 0.01 * k) for k in range(count)]


def test_what_the_class_holds_is_read_when_the_derivative_runs(monkeypatch):
    derivative = value_and_grad(in_turn, wrt="error")
    for start in (0.0, 1.5, -2.0):
        monkeypatch.setattr(Controller, "integral", start)
        value, _ = derivative(made(70), 0.3)
        assert value == pytest.approx(in_turn(made(70), 0.3))


def scaled(step=0.0):
    return [Scaled(1.0 + (0.01 + step) * k) for k in range(70)]


def test_a_tangent_needs_no_such_attribute():
    direction = [Scaled(float(k)) for k in range(70)]
    value, tangent = jvp(turned, (scaled(), 0.3), (direction, 0.0))
    moved = turned(scaled(1e-6), 0.3) - turned(scaled(-1e-6), 0.3)
    assert value == pytest.approx(turned(scaled(), 0.3))
    assert tangent == pytest.approx(moved / 2e-6)


class Remembering:
    last = None

    def __init__(self, w):
        self.w = w


def differences(parts, x):
    total = 0.0
    for part in parts:
        for factor in (1.0, 2.0):
            if part.last is not None:
                total += (factor * x - part.last) ** 2
            part.last = factor * x * part.w
    return total


def test_none_in_the_class():
    def parts():
        return [Remembering(1.0 + 0.01 * k) for k in range(70)]

    given = parts()
    value, found = value_and_grad(differences)(given, 0.5)
    assert value == pytest.approx(differences(parts(), 0.5))
    moved = parts()
    moved[3].w += 1e-6
    expected = (differences(moved, 0.5) - value) / 1e-6
    assert found[3].w == pytest.approx(expected, rel=1e-4)
    assert sorted(vars(found[3])) == sorted(vars(given[3])) == ["w"]


def test_some_objects_with_and_some_without_is_an_error_of_its_own():
    parts = made(70)
    parts[3].last = 1.0
    with pytest.raises((AttributeError, errors.S2sadError), match="give"):
        grad(in_turn)(parts, 0.5)
