"""Attributes that an object gets in a loop or call that is run again, and is asked for
before it has them."""

from __future__ import annotations

import textwrap

import pytest

from s2sad import value_and_grad
from tests.frontend.whole_programs import IMPORTS
from tests.fuzz.checking import check

CLASSES = {
    "its class holds it": """
        class Part:
            rate = 1.5

            def turn(self, x):
                self.rate = self.rate * x + 0.1
                return self.rate
        """,
    "counted": """
        class Part:
            count = 0

            def turn(self, x):
                self.count += 1
                return x * self.count
        """,
    "hasattr": """
        class Part:
            def turn(self, x):
                if not hasattr(self, "rate"):
                    self.rate = 1.5
                self.rate = self.rate * x
                return self.rate
        """,
    "getattr with a default": """
        class Part:
            def turn(self, x):
                self.rate = getattr(self, "rate", 1.5) * x
                return self.rate
        """,
    "told by an exception": """
        class Part:
            def turn(self, x):
                try:
                    self.rate = self.rate * x
                except AttributeError:
                    self.rate = 1.5
                return self.rate
        """,
    "__getattr__": """
        class Part:
            def __getattr__(self, name):
                if name == "rate":
                    return 1.5
                raise AttributeError(name)

            def turn(self, x):
                self.rate = self.rate * x
                return self.rate
        """,
    "a cached property": """
        class Part:
            def __init__(self):
                self.side = 2.0

            @functools.cached_property
            def rate(self):
                return self.side**2

            def turn(self, x):
                self.side *= 1.5 * x
                return self.rate * x + self.side
        """,
    "a pattern": """
        class Part:
            def turn(self, x):
                match self:
                    case Part(rate=rate):
                        self.rate = rate * x
                    case _:
                        self.rate = 1.5
                return self.rate
        """,
    "a copy of it": """
        class Part:
            rate = 1.5

            def turn(self, x):
                old = copy.copy(self)
                self.rate = old.rate * x + 0.1
                return old.rate
        """,
}
PROGRAMS = {
    "one in a loop": """
        def program(x):
            part = Part()
            total = 0.0
            for k in range(5):
                total += x * part.turn(x)
            return total
        """,
    "several in a list": """
        def program(x):
            parts = [Part() for _ in range(3)]
            total = 0.0
            for k in range(5):
                total += x * parts[k % 3].turn(x)
            return total
        """,
    "in a branch": """
        def program(x):
            part = Part()
            if x > -10.0:
                part.turn(x)
            return part.turn(x)
        """,
    "in calls": """
        def program(x):
            part = Part()
            return part.turn(x) + part.turn(x) * part.turn(x)
        """,
    "in a recursion": """
        def again(part, n, x):
            if n == 0:
                return x
            return part.turn(x) + x * again(part, n - 1, x)

        def program(x):
            return again(Part(), 4, x)
        """,
    "in a comprehension": """
        def program(x):
            part = Part()
            return sum([k * part.turn(x) for k in range(4)])
        """,
}
IMPORTED = IMPORTS + "import copy\nimport functools\n"


def text_of(cls, program):
    return IMPORTED + textwrap.dedent(CLASSES[cls]) + textwrap.dedent(PROGRAMS[program])


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("cls", CLASSES)
def test_an_attribute_is_there_from_when_it_was_stored_on(cls, program):
    found = check(text_of(cls, program), 0)
    assert found.verdict == "differentiated", found


class Rated:
    rate = 1.5

    def turn(self, x):
        self.rate = self.rate * x
        return self.rate


def given_one(x, part):
    total = 0.0
    for k in range(3):
        total += part.turn(x)
    return total


def test_given_objects_may_get_what_their_class_holds():
    part = Rated()
    value, found = value_and_grad(given_one)(0.7, part)
    assert value == pytest.approx(1.5 * (0.7 + 0.7**2 + 0.7**3))
    assert found == pytest.approx(1.5 * (1.0 + 2 * 0.7 + 3 * 0.7**2))
    assert vars(part) == {}
