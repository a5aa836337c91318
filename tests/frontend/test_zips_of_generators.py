"""How far ``zip`` runs a generator: what stands behind it may end first."""

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a tuple behind it": """
def program(x, y):
    log = []
    def g(n):
        for i in range(n):
            log.append(x * i)
            yield y + i
    t = 0.0
    for a, b in zip(g(3), (x, y)):
        t += a * b
    return t * len(log) + sum(log)
""",
    "an array behind it": """
def program(v, x, k):
    log = []
    def g(n):
        for i in range(n):
            log.append(x * i)
            yield x + i
    t = sum(a * b for a, b in zip(g(k + 2), v))
    return t * len(log) + sum(log)
""",
    "a tuple before it": """
def program(x, y):
    log = []
    def g(n):
        for i in range(n):
            log.append(x * i)
            yield y + i
    t = sum(a * b for a, b in zip((x, y), g(3)))
    return t * len(log) + sum(log)
""",
    "between two": """
def program(x, y, v):
    log = []
    def g(n):
        for i in range(n):
            log.append(x * i)
            yield y + i
    t = 0.0
    for c, a, b in zip(v, g(5), [x, y, x, y]):
        t += a * b * c
        if t > 1.0: break
    return t * len(log) + sum(log)
""",
    "without end": """
def nat(x):
    while True:
        yield x
        x = x * 0.5
def program(x, y, v):
    t = sum(a * b for a, b in zip(nat(x), v))
    return t + sum(a * b for a, b in zip(nat(x), (x, y)))
""",
    "unpacked": """
def g(x):
    yield x
    yield x * x
    yield 3.0
def program(x, y):
    (a, b), (c, d) = zip(g(x), (y, x))
    return a * b + c * d
""",
    "nothing behind it": """
def g(x):
    yield x
def program(x, y):
    t = y
    for a, b in zip(g(x), []):
        t = t * a
    return t
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_generator_gives_what_zip_asks_for(name):
    assert_differentiated(PROGRAMS[name], range(4))
