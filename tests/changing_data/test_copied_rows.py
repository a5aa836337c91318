"""Lists of the rows of an array, which are written into."""

from __future__ import annotations

import textwrap

import pytest

from tests.changing_data.test_cases import IMPORTS
from tests.fuzz.checking import check

RIGHT = {
    "rows of what has no name": """
        def program(x, v, k):
            rows = list(x * np.ones((2, 3)) ** 2)
            rows[0][-1] *= x
            rows[k % 2][0] += v[1]
            return np.sum(rows[-1] ** 2) + np.sum(rows[0] ** 2)
    """,
    "a comprehension": """
        def program(x, v, m, k):
            y = m * x
            rows = [r for r in y]
            for r in rows:
                r[0] *= r[1]
            rows[0][-1] *= x
            return np.sum(rows[-1] ** 2) + np.sum(rows[0] ** 2)
    """,
    "rows of what the reverse sweep reads": """
        def program(x, v, m, k):
            y = np.exp(m * x)
            rows = list(y)
            rows[0][-1] *= x
            rows.append(rows[0])
            rows[k % 3] *= 2.0
            return np.sum(rows[-1] ** 2) + np.sum(rows[0] * rows[1])
    """,
    "in two lists": """
        def program(x, v, m, k):
            y = np.exp(m * x)
            rows, others = [], []
            for i in range(2):
                r = y[i]
                rows.append(r)
                others.append(r)
            rows[0][-1] *= x
            return np.sum(others[0] ** 2) + np.sum(rows[1])
    """,
    "an array of each iteration": """
        def program(x, v, m, k):
            total = 0.0
            for j in range(k + 1):
                y = np.exp(m * x) + j
                rows = [r for r in y]
                for a in rows:
                    a[1:] -= a[0] * v[0]
                rows[-1][0] += x
                total += sum(np.sum(a ** 2) for a in rows)
            return total
    """,
    "places from the end": """
        def program(x, v, m, k):
            y = np.exp(m * x)
            rows = [y[i] for i in range(-2, 2)]
            rows[0][-1] *= x
            return np.sum(rows[2] ** 2) + np.sum(rows[0])
    """,
}
SEEN = {
    "the array is read again": """
        def program(x, v, m, k):
            rows = list(m)
            rows[0][-1] *= x
            rows[k % 2][0] += v[1]
            return np.sum(m ** 2) * rows[1][0]
    """,
    "items of an argument": """
        def program(x, v, m, k):
            rows = [m[i] for i in range(k % 2 + 1)]
            rows[0][-1] *= x
            rows[-1][0] += v[1]
            return np.sum(m ** 2) * rows[0][0]
    """,
    "a view's array is read again": """
        def program(x, v, m, k):
            y = np.exp(m * x)
            rows = list(y[:, ::-1])
            rows[0][-1] *= x
            return np.sum(rows[-1] ** 2) + np.sum(y)
    """,
    "another name is read again": """
        def program(x, v, m, k):
            y = np.exp(m * x)
            z = y.T
            rows = list(y)
            rows[0][-1] *= x
            return np.sum(rows[-1] ** 2) + np.sum(z)
    """,
    "put into the list again": """
        def program(x, v, m, k):
            y = np.exp(m * x)
            rows = []
            for j in range(k + 1):
                for i in range(2):
                    rows.append(y[i])
            rows[0][-1] *= x
            return np.sum(rows[-1] ** 2) + np.sum(rows[0])
    """,
    "two lists of the same rows": """
        def program(x, v, m, k):
            y = np.exp(m * x)
            rows = list(y) + list(y)
            rows[0][-1] *= x
            return np.sum(rows[-2] ** 2) + np.sum(rows[0])
    """,
    "a row taken twice": """
        def program(x, v, m, k):
            y = np.exp(m * x)
            rows, others = [], []
            for i in range(2):
                rows.append(y[i])
                others.append(y[i])
            rows[0][-1] *= x
            return np.sum(others[0] ** 2) + np.sum(rows[1])
    """,
    "the array is read in the loop": """
        def program(x, v, m, k):
            y = np.exp(m * x)
            rows = []
            total = 0.0
            for i in range(2):
                r = y[i]
                rows.append(r)
                r[0] *= x
                rows[0][1] += 1.0
                total += np.sum(y)
            rows[0][-1] *= x
            return np.sum(rows[1] ** 2) + total
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", RIGHT)
def test_nobody_can_tell_copies(name):
    text = IMPORTS + textwrap.dedent(RIGHT[name])
    verdicts = {check(text, seed, 120).verdict for seed in range(4)}
    assert "differentiated" in verdicts
    assert verdicts <= {"differentiated", "left out"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SEEN)
def test_somebody_could_tell_copies(name):
    """Then the elements of the array are followed, see test_array_elements."""
    text = IMPORTS + textwrap.dedent(SEEN[name])
    verdicts = {check(text, seed, 120).verdict for seed in range(3)}
    assert "differentiated" in verdicts
    assert verdicts <= {"differentiated", "left out"}
