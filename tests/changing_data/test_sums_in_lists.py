"""What starts as the number 0 and becomes an array, put into a list of arrays."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a sum of the list": """
        def program(x, v):
            rows = [v * e for e in v]
            rows.append(sum(rows))
            return np.sum(np.array(rows) ** 2) * x
    """,
    "a sum in its place": """
        def program(x, v):
            rows = [v * e for e in v]
            rows[1] = sum(rows) * x
            rows.insert(0, sum(rows))
            return np.sum(np.array(rows) ** 2)
    """,
    "an accumulator": """
        def program(x, v):
            total = 0
            for i in range(3):
                total = total + v * i
            rows = [total]
            for i in range(3):
                rows.append(total * i * x)
            return np.sum(np.array(rows) ** 2)
    """,
    "an accumulator of a list that exists": """
        def program(x, v, m):
            rows = list(m)
            total = 0.0
            for row in rows:
                total += row * x
            rows += [total, total * v]
            return np.sum(np.array(rows) ** 2)
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_is_right(name):
    assert_differentiated(PROGRAMS[name], range(3))


def test_a_number_among_arrays_is_refused_when_it_runs():
    def summed(v, n):
        rows = [v * i for i in range(n)]
        rows.append(sum(rows))
        return np.sum(rows[-1])

    np.testing.assert_array_equal(grad(summed)(np.ones(2), 3), [3.0, 3.0])
    with pytest.raises(TypeError, match="a number is put into a list with arrays"):
        grad(summed)(np.ones(2), 0)
