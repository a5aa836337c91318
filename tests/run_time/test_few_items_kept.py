"""Programs over few items of which only the run knows which one a name means: found by
random programs."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, jvp, vjp

ARRAY = np.array([0.5, 0.7, 1.1, 0.3])
LIST = [0.5, 0.7, 1.1, 0.3]


class Box:
    def __init__(self, values):
        self.values = values


def added_at_a_list(x):
    b = 2.0 * x
    rows = [z * x for z in x]
    rows[-1] = b
    np.add.at(b, [0, 0, 1], x[1])
    return b[0] * b[1]


def added_at_two_lists(x):
    b = np.outer(x, x)
    rows = [b * z for z in x]
    rows[-1] = b
    np.add.at(b, ([0, 0, 1], [1, 1, 0]), x[1])
    return np.sum(b * b)


def subtracted_in_objects(x):
    boxes = [Box(2.0 * x), Box(x * x)]
    boxes.append(boxes[0])
    for box in boxes:
        np.subtract.at(box.values, [0, 0], x[1])
    return boxes[0].values @ boxes[1].values


def unlike_rows_joined(x):
    rows = [z * x for z in x]
    last = rows.pop()
    np.add.at(last, [0, 0, 1], x[1])
    joined = np.concatenate([x[:2], rows[0]])
    return joined @ joined + last[0]


def made_anew_in_an_attempt(xs):
    a = xs[:]
    b = [xs[0], 0.5]
    c = a[::-1]
    a.append(xs[-1])
    try:
        b = [0.8 * z for z in a]
    except ValueError:
        c = [c[1], c[-1]]
    k = 0
    while k < 3 and xs[0] < 1.77:
        k += 1
        b = c
    return sum(z / (i + 1) for i, z in enumerate(b))


def appended_in_a_handler(xs):
    b = xs[:]
    for k in range(3):
        try:
            c = [0.8 * z for z in b]
            if k % 2 == 0:
                raise ValueError
        except ValueError:
            b.append(c[k])
        c.append(0.9 * b[k])
    return c[0] * b[-1]


def turned_rows(xs):
    grid = [[xs[0]] * 3, [xs[1], xs[2], 0.1], [0.2, 0.3, xs[2]]]
    grid[1] = grid[0]
    for r in range(3):
        grid[r] = grid[r][1:] + grid[r][:1]
    turned = [list(column) for column in zip(*grid)]
    return sum(sum(row) ** 2 * (i + 2) for i, row in enumerate(turned))


def slopes(function, given):
    """Central differences by each number."""
    found = []
    for k in range(len(given)):
        values = []
        for step in (1e-6, -1e-6):
            moved = given.copy()
            moved[k] += step
            values.append(function(moved))
        found.append((values[0] - values[1]) / 2e-6)
    return found


PROGRAMS = [
    *((f, ARRAY) for f in (added_at_a_list, added_at_two_lists)),
    *((f, ARRAY) for f in (subtracted_in_objects, unlike_rows_joined)),
    *((f, LIST) for f in (made_anew_in_an_attempt, appended_in_a_handler, turned_rows)),
]


@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize(
    ("function", "given"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS]
)
def test_against_differences(function, given, optimise):
    want = slopes(function, given)
    gradient = grad(function, optimise=optimise)(given)
    assert gradient == pytest.approx(want, rel=1e-5, abs=1e-7)
    _, pullback = vjp(function, given)
    for _ in range(2):
        (found,) = pullback(1.0)
        assert found == pytest.approx(want, rel=1e-5, abs=1e-7)
    assert given == pytest.approx(ARRAY)


@pytest.mark.parametrize(
    ("function", "given"), PROGRAMS[:4], ids=[f.__name__ for f, _ in PROGRAMS[:4]]
)
def test_tangents(function, given):
    tangent = np.linspace(1.0, 2.0, len(given))
    _, found = jvp(function, (given,), (tangent,))
    assert found == pytest.approx(tangent @ slopes(function, given), rel=1e-5)
