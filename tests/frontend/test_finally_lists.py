"""Lists and dicts that the body of a try makes longer or shorter, and its finally
block."""

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "appended to": """
def program(x, y):
    log = []
    try:
        z = math.exp(x)
        log.append(z)
    finally:
        log.append(x * y)
    return log[0] * log[1] * 2.0
""",
    "in a loop": """
def program(x, y, k):
    log = [y]
    for i in range(k + 1):
        try:
            z = math.log(x + i)
            log.append(z)
        except ValueError:
            pass
        finally:
            log.append(x * y)
    return sum(a * b for a, b in zip(log, log[1:]))
""",
    "left alone": """
def program(x, y):
    log = []
    try:
        z = math.exp(x)
        log.append(z)
    finally:
        y = y * 2.0
    a, = log
    return a * y
""",
    "behind a return": """
def f(x, log):
    try:
        log.append(x)
        return math.exp(x)
    finally:
        log.append(x * x)
def program(x, y):
    log = []
    a = f(x, log)
    return a * log[1] + f(y, log) * log[2]
""",
    "a key taken out, beside an array": """
def program(x, y, v):
    data = {"a": x, "b": v}
    data["c"] = x * y
    try:
        z = data.pop("c")
        w = math.exp(z)
    finally:
        y = y * 2.0
    return z * y * w * len(data) * np.sum(data["b"])
""",
    "a key put in, beside an array": """
def program(x, y, v, k):
    data = {"a": x * 2.0, "b": v}
    try:
        if k > 1:
            data["c"] = x * y
        w = math.log(x + k)
        data["a"] *= w
    except ValueError:
        y = y * data.get("c", x)
    finally:
        y = y * 2.0 * data["a"]
    return y * data.get("c", 3.0) * len(data) * np.sum(data["b"])
""",
    "a key taken out of an object's dict": """
class State:
    def __init__(self, h, v):
        self.data = {"a": h, "b": v}
        self.data["c"] = h * h
    def take(self):
        return self.data.pop("c", 2.0) * self.data["a"]
def program(x, y, v):
    state = State(x, v)
    try:
        z = state.take()
        w = math.exp(state.take() + z)
    finally:
        y = y * 2.0 * state.data.get("c", x)
    return z * y * w
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_list_beside_a_finally_block(name):
    assert_differentiated(PROGRAMS[name])
