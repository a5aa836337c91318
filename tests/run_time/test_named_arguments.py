"""Dicts that are unpacked into calls and aren't what the functions take."""

from __future__ import annotations

import pytest

from s2sad import errors, grad


def energy(k, rest, x=1.5):
    return k * (x - rest) ** 2


def energies(rows):
    return sum(energy(**d) for d in rows)


def stretched(rows):
    return sum(energy(2.0, **d) for d in rows)


def scaled(scale, **others):
    return scale * sum(others.values())


def all_scaled(rows):
    return sum(scaled(3.0, **d) for d in rows)


GOOD = {"k": 1.0, "rest": 0.5}


@pytest.mark.parametrize(
    ("function", "good", "bad", "reason"),
    (
        (energies, GOOD, {"k": 1.0}, "missing a required argument: 'rest'"),
        (energies, GOOD, {**GOOD, "y": 1.0}, "an unexpected keyword argument 'y'"),
        (stretched, {"rest": 0.5}, GOOD, "keyword argument 'k'"),
        (all_scaled, GOOD, {"scale": 2.0}, "multiple values for argument 'scale'"),
        (all_scaled, GOOD, {3: 2.0}, "keywords must be strings"),
    ),
)
def test_what_python_raises_is_raised(function, good, bad, reason):
    derivative = grad(function)
    rows = [dict(good) for _ in range(80)]
    assert len(derivative(rows)) == 80
    rows[7] = bad
    with pytest.raises(TypeError):
        function(rows)
    with pytest.raises(TypeError, match=reason):
        derivative(rows)


def powers(rows):
    return sum(pow(**d) for d in rows)


def joined(rows):
    return sum(energy(**a, **b) for a, b in rows)


def counted(rows):
    return sum(energy(*a, **b) for a, b in rows)


@pytest.mark.parametrize(
    ("function", "rows", "reason"),
    (
        (powers, [{"base": 2.0, "exp": 3.0}] * 80, "into a call of pow"),
        (joined, [({"k": 1.0}, {"rest": 2.0})] * 80, "several dicts"),
        (counted, [([1.0], {"rest": 2.0})] * 80, "how many arguments are given"),
    ),
)
def test_what_is_refused(function, rows, reason):
    with pytest.raises(errors.UnsupportedError, match=reason):
        grad(function)(rows)
