"""Loops over lists of run-time values run over items where nothing reads the index."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from s2sad import grad
from s2sad.testing import check_grads


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


def in_branches(springs):
    total = 0.0
    for s in springs:
        if s.k > 1.0:
            total += s.k * s.rest
        else:
            total -= s.rest**2
    return total


def further_than_the_list(springs, turns):
    total = 0.0
    for k in range(turns):
        if k < len(springs):
            total += springs[k].k ** 2
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


def test_items_that_are_read_in_branches_are_run_over() -> None:
    text = grad(in_branches).source_for(SPRINGS)
    assert "in zip(reversed(springs), reversed(springs_bar)" in text
    assert "_index" not in text
    assert [s.k for s in grad(in_branches)(SPRINGS)] == [0.0] * 3 + [0.5] * 3
    assert [s.rest for s in grad(in_branches)(SPRINGS)] == [
        s.k if s.k > 1.0 else -2.0 * s.rest for s in SPRINGS
    ]


def test_an_item_that_may_not_be_there_is_read_in_its_branch() -> None:
    gradient = grad(further_than_the_list)(SPRINGS, 9)
    assert [s.k for s in gradient] == [2.0 * s.k for s in SPRINGS]


class Part:
    def __init__(self, x):
        self.x = x


def made_and_moved(x, n):
    parts = []
    for k in range(n):
        parts.append(Part(x * k))
    parts.append(parts[0])
    for before, part in zip(parts, parts[1:]):
        part.x += 0.1 * before.x
    return sum(part.x**2 for part in parts)


def grown_in_the_loop(x, n):
    parts = [Part(x), Part(2.0 * x)]
    parts.append(parts[n % 2])
    total = 0.0
    for k in range(n):
        for part in parts:
            total = 0.9 * total + part.x * x
        parts.append(parts[k])
        parts[k + 1].x *= x
    return total


def differences(function, x, n, step=1e-6):
    return (function(x + step, n) - function(x - step, n)) / (2.0 * step)


def test_lists_that_were_filled_before_are_run_over() -> None:
    text = grad(made_and_moved).source_for(0.7, 4)
    assert "for before, part in zip(parts" in text
    assert "for part, part_bar in zip(reversed(parts" in text
    assert "[part_index]" not in text
    found = grad(made_and_moved)(0.7, 4)
    assert found == pytest.approx(differences(made_and_moved, 0.7, 4))


def test_a_list_that_grows_in_a_loop_around_is_as_long_as_it_was() -> None:
    found = grad(grown_in_the_loop)(0.7, 4)
    assert found == pytest.approx(differences(grown_in_the_loop, 0.7, 4))


def turned(rows, w):
    total = w
    for row in rows:
        total = total * row
    return np.sum(total)


def dotted(x, y, w):
    for a, b in zip(x, y):
        w = w * a + b
    return w


def stored_behind(x, w):
    x = x.copy()
    for k, v in enumerate(x):
        x[-1 - k] = w
        w = w * v
    return w + np.sum(x)


X = np.linspace(0.5, 1.5, 12).tolist()
ROWS = np.reshape(X, (4, 3))


def test_rows_of_arrays() -> None:
    text = grad(turned, "w").source_for(ROWS, ROWS[0])
    assert "for row in rows:" in text
    assert "for row in reversed(rows):" in text
    check_grads(turned, (ROWS, ROWS[0]))


def test_several_arrays() -> None:
    assert "for a, b in zip(x, y):" in grad(dotted, "w").source_for(*ROWS[:2], 0.3)
    check_grads(dotted, (*ROWS[:2], 0.3))


def test_an_array_that_is_stored_into() -> None:
    check_grads(stored_behind, (ROWS[0], 0.7))


def last_of_both(xs, ys, w):
    for x, y in zip(xs, ys):
        w = np.sin(w * x)
        last = y
    return w + last


def test_items_that_the_sweep_does_not_read() -> None:
    def ahead(xs, ys, w):
        total = 0.0
        for x, y in zip(xs, ys):
            w = np.tanh(w * x)
            total += np.sum((w - y) ** 2)
        return total

    xs, ys = ROWS[:3], ROWS[1:]
    text = grad(ahead, "w").source_for(xs, ys, ROWS[0])
    assert "for x, _ in zip(xs, ys):" in text
    check_grads(ahead, (xs, ys, ROWS[0]))
    check_grads(last_of_both, (X[:6], X[:7], 0.7))
