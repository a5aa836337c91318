"""Objects whose ``__next__`` changes them, run over in all ways."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import assert_differentiated

CLASSES = """
class Halves:
    def __init__(self, e, n):
        self.e, self.n = e, n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.e = self.e * 0.5 + self.e**2 * 0.1
        return self.e


class Above:
    def __init__(self, values, least):
        self.values, self.least, self.place = values, least, 0

    def __iter__(self):
        return self

    def __next__(self):
        while self.place < len(self.values):
            e = self.values[self.place]
            self.place += 1
            if e > self.least:
                return e, self.place
        raise StopIteration()


class Twice:
    def __init__(self, e):
        self.e = e

    def __iter__(self):
        return Halves(self.e, 3)
"""

PROGRAMS = {
    "to its end, and the state behind it": """
        def program(x, k):
            halves = Halves(x, k + 1)
            total = 0.0
            for e in halves:
                total += e * e
            return total * halves.e + halves.e + halves.n
    """,
    "left, and run over again": """
        def program(x, y, k):
            halves = Halves(x, 6)
            total = 0.0
            for e in halves:
                total += e * e
                if halves.n < k + 2:
                    break
            for e in halves:
                total += e * y
            return total * halves.e + halves.n
    """,
    "next, with and without a default": """
        def program(x, y):
            halves = Halves(x, 3)
            a, b, c = next(halves), next(halves), next(halves, y)
            return a * b * c * next(halves, y * x) + halves.e
    """,
    "next inside of a loop over it": """
        def program(x, k):
            halves = Halves(x, 5)
            total = 0.0
            for e in halves:
                if halves.n > k:
                    total += next(halves) * e
                else:
                    total += e
            return total * halves.e
    """,
    "of objects in a list": """
        def program(x, y, k):
            team = [Halves(x, 2), Halves(x * y, 3)]
            total = 0.0
            for i in range(k + 2):
                total += next(team[i % 2], y) * i
            return total + team[0].e * team[1].e
    """,
    "enumerate, zip, sum, list, unpacked": """
        def program(x, y):
            numbered, zipped = Halves(x, 3), Halves(y, 5)
            total = 0.0
            for i, e in enumerate(numbered):
                total += e * i
            for e, i in zip(zipped, range(2)):
                total += e * i
            a, b, c = Halves(x * y, 3)
            items = list(Halves(y, 3))
            total += sum(Halves(x, 3)) * a * b + c + items[0] * items[-1]
            return total + numbered.e + zipped.e * zipped.n
    """,
    "__iter__ makes another object": """
        def program(x, y):
            twice = Twice(x)
            return sum(e * e for e in twice) * max(twice) + sum(Twice(y)) * x
    """,
    "a loop that looks for the next": """
        def program(x, v):
            total = 0.0
            found = Above(v * x, -0.2)
            for e, i in found:
                total += e * e * i
            return total * x + found.place
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_iterators_with_state(name):
    assert_differentiated(CLASSES + textwrap.dedent(PROGRAMS[name]))
