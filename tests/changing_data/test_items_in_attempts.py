"""Items of lists of unknown length, held by names while a try statement may raise."""

import textwrap

import pytest

from tests.frontend.whole_programs import assert_differentiated

BODIES = """
    class Body:
        def __init__(self, q, p):
            self.q = q
            self.path = [p, q * p]
        def push(self, e):
            self.path[0] *= e
            self.q += math.log(e) * self.path[-1]
            return self.q
"""


def with_bodies(text: str) -> str:
    return textwrap.dedent(BODIES) + textwrap.dedent(text)


PROGRAMS = {
    "an object, named before the try": """
        def program(x, v):
            bodies = [Body(e, x) for e in v]
            one = bodies[1]
            try:
                y = one.push(x + 0.5)
            except ValueError:
                y = one.path[0] * bodies[0].push(2.0)
                one.q *= x
            return one.q * y * one.path[0] + sum(b.q * b.path[0] for b in bodies)
    """,
    "a list in an object": """
        def program(x, v):
            bodies = [Body(e, x) for e in v]
            path = bodies[1].path
            try:
                bodies[1].push(x)
                path[1] *= x
            except ValueError:
                path[0] *= x * 2.0
                bodies[0].path[1] += x
            return path[0] * path[1] + sum(b.q * b.path[1] for b in bodies)
    """,
    "in a method that tries": """
        class Cell:
            def __init__(self, q):
                self.q = q
            def step(self, x):
                try:
                    self.q *= math.sqrt(x)
                except ValueError:
                    self.q -= x
                return self.q
        def program(x, v):
            cells = [Cell(e * 2.0) for e in v]
            cells[0].q += x
            return cells[1].step(x) * cells[0].step(-x) + sum(c.q for c in cells)
    """,
    "named in the body": """
        def program(x, v):
            bodies = [Body(e, x) for e in v]
            one = bodies[0]
            try:
                one = bodies[1]
                y = one.push(x)
            except ValueError:
                y = x
            return y * sum(b.q * b.path[0] for b in bodies)
    """,
    "of a list made in the body": """
        def program(x, v):
            y = x
            try:
                bodies = [Body(e, x) for e in v]
                one = bodies[1]
                y = one.push(x)
            except ValueError:
                y = one.path[0] * 2.0
            return y
    """,
    "named in the body alone": """
        def program(x, v, k):
            bodies = [Body(e, x) for e in v]
            y = 1.0
            try:
                one = bodies[k % 3]
                y = one.push(x)
                one = bodies[0]
                y *= one.push(x - 0.3)
            except ValueError:
                y = y * x
            return y * sum(b.q * b.path[0] for b in bodies)
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_item_is_known_in_a_handler(name):
    assert_differentiated(with_bodies(PROGRAMS[name]))
