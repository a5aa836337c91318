"""Arrays that lists, dicts and objects hold and that are written into, under their own
name or another one."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "rows of a list": """
        def program(x, v):
            rows = []
            for i in range(len(v)):
                rows.append(v * x)
            for i in range(len(v)):
                rows[i][0] = x * rows[i][1]
                rows[i] += 1.0
            return np.sum(np.array(rows) ** 2)
    """,
    "the row of a loop": """
        def program(x, v):
            rows = [v * x * k for k in range(len(v))]
            total = 0.0
            for r in rows:
                r *= x
                r[0] -= total
                total += r[0] * r[1]
            return total + rows[1][0] * rows[0][1]
    """,
    "one row twice": """
        def program(x, v):
            row = v * x
            rows = []
            for k in range(len(v)):
                rows.append(row)
                row[k] = row[k] ** 2 + rows[0][0]
            rows[1][0] *= x
            return np.sum(np.array(rows) ** 2) + row[0]
    """,
    "a row in two lists": """
        def program(x, v):
            odd, all_rows = [], []
            for k in range(len(v)):
                row = v * (x + k)
                all_rows.append(row)
                if k % 2:
                    odd.append(row)
            for row in odd:
                row[1:] *= x
            for row in all_rows:
                row += odd[0][1]
            return sum(np.sum(r**2) for r in all_rows) + odd[0][0] * x
    """,
    "chosen rows": """
        def program(x, v):
            rows = [v * x, v * v, v + x]
            more = []
            for k in range(len(v)):
                more.append(rows[k % 3])
            best = more[0]
            for row in more:
                if row[1] > best[1]:
                    best = row
            best[1] = x * best[0]
            return np.sum(rows[0] * rows[1] * rows[2]) + more[0][1]
    """,
    "a slice of a row": """
        def program(x, v):
            rows = []
            for k in range(len(v)):
                rows.append(v * (x + k))
            tail = rows[1][1:]
            rows[1][2] = x
            tail *= x
            rows[0][:2] = tail[0]
            return np.sum(rows[0] * rows[1]) + np.sum(tail)
    """,
    "a stack of rows": """
        def program(x, v):
            stack = [v * x, v * 2.0]
            for k in range(len(v)):
                top = stack.pop()
                top[0] = top[1] * x
                if top[0] > 0.0:
                    stack.append(top * x)
                stack.append(top)
                top[1] += x
            return sum(np.sum(s**2) for s in stack)
    """,
    "rows of different lengths": """
        def program(x, v):
            rows = []
            for k in range(1, len(v)):
                rows.append(v[:k] * x)
            for row in rows:
                row[0] = x * row[-1]
            last = rows[-1]
            last[-1] *= x
            return sum(np.sum(r**2) for r in rows)
    """,
    "rows replaced": """
        def program(x, v):
            rows = []
            for k in range(len(v)):
                rows.append(v * x)
            old = rows[0]
            rows[0] = rows[1]
            rows[0][0] = x**2
            old[1] = rows[1][0] * x
            return np.sum(rows[0] * rows[1]) + np.sum(old**2)
    """,
    "rows swapped": """
        def program(x, v):
            rows = []
            for k in range(len(v)):
                rows.append(v * (x + k))
            for k in range(len(v) - 1):
                rows[k], rows[k + 1] = rows[k + 1], rows[k]
                rows[k][0] += rows[k + 1][1] * x
            return sum(np.sum(r**2) for r in rows) + rows[0][0] * rows[-1][1]
    """,
    "a list and its copy": """
        def program(x, v):
            rows = []
            for k in range(len(v)):
                rows.append(v * (x + k))
            others = list(rows)
            others.append(v * x)
            rows[0][0] = x
            others[1] *= x
            others[-1][1] = others[0][0]
            return sum(np.sum(r**2) for r in rows) + sum(np.sum(r**3) for r in others)
    """,
    "a dict by keys of the run": """
        def program(x, v):
            kept = {}
            for k in range(len(v)):
                key = k % 2
                if key not in kept:
                    kept[key] = v * x
                kept[key][k] *= x
                kept[key] += kept[0][1]
            return np.sum(kept[0] ** 2) + kept[1][0]
    """,
    "objects of a list": """
        class Cell:
            def __init__(self, w):
                self.w = w
                self.total = 0.0

            def step(self, x):
                self.w[0] = x * self.w[1]
                self.w += x
                self.total += self.w[0]

        def program(x, v):
            cells = [Cell(v * k * x) for k in range(len(v))]
            best = cells[0]
            for c in cells:
                c.step(x)
                if c.total > best.total:
                    best = c
            best.w[1] *= 2.0
            return np.sum(cells[1].w * best.w) + cells[0].w[0]
    """,
    "objects that share an array": """
        class Cell:
            def __init__(self, w):
                self.w = w

        def program(x, v):
            w = v * x
            cells = [Cell(w) for k in range(len(v))]
            for c in cells:
                c.w[0] *= x
                w[1] += c.w[0]
            cells[0].w = v * 1.0
            cells[0].w[1] = w[0]
            return np.sum(w**2) + cells[1].w[0] * cells[0].w[1]
    """,
    "linked objects": """
        class Node:
            def __init__(self, w, link):
                self.w, self.link = w, link

        def program(x, v):
            head = None
            for k in range(len(v)):
                head = Node(v * (x + k), head)
            node = head
            while node is not None:
                node.w[0] *= x
                if node.link is not None:
                    node.link.w[1] += node.w[0]
                node = node.link
            return np.sum(head.w * head.link.w)
    """,
    "a row read before and after": """
        def program(x, v):
            rows = []
            for k in range(len(v)):
                rows.append(v * x)
            total = 0.0
            for k in range(len(v)):
                before = rows[k] * x
                rows[k][k] = np.sum(before)
                total += np.sum(rows[k] * before)
            return total
    """,
    "stores by slices and masks": """
        def program(x, v):
            rows = []
            for k in range(len(v)):
                rows.append(v * (x + k))
            rows[0][1:] = rows[1][:-1]
            rows[1][rows[1] > 0.0] = x
            rows[-1][[0, 1]] = rows[0][[1, 0]]
            rows[-1][:] = rows[-1][::-1] * x
            return sum(np.sum(r**2) for r in rows)
    """,
    "an array that is a parameter": """
        def program(x, v):
            rows = []
            for k in range(len(v)):
                rows.append(v if k % 2 else v * x)
            rows[1][0] = x * rows[0][1]
            rows[0][1] = v[0]
            return np.sum(v**2) + sum(np.sum(r) * x for r in rows)
    """,
    "sums of what is kept": """
        def program(x, v):
            total = v * 0.0
            history = []
            for k in range(len(v)):
                total += v * x
                history.append(total.copy())
                if k:
                    history[k] -= history[k - 1]
            return np.sum(np.stack(history) ** 2) + total[0]
    """,
}


IN_A_RECURSION = """
    def program(x, v):
        rows = []

        def fill(n):
            if n == 0:
                return
            rows.append(v * x * n)
            fill(n - 1)
            rows[-1][0] += rows[0][1]

        fill(3)
        return sum(np.sum(r**2) for r in rows)
"""


def test_a_recursion_that_writes_into_items():
    assert_differentiated(textwrap.dedent(IN_A_RECURSION), seeds=range(3))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=list(PROGRAMS))
def test_arrays_in_lists(text):
    assert_differentiated(textwrap.dedent(text), seeds=range(3))


WITHOUT_A_TANGENT = """
    TABLE = np.array([1.3])

    class Body:
        def __init__(self, h):
            self.h = h
            self.w = TABLE * 0.5

    def program(x, v):
        bodies = [Body(e * x) for e in v]
        bodies[1].w += bodies[0].h
        bodies[0].w[0] = bodies[1].h ** 2
        return np.sum(bodies[1].w * bodies[0].w)
"""
AN_ITEM_OF_A_PART = """
    class Body:
        def __init__(self, h):
            self.path = [0.5, h]

    def program(x, v):
        team = [Body(e * x) for e in v]
        team.reverse()
        return team[0].path[1] * team[1].path[0]
"""


@pytest.mark.parametrize("text", [WITHOUT_A_TANGENT, AN_ITEM_OF_A_PART])
def test_lists_that_hold_nothing_active_at_first(text):
    assert_differentiated(textwrap.dedent(text), seeds=range(2))


OF_MODULE = np.array([1.0, 2.0])


def repeated(x, n):
    rows = [OF_MODULE] * n
    rows[0][0] += x
    return rows[1][0]


def replaced_and_written(x, n):
    rows = [OF_MODULE] * n
    for k in range(n):
        rows[k] = rows[k] + x
        rows[k][0] += x
    return rows[0][0]


def repeated_in_tuples(x, n):
    rows = [(OF_MODULE, x)] * n
    rows[0][0][0] += x
    return rows[1][0][0]


def joined(x, n):
    rows = [x * OF_MODULE]
    for _ in range(n):
        rows = rows + [OF_MODULE]
    rows[1][0] += x
    return rows[2][0]


@pytest.mark.parametrize(
    "function", [repeated, replaced_and_written, repeated_in_tuples, joined]
)
def test_arrays_of_the_module_in_lists_are_not_written_into(function):
    with pytest.raises(UnsupportedError, match="the caller or its module may share"):
        grad(function)(1.3, 3)
    assert OF_MODULE.tolist() == [1.0, 2.0]


def others_written(x, n):
    rows = [OF_MODULE] * n
    rows = [row + x for row in rows]
    rows[0][0] *= x
    return sum(row[0] for row in rows)


def beside_another(x, n):
    rows = [OF_MODULE, x * OF_MODULE] * n
    y = x * OF_MODULE
    y[0] = rows[1][0]
    return y[0] * x + sum(row[0] for row in rows)


@pytest.mark.parametrize("function", [others_written, beside_another])
@pytest.mark.parametrize("optimise", [True, False])
def test_arrays_beside_those_of_the_module_are(function, optimise):
    slope, h = grad(function, optimise=optimise)(1.3, 3), 1e-6
    difference = (function(1.3 + h, 3) - function(1.3 - h, 3)) / (2 * h)
    assert slope == pytest.approx(difference, rel=1e-6)
