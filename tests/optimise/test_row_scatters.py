"""Elements of rows are scattered into their array at once."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "pairs of points": """
        def program(m, y):
            total = 0.0
            for a, b in zip(m, m[1:]):
                total = total + a[0] * b[1] - np.sin(a[1]) * b[0] * y
            return total * y
    """,
    "a row read whole, too": """
        def program(m, y):
            total = 0.0
            for row in m:
                total = total + row[0] * row[-1] + np.sum(row * row) * y
            return total
    """,
    "slices of rows": """
        def program(m, y):
            total = 0.0
            for k in range(len(m)):
                row = m[k]
                total = total + np.sum(row[1:] * row[:-1]) * row[0] * y
            return total
    """,
    "the row's place changes later": """
        def program(m, y):
            k, total = 0, y
            row = m[k]
            first = row[0]
            k = 1
            return first * row[1] * total + m[k][0] * first
    """,
    "a row chosen by an index array": """
        def program(m, y):
            rows = m[np.array([0, 1, 0])]
            return rows[0][1] * rows[2][1] * y + rows[1][0]
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_rows(text):
    assert_differentiated(text)


def test_no_adjoint_of_the_row_is_made():
    def crossed(m):
        total = 0.0
        for row in m:
            total = total + row[0] * row[1]
        return total

    derived = grad(crossed)
    points = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(derived(points), points[:, ::-1])
    text = derived.source_for(points)
    assert "row_bar" not in text and "m_bar[row_index, 0] = row[1]" in text
    plain = grad(crossed, optimise=False)
    np.testing.assert_array_equal(plain(points), points[:, ::-1])


def test_a_row_of_a_row():
    """The row of a row is left out first, and its own row then."""

    def program(x, k):
        grid = np.expand_dims(x, 0)[0]
        row = grid[1]
        return row[k] * 3.0

    x = np.arange(6.0).reshape(2, 3)
    gradient = grad(program)
    text = gradient.source_for(x, 2)
    assert "row_bar" not in text and "[0, 1, k] = 3.0" in text
    np.testing.assert_array_equal(gradient(x, 2), [[0, 0, 0], [0, 0, 3]])
