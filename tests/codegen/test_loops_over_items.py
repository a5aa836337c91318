"""Loops over lists of run-time values run over items where nothing reads the index."""

from __future__ import annotations

from dataclasses import dataclass

from s2sad import grad


@dataclass
class Spring:
    k: float
    rest: float


def recurrence(springs, x):
    for s in springs:
        x = x * s.k + s.rest * x**2
    return x


def chosen(springs):
    strong = [s for s in springs if s.k > 1.0]
    total = 0.0
    for s in strong:
        total += s.k * s.rest
    return total


def numbered(springs):
    total = 0.0
    for k, s in enumerate(springs):
        total += k * s.k**2
    return total


SPRINGS = [Spring(0.8 + 0.1 * k, 0.5) for k in range(6)]


def test_the_items_are_run_over() -> None:
    text = grad(recurrence).source_for(SPRINGS, 0.5)
    assert "for s in springs:" in text


def test_a_list_and_its_adjoint_side_by_side() -> None:
    text = grad(chosen).source_for(SPRINGS)
    assert "for s, s_bar in zip(springs, springs_bar):" in text
    gradient = grad(chosen)(SPRINGS)
    assert [s.k for s in gradient] == [0.0, 0.0, 0.0, 0.5, 0.5, 0.5]


def test_an_index_that_is_read_stays() -> None:
    gradient = grad(numbered)(SPRINGS)
    expected = [2.0 * k * s.k for k, s in enumerate(SPRINGS)]
    assert [s.k for s in gradient] == expected
