"""Context managers that are objects of a user's class, made of values that vary."""

from __future__ import annotations

import pytest

from s2sad import UnsupportedError, grad
from tests.frontend.whole_programs import assert_differentiated

CASES = {
    "user manager class": """
class Scale:
    def __init__(self, s):
        self.s = s
    def __enter__(self):
        return self.s * 2
    def __exit__(self, *exc):
        return False
def program(x, y):
    with Scale(x) as s, Scale(y) as t:
        z = s * t
    return z * x
""",
    "manager in variable, returns self": """
class Frame:
    def __init__(self, origin, angle=0.0):
        self.origin, self.angle = origin, angle
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        pass
    def turn(self, x):
        return (x - self.origin) * math.cos(self.angle)
def program(x, y):
    f = Frame(x, angle=y)
    with f as g:
        r = g.turn(2.0) + f.turn(y)
    return r * f.angle
""",
    "what its class holds is stored in a loop": """
class Depth:
    depth = 0
    def __enter__(self):
        self.depth += 1
        return self
    def __exit__(self, *exc):
        self.depth -= 1
def program(x, y):
    one, several, total = Depth(), [Depth() for _ in range(3)], x
    for k in range(7):
        with one, several[k % 3] as d:
            total = 0.5 * total * (one.depth + d.depth) + y * several[0].depth
    return total + one.depth
""",
    "with return and loop inside": """
class Scale:
    def __init__(self, s):
        self.s = s
    def __enter__(self):
        return self.s
    def __exit__(self, *exc):
        return None
def f(v, x):
    total = 0.0
    for a in v:
        with Scale(x * a) as s:
            if s > 1.0:
                return total
            if s < -1.0:
                break
            total += s * a
    return total * x
def program(v, x):
    return f(v, x) + x
""",
    "raising inside": """
class Scale:
    def __init__(self, s):
        self.s = s
    def __enter__(self):
        return self.s
    def __exit__(self, *exc):
        return False
def program(x, y):
    with Scale(x * y) as s:
        q = s * s
        if s > 100.0:
            raise ValueError("large")
    return q * y
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", CASES.values(), ids=list(CASES))
def test_differentiated(text):
    assert_differentiated(text, range(4))


class Scaled:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return 2.0 * self.x

    def __exit__(self, *exception):
        return False


class Hiding(Scaled):
    def __exit__(self, kind, value, trace):
        return kind is ValueError


class Half:
    def __init__(self, x):
        self.x = x


def scaled(x):
    with Scaled(x) as y:
        if y > 10.0:
            raise ValueError("too large")
        z = y * y
    return z


def hiding(x):
    with Hiding(x) as y:
        z = y * y
    return z


def half(x):
    with Half(x) as y:
        z = y * y
    return z


def test_what_the_body_raises():
    assert grad(scaled)(1.0) == 8.0
    with pytest.raises(ValueError, match="too large"):
        grad(scaled)(6.0)


COUNTS = {"open": 0}


class Counted:
    def __enter__(self):
        COUNTS["open"] += 1

    def __exit__(self, *exc):
        COUNTS["open"] -= 1


class Depth:
    depth = 0

    def __enter__(self):
        self.depth += 1

    def __exit__(self, *exc):
        self.depth -= 1


OF_THE_MODULE = Depth()


def changes_data_of_the_module(x):
    with Counted():
        return x * COUNTS["open"]


def changes_an_object_of_the_module(x):
    with OF_THE_MODULE:
        return x * OF_THE_MODULE.depth


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (changes_data_of_the_module, "COUNTS isn't the function's own"),
        (changes_an_object_of_the_module, "writing to an attribute"),
        (hiding, "the __exit__ of a Hiding asks for the exception, or hides it"),
        (half, "with a Half, whose __enter__ and __exit__ aren't known"),
    ],
)
def test_refused(function, message):
    with pytest.raises(UnsupportedError, match=message):
        grad(function)(2.0)
