"""Whole numbers that may be None as indices of arrays."""

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "read and stored into": """
        def program(x, v):
            last = None
            for i in range(len(v)):
                if v[i] > -9.0:
                    last = i
            w = np.outer(v, v) * x
            z = v.copy()
            z[last] = x * x
            z[last] += v[0]
            return z[last] * w[last, 0] + np.sum(w[:, last]) + v[last - 1] * v[last]
    """,
    "an attribute of a tree that grows": """
        class Cell:
            def __init__(self):
                self.mass, self.body, self.kids = 0.0, None, None
            def insert(self, i, masses):
                if self.kids is None and self.body is None:
                    self.body = i
                else:
                    if self.kids is None:
                        self.kids = [Cell(), Cell()]
                        self.kids[self.body % 2].insert(self.body // 2, masses)
                        self.body = None
                    self.kids[i % 2].insert(i // 2, masses)
                self.mass += masses[i]
            def total(self, masses):
                if self.kids is None:
                    return 0.0 if self.body is None else masses[self.body] * self.mass
                return self.mass ** 2 + sum(k.total(masses) for k in self.kids)
        def program(x, v):
            root = Cell()
            for i in range(3):
                root.insert(i, v * x)
            return root.total(v)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_places_that_were_none_at_first(name):
    assert_differentiated(PROGRAMS[name])


def largest(x, limit):
    place = None
    for i in range(len(x)):
        if x[i] > limit:
            place = i
    return np.sum(x[place] ** 2)


def test_none_where_a_number_was_expected_raises():
    """NumPy would add an axis, which no derivative of the number does."""
    x = np.array([0.7, 0.9, 0.3])
    np.testing.assert_allclose(grad(largest)(x, 0.5), [0.0, 1.8, 0.0])
    with pytest.raises(TypeError, match="an index is None here"):
        grad(largest)(x, 1.0)


def test_none_alone_adds_an_axis():
    def spread(x):
        place = None
        return np.sum(x[place] * x[:, place])

    x = np.array([0.7, 0.9, 0.3])
    np.testing.assert_allclose(grad(spread)(x), np.full(3, 2 * np.sum(x)))
