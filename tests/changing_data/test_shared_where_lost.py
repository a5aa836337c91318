"""Objects that can't be followed where a list or an attribute is another one by now:
they are held by references."""

import pytest

from tests.frontend.whole_programs import assert_differentiated

STATE = """
class State:
    def __init__(self, h):
        self.h = h
        self.data = {"a": h, "b": 1.0}
        self.path = [h, 2.0]
    def push(self, e):
        self.data = {"a": e, "b": e * self.h}
        self.path = [e, e, e]
        self.h *= math.log(e)
"""
PROGRAMS = {
    "an object of a list that is another on one path": """
def program(x, v, k):
    states = [State(e) for e in v]
    one = states[0]
    states[1].h += x
    if k > 1:
        states = [State(e * x) for e in v]
        states[0].h *= x
    one.h *= 2.0
    return one.h * states[0].h * states[1].h
""",
    "a list in an object of a list that grows": """
class Held:
    def __init__(self, h, v):
        self.h = h
        self.rows = [v * h]
def program(x, v):
    states = [Held(e, v) for e in v]
    rows = states[-1].rows
    states[0].rows[0] = x * v
    states.append(Held(x, v))
    rows[0] = rows[0] * x
    return np.sum(rows[0] * states[2].rows[0]) + sum(np.sum(s.rows[0]) for s in states)
""",
    "what a try body puts into an object": """
def program(x, y):
    one = State(x)
    try:
        one.push(y)
        one.data["a"] *= x
    except ValueError:
        one.data["b"] *= x
        one.path.append(x)
    return one.data["a"] * one.h + one.data["b"] * len(one.path)
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_objects_are_referred_to(name):
    assert_differentiated(STATE + PROGRAMS[name], range(6))


MADE_INSIDE = """
def program(x, y):
    one = {"a": x, "b": y}
    try:
        one = {"a": y, "b": y * x}
        one["a"] += math.log(x)
    except ValueError:
        one["b"] *= x
    return one["a"] + one["b"]
"""


def test_a_dict_made_in_the_body_that_no_object_holds():
    assert_differentiated(MADE_INSIDE)
