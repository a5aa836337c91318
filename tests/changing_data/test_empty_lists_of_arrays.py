"""Lists of arrays that are empty at times: ``np.array([])`` has one axis, whatever the
shape of the items would be, and its cotangent is added to those of longer lists."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from s2sad import grad, hvp
from tests.frontend.whole_programs import IMPORTS
from tests.fuzz.checking import check, load

PROGRAMS = {
    "stacked before the first is appended": """
        rows = []
        for i in range(4):
            s += np.sum(np.array(rows) ** 3)
            rows.append(v * i)
    """,
    "stacked after the last was taken": """
        rows = [v * i for i in range(k + 1)]
        while rows:
            s += np.sum(np.array(rows) ** 3)
            rows.pop()
        s += np.sum(np.array(rows) ** 3)
    """,
    "copied and made longer": """
        rows = []
        for i in range(k + 1):
            longer = rows.copy()
            longer.append(v * i)
            s += np.sum(np.array(longer) ** 2)
            if len(rows) > 0:
                s += np.sum(np.array(rows) ** 3)
            rows = longer
    """,
    "made longer by a sum": """
        rows = []
        for i in range(k + 1):
            longer = rows + [v * i]
            s += np.sum(np.array(longer) ** 2) + np.sum(np.array(rows) ** 3)
            rows = longer
    """,
    "two more at a time": """
        rows = []
        while len(rows) < 5:
            longer = rows + [v, v * s]
            s += np.sum(np.array(rows) ** 3)
            rows = longer
    """,
    "none in front": """
        rows = [v * i for i in range(k + 1)]
        few = [v for e in rows if np.sum(e) > 1e5]
        both = few + rows
        s += np.sum(np.array(both) ** 2) + np.sum(np.array(few) ** 3)
    """,
    "none behind": """
        rows = [v * i for i in range(k + 1)]
        few = [v for e in rows if np.sum(e) > 1e5]
        both = rows + few
        few.extend(rows)
        s += np.sum(np.array(both) ** 2) + np.sum(np.array(few) ** 3)
    """,
    "all but the first": """
        rows = [v * i for i in range(k + 1)]
        while rows:
            s += np.sum(np.array(rows) ** 3)
            rows = rows[1:]
        s += np.sum(np.array(rows) ** 3)
    """,
    "all but the last": """
        rows = [v * i for i in range(k + 1)]
        while rows:
            s += np.sum(np.array(rows) ** 3)
            rows = rows[:-1]
        s += np.sum(np.array(rows) ** 3)
    """,
    "a slice of none that grows": """
        rows = [v for e in range(0)]
        others = rows[1:]
        for i in range(k + 1):
            others.append(v * i)
        s += np.sum(np.array(others) ** 2) + np.sum(np.array(rows))
    """,
    "matrices": """
        rows = []
        for i in range(k + 1):
            longer = rows + [m * i, m]
            s += np.sum(np.array(longer) ** 2) + np.sum(np.array(rows) ** 3)
            rows = longer
    """,
}


def program_of(body: str) -> str:
    lines = textwrap.dedent(body).strip()
    start = "def program(x, v, m, k):\n    s = np.sum(v) + np.sum(m) * x\n"
    return IMPORTS + start + textwrap.indent(lines, "    ") + "\n    return s * x\n"


ERROR_IN_GRADIENTS_OF_GRADIENTS = {"stacked after the last was taken"}
"""NumPy's error when it runs: an item that is taken has no place in an array without
rows."""


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name):
    outcome = check(program_of(PROGRAMS[name]), 1)
    assert outcome.verdict == "differentiated", (outcome.detail, outcome.text)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name", sorted(PROGRAMS.keys() - ERROR_IN_GRADIENTS_OF_GRADIENTS)
)
def test_gradients_of_gradients(name):
    program = load(program_of(PROGRAMS[name]))["program"]
    x, v, m, k = 0.7, np.array([0.5, -1.2, 0.3]), np.ones((2, 3)), 3

    def directional(v):
        return np.sum(grad(program, wrt="v")(x, v, m, k) * np.array([1.0, 2.0, 3.0]))

    expected = hvp(program, wrt="v")(x, v, m, k, np.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(grad(directional)(v), expected, rtol=1e-10)


RATE = 0.7


def steps(x, v, n):
    if n <= 0:
        return 0.5
    return steps(0.5, v, n - 2)


def test_a_list_in_a_try_beside_recursion():
    """The tangents of a list were another list, shorter in earlier iterations."""

    def program(v, m):
        try:
            m = np.array([v for _ in v])
        except ValueError:
            pass
        return np.sum(m**2) + steps(RATE, v, n=1)

    v, m = np.array([1.0, 2.0, 3.0]), np.ones((3, 3))
    for_v, for_m = hvp(program, wrt=("v", "m"))(v, m, (v, m))
    np.testing.assert_allclose(for_v, 6 * v)
    np.testing.assert_array_equal(for_m, np.zeros((3, 3)))
