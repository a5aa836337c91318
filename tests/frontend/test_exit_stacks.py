"""``contextlib.ExitStack``, managers that are followed, generators as managers."""

import contextlib

import pytest

import s2sad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

SCALED = """
import contextlib

@contextlib.contextmanager
def scaled(x, log=None):
    try:
        yield 2.0 * x
    finally:
        if log is not None:
            log.append(x)
"""
STACKS = {
    "values": """
def program(x, y):
    with contextlib.ExitStack() as stack:
        a = stack.enter_context(scaled(x))
        b = stack.enter_context(scaled(a * y))
        return a * b
""",
    "an error state": """
def program(x, y):
    with contextlib.ExitStack() as stack:
        stack.enter_context(np.errstate(over="ignore"))
        a = np.exp(x)
    return a * y
""",
    "in a loop": """
def program(x, y, k):
    t = y
    for i in range(k + 1):
        with scaled(t) as u, contextlib.ExitStack() as stack:
            a = stack.enter_context(scaled(x))
            if a * u > 2.0:
                break
            stack.enter_context(np.errstate(all="ignore"))
            t = t + a * u
    return t
""",
    "left early": """
def f(x, y, log):
    with contextlib.ExitStack() as stack:
        a = stack.enter_context(scaled(x, log))
        if a > 0.5:
            return a * y
        stack.callback(log.append, a * y)
        b = stack.enter_context(scaled(a * y, log))
        return a * b

def program(x, y):
    log = []
    return f(x, y, log) * sum(log) + f(y, x, log) * log[-1]
""",
}
TAPES = {
    "records": """
class Tape:
    def __init__(self):
        self.items = []
    def __enter__(self):
        return self
    def __exit__(self, *exc):
        self.items.append(1.0)
    def record(self, value):
        self.items.append(value)
        return value

def program(x, y):
    with Tape() as tape:
        a = tape.record(x * y)
        b = tape.record(a * a)
    return sum(tape.items) * b
""",
    "an object that there is": """
class Doubled:
    def __init__(self, value):
        self.value = value
    def __enter__(self):
        return self
    def __exit__(self, *exc):
        self.value = self.value * 2.0
        return False

def program(x, y):
    doubled = Doubled(x)
    with doubled as same:
        a = same.value * y
    return a * doubled.value
""",
    "a clock": """
import time

class Timer:
    def __enter__(self):
        self.start = time.perf_counter()
        return self
    def __exit__(self, *exc):
        self.elapsed = time.perf_counter() - self.start

def program(x, y):
    with Timer() as timer:
        z = x * y
    return z * y
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", STACKS)
def test_stacks(name):
    assert_differentiated(SCALED + STACKS[name])


@pytest.mark.parametrize("name", TAPES)
def test_managers_that_the_body_works_with(name):
    assert_differentiated(TAPES[name])


class Quiet:
    def __init__(self):
        self.items = []

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return kind is ValueError


def hidden(x):
    with Quiet() as quiet:
        quiet.items.append(x)
    return quiet.items[0]


def entered_in_a_loop(x):
    with contextlib.ExitStack() as stack:
        for k in range(2):
            stack.enter_context(contextlib.nullcontext(k))
        return x * x


@contextlib.contextmanager
def sometimes(x):
    if x > 0.0:
        yield x


@contextlib.contextmanager
def unless(x):
    if x < 0.0:
        return
    yield x


def on_some_paths(x):
    y = 2.0
    with sometimes(x) as z:
        y = z * z
    return y * x


def returning(x):
    y = 2.0
    with unless(x) as z:
        y = z * z
    return y * x


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (hidden, "asks for the exception, or hides it"),
        (entered_in_a_loop, "used in other ways than by enter_context and callback"),
        (on_some_paths, "sometimes yields on some paths, and a manager yields once"),
        (returning, "unless yields on some paths, and a manager yields once"),
    ],
)
def test_what_is_refused(function, reason):
    with pytest.raises(UnsupportedError, match=reason):
        s2sad.grad(function)(2.0)
